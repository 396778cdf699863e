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

use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

/// pprof's profiles.
#[derive(Debug, Clone, Copy)]
pub struct Pprof;

impl Format for Pprof {
    fn id(&self) -> &'static str {
        "pprof"
    }

    fn name(&self) -> &'static str {
        "pprof"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["pb.gz", "pprof", "pprof.gz"]
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: true,
            stacks: true,
            calls: true,
            all_metrics: true,
            times: false,
        })
    }

    fn detect(&self, head: &[u8]) -> Detection {
        detect::detect(head)
    }

    fn read(&self, input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
        reader::read(self.name(), input, budget)
    }

    fn write(
        &self,
        profile: &Profile,
        options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        let tree = profile.tree().ok_or(WriteError::NeedsStacks {
            format: self.name(),
        })?;
        Ok(writer::write(profile, &tree, options, out)?)
    }
}
