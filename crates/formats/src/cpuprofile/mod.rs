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

use crate::format::{Detection, Format, Holds, Reads, Writes};
use crate::shared::json::{begins_with, has_key};

/// V8's CPU profiles.
pub const CPUPROFILE: Format = Format {
    id: "cpuprofile",
    name: NAME,
    endings: &["cpuprofile"],
    warning: None,
    reads: Some(Reads {
        detect,
        read: reader::read,
    }),
    writes: Some(Writes::new(Holds::Stacks, writer::write).in_order()),
};

const NAME: &str = "V8 CPU profile";

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
