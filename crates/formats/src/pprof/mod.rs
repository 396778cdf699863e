//! pprof: one compressed protocol buffer of samples, locations and functions.
//!
//! Go's tools, Grafana and speedscope read it. One file holds all measured
//! costs: calls, wall time, CPU time, memory.
//!
//! **Invariants:** a written location is a function with its first line. Values are self costs. `system_name` stays empty: if it
//! is set, pprof treats names as C++ and cuts them at angle brackets.

mod detect;
mod fields;
mod lines;
mod locations;
mod messages;
mod reader;
mod stacks;
pub(crate) mod types;
mod writer;

use std::io::{BufRead, Write};

use profile::{Budget, Profile};

use crate::format::{Format, Holds, Reads, Writes};
use crate::{ReadError, WriteError, WriteOptions};

/// pprof's profiles.
pub const PPROF: Format = Format {
    id: "pprof",
    name: "pprof",
    endings: &["pb.gz", "pprof", "pprof.gz"],
    warning: None,
    reads: Some(Reads {
        detect: detect::detect,
        read,
    }),
    writes: Some(Writes::new(Holds::Stacks, write).all_metrics()),
};

fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    reader::read(PPROF.name, input, budget)
}

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    let tree = profile
        .tree()
        .ok_or(WriteError::NeedsStacks { format: PPROF.name })?;
    Ok(writer::write(profile, &tree, options, out)?)
}
