//! The head of a report: kind and origin of the profile, and its tags.

use formats::flamegraph::{INCOMPLETE, moment};
use profile::{Body, Meta, Metric, Mode, Profile, Samples, WallUnit};
use unicode_width::UnicodeWidthStr;
use view::{Costs, Summary};

use crate::terminal::{Look, Style, printable};
use crate::units::{count, counted, size, time};

/// The width of the head in a pipe, which has none of its own.
const MAX_WIDTH: usize = 100;

/// The head of every report: title and summary, beside each other if they fit;
/// then where the profile comes from, and its tags.
pub(super) fn head(profile: &Profile, summary: &Summary, title: &str, look: Look) -> String {
    let title = profile.meta.title.as_deref().unwrap_or(title);
    let title = printable(title.as_bytes());
    let width = look.width.min(MAX_WIDTH);
    let summary = lines(&facts(profile, summary), width);
    let fits = summary.len() == 1 && title.width() + 2 + summary[0].width() <= width;
    let separator = if fits { "  " } else { "\n" };
    let title = look.paint(Style::Bold, &title);
    let mut head = format!("{title}{separator}{}\n", summary.join("\n"));
    for parts in [origin(&profile.meta), tags(&profile.meta)] {
        for line in lines(&parts, width) {
            head.push_str(&look.paint(Style::Faint, &line));
            head.push('\n');
        }
    }
    head.push('\n');
    head
}

