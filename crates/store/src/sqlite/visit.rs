//! Walks over the sums of a selection.
//!
//! **Invariant:** one run, [`MAX_UNPACKED`] cells, or those of [`ENOUGH_BYTES`] are in memory at a time.

use std::collections::HashMap;
use std::sync::Arc;

use profile::Symbol;
use rayon::prelude::*;
use rusqlite::Connection;

use super::cells::{part as read_part, read_totals};
use super::conditions::{Conditions, hours};
use super::{SqliteStore, daily, dictionaries, runs};
use crate::answers::{
    Chosen, EachFile, Grouping, PartSums, Place, Resolution, Source, Visited, Want, requests_of,
    weight,
};
use crate::rollup::{
    Moments, OneSpread, Paths, SpanSums, SpreadSums, Spreads, SqlCalls, Totals, decode, decode_by,
};
use crate::{Basis, Result, RunInfo, Selection, cancel};

/// The database as one read transaction has it.
pub(super) struct Reader<'a> {
    pub(super) store: &'a SqliteStore,
    pub(super) connection: &'a Connection,
}

impl Source for Reader<'_> {
    fn totals(
        &self,
        selection: &Selection,
        grouping: Grouping,
        visitor: &mut dyn FnMut(&Place, &Totals),
    ) -> Result<()> {
        let step = grouping.step.into();
        let part = Beside::Nothing;
        visit_totals(
            self.connection,
            selection,
            step,
            part,
            &mut |_, place, totals, _| {
                visitor(place, &totals);
                Ok(())
            },
        )
    }

    fn totals_with_sql(
        &self,
        selection: &Selection,
        grouping: Grouping,
        visitor: &mut dyn FnMut(&Place, &Totals, u64),
    ) -> Result<()> {
        let step = grouping.step.into();
        let part = Beside::Spans;
        visit_totals(
            self.connection,
            selection,
            step,
            part,
            &mut |_, place, totals, spans| {
                let statements = spans.map_or(Ok(0), |bytes| decode_by(bytes, SqlCalls))?;
                visitor(place, &totals, statements.saturating_mul(place.weight));
                Ok(())
            },
        )
    }

    fn cells(
        &self,
        selection: &Selection,
        want: Want<'_>,
        step: Resolution,
        visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
    ) -> Result<Visited> {
        visit_cells(self.store, self.connection, selection, want, step, visitor)
    }

    fn days(
        &self,
        selection: &Selection,
        want: Want<'_>,
        visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
    ) -> Result<Visited> {
        visit_days(self.store, self.connection, selection, want, visitor)
    }

    fn spread_sums(
        &self,
        selection: &Selection,
        want: Want<'_>,
    ) -> Result<(SpreadSums, Arc<Vec<Symbol>>)> {
        let names = self.store.names(self.connection)?;
        let numbers: Vec<u32> = (0..).take(names.len()).collect();
        let mut sums = SpreadSums::default();
        visit_packed_days(self.connection, selection, &mut |place, bytes| {
            sums.add_encoded(bytes, &numbers, place.weight, want == Want::Spreads)
        })?;
        Ok((sums, names))
    }

    fn infos(&self, selection: &Selection, most: usize) -> Result<Vec<RunInfo>> {
        let conditions = Conditions::of_runs(selection)?;
        let infos = runs::infos(self.connection, &conditions, most)?;
        Ok(infos.into_iter().map(|(_, info)| info).collect())
    }

    fn files(&self, selection: &Selection, most: usize, each: &mut EachFile<'_>) -> Result<Chosen> {
        let conditions = Conditions::of_runs(selection)?;
        let chosen = Chosen {
            runs: runs::count(self.connection, &conditions)?,
            highest_rate: highest_rate(self.connection, "run", &conditions)?,
        };
        for (number, info) in runs::infos(self.connection, &conditions, most)? {
            cancel::check()?;
            each(&chosen, info, &dictionaries::file(self.connection, number)?)?;
        }
        Ok(chosen)
    }
}

/// The highest rate among the rows of a table.
fn highest_rate(connection: &Connection, table: &str, conditions: &Conditions) -> Result<f64> {
    let select = format!("SELECT max(rate) FROM {table}{}", conditions.sql());
    let rate = connection.query_row(&select, conditions.values(), |row| row.get(0));
    Ok(rate.map(|rate: Option<f64>| rate.unwrap_or(1.0))?)
}

/// A row of `cell` or `daily`: the table, and its number.
type Found = (&'static str, i64);

/// What is read with the totals of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    Nothing,
    Spans,
}

