//! Whether a run is interesting: slow, failed, or asked for.
//!
//! Runs that are not are dropped first when the queue is full.

use std::fs::File;
use std::time::Duration;

use profile::native::{Limits, Summary, summary};
use profile::{Budget, WallUnit};

/// Memory for reading one summary.
const MEMORY: u64 = 4 << 20;

/// The longest name of an application that is counted, in bytes.
const MAX_APP: usize = 200;

/// What is known of a run before it is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Interest {
    /// The application; empty if it is not known.
    pub(crate) app: String,
    /// Whether the run is slow, failed, or asked for.
    pub(crate) is_high: bool,
}

impl Interest {
    /// Reads the head and the sums of a native file. Nothing is known of others,
    /// and of call events.
    pub(crate) fn of(file: &File, slow: Duration) -> Self {
        let limits = Limits {
            section: MEMORY,
            ..Limits::default()
        };
        match summary(file, &limits, &Budget::new(MEMORY)) {
            Ok(Some(summary)) => Self::of_summary(&summary, slow),
            _ => Self::default(),
        }
    }

    fn of_summary(summary: &Summary, slow: Duration) -> Self {
        let tag = |name: &str| summary.meta.tag(name);
        let is_set = |name: &str| tag(name).is_some_and(|value| !matches!(value, "" | "0"));
        let status = tag("status").and_then(|status| status.parse::<u16>().ok());
        let is_time = summary.metrics.wall_unit == WallUnit::Nanoseconds;
        let wall = Duration::from_nanos(summary.total.wall);
        Self {
            app: cut(tag("app").unwrap_or_default()),
            is_high: is_set("failed")
                || is_set("trigger")
                || status.is_some_and(|status| status >= 500)
                || is_time && wall >= slow,
        }
    }
}

/// The beginning of a long name.
pub(crate) fn cut(name: &str) -> String {
    let mut end = name.len().min(MAX_APP);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Cost, Profile, TreeBuilder, native};
    use std::io::{Seek, Write};

    fn of(tags: &[(&str, &str)], wall_ms: u64) -> Interest {
        let mut profile = Profile::empty();
        for (name, value) in tags {
            profile.meta.set_tag(name, *value);
        }
        let mut tree = TreeBuilder::new();
        *tree.cost(profile::NodeId::ROOT) += Cost {
            wall: wall_ms * 1_000_000,
            calls: 1,
            ..Cost::default()
        };
        profile.body = profile::Body::Tree(tree.finish_self_costs());
        let mut bytes = Vec::new();
        native::write(&profile, &mut bytes).unwrap();
        of_bytes(&bytes)
    }

    fn of_bytes(bytes: &[u8]) -> Interest {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        Interest::of(&file, Duration::from_secs(1))
    }

    #[test]
    fn slow_failed_and_triggered_runs_are_interesting() {
        assert!(!of(&[("status", "200"), ("failed", "0")], 999).is_high);
        assert!(of(&[], 1000).is_high);
        assert!(of(&[("status", "503")], 1).is_high);
        assert!(of(&[("failed", "1")], 1).is_high);
        assert!(of(&[("trigger", "1")], 1).is_high);
        assert_eq!(of(&[("app", "shop")], 1).app, "shop");
    }

    #[test]
    fn nothing_is_known_of_other_files() {
        assert_eq!(of_bytes(b"a:0:{}"), Interest::default());
        assert_eq!(of_bytes(b"\x89XHP\r\n\x1a\n"), Interest::default());
        assert_eq!(cut(&"ä".repeat(200)).len(), 200);
    }
}
