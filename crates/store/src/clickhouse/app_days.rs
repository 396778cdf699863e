//! Sums of days of many routes: questions that name no route read few rows.
//!
//! **Invariant:** such a row names the versions of the sums that it is of, which are of a
//! day or an hour of a route. It counts only while all of these count and none of them is
//! in another row that counts; else they count themselves. So a run counts once, whenever
//! and by whichever server a row was written.

use std::collections::HashMap;
use std::sync::Arc;

use super::Inner;
use super::cell_cache::SumHeader;
use super::cells::Key;
use super::rows::RowReader;
use super::sum_headers::{SumHeaders, Table};
use crate::Result;
use crate::rollup::FunctionSums;

/// The sums of many routes that count.
#[derive(Debug, Default)]
pub(super) struct AppDays {
    pub(super) rows: Vec<Arc<SumHeader>>,
    /// What they are of.
    parts: HashMap<(Key, u64), Arc<SumHeader>>,
}

impl AppDays {
    /// Those of `rows` that count; they take what they are of out of `headers`.
    pub(super) fn of(rows: Vec<Arc<SumHeader>>, headers: &mut SumHeaders) -> Self {
        let all = headers.days.drain(..).chain(headers.hours.drain(..));
        let mut left: HashMap<(Key, u64), Arc<SumHeader>> = all
            .map(|header| ((header.key, header.version), header))
            .collect();
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
        for header in left.into_values() {
            headers.add(header);
        }
        headers.sort();
        sums
    }

    /// What a row is of, in its order.
    pub(super) fn routes_of(
        &self,
        row: &SumHeader,
    ) -> impl Iterator<Item = (Arc<SumHeader>, Option<FunctionSums>)> {
        let parts = row.cells.iter().filter_map(|part| self.parts.get(part));
        parts.map(|part| (Arc::clone(part), None))
    }

    /// Puts back what these rows are of.
    pub(super) fn give_back(mut self, rows: &[Arc<SumHeader>], headers: &mut SumHeaders) {
        let parts = rows.iter().flat_map(|row| &row.cells);
        for part in parts {
            if let Some(header) = self.parts.remove(part) {
                headers.add(header);
            }
        }
    }
}

impl Inner {
    /// The sums of many routes that a condition selects and that count, in place of those
    /// in `headers`.
    pub(super) fn app_days(&self, condition: &str, headers: &mut SumHeaders) -> Result<AppDays> {
        if headers.days.len() + headers.hours.len() < 2 {
            return Ok(AppDays::default());
        }
        let rows = self.app_rows(condition)?;
        Ok(AppDays::of(rows, headers))
    }

    /// The latest rows of sums of many routes, in the order of their keys, whether they
    /// count or not.
    pub(super) fn app_rows(&self, condition: &str) -> Result<Vec<Arc<SumHeader>>> {
        let bytes = self.client.read(&format!(
            "SELECT key, max(version) FROM {} WHERE {condition} GROUP BY key",
            self.all(Table::AppDaily.name())
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut latest: Vec<(Key, u64)> = Vec::new();
        while answer.has_more() {
            latest.push((answer.fixed()?, answer.u64()?));
        }
        let mut rows = self.day_headers(Table::AppDaily, condition, latest)?;
        rows.sort_by_key(|row| row.key);
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Place;
    use crate::rollup::Totals;

    fn header(number: u8, version: u64, parts: &[(u8, u64)]) -> Arc<SumHeader> {
        let cells = parts
            .iter()
            .map(|(number, version)| ([*number; 16], *version));
        Arc::new(SumHeader {
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

    fn numbers(headers: &[Arc<SumHeader>]) -> Vec<u8> {
        headers.iter().map(|header| header.key[0]).collect()
    }

    #[test]
    fn each_part_counts_once() {
        let mut headers = SumHeaders {
            days: vec![header(1, 5, &[(91, 1)]), header(2, 5, &[(92, 1)])],
            hours: vec![header(3, 5, &[]), header(4, 5, &[]), header(5, 5, &[])],
            changes: std::collections::BTreeMap::default(),
        };
        let rows = vec![
            header(10, 1, &[(1, 5), (3, 5)]),
            // A part was written anew, or is in another row, or is not selected.
            header(11, 1, &[(2, 4), (4, 5)]),
            header(12, 1, &[(3, 5), (4, 5)]),
            header(13, 1, &[(4, 5), (6, 5)]),
            header(14, 1, &[]),
        ];
        let sums = AppDays::of(rows, &mut headers);
        assert_eq!(numbers(&sums.rows), [10]);
        assert_eq!(numbers(&headers.days), [2]);
        assert_eq!(numbers(&headers.hours), [4, 5]);

        let lost = sums.rows.clone();
        sums.give_back(&lost, &mut headers);
        assert_eq!(numbers(&headers.days), [2, 1]);
        assert_eq!(numbers(&headers.hours), [4, 5, 3]);
    }
}
