//! Small trends of many routes or functions at once: one walk over the sums.

use std::collections::{BTreeMap, HashMap};

use super::requests::costs;
use super::source::{Grouping, Place, Resolution, Source, visit};
use super::want::{PartSums, Want};
use crate::rollup::Totals;
use crate::{DaySums, FunctionDays, Result, RouteDays, Selection, TrendStep};

fn day_of(hour: i64) -> i64 {
    TrendStep::Day.first_hour(hour) * 3600
}

/// The days of each route.
pub(crate) fn route_days(source: &dyn Source, selection: &Selection) -> Result<Vec<RouteDays>> {
    let grouping = Grouping {
        app: true,
        route: true,
        release: false,
        step: TrendStep::Day,
    };
    let sums = costs(source, selection, grouping, |place| {
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
pub(crate) fn function_days(
    source: &dyn Source,
    selection: &Selection,
    names: &[String],
) -> Result<Vec<FunctionDays>> {
    let mut runs: BTreeMap<i64, u64> = BTreeMap::new();
    let mut days: HashMap<(usize, i64), DaySums> = HashMap::new();
    let mut add = |place: &Place, totals: &Totals, part| {
        let PartSums::Functions(functions) = part else {
            return;
        };
        let day_s = day_of(place.hour);
        *runs.entry(day_s).or_default() += totals.runs * place.weight;
        for (index, sums) in functions.into_iter().enumerate() {
            if let Some(more) = sums {
                let day = days.entry((index, day_s)).or_default();
                day.calls = day.calls.saturating_add(more.calls);
                day.wall = day.wall.saturating_add(more.own_wall);
            }
        }
    };
    let want = Want::Functions(names);
    visit(source, selection, want, Resolution::Day, &mut add)?;
    let of = |(index, name): (usize, &String)| {
        let days = runs.iter().map(|(&day_s, &runs)| {
            let sums = days.get(&(index, day_s));
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
    Ok(names.iter().enumerate().map(of).collect())
}
