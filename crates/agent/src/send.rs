//! Sends a batch, and says what its answer means.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use ureq::http::{HeaderMap, StatusCode};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, SendBody};

use crate::batch::Batch;
use crate::dropped::Report;
use crate::error::{Error, Result};
use crate::options::{Options, Target};
use crate::pace::{Paced, time};

/// The longest answer.
const MAX_ANSWER: u64 = 1 << 20;

/// The longest part of an answer in the log.
const MAX_REASON: usize = 300;

/// The longest time of a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// What became of a batch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server has answered for each run: none if it has the run, else why it
    /// refuses it.
    Taken(Vec<Option<String>>),
    /// The server refuses the batch as it is; with fewer runs it may take it.
    Refused { is_too_large: bool, reason: String },
    /// The server has not acknowledged the batch.
    Later(Later),
}

/// Why a batch is sent again.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Later {
    pub(crate) reason: String,
    /// How long the server asks to wait.
    pub(crate) wait: Option<Duration>,
    /// Whether this batch may be the reason.
    pub(crate) is_of_batch: bool,
}

impl Later {
    fn new(reason: String) -> Self {
        Self {
            reason,
            wait: None,
            is_of_batch: false,
        }
    }
}

/// Sends to one target.
#[derive(Debug)]
pub(crate) struct Sender {
    agent: Agent,
    target: Target,
    bandwidth: Option<u64>,
    timeout: Duration,
}

/// The answer to a batch.
#[derive(Deserialize)]
struct Answer {
    runs: Vec<RunAnswer>,
}

#[derive(Deserialize)]
struct RunAnswer {
    status: u16,
    error: Option<String>,
}