/// The lines of the head, without a width.
pub(super) fn facts_and_origin(profile: &Profile, summary: &Summary) -> Vec<String> {
    let parts = [
        facts(profile, summary),
        origin(&profile.meta),
        tags(&profile.meta),
    ];
    let lines = parts.iter().flat_map(|parts| lines(parts, usize::MAX));
    lines.collect()
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

/// When and where it was recorded.
fn origin(meta: &Meta) -> Vec<String> {
    let mut parts: Vec<String> = meta.started_unix_us.map(moment).into_iter().collect();
    parts.extend(meta.host.as_ref().map(|host| format!("host {host}")));
    parts.extend(meta.process.map(|process| format!("process {process}")));
    parts.extend(
        meta.php_version
            .as_ref()
            .map(|version| format!("PHP {version}")),
    );
    parts.extend(meta.sapi.clone());
    parts
}

/// The request: its method, status and route, and the tags that the program
/// set.
fn tags(meta: &Meta) -> Vec<String> {
    let tags = meta.tags.iter();
    tags.map(|(name, value)| match name.as_str() {
        "exit_status" => format!("ended with exit status {value}"),
        "failed" => "ended by an error".to_owned(),
        _ => format!("{}: {value}", name.replace('_', " ")),
    })
    .collect()
}

/// The recorded data.
fn facts(profile: &Profile, summary: &Summary) -> Vec<String> {
    let mut parts = if profile.metrics.calls {
        of_calls(profile, summary)
    } else {
        of_samples(profile, summary)
    };
    if summary.is_estimated {
        parts.push("stacks are estimated".to_owned());
    }
    if summary.is_truncated {
        parts.push(INCOMPLETE.to_owned());
    }
    if !profile.meta.not_read.is_empty() {
        parts.push(format!("not read: {}", profile.meta.not_read.join(", ")));
    }
    parts
}

fn of_calls(profile: &Profile, summary: &Summary) -> Vec<String> {
    let mut parts = costs(profile, &summary.total);
    parts.push(counted(summary.calls, "call"));
    parts.push(counted(summary.functions.into(), "function"));
    parts
}

/// The costs of the whole, each with its unit and its name.
fn costs(profile: &Profile, root: &Costs) -> Vec<String> {
    let trimmed = |text: String| text.trim_end().to_owned();
    let mut parts = Vec::new();
    match profile.metrics.wall_unit {
        WallUnit::Samples if profile.meta.counts.is_none() => {
            parts.push(counted(root.wall.unsigned_abs(), "sample"));
        }
        WallUnit::Samples => {
            let wall = count(root.wall.unsigned_abs());
            parts.push(format!("{wall} {}", profile.counted()));
        }
        // Some formats have sizes only.
        WallUnit::Nanoseconds if root.wall == 0 && root.memory != 0 => {}
        WallUnit::Nanoseconds => parts.push(format!("{} wall", trimmed(time(root.wall)))),
    }
    if profile.metrics.cpu {
        parts.push(format!("{} CPU", trimmed(time(root.cpu))));
    }
    if let Some(peak) = profile.meta.peak_memory {
        parts.push(format!("{} peak memory", trimmed(size(signed(peak)))));
    }
    if profile.metrics.memory {
        // The change of the memory in use, or of its peak, from beginning to end:
        // neither is the memory that the program needed.
        let (growth, what) = if profile.shows(Metric::Peak) {
            (root.peak, "peak growth")
        } else {
            (root.memory, "memory growth")
        };
        parts.push(format!("{} {what}", trimmed(size(growth))));
    }
    parts
}

fn of_samples(profile: &Profile, summary: &Summary) -> Vec<String> {
    let is_other = profile.meta.counts.is_some();
    let mut parts = vec![
        match profile.meta.mode {
            Mode::Sampled => "sampled",
            _ => "calls not counted",
        }
        .to_owned(),
    ];
    match &profile.body {
        Body::Samples(samples) if !is_other => {
            parts.push(how_many(samples, profile.metrics.wall_unit));
        }
        _ => parts.extend(costs(profile, &summary.total)),
    }
    parts.push(counted(summary.functions.into(), "function"));
    parts
}

/// How many samples were taken, and for how long. Merged profiles know neither:
/// they have a weight for each stack.
fn how_many(samples: &Samples, unit: WallUnit) -> String {
    let weight = samples.weight();
    let count = samples.samples.len() as u64;
    let times = samples.samples.iter().map(|sample| sample.at);
    let span = times.clone().max().unwrap_or(0) - times.min().unwrap_or(0);
    let of = |value| time(signed(value)).trim_end().to_owned();
    match (span, unit) {
        (0, WallUnit::Samples) => counted(weight, "sample"),
        (0, _) if count > 1 => format!("{} of {}", of(weight), counted(count, "stack")),
        (0, _) => counted(count, "sample"),
        (_, WallUnit::Samples) => format!("{} over {}", counted(weight, "sample"), of(span)),
        // The weights are the total. Without that of the last sample, the span
        // is less.
        _ => format!("{} over {}", counted(count, "sample"), of(span.max(weight))),
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Cost, NodeId, Sample, SamplesBuilder};
    use view::Document;

    fn seen(samples: &[(u64, u64)]) -> Samples {
        let mut builder = SamplesBuilder::default();
        for &(at, weight) in samples {
            let stack = NodeId::ROOT;
            builder.add(Sample { at, weight, stack });
        }
        builder.finish()
    }

    fn head_lines(profile: &Profile) -> Vec<String> {
        let summary = Document::of_costs(profile.clone(), vec![]).summary();
        let head = head(profile, &summary, "a file", Look::plain());
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

    #[test]
    fn samples_are_counted_with_the_time_that_they_took() {
        let samples = seen(&[(0, 7), (1_000_000, 7), (3_000_000, 7)]);
        let said = how_many(&samples, WallUnit::Nanoseconds);
        assert_eq!(said, "3 samples over 3.00 ms");
        let weighted = seen(&[(0, 1_000_000_000), (1_000_000_000, 2_000_000_000)]);
        let said = how_many(&weighted, WallUnit::Nanoseconds);
        assert_eq!(said, "2 samples over 3.00 s");
        let said = how_many(&seen(&[(0, 1), (1_000_000, 2)]), WallUnit::Samples);
        assert_eq!(said, "3 samples over 1.00 ms");
    }

    #[test]
    fn weights_of_merged_stacks_are_not_taken_for_samples() {
        let samples = seen(&[(0, 4_000_000), (0, 1_000_000)]);
        let said = how_many(&samples, WallUnit::Nanoseconds);
        assert_eq!(said, "5.00 ms of 2 stacks");
        assert_eq!(
            how_many(&seen(&[(0, 4), (0, 1)]), WallUnit::Samples),
            "5 samples"
        );
    }
}
