//! Walks over the sums of a selection: those of hours, or those of runs if the
//! hours cannot tell them apart.
//!
//! **Invariant:** one cell or run is in memory at a time.

use std::collections::HashMap;
use std::sync::Arc;

use profile::Symbol;
use rusqlite::Connection;

use super::cells::{part as read_part, read_totals};
use super::conditions::{Conditions, hours};
use super::want::{Sums, Want};
use super::{SqliteStore, daily, dictionaries, runs};
use crate::prepare::{part, profile_of};
use crate::rollup::{Moments, OneSpread, Paths, SpanSums, Spreads, Totals, decode, decode_by};
use crate::{Basis, Result, Selection, TrendStep};

/// The most runs whose files are read for an answer; the latest are taken.
const MOST_RUNS: usize = 2000;

/// How exactly the time is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolution {
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

/// Where a part belongs to.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) app: String,
    pub(super) route: String,
    pub(super) release: String,
    /// The hour, or the first hour of the day.
    pub(super) hour: i64,
    /// The first and the last hour with runs.
    pub(super) hours: (i64, i64),
    pub(super) rate: f64,
    /// How often each of its runs counts, so that runs of different rates are
    /// mixed as the requests were: 1 for the highest rate of the selection.
    pub(super) weight: u64,
}

/// What was visited.
#[derive(Debug)]
pub(super) struct Visited {
    /// The names of the functions in the parts.
    pub(super) names: Arc<Vec<Symbol>>,
    pub(super) basis: Basis,
    pub(super) selected: u64,
    pub(super) requests: f64,
}

/// The requests that these runs stand for.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(super) fn requests(runs: u64, rate: f64) -> f64 {
    runs as f64 / rate.max(1e-9)
}

/// How often a run of that rate counts beside runs of the highest rate.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 1 and a million"
)]
pub(super) fn weight(highest: f64, rate: f64) -> u64 {
    (highest / rate.max(1e-9)).round().clamp(1.0, 1e6) as u64
}

/// The highest rate among the rows of a table.
fn highest_rate(connection: &Connection, table: &str, conditions: &Conditions) -> Result<f64> {
    let select = format!("SELECT max(rate) FROM {table}{}", conditions.sql());
    let rate = connection.query_row(&select, conditions.values(), |row| row.get(0));
    Ok(rate.map(|rate: Option<f64>| rate.unwrap_or(1.0))?)
}

/// Whether spreads can be told: hours have none, days and runs have.
pub(super) fn has_spreads(selection: &Selection) -> bool {
    const DAY_US: u64 = 86_400_000_000;
    let bounds = [selection.since_us, selection.until_us];
    !selection.is_of_hours() || bounds.into_iter().flatten().all(|us| us % DAY_US == 0)
}

/// Visits the parts of a selection. Spreads come with empty totals, of whole
/// days.
pub(super) fn visit(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    want: Want,
    step: Resolution,
    visitor: &mut dyn FnMut(&Place, &Totals, Sums),
) -> Result<Visited> {
    if selection.is_of_hours() && matches!(want, Want::Spreads | Want::Moments | Want::Spread(_)) {
        visit_days(store, connection, selection, want, visitor)
    } else if selection.is_of_hours() {
        visit_cells(store, connection, selection, want, step, visitor)
    } else {
        visit_runs(connection, selection, want, visitor)
    }
}

