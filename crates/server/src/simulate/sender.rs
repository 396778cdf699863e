//! Sends runs to a server, in batches as an agent does.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use ureq::Agent;
use ureq::http::{StatusCode, header};

use super::{Made, Taken, ended};
use crate::serve::token;

/// The longest time of one batch.
const TIMEOUT: Duration = Duration::from_secs(120);

/// How long a server may be busy or away.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is between the parts of a batch. No native file has it in it: it would be a
/// line of text.
const BOUNDARY: &str = "simulated-runs-8b1f0c52a7d94e63";

const LEVEL: i32 = 1;

/// A server.
pub(super) struct Sender {
    agent: Agent,
    address: String,
    token: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    runs: Vec<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    status: u16,
    error: Option<String>,
}

/// Why a batch was not taken, and whether it may be later.
enum Failed {
    Later(String, Option<Duration>),
    Never(String),
}

impl Sender {
    pub(super) fn new(url: &str, token_file: Option<&Path>) -> Result<Self> {
        let server = url.trim_end_matches('/');
        if !(server.starts_with("http://") || server.starts_with("https://")) {
            bail!("--to {server}: not an address; use one such as http://127.0.0.1:8470");
        }
        let config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .build();
        Ok(Self {
            agent: Agent::from(config),
            address: format!("{server}/api/v1/runs/batch"),
            token: token(token_file)?,
        })
    }

    /// Sends a batch until the server has it.
    pub(super) fn send(&self, runs: &[Made], is_over: &AtomicBool) -> Result<Taken> {
        let body = body(runs).context("cannot compress a batch")?;
        let mut failing: Option<Instant> = None;
        loop {
            match self.once(&body, runs.len()) {
                Ok(taken) => return Ok(taken),
                Err(Failed::Never(reason)) => bail!("{}: {reason}", self.address),
                Err(Failed::Later(reason, after)) => {
                    let since = *failing.get_or_insert_with(Instant::now);
                    if since.elapsed() > PATIENCE {
                        let seconds = PATIENCE.as_secs();
                        bail!("{}: {reason}, for {seconds} seconds", self.address);
                    }
                    let after = after.unwrap_or(Duration::from_millis(500));
                    thread::sleep(after.min(Duration::from_secs(10)));
                }
            }
            if is_over.load(Ordering::Relaxed) {
                return Err(ended());
            }
        }
    }

    fn once(&self, body: &[u8], length: usize) -> Result<Taken, Failed> {
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let request = self.agent.post(&self.address);
        let mut request = request
            .header(header::CONTENT_TYPE, kind)
            .header(header::CONTENT_ENCODING, "zstd");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let answer = request.send(body);
        let mut answer = answer.map_err(|error| Failed::Later(error.to_string(), None))?;
        let status = answer.status();
        let after = answer.headers().get(header::RETRY_AFTER);
        let after = after.and_then(|after| after.to_str().ok()?.parse().ok());
        let text = answer.body_mut().read_to_string().unwrap_or_default();
        if status == StatusCode::OK {
            return taken(&text, length);
        }
        let line = text.trim().lines().next().unwrap_or_default();
        let reason = format!("the server answered {status}: {line}");
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
                Err(Failed::Later(reason, after.map(Duration::from_secs)))
            }
            status if status.is_server_error() && status != StatusCode::INSUFFICIENT_STORAGE => {
                Err(Failed::Later(reason, after.map(Duration::from_secs)))
            }
            _ => Err(Failed::Never(reason)),
        }
    }
}

/// The outcomes of the runs of a batch.
fn taken(text: &str, length: usize) -> Result<Taken, Failed> {
    let other = || Failed::Never("this is no server of `xhprof serve`".to_owned());
    let answer: Answer = serde_json::from_str(text).map_err(|_| other())?;
    if answer.runs.len() != length {
        return Err(other());
    }
    let mut taken = Taken::default();
    for run in answer.runs {
        match run.status {
            201 => taken.stored += 1,
            200 => taken.known += 1,
            status => {
                let error = run.error.unwrap_or_default();
                return Err(Failed::Never(format!(
                    "a run was refused: {status} {error}"
                )));
            }
        }
    }
    Ok(taken)
}

fn body(runs: &[Made]) -> std::io::Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    for run in runs {
        write!(
            encoder,
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"run\"; filename=\"run\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        )?;
        encoder.write_all(&run.file)?;
        encoder.write_all(b"\r\n")?;
    }
    write!(encoder, "--{BOUNDARY}--\r\n")?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_of_an_answer_is_counted_and_a_refused_one_is_an_error() {
        let text = r#"{"runs":[{"status":201,"id":"a"},{"status":200,"id":"b"}]}"#;
        let counts = taken(text, 2).ok().map(|of| (of.stored, of.known));
        assert_eq!(counts, Some((1, 1)));
        assert!(taken(text, 3).is_err());
        assert!(taken("<html>", 1).is_err());
        let refused = r#"{"runs":[{"status":422,"error":"no profile"}]}"#;
        let Err(Failed::Never(reason)) = taken(refused, 1) else {
            panic!("taken")
        };
        assert_eq!(reason, "a run was refused: 422 no profile");
    }
}
