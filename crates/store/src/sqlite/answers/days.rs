//! Small trends of many routes or functions at once: one walk over the sums.

use std::collections::{BTreeMap, HashMap};

use profile::Symbol;
use rusqlite::Connection;

use super::super::SqliteStore;
use super::super::visit::{Place, Resolution, Sums, Want, visit};
use super::functions::text;
use super::requests::sums;
use crate::rollup::Totals;
use crate::{DaySums, FunctionDays, Result, RouteDays, Selection, TrendStep};

fn day_of(hour: i64) -> i64 {
    TrendStep::Day.first_hour(hour) * 3600
}

/// The days of each route.
pub(in super::super) fn route_days(
    connection: &Connection,
    selection: &Selection,
) -> Result<Vec<RouteDays>> {
    let sums = sums(connection, selection, Resolution::Day, |place| {
        (place.app.clone(), place.route.clone(), day_of(place.hour))
    })?;
    let mut routes: Vec<RouteDays> = Vec::new();
    for ((app, route, day_s), sum) in sums {
        let day = DaySums {
            day_s,
            runs: sum.totals.runs,
            calls: sum.totals.calls,
            wall: i64::try_from(sum.totals.wall).unwrap_or(i64::MAX),
        };
        match routes.last_mut() {
            Some(last) if last.app == app && last.route == route => last.days.push(day),
            _ => routes.push(RouteDays {
                app,
                route,
                days: vec![day],
            }),
        }
    }
    Ok(routes)
}

/// The days of some functions.
pub(in super::super) fn function_days(
    store: &SqliteStore,
    connection: &Connection,
    selection: &Selection,
    names: &[String],
) -> Result<Vec<FunctionDays>> {
    // Names of hours are known before the visit, those of runs only after it.
    let known: Option<Vec<u32>> = if selection.is_of_hours() {
        Some(
            numbers(&store.names(connection)?, names)
                .into_values()
                .collect(),
        )
    } else {
        None
    };
    let mut runs: BTreeMap<i64, u64> = BTreeMap::new();
    let mut days: HashMap<(u32, i64), DaySums> = HashMap::new();
    let mut add = |place: &Place, totals: &Totals, part| {
        let Sums::Paths(paths) = part else {
            return;
        };
        let day_s = day_of(place.hour);
        *runs.entry(day_s).or_default() += totals.runs * place.weight;
        let distinct;
        let functions = match &known {
            Some(known) => known,
            None => {
                distinct = paths.distinct_names();
                &distinct
            }
        };
        for number in functions {
            if let Some(more) = paths.function(*number) {
                let day = days.entry((*number, day_s)).or_default();
                day.calls = day.calls.saturating_add(more.calls);
                day.wall = day.wall.saturating_add(more.own_wall);
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
    let numbers = numbers(&visited.names, names);
    let of = |name: &String| {
        let number = numbers.get(name);
        let days = runs.iter().map(|(&day_s, &runs)| {
            let sums = number.and_then(|number| days.get(&(*number, day_s)));
            DaySums {
                day_s,
                runs,
                ..sums.copied().unwrap_or_default()
            }
        });
        FunctionDays {
            name: name.clone(),
            days: days.collect(),
        }
    };
    Ok(names.iter().map(of).collect())
}

/// The numbers of those names that are known.
fn numbers(known: &[Symbol], names: &[String]) -> HashMap<String, u32> {
    let named = known
        .iter()
        .zip(0..)
        .map(|(symbol, number)| (text(&symbol.name), number));
    named.filter(|(name, _)| names.contains(name)).collect()
}
