//! NYTProf's files: a stream of returns, each with its depth and its times.
//!
//! A Perl profiler with a detailed report: `nytprofhtml` draws a flame graph
//! with links. A tick is a nanosecond here.
//!
//! **Invariants:** a return follows the returns of all its callees; names
//! contain neither `;` nor blanks, which break the tools; functions without a
//! class are in the package `main`, and `main()` itself is `main::RUNTIME`.

mod forest;
mod name;
mod reader;
mod record;
mod writer;

use std::io::{BufRead, Write};

use profile::{Budget, Metric, Profile};

use crate::collapsed::{self, Stacks};
use crate::format::{Detection, Format, Holds, Reads, Writes, never};
use crate::shared::unit::{needs_time, needs_time_or_samples};
use crate::{ReadError, WriteError, WriteOptions};

/// NYTProf's `nytprof.out`, of version 5.
pub const NYTPROF: Format = Format {
    id: "nytprof",
    name: "NYTProf",
    endings: &["nytprof.out", "nytprof"],
    warning: None,
    reads: Some(Reads { detect, read }),
    writes: Some(Writes::new(Holds::Stacks, write)),
};

/// The output of `nytprofcalls`: collapsed stacks.
pub const NYTPROF_CALLS: Format = Format {
    id: "nytprof-calls",
    name: "NYTProf calls",
    endings: &["calls"],
    warning: Some(
        "nytprofcalls has no line for what runs outside of functions, so main()'s own cost \
         is left out",
    ),
    reads: Some(Reads {
        detect: never,
        read: read_calls,
    }),
    writes: Some(Writes::new(Holds::Stacks, write_calls)),
};

fn detect(head: &[u8]) -> Detection {
    let shared = head.len().min(record::MAGIC.len());
    if head.get(..shared) != record::MAGIC.get(..shared) {
        Detection::No
    } else if shared < record::MAGIC.len() {
        Detection::NeedMore
    } else {
        Detection::Yes
    }
}

fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    reader::read(NYTPROF.name, input, budget)
}

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    // The format has only times.
    if !matches!(options.metric, Metric::Wall | Metric::Cpu) {
        return Err(WriteError::NotHeld {
            format: NYTPROF.name,
            metric: options.metric,
        });
    }
    // A sample is a time if its interval is known.
    if options.metric == Metric::Wall {
        match profile.meta.interval_ns {
            Some(_) => needs_time_or_samples(profile, NYTPROF.name)?,
            None => needs_time(profile, NYTPROF.name)?,
        }
    }
    let tree = profile.tree().ok_or(WriteError::NeedsStacks {
        format: NYTPROF.name,
    })?;
    Ok(writer::write(profile, &tree, options, out)?)
}

/// This output is recognized as collapsed stacks.
fn read_calls(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    collapsed::read_lines(NYTPROF_CALLS.name, input, budget)
}

fn write_calls(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let tree = profile.tree().ok_or(WriteError::NeedsStacks {
        format: NYTPROF_CALLS.name,
    })?;
    let stacks = Stacks {
        tree: &tree,
        names: &name::all(profile),
        metric: options.metric,
        with_root: false,
    };
    Ok(collapsed::write_lines(&stacks, out)?)
}
