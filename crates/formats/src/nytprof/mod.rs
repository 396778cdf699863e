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
use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

/// NYTProf's `nytprof.out`, of version 5.
#[derive(Debug, Clone, Copy)]
pub struct Nytprof;

/// The output of `nytprofcalls`: collapsed stacks.
#[derive(Debug, Clone, Copy)]
pub struct NytprofCalls;

impl Format for Nytprof {
    fn id(&self) -> &'static str {
        "nytprof"
    }

    fn name(&self) -> &'static str {
        "NYTProf"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["nytprof.out", "nytprof"]
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: true,
            stacks: true,
            calls: true,
            all_metrics: false,
            times: false,
        })
    }

    fn detect(&self, head: &[u8]) -> Detection {
        let shared = head.len().min(record::MAGIC.len());
        if head.get(..shared) != record::MAGIC.get(..shared) {
            Detection::No
        } else if shared < record::MAGIC.len() {
            Detection::NeedMore
        } else {
            Detection::Yes
        }
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
        // The format has only times.
        if !matches!(options.metric, Metric::Wall | Metric::Cpu) {
            return Err(WriteError::NotHeld {
                format: self.name(),
                metric: options.metric,
            });
        }
        let tree = profile.tree().ok_or(WriteError::NeedsStacks {
            format: self.name(),
        })?;
        Ok(writer::write(profile, &tree, options, out)?)
    }
}

impl Format for NytprofCalls {
    fn id(&self) -> &'static str {
        "nytprof-calls"
    }

    fn name(&self) -> &'static str {
        "NYTProf calls"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["calls"]
    }

    fn warning(&self) -> Option<&'static str> {
        Some(
            "nytprofcalls has no line for what runs outside of functions, so main()'s own cost \
             is left out",
        )
    }

    fn holds(&self) -> Option<Holds> {
        collapsed::Collapsed.holds()
    }

    /// This output is recognized as collapsed stacks.
    fn read(&self, input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
        collapsed::read_lines(self.name(), input, budget)
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
        let stacks = Stacks {
            tree: &tree,
            names: &name::all(profile),
            metric: options.metric,
            with_root: false,
        };
        Ok(collapsed::write_lines(&stacks, out)?)
    }
}
