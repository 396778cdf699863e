//! A request to a running server whose profile the server writes.
//!
//! The answer's header `X-Xhprof-Run` has the run id, which is part of the
//! file's name (`%i` in `xhprof.output_name`). HTTPS is spoken by the command
//! `curl`: a TLS library would be a third of this program's packages.

mod curl;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use super::config::Request;

/// The header with the run id.
const RUN: &str = "x-xhprof-run";
/// How long the profile may take after the answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest profile that is copied.
const LARGEST: u64 = 1 << 30;

/// Sends the request, waits for its profile and copies it to `file`.
pub(super) fn profile(request: &Request, timeout: Duration, file: &Path) -> Result<()> {
    let run = send(request, timeout).with_context(|| format!("the request to {}", request.url))?;
    let end = Instant::now() + PATIENCE.min(timeout);
    loop {
        if let Some(found) = profile_of(&request.profiles, &run)? {
            let size = fs::metadata(&found)?.len();
            if size > LARGEST {
                bail!(
                    "{}: the profile is larger than {LARGEST} bytes",
                    found.display()
                );
            }
            let bytes = fs::read(&found)
                .map_err(|_| anyhow!("cannot read {}", crate::operand::permission_error(&found)))?;
            return crate::output::write(file, |out| Ok(out.write_all(&bytes)?));
        }
        if Instant::now() > end {
            bail!(
                "the server says that it profiled the request as {run}, but no file in {} has that in its \
                 name: is this the server's xhprof.output_dir, and has xhprof.output_name the run id, %i?",
                request.profiles.display()
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The run id of the answer.
fn send(request: &Request, timeout: Duration) -> Result<String> {
    let message = Message::of(request)?;
    let answer = if request.url.starts_with("https://") {
        curl::answer(&message, timeout)?
    } else {
        plain_answer(&message, timeout)?
    };
    let status = answer.status;
    let is_expected = request
        .status
        .map_or(status < 400, |expected| expected == status);
    if !is_expected {
        bail!("the server answered with the status {status}");
    }
    let is_run = |run: &String| run.len() >= 8 && run.bytes().all(|byte| byte.is_ascii_hexdigit());
    answer.run.filter(is_run).context(
        "the answer has no header X-Xhprof-Run: was it profiled? The server needs xhprof.auto_enable = trigger \
         and the same trigger and secret",
    )
}

/// A request as it is sent.
#[derive(Debug)]
struct Message<'r> {
    method: &'r str,
    url: &'r str,
    headers: Vec<(&'r str, String)>,
    body: &'r str,
}

impl<'r> Message<'r> {
    fn of(request: &'r Request) -> Result<Self> {
        let headers = request.headers.iter();
        let mut headers: Vec<_> = headers
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        let mut cookies: Vec<String> = request
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if let Some(trigger) = &request.trigger {
            let variable = request.secret_env.as_deref().unwrap_or("XHPROF_SECRET");
            let secret = std::env::var(variable).with_context(|| {
                format!(
                    "the environment variable {variable} must have the server's xhprof.trigger_secret"
                )
            })?;
            cookies.push(format!("{trigger}={}", percent_encoded(&secret)));
        }
        if !cookies.is_empty() {
            headers.push(("Cookie", cookies.join("; ")));
        }
        Ok(Self {
            method: request.method.as_deref().unwrap_or("GET"),
            url: &request.url,
            headers,
            body: request.body.as_deref().unwrap_or_default(),
        })
    }
}

/// What the server answers.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    status: u16,
    /// The header `X-Xhprof-Run`.
    run: Option<String>,
}

/// The answer over plain HTTP.
fn plain_answer(message: &Message<'_>, timeout: Duration) -> Result<Answer> {
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(timeout))
        .http_status_as_error(false)
        .max_redirects(0)
        .build();
    let agent = ureq::Agent::new_with_config(config);
    let mut request = ureq::http::Request::builder()
        .method(message.method)
        .uri(message.url);
    for (name, value) in &message.headers {
        request = request.header(*name, value);
    }
    let request = request
        .body(message.body)
        .context("it is no valid request")?;
    let answer = agent
        .run(request)
        .context("no answer; http:// and https:// are spoken")?;
    let run = answer.headers().get(RUN).and_then(|run| run.to_str().ok());
    Ok(Answer {
        status: answer.status().as_u16(),
        run: run.map(str::to_owned),
    })
}

/// The complete file of a run.
fn profile_of(directory: &Path, run: &str) -> Result<Option<PathBuf>> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Those that begin with a dot are being written.
        if !name.starts_with('.') && name.contains(run) && !name.ends_with(".partial") {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

/// A secret may have any characters, a cookie may not.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_a_cookie_that_php_decodes() {
        assert_eq!(
            percent_encoded("long and; random=ü"),
            "long%20and%3B%20random%3D%C3%BC"
        );
    }

    #[test]
    fn only_complete_files_of_the_run_are_taken() {
        let directory = tempfile::tempdir().unwrap();
        for name in [
            ".0123abcd.tmp",
            "7.page.0123abcd.xhp.partial",
            "7.page.ffff.xhp",
        ] {
            fs::write(directory.path().join(name), "").unwrap();
        }
        assert_eq!(profile_of(directory.path(), "0123abcd").unwrap(), None);
        let whole = directory.path().join("7.page.0123abcd.xhp");
        fs::write(&whole, "").unwrap();
        assert_eq!(
            profile_of(directory.path(), "0123abcd").unwrap(),
            Some(whole)
        );
    }
}
