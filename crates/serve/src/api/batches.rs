//! What agents send: many runs at a time, and how many they have dropped.
//!
//! **Invariant:** an answer with status 200 says of each run that it is stored,
//! or that it never will be. In all other cases the sender keeps the batch, and
//! what it sends again is stored once.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Query, State as Shared};
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::{DroppedRuns, Stored};
use utoipa::{IntoParams, ToSchema};

use super::uploads::{Together, not_read, stored_all};
use crate::access::Caller;
use crate::asking::{ask, change};
use crate::contents::{Job, Kind};
use crate::metadata::Metadata;
use crate::problem::Problem;
use crate::retention::now_us;
use crate::state::State;
use crate::uploaded::Received;

/// What became of the runs of a batch.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TakenBatch {
    /// In the order in which they were sent.
    runs: Vec<TakenRun>,
}

/// What became of a run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TakenRun {
    /// 201: it was stored; 200: it was there; 413, 422: it is refused; 429: its
    /// application has sent enough for today.
    status: u16,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// Why it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl TakenRun {
    fn refused(problem: Problem) -> Self {
        Self {
            status: problem.status.as_u16(),
            id: None,
            error: Some(problem.message),
        }
    }
}

impl From<Stored> for TakenRun {
    fn from(stored: Stored) -> Self {
        let status = if stored.is_new {
            StatusCode::CREATED
        } else {
            StatusCode::OK
        };
        Self {
            status: status.as_u16(),
            id: Some(stored.id.to_string()),
            error: None,
        }
    }
}

/// Stores up to 100 runs, which are the files of a `multipart/form-data`. With the
/// header `Content-Encoding: zstd` the body is compressed, and at most 64 MiB
/// large when it is unpacked. Each file may have the headers of `POST
/// /api/v1/runs`. The answer has the outcome of each run. If the server cannot
/// store runs now, the whole answer says so, and the batch is to be sent again. If the
/// quota of the token's application is used up, that is status 429 with `Retry-After`;
/// of a token for all applications, the answer of the run has it.
#[utoipa::path(post, path = "/api/v1/runs/batch", request_body(content_type = "multipart/form-data"), responses((status = 200, body = TakenBatch), (status = 400), (status = 413), (status = 415), (status = 429), (status = 507)))]
pub(crate) async fn put_batch(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<TakenBatch>, Problem> {
    let job = Job::of(Kind::Batch, &headers);
    let mut reading = state.config.readers.read_body(job, body).await?;
    let mut batch = Batch::of(&state, &caller);
    while let Some(next) = reading.next().await {
        batch.add(next?).await?;
    }
    // The process reads other uploads until then.
    drop(reading);
    batch.store().await?;
    let mut done = batch.done;
    done.sort_by_key(|(number, _)| *number);
    let runs = done.into_iter().map(|(_, run)| run).collect();
    Ok(Json(TakenBatch { runs }))
}

/// A batch that is being read and stored.
struct Batch<'a> {
    state: &'a Arc<State>,
    caller: &'a Caller,
    count: usize,
    /// What was read and is not stored yet, and the numbers of its runs.
    together: Together,
    numbers: Vec<usize>,
    done: Vec<(usize, TakenRun)>,
}

