//! Sends a request with the command `curl`.
//!
//! **Invariant:** what is secret, as cookies and headers are, goes to curl's standard input.
//! Every user of the machine can read its command line.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{Answer, Message, RUN};

/// The answer, by curl. The environment, such as `CURL_CA_BUNDLE`, is its own.
pub(super) fn answer(message: &Message<'_>, timeout: Duration) -> Result<Answer> {
    let mut body = tempfile::NamedTempFile::new().context("cannot make a temporary file")?;
    body.write_all(message.body.as_bytes())?;
    let mut command = Command::new("curl");
    // `--disable`: a ~/.curlrc may say anything.
    command.args(["--disable", "--config", "-"]);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut curl = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow::anyhow!(
            "https:// needs the command curl, which is not on the PATH: install it, or use http://"
        ),
        _ => anyhow::Error::from(error).context("cannot start curl"),
    })?;
    if let Some(mut input) = curl.stdin.take() {
        let options = options(message, timeout, &body.path().to_string_lossy());
        // If curl ends before, its own words say why.
        let _ = input.write_all(options.as_bytes());
    }
    let output = curl.wait_with_output().context("cannot read from curl")?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        // The others are advice for people at a terminal.
        bail!("no answer: {}", words.lines().next().unwrap_or_default());
    }
    parsed(&String::from_utf8_lossy(&output.stdout))
}

/// What curl reads as its configuration.
fn options(message: &Message<'_>, timeout: Duration, body: &str) -> String {
    let mut text = "silent\nshow-error\noutput = \"/dev/null\"\ndump-header = \"-\"\n".to_owned();
    let mut add = |name: &str, value: &str| {
        // Writing to a string never fails.
        let _ = writeln!(text, "{name} = {}", quoted(value));
    };
    add("proto", "=https");
    add("max-time", &timeout.as_secs_f64().to_string());
    add("url", message.url);
    if message.method == "HEAD" {
        // With `request`, curl would wait for a body.
        text.push_str("head\n");
    } else {
        add("request", message.method);
        if !message.body.is_empty() {
            add("data-binary", &format!("@{body}"));
            let has_type = |(name, _): &(&str, String)| name.eq_ignore_ascii_case("content-type");
            if !message.headers.iter().any(has_type) {
                // Else curl says that it is a form.
                add("header", "Content-Type:");
            }
        }
    }
    let mut add = |name: &str, value: &str| {
        let _ = writeln!(text, "header = {}", quoted(&format!("{name}: {value}")));
    };
    for (name, value) in &message.headers {
        add(name, value);
    }
    text
}

fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            // A header of several lines would be several headers.
            '\n' | '\r' => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// The last status line, and the headers after it: before it are those of a proxy, and of
/// `100 Continue`.
fn parsed(text: &str) -> Result<Answer> {
    let mut answer = None;
    for line in text.lines() {
        if line.starts_with("HTTP/") {
            let status = line.split_whitespace().nth(1);
            let status = status.and_then(|status| status.parse().ok());
            answer = status.map(|status| Answer { status, run: None });
        } else if let (Some((name, value)), Some(answer)) = (line.split_once(':'), &mut answer)
            && name.eq_ignore_ascii_case(RUN)
        {
            answer.run = Some(value.trim().to_owned());
        }
    }
    answer.context("curl printed no answer of the server")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_add_an_option() {
        let message = Message {
            method: "POST",
            url: "https://x/\"\noutput=\"y",
            headers: vec![("A", "1\r\nB: 2\\".to_owned())],
            body: "x",
        };
        let text = options(&message, Duration::from_millis(1500), "/tmp/a");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.contains(&r#"url = "https://x/\" output=\"y""#),
            "{text}"
        );
        assert!(lines.contains(&r#"header = "A: 1  B: 2\\""#), "{text}");
        assert!(lines.contains(&r#"max-time = "1.5""#), "{text}");
        assert!(lines.contains(&r#"data-binary = "@/tmp/a""#), "{text}");
    }

    #[test]
    fn the_last_answer_counts() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 302 \r\nX-XHProf-Run: 0123abcd\r\n\r\n";
        let expected = Answer {
            status: 302,
            run: Some("0123abcd".to_owned()),
        };
        assert_eq!(parsed(text).unwrap(), expected);
        assert!(parsed("").is_err());
    }
}