impl Sender {
    pub(crate) fn new(options: &Options, target: &Target) -> Result<Self> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirected upload is not an acknowledged one.
            .max_redirects(0)
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("xhprof-agent/", env!("CARGO_PKG_VERSION")));
        if let Some(file) = &options.ca_file {
            let roots = RootCerts::new_with_certs(&certificates(file)?);
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self {
            agent: Agent::from(config.build()),
            target: target.clone(),
            bandwidth: options.bandwidth,
            timeout: options.timeout,
        })
    }

    /// The token, as it is now.
    fn token(&self) -> std::result::Result<Option<String>, Later> {
        let Some(file) = &self.target.token_file else {
            return Ok(self.target.token.clone());
        };
        let text = std::fs::read_to_string(file)
            .map_err(|error| Later::new(format!("cannot read {}: {error}", file.display())))?;
        let token = text.trim();
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let file = file.display();
            return Err(Later::new(format!("{file}: it has not one token")));
        }
        Ok(Some(token.to_owned()))
    }

    /// Sends a batch.
    pub(crate) fn send(&self, batch: &Batch) -> Outcome {
        let body = match batch.body() {
            Ok(body) => body,
            Err(error) => return Outcome::Later(Later::new(error.to_string())),
        };
        let mut body = Paced::new(body, self.bandwidth);
        let boundary = &batch.contents.boundary;
        let kind = format!("multipart/form-data; boundary={boundary}");
        let encoding = batch.contents.is_packed.then_some("zstd");
        let slowest = self.bandwidth.map(|rate| time(batch.body, rate));
        let timeout = self.timeout + slowest.unwrap_or_default();
        let answer = self.post(
            "/api/v1/runs/batch",
            (&kind, encoding, batch.body),
            SendBody::from_reader(&mut body),
            timeout,
        );
        match answer {
            Ok((status, headers, text)) => {
                self.meaning(status, &headers, &text, batch.contents.parts.len())
            }
            Err(later) => Outcome::Later(later),
        }
    }

    /// Sends the dropped counters. True if the server has them; false if it
    /// never takes them.
    pub(crate) fn report(&self, report: &Report) -> std::result::Result<bool, Later> {
        let json = serde_json::to_vec(report).map_err(|error| Later::new(error.to_string()))?;
        let kind = ("application/json", None, json.len() as u64);
        let body = SendBody::from_owned_reader(std::io::Cursor::new(json));
        let (status, headers, text) = self.post("/api/v1/dropped", kind, body, self.timeout)?;
        match status.as_u16() {
            200..=299 => Ok(true),
            // An older server, or rows that this one does not take.
            400 | 404 | 405 | 413 | 415 | 422 => {
                let reason = reason(&text);
                tracing::warn!(target = self.target.url, %status, reason, "no report of dropped runs");
                Ok(false)
            }
            _ => Err(self.later(status, &headers, &text)),
        }
    }

    fn post(
        &self,
        path: &str,
        (kind, encoding, length): (&str, Option<&str>, u64),
        body: SendBody<'_>,
        timeout: Duration,
    ) -> std::result::Result<(StatusCode, HeaderMap, String), Later> {
        let address = format!("{}{path}", self.target.url);
        let mut request = self
            .agent
            .post(&address)
            .header("Content-Type", kind)
            .header("Content-Length", length.to_string())
            .header("Accept", "application/json")
            // The server may refuse it before it is sent.
            .header("Expect", "100-continue");
        if let Some(encoding) = encoding {
            request = request.header("Content-Encoding", encoding);
        }
        if let Some(token) = self.token()? {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let request = request.config().timeout_global(Some(timeout)).build();
        let unreachable =
            |error: ureq::Error| Later::new(format!("cannot send to {}: {error}", self.target.url));
        let mut answer = request.send(body).map_err(unreachable)?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let text = answer.body_mut().with_config().limit(MAX_ANSWER);
        let text = text.read_to_string().map_err(unreachable)?;
        Ok((status, headers, text))
    }

    fn meaning(&self, status: StatusCode, headers: &HeaderMap, text: &str, runs: usize) -> Outcome {
        let is_ours = error_in(text).is_some();
        match status.as_u16() {
            200 | 201 => match serde_json::from_str::<Answer>(text) {
                Ok(answer) if answer.runs.len() == runs => {
                    let runs = answer.runs.into_iter().map(|run| match run.status {
                        200..=299 => None,
                        status => Some(run.error.unwrap_or_else(|| format!("status {status}"))),
                    });
                    Outcome::Taken(runs.collect())
                }
                // A page of a proxy, for instance.
                _ => Outcome::Later(Later::new(format!(
                    "{} is no server of `xhprof serve`",
                    self.target.url
                ))),
            },
            413 => Outcome::Refused {
                is_too_large: true,
                reason: reason(text),
            },
            408 if runs > 1 => Outcome::Refused {
                is_too_large: true,
                reason: reason(text),
            },
            // Of others, such as a proxy that wants HTTPS, it says nothing about
            // the runs.
            400 | 422 if is_ours => Outcome::Refused {
                is_too_large: false,
                reason: reason(text),
            },
            _ => Outcome::Later(self.later(status, headers, text)),
        }
    }

    fn later(&self, status: StatusCode, headers: &HeaderMap, text: &str) -> Later {
        let url = &self.target.url;
        let hint = match status.as_u16() {
            401 => "; --token-file needs a token of this server",
            403 => "; the token needs the scope write",
            404 | 405 | 415 => "; is it a server of `xhprof serve` of this version?",
            300..=399 => "; use the address that it leads to",
            _ => "",
        };
        Later {
            reason: format!("{url} answered {status}: {}{hint}", reason(text)),
            wait: headers
                .get("retry-after")
                .and_then(|value| retry_after(value.to_str().ok()?, SystemTime::now())),
            is_of_batch: matches!(status.as_u16(), 408 | 500),
        }
    }
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
fn error_in(text: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(json.get("error")?.as_str()?.to_owned())
}

/// The sentence in an answer, or its first line.
fn reason(text: &str) -> String {
    let line = || text.trim().lines().next().unwrap_or_default().to_owned();
    let reason = error_in(text).unwrap_or_else(line);
    let shown = reason.chars().filter(|letter| !letter.is_control());
    shown.take(MAX_REASON).collect()
}

/// The certificates of a file.
fn certificates(file: &Path) -> Result<Vec<Certificate<'static>>> {
    let wrong = |reason: &dyn std::fmt::Display| {
        Error::Option(format!("--ca-file {}: {reason}", file.display()))
    };
    let bytes = std::fs::read(file).map_err(|error| wrong(&error))?;
    let items = parse_pem(&bytes).collect::<std::result::Result<Vec<_>, _>>();
    let items = items.map_err(|error| wrong(&error))?;
    let found = items.into_iter().filter_map(|item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        return Err(wrong(&"it has no certificate in PEM"));
    }
    Ok(found)
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