impl<'a> Batch<'a> {
    fn of(state: &'a Arc<State>, caller: &'a Caller) -> Self {
        Self {
            state,
            caller,
            count: 0,
            together: Together::default(),
            numbers: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Adds the next run.
    async fn add(&mut self, received: Received) -> Result<(), Problem> {
        let number = self.count;
        self.count += 1;
        match received {
            Ok(upload) => {
                self.together
                    .add(upload.with(&Metadata::default()), self.caller);
                self.numbers.push(number);
            }
            Err(refused) => {
                let problem = not_read(self.state, self.caller, refused);
                self.refused(number, problem)?;
            }
        }
        if self.together.is_large() {
            self.store().await?;
        }
        Ok(())
    }

    /// Stores what was read.
    async fn store(&mut self) -> Result<(), Problem> {
        let numbers = std::mem::take(&mut self.numbers);
        let outcomes = stored_all(self.state, self.caller, self.together.take()).await?;
        for (number, outcome) in numbers.into_iter().zip(outcomes) {
            match outcome {
                Ok(stored) => self.done.push((number, stored.into())),
                Err(problem) => self.refused(number, problem)?,
            }
        }
        Ok(())
    }

    /// Notes that a run is refused. Some errors are of the whole batch.
    fn refused(&mut self, number: usize, problem: Problem) -> Result<(), Problem> {
        // The other runs of a sender of several applications must not wait until tomorrow.
        let is_only_of_run = match problem.status {
            StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNPROCESSABLE_ENTITY
            | StatusCode::BAD_REQUEST => true,
            StatusCode::TOO_MANY_REQUESTS => self.caller.app.is_none(),
            _ => false,
        };
        if !is_only_of_run {
            return Err(problem);
        }
        self.done.push((number, TakenRun::refused(problem)));
        Ok(())
    }
}

/// What an agent has dropped.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct DroppedReport {
    /// The identity of the agent's counters.
    agent: String,
    /// Its machine.
    host: String,
    /// The counters. Each replaces a smaller one of the same day, application and
    /// reason.
    dropped: Vec<DroppedRow>,
}

/// Runs that were dropped on one day.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct DroppedRow {
    /// The day, in seconds since 1970.
    day_s: u64,
    /// The application; empty if it is not known.
    app: String,
    /// Why: `queue_full`, `refused`, `too_large`, `damaged`.
    reason: String,
    /// The number of runs.
    runs: u64,
    /// Their size.
    bytes: u64,
}

/// Notes how many runs an agent has dropped before they came here. Sent again, it
/// changes nothing.
#[utoipa::path(post, path = "/api/v1/dropped", request_body = DroppedReport, responses((status = 204), (status = 400)))]
pub(crate) async fn put_dropped(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Json(report): Json<DroppedReport>,
) -> Result<StatusCode, Problem> {
    let DroppedReport {
        agent,
        host,
        dropped,
    } = report;
    // Of a token with an application, all are of that.
    let rows = dropped.into_iter().map(|row| DroppedRuns {
        agent: agent.clone(),
        host: host.clone(),
        day_s: row.day_s,
        app: caller.app.clone().unwrap_or(row.app),
        reason: row.reason,
        runs: row.runs,
        bytes: row.bytes,
    });
    let rows = added_up(rows);
    DroppedRuns::check(&rows, now_us())?;
    change(&state, move |store| store.note_dropped(&rows)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Adds up counters of the same day, application and reason: those of several
/// applications are of one if the token is.
fn added_up(rows: impl Iterator<Item = DroppedRuns>) -> Vec<DroppedRuns> {
    let mut sums = BTreeMap::new();
    for row in rows {
        let key = (row.day_s, row.app.clone(), row.reason.clone());
        let sum = sums.entry(key).or_insert(DroppedRuns {
            runs: 0,
            bytes: 0,
            ..row
        });
        sum.runs = sum.runs.saturating_add(row.runs);
        sum.bytes = sum.bytes.saturating_add(row.bytes);
    }
    sums.into_values().collect()
}

/// How far back dropped runs are listed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Since {
    /// In days; 30 if it is missing.
    days: Option<u16>,
}

/// What agents have dropped.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DroppedList {
    /// By day, application, reason and machine, the latest first; at most 10,000.
    dropped: Vec<DroppedRuns>,
}

/// How many runs agents have dropped, by day, the latest first.
#[utoipa::path(get, path = "/api/v1/dropped", params(Since), responses((status = 200, body = DroppedList)))]
pub(crate) async fn dropped(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(since): Query<Since>,
) -> Result<Json<DroppedList>, Problem> {
    let days = since.days.unwrap_or(30);
    let dropped = visible_dropped(&state, &caller, days).await?;
    Ok(Json(DroppedList { dropped }))
}

/// The dropped runs that a caller may see.
pub(crate) async fn visible_dropped(
    state: &Arc<State>,
    caller: &Caller,
    days: u16,
) -> Result<Vec<DroppedRuns>, Problem> {
    let since_us = now_us().saturating_sub(u64::from(days) * 86_400_000_000);
    let app = caller.app.clone();
    ask(state, move |store| store.dropped(app.as_deref(), since_us)).await
}
