//! The hourly sums of one route, for the search of regressions.

use super::Inner;
use super::cells::{Cell, CellPlace, Key, these_cells};
use super::literal::text;
use super::rows::RowReader;
use super::select::hour_number;
use crate::{CellHours, HoursOf, Result};

/// How many cells are read at a time.
const CELLS: usize = 200;

impl Inner {
    /// Visits the sums of a route in some hours, in their order.
    pub(super) fn hours(
        &self,
        of: &HoursOf<'_>,
        visitor: &mut dyn FnMut(&CellHours),
    ) -> Result<()> {
        let (first, until) = of.hours;
        let mut condition = format!(
            "app = {} AND route = {} AND hour >= {} AND hour < {}",
            text(of.app),
            text(of.route),
            hour_number(first),
            hour_number(until)
        );
        if let Some((from, release)) = of.only {
            let release = text(release);
            condition = format!(
                "{condition} AND (hour < {} OR release = {release})",
                hour_number(from)
            );
        }
        // What was stored lately is folded in first: cells are visited in one order.
        self.fold_selected(&condition)?;
        let bytes = self.client.read(&format!(
            "SELECT key, {} FROM {} FINAL WHERE {condition} AND gone = 0
             ORDER BY hour, release, shape, rate",
            CellPlace::COLUMNS,
            self.all("cell")
        ))?;
        let mut found: Vec<(Key, CellPlace)> = Vec::new();
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            found.push((answer.fixed()?, CellPlace::read(&mut answer)?));
        }
        for some in found.chunks(CELLS) {
            let bytes = self.client.read(&format!(
                "SELECT {} FROM {} FINAL WHERE {} ORDER BY hour, release, shape, rate",
                Cell::columns(),
                self.all("cell"),
                these_cells(some.iter().map(|(key, place)| (key, place)))
            ))?;
            let mut cells = Vec::with_capacity(some.len());
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                let cell = Cell::read(&mut answer)?;
                let numbers = self.names.numbers(&cell.symbols);
                cells.push((cell, numbers));
            }
            let names = self.names.all();
            for (cell, numbers) in cells {
                visitor(&CellHours {
                    hour: cell.place.hour,
                    rate: cell.place.rate,
                    release: cell.place.release,
                    runs: cell.totals.runs,
                    wall: cell.totals.wall,
                    ln_wall: cell.totals.ln_wall(),
                    peak: cell.totals.peak,
                    paths: cell.paths.renamed(&numbers).sums(),
                    names: std::sync::Arc::clone(&names),
                });
            }
        }
        Ok(())
    }
}
