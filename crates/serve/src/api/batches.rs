//! What agents send: many runs at a time, and how many they have dropped.
//!
//! **Invariant:** an answer with status 200 says of each run that it is stored,
//! or that it never will be. In all other cases the sender keeps the batch, and
//! what it sends again is stored once.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Query, Request, State as Shared};
use axum::http::{HeaderValue, StatusCode, header};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use store::{DroppedRuns, Stored};
use tokio::task::JoinSet;
use utoipa::{IntoParams, ToSchema};

use super::questions::ask;
use super::uploads::{MOST, metadata, read, stored_all, within_quota};
use crate::access::Caller;
use crate::ingest::{Metadata, Uploaded};
use crate::problem::Problem;
use crate::retention::now_us;
use crate::state::State;

/// The largest batch, unpacked.
const MAX_UNPACKED: u64 = 64 << 20;

/// How many runs of a batch are read at a time: pages do not wait for all of them.
const AT_ONCE: usize = 4;

/// The size of the uploads after which those before are stored: profiles in memory are
/// some times as large.
const MAX_TOGETHER: u64 = 4 << 20;

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
    request: Request,
) -> Result<Json<TakenBatch>, Problem> {
    within_quota(&state, &caller).await?;
    let request = unpacked(request).await?;
    let parts = Multipart::from_request(request, &()).await;
    let mut parts = parts.map_err(|error| Problem::new(error.status(), error.body_text()))?;
    let mut batch = Batch::of(&state, &caller);
    loop {
        let part = parts.next_field().await;
        let part = part.map_err(|error| Problem::new(error.status(), error.body_text()))?;
        let Some(part) = part else { break };
        if batch.count >= MOST {
            return Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("a batch has at most {MOST} runs"),
            ));
        }
        let metadata = metadata(part.headers());
        let bytes = part.bytes().await;
        let bytes = bytes.map_err(|error| Problem::new(error.status(), error.body_text()))?;
        batch.add(bytes, metadata).await?;
    }
    if batch.count == 0 {
        return Err(Problem::bad("the batch has no run"));
    }
    let runs = batch.finished().await?;
    Ok(Json(TakenBatch { runs }))
}

/// A batch that is being read and stored.
struct Batch<'a> {
    state: &'a Arc<State>,
    caller: &'a Caller,
    count: usize,
    reading: JoinSet<(usize, Result<Uploaded, Problem>)>,
    /// What was read and is not stored yet, with its number and size.
    read: Vec<(usize, Uploaded)>,
    done: Vec<(usize, TakenRun)>,
}

impl<'a> Batch<'a> {
    fn of(state: &'a Arc<State>, caller: &'a Caller) -> Self {
        Self {
            state,
            caller,
            count: 0,
            reading: JoinSet::new(),
            read: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Adds the next run.
    async fn add(
        &mut self,
        bytes: Bytes,
        metadata: Result<Metadata, Problem>,
    ) -> Result<(), Problem> {
        let number = self.count;
        self.count += 1;
        let metadata = match metadata {
            Ok(metadata) => metadata,
            Err(problem) => return self.refused(number, problem),
        };
        if self.reading.len() >= AT_ONCE {
            self.next_read().await?;
        }
        let (state, caller) = (Arc::clone(self.state), self.caller.clone());
        self.reading
            .spawn(async move { (number, read(&state, &caller, bytes, metadata).await) });
        let size: u64 = self.read.iter().map(|(_, upload)| upload.bytes).sum();
        if size > MAX_TOGETHER {
            self.store().await?;
        }
        Ok(())
    }

    /// Waits for a run that is being read. False if there is none.
    async fn next_read(&mut self) -> Result<bool, Problem> {
        let Some(read) = self.reading.join_next().await else {
            return Ok(false);
        };
        let failed = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "reading a run failed");
        match read.map_err(failed)? {
            (number, Ok(upload)) => self.read.push((number, upload)),
            (number, Err(problem)) => self.refused(number, problem)?,
        }
        Ok(true)
    }

    /// Stores what was read.
    async fn store(&mut self) -> Result<(), Problem> {
        if self.read.is_empty() {
            return Ok(());
        }
        let mut read = std::mem::take(&mut self.read);
        // Of the same run twice, the first one is new.
        read.sort_by_key(|(number, _)| *number);
        let (numbers, uploads): (Vec<usize>, Vec<_>) = read.into_iter().unzip();
        let outcomes = stored_all(self.state, self.caller, uploads).await?;
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

    /// The outcomes of all runs, in their order.
    async fn finished(mut self) -> Result<Vec<TakenRun>, Problem> {
        while self.next_read().await? {}
        self.store().await?;
        self.done.sort_by_key(|(number, _)| *number);
        Ok(self.done.into_iter().map(|(_, run)| run).collect())
    }
}

/// The request with its body as it was before compression.
async fn unpacked(request: Request) -> Result<Request, Problem> {
    let encoding = request.headers().get(header::CONTENT_ENCODING);
    match encoding.map(HeaderValue::as_bytes) {
        None | Some(b"identity") => return Ok(request),
        Some(b"zstd") => {}
        Some(_) => {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "a batch is compressed with zstd, or not at all",
            ));
        }
    }
    let (mut parts, body) = request.into_parts();
    parts.headers.remove(header::CONTENT_ENCODING);
    parts.headers.remove(header::CONTENT_LENGTH);
    // With the limit that the router has put into the extensions.
    let packed = Request::from_parts(parts.clone(), body);
    let packed = Bytes::from_request(packed, &()).await;
    let packed = packed.map_err(|error| Problem::new(error.status(), error.body_text()))?;
    let unpack = move || -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        let decoder = zstd::Decoder::with_buffer(&packed[..])?;
        decoder.take(MAX_UNPACKED + 1).read_to_end(&mut plain)?;
        Ok(plain)
    };
    let plain = tokio::task::spawn_blocking(unpack).await;
    let failed = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "unpacking failed");
    let plain = plain.map_err(failed)?;
    let plain = plain.map_err(|error| Problem::bad(format!("not zstd: {error}")))?;
    if plain.len() as u64 > MAX_UNPACKED {
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a batch has at most {} MiB, unpacked", MAX_UNPACKED >> 20),
        ));
    }
    Ok(Request::from_parts(parts, Body::from(plain)))
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
    ask(&state, move |store| store.note_dropped(&rows)).await?;
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
