//! The sum of the calls of many runs.

use std::collections::BTreeMap;

use super::source::{Place, Resolution, Source, Visited, visit};
use super::want::{PartSums, Want};
use crate::rollup::{Paths, Shape, Sign, Totals};
use crate::{Aggregate, Result, Selection};
use profile::{Mode, Profile};

/// Adds up the calls of a selection.
///
/// Trees, edges and samples do not add up: the kind that most runs have is
/// taken, and `runs` counts those.
pub(crate) fn tree(source: &dyn Source, selection: &Selection) -> Result<Aggregate> {
    let (sums, visited) = sums(source, selection)?;
    Ok(aggregate(sums, &visited))
}

/// The sums of one kind of calls.
pub(super) struct Sum {
    paths: Paths,
    runs: u64,
    weighted: u64,
}

/// The sums by kind, in the order of their numbers.
pub(super) type Calls = BTreeMap<Shape, Sum>;

/// Adds the calls of a cell or a run.
pub(super) fn add(calls: &mut Calls, place: &Place, runs: u64, paths: &Paths) {
    let shape = paths.shape();
    let sum = calls.entry(shape).or_insert_with(|| Sum {
        paths: Paths::new(shape),
        runs: 0,
        weighted: 0,
    });
    sum.paths.merge(paths, Sign::Plus);
    sum.runs += runs;
    sum.weighted += runs * place.weight;
}

fn sums(source: &dyn Source, selection: &Selection) -> Result<(Calls, Visited)> {
    let mut sums = Calls::new();
    let mut add = |place: &Place, totals: &Totals, part: PartSums| {
        if let PartSums::Paths(paths) = part {
            add(&mut sums, place, totals.runs, &paths);
        }
    };
    let visited = visit(source, selection, Want::Paths, Resolution::Day, &mut add)?;
    Ok((sums, visited))
}

pub(super) fn aggregate(sums: Calls, visited: &Visited) -> Aggregate {
    let most = sums.into_values().max_by_key(|sum| sum.runs);
    let (mut profile, runs, weighted) = match most {
        Some(sum) => (sum.paths.to_profile(&visited.names), sum.runs, sum.weighted),
        None => (Profile::empty(), 0, 0),
    };
    profile.meta.mode = Mode::Traced;
    if !profile.metrics.calls {
        profile.meta.mode = Mode::Sampled;
    }
    // The viewer shows costs of a run by it.
    profile.meta.set_tag("runs", weighted.to_string());
    Aggregate {
        profile,
        runs,
        selected: visited.selected,
        requests: visited.requests,
        basis: visited.basis,
    }
}
