//! The hourly sums of one route, for the search of regressions.

use std::sync::Arc;

use rusqlite::Connection;

use super::super::SqliteStore;
use super::super::visit::{Resolution, visit};
use super::super::want::{Sums, Want};
use crate::{CellHours, Result, Selection};

/// The sums of a route since an hour.
pub(in super::super) fn hours(
    store: &SqliteStore,
    connection: &Connection,
    app: &str,
    route: &str,
    since_hour: i64,
) -> Result<Vec<CellHours>> {
    let selection = Selection {
        app: Some(app.to_owned()),
        routes: vec![route.to_owned()],
        since_us: u64::try_from(since_hour)
            .ok()
            .map(|hour| hour.saturating_mul(3_600_000_000)),
        ..Selection::default()
    };
    let mut cells = Vec::new();
    let nothing = Arc::new(Vec::new());
    let visited = visit(
        store,
        connection,
        &selection,
        Want::Paths,
        Resolution::Hour,
        &mut |place, totals, part| {
            // A route whose own name has a star is a pattern, and selects others too.
            if let Sums::Paths(paths) = part
                && place.route == route
            {
                cells.push(CellHours {
                    hour: place.hour,
                    release: place.release.clone(),
                    rate: place.rate,
                    runs: totals.runs,
                    wall: totals.wall,
                    ln_wall: totals.ln_wall(),
                    peak: totals.peak,
                    paths: paths.sums(),
                    names: Arc::clone(&nothing),
                });
            }
        },
    )?;
    let names = visited.names.iter().map(|symbol| symbol.name.clone());
    let names = Arc::new(names.collect::<Vec<_>>());
    for cell in &mut cells {
        cell.names = Arc::clone(&names);
    }
    Ok(cells)
}
