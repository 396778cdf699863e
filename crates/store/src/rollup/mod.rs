//! The sums of the runs of one route in one hour, or one day.
//!
//! Four parts, which are stored apart because most questions need one of them:
//! totals, paths and spans of an hour, spreads of a day. Each part can be made from one run, added
//! up, subtracted, and written in few bytes.
//!
//! **Invariant:** all sums are integers, so adding in any order, and adding and
//! then subtracting, gives the same sums, as long as no limit was reached.

mod columns;
mod function_parts;
mod partly;
mod paths;
mod sketch;
mod sketch_sum;
mod spans;
mod spread_sums;
mod spreads;
mod totals;

pub(crate) use columns::{decode, decode_by, encode};
pub(crate) use function_parts::{FunctionParts, OfParts, OneFunction};
pub(crate) use partly::{Moments, OneSpread};
pub use paths::PathSums;
pub(crate) use paths::{Around, FunctionSums, Paths, Shape};
pub use sketch::Sketch;
pub(crate) use sketch_sum::SketchSum;
pub(crate) use spans::{SpanSums, SqlCalls, kind_name};
pub(crate) use spread_sums::SpreadSums;
pub(crate) use spreads::{Spread, Spreads};
pub(crate) use totals::Totals;

/// The most of a cost of one run in the sums. What is more is no measurement, and
/// a thousand of them have a sum that is exact.
pub(crate) const MAX_COST: u64 = 1 << 53;

/// A cost that may be negative, within [`MAX_COST`].
pub(crate) fn bounded(cost: i64) -> i64 {
    cost.clamp(-MAX_COST.cast_signed(), MAX_COST.cast_signed())
}

/// Whether a part is added or taken out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A run comes in.
    Plus,
    /// A run is deleted.
    Minus,
}

impl Sign {
    /// `sum` with `more`, or without it.
    pub(crate) fn count(self, sum: u64, more: u64) -> u64 {
        match self {
            Self::Plus => sum.saturating_add(more),
            Self::Minus => sum.saturating_sub(more),
        }
    }

    /// The same for numbers with a sign.
    pub(crate) fn signed(self, sum: i64, more: i64) -> i64 {
        match self {
            Self::Plus => sum.saturating_add(more),
            Self::Minus => sum.saturating_sub(more),
        }
    }
}

/// The hour of an instant, in hours since 1970.
pub(crate) fn hour_of(started_us: u64) -> i64 {
    i64::try_from(started_us / 3_600_000_000).unwrap_or(i64::MAX)
}

/// How many steps the logarithm of a time is divided into.
pub(crate) const LOG_STEPS: f64 = 64.0;

/// ln(1 + microseconds) of a time, in steps of 1/64. It is rounded by at
/// most 0.8 % of the time, up or down alike, which is little beside the noise
/// between two runs. As a whole number it adds up the same in any order.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ln(1 + 2^64) is below 45"
)]
pub(crate) fn log_time(nanoseconds: u64) -> u64 {
    ((nanoseconds as f64 / 1000.0).ln_1p() * LOG_STEPS).round() as u64
}

/// A negative self time, which other tools' files may have, counts as none.
pub(crate) fn log_own(nanoseconds: i64) -> u64 {
    log_time(nanoseconds.max(0).unsigned_abs())
}
