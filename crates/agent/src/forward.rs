//! Forwards runs to Pyroscope, OpenTelemetry's collectors and Sentry, one request a run.
//!
//! These receivers do not know a run by its content. **Invariant:** a run that the
//! receiver has acknowledged is not sent again while the agent runs; an agent that
//! is killed in the midst of a batch sends the batch again.

use std::collections::HashMap;
use std::io::Cursor;
use std::path::PathBuf;
use std::time::Duration;

use prost::Message;
use ureq::SendBody;

use crate::batch::Batch;
use crate::client::{Answered, Client, Later, is_token, reason, secret};
use crate::convert::{self, Body};
use crate::dropped::Reason;
use crate::error::{Error, Result};
use crate::options::{Options, Protocol, Target};
use crate::pace::{Paced, time};
use crate::send::{Outcome, Refusal};
use crate::sentry;

/// The most batches whose runs are known to be sent.
const MAX_SENT_BATCHES: usize = 1000;

/// Forwards to one target.
#[derive(Debug)]
pub(crate) struct Forwarder {
    client: Client,
    target: Target,
    bandwidth: Option<u64>,
    timeout: Duration,
    /// What became of the first runs of batches that are not done.
    begun: HashMap<PathBuf, Vec<Option<Refusal>>>,
}

/// What became of a run.
enum Sent {
    Taken,
    Refused(Refusal),
    Later(Later),
}

/// `ExportProfilesServiceResponse`, as far as it is used.
#[derive(Clone, PartialEq, Eq, Message)]
struct Exported {
    #[prost(message, optional, tag = "1")]
    partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct PartialSuccess {
    #[prost(int64, tag = "1")]
    rejected_profiles: i64,
    #[prost(string, tag = "2")]
    error_message: String,
}

impl Forwarder {
    pub(crate) fn new(options: &Options, target: &Target) -> Result<Self> {
        Ok(Self {
            client: Client::new(options, &target.url)?,
            target: target.clone(),
            bandwidth: options.bandwidth,
            timeout: options.timeout,
            begun: HashMap::new(),
        })
    }

    /// Sends the runs of a batch that were not sent yet.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`]; [`Error::Queue`].
    pub(crate) fn send(&mut self, batch: &Batch) -> Result<Outcome> {
        let mut answers = self.begun.remove(&batch.path).unwrap_or_default();
        let mut later = None;
        let begun = answers.len();
        let sent = batch.each_run(&mut |number, run| {
            if number < begun {
                return Ok(true);
            }
            let body = convert::body(self.target.protocol, run, batch)?;
            let answer = match body {
                Ok(body) => self.post(&body),
                Err(refusal) => Sent::Refused(refusal),
            };
            match answer {
                Sent::Taken => answers.push(None),
                Sent::Refused(refusal) => answers.push(Some(refusal)),
                Sent::Later(reason) => later = Some(reason),
            }
            Ok(later.is_none())
        });
        match (sent, later) {
            (Ok(()), None) => Ok(Outcome::Taken(answers)),
            (Ok(()), Some(later)) => {
                if self.begun.len() >= MAX_SENT_BATCHES {
                    self.begun.clear();
                }
                self.begun.insert(batch.path.clone(), answers);
                Ok(Outcome::Later(later))
            }
            (Err(error), _) => {
                if !matches!(error, Error::Damaged(..)) {
                    self.begun.insert(batch.path.clone(), answers);
                }
                Err(error)
            }
        }
    }

