//! The runs of each route that a policy keeps longer: the slowest ones, and the latest
//! failed ones.
//!
//! **Invariant:** what is kept of a day is used only with the counts that it was found
//! with, which change with the day's rows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;

use super::counts::Day;
use super::literal::text;
use super::rows::RowReader;
use super::{Inner, slices};
use crate::{Result, RunId};

/// How many rows ClickHouse sorts at a time.
const ROWS: u64 = 1_000_000;

/// How many runs of days are remembered, of all applications: 70 MB.
const MAX_REMEMBERED_RUNS: usize = 1_000_000;

/// A notable run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Notable {
    pub(super) size: u64,
    pub(super) stored: u64,
    pub(super) has_label: bool,
}

/// A run that is notable in its day. It is so in all days if no route has more.
#[derive(Debug, Clone, Copy)]
struct Top {
    route: u64,
    /// What it is notable for.
    value: u64,
    id: RunId,
    run: Notable,
}

/// The slowest runs of a day, and the failed ones.
type Tops = Arc<[Vec<Top>; 2]>;

/// Of an application and a day: the counts, how many of each route, and the runs.
type ByDay = HashMap<(String, u32), (Arc<Day>, u32, Tops)>;

/// What was found of days.
#[derive(Debug, Default)]
pub(super) struct NotableCache(Mutex<ByDay>);

impl Inner {
    /// The notable runs of an application, by day.
    pub(super) fn notable(
        &self,
        app: &str,
        most: u32,
        days: &[(u32, Arc<Day>)],
    ) -> Result<BTreeMap<u32, BTreeMap<RunId, Notable>>> {
        let mut notable: BTreeMap<u32, BTreeMap<RunId, Notable>> = BTreeMap::new();
        if most == 0 {
            return Ok(notable);
        }
        let there: HashSet<u32> = days.iter().map(|(day, _)| *day).collect();
        self.notable
            .0
            .lock()
            .retain(|(_, day), _| there.contains(day));
        let mut best: [HashMap<u64, Vec<(u32, Top)>>; 2] = Default::default();
        for (day, sums) in days {
            if sums.apps.get(app).is_none_or(|of_app| of_app.runs == 0) {
                continue;
            }
            let tops = self.tops(app, most, *day, sums)?;
            for (best, tops) in best.iter_mut().zip(tops.iter()) {
                for top in tops {
                    let of_route = best.entry(top.route).or_default();
                    of_route.push((*day, *top));
                    shorten(of_route, most as usize * 2, most as usize);
                }
            }
        }
        for mut of_route in best.into_iter().flat_map(HashMap::into_values) {
            shorten(&mut of_route, most as usize, most as usize);
            for (day, top) in of_route {
                notable.entry(day).or_default().insert(top.id, top.run);
            }
        }
        Ok(notable)
    }

    /// Those of one day.
    fn tops(&self, app: &str, most: u32, day: u32, sums: &Arc<Day>) -> Result<Tops> {
        let key = (app.to_owned(), day);
        if let Some((of, found_most, tops)) = self.notable.0.lock().get(&key)
            && Arc::ptr_eq(of, sums)
            && *found_most == most
        {
            return Ok(Arc::clone(tops));
        }
        let mut tops: [Vec<Top>; 2] = Default::default();
        for (tops, (column, condition)) in tops
            .iter_mut()
            .zip([("wall", "1"), ("started", "failed != 0")])
        {
            for range in slices::of_ids(sums.rows, ROWS) {
                let bytes = self.client.read(&format!(
                    "SELECT cityHash64(route) AS place, {column}, id, size, stored, label != ''
                     FROM {} FINAL WHERE app = {} AND day = {day} AND state = 0
                     AND {condition} AND {}
                     ORDER BY place, {column} DESC, id DESC LIMIT {most} BY place",
                    self.all("run"),
                    text(app),
                    range.condition()
                ))?;
                let mut answer = RowReader::new(&bytes);
                while answer.has_more() {
                    tops.push(Top {
                        route: answer.u64()?,
                        value: answer.u64()?,
                        id: RunId(answer.fixed()?),
                        run: Notable {
                            size: answer.u64()?,
                            stored: answer.u64()?,
                            has_label: answer.u8()? != 0,
                        },
                    });
                }
            }
        }
        let tops = Arc::new(tops);
        let mut found = self.notable.0.lock();
        let length = |tops: &Tops| tops.iter().map(Vec::len).sum::<usize>();
        found.remove(&key);
        let kept: usize = found.values().map(|(_, _, tops)| length(tops)).sum();
        if kept + length(&tops) <= MAX_REMEMBERED_RUNS {
            found.insert(key, (Arc::clone(sums), most, Arc::clone(&tops)));
        }
        Ok(tops)
    }
}

/// Leaves the highest values if there are more than so many.
fn shorten(of_route: &mut Vec<(u32, Top)>, from: usize, most: usize) {
    if of_route.len() > from {
        of_route.sort_unstable_by_key(|(_, top)| std::cmp::Reverse((top.value, top.id)));
        of_route.truncate(most);
    }
}
