//! `xhprof dump`: what each process executes at this moment.

use std::fmt::Write as _;
use std::io::{self, Write};

use ::attach::{Frame, Options, Process, Request, Seen, Symbols, process};
use anyhow::{Result, bail};

use super::choose::Chosen;
use crate::args::DumpArguments;
use crate::terminal::{Look, Style, printable};

/// Prints the stacks of the chosen processes.
pub(crate) fn run(arguments: &DumpArguments) -> Result<()> {
    let options = Options {
        files: true,
        lines: true,
        stop: arguments.choice.stop,
        native: true,
    };
    let mut chosen = Chosen::new(&arguments.choice, options)?;
    if chosen.watch.workers().is_empty() {
        bail!("no PHP process was found");
    }
    let heads: Vec<(u32, String)> = chosen.watch.workers().iter().map(head).collect();
    let mut out = io::stdout().lock();
    let look = Look::of(&out);
    let mut text = String::new();
    chosen.watch.sample(
        &mut |process: &Process, seen: Seen<'_>, symbols: &Symbols| {
            let head = heads.iter().find(|(number, _)| *number == process.id);
            if !text.is_empty() {
                text.push('\n');
            }
            // Writing to a string never fails.
            let _ = writeln!(
                text,
                "{}",
                look.paint(Style::Bold, head.map_or("", |(_, head)| head))
            );
            write_stack(seen, symbols, look, &mut text);
        },
    );
    if text.is_empty() {
        bail!("the processes ended before they were read");
    }
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// `Process 4711, PHP 8.2.36, fpm-fcgi, on CPU: php-fpm: pool www, GET /index.php`
fn head(worker: &::attach::Worker) -> (u32, String) {
    let (process, target) = (&worker.process, &worker.target);
    let mut text = format!("Process {}, PHP {}", process.id, target.version);
    if target.is_thread_safe() {
        text.push_str(", thread-safe");
    }
    if let Some(sapi) = &target.sapi {
        let _ = write!(text, ", {}", printable(sapi.as_bytes()));
    }
    match process::is_on_cpu(process.id) {
        Some(true) => text.push_str(", on CPU"),
        Some(false) => text.push_str(", waiting"),
        None => {}
    }
    let _ = write!(text, ": {}", printable(process.command.as_bytes()));
    for Request { method, path } in target.requests() {
        let _ = write!(text, ", {method} {}", printable(path.as_bytes()));
    }
    (process.id, text)
}

fn write_stack(seen: Seen<'_>, symbols: &Symbols, look: Look, text: &mut String) {
    let line = |what: &str, place: &str| {
        let place = look.paint(Style::Faint, place);
        if place.is_empty() {
            format!("  {what}\n")
        } else {
            format!("  {what}  {place}\n")
        }
    };
    match seen {
        Seen::Idle => text.push_str(&line("waits for a request", "")),
        Seen::Torn => text.push_str(&line("changed while it was read: try --stop", "")),
        Seen::Stack(frames) => {
            for frame in frames.iter().rev() {
                text.push_str(&line(
                    &printable(symbols.name(frame.symbol)),
                    &place(frame, symbols),
                ));
            }
        }
    }
}

/// The file and the line that a frame executes; empty for PHP's own functions.
fn place(frame: &Frame, symbols: &Symbols) -> String {
    let file = symbols
        .get(frame.symbol)
        .and_then(|symbol| symbol.file.as_deref());
    match file {
        Some(file) if frame.line > 0 => format!("{}:{}", printable(file), frame.line),
        Some(file) => printable(file),
        None => String::new(),
    }
}