    /// The headers that authenticate the agent, as their file is now: a token, or lines
    /// such as `X-Scope-OrgID: team`.
    fn secrets(&self) -> std::result::Result<Vec<(String, String)>, Later> {
        if self.target.protocol == Protocol::Sentry {
            let key = self.target.token.iter();
            let headers = key.map(|key| (sentry::AUTH.to_owned(), sentry::auth(key)));
            return Ok(headers.collect());
        }
        let Some(file) = &self.target.token_file else {
            return Ok(Vec::new());
        };
        let text = secret(file)?;
        if is_token(&text) {
            return Ok(vec![("Authorization".to_owned(), format!("Bearer {text}"))]);
        }
        let is_name = |name: &str| {
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            !name.is_empty() && name.bytes().all(is_letter)
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':')?;
            let (name, value) = (name.trim(), value.trim());
            let is_value =
                !value.is_empty() && value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
            (is_name(name) && is_value).then(|| (name.to_owned(), value.to_owned()))
        });
        let headers: Option<Vec<_>> = headers.collect();
        headers
            .filter(|headers| !headers.is_empty())
            .ok_or_else(|| {
                let file = file.display();
                Later::new(format!(
                    "{file}: it has neither one token nor lines such as `X-Scope-OrgID: team`"
                ))
            })
    }

    fn post(&self, body: &Body) -> Sent {
        let secrets = match self.secrets() {
            Ok(secrets) => secrets,
            Err(later) => return Sent::Later(later),
        };
        let mut headers = vec![("Content-Type", body.kind.to_owned())];
        headers.extend(
            body.encoding
                .map(|encoding| ("Content-Encoding", encoding.to_owned())),
        );
        for (name, value) in &secrets {
            headers.push((name, value.clone()));
        }
        let length = body.bytes.len() as u64;
        let mut paced = Paced::new(Cursor::new(&body.bytes), self.bandwidth);
        let slowest = self.bandwidth.map(|rate| time(length, rate));
        let timeout = self.timeout + slowest.unwrap_or_default();
        let reader = SendBody::from_reader(&mut paced);
        match self
            .client
            .post(body.path, &headers, length, reader, timeout)
        {
            Ok(answer) => self.meaning(&answer),
            Err(later) => Sent::Later(later),
        }
    }

    fn meaning(&self, answer: &Answered) -> Sent {
        let refused = |why, text: String| Sent::Refused(Refusal { why, text });
        match answer.status.as_u16() {
            200..=202 => self.acknowledged(answer),
            413 => refused(Reason::TooLarge, reason(&answer.text())),
            // The receivers' own words for an invalid profile.
            400 | 422 if self.is_of_receiver(answer) => {
                refused(Reason::Refused, reason(&answer.text()))
            }
            status => {
                let hint = match status {
                    401 | 403 if self.target.protocol == Protocol::Sentry => {
                        "; is it the DSN of the project?"
                    }
                    401 | 403 => {
                        "; --forward-token-file names a file with a token, or with headers"
                    }
                    400 | 404 | 405 | 415 | 422 => match self.target.protocol {
                        Protocol::Otlp => "; does it take OTLP profiles of release 1.11 over HTTP?",
                        Protocol::Sentry => "; is it Sentry, or a Relay?",
                        _ => "; is it a Pyroscope server?",
                    },
                    300..=399 => "; use the address that it leads to",
                    _ => "",
                };
                Sent::Later(Later::of(&self.target.url, answer, hint))
            }
        }
    }

    /// Whether an answer is one of a receiver, and not of a proxy before it.
    fn is_of_receiver(&self, answer: &Answered) -> bool {
        match self.target.protocol {
            Protocol::Otlp => matches!(
                answer.kind(),
                "application/x-protobuf" | "application/protobuf" | "application/json"
            ),
            _ => matches!(
                answer.kind(),
                "application/proto" | "application/x-protobuf" | "application/json"
            ),
        }
    }

    fn acknowledged(&self, answer: &Answered) -> Sent {
        // An answer without a body may have no type.
        let is_empty = answer.body.is_empty() && answer.kind().is_empty();
        if !is_empty && !self.is_of_receiver(answer) {
            return Sent::Later(Later::new(format!(
                "{} is no receiver of {}: its answer is of the type “{}”",
                self.target.url,
                self.target.protocol.name(),
                answer.kind()
            )));
        }
        if self.target.protocol != Protocol::Otlp || answer.kind() == "application/json" {
            return Sent::Taken;
        }
        match Exported::decode(&answer.body[..]) {
            Ok(Exported {
                partial_success: Some(partial),
            }) if partial.rejected_profiles > 0 => Sent::Refused(Refusal {
                why: Reason::Refused,
                text: reason(&partial.error_message),
            }),
            Ok(_) => Sent::Taken,
            Err(error) => Sent::Later(Later::new(format!(
                "{}: its answer is no ExportProfilesServiceResponse: {error}",
                self.target.url
            ))),
        }
    }
}
