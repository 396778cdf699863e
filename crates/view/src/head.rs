//! The head of a report: what was recorded, where, and its tags, as words.

use formats::flamegraph::{INCOMPLETE, moment};
use profile::{Body, Meta, Metric, Mode, Profile, Samples, WallUnit};

use crate::units::{count, counted, size, time};
use crate::{Costs, Summary};

/// When and where it was recorded.
#[must_use]
pub fn origin(meta: &Meta) -> Vec<String> {
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
#[must_use]
pub fn tags(meta: &Meta) -> Vec<String> {
    let tags = meta.tags.iter();
    tags.map(|(name, value)| match name.as_str() {
        "exit_status" => format!("ended with exit status {value}"),
        "failed" => "ended by an error".to_owned(),
        _ => format!("{}: {value}", name.replace('_', " ")),
    })
    .collect()
}

/// The recorded data.
#[must_use]
pub fn facts(profile: &Profile, summary: &Summary) -> Vec<String> {
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
    use profile::{NodeId, Sample, SamplesBuilder};

    fn seen(samples: &[(u64, u64)]) -> Samples {
        let mut builder = SamplesBuilder::default();
        for &(at, weight) in samples {
            let stack = NodeId::ROOT;
            builder.add(Sample::new(at, weight, stack));
        }
        builder.finish()
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
