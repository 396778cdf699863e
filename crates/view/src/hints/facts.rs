//! What the rules read: the tables of a profile.

use profile::{FlatRow, FlatTable, Profile, Repeat, SymbolId, WallUnit};

use crate::calls::CallCounts;
use crate::names;

/// Less time than this is not worth a hint, whatever its share: 1 ms.
const LEAST_TIME: i64 = 1_000_000;
/// The same for a profile that has samples only.
const LEAST_SAMPLES: i64 = 20;
/// How often something is called in one call of its caller to be in a loop.
const LOOP: u64 = 10;

/// The tables of a profile.
pub(super) struct Facts<'a> {
    pub(super) profile: &'a Profile,
    pub(super) flat: &'a FlatTable,
    counts: CallCounts<'a>,
    pub(super) repeats: &'a [Repeat],
}

/// A function that calls others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Caller {
    pub(super) symbol: SymbolId,
    /// How often it called them.
    pub(super) calls: u64,
    /// The same in one call of it, on average, rounded down.
    pub(super) per_call: u64,
}

impl Caller {
    /// Whether it calls them in a loop.
    pub(super) fn is_loop(&self) -> bool {
        self.per_call >= LOOP
    }
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        flat: &'a FlatTable,
        counts: CallCounts<'a>,
        repeats: &'a [Repeat],
    ) -> Self {
        Self {
            profile,
            flat,
            counts,
            repeats,
        }
    }

    /// Whether every call was counted and timed.
    pub(super) fn has_timed_calls(&self) -> bool {
        self.profile.metrics.calls && self.profile.metrics.wall_unit == WallUnit::Nanoseconds
    }

    /// Whether wall times are times or samples, not what a foreign file counts.
    pub(super) fn has_time(&self) -> bool {
        self.profile.meta.counts.is_none()
    }

    pub(super) fn name(&self, symbol: SymbolId) -> &'a [u8] {
        self.profile.name(symbol)
    }

    /// A function's name for a title.
    pub(super) fn title_name(&self, symbol: SymbolId) -> String {
        names::short_text(self.name(symbol), 60)
    }

    /// The rows of the functions whose name is wanted.
    pub(super) fn rows(&self, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<&'a FlatRow> {
        let rows = self.flat.rows.iter();
        rows.filter(|row| is_wanted(self.name(row.symbol)))
            .collect()
    }

    /// The time of the whole profile.
    pub(super) fn total_time(&self) -> i64 {
        i64::try_from(self.flat.total.wall).unwrap_or(i64::MAX)
    }

    /// A part of the profile's time, 0 to 1.
    pub(super) fn share_of_time(&self, time: i64) -> f64 {
        share(time, self.total_time())
    }

    /// Whether so much time is worth a hint, if its share is.
    pub(super) fn is_worth(&self, time: i64, least_share: f64) -> bool {
        let least = match self.profile.metrics.wall_unit {
            WallUnit::Nanoseconds => LEAST_TIME,
            WallUnit::Samples => LEAST_SAMPLES,
        };
        self.has_time() && time >= least && self.share_of_time(time) >= least_share
    }

    /// Which function calls those most often.
    pub(super) fn main_caller(&self, callees: &[SymbolId]) -> Option<Caller> {
        let calls = self.counts.of(callees);
        let most = calls
            .into_iter()
            .max_by_key(|&(symbol, calls)| (calls, std::cmp::Reverse(symbol)));
        let (symbol, calls) = most?;
        let row = self.flat.rows.iter().find(|row| row.symbol == symbol);
        let own_calls = row.map_or(1, |row| row.inclusive.calls.max(1));
        Some(Caller {
            symbol,
            calls,
            per_call: calls / own_calls,
        })
    }
}

/// A part of a whole, 0 to 1.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share is shown with three digits"
)]
pub(super) fn share(part: i64, whole: i64) -> f64 {
    if whole <= 0 {
        return 0.0;
    }
    (part as f64 / whole as f64).clamp(0.0, 1.0)
}
