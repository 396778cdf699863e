//! Sums of functions: from the calls, and their spreads from days or runs.

use std::collections::{BTreeMap, HashMap};

use profile::{FlatRow, FlatTable, Neighbours, Profile, Symbol, SymbolId};
use rusqlite::Connection;

use super::super::SqliteStore;
use super::super::visit::{Resolution, Sums, Want, has_spreads, requests, visit};
use super::calls;
use crate::rollup::{FunctionSums, Sign, Spread};
use crate::{
    FunctionDetail, FunctionRoute, FunctionSort, FunctionTotal, Neighbour, Result, Selection,
    TrendPoint, TrendStep,
};

/// The most callers and callees of an answer.
const NEIGHBOURS: usize = 100;

/// The most routes of which the calls are read for callers and callees.
const ROUTES: usize = 500;

/// The functions of a selection.
pub(in super::super) fn top(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    sort: FunctionSort,
    limit: usize,
) -> Result<Vec<FunctionTotal>> {
    let profile = calls::tree(store, connection, selection)?.profile;
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
    let spreads = spreads(store, connection, selection)?;
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

/// The spreads of all functions, by name; nothing if they cannot be told.
pub(super) fn spreads(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
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
    let visited = visit(
        store,
        connection,
        selection,
        Want::Spreads,
        Resolution::Day,
        &mut add,
    )?;
    let name = |number: u32| visited.names.get(number as usize);
    let sums = sums.into_iter();
    Ok(sums
        .filter_map(|(number, spread)| Some((text(&name(number)?.name), spread)))
        .collect())
}

/// A step of a trend: the runs and requests, and the sums by function.
#[derive(Default)]
struct Step {
    runs: u64,
    requests: f64,
    /// More than one function if the names are known after the visit only.
    functions: HashMap<u32, FunctionSums>,
}

/// How a function changed over time.
pub(in super::super) fn function_trend(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    name: &str,
    step: TrendStep,
) -> Result<Vec<TrendPoint>> {
    let mut steps: BTreeMap<(i64, String), Step> = BTreeMap::new();
    // Names of hours are known before the visit, those of runs only after it.
    let known = known_number(store, connection, selection, name)?;
    let mut add = |place: &super::super::visit::Place, totals: &crate::rollup::Totals, part| {
        let Sums::Paths(paths) = part else {
            return;
        };
        let key = (step.first_hour(place.hour), place.release.clone());
        let sums = steps.entry(key).or_default();
        sums.runs += totals.runs;
        sums.requests += requests(totals.runs, place.rate);
        let functions: Vec<u32> = match known {
            Some(number) => vec![number],
            None => paths.distinct_names(),
        };
        for number in functions {
            if let Some(more) = paths.function(number) {
                sums.functions.entry(number).or_default().add(&more);
            }
        }
    };
    let visited = visit(
        store,
        connection,
        selection,
        Want::Paths,
        step.into(),
        &mut add,
    )?;
    let Some(number) = number_of(&visited.names, name) else {
        return Ok(Vec::new());
    };
    let spreads = match step {
        TrendStep::Hour if selection.is_of_hours() => BTreeMap::new(),
        _ => spread_trend(store, connection, selection, name, step)?,
    };
    let points = steps.into_iter().filter_map(|((hour, release), sums)| {
        let own = sums.functions.get(&number)?;
        let spread = spreads.get(&(hour, release.clone()));
        let quantile = |q| spread.map(|spread| spread.walls.quantile(q));
        Some(TrendPoint {
            time_s: hour * 3600,
            release,
            runs: sums.runs,
            called: spread.map(|spread| spread.runs),
            requests: sums.requests,
            calls: own.calls,
            wall: own.wall,
            cpu: own.cpu,
            memory: own.memory,
            own_wall: own.own_wall,
            own_cpu: own.own_cpu,
            own_memory: own.own_memory,
            p50: quantile(0.50),
            p95: quantile(0.95),
            p99: quantile(0.99),
        })
    });
    Ok(points.collect())
}

/// The spreads of a function by step and release.
fn spread_trend(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    name: &str,
    step: TrendStep,
) -> Result<BTreeMap<(i64, String), Spread>> {
    if !has_spreads(selection) {
        return Ok(BTreeMap::new());
    }
    let known = known_number(store, connection, selection, name)?;
    let mut sums: BTreeMap<(i64, String), HashMap<u32, Spread>> = BTreeMap::new();
    let mut add = |place: &super::super::visit::Place, _: &_, part| {
        let Sums::Spreads(mut spreads) = part else {
            return;
        };
        let key = (step.first_hour(place.hour), place.release.clone());
        if let Some(number) = known {
            let only = spreads.rows.remove(&number);
            spreads.rows = only.map(|spread| (number, spread)).into_iter().collect();
        }
        for (number, more) in spreads.rows {
            let functions = sums.entry(key.clone()).or_default();
            functions
                .entry(number)
                .or_default()
                .merge(&more, Sign::Plus);
        }
    };
    let visited = visit(
        store,
        connection,
        selection,
        Want::Spreads,
        Resolution::Day,
        &mut add,
    )?;
    let Some(number) = number_of(&visited.names, name) else {
        return Ok(BTreeMap::new());
    };
    let sums = sums.into_iter();
    Ok(sums
        .filter_map(|(key, mut functions)| Some((key, functions.remove(&number)?)))
        .collect())
}

/// A function: its sums, routes, callers and callees.
pub(in super::super) fn function(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    name: &str,
) -> Result<Option<FunctionDetail>> {
    let known = known_number(store, connection, selection, name)?;
    if known.is_none() && selection.is_of_hours() {
        return Ok(None);
    }
    let mut by_route: BTreeMap<(String, String), Step> = BTreeMap::new();
    let mut add = |place: &super::super::visit::Place, totals: &crate::rollup::Totals, part| {
        let Sums::Paths(paths) = part else {
            return;
        };
        let key = (place.app.clone(), place.route.clone());
        let route = by_route.entry(key).or_default();
        route.runs += totals.runs;
        let functions = match known {
            Some(number) => vec![number],
            None => paths.distinct_names(),
        };
        for number in functions {
            if let Some(more) = paths.function(number) {
                route.functions.entry(number).or_default().add(&more);
            }
        }
    };
    let visited = visit(
        store,
        connection,
        selection,
        Want::Paths,
        Resolution::Day,
        &mut add,
    )?;
    let Some(number) = number_of(&visited.names, name) else {
        return Ok(None);
    };
    let mut sum = FunctionSums::default();
    let mut routes = Vec::new();
    for ((app, route), step) in by_route {
        let Some(sums) = step.functions.get(&number) else {
            continue;
        };
        sum.add(sums);
        routes.push(FunctionRoute {
            app,
            route,
            route_runs: step.runs,
            total: total(name.to_owned(), sums, None),
        });
    }
    if routes.is_empty() {
        return Ok(None);
    }
    routes.sort_by_key(|route| std::cmp::Reverse(route.total.own_wall));
    let (callers, callees) = neighbours(store, connection, selection, &routes, name)?;
    let spreads = spreads(store, connection, selection)?;
    Ok(Some(FunctionDetail {
        total: total(name.to_owned(), &sum, spreads.get(name)),
        routes,
        callers,
        callees,
    }))
}

/// Callers and callees, from the calls of the routes that have the function.
fn neighbours(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    routes: &[FunctionRoute],
    name: &str,
) -> Result<(Vec<Neighbour>, Vec<Neighbour>)> {
    let mut selection = selection.clone();
    if routes.len() <= ROUTES {
        selection.routes = routes.iter().map(|route| route.route.clone()).collect();
    }
    let profile = calls::tree(store, connection, &selection)?.profile;
    let is_it = |symbol: &Symbol| text(&symbol.name) == name;
    let Some(symbol) = profile.symbols.iter().position(is_it) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let symbol = SymbolId(u32::try_from(symbol).unwrap_or(0));
    let found = Neighbours::new(&profile.edges(), symbol);
    Ok((
        named(&profile, &found.callers),
        named(&profile, &found.callees),
    ))
}

fn named(profile: &Profile, rows: &[profile::Neighbour]) -> Vec<Neighbour> {
    let mut rows: Vec<Neighbour> = rows
        .iter()
        .map(|row| Neighbour {
            name: text(profile.name(row.symbol)),
            calls: row.cost.calls,
            wall: row.cost.wall,
            cpu: row.cost.cpu,
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.wall));
    rows.truncate(NEIGHBOURS);
    rows
}

/// A function's number in the hours; none for a selection of runs.
fn known_number(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    name: &str,
) -> Result<Option<u32>> {
    if !selection.is_of_hours() {
        return Ok(None);
    }
    Ok(number_of(&store.names(connection)?, name))
}

/// The number of a name in a visit's names.
fn number_of(names: &[Symbol], name: &str) -> Option<u32> {
    let is_it = |symbol: &Symbol| text(&symbol.name) == name;
    u32::try_from(names.iter().position(is_it)?).ok()
}

/// A name as text: PHP's names need not be UTF-8.
pub(super) fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

fn total(name: String, sums: &FunctionSums, spread: Option<&Spread>) -> FunctionTotal {
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
