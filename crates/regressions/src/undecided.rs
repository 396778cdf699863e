//! Increases that are not proven, and what would decide.

use crate::finding::{Kind, Undecided};
use crate::incidents::{Incidents, MIN_CALL_SHARE};
use crate::series::Family;

/// Increases below this are not listed as undecided: standard errors, and the
/// share of the route's time or memory.
const UNDECIDED_T: f64 = 2.5;
const UNDECIDED_SHARE: f64 = 0.01;

/// The most undecided increases in a report.
const MAX_UNDECIDED: usize = 10;

impl Incidents<'_> {
    /// Increases that may be chance, and how many more runs decide.
    pub(crate) fn undecided(&self) -> Vec<Undecided> {
        let mut found: Vec<(f64, Undecided)> = Vec::new();
        for (test, route, series) in self.all() {
            let (Some(last), Some(changes)) = (test.last(), self.changes.get(test.route)) else {
                continue;
            };
            let kind = match series.family {
                Family::Time => Kind::Slower,
                Family::Calls => Kind::MoreCalls,
                Family::Memory | Family::Route => continue,
            };
            if test.slower.is_some() || last.t < UNDECIDED_T {
                continue;
            }
            let path = match series.family {
                Family::Calls => Some(series.number as usize),
                _ => changes.largest_path(route, series.number),
            };
            let Some(path) = path else { continue };
            let added = match kind {
                Kind::MoreCalls => changes.inclusive(path),
                _ => changes.own(path),
            };
            let (gate, share) = match kind {
                Kind::MoreCalls => (self.options.least_more_calls, MIN_CALL_SHARE),
                _ => (self.options.least_slower, UNDECIDED_SHARE),
            };
            let share_added = added / route.wall_before().max(1.0);
            if last.effect < gate.ln_1p() || share_added < share {
                continue;
            }
            let runs: f64 = route
                .windows
                .iter()
                .skip(route.history)
                .map(|of| of.runs)
                .sum();
            let looks = route.looks();
            let needed =
                test.past
                    .windows_needed(last.effect, test.t_needed(), self.options.inflation);
            let needed = needed.filter(|needed| *needed > looks && *needed <= self.options.looks);
            let more = needed.map(|needed| (needed - looks) as f64 * runs / looks.max(1) as f64);
            found.push((
                share_added,
                Undecided {
                    kind,
                    function: route.function_of(path).to_owned(),
                    route: route.name.to_owned(),
                    change: last.effect.exp_m1(),
                    t: last.t,
                    t_needed: test.t_needed(),
                    more_runs: more.map(crate::attribution::whole),
                },
            ));
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.truncate(MAX_UNDECIDED);
        found.into_iter().map(|(_, undecided)| undecided).collect()
    }
}
