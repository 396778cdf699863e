//! Collapsed stacks: one line for each stack, with its functions and its cost.
//!
//! `main();Cache::get;strlen 1200`. Flame graph tools read it, `grep` and `awk`
//! work on it, and every sampling profiler for PHP can write it. A line has one
//! cost without a unit: `xhprof` writes nanoseconds, bytes or calls.
//!
//! **Invariant:** lines are sorted by their bytes, and no stack occurs twice.

mod reader;
mod writer;

use std::io::{BufRead, Write};

use profile::Budget;
use profile::Profile;

use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

pub(crate) use reader::read_lines;
pub use writer::frame;
pub(crate) use writer::{Stacks, write_lines};

/// Collapsed stacks.
#[derive(Debug, Clone, Copy)]
pub struct Collapsed;

impl Format for Collapsed {
    fn id(&self) -> &'static str {
        "collapsed"
    }

    fn name(&self) -> &'static str {
        "collapsed stacks"
    }

    fn endings(&self) -> &'static [&'static str] {
        &[
            "collapsedstack.txt",
            "collapsed",
            "collapsed.txt",
            "folded",
            "folded.txt",
        ]
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: true,
            stacks: true,
            calls: false,
            all_metrics: false,
            times: false,
        })
    }

    fn detect(&self, head: &[u8]) -> Detection {
        reader::detect(head)
    }

    fn read(&self, input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
        read_lines(self.name(), input, budget)
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
        let symbols = profile.symbols.iter();
        let names: Vec<_> = symbols.map(|symbol| frame(&symbol.name)).collect();
        let stacks = Stacks {
            tree: &tree,
            names: &names,
            metric: options.metric,
            with_root: true,
        };
        Ok(write_lines(&stacks, out)?)
    }
}
