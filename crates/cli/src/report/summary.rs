//! What a profile is, in one line, and where it comes from.

use profile::{Body, FlatTable, Metric, Mode, Profile};
use unicode_width::UnicodeWidthStr;

use crate::terminal::{Look, Style, printable};
use crate::units::{counted, size, time};

/// The head of every report: title and summary, beside each other if they fit.
pub(super) fn head(profile: &Profile, title: &str, look: Look) -> String {
    let title = profile.meta.title.as_deref().unwrap_or(title);
    let title = printable(title.as_bytes());
    let summary = summary(profile);
    let fits = title.width() + 2 + summary.width() <= look.width;
    let separator = if fits { "  " } else { "\n" };
    let title = look.paint(Style::Bold, &title);
    format!("{title}{separator}{summary}\n\n")
}

/// One line: what was recorded.
fn summary(profile: &Profile) -> String {
    let mut parts = if profile.metrics.calls {
        of_calls(profile)
    } else {
        of_samples(profile)
    };
    if profile.meta.is_estimated {
        parts.push("stacks are guessed".to_owned());
    }
    if profile.meta.is_truncated {
        parts.push("a limit cut something off".to_owned());
    }
    parts.join(" · ")
}

fn of_calls(profile: &Profile) -> Vec<String> {
    let table = FlatTable::new(profile);
    let root = &table.total;
    let trimmed = |text: String| text.trim_end().to_owned();
    let mut parts = vec![format!("{} wall", trimmed(time(signed(root.wall))))];
    if profile.metrics.cpu {
        parts.push(format!("{} CPU", trimmed(time(signed(root.cpu)))));
    }
    if profile.shows(Metric::Peak) {
        parts.push(format!("{} peak", trimmed(size(root.peak))));
    } else if profile.metrics.memory {
        parts.push(format!("{} memory", trimmed(size(root.memory))));
    }
    parts.push(counted(profile.calls(), "call"));
    parts.push(counted(table.rows.len() as u64, "function"));
    parts
}

fn of_samples(profile: &Profile) -> Vec<String> {
    let (samples, span) = match &profile.body {
        Body::Samples(samples) => {
            let times = samples.samples.iter().map(|sample| sample.at);
            let span = times.clone().max().unwrap_or(0) - times.min().unwrap_or(0);
            (samples.samples.len() as u64, span)
        }
        _ => (FlatTable::new(profile).total.wall, 0),
    };
    let mut parts = vec![
        match profile.meta.mode {
            Mode::Traced => "calls not counted",
            _ => "sampled",
        }
        .to_owned(),
    ];
    parts.push(match span {
        0 => counted(samples, "sample"),
        span => {
            let span = time(signed(span));
            format!("{} over {}", counted(samples, "sample"), span.trim_end())
        }
    });
    parts.push(counted(profile.symbols.len() as u64, "function"));
    parts
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
