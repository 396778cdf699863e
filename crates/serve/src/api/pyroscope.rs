//! What Pyroscope's clients send: to `/ingest` pprof or collapsed stacks, and
//! since 2025 to `/push.v1.PusherService/Push` pprof in protobuf.

use std::io::Read;
use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Query, Request, State as Shared};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use prost::Message;
use serde::Deserialize;

use super::uploads::{files, stored};
use crate::access::Caller;
use crate::ingest::Metadata;
use crate::problem::Problem;
use crate::reading::MAX_UNPACKED;
use crate::state::State;

/// The most profiles of one push.
const MOST: usize = 100;

/// The largest push, unpacked. Its profiles are packed themselves.
const MAX_PUSH: u64 = 128 << 20;
const _: () = assert!(MAX_PUSH <= MAX_UNPACKED);

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
    request: Request,
) -> Result<StatusCode, Problem> {
    let metadata = Metadata {
        started_us: query.from.map(microseconds),
        ..pyroscope_metadata(&query.name)
    };
    let is_multipart = request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"multipart/form-data"));
    // Clients send the names of the types beside the profile, which comes first.
    let file = if is_multipart {
        profile_part(request).await?
    } else {
        files(request).await?.into_iter().next().unwrap_or_default()
    };
    stored(&state, &caller, file, metadata).await?;
    Ok(StatusCode::OK)
}

async fn profile_part(request: Request) -> Result<Bytes, Problem> {
    let parts = Multipart::from_request(request, &()).await;
    let mut parts = parts.map_err(|error| Problem::new(error.status(), error.body_text()))?;
    while let Some(part) = parts
        .next_field()
        .await
        .map_err(|error| Problem::new(error.status(), error.body_text()))?
    {
        if part.name() == Some("profile") {
            let bytes = part.bytes().await;
            return bytes.map_err(|error| Problem::new(error.status(), error.body_text()));
        }
    }
    Err(Problem::bad("the upload has no part `profile`"))
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

/// `push.v1.PushRequest`, as far as it is used.
#[derive(Clone, PartialEq, Message)]
struct PushRequest {
    #[prost(message, repeated, tag = "1")]
    series: Vec<Series>,
}

/// Profiles with the same labels.
#[derive(Clone, PartialEq, Message)]
struct Series {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

/// One profile.
#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(bytes = "bytes", tag = "1")]
    raw_profile: Bytes,
}

/// Takes a push. The answer is an empty message of protobuf.
pub(crate) async fn push_pyroscope(
    Shared(state): Shared<Arc<State>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<([(header::HeaderName, &'static str); 1], &'static [u8]), Problem> {
    let refused = |reason: String| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, reason);
    let body = unpacked(&headers, body).map_err(refused)?;
    let request = PushRequest::decode(body);
    let request = request.map_err(|error| refused(format!("no push of Pyroscope: {error}")))?;
    let count: usize = request.series.iter().map(|one| one.samples.len()).sum();
    if count > MOST {
        return Err(Problem::bad(format!("a push has at most {MOST} profiles")));
    }
    for series in request.series {
        let metadata = label_metadata(series.labels);
        for sample in series.samples {
            stored(&state, &caller, sample.raw_profile, metadata.clone()).await?;
        }
    }
    Ok(([(header::CONTENT_TYPE, "application/proto")], &[]))
}

fn unpacked(headers: &HeaderMap, body: Bytes) -> Result<Bytes, String> {
    match headers
        .get(header::CONTENT_ENCODING)
        .map(HeaderValue::as_bytes)
    {
        None | Some(b"identity") => Ok(body),
        Some(b"gzip") => {
            let mut unpacked = Vec::new();
            let decoder = flate2::read::GzDecoder::new(&body[..]);
            let outcome = decoder.take(MAX_PUSH + 1).read_to_end(&mut unpacked);
            outcome.map_err(|error| format!("not gzip: {error}"))?;
            if unpacked.len() as u64 > MAX_PUSH {
                return Err(format!("a push has at most {} MiB", MAX_PUSH >> 20));
            }
            Ok(unpacked.into())
        }
        Some(other) => Err(format!(
            "the encoding {} is not known; use gzip",
            String::from_utf8_lossy(other)
        )),
    }
}

fn label_metadata(labels: Vec<Label>) -> Metadata {
    let mut metadata = Metadata::default();
    for Label { name, value } in labels {
        match name.as_str() {
            "service_name" => metadata.tags.push(("app".to_owned(), value)),
            "host" | "hostname" => metadata.host = Some(value),
            // `__name__` and others of Pyroscope itself; the profile has its type.
            "" | "app" => {}
            name if name.starts_with("__") => {}
            _ => metadata.tags.push((name, value)),
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
    fn labels_of_a_push_are_tags() {
        let label = |name: &str, value: &str| Label {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let metadata = label_metadata(vec![
            label("__name__", "process_cpu"),
            label("service_name", "shop"),
            label("hostname", "web1"),
            label("release", "7"),
        ]);
        assert_eq!(metadata.host.as_deref(), Some("web1"));
        let tags = [("app", "shop"), ("release", "7")];
        assert_eq!(
            metadata.tags,
            tags.map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }

    #[test]
    fn a_time_of_pyroscope_may_have_any_unit() {
        let second = 1_793_491_200;
        for unit in [1, 1_000, 1_000_000, 1_000_000_000] {
            assert_eq!(microseconds(second * unit), second * 1_000_000, "{unit}");
        }
    }
}
