//! How sure costs are that are estimates, as answers carry it.

use profile::{Cost, FlatEstimate, Metric, SelfCost, Variance};
use serde::Serialize;

use crate::Costs;

/// How sure a function's costs are, if not all of its calls, or of its callees',
/// were timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Margins {
    /// How many of its calls were timed.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub timed: u64,
    /// Half the width of the 95 % interval of each cost with callees; zero if it
    /// is at most 1 % of the cost.
    pub inclusive: Costs,
    /// The same of each cost without callees.
    pub own: Costs,
}

impl Margins {
    /// Those of a row with these costs.
    #[must_use]
    pub fn of(inclusive: &Cost, own: &SelfCost, estimate: &FlatEstimate) -> Self {
        let calls = inclusive.calls;
        Self {
            timed: calls.saturating_sub(estimate.untimed),
            inclusive: margins(&estimate.inclusive, &Costs::inclusive(inclusive)),
            own: margins(&estimate.own, &Costs::own(own, calls)),
        }
    }
}

/// Half the widths of the 95 % intervals, of those costs where it is more than
/// 1 %.
pub(crate) fn margins(variance: &Variance, costs: &Costs) -> Costs {
    let of = |metric: Metric| margin_or_zero(variance, metric, costs.of(metric));
    Costs {
        calls: 0,
        wall: of(Metric::Wall),
        cpu: of(Metric::Cpu),
        memory: of(Metric::Memory),
        peak: of(Metric::Peak),
    }
}

/// That of one cost.
pub(crate) fn margin(variance: &Variance, metric: Metric, cost: i64) -> Option<i64> {
    let margin = i64::try_from(variance.margin(metric)).unwrap_or(i64::MAX);
    variance.is_notable(metric, cost).then_some(margin)
}

/// The same as a number: zero if there is none to show.
pub(crate) fn margin_or_zero(variance: &Variance, metric: Metric, cost: i64) -> i64 {
    margin(variance, metric, cost).unwrap_or(0)
}
