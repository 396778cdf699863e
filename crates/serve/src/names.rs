//! The names of routes and functions, for searches: kept for a minute, since every letter that is typed asks again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Serialize;
use store::{FunctionSort, Selection, Store};
use utoipa::ToSchema;

use crate::retention::now_us;

const DAY_US: u64 = 86_400_000_000;

/// The most functions that are looked through: those with the most self time of the last days.
const MAX_NAMES: usize = 20_000;
const DAYS: u64 = 14;

/// How long names are looked through again without asking for them.
const KEPT: Duration = Duration::from_secs(60);

/// The most applications whose names are kept.
const MAX_KEPT: usize = 20;

/// A route that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct FoundRoute {
    pub(crate) app: String,
    pub(crate) route: String,
}

/// The names of the last days, those with the most time first.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) routes: Vec<FoundRoute>,
    pub(crate) functions: Vec<String>,
}

/// The names of an application, and since when.
type Kept = (Option<String>, Instant, Arc<Names>);

/// The names that were just asked for, by application.
#[derive(Debug, Default)]
pub(crate) struct RecentNames(Mutex<Vec<Kept>>);

impl RecentNames {
    /// The names of an application, or of all.
    pub(crate) fn of(&self, store: &dyn Store, app: Option<&str>) -> store::Result<Arc<Names>> {
        let is_it = |of: &Kept| of.0.as_deref() == app;
        if let Some((_, since, names)) = self.0.lock().iter().find(|of| is_it(of))
            && since.elapsed() < KEPT
        {
            return Ok(Arc::clone(names));
        }
        let names = Arc::new(Names::of(store, app)?);
        let mut kept = self.0.lock();
        kept.retain(|of| !is_it(of));
        kept.insert(
            0,
            (app.map(str::to_owned), Instant::now(), Arc::clone(&names)),
        );
        kept.truncate(MAX_KEPT);
        Ok(names)
    }
}

impl Names {
    fn of(store: &dyn Store, app: Option<&str>) -> store::Result<Self> {
        let selection = Selection {
            app: app.map(str::to_owned),
            ..Selection::default()
        };
        let recent = Selection {
            since_us: Some((now_us() / DAY_US).saturating_sub(DAYS) * DAY_US),
            ..selection.clone()
        };
        let routes = store.routes(&selection)?.into_iter();
        let mut top = store.top(&recent, FunctionSort::OwnWall, MAX_NAMES)?;
        if top.is_empty() {
            top = store.top(&selection, FunctionSort::OwnWall, MAX_NAMES)?;
        }
        Ok(Self {
            routes: routes
                .map(|row| FoundRoute {
                    app: row.app,
                    route: row.route,
                })
                .collect(),
            functions: top.into_iter().map(|row| row.name).collect(),
        })
    }
}
