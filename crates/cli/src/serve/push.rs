//! `xhprof push`: sends profiles to a server.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ureq::Agent;

use crate::args::PushArguments;
use crate::directory::{self, Skipped};
use crate::progress::{Progress, Work};
use crate::{input, operand};

/// The longest time of one upload.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Sends the files, one by one.
pub(crate) fn push(arguments: &PushArguments) -> Result<()> {
    let files = directory::files(&arguments.files, None)?;
    let token = token(arguments.token_file.as_deref())?;
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        .build();
    let agent = Agent::from(config);
    let address = format!("{}/api/v1/runs", arguments.to.trim_end_matches('/'));
    let progress = Progress::new("sending", Work::Files(files.len() as u64));
    let skipped = Skipped::default();
    let mut sent = 0;
    for file in &files {
        let outcome = input::bytes(&file.path).and_then(|bytes| {
            let mut request = agent.post(&address);
            if let Some(token) = &token {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            for (name, value) in super::tags(&arguments.tags) {
                request = request.header(format!("X-Xhprof-{name}"), value);
            }
            let answer = request.send(&bytes[..]);
            let mut answer = answer.with_context(|| format!("cannot reach {address}"))?;
            let status = answer.status();
            if status.is_success() {
                return Ok(());
            }
            let text = answer.body_mut().read_to_string().unwrap_or_default();
            let name = operand::title(&file.path);
            bail!("{name}: the server answered {status}: {}", text.trim())
        });
        progress.add(1);
        sent += usize::from(skipped.take(file, outcome)?.is_some());
    }
    drop(progress);
    skipped.report(sent)
}

/// The token, from its file or from the environment.
fn token(file: Option<&Path>) -> Result<Option<String>> {
    let Some(file) = file else {
        return Ok(std::env::var("XHPROF_TOKEN")
            .ok()
            .filter(|token| !token.is_empty()));
    };
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display()))?;
    Ok(Some(text.trim().to_owned()))
}
