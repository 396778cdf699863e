//! `xhprof mcp --store`: the runs of a store, for the tools of `crates/cli`.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};
use cli::args::McpArguments;
use cli::mcp::{RunRow, RunsAsked, StoredRuns};
use cli::regressions::Findings;
use profile::quantities::Since;
use store::{RunInfo, RunQuery, RunSort, Selection, Status, Store};

use crate::regressions;
use crate::store_place::StorePlace;

/// Answers until standard input ends.
pub(crate) fn run(arguments: &McpArguments) -> Result<()> {
    let place = arguments.store.as_deref().unwrap_or(Path::new(""));
    let store = StorePlace::named(place.to_owned())?.open_for_reading()?;
    // An address may have a password.
    let is_address = place.to_string_lossy().contains("://");
    let name = if is_address {
        "the store".to_owned()
    } else {
        format!("the store {}", place.display())
    };
    cli::mcp::run(arguments, Some(Box::new(StoreOfRuns { store, name })))
}

struct StoreOfRuns {
    store: Arc<dyn Store>,
    name: String,
}

impl StoredRuns for StoreOfRuns {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn runs(&self, asked: &RunsAsked) -> Result<(Vec<RunRow>, usize)> {
        let status = asked.status.clone().map(Status::try_from).transpose()?;
        let since = asked.since;
        let selection = Selection {
            app: asked.app.clone(),
            routes: asked.route.clone().into_iter().collect(),
            releases: asked.release.clone().into_iter().collect(),
            statuses: status.into_iter().collect(),
            since_us: since.map(|since| since.microseconds(SystemTime::now())),
            ..Selection::default()
        };
        let days = self.store.days(&selection)?;
        let all = days.iter().map(|day| day.runs).sum::<u64>();
        let most = u32::try_from(asked.most)
            .unwrap_or(u32::MAX)
            .clamp(1, 1_000);
        let query = RunQuery {
            selection,
            sort: match asked.sort.as_str() {
                "wall" => RunSort::Wall,
                "cpu" => RunSort::Cpu,
                "peak" => RunSort::Peak,
                "calls" => RunSort::Calls,
                _ => RunSort::Started,
            },
            limit: most,
            ..RunQuery::default()
        };
        let runs = self.store.runs(&query)?.runs;
        let runs: Vec<RunRow> = runs.into_iter().map(row).collect::<Result<_>>()?;
        let others = usize::try_from(all).unwrap_or(usize::MAX);
        let others = others.saturating_sub(runs.len());
        Ok((runs, others))
    }

    fn file(&self, run: &str) -> Result<Option<Vec<u8>>> {
        let id = run.parse();
        let id = id.map_err(|error| anyhow!("{run} is {error}; list_runs has the ids"))?;
        Ok(self.store.run(&id)?.map(|run| run.file))
    }

    fn findings(&self, app: Option<&str>, since: Option<Since>) -> Result<Findings> {
        let findings = regressions::of_store(&*self.store, &self.name, app, since);
        findings.context("there are no regressions to tell")
    }
}

fn row(info: RunInfo) -> Result<RunRow> {
    let value = serde_json::to_value(&info)?;
    Ok(RunRow {
        run: info.id.to_string(),
        route: info.route,
        started_us: Some(info.started_us),
        wall_ns: (info.unit == "time").then_some(info.wall),
        peak: info.peak,
        spans: info.spans,
        status: info.status,
        has_failed: info.failed,
        value,
    })
}
