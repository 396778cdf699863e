//! The costs as columns: their names in `--columns` and their headings.
//!
//! `functions`, `neighbours` and `tree` build their tables from these, so that
//! a column has one name in all of them.

use profile::{Metric, Profile};

use super::table::Column;

/// Every cost but calls, in the order of the columns.
pub(super) const COSTS: [Metric; 4] = [Metric::Wall, Metric::Cpu, Metric::Memory, Metric::Peak];

/// The headings of the self and the inclusive cost in a table about `metric`.
/// The three blanks are replaced by the unit.
pub(super) fn titles(metric: Metric, profile: &Profile) -> [&'static str; 2] {
    use profile::WallUnit::{Nanoseconds, Samples};
    match metric {
        Metric::Wall => match profile.metrics.wall_unit {
            Nanoseconds => ["self   ", "incl   "],
            Samples => ["self", "incl"],
        },
        Metric::Cpu => ["self cpu", "incl cpu"],
        Metric::Memory => ["self mem", "incl mem"],
        Metric::Peak => ["self peak", "incl peak"],
        Metric::Calls => ["calls", "calls"],
    }
}

/// The columns of the self costs, or of the inclusive costs, with their costs. A column that
/// `is_usual` does not name is shown only if `--columns` asks for it.
pub(super) fn of_costs(
    profile: &Profile,
    is_inclusive: bool,
    is_usual: impl Fn(Metric) -> bool,
) -> Vec<(Metric, Column)> {
    let costs = COSTS.into_iter().filter(|&cost| profile.shows(cost));
    let columns = costs.zip(2..).map(|(cost, dispensable)| {
        let (key, title) = match (cost, is_inclusive) {
            (Metric::Cpu, false) => ("cpu", "self cpu"),
            (Metric::Cpu, true) => ("incl-cpu", "incl cpu"),
            (Metric::Memory, false) => ("memory", "self mem"),
            (Metric::Memory, true) => ("incl-memory", "incl mem"),
            (Metric::Peak, false) => ("peak", "self peak"),
            (Metric::Peak, true) => ("incl-peak", "incl peak"),
            (_, false) => ("wall", "self wall"),
            (_, true) => ("incl-wall", "incl wall"),
        };
        let column = Column::new(key, title).dispensable(dispensable);
        let column = if is_usual(cost) {
            column
        } else {
            column.extra()
        };
        (cost, column)
    });
    columns.collect()
}
