//! Finds sums of days that count and are not the sums of what they name, which does not
//! happen unless tables were changed by hand.

use std::collections::HashMap;
use std::sync::Arc;

use super::Inner;
use super::app_day_sums::{add_functions, write_no_routes, write_nothing};
use super::app_days::AppDays;
use super::app_functions::AppRows;
use super::cell_cache::SumHeader;
use super::cells::{Cell, Key, part};
use super::literal::ids;
use super::rows::{RowReader, RowWriter};
use super::sum_headers::{Table, cell_place_of};
use crate::Result;
use crate::answers::Resolution;
use crate::rollup::{FunctionParts, Spreads};

/// How many sums are read at a time.
const MAX_SUMS_IN_MEMORY: usize = 50;

/// Sums of a day that are not those of their parts.
pub(super) struct WrongDay {
    table: Table,
    row: Arc<SumHeader>,
}

impl WrongDay {
    /// What they are of.
    pub(super) fn name(&self) -> String {
        let place = &self.row.place;
        let of = match self.table {
            Table::AppDaily => format!("all routes of {}", place.app),
            _ => place.route.clone(),
        };
        let day = place.hour.div_euclid(24);
        format!("sums of {of} in the day {day} since 1970")
    }
}

impl Inner {
    /// The sums of days that are wrong.
    pub(super) fn wrong_days(&self) -> Result<Vec<WrongDay>> {
        let days = |table: &str| format!("SELECT DISTINCT day FROM {}", self.all(table));
        let bytes = self.client.read(&format!(
            "SELECT DISTINCT day FROM ({} UNION ALL {})",
            days("daily"),
            days("app_daily")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut wrong = Vec::new();
        while answer.has_more() {
            let condition = format!("day = {}", answer.u32()?);
            let (mut headers, _) = self.read_headers_of(&condition, Resolution::Day)?;
            let mut parts: HashMap<Key, Arc<SumHeader>> = HashMap::new();
            for header in headers.days.iter().chain(&headers.hours) {
                parts.insert(header.key, Arc::clone(header));
            }
            for row in &headers.days {
                // Hours that are in a day are not among the heads.
                let hours = self.hour_heads(&condition, row)?;
                if self.is_sum(Table::Daily, row, &hours)? == Some(false) {
                    wrong.push(WrongDay {
                        table: Table::Daily,
                        row: Arc::clone(row),
                    });
                }
            }
            let rows = self.app_rows(&condition)?;
            for row in AppDays::of(rows, &mut headers).rows {
                let of_row = row.cells.iter().filter_map(|part| parts.get(&part.0));
                let of_row: Vec<Arc<SumHeader>> = of_row.cloned().collect();
                if self.is_sum(Table::AppDaily, &row, &of_row)? == Some(false) {
                    let table = Table::AppDaily;
                    wrong.push(WrongDay { table, row });
                }
            }
        }
        Ok(wrong)
    }

    /// The hours of a day's sums, in their order.
    fn hour_heads(&self, condition: &str, row: &SumHeader) -> Result<Vec<Arc<SumHeader>>> {
        let found = self.day_headers(Table::Cell, condition, row.cells.to_vec())?;
        let found: HashMap<Key, Arc<SumHeader>> = found
            .into_iter()
            .map(|header| (header.key, header))
            .collect();
        let hours = row.cells.iter().filter_map(|cell| found.get(&cell.0));
        Ok(hours.cloned().collect())
    }

    /// Whether a row is the sum of its parts; none if a part was written since.
    fn is_sum(
        &self,
        table: Table,
        row: &Arc<SumHeader>,
        parts: &[Arc<SumHeader>],
    ) -> Result<Option<bool>> {
        let Some(stored) = self.sums_in(table, &[row])?.remove(&row.key) else {
            return Ok(None);
        };
        if parts.len() != row.cells.len() {
            return Ok(None);
        }
        let mut computed = Cell::new(cell_place_of(row));
        // The same numbers of names.
        computed.adopt_names(&stored);
        let mut functions = FunctionParts::default();
        let mut number = 0;
        for some in parts.chunks(MAX_SUMS_IN_MEMORY) {
            let mut cells = self.sums_of(some)?;
            for header in some {
                let Some(cell) = cells.remove(&header.key) else {
                    return Ok(None);
                };
                if table == Table::AppDaily {
                    add_functions(&mut functions, number, &cell, &mut computed);
                }
                computed.add(cell);
                number += 1;
            }
        }
        let is_sum = computed.has_sums_of(&stored);
        if table != Table::AppDaily || !is_sum {
            return Ok(Some(is_sum));
        }
        if !self.has_functions(row, &functions)? {
            return Ok(Some(false));
        }
        self.has_moments(row, &stored)
    }

    /// Whether a row's functions are these; a row that has none yet gets them later.
    fn has_functions(&self, row: &SumHeader, computed: &FunctionParts) -> Result<bool> {
        let stored = self.functions_of(&[row])?.remove(&row.key);
        let Some(stored) = stored else {
            return Ok(true);
        };
        let stored: Option<FunctionParts> = part(&stored)?;
        Ok(stored.unwrap_or_default() == *computed)
    }

    /// Whether the moments of a row are those of its spreads; none if it is no more.
    fn has_moments(&self, row: &SumHeader, stored: &Cell) -> Result<Option<bool>> {
        let bytes = self.client.read(&format!(
            "SELECT moments FROM {} PREWHERE key IN ({}) WHERE version = {}",
            self.all(Table::AppDaily.name()),
            ids([&row.key]),
            row.version
        ))?;
        let mut answer = RowReader::new(&bytes);
        if !answer.has_more() {
            return Ok(None);
        }
        let moments: Option<Spreads> = part(answer.bytes()?)?;
        Ok(Some(
            moments.unwrap_or_default() == stored.spreads.without_times(),
        ))
    }

    /// Has sums of days that are wrong written anew.
    pub(super) fn mend_days(&self) -> Result<()> {
        for WrongDay { table, row } in self.wrong_days()? {
            if table == Table::AppDaily {
                let mut rows = AppRows::default();
                write_no_routes(&row, &mut rows)?;
                self.insert_app_rows(&mut rows)?;
            } else {
                let mut rows = RowWriter::default();
                write_nothing(table, &row, &mut rows)?;
                self.insert_sums(table, &mut rows)?;
            }
            self.complete_days.forget();
        }
        Ok(())
    }
}
