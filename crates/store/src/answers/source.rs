//! What answers are made of: the sums of a selection, or its runs if the hourly
//! sums cannot tell them apart.
//!
//! Each store is a [`Source`]. All answers are computed here, from what a source
//! gives, so that stores cannot differ in them.

use std::collections::HashMap;
use std::sync::Arc;

use profile::Symbol;

use super::want::{PartSums, Want};
use crate::prepare::{RunSums, profile_of, sums_of_run};
use crate::rollup::{SpreadSums, Totals, hour_of};
use crate::{Basis, Result, RunInfo, Selection, TrendStep};

/// The most runs whose files are read for an answer; the latest are taken.
const MAX_RUNS: usize = 2000;

/// The sums and the runs of a store, as one moment has them.
pub(crate) trait Source {
    /// Visits the totals of a selection of hours. A source may add up what
    /// `grouping` does not tell apart.
    fn totals(
        &self,
        selection: &Selection,
        grouping: Grouping,
        visitor: &mut dyn FnMut(&Place, &Totals),
    ) -> Result<()>;

    /// The same, each with the number of its SQL statements times its weight. A source may visit the totals and
    /// the statements apart, with nothing in the place of the other.
    fn totals_with_sql(
        &self,
        selection: &Selection,
        grouping: Grouping,
        visitor: &mut dyn FnMut(&Place, &Totals, u64),
    ) -> Result<()> {
        self.totals(selection, grouping, &mut |place, totals| {
            visitor(place, totals, 0);
        })?;
        let nothing = Totals::default();
        let mut part = |place: &Place, _: &Totals, part: PartSums| {
            if let PartSums::Spans(spans) = part {
                visitor(place, &nothing, spans.sql_calls());
            }
        };
        self.cells(selection, Want::Spans, grouping.step.into(), &mut part)?;
        Ok(())
    }

    /// Visits the paths or spans of a selection of hours. A part may be of several routes,
    /// and its place name none, if [`want` is of all routes](Want::is_of_all_routes) or the
    /// part is [`PartSums::Around`].
    fn cells(
        &self,
        selection: &Selection,
        want: Want<'_>,
        step: Resolution,
        visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
    ) -> Result<Visited>;

    /// Visits the spreads of a selection of whole days, with empty totals.
    fn days(
        &self,
        selection: &Selection,
        want: Want<'_>,
        visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
    ) -> Result<Visited>;

    /// Adds up the spreads of all functions of a selection of whole days. `want` is
    /// [`Want::Spreads`] or [`Want::Moments`].
    fn spread_sums(
        &self,
        selection: &Selection,
        want: Want<'_>,
    ) -> Result<(SpreadSums, Arc<Vec<Symbol>>)> {
        let mut sums = SpreadSums::default();
        let visited = self.days(selection, want, &mut |_, _, part| {
            if let PartSums::Spreads(spreads) = part {
                sums.add(&spreads);
            }
        })?;
        Ok((sums, visited.names))
    }

    /// The latest runs of a selection, without tags.
    fn infos(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>>;

    /// The same with their native files, and with what the whole selection has.
    fn files(&self, selection: &Selection, most: usize, each: &mut EachFile<'_>) -> Result<Chosen>;
}

/// Takes what a selection has, and one of its runs with its native file.
pub(crate) type EachFile<'a> = dyn FnMut(&Chosen, RunInfo, &[u8]) -> Result<()> + 'a;

/// The runs of a selection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen {
    /// Their number.
    pub(crate) runs: u64,
    /// The highest rate among them.
    pub(crate) highest_rate: f64,
}

impl Chosen {
    /// These runs are all.
    pub(crate) fn of(infos: &[RunInfo]) -> Self {
        Self {
            runs: infos.len() as u64,
            highest_rate: infos.iter().map(|info| info.rate).fold(0.0, f64::max),
        }
    }
}

/// How exactly the time is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Resolution {
    /// Sums of hours.
    Hour,
    /// Sums of whole days, where the selection has them.
    Day,
}

impl From<TrendStep> for Resolution {
    fn from(step: TrendStep) -> Self {
        match step {
            TrendStep::Hour => Self::Hour,
            TrendStep::Day | TrendStep::All => Self::Day,
        }
    }
}

/// What must be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grouping {
    pub(crate) app: bool,
    pub(crate) route: bool,
    pub(crate) release: bool,
    pub(crate) step: TrendStep,
}

/// Where a part belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) app: String,
    pub(crate) route: String,
    pub(crate) release: String,
    /// The hour, or the first hour of the day.
    pub(crate) hour: i64,
    /// The first and the last hour with runs.
    pub(crate) hours: (i64, i64),
    pub(crate) rate: f64,
    /// How often each of its runs counts, so that runs of different rates are
    /// mixed as the requests were: 1 for the highest rate of the selection.
    pub(crate) weight: u64,
}

