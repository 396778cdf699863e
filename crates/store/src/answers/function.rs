//! One function: over time, on which routes, by whom it is called.
//!
//! One walk over the calls and one over the spreads answer all of it: reading
//! the sums is what takes the time.

use std::collections::BTreeMap;

use super::functions::{text, total};
use super::source::{Place, Resolution, Source, has_spreads, requests_of, visit};
use super::want::{PartSums, Want};
use crate::rollup::{Around, FunctionSums, Paths, Shape, Sign, Spread, Totals};
use crate::{FunctionDetail, FunctionRoute, Neighbour, Result, Selection, TrendPoint, TrendStep};
use profile::{Neighbours, Profile, Symbol, SymbolId};

/// The most callers and callees of an answer.
const NEIGHBOURS: usize = 100;

/// A part of a trend or a route: its runs, and the sums of the function if they
/// called it.
#[derive(Default)]
struct StepSums {
    runs: u64,
    requests: f64,
    sums: Option<FunctionSums>,
}

impl StepSums {
    fn add(&mut self, place: &Place, totals: &Totals, sums: Option<&FunctionSums>) {
        self.runs += totals.runs;
        self.requests += requests_of(totals.runs, place.rate);
        if let Some(sums) = sums {
            self.sums.get_or_insert_default().add(sums);
        }
    }
}

/// The parts of a trend, by their first hour and their release.
type Steps<T> = BTreeMap<(i64, String), T>;

fn key(step: TrendStep, place: &Place) -> (i64, String) {
    (step.first_hour(place.hour), place.release.clone())
}

/// How a function changed over time.
pub(crate) fn function_trend(
    source: &dyn Source,
    selection: &Selection,
    name: &str,
    step: TrendStep,
) -> Result<Vec<TrendPoint>> {
    let names = [name.to_owned()];
    let mut steps: Steps<StepSums> = Steps::new();
    let mut add = |place: &Place, totals: &Totals, part| {
        if let PartSums::Functions(functions) = part {
            let sums = functions.first().and_then(Option::as_ref);
            let step = steps.entry(key(step, place)).or_default();
            step.add(place, totals, sums);
        }
    };
    let want = Want::Functions(&names);
    visit(source, selection, want, step.into(), &mut add)?;
    let spreads = match step {
        TrendStep::Hour if selection.is_of_hours() => Steps::new(),
        _ => spreads(source, selection, name, step)?,
    };
    Ok(points(steps, &spreads))
}

/// The points of a trend: the steps whose runs called the function.
fn points(steps: Steps<StepSums>, spreads: &Steps<Spread>) -> Vec<TrendPoint> {
    let points = steps.into_iter().filter_map(|((hour, release), part)| {
        let sums = part.sums?;
        let spread = spreads.get(&(hour, release.clone()));
        let quantile = |q| spread.map(|spread| spread.walls.quantile(q));
        Some(TrendPoint {
            time_s: hour * 3600,
            release,
            runs: part.runs,
            called: spread.map(|spread| spread.runs),
            requests: part.requests,
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
        })
    });
    points.collect()
}

/// The spreads of a function by step and release.
fn spreads(
    source: &dyn Source,
    selection: &Selection,
    name: &str,
    step: TrendStep,
) -> Result<Steps<Spread>> {
    let mut steps: Steps<Spread> = Steps::new();
    if !has_spreads(selection) {
        return Ok(steps);
    }
    let mut add = |place: &Place, _: &_, part| {
        if let PartSums::Spread(Some(more)) = part {
            let sum = steps.entry(key(step, place)).or_default();
            sum.merge(&more, Sign::Plus);
        }
    };
    let want = Want::Spread(name);
    visit(source, selection, want, Resolution::Day, &mut add)?;
    Ok(steps)
}

/// Callers and callees by the kind of calls, with the number of runs: trees, edges and samples do not add up.
type Calls = BTreeMap<Shape, (u64, Paths)>;

fn add_calls(calls: &mut Calls, of_runs: u64, around: &Around) {
    let new = || (0, Paths::new(around.edges.shape()));
    let (runs, sum) = calls.entry(around.shape).or_insert_with(new);
    *runs += of_runs;
    sum.merge(&around.edges, Sign::Plus);
}

/// A function: its sums, days, routes, callers and callees.
pub(crate) fn function(
    source: &dyn Source,
    selection: &Selection,
    name: &str,
) -> Result<Option<FunctionDetail>> {
    let mut by_route: BTreeMap<(String, String), StepSums> = BTreeMap::new();
    let mut days: Steps<StepSums> = Steps::new();
    let mut calls = Calls::new();
    let mut add = |place: &Place, totals: &Totals, part| {
        let sums = match part {
            PartSums::Around(runs, around) => return add_calls(&mut calls, runs, &around),
            PartSums::Functions(sums) => sums.into_iter().next().flatten(),
            PartSums::Calls(found) => found.map(|around| {
                add_calls(&mut calls, totals.runs, &around);
                around.sums
            }),
            _ => return,
        };
        let route = (place.app.clone(), place.route.clone());
        let route = by_route.entry(route).or_default();
        route.add(place, totals, sums.as_ref());
        let day = days.entry(key(TrendStep::Day, place)).or_default();
        day.add(place, totals, sums.as_ref());
    };
    let want = Want::Calls(name);
    let visited = visit(source, selection, want, Resolution::Day, &mut add)?;
    let mut sum = FunctionSums::default();
    let mut routes = Vec::new();
    for ((app, route), part) in by_route {
        let Some(sums) = part.sums else {
            continue;
        };
        sum.add(&sums);
        routes.push(FunctionRoute {
            app,
            route,
            route_runs: part.runs,
            total: total(name.to_owned(), &sums, None),
        });
    }
    let most = calls.into_values().max_by_key(|(runs, _)| *runs);
    let Some((_, calls)) = most else {
        return Ok(None);
    };
    routes.sort_by_key(|route| std::cmp::Reverse(route.total.own_wall));
    let (callers, callees) = neighbours(&calls.to_profile(&visited.names), name);
    let spreads = spreads(source, selection, name, TrendStep::Day)?;
    let mut spread = Spread::default();
    for of_day in spreads.values() {
        spread.merge(of_day, Sign::Plus);
    }
    let spread = (!spreads.is_empty()).then_some(&spread);
    Ok(Some(FunctionDetail {
        total: total(name.to_owned(), &sum, spread),
        days: points(days, &spreads),
        routes,
        callers,
        callees,
    }))
}

/// Callers and callees.
fn neighbours(profile: &Profile, name: &str) -> (Vec<Neighbour>, Vec<Neighbour>) {
    let is_it = |symbol: &Symbol| text(&symbol.name) == name;
    let Some(symbol) = profile.symbols.iter().position(is_it) else {
        return (Vec::new(), Vec::new());
    };
    let symbol = SymbolId(u32::try_from(symbol).unwrap_or(0));
    let found = Neighbours::new(&profile.edges(), symbol);
    (
        named(profile, &found.callers),
        named(profile, &found.callees),
    )
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
