//! What Pyroscope's clients send: to `/ingest` pprof or collapsed stacks, and
//! since 2025 to `/push.v1.PusherService/Push` pprof in protobuf.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Query, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use serde::Deserialize;

use super::uploads::stored;
use crate::access::Caller;
use crate::contents::{Job, Kind};
use crate::metadata::Metadata;
use crate::problem::Problem;
use crate::state::State;

/// The query of Pyroscope's clients.
#[derive(Debug, Deserialize)]
pub(crate) struct PyroscopeQuery {
    /// `app.cpu{host=a,release=1}`.
    #[serde(default)]
    name: String,
    /// The begin, in seconds since 1970, or in smaller units.
    from: Option<u64>,
}

/// What Pyroscope's clients send: pprof or collapsed stacks.
pub(crate) async fn import_pyroscope(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<PyroscopeQuery>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let metadata = Metadata {
        started_us: query.from.map(microseconds),
        ..pyroscope_metadata(&query.name)
    };
    let job = Job::of(Kind::Ingest, &headers);
    stored(&state, &caller, job, body, metadata).await?;
    Ok(StatusCode::OK)
}

/// Takes a push. The answer is an empty message of protobuf.
pub(crate) async fn push_pyroscope(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<([(header::HeaderName, &'static str); 1], &'static [u8]), Problem> {
    let job = Job::of(Kind::Push, &headers);
    stored(&state, &caller, job, body, Metadata::default()).await?;
    Ok(([(header::CONTENT_TYPE, "application/proto")], &[]))
}

/// A time since 1970 in a unit that its size tells, as Pyroscope takes it.
fn microseconds(time: u64) -> u64 {
    match time {
        0..100_000_000_000 => time * 1_000_000,
        100_000_000_000..100_000_000_000_000 => time * 1_000,
        100_000_000_000_000..100_000_000_000_000_000 => time,
        _ => time / 1_000,
    }
}

fn pyroscope_metadata(name: &str) -> Metadata {
    let (app, tags) = name.split_once('{').unwrap_or((name, ""));
    let mut metadata = Metadata::default();
    if !app.is_empty() {
        metadata.tags.push(("app".to_owned(), app.to_owned()));
    }
    for tag in tags.trim_end_matches('}').split(',') {
        let Some((name, value)) = tag.split_once('=') else {
            continue;
        };
        let (name, value) = (name.trim(), value.trim().trim_matches('"').to_owned());
        match name {
            "host" | "hostname" => metadata.host = Some(value),
            "" | "app" => {}
            name => metadata.tags.push((name.to_owned(), value)),
        }
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_pyroscope_has_tags() {
        let metadata = pyroscope_metadata("shop.cpu{host=web1,release=\"7\",x}");
        assert_eq!(metadata.host.as_deref(), Some("web1"));
        let tags = [("app", "shop.cpu"), ("release", "7")];
        assert_eq!(
            metadata.tags,
            tags.map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
        assert_eq!(pyroscope_metadata("").tags, []);
    }

    #[test]
    fn a_time_of_pyroscope_may_have_any_unit() {
        let second = 1_793_491_200;
        for unit in [1, 1_000, 1_000_000, 1_000_000_000] {
            assert_eq!(microseconds(second * unit), second * 1_000_000, "{unit}");
        }
    }
}
