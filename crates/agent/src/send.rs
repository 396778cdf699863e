//! Sends a batch to a server of ours, and says what its answer means.

use std::time::Duration;

use serde::Deserialize;
use ureq::SendBody;

use crate::batch::Batch;
use crate::client::{Answered, Client, Later, error_in, is_token, reason, secret};
use crate::dropped::{Reason, Report};
use crate::error::Result;
use crate::options::{Options, Target};
use crate::pace::{Paced, time};

/// Why a run is not taken, and never will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) why: Reason,
    pub(crate) text: String,
}

/// What became of a batch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server has answered for each run: none if it has the run, else why it
    /// refuses it.
    Taken(Vec<Option<Refusal>>),
    /// The server refuses the batch as it is; with fewer runs it may take it.
    Refused { is_too_large: bool, reason: String },
    /// The server has not acknowledged the batch.
    Later(Later),
}

/// Sends to one target.
#[derive(Debug)]
pub(crate) struct Sender {
    client: Client,
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

impl RunAnswer {
    fn refusal(self) -> Option<Refusal> {
        let why = match self.status {
            200..=299 => return None,
            429 => Reason::OverQuota,
            _ => Reason::Refused,
        };
        let text = || format!("status {}", self.status);
        Some(Refusal {
            why,
            text: self.error.unwrap_or_else(text),
        })
    }
}

impl Sender {
    pub(crate) fn new(options: &Options, target: &Target) -> Result<Self> {
        Ok(Self {
            client: Client::new(options, &target.url)?,
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
        let token = secret(file)?;
        if !is_token(&token) {
            let file = file.display();
            return Err(Later::new(format!("{file}: it has not one token")));
        }
        Ok(Some(token))
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
            Ok(answer) => self.meaning(&answer, batch.contents.parts.len()),
            Err(later) => Outcome::Later(later),
        }
    }

    /// Sends the dropped counters. True if the server has them; false if it
    /// never takes them.
    pub(crate) fn report(&self, report: &Report) -> std::result::Result<bool, Later> {
        let json = serde_json::to_vec(report).map_err(|error| Later::new(error.to_string()))?;
        let kind = ("application/json", None, json.len() as u64);
        let body = SendBody::from_owned_reader(std::io::Cursor::new(json));
        let answer = self.post("/api/v1/dropped", kind, body, self.timeout)?;
        match answer.status.as_u16() {
            200..=299 => Ok(true),
            // An older server, or rows that this one does not take.
            400 | 404 | 405 | 413 | 415 | 422 => {
                let reason = reason(&answer.text());
                let status = answer.status;
                tracing::warn!(target = self.target.url, %status, reason, "no report of dropped runs");
                Ok(false)
            }
            _ => Err(self.later(&answer)),
        }
    }

    fn post(
        &self,
        path: &str,
        (kind, encoding, length): (&str, Option<&str>, u64),
        body: SendBody<'_>,
        timeout: Duration,
    ) -> std::result::Result<Answered, Later> {
        let mut headers = vec![
            ("Content-Type", kind.to_owned()),
            ("Accept", "application/json".to_owned()),
            // The server may refuse it before it is sent.
            ("Expect", "100-continue".to_owned()),
        ];
        headers.extend(encoding.map(|encoding| ("Content-Encoding", encoding.to_owned())));
        let token = self.token()?;
        headers.extend(token.map(|token| ("Authorization", format!("Bearer {token}"))));
        self.client.post(path, &headers, length, body, timeout)
    }

    fn meaning(&self, answer: &Answered, runs: usize) -> Outcome {
        let text = answer.text();
        let is_ours = error_in(&text).is_some();
        match answer.status.as_u16() {
            200 | 201 => match serde_json::from_str::<Answer>(&text) {
                Ok(answer) if answer.runs.len() == runs => {
                    let runs = answer.runs.into_iter().map(RunAnswer::refusal);
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
                reason: reason(&text),
            },
            408 if runs > 1 => Outcome::Refused {
                is_too_large: true,
                reason: reason(&text),
            },
            // Of others, such as a proxy that wants HTTPS, it says nothing about
            // the runs.
            400 | 422 if is_ours => Outcome::Refused {
                is_too_large: false,
                reason: reason(&text),
            },
            _ => Outcome::Later(self.later(answer)),
        }
    }

    fn later(&self, answer: &Answered) -> Later {
        let hint = match answer.status.as_u16() {
            401 => "; --token-file needs a token of this server",
            403 => "; the token needs the scope write",
            404 | 405 | 415 => "; is it a server of `xhprof serve` of this version?",
            300..=399 => "; use the address that it leads to",
            _ => "",
        };
        Later::of(&self.target.url, answer, hint)
    }
}
