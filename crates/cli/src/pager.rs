//! Prints text for people, through their pager if requested, and JSON for
//! programs.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::output;
use crate::terminal::Look;

/// Prints the output of `text`, formatted for standard output: with the colours
/// and width of a terminal, or with neither. A pager gets the same text.
pub(crate) fn print(with_pager: bool, text: impl FnOnce(Look) -> Result<String>) -> Result<()> {
    let mut out = io::stdout().lock();
    let text = text(Look::of(&out))?;
    if with_pager && out.is_terminal() {
        drop(out);
        return page(&text);
    }
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("cannot write to standard output")
}

/// Prints JSON, indented.
pub fn print_json(value: &Value) -> Result<()> {
    output::write("-".as_ref(), |out| {
        serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
        Ok(writeln!(out)?)
    })
}

/// Starts $PAGER. It is a command with options, so the shell starts it, as
/// other programs do.
fn page(text: &str) -> Result<()> {
    let pager = std::env::var("PAGER").unwrap_or_default();
    let pager = if pager.trim().is_empty() {
        "less"
    } else {
        pager.trim()
    };
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Shows colours, prints short texts without paging, and leaves them on
        // the screen.
        command.env("LESS", "FRX");
    }
    let context = || format!("cannot start the pager `{pager}`");
    let mut child = command.spawn().with_context(context)?;
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(text.as_bytes()) {
            // The user has left the pager, which is no error.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            outcome => outcome.with_context(context)?,
        }
    }
    child.wait().with_context(context)?;
    Ok(())
}
