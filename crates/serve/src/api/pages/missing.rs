//! What the numbers of a page lack: runs that did not come, hosts that are silent.

use std::collections::BTreeMap;

use serde::Serialize;
use store::{RunQuery, Selection, Store};
use utoipa::ToSchema;

use super::window::HOUR_US;
use crate::retention::now_us;

/// How far back a host must have sent runs, in hours, and how long it must be silent.
const KNOWN_HOURS: u64 = 7 * 24;
const SILENT_HOURS: u64 = 24;

/// The most hosts that are named.
const MAX_HOSTS: usize = 20;

/// What is missing.
#[derive(Debug, Default, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Missing {
    /// The latest run, in microseconds since 1970.
    last_run_us: Option<u64>,
    /// Hosts that sent runs in the last seven days, and none in the last day.
    silent_hosts: Vec<SilentHost>,
    /// The runs that agents dropped in the last seven days, by reason.
    dropped: Vec<DroppedFor>,
    /// The uploads that the server refused since it started; none if the caller sees one application.
    pub(super) refused: Option<u64>,
    /// The findings that the receiver of the webhook did not take; none likewise.
    pub(super) undelivered: Option<u64>,
}

/// A host that sends nothing any more.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct SilentHost {
    host: String,
    /// Its latest run, in microseconds since 1970.
    last_us: u64,
}

/// Runs that agents dropped.
#[derive(Debug, Serialize, ToSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct DroppedFor {
    /// `queue_full`, `refused`, `too_large`, `over_quota`, `damaged`, or another.
    reason: String,
    runs: u64,
}

impl Missing {
    /// That of the application of a selection, or of all.
    pub(super) fn of(store: &dyn Store, app: Option<&str>) -> store::Result<Self> {
        let of_app = Selection {
            app: app.map(str::to_owned),
            ..Selection::default()
        };
        let since = |hours: u64| now_us().saturating_sub(hours * HOUR_US);
        let mut dropped: BTreeMap<String, u64> = BTreeMap::new();
        for row in store.dropped(app, since(KNOWN_HOURS))? {
            *dropped.entry(row.reason).or_default() += row.runs;
        }
        Ok(Self {
            last_run_us: latest(store, of_app.clone())?,
            silent_hosts: silent_hosts(store, of_app, since(SILENT_HOURS), since(KNOWN_HOURS))?,
            dropped: dropped
                .into_iter()
                .map(|(reason, runs)| DroppedFor { reason, runs })
                .collect(),
            refused: None,
            undelivered: None,
        })
    }
}

fn latest(store: &dyn Store, selection: Selection) -> store::Result<Option<u64>> {
    let query = RunQuery {
        selection,
        limit: 1,
        ..RunQuery::default()
    };
    let runs = store.runs(&query)?.runs;
    Ok(runs.first().map(|run| run.started_us))
}

/// The hosts whose latest run is older than others are; of those since `known_us`.
fn silent_hosts(
    store: &dyn Store,
    of_app: Selection,
    silent_us: u64,
    known_us: u64,
) -> store::Result<Vec<SilentHost>> {
    let hosts = store.hosts(&Selection {
        since_us: Some(known_us),
        ..of_app
    })?;
    // Where nothing comes at all, the latest run says so.
    if hosts.values().all(|last_us| *last_us < silent_us) {
        return Ok(Vec::new());
    }
    let silent = hosts
        .into_iter()
        .filter(|(host, last_us)| !host.is_empty() && *last_us < silent_us);
    let silent = silent.map(|(host, last_us)| SilentHost { host, last_us });
    Ok(silent.take(MAX_HOSTS).collect())
}
