//! What a profile is, in one line, and where it comes from.

use profile::{Body, FlatTable, Metric, Mode, Profile, Samples, WallUnit};
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
    let what = match &profile.body {
        Body::Samples(samples) => how_many(samples, profile.metrics.wall_unit),
        _ => counted(FlatTable::new(profile).total.wall, "sample"),
    };
    let mut parts = vec![
        match profile.meta.mode {
            Mode::Traced => "calls not counted",
            _ => "sampled",
        }
        .to_owned(),
    ];
    parts.push(what);
    parts.push(counted(profile.symbols.len() as u64, "function"));
    parts
}

/// How often somebody looked, and for how long. Merged profiles know neither:
/// they have a weight for each stack.
fn how_many(samples: &Samples, unit: WallUnit) -> String {
    let count = samples.samples.len() as u64;
    let times = samples.samples.iter().map(|sample| sample.at);
    let span = times.clone().max().unwrap_or(0) - times.min().unwrap_or(0);
    let of = |value| time(signed(value)).trim_end().to_owned();
    match (span, unit) {
        (0, WallUnit::Samples) => counted(samples.weight(), "sample"),
        (0, _) if count > 1 => {
            format!("{} of {}", of(samples.weight()), counted(count, "stack"))
        }
        (0, _) => counted(count, "sample"),
        _ => format!("{} over {}", counted(count, "sample"), of(span)),
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{NodeId, Sample, SamplesBuilder};

    fn seen(samples: &[(u64, u64)]) -> Samples {
        let mut builder = SamplesBuilder::default();
        for &(at, weight) in samples {
            let stack = NodeId::ROOT;
            builder.add(Sample { at, weight, stack });
        }
        builder.finish()
    }

    #[test]
    fn samples_are_counted_with_the_time_that_they_took() {
        let samples = seen(&[(0, 7), (1_000_000, 7), (3_000_000, 7)]);
        let said = how_many(&samples, WallUnit::Nanoseconds);
        assert_eq!(said, "3 samples over 3.00 ms");
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
