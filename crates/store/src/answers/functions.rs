//! Sums of functions: from the calls, and their spreads from days or runs.

use std::collections::HashMap;

use super::calls::{self, Calls};
use super::source::{OneRun, Source, each_run, has_spreads};
use super::want::Want;
use crate::rollup::{FunctionSums, Spread, SpreadSums};
use crate::{Aggregate, FunctionSort, FunctionTotal, Result, Selection};
use profile::{FlatRow, FlatTable, Symbol};

/// The functions of a selection.
pub(crate) fn top(
    source: &dyn Source,
    selection: &Selection,
    sort: FunctionSort,
    limit: usize,
) -> Result<Vec<FunctionTotal>> {
    let (aggregate, spreads) = calls_and_spreads(source, selection, Want::Spreads)?;
    Ok(totals(&aggregate, &spreads, sort, limit))
}

/// The same without spreads.
pub(crate) fn top_costs(
    source: &dyn Source,
    selection: &Selection,
    sort: FunctionSort,
    limit: usize,
) -> Result<Vec<FunctionTotal>> {
    let aggregate = calls::tree(source, selection)?;
    Ok(totals(&aggregate, &HashMap::new(), sort, limit))
}

fn totals(
    aggregate: &Aggregate,
    spreads: &HashMap<String, Spread>,
    sort: FunctionSort,
    limit: usize,
) -> Vec<FunctionTotal> {
    let profile = &aggregate.profile;
    let mut rows = FlatTable::new(profile).rows;
    rows.sort_by_key(|row| {
        let value = match sort {
            FunctionSort::OwnWall => row.own.wall,
            FunctionSort::Wall => i64::try_from(row.inclusive.wall).unwrap_or(i64::MAX),
            FunctionSort::OwnCpu => row.own.cpu,
            FunctionSort::OwnMemory => row.own.memory,
            FunctionSort::Calls => i64::try_from(row.inclusive.calls).unwrap_or(i64::MAX),
        };
        (std::cmp::Reverse(value), row.symbol)
    });
    rows.truncate(limit);
    let total = |row: &FlatRow| {
        let name = text(profile.name(row.symbol));
        let spread = spreads.get(&name);
        total(name, &sums_of(row), spread)
    };
    rows.iter().map(total).collect()
}

fn sums_of(row: &FlatRow) -> FunctionSums {
    FunctionSums {
        calls: row.inclusive.calls,
        wall: row.inclusive.wall,
        cpu: row.inclusive.cpu,
        memory: row.inclusive.memory,
        own_wall: row.own.wall,
        own_cpu: row.own.cpu,
        own_memory: row.own.memory,
    }
}

/// The calls of a selection and the spreads of its functions by name. Spreads are with
/// their times or, as [`Want::Moments`], perhaps without; none if they cannot be told.
pub(super) fn calls_and_spreads(
    source: &dyn Source,
    selection: &Selection,
    want: Want<'_>,
) -> Result<(Aggregate, HashMap<String, Spread>)> {
    if selection.is_of_hours() {
        let aggregate = calls::tree(source, selection)?;
        return Ok((aggregate, spreads_of_hours(source, selection, want)?));
    }
    // Files of runs have both, and to read them is most of the work.
    let (mut calls, mut spreads) = (Calls::new(), SpreadSums::default());
    let visited = each_run(source, selection, &mut |run| {
        let OneRun {
            place,
            part,
            symbols,
        } = run;
        let weight = place.weight;
        let paths = part.paths.renamed(&symbols).times(weight);
        calls::add(&mut calls, &place, part.totals.runs, &paths);
        spreads.add(&part.spreads.renamed(&symbols).times(weight));
    })?;
    let spreads = named(spreads, &visited.names);
    Ok((calls::aggregate(calls, &visited), spreads))
}

fn spreads_of_hours(
    source: &dyn Source,
    selection: &Selection,
    want: Want<'_>,
) -> Result<HashMap<String, Spread>> {
    if !has_spreads(selection) {
        return Ok(HashMap::new());
    }
    let (sums, names) = source.spread_sums(selection, want)?;
    Ok(named(sums, &names))
}

fn named(sums: SpreadSums, names: &[Symbol]) -> HashMap<String, Spread> {
    let name = |number: u32| names.get(number as usize);
    sums.into_spreads()
        .filter_map(|(number, sum)| Some((text(&name(number)?.name), sum)))
        .collect()
}

/// A name as text: PHP's names need not be UTF-8.
pub(super) fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

pub(super) fn total(name: String, sums: &FunctionSums, spread: Option<&Spread>) -> FunctionTotal {
    let quantile = |q| spread.map(|spread| spread.walls.quantile(q));
    FunctionTotal {
        name,
        runs: spread.map(|spread| spread.runs),
        calls: sums.calls,
        wall: sums.wall,
        cpu: sums.cpu,
        memory: sums.memory,
        own_wall: sums.own_wall,
        own_cpu: sums.own_cpu,
        own_memory: sums.own_memory,
        p50: quantile(0.50),
        p95: quantile(0.95),
        p99: quantile(0.99),
    }
}
