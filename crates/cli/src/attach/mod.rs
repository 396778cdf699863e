//! `xhprof attach`: samples running processes, or has their extension profile them, then prints a report or writes a
//! profile.

mod choose;
mod containers;
mod dump;
mod exact;
mod pace;
mod stream;
mod top;

use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use ::attach::{Collector, Process, Seen, Symbols};
use anyhow::{Result, bail};
use formats::WriteOptions;
use formats::native::NATIVE;
use profile::{Meta, Profile};

use crate::args::AttachArguments;
use crate::export::{self, Export};
use crate::terminal::say;
use crate::units::{count, counted};
use crate::{pager, report};
use choose::Chosen;
pub(crate) use dump::run as dump;
use pace::Pace;
use stream::Stream;
pub(crate) use top::run as top;

/// Samples, and shows or keeps the result.
pub(crate) fn run(arguments: &AttachArguments) -> Result<()> {
    let keep = match &arguments.output {
        Some(path) => Some(keep(path, arguments.to.as_deref())?),
        None => None,
    };
    if arguments.trace.is_some() || arguments.trace_for.is_some() {
        return exact::run(arguments, keep);
    }
    let options = ::attach::Options {
        files: arguments.run_init,
        stop: arguments.choice.stop,
        native: arguments.native,
        lines: !arguments.collapsed,
    };
    let mut chosen = Chosen::new(&arguments.choice, options)?;
    let mut pace = Pace::new(arguments.rate, arguments.duration)?;
    let mut collector = Collector::default();
    let mut stream = arguments.collapsed.then(Stream::default);
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    while let Some(tick) = pace.next() {
        if tick.is_time_to_look && !chosen.look()? {
            break;
        }
        let read = chosen
            .watch
            .sample(
                &mut |_: &Process, seen: Seen<'_>, _: &Symbols| match (seen, &mut stream) {
                    (Seen::Stack(stack), Some(stream)) => stream.add(stack.frames),
                    (Seen::Stack(stack), None) => collector.add(stack, tick.at, tick.weight),
                    (Seen::Idle, Some(stream)) if arguments.idle => stream.add_idle(),
                    (Seen::Idle, None) if arguments.idle => {
                        collector.add_idle(tick.at, tick.weight);
                    }
                    (Seen::Idle, _) => collector.count_idle(),
                    (Seen::Torn, _) => collector.count_torn(),
                },
            );
        pace.spread(read);
        if let Some(stream) = &mut stream
            && tick.is_second_over
        {
            stream.write(&chosen.watch.symbols, &mut io::stdout().lock())?;
        }
    }
    if let Some(mut stream) = stream {
        return stream.write(&chosen.watch.symbols, &mut io::stdout().lock());
    }
    let summary = Summary {
        samples: collector.samples() as u64,
        torn: collector.torn(),
        idle: collector.idle(),
    };
    if summary.samples == 0 {
        bail!("{}", summary.why_nothing(&chosen));
    }
    let meta = Meta {
        started_unix_us: u64::try_from(started.as_micros()).ok(),
        ..chosen.describe()
    };
    let title = meta.title.clone().unwrap_or_default();
    let mut profile = collector.finish(&chosen.watch.symbols, pace.interval_ns(), meta);
    templates::name(&mut profile);
    say(&summary.text(&chosen));
    finish(profile, &title, keep, arguments)
}

/// Writes the profile, or prints the report.
fn finish(
    profile: Profile,
    title: &str,
    keep: Option<Export<'_>>,
    arguments: &AttachArguments,
) -> Result<()> {
    if let Some(keep) = keep {
        return keep.write(profile, &WriteOptions::default());
    }
    pager::print(false, |look| {
        report::text(profile, title, &arguments.table, look)
    })
}

/// Checks, before anything is sampled, that the profile can be written. A name without an ending means the native
/// format.
fn keep<'a>(path: &'a Path, to: Option<&str>) -> Result<Export<'a>> {
    let format = match to {
        None if path.extension().is_none() && !crate::input::is_standard(path) => &NATIVE,
        to => export::format(to, path)?,
    };
    Export::new(format, path, false, [])
}

/// `1 process`, `3 processes`.
fn processes(number: u64) -> String {
    let noun = if number == 1 { "process" } else { "processes" };
    format!("{} {noun}", count(number))
}

/// What was seen.
struct Summary {
    samples: u64,
    torn: u64,
    idle: u64,
}

impl Summary {
    fn text(&self, chosen: &Chosen) -> String {
        let all_processes = processes(chosen.count());
        let mut text = format!("{} of {all_processes}", counted(self.samples, "sample"));
        if self.torn > 0 {
            let all = self.samples + self.torn;
            #[expect(clippy::cast_precision_loss, reason = "a share for people")]
            let share = self.torn as f64 * 100.0 / all as f64;
            text += &format!(
                "; {} changed while it was read and is left out ({share:.1}%): --stop reads all",
                counted(self.torn, "stack")
            );
        }
        if self.idle > 0 {
            text += &format!("; {} times a worker waited for a request", count(self.idle));
        }
        text
    }

    fn why_nothing(&self, chosen: &Chosen) -> String {
        if chosen.count() == 0 {
            "no PHP process was found".to_owned()
        } else if self.torn > 0 {
            "every stack changed while it was read; --stop reads it".to_owned()
        } else if self.idle > 0 {
            "no worker served a request; --idle records that".to_owned()
        } else {
            "the processes ended before they were read".to_owned()
        }
    }
}
