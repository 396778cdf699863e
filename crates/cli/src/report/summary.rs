//! The head of a report: kind and origin of the profile, and its tags.

use profile::Profile;
use unicode_width::UnicodeWidthStr;
use view::{Summary, head};

use crate::terminal::{Look, Style, printable};

/// The width of the head in a pipe, which has none of its own.
const MAX_WIDTH: usize = 100;

/// The head of every report: title and summary, beside each other if they fit;
/// then where the profile comes from, and its tags.
pub(super) fn head(profile: &Profile, summary: &Summary, title: &str, look: Look) -> String {
    let title = profile.meta.title.as_deref().unwrap_or(title);
    let title = printable(title.as_bytes());
    let width = look.width.min(MAX_WIDTH);
    let summary = lines(&head::facts(profile, summary), width);
    let fits = summary.len() == 1 && title.width() + 2 + summary[0].width() <= width;
    let separator = if fits { "  " } else { "\n" };
    let title = look.paint(Style::Bold, &title);
    let mut head = format!("{title}{separator}{}\n", summary.join("\n"));
    for parts in [head::origin(&profile.meta), head::tags(&profile.meta)] {
        for line in lines(&parts, width) {
            head.push_str(&look.paint(Style::Faint, &line));
            head.push('\n');
        }
    }
    head.push('\n');
    head
}

/// The parts beside each other, in as few lines of `width` columns as they need.
fn lines(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let part = printable(part.as_bytes());
        match lines.last_mut() {
            Some(line) if line.width() + " · ".width() + part.width() <= width => {
                line.push_str(" · ");
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Body, Cost, WallUnit};
    use view::Document;

    fn head_lines(profile: &Profile) -> Vec<String> {
        let summary = Document::of_costs(profile.clone(), vec![]).summary();
        let head = super::head(profile, &summary, "a file", Look::plain());
        head.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_peak_is_what_php_says_and_growth_is_called_growth() {
        let mut profile = Profile::empty();
        profile.metrics.memory = true;
        let root = Cost {
            calls: 1,
            wall: 5_000,
            memory: -512,
            peak: 2_048,
            ..Cost::default()
        };
        let table = |root| {
            Body::Edges(profile::EdgeTable {
                edges: vec![],
                root,
            })
        };
        profile.body = table(root);
        let said = "a file  5.00 µs wall · 2.05 kB peak growth · 1 call · 1 function";
        assert_eq!(head_lines(&profile)[0], said);
        profile.meta.peak_memory = Some(14_600_000);
        let said = "a file  5.00 µs wall · 14.6 MB peak memory · 2.05 kB peak growth · \
                    1 call · 1 function";
        assert_eq!(head_lines(&profile)[0], said);
        profile.meta.peak_memory = None;
        profile.body = table(Cost { peak: 0, ..root });
        let said = "a file  5.00 µs wall · -512 B memory growth · 1 call · 1 function";
        assert_eq!(head_lines(&profile)[0], said);
    }

    #[test]
    fn a_narrow_terminal_gets_more_lines_and_loses_nothing() {
        let parts: Vec<String> = ["182 ms wall", "180 ms CPU", "1 call"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(lines(&parts, 33), ["182 ms wall · 180 ms CPU · 1 call"]);
        assert_eq!(lines(&parts, 32), ["182 ms wall · 180 ms CPU", "1 call"]);
        assert_eq!(lines(&parts, 3), parts);
        assert!(lines(&[], 80).is_empty());
    }

    #[test]
    fn what_a_foreign_file_counts_has_its_own_name() {
        let mut profile = Profile::empty();
        profile.metrics.wall_unit = WallUnit::Samples;
        profile.meta.counts = Some("Ir".to_owned());
        profile.meta.not_read = vec!["Dr".to_owned(), "Dw".to_owned()];
        let root = Cost {
            calls: 1,
            wall: 1_234_567,
            ..Cost::default()
        };
        profile.body = Body::Edges(profile::EdgeTable {
            edges: vec![],
            root,
        });
        let said = "a file  1,234,567 Ir · 1 call · 1 function · not read: Dr, Dw";
        assert_eq!(head_lines(&profile)[0], said);
    }

    #[test]
    fn date_host_and_tags_are_said() {
        let mut profile = Profile::empty();
        profile.meta.started_unix_us = Some(1_700_000_000_000_000);
        profile.meta.host = Some("web7".to_owned());
        profile.meta.php_version = Some("8.2.36".to_owned());
        profile.meta.sapi = Some("fpm-fcgi".to_owned());
        profile.meta.set_tag("status", "200");
        profile.meta.set_tag("route", "/articles/?\x1b[2J");
        let lines = head_lines(&profile);
        let origin = "2023-11-14 22:13:20 UTC · host web7 · PHP 8.2.36 · fpm-fcgi";
        assert_eq!(
            lines[1..],
            [origin, "status: 200 · route: /articles/?\\x1b[2J", ""]
        );
    }
}
