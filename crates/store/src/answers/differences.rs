//! How two selections differ.

use std::collections::{BTreeMap, HashMap};

use super::functions::{calls_and_spreads, text};
use super::source::{Source, has_spreads};
use super::want::Want;
use crate::rollup::{LOG_STEPS, Spread};
use crate::{Aggregate, Difference, FunctionChange, Result, Selection};
use profile::{FlatRow, FlatTable};

/// Runs that must have called a function before a spread is computed.
const MIN_CALLING_RUNS: u64 = 10;

/// The most functions of an answer.
const MAX_FUNCTIONS: usize = 1000;

/// What changed for a run.
pub(crate) fn difference(one: Side, other: Side) -> Difference {
    let mut names: BTreeMap<&str, [Option<&FlatRow>; 2]> = BTreeMap::new();
    for (name, row) in &one.functions {
        names.entry(name).or_default()[0] = Some(row);
    }
    for (name, row) in &other.functions {
        names.entry(name).or_default()[1] = Some(row);
    }
    let mut functions: Vec<FunctionChange> = names
        .into_iter()
        .map(|(name, rows)| change(name, rows, [&one, &other]))
        .collect();
    let size = |row: &FunctionChange| (row.own_after - row.own_before).abs();
    functions.sort_by(|one, other| size(other).total_cmp(&size(one)));
    functions.truncate(MAX_FUNCTIONS);
    Difference {
        before: one.aggregate,
        after: other.aggregate,
        functions,
    }
}

/// The sums of one of two selections.
pub(crate) struct Side {
    aggregate: Aggregate,
    functions: HashMap<String, FlatRow>,
    spreads: HashMap<String, Spread>,
    has_spreads: bool,
    /// What sums are divided by.
    runs: u64,
}

/// Adds up one of two selections.
pub(crate) fn side(source: &dyn Source, selection: &Selection) -> Result<Side> {
    let (aggregate, spreads) = calls_and_spreads(source, selection, Want::Moments)?;
    let profile = &aggregate.profile;
    let rows = FlatTable::new(profile).rows.into_iter();
    let runs = profile.meta.tag("runs").and_then(|runs| runs.parse().ok());
    Ok(Side {
        functions: rows
            .map(|row| (text(profile.name(row.symbol)), row))
            .collect(),
        spreads,
        has_spreads: has_spreads(selection),
        runs: runs.unwrap_or(0),
        aggregate,
    })
}

#[expect(clippy::cast_precision_loss, reason = "means")]
fn change(name: &str, rows: [Option<&FlatRow>; 2], sides: [&Side; 2]) -> FunctionChange {
    let [before, after] = [0, 1].map(|side: usize| {
        let (row, runs) = (rows[side], sides[side].runs);
        let mean = |sum: f64| if runs == 0 { 0.0 } else { sum / runs as f64 };
        row.map_or((0.0, 0.0, 0.0), |row| {
            (
                mean(row.inclusive.calls as f64),
                mean(row.own.wall as f64),
                mean(row.inclusive.wall as f64),
            )
        })
    });
    // Self time is calls times the self time of a call. New calls of a function
    // that was not called before are new calls, not dearer ones.
    let own_of_call = if before.0 > 0.0 {
        before.1 / before.0
    } else if after.0 > 0.0 {
        after.1 / after.0
    } else {
        0.0
    };
    let spreads = sides.map(|side| side.spreads.get(name));
    let logarithms = match spreads {
        [Some(before), Some(after)] => logarithms(before, after),
        _ => None,
    };
    let called = |side: usize| {
        let spread = spreads[side].map_or(0, |spread| spread.runs);
        sides[side].has_spreads.then_some(spread)
    };
    FunctionChange {
        name: name.to_owned(),
        calls_before: before.0,
        calls_after: after.0,
        own_before: before.1,
        own_after: after.1,
        wall_before: before.2,
        wall_after: after.2,
        by_calls: (after.0 - before.0) * own_of_call,
        z: logarithms.map(|(change, error)| change / error),
        ln_change: logarithms.map(|(change, _)| change),
        called_before: called(0),
        called_after: called(1),
    }
}

/// The difference of the mean logarithms, and its standard error.
#[expect(clippy::cast_precision_loss, reason = "means")]
fn logarithms(before: &Spread, after: &Spread) -> Option<(f64, f64)> {
    if before.runs < MIN_CALLING_RUNS || after.runs < MIN_CALLING_RUNS {
        return None;
    }
    let mean = |spread: &Spread| spread.ln as f64 / LOG_STEPS / spread.runs as f64;
    let variance = |spread: &Spread| {
        let squares = spread.ln_squares as f64 / (LOG_STEPS * LOG_STEPS) / spread.runs as f64;
        (squares - mean(spread).powi(2)).max(0.0) / (spread.runs - 1) as f64
    };
    let error = (variance(before) + variance(after)).sqrt();
    (error > 0.0).then(|| (mean(after) - mean(before), error))
}
