//! Sums of days of many routes: questions that name no route read few rows.
//!
//! **Invariant:** such a row names the versions of the sums that it is of, which are of a
//! day or an hour of a route. It counts only while all of these count and none of them is
//! in another row that counts; else they count themselves. So a run counts once, whenever
//! and by whichever server a row was written.

use std::collections::HashMap;
use std::sync::Arc;

use super::Inner;
use super::cell_cache::Head;
use super::cells::Key;
use super::heads::{Heads, Table};
use super::rows::Answer;
use crate::Result;
use crate::rollup::FunctionSums;

/// The sums of many routes that count.
#[derive(Debug, Default)]
pub(super) struct AppDays {
    pub(super) rows: Vec<Arc<Head>>,
    /// What they are of.
    parts: HashMap<(Key, u64), Arc<Head>>,
}

impl AppDays {
    /// Those of `rows` that count; they take what they are of out of `heads`.
    pub(super) fn of(rows: Vec<Arc<Head>>, heads: &mut Heads) -> Self {
        let all = heads.days.drain(..).chain(heads.hours.drain(..));
        let mut left: HashMap<(Key, u64), Arc<Head>> =
            all.map(|head| ((head.key, head.version), head)).collect();
        let mut sums = Self::default();
        for row in rows {
            let is_whole = row.cells.iter().all(|part| left.contains_key(part));
            if row.cells.is_empty() || !is_whole {
                continue;
            }
            let parts = row.cells.iter();
            sums.parts
                .extend(parts.filter_map(|part| left.remove_entry(part)));
            sums.rows.push(row);
        }
        for head in left.into_values() {
            heads.add(head);
        }
        heads.sort();
        sums
    }

    /// What a row is of, in its order.
    pub(super) fn routes_of(
        &self,
        row: &Head,
    ) -> impl Iterator<Item = (Arc<Head>, Option<FunctionSums>)> {
        let parts = row.cells.iter().filter_map(|part| self.parts.get(part));
        parts.map(|part| (Arc::clone(part), None))
    }

    /// Puts back what these rows are of.
    pub(super) fn give_back(mut self, rows: &[Arc<Head>], heads: &mut Heads) {
        let parts = rows.iter().flat_map(|row| &row.cells);
        for part in parts {
            if let Some(head) = self.parts.remove(part) {
                heads.add(head);
            }
        }
    }
}

impl Inner {
    /// The sums of many routes that a condition selects and that count, in place of those
    /// in `heads`.
    pub(super) fn app_days(&self, condition: &str, heads: &mut Heads) -> Result<AppDays> {
        if heads.days.len() + heads.hours.len() < 2 {
            return Ok(AppDays::default());
        }
        let rows = self.app_rows(condition)?;
        Ok(AppDays::of(rows, heads))
    }

    /// The latest rows of sums of many routes, in the order of their keys, whether they
    /// count or not.
    pub(super) fn app_rows(&self, condition: &str) -> Result<Vec<Arc<Head>>> {
        let bytes = self.client.read(&format!(
            "SELECT key, max(version) FROM {} WHERE {condition} GROUP BY key",
            self.all(Table::AppDaily.name())
        ))?;
        let mut answer = Answer::new(&bytes);
        let mut latest: Vec<(Key, u64)> = Vec::new();
        while answer.has_more() {
            latest.push((answer.fixed()?, answer.u64()?));
        }
        let mut rows = self.sum_heads(Table::AppDaily, condition, latest)?;
        rows.sort_by_key(|row| row.key);
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Place;
    use crate::rollup::Totals;

    fn head(number: u8, version: u64, parts: &[(u8, u64)]) -> Arc<Head> {
        let cells = parts
            .iter()
            .map(|(number, version)| ([*number; 16], *version));
        Arc::new(Head {
            key: [number; 16],
            version,
            shape: 0,
            cells: cells.collect(),
            place: Place {
                app: "shop".to_owned(),
                route: format!("/{number}"),
                release: String::new(),
                hour: 0,
                hours: (0, 0),
                rate: 1.0,
                weight: 1,
            },
            totals: Totals::default(),
        })
    }

    fn numbers(heads: &[Arc<Head>]) -> Vec<u8> {
        heads.iter().map(|head| head.key[0]).collect()
    }

    #[test]
    fn each_part_counts_once() {
        let mut heads = Heads {
            days: vec![head(1, 5, &[(91, 1)]), head(2, 5, &[(92, 1)])],
            hours: vec![head(3, 5, &[]), head(4, 5, &[]), head(5, 5, &[])],
            changes: std::collections::BTreeMap::default(),
        };
        let rows = vec![
            head(10, 1, &[(1, 5), (3, 5)]),
            // A part was written anew, or is in another row, or is not selected.
            head(11, 1, &[(2, 4), (4, 5)]),
            head(12, 1, &[(3, 5), (4, 5)]),
            head(13, 1, &[(4, 5), (6, 5)]),
            head(14, 1, &[]),
        ];
        let sums = AppDays::of(rows, &mut heads);
        assert_eq!(numbers(&sums.rows), [10]);
        assert_eq!(numbers(&heads.days), [2]);
        assert_eq!(numbers(&heads.hours), [4, 5]);

        let lost = sums.rows.clone();
        sums.give_back(&lost, &mut heads);
        assert_eq!(numbers(&heads.days), [2, 1]);
        assert_eq!(numbers(&heads.hours), [4, 5, 3]);
    }
}
