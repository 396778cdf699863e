//! `xhprof dump`: what each process executes at this moment, or executed when its core file was written.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;

use ::attach::{Frame, Options, Process, Request, Seen, Symbols, Worker, process};
use anyhow::{Context, Result, bail};

use super::choose::Chosen;
use crate::args::DumpArguments;
use crate::pager;
use crate::terminal::{Look, Style, printable};

/// Prints the stacks of the chosen processes.
pub(crate) fn run(arguments: &DumpArguments) -> Result<()> {
    let options = Options {
        files: true,
        lines: true,
        stop: arguments.choice.stop,
        native: true,
    };
    let mut dump = Dump {
        look: Look::of(&io::stdout()),
        text: String::new(),
    };
    if let [core, binary] = arguments.core.as_slice() {
        let mut finder = super::choose::finder(arguments.choice.layout.as_deref())?;
        let cannot = || format!("cannot read the core file {}", core.display());
        let mut worker = Worker::open_core(&mut finder, core, binary).with_context(cannot)?;
        let head = head(&worker, None);
        let options = Options {
            native: false,
            stop: false,
            ..options
        };
        let mut add = |seen: Seen<'_>, symbols: &Symbols| dump.add(&head, seen, symbols);
        worker
            .sample(options, &mut Symbols::default(), &mut add)
            .with_context(cannot)?;
        return dump.print();
    }
    let mut chosen = Chosen::new(&arguments.choice, options)?;
    if chosen.watch.workers().is_empty() {
        bail!("no PHP process was found");
    }
    let workers = chosen.watch.workers().iter();
    let heads = workers.map(|worker| {
        let is_on_cpu = process::is_on_cpu(worker.process.id);
        (worker.process.id, head(worker, is_on_cpu))
    });
    let heads: HashMap<u32, String> = heads.collect();
    chosen.watch.sample(
        &mut |process: &Process, seen: Seen<'_>, symbols: &Symbols| {
            let head = heads.get(&process.id).map_or("", String::as_str);
            dump.add(head, seen, symbols);
        },
    );
    if dump.text.is_empty() {
        bail!("the processes ended before they were read");
    }
    dump.print()
}

/// The text.
struct Dump {
    look: Look,
    text: String,
}

impl Dump {
    /// Adds a thread of a process.
    fn add(&mut self, head: &str, seen: Seen<'_>, symbols: &Symbols) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        // Writing to a string never fails.
        let _ = writeln!(self.text, "{}", self.look.paint(Style::Bold, head));
        write_stack(seen, symbols, self.look, &mut self.text);
    }

    fn print(self) -> Result<()> {
        pager::print(false, |_| Ok(self.text))
    }
}

/// `Process 4711, PHP 8.2.36, fpm-fcgi, on CPU: php-fpm: pool www, GET /index.php`
fn head(worker: &Worker, is_on_cpu: Option<bool>) -> String {
    let (process, target) = (&worker.process, &worker.target);
    let mut text = format!("Process {}, PHP {}", process.id, target.version);
    if target.is_thread_safe() {
        text.push_str(", thread-safe");
    }
    if let Some(sapi) = &target.sapi {
        let _ = write!(text, ", {}", printable(sapi.as_bytes()));
    }
    match is_on_cpu {
        Some(true) => text.push_str(", on CPU"),
        Some(false) => text.push_str(", waiting"),
        None => {}
    }
    let _ = write!(text, ": {}", printable(process.command.as_bytes()));
    for Request { method, path } in target.requests() {
        let _ = write!(text, ", {method} {}", printable(path.as_bytes()));
    }
    text
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
        Seen::Stack(stack) => {
            for frame in stack.frames.iter().rev() {
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
    let own = || symbols.get(frame.symbol)?.file.as_deref();
    let other = frame.place.file.and_then(|file| symbols.file(file));
    match other.or_else(own) {
        Some(file) if frame.place.line > 0 => {
            format!("{}:{}", printable(file), frame.place.line)
        }
        Some(file) => printable(file),
        None => String::new(),
    }
}
