//! V8's `.cpuprofile`: Node.js, Deno and Chrome write it; `DevTools`, VS Code and
//! speedscope open it.
//!
//! A tree of functions, and samples: each is a node and the microseconds since
//! the previous sample, and lasts until the next one. The writer writes one
//! cost, wall or CPU time. V8's own `(root)` is read as `main()`; `(program)`,
//! `(idle)` and `(garbage collector)` are functions, as in V8.
//!
//! **Invariant:** times are whole microseconds, as in V8, rounded so that the
//! error of their sum is below one.

mod nodes;
mod reader;
mod writer;

use std::io::{BufRead, Write};

use profile::{Budget, Profile};

use crate::json::{begins_with, has_key};
use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

/// V8's CPU profiles.
#[derive(Debug, Clone, Copy)]
pub struct CpuProfile;

const NAME: &str = "V8 CPU profile";

impl Format for CpuProfile {
    fn id(&self) -> &'static str {
        "cpuprofile"
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn endings(&self) -> &'static [&'static str] {
        &["cpuprofile"]
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: true,
            stacks: true,
            calls: false,
            all_metrics: false,
            times: true,
        })
    }

    fn detect(&self, head: &[u8]) -> Detection {
        detect(head)
    }

    fn read(&self, input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
        reader::read(input, budget)
    }

    fn write(
        &self,
        profile: &Profile,
        options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        writer::write(profile, options, out)
    }
}

/// Nodes with their functions; in V8's older form, a function with its children.
fn detect(head: &[u8]) -> Detection {
    let has = |key| has_key(head, key);
    let is_new = has("nodes") && (has("callFrame") || has("hitCount"));
    let is_old = has("head") && has("functionName");
    // The nodes may follow a long list of samples.
    let is_long = has("samples") && has("timeDeltas") && !has("threads");
    if begins_with(head, b'{') && !has("traceEvents") && (is_new || is_old || is_long) {
        Detection::Yes
    } else {
        Detection::No
    }
}