/// Takes the totals of a cell, and its spans, packed, if they are read and there are some.
type EachTotals<'a> = dyn FnMut(Found, &Place, Totals, Option<&[u8]>) -> Result<()> + 'a;

/// Visits the totals of the cells of a selection.
fn visit_totals(
    connection: &Connection,
    selection: &Selection,
    step: Resolution,
    beside: Beside,
    visitor: &mut EachTotals<'_>,
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
        let spans = match beside {
            Beside::Nothing => "NULL".to_owned(),
            Beside::Spans => {
                format!("(SELECT data FROM {table}_spans AS part WHERE part.cell = cell.number)")
            }
        };
        let select = format!(
            "SELECT cell.number, cell.route, cell.release, cell.hour, cell.rate, {ends},
                cell.totals, {spans}
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
            cancel::check()?;
            let spans = row.get_ref(8)?.as_blob_or_null();
            visitor((table, row.get(0)?), &place, totals, spans.ok().flatten())?;
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

/// The most cells of more than [`ENOUGH_BYTES`] that are unpacked at once: one by each processor.
const MAX_UNPACKED: usize = 16;

/// Smaller parts wait until there are so many bytes of them: to unpack one of spans, some 200 bytes, takes
/// less than to wake another thread for it.
const ENOUGH_BYTES: usize = 64 << 10;

/// A cell, with the bytes of its part.
type PackedCell = (Place, Totals, Vec<u8>);

fn visit_cells(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    want: Want<'_>,
    step: Resolution,
    visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
) -> Result<Visited> {
    let names = store.names(connection)?;
    let numbers = want.numbers(&names);
    let (mut runs, mut sum) = (0, 0.0);
    let name = if want == Want::Spans {
        "spans"
    } else {
        "paths"
    };
    let at_once = rayon::current_num_threads().min(MAX_UNPACKED);
    let mut packed: Vec<PackedCell> = Vec::with_capacity(at_once);
    let mut size = 0;
    let mut unpack = |packed: &mut Vec<PackedCell>| -> Result<()> {
        let sums = packed.par_iter().map(|(place, _, bytes)| {
            Ok(if want == Want::Spans {
                PartSums::Spans(decode::<SpanSums>(bytes)?.times(place.weight))
            } else {
                want.of_paths(decode::<Paths>(bytes)?.times(place.weight), &numbers)
            })
        });
        let sums: Vec<Result<PartSums>> = sums.collect();
        for ((place, totals, _), sums) in packed.drain(..).zip(sums) {
            visitor(&place, &totals, sums?);
        }
        Ok(())
    };
    let mut visit = |(table, number): Found, place: &Place, totals: Totals, _: Option<&[u8]>| {
        runs += totals.runs;
        sum += requests_of(totals.runs, place.rate);
        if let Some(bytes) = read_part(connection, table, name, number)? {
            size += bytes.len();
            packed.push((place.clone(), totals, bytes));
        }
        if packed.len() >= at_once && size >= ENOUGH_BYTES {
            size = 0;
            unpack(&mut packed)?;
        }
        Ok(())
    };
    visit_totals(connection, selection, step, Beside::Nothing, &mut visit)?;
    unpack(&mut packed)?;
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
    want: Want<'_>,
    visitor: &mut dyn FnMut(&Place, &Totals, PartSums),
) -> Result<Visited> {
    let names = store.names(connection)?;
    let number = want.numbers(&names).first().copied().flatten();
    let nothing = Totals::default();
    visit_packed_days(connection, selection, &mut |place, bytes| {
        let spreads = match (want, number) {
            (Want::Spread(_), Some(number)) => {
                let spread = decode_by(bytes, OneSpread(number))?;
                PartSums::Spread(spread.map(|spread| spread.times(place.weight)))
            }
            (Want::Spread(_), None) => PartSums::Spread(None),
            (Want::Moments, _) => PartSums::Spreads(decode_by(bytes, Moments)?.times(place.weight)),
            _ => PartSums::Spreads(decode::<Spreads>(bytes)?.times(place.weight)),
        };
        visitor(place, &nothing, spreads);
        Ok(())
    })?;
    Ok(Visited {
        names: store.names(connection)?,
        basis: Basis::Hours,
        selected: 0,
        requests: 0.0,
    })
}

/// Visits the spreads of the days of a selection, as they are stored.
fn visit_packed_days(
    connection: &Connection,
    selection: &Selection,
    visitor: &mut dyn FnMut(&Place, &[u8]) -> Result<()>,
) -> Result<()> {
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
    while let Some(row) = rows.next()? {
        cancel::check()?;
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
        visitor(&place, row.get_ref(4)?.as_blob().unwrap_or_default())?;
    }
    Ok(())
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
