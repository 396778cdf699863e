//! Text for people, through their pager if they want it; JSON for programs.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::output;
use crate::terminal::Look;

/// Prints what `text` makes for standard output as it is: colours and width of
/// a terminal, or neither. With a pager it is the pager's, and looks the same.
pub(crate) fn print(with_pager: bool, text: impl FnOnce(Look) -> Result<String>) -> Result<()> {
    let mut out = io::stdout().lock();
    let text = text(Look::of(&out))?;
    if with_pager && out.is_terminal() {
        drop(out);
        return page(&text);
    }
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints JSON, indented.
pub(crate) fn print_json(value: &Value) -> Result<()> {
    output::write("-".as_ref(), |out| {
        serde_json::to_writer_pretty(&mut *out, value).map_err(io::Error::from)?;
        Ok(writeln!(out)?)
    })
}

/// Hands the text to $PAGER. It is a command with options, so the shell starts
/// it, as for everybody who asks for a pager.
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
        // Colours, no page for what fits on one, and it stays on the screen.
        command.env("LESS", "FRX");
    }
    let context = || format!("cannot start the pager `{pager}`");
    let mut child = command.spawn().with_context(context)?;
    if let Some(mut stdin) = child.stdin.take() {
        match stdin.write_all(text.as_bytes()) {
            // Who reads has read enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            outcome => outcome.with_context(context)?,
        }
    }
    child.wait().with_context(context)?;
    Ok(())
}
