//! Uploads: our own, and those of other tools' clients.

use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Stored;
use tokio::sync::AcquireError;
use utoipa::ToSchema;

use super::questions::ask;
use crate::access::Caller;
use crate::ingest::{Metadata, Uploaded, read_upload, store_within};
use crate::metrics::count;
use crate::problem::Problem;
use crate::reading::NotTaken;
use crate::state::State;

/// The most files of one upload.
pub(super) const MOST: usize = 100;

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
    request: Request,
) -> Result<(StatusCode, Json<Taken>), Problem> {
    let metadata = metadata(&headers)?;
    let mut runs = Vec::new();
    for file in files(request).await? {
        runs.push(stored(&state, &caller, file, metadata.clone()).await?);
    }
    if runs.is_empty() {
        return Err(Problem::bad("the upload has no file"));
    }
    Ok((StatusCode::CREATED, Json(Taken { runs })))
}

pub(super) async fn files(request: Request) -> Result<Vec<Bytes>, Problem> {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let is_multipart = kind
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("multipart/form-data"));
    if !is_multipart {
        let body = Bytes::from_request(request, &()).await;
        return Ok(vec![body.map_err(|error| {
            Problem::new(error.status(), error.body_text())
        })?]);
    }
    let problem = |status, text| Problem::new(status, text);
    let parts = Multipart::from_request(request, &()).await;
    let mut parts = parts.map_err(|error| problem(error.status(), error.body_text()))?;
    let mut files = Vec::new();
    loop {
        let part = parts.next_field().await;
        let Some(part) = part.map_err(|error| problem(error.status(), error.body_text()))? else {
            return Ok(files);
        };
        if files.len() >= MOST {
            return Err(Problem::bad(format!("an upload has at most {MOST} files")));
        }
        let bytes = part.bytes().await;
        files.push(bytes.map_err(|error| problem(error.status(), error.body_text()))?);
    }
}

/// Reads and stores one profile on a thread that may wait.
pub(super) async fn stored(
    state: &Arc<State>,
    caller: &Caller,
    file: Bytes,
    metadata: Metadata,
) -> Result<Stored, Problem> {
    within_quota(state, caller).await?;
    let upload = read(state, caller, file, metadata).await?;
    let mut outcomes = stored_all(state, caller, vec![upload]).await?;
    let failed = || Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "storing the run failed");
    outcomes.pop().unwrap_or_else(|| Err(failed()))
}

/// Reads a profile on a thread that may wait.
pub(super) async fn read(
    state: &Arc<State>,
    caller: &Caller,
    file: Bytes,
    mut metadata: Metadata,
) -> Result<Uploaded, Problem> {
    if let Some(app) = &caller.app {
        metadata.tags.retain(|(name, _)| name != "app");
        metadata.tags.push(("app".to_owned(), app.clone()));
    }
    let permit = state.busy.acquire().await.map_err(stopping)?;
    let readers = Arc::clone(&state.config.readers);
    let read = move || read_upload(&readers, &file, &metadata);
    let outcome = tokio::task::spawn_blocking(read).await;
    drop(permit);
    let failed = |_| {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "reading the upload failed",
        )
    };
    let outcome = outcome.map_err(failed)?;
    outcome.map_err(|error| not_taken(state, caller, error))
}

/// Stores profiles together, on a thread that may wait.
pub(super) async fn stored_all(
    state: &Arc<State>,
    caller: &Caller,
    uploads: Vec<Uploaded>,
) -> Result<Vec<Result<Stored, Problem>>, Problem> {
    // Not those of questions, which would wait for a database.
    let permit = state.storing.acquire().await.map_err(stopping)?;
    let store = Arc::clone(&state.config.store);
    let quotas = Arc::clone(&state.quotas);
    let put = move || store_within(&quotas, &*store, uploads);
    let outcomes = tokio::task::spawn_blocking(put).await;
    drop(permit);
    let failed = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "storing runs failed");
    let outcomes = outcomes.map_err(failed)?.into_iter();
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

fn stopping(_: AcquireError) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping")
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
pub(super) async fn within_quota(state: &Arc<State>, caller: &Caller) -> Result<(), Problem> {
    let Some(app) = caller.app.clone() else {
        return Ok(());
    };
    let quotas = Arc::clone(&state.quotas);
    let over = ask(state, move |store| quotas.check(store, &app)).await?;
    match over {
        None => Ok(()),
        Some(over) => {
            count(&state.counters.over_quota);
            Err(over.into())
        }
    }
}

/// The metadata in an upload's headers.
pub(super) fn metadata(headers: &HeaderMap) -> Result<Metadata, Problem> {
    let text = |name: &str| -> Result<Option<String>, Problem> {
        let Some(value) = headers.get(name) else {
            return Ok(None);
        };
        let text = std::str::from_utf8(value.as_bytes());
        let text = text.map_err(|_| Problem::bad(format!("the header {name} is not text")))?;
        Ok(Some(text.to_owned()))
    };
    let mut metadata = Metadata {
        host: text("x-xhprof-host")?,
        title: text("x-xhprof-title")?,
        ..Metadata::default()
    };
    if let Some(name) = text("x-xhprof-file")? {
        metadata = metadata.of_file(Path::new(&name));
    }
    for name in ["app", "route", "release", "rate"] {
        if let Some(value) = text(&format!("x-xhprof-{name}"))? {
            metadata.tags.push((name.to_owned(), value));
        }
    }
    for tag in headers.get_all("x-xhprof-tag") {
        let tag = std::str::from_utf8(tag.as_bytes())
            .ok()
            .and_then(|tag| tag.split_once('='));
        let (name, value) = tag.ok_or_else(|| Problem::bad("X-Xhprof-Tag is not name=value"))?;
        metadata.tags.push((name.to_owned(), value.to_owned()));
    }
    Ok(metadata)
}

/// What XHGui's clients (perftools/php-profiler) send.
pub(crate) async fn import_xhgui(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Json<Value>, Problem> {
    let size = body.len();
    stored(&state, &caller, body, Metadata::default()).await?;
    Ok(Json(json!({ "ok": true, "size": size })))
}

/// What Buggregator's clients send.
pub(crate) async fn import_buggregator(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    #[derive(Deserialize)]
    struct Upload {
        app_name: Option<String>,
        hostname: Option<String>,
        #[serde(default)]
        tags: Value,
    }
    let upload: Upload = serde_json::from_slice(&body)
        .map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    let mut metadata = Metadata {
        host: upload.hostname,
        ..Metadata::default()
    };
    if let Some(app) = upload.app_name {
        metadata.tags.push(("app".to_owned(), app));
    }
    for (name, value) in upload.tags.as_object().into_iter().flatten() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        metadata.tags.push((name.clone(), value));
    }
    stored(&state, &caller, body, metadata).await?;
    Ok(StatusCode::OK)
}
