//! The hourly sums of one route, for the search of regressions.

use std::sync::Arc;

use rusqlite::{Connection, params};

use super::SqliteStore;
use super::cells::{part, read_totals};
use crate::rollup::{Paths, decode};
use crate::{CellHours, HoursOf, Result, cancel};

/// Visits the sums of a route in some hours, one cell at a time.
pub(super) fn hours(
    store: &SqliteStore,
    connection: &Connection,
    of: &HoursOf<'_>,
    visitor: &mut dyn FnMut(&CellHours),
) -> Result<()> {
    let names = store.names(connection)?;
    let mut statement = connection.prepare_cached(
        "SELECT cell.number, cell.hour, cell.rate, release.name, cell.totals
         FROM cell JOIN release ON release.id = cell.release
         WHERE cell.route = (SELECT route.id FROM route JOIN app ON app.id = route.app
                             WHERE app.name = ?1 AND route.name = ?2)
           AND cell.hour >= ?3 AND cell.hour < ?4
           AND (cell.hour < ?5 OR release.name = ?6)
         ORDER BY cell.hour, cell.release, cell.shape, cell.rate",
    )?;
    let (first, until) = of.hours;
    let (from, release) = of.only.unwrap_or((until, ""));
    let mut rows = statement.query(params![of.app, of.route, first, until, from, release])?;
    while let Some(row) = rows.next()? {
        cancel::check()?;
        let Some(bytes) = part(connection, "cell", "paths", row.get(0)?)? else {
            continue;
        };
        let totals = read_totals(row.get_ref(4)?.as_blob().unwrap_or_default())?;
        visitor(&CellHours {
            hour: row.get(1)?,
            rate: row.get(2)?,
            release: row.get(3)?,
            runs: totals.runs,
            wall: totals.wall,
            ln_wall: totals.ln_wall(),
            peak: totals.peak,
            paths: decode::<Paths>(&bytes)?.sums(),
            names: Arc::clone(&names),
        });
    }
    Ok(())
}