impl Place {
    /// That of a run among others, of which one has the rate `highest`.
    pub(crate) fn of(info: &RunInfo, highest: f64) -> Self {
        let hour = hour_of(info.started_us);
        Self {
            app: info.app.clone(),
            route: info.route.clone(),
            release: info.release.clone(),
            hour,
            hours: (hour, hour),
            rate: info.rate,
            weight: weight(highest, info.rate),
        }
    }
}

/// What was visited.
#[derive(Debug)]
pub(crate) struct Visited {
    /// The names of the functions in the parts.
    pub(crate) names: Arc<Vec<Symbol>>,
    pub(crate) basis: Basis,
    pub(crate) selected: u64,
    pub(crate) requests: f64,
}

/// The requests that these runs stand for.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(crate) fn requests_of(runs: u64, rate: f64) -> f64 {
    runs as f64 / rate.max(1e-9)
}

/// How often a run of that rate counts beside runs of the highest rate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 1 and a million"
)]
pub(crate) fn weight(highest: f64, rate: f64) -> u64 {
    (highest / rate.max(1e-9)).round().clamp(1.0, 1e6) as u64
}

/// Whether spreads can be told: hours have none, days and runs have.
pub(crate) fn has_spreads(selection: &Selection) -> bool {
    const DAY_US: u64 = 86_400_000_000;
    let bounds = [selection.since_us, selection.until_us];
    !selection.is_of_hours() || bounds.into_iter().flatten().all(|us| us % DAY_US == 0)
}

/// Visits the parts of a selection. Spreads come with empty totals, of whole
/// days.
pub(crate) fn visit(
    source: &dyn Source,
    selection: &Selection,
    want: Want<'_>,
    step: Resolution,
    visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
) -> Result<Visited> {
    if selection.is_of_hours() && want.is_spread() {
        source.days(selection, want, visitor)
    } else if selection.is_of_hours() {
        source.cells(selection, want, step, visitor)
    } else {
        visit_runs(source, selection, want, visitor)
    }
}

/// Visits the parts of the runs of a selection.
fn visit_runs(
    source: &dyn Source,
    selection: &Selection,
    want: Want<'_>,
    visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
) -> Result<Visited> {
    each_run(source, selection, &mut |run| {
        let OneRun {
            place,
            part,
            symbols,
        } = run;
        let numbers = want.numbers(&part.symbols).into_iter();
        let numbers: Vec<Option<u32>> = numbers
            .map(|number| symbols.get(number? as usize).copied())
            .collect();
        let weight = place.weight;
        let sums = match want {
            Want::Spans => PartSums::Spans(part.spans.times(weight)),
            Want::Spreads | Want::Moments | Want::Spread(_) => {
                want.of_spreads(part.spreads.renamed(&symbols).times(weight), &numbers)
            }
            Want::Paths | Want::Functions(_) | Want::Calls(_) => {
                want.of_paths(part.paths.renamed(&symbols).times(weight), &numbers)
            }
        };
        visitor(&place, &part.totals, sums);
    })
}

/// A run whose file was read.
pub(super) struct OneRun {
    pub(super) place: Place,
    pub(super) part: RunSums,
    /// The numbers of its functions among all that were visited.
    pub(super) symbols: Vec<u32>,
}

/// Reads the runs of a selection, one at a time.
pub(super) fn each_run(
    source: &dyn Source,
    selection: &Selection,
    visitor: &mut dyn FnMut(OneRun),
) -> Result<Visited> {
    let mut names = vec![Symbol::new(*b"[unknown]")];
    let mut known: HashMap<Box<[u8]>, u32> = HashMap::new();
    let mut sum = 0.0;
    let chosen = source.files(selection, MAX_RUNS, &mut |chosen, info, file| {
        let Some(part) = sums_of_run(profile_of(file)?, &info) else {
            return Ok(());
        };
        sum += requests_of(1, info.rate);
        let symbols: Vec<u32> = part
            .symbols
            .iter()
            .map(|symbol| {
                *known.entry(symbol.name.clone()).or_insert_with(|| {
                    names.push(symbol.clone());
                    u32::try_from(names.len() - 1).unwrap_or(0)
                })
            })
            .collect();
        visitor(OneRun {
            place: Place::of(&info, chosen.highest_rate),
            part,
            symbols,
        });
        Ok(())
    })?;
    Ok(Visited {
        names: Arc::new(names),
        basis: Basis::Runs,
        selected: chosen.runs,
        requests: sum,
    })
}
