//! `xhprof push`: sends profiles to a server.
//!
//! **Invariant:** a file that the server refuses does not keep the others from
//! being sent. An error that every file would get ends the command.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use ureq::Agent;
use ureq::http::StatusCode;

use super::sent::{Outcome, Outcomes};
use crate::args::PushArguments;
use cli::directory::{self, Found};
use cli::progress::{Progress, Work};
use cli::{input, operand};

/// The longest time of one upload.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Sends the files, one by one. Returns 1 if a file was not sent.
pub(crate) fn push(arguments: &PushArguments) -> Result<u8> {
    let server = arguments.to.trim_end_matches('/');
    if !(server.starts_with("http://") || server.starts_with("https://")) {
        bail!("--to {server}: not an address; use one such as http://127.0.0.1:8470");
    }
    let sender = Sender {
        agent: agent(),
        server,
        token: token(arguments.token_file.as_deref())?,
        tags: super::tags(&arguments.tags),
    };
    let files = directory::files(&arguments.files, None)?;
    let progress = Progress::new("sending", Work::Files(files.len() as u64));
    let mut outcomes = Outcomes::new(server);
    for file in &files {
        let outcome = sender.outcome(file);
        let is_end = matches!(outcome, Outcome::Ended(_));
        outcomes.add(file, outcome);
        if is_end {
            break;
        }
        progress.add(1);
    }
    drop(progress);
    outcomes.report(arguments, files.len())
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .build();
    Agent::from(config)
}

/// What all uploads have in common.
struct Sender<'a> {
    agent: Agent,
    server: &'a str,
    token: Option<String>,
    tags: Vec<(String, String)>,
}

/// The answer to an upload.
#[derive(Deserialize)]
struct Answer {
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    id: String,
    is_new: bool,
}

impl Sender<'_> {
    fn outcome(&self, file: &Found) -> Outcome {
        match input::bytes(&file.path) {
            Ok(bytes) => self.sent(&file.path, &bytes),
            Err(error) => Outcome::Refused {
                reason: directory::reason(&file.path, &error),
                is_profile: true,
            },
        }
    }

    fn sent(&self, path: &Path, bytes: &[u8]) -> Outcome {
        let address = format!("{}/api/v1/runs", self.server);
        let mut request = self.agent.post(&address);
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        for (name, value) in &self.tags {
            request = request.header(format!("X-Xhprof-{name}"), value);
        }
        // XHProf's saved runs have their id in their name.
        if let Some(name) = path.file_name().and_then(OsStr::to_str).filter(is_header) {
            request = request.header("X-Xhprof-File", name);
        }
        let mut answer = match request.send(bytes) {
            Ok(answer) => answer,
            Err(error) => return Outcome::Ended(format!("cannot reach {address}: {error}")),
        };
        let status = answer.status();
        let text = answer.body_mut().read_to_string().unwrap_or_default();
        if status.is_success() {
            return stored(&text).unwrap_or_else(|| {
                Outcome::Ended(format!("{address} is no server of `xhprof serve`"))
            });
        }
        let reason = format!("the server answered {status}: {}", reason(&text));
        match status {
            StatusCode::UNPROCESSABLE_ENTITY => Outcome::Refused {
                reason,
                is_profile: false,
            },
            StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::BAD_REQUEST
            | StatusCode::REQUEST_TIMEOUT
            | StatusCode::INTERNAL_SERVER_ERROR => Outcome::Refused {
                reason,
                is_profile: true,
            },
            // The others would get the same answer.
            _ => Outcome::Ended(reason),
        }
    }
}

fn stored(text: &str) -> Option<Outcome> {
    let answer: Answer = serde_json::from_str(text).ok()?;
    let run = answer.runs.into_iter().next()?;
    Some(if run.is_new {
        Outcome::Stored(run.id)
    } else {
        Outcome::Known(run.id)
    })
}

/// Whether a name can be sent as a header.
fn is_header(name: &&str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The sentence in an answer, or its first line.
fn reason(text: &str) -> String {
    let json: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let error = json.as_ref().and_then(|json| json.get("error")?.as_str());
    let line = error.unwrap_or_else(|| text.trim().lines().next().unwrap_or_default());
    line.to_owned()
}

/// The token, from its file or from the environment.
pub(crate) fn token(file: Option<&Path>) -> Result<Option<String>> {
    let Some(file) = file else {
        return Ok(std::env::var("XHPROF_TOKEN")
            .ok()
            .filter(|token| !token.is_empty()));
    };
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", operand::title(file)))?;
    Ok(Some(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_whether_the_run_was_there() {
        let answer = |is_new| format!(r#"{{"runs":[{{"id":"ab","is_new":{is_new}}}]}}"#);
        assert_eq!(
            stored(&answer(true)),
            Some(Outcome::Stored("ab".to_owned()))
        );
        assert_eq!(
            stored(&answer(false)),
            Some(Outcome::Known("ab".to_owned()))
        );
        for other in ["", "<html>", "{}", r#"{"runs":[]}"#] {
            assert_eq!(stored(other), None, "{other}");
        }
    }

    #[test]
    fn the_reason_is_the_sentence_of_the_server() {
        assert_eq!(reason(r#"{"error":"no such format"}"#), "no such format");
        assert_eq!(reason("<h1>502</h1>\nmore"), "<h1>502</h1>");
        assert_eq!(reason(""), "");
    }
}
