//! The numbers that the method can be run with.

/// What counts as a finding. The defaults are those that the table in
/// docs/regressions.md was measured with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The probability of any false alarm for a release, over all looks at it, if
    /// days vary as Student's t has it. Real ones have longer tails: the default is
    /// half of the 1 % that docs/regressions.md promises.
    pub false_alarms: f64,
    /// The windows of history that a release is compared with, at most.
    pub history: usize,
    /// Below this number of windows a release is not examined.
    pub least_history: usize,
    /// Below this number of windows a finding is called provisional.
    pub full_history: usize,
    /// The number of looks at a release: after one window, two windows ….
    pub looks: usize,
    /// The fewest runs that a window of a route may have.
    pub least_runs: u64,
    /// The fewest blocks of different hours or hosts in a window.
    pub least_blocks: usize,
    /// The shortest window, in hours, if the next release comes early.
    pub least_hours: i64,
    /// The smallest relative change of a time that is an alarm.
    pub least_slower: f64,
    /// The smallest relative change of calls per call of the caller, if that
    /// ratio varies. Other inputs change it by less.
    pub least_more_calls: f64,
    /// The same if the ratio never varied.
    pub least_more_exact_calls: f64,
    /// The smallest increase of memory that is an alarm, in bytes a run.
    pub least_more_memory: f64,
    /// The share of a route's time from which a new call is an alarm.
    pub least_new_share: f64,
    /// Standard errors are multiplied by this: days are not independent.
    pub inflation: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            false_alarms: 0.005,
            history: 14,
            least_history: 7,
            full_history: 14,
            looks: 3,
            least_runs: 30,
            least_blocks: 4,
            least_hours: 4,
            least_slower: 0.05,
            least_more_calls: 0.50,
            least_more_exact_calls: 0.10,
            least_more_memory: 16.0 * 1024.0,
            least_new_share: 0.02,
            inflation: 1.10,
        }
    }
}

impl Options {
    /// The probability of a false alarm at a look, which begin with 1. The first
    /// has half of it: most regressions should not wait for the others.
    pub(crate) fn rate(&self, look: usize) -> f64 {
        match (self.looks, look) {
            (0 | 1, _) => self.false_alarms,
            (_, 1) => 0.5 * self.false_alarms,
            (looks, _) => 0.5 * self.false_alarms / (looks as f64 - 1.0),
        }
    }
}
