//! What Sentry gets of a run: an envelope with a transaction and its profile.
//!
//! Sentry shows a profile only with a transaction of the same id, so the agent sends both. In
//! the trace of the request, the transaction stands below the span that the run names.

use std::time::Duration;

use profile::{Profile, WallUnit};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::options::{Protocol, Target};

/// The header with the key of the project.
pub(crate) const AUTH: &str = "X-Sentry-Auth";

impl Target {
    /// The project of a DSN: `https://KEY@o1.ingest.sentry.io/42`. None if it is none.
    #[must_use]
    pub fn of_dsn(dsn: &str) -> Option<Self> {
        let (scheme, rest) = dsn.trim().split_once("://")?;
        let (key, place) = rest.split_once('@')?;
        // An old DSN has a secret behind the key; it is not sent any more.
        let key = key.split(':').next()?;
        let (address, project) = place.trim_end_matches('/').rsplit_once('/')?;
        let is_word =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let is_right = matches!(scheme, "http" | "https")
            && is_word(key)
            && is_word(project)
            && !address.is_empty();
        let (server, path) = address.split_once('/').unwrap_or((address, ""));
        let path = if path.is_empty() {
            String::new()
        } else {
            format!("/{path}")
        };
        is_right.then(|| Self {
            protocol: Protocol::Sentry,
            url: format!("{scheme}://{server}{path}/api/{project}"),
            token_file: None,
            token: Some(key.to_owned()),
        })
    }
}

/// The value of [`AUTH`].
pub(crate) fn auth(key: &str) -> String {
    format!(
        "Sentry sentry_version=7, sentry_client=xhprof-agent/{}, sentry_key={key}",
        env!("CARGO_PKG_VERSION")
    )
}

/// What the transaction has of the profile as it is written.
#[derive(Deserialize)]
struct Item {
    event_id: String,
    release: String,
    environment: String,
    transaction: Ids,
}

#[derive(Deserialize)]
struct Ids {
    id: String,
    name: String,
    trace_id: String,
}

/// The first line of an item.
#[derive(Serialize)]
struct ItemHead {
    r#type: &'static str,
    length: usize,
}

/// The path of an envelope, below the address of the project.
pub(crate) const PATH: &str = "/envelope/";

/// The type of an envelope.
pub(crate) const KIND: &str = "application/x-sentry-envelope";

/// The envelope of a run that `app` made on `host`; `item` is its profile as it is written.
pub(crate) fn envelope(
    profile: &Profile,
    item: &[u8],
    app: &str,
    host: &str,
) -> serde_json::Result<Vec<u8>> {
    let file = item;
    let item: Item = serde_json::from_slice(file)?;
    let began = profile.meta.started_unix_us.unwrap_or_default();
    let tag = |name: &str| profile.meta.tag(name).filter(|value| !value.is_empty());
    let seconds = |microseconds: u64| Duration::from_micros(microseconds).as_secs_f64();
    let wall = profile.tree().map_or(0, |tree| tree.root_cost().wall);
    let wall = match profile.metrics.wall_unit {
        WallUnit::Nanoseconds => wall,
        WallUnit::Samples => wall.saturating_mul(profile.meta.interval_ns.unwrap_or(1_000_000)),
    };
    let is_failed = tag("failed").is_some_and(|failed| failed != "0");
    // A span of its own, of the id of the run.
    let span = item.transaction.id.get(..16).unwrap_or_default();
    let transaction = json!({
        "event_id": item.transaction.id,
        "type": "transaction",
        "platform": "php",
        "transaction": item.transaction.name,
        "transaction_info": { "source": if tag("route").is_some() { "route" } else { "custom" } },
        "start_timestamp": seconds(began),
        "timestamp": seconds(began.saturating_add(wall / 1000)),
        "release": (!item.release.is_empty()).then_some(&item.release),
        "environment": item.environment,
        "server_name": host,
        "tags": { "app": app },
        "contexts": {
            "trace": {
                "trace_id": item.transaction.trace_id,
                "span_id": span,
                "parent_span_id": tag("span_id"),
                "op": if tag("method").is_some() { "http.server" } else { "function" },
                "status": if is_failed { "internal_error" } else { "ok" },
            },
            "profile": { "profile_id": item.event_id },
            "runtime": { "name": "php", "version": profile.meta.php_version },
        },
        "spans": [],
        "sdk": { "name": "xhprof-agent", "version": env!("CARGO_PKG_VERSION") },
    });
    let transaction = serde_json::to_vec(&transaction)?;
    let head = json!({ "event_id": item.transaction.id });
    let mut bytes = serde_json::to_vec(&head)?;
    for (r#type, item) in [("transaction", &transaction[..]), ("profile", file)] {
        let length = item.len();
        bytes.push(b'\n');
        bytes.extend(serde_json::to_vec(&ItemHead { r#type, length })?);
        bytes.push(b'\n');
        bytes.extend(item);
    }
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dsn_names_a_project_and_its_key() {
        for (dsn, url) in [
            (
                "https://abc123@o1.ingest.sentry.io/42\n",
                "https://o1.ingest.sentry.io/api/42",
            ),
            (
                "http://abc123:old@127.0.0.1:9000/42",
                "http://127.0.0.1:9000/api/42",
            ),
            (
                "https://abc123@example.com/sentry/42/",
                "https://example.com/sentry/api/42",
            ),
        ] {
            let target = Target::of_dsn(dsn).unwrap();
            assert_eq!(target.url, url);
            assert_eq!(target.token.as_deref(), Some("abc123"));
            assert!(!target.name().contains("abc123"), "names are logged");
        }
        for wrong in [
            "",
            "https://o1/42",
            "https://a@o1",
            "https://@o1/42",
            "ftp://a@o1/42",
            "a@o1/42",
        ] {
            assert_eq!(Target::of_dsn(wrong), None, "{wrong}");
        }
    }
}
