//! Uploads: our own, and those of other tools' clients.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State as Shared;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use serde::Serialize;
use serde_json::{Value, json};
use store::Stored;
use utoipa::ToSchema;

use crate::access::Caller;
use crate::admission::work::run_blocking;
use crate::asking::look_up;
use crate::contents::{Job, Kind};
use crate::ingest::store_within;
use crate::metadata::Metadata;
use crate::metrics::count;
use crate::part_headers::metadata;
use crate::problem::Problem;
use crate::reading::NotTaken;
use crate::refused::Refused;
use crate::state::State;
use crate::uploaded::Uploaded;

/// The size of the uploads after which those before are stored, and of their profiles in
/// memory, which are some times as large.
const MAX_TOGETHER: u64 = 4 << 20;
const MAX_MEMORY: u64 = 16 << 20;

/// What became of an upload.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Taken {
    /// The runs, in the order in which they were sent.
    runs: Vec<Stored>,
}

/// Stores runs: one as the body, or several as multipart files. Any format,
/// gzip, zstd or plain. The headers X-Xhprof-App, -Route, -Release, -Host,
/// -Title, -Rate and -Tag (`name=value`) replace what the profiles say. X-Xhprof-File
/// is the file's name: XHProf's saved runs are called `ID.NAME.xhprof`.
#[utoipa::path(post, path = "/api/v1/runs", request_body(content_type = "application/octet-stream"), responses((status = 201, body = Taken), (status = 422), (status = 413), (status = 429), (status = 507)))]
pub(crate) async fn put_runs(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<(StatusCode, Json<Taken>), Problem> {
    let metadata = metadata(&headers)?;
    let job = Job::of(Kind::Files, &headers);
    let runs = stored(&state, &caller, job, body, metadata).await?;
    if runs.is_empty() {
        return Err(Problem::bad("the upload has no file"));
    }
    Ok((StatusCode::CREATED, Json(Taken { runs })))
}

/// Reads a body and stores its profiles, up to the first that is refused.
pub(super) async fn stored(
    state: &Arc<State>,
    caller: &Caller,
    job: Job,
    body: Bytes,
    metadata: Metadata,
) -> Result<Vec<Stored>, Problem> {
    let mut reading = state.config.readers.read_body(job, body).await?;
    let mut stored = Vec::new();
    let mut together = Together::default();
    let mut refused = None;
    while let Some(next) = reading.next().await {
        match next {
            Ok(Ok(upload)) => together.add(upload.with(&metadata), caller),
            Ok(Err(reason)) => {
                refused = Some(not_read(state, caller, reason));
                break;
            }
            // Of a body that is broken nothing is stored, as far as that is known in time.
            Err(problem) => return Err(problem),
        }
        if together.is_large() {
            for outcome in stored_all(state, caller, together.take()).await? {
                stored.push(outcome?);
            }
        }
    }
    // Another upload gets the process.
    drop(reading);
    for outcome in stored_all(state, caller, together.take()).await? {
        stored.push(outcome?);
    }
    match refused {
        None => Ok(stored),
        Some(problem) => Err(problem),
    }
}

/// Profiles that will be stored together.
#[derive(Debug, Default)]
pub(super) struct Together {
    uploads: Vec<Uploaded>,
    bytes: u64,
    memory: u64,
}

impl Together {
    /// Adds a profile: that of the application of the token, if it has one.
    pub(super) fn add(&mut self, upload: Uploaded, caller: &Caller) {
        let upload = match &caller.app {
            Some(app) => upload.with(&Metadata {
                tags: vec![("app".to_owned(), app.clone())],
                ..Metadata::default()
            }),
            None => upload,
        };
        self.bytes += upload.bytes;
        self.memory += upload.lease.bytes();
        self.uploads.push(upload);
    }

    /// Whether it is time to store them.
    pub(super) fn is_large(&self) -> bool {
        self.bytes > MAX_TOGETHER || self.memory > MAX_MEMORY
    }

    /// All of them.
    pub(super) fn take(&mut self) -> Vec<Uploaded> {
        std::mem::take(self).uploads
    }
}

/// Stores profiles together, on a thread that may wait.
pub(super) async fn stored_all(
    state: &Arc<State>,
    caller: &Caller,
    uploads: Vec<Uploaded>,
) -> Result<Vec<Result<Stored, Problem>>, Problem> {
    if uploads.is_empty() {
        return Ok(Vec::new());
    }
    let store = Arc::clone(&state.config.store);
    let quotas = Arc::clone(&state.quotas);
    let put = move || store_within(&quotas, &*store, uploads);
    // Not the permits of questions, which would wait for a database.
    let outcomes = run_blocking(&state.admission.write_slots, put)
        .await?
        .into_iter();
    let counted = outcomes.map(|outcome| match outcome {
        Ok(stored) => {
            let counters = &state.counters;
            count(if stored.is_new {
                &counters.taken
            } else {
                &counters.known
            });
            Ok(stored)
        }
        Err(error) => Err(not_taken(state, caller, error)),
    });
    Ok(counted.collect())
}

/// Counts a profile that could not be read, and logs why.
pub(super) fn not_read(state: &State, caller: &Caller, refused: Refused) -> Problem {
    state.counters.refuse(&caller.name, &refused.reason);
    tracing::warn!(
        by = caller.name,
        error = refused.reason,
        "an upload was refused"
    );
    refused.into()
}

/// Counts what was not taken, and logs it.
fn not_taken(state: &State, caller: &Caller, error: NotTaken) -> Problem {
    if let NotTaken::OverQuota(over) = error {
        count(&state.counters.over_quota);
        return over.into();
    }
    state.counters.refuse(&caller.name, &error.to_string());
    if !matches!(error, NotTaken::Store(_)) {
        tracing::warn!(by = caller.name, %error, "an upload was refused");
    }
    error.into()
}

/// Refuses the sender of one application whose quota is used up, before its upload
/// is read. The application of other senders is in their profiles.
pub(crate) async fn within_quota(state: &Arc<State>, caller: &Caller) -> Result<(), Problem> {
    let Some(app) = caller.app.clone() else {
        return Ok(());
    };
    let quotas = Arc::clone(&state.quotas);
    let over = look_up(state, move |store| quotas.check(store, &app)).await?;
    match over {
        None => Ok(()),
        Some(over) => {
            count(&state.counters.over_quota);
            Err(over.into())
        }
    }
}

/// What XHGui's clients (perftools/php-profiler) send.
pub(crate) async fn import_xhgui(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let size = body.len();
    let job = Job::of(Kind::File, &headers);
    stored(&state, &caller, job, body, Metadata::default()).await?;
    Ok(Json(json!({ "ok": true, "size": size })))
}

/// What Buggregator's clients send.
pub(crate) async fn import_buggregator(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let job = Job::of(Kind::Buggregator, &headers);
    stored(&state, &caller, job, body, Metadata::default()).await?;
    Ok(StatusCode::OK)
}
