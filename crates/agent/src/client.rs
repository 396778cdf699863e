//! Requests to one address, and what their failures mean.

use std::path::Path;
use std::time::{Duration, SystemTime};

use ureq::http::{HeaderMap, StatusCode};
use ureq::{Agent, SendBody};

use crate::error::{Error, Result};
use crate::options::Options;

/// The longest answer.
const MAX_ANSWER: u64 = 1 << 20;

/// The longest part of an answer in the log.
const MAX_REASON: usize = 300;

/// The longest time of a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Why something is sent again.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Later {
    pub(crate) reason: String,
    /// How long the server asks to wait.
    pub(crate) wait: Option<Duration>,
    /// Whether this batch may be the reason.
    pub(crate) is_of_batch: bool,
}

impl Later {
    pub(crate) fn new(reason: String) -> Self {
        Self {
            reason,
            wait: None,
            is_of_batch: false,
        }
    }

    /// What an answer means that is no acknowledgement.
    pub(crate) fn of(url: &str, answer: &Answered, hint: &str) -> Self {
        let status = answer.status;
        let after = answer.headers.get("retry-after");
        Self {
            reason: format!("{url} answered {status}: {}{hint}", reason(&answer.text())),
            wait: after.and_then(|value| retry_after(value.to_str().ok()?, SystemTime::now())),
            is_of_batch: matches!(status.as_u16(), 408 | 500),
        }
    }
}

/// An answer, whatever its status is.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answered {
    /// The body as text.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// The type of the body, without parameters.
    pub(crate) fn kind(&self) -> &str {
        let kind = self.headers.get("content-type");
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        kind.split(';').next().unwrap_or_default().trim()
    }
}

/// Sends to one address.
#[derive(Debug)]
pub(crate) struct Client {
    agent: Agent,
    /// The address, without a path of its own at the end.
    pub(crate) url: String,
}

impl Client {
    pub(crate) fn new(options: &Options, url: &str) -> Result<Self> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirected upload is not an acknowledged one.
            .max_redirects(0)
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("xhprof-agent/", env!("CARGO_PKG_VERSION")));
        if let Some(file) = &options.ca_file {
            let authorities = authorities::read(file).map_err(|reason| {
                Error::Option(format!("--ca-file {}: {reason}", file.display()))
            })?;
            config = config.tls_config(authorities);
        }
        Ok(Self {
            agent: Agent::from(config.build()),
            url: url.to_owned(),
        })
    }

    /// Sends a body of so many bytes.
    pub(crate) fn post(
        &self,
        path: &str,
        headers: &[(&str, String)],
        length: u64,
        body: SendBody<'_>,
        timeout: Duration,
    ) -> std::result::Result<Answered, Later> {
        let mut request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("Content-Length", length.to_string());
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.config().timeout_global(Some(timeout)).build();
        let unreachable =
            |error: ureq::Error| Later::new(format!("cannot send to {}: {error}", self.url));
        let mut answer = request.send(body).map_err(unreachable)?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let body = answer.body_mut().with_config().limit(MAX_ANSWER);
        Ok(Answered {
            status,
            headers,
            body: body.read_to_vec().map_err(unreachable)?,
        })
    }
}

/// The text of a file with a secret, as it is now.
pub(crate) fn secret(file: &Path) -> std::result::Result<String, Later> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Later::new(format!("cannot read {}: {error}", file.display())))?;
    Ok(text.trim().to_owned())
}

/// Whether a text can be a token.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Seconds, or a date.
fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// The sentence in an answer of a server of ours.
pub(crate) fn error_in(text: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(json.get("error")?.as_str()?.to_owned())
}

/// The sentence in an answer, or its first line.
pub(crate) fn reason(text: &str) -> String {
    let line = || text.trim().lines().next().unwrap_or_default().to_owned();
    let reason = error_in(text).unwrap_or_else(line);
    let shown = reason.chars().filter(|letter| !letter.is_control());
    shown.take(MAX_REASON).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_in_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Mon, 23 Nov 2026 05:00:00 GMT").unwrap();
        let wait = |text| retry_after(text, now);
        assert_eq!(wait("120"), Some(Duration::from_secs(120)));
        assert_eq!(
            wait("Mon, 23 Nov 2026 05:01:00 GMT"),
            Some(Duration::from_secs(60))
        );
        assert_eq!(wait("Mon, 23 Nov 2026 04:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("soon"), None);
    }

    #[test]
    fn the_reason_is_the_sentence_of_the_server() {
        assert_eq!(reason(r#"{"error":"no such\nformat"}"#), "no suchformat");
        assert_eq!(reason("<h1>502</h1>\nmore"), "<h1>502</h1>");
        assert_eq!(reason(&"x".repeat(1000)).len(), MAX_REASON);
    }
}