/// A row of `cell` or `daily`: the table, and its number.
type Found = (&'static str, i64);

/// Visits the totals of the cells of a selection.
pub(super) fn visit_totals(
    connection: &Connection,
    selection: &Selection,
    step: Resolution,
    visitor: &mut dyn FnMut(Found, &Place, Totals) -> Result<()>,
) -> Result<()> {
    let sources = sources(connection, selection, step)?;
    let mut highest: f64 = 0.0;
    for (table, conditions) in &sources {
        let table = format!("{table} AS cell");
        highest = highest.max(highest_rate(connection, &table, conditions)?);
    }
    let routes = routes(connection)?;
    let releases = releases(connection)?;
    let mut place = Place {
        app: String::new(),
        route: String::new(),
        release: String::new(),
        hour: 0,
        hours: (0, 0),
        rate: 1.0,
        weight: 1,
    };
    let mut last = (0, 0);
    for (table, conditions) in sources {
        let ends = match table {
            "cell" => "cell.hour, cell.hour",
            _ => "cell.first, cell.last",
        };
        let select = format!(
            "SELECT cell.number, cell.route, cell.release, cell.hour, cell.rate, {ends},
                cell.totals
             FROM {table} AS cell{}",
            conditions.sql()
        );
        let mut statement = connection.prepare_cached(&select)?;
        let mut rows = statement.query(conditions.values())?;
        while let Some(row) = rows.next()? {
            let ids: (i64, i64) = (row.get(1)?, row.get(2)?);
            if ids != last {
                if let Some((app, route)) = routes.get(&ids.0) {
                    place.app.clone_from(app);
                    place.route.clone_from(route);
                }
                place.release = releases.get(&ids.1).cloned().unwrap_or_default();
                last = ids;
            }
            place.hour = row.get(3)?;
            place.rate = row.get(4)?;
            place.hours = (row.get(5)?, row.get(6)?);
            place.weight = weight(highest, place.rate);
            let totals = read_totals(row.get_ref(7)?.as_blob().unwrap_or_default())?;
            visitor((table, row.get(0)?), &place, totals)?;
        }
    }
    Ok(())
}

/// The tables that have the sums of a selection, and the conditions for each:
/// complete days if these are exact enough, and the hours between them.
fn sources(
    connection: &Connection,
    selection: &Selection,
    step: Resolution,
) -> Result<Vec<(&'static str, Conditions)>> {
    let (first, last) = hours(selection);
    let mut days = Vec::new();
    if step == Resolution::Day {
        days = daily::complete(connection)?;
        days.retain(|&day| day >= first && day.saturating_add(23) <= last);
    }
    let mut sources = Vec::new();
    if let (Some(&begin), Some(&end)) = (days.first(), days.last()) {
        let mut conditions = Conditions::of_cells(selection, (begin, end))?;
        conditions.add(
            "cell.hour IN (SELECT hour FROM summed WHERE is_complete)",
            [],
        );
        sources.push(("daily", conditions));
    }
    let mut from = first;
    for day in days {
        if from < day {
            let hours = Conditions::of_cells(selection, (from, day - 1))?;
            sources.push(("cell", hours));
        }
        from = day + 24;
    }
    if from <= last {
        sources.push(("cell", Conditions::of_cells(selection, (from, last))?));
    }
    Ok(sources)
}

fn visit_cells(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    want: Want,
    step: Resolution,
    visitor: &mut dyn FnMut(&Place, &Totals, Sums),
) -> Result<Visited> {
    let names = store.names(connection)?;
    let numbers = want.numbers(&names);
    let (mut runs, mut sum) = (0, 0.0);
    let mut visit = |(table, number): Found, place: &Place, totals: Totals| {
        runs += totals.runs;
        sum += requests(totals.runs, place.rate);
        let name = if want == Want::Spans {
            "spans"
        } else {
            "paths"
        };
        let Some(bytes) = read_part(connection, table, name, number)? else {
            return Ok(());
        };
        let sums = if want == Want::Spans {
            Sums::Spans(decode::<SpanSums>(&bytes)?.times(place.weight))
        } else {
            want.of_paths(decode::<Paths>(&bytes)?.times(place.weight), &numbers)
        };
        visitor(place, &totals, sums);
        Ok(())
    };
    visit_totals(connection, selection, step, &mut visit)?;
    Ok(Visited {
        // Names that were added since the walk began may be in it.
        names: store.names(connection)?,
        basis: Basis::Hours,
        selected: runs,
        requests: sum,
    })
}

fn visit_days(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    want: Want,
    visitor: &mut dyn FnMut(&Place, &Totals, Sums),
) -> Result<Visited> {
    let names = store.names(connection)?;
    let number = want.numbers(&names).first().copied().flatten();
    let conditions = Conditions::of_days(selection)?;
    let highest = highest_rate(connection, "day AS cell", &conditions)?;
    let select = format!(
        "SELECT cell.route, cell.release, cell.day, cell.rate, cell.data FROM day AS cell{}",
        conditions.sql()
    );
    let routes = routes(connection)?;
    let releases = releases(connection)?;
    let mut statement = connection.prepare_cached(&select)?;
    let mut rows = statement.query(conditions.values())?;
    let nothing = Totals::default();
    while let Some(row) = rows.next()? {
        let (app, route) = routes.get(&row.get(0)?).cloned().unwrap_or_default();
        let rate = row.get(3)?;
        let hour = row.get::<_, i64>(2)? * 24;
        let place = Place {
            app,
            route,
            release: releases.get(&row.get(1)?).cloned().unwrap_or_default(),
            hour,
            hours: (hour, hour + 23),
            rate,
            weight: weight(highest, rate),
        };
        let bytes = row.get_ref(4)?.as_blob().unwrap_or_default();
        let spreads = match (want, number) {
            (Want::Spread(_), Some(number)) => {
                let spread = decode_by(bytes, OneSpread(number))?;
                Sums::Spread(spread.map(|spread| spread.times(place.weight)))
            }
            (Want::Spread(_), None) => Sums::Spread(None),
            (Want::Moments, _) => Sums::Spreads(decode_by(bytes, Moments)?.times(place.weight)),
            _ => Sums::Spreads(decode::<Spreads>(bytes)?.times(place.weight)),
        };
        visitor(&place, &nothing, spreads);
    }
    Ok(Visited {
        names: store.names(connection)?,
        basis: Basis::Hours,
        selected: 0,
        requests: 0.0,
    })
}

fn visit_runs(
    connection: &Connection,
    selection: &Selection,
    want: Want,
    visitor: &mut dyn FnMut(&Place, &Totals, Sums),
) -> Result<Visited> {
    let conditions = Conditions::of_runs(selection)?;
    let selected = runs::count(connection, &conditions)?;
    let mut names = vec![Symbol::new(*b"[unknown]")];
    let mut numbers: HashMap<Box<[u8]>, u32> = HashMap::new();
    let highest = highest_rate(connection, "run", &conditions)?;
    let mut sum = 0.0;
    for (number, info) in runs::infos(connection, &conditions, MOST_RUNS)? {
        let profile = profile_of(&dictionaries::file(connection, number)?)?;
        let Some(part) = part(profile, &info) else {
            continue;
        };
        sum += requests(1, info.rate);
        let symbols: Vec<u32> = part
            .symbols
            .iter()
            .map(|symbol| {
                *numbers.entry(symbol.name.clone()).or_insert_with(|| {
                    names.push(symbol.clone());
                    u32::try_from(names.len() - 1).unwrap_or(0)
                })
            })
            .collect();
        let hour = super::cells::hour_of(info.started_us);
        let place = Place {
            hour,
            hours: (hour, hour),
            rate: info.rate,
            weight: weight(highest, info.rate),
            app: info.app,
            route: info.route,
            release: info.release,
        };
        let numbers = want.numbers(&part.symbols).into_iter();
        let numbers: Vec<Option<u32>> = numbers
            .map(|number| symbols.get(number? as usize).copied())
            .collect();
        let weight = place.weight;
        let sums = match want {
            Want::Spans => Sums::Spans(part.spans.times(weight)),
            Want::Spreads | Want::Moments | Want::Spread(_) => {
                want.of_spreads(part.spreads.renamed(&symbols).times(weight), &numbers)
            }
            Want::Paths | Want::Functions(_) | Want::Calls(_) => {
                want.of_paths(part.paths.renamed(&symbols).times(weight), &numbers)
            }
        };
        visitor(&place, &part.totals, sums);
    }
    Ok(Visited {
        names: Arc::new(names),
        basis: Basis::Runs,
        selected,
        requests: sum,
    })
}

/// The names of all routes and their applications.
fn routes(connection: &Connection) -> Result<HashMap<i64, (String, String)>> {
    let mut statement = connection.prepare_cached(
        "SELECT route.id, app.name, route.name FROM route JOIN app ON app.id = route.app",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The names of all releases.
fn releases(connection: &Connection) -> Result<HashMap<i64, String>> {
    let mut statement = connection.prepare_cached("SELECT id, name FROM release")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
