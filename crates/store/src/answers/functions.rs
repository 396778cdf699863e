//! Sums of functions: from the calls, and their spreads from days or runs.

use std::collections::HashMap;

use super::calls;
use super::source::{Resolution, Source, has_spreads, visit};
use super::want::{Sums, Want};
use crate::rollup::{FunctionSums, Sign, Spread};
use crate::{FunctionSort, FunctionTotal, Result, Selection};
use profile::{FlatRow, FlatTable};

/// The functions of a selection.
pub(crate) fn top(
    source: &dyn Source,
    selection: &Selection,
    sort: FunctionSort,
    limit: usize,
) -> Result<Vec<FunctionTotal>> {
    let profile = calls::tree(source, selection)?.profile;
    let mut rows = FlatTable::new(&profile).rows;
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
    let spreads = spreads(source, selection, Want::Spreads)?;
    let total = |row: &FlatRow| {
        let name = text(profile.name(row.symbol));
        let spread = spreads.get(&name);
        total(name, &sums_of(row), spread)
    };
    Ok(rows.iter().map(total).collect())
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

/// The spreads of all functions, by name, with their times or, as
/// [`Want::Moments`], perhaps without; nothing if they cannot be told.
pub(super) fn spreads(
    source: &dyn Source,
    selection: &Selection,
    want: Want<'_>,
) -> Result<HashMap<String, Spread>> {
    if !has_spreads(selection) {
        return Ok(HashMap::new());
    }
    let mut sums: HashMap<u32, Spread> = HashMap::new();
    let mut add = |_: &_, _: &_, part| {
        if let Sums::Spreads(spreads) = part {
            for (name, more) in spreads.rows {
                sums.entry(name).or_default().merge(&more, Sign::Plus);
            }
        }
    };
    let visited = visit(source, selection, want, Resolution::Day, &mut add)?;
    let name = |number: u32| visited.names.get(number as usize);
    let sums = sums.into_iter();
    Ok(sums
        .filter_map(|(number, spread)| Some((text(&name(number)?.name), spread)))
        .collect())
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
