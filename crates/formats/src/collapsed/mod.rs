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

use crate::format::{Format, Holds, Reads, Writes};
use crate::{ReadError, WriteError, WriteOptions};

pub(crate) use reader::read_lines;
pub use writer::frame;
pub(crate) use writer::{Stacks, write_lines};

/// Collapsed stacks.
pub const COLLAPSED: Format = Format {
    id: "collapsed",
    name: "collapsed stacks",
    endings: &[
        "collapsedstack.txt",
        "collapsed",
        "collapsed.txt",
        "folded",
        "folded.txt",
    ],
    warning: None,
    reads: Some(Reads {
        detect: reader::detect,
        read,
    }),
    writes: Some(Writes::new(Holds::Stacks, write)),
};

fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    read_lines(COLLAPSED.name, input, budget)
}

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    let tree = profile.tree().ok_or(WriteError::NeedsStacks {
        format: COLLAPSED.name,
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
