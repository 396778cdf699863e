//! Chrome's trace-event JSON: `chrome://tracing`, Perfetto and Chrome's
//! `DevTools` open it and many tracers write it.
//!
//! The writer emits entries and exits (`B`, `E`) in the order of time: recorded
//! events, those of a tree in its order, or those between samples. Viewers
//! treat functions with different `args` as different, so calls, memory, files
//! and lines are separate, under the key `xhprof`. The reader takes `B`, `E`
//! and `X` of any process and thread. Other events have no duration; the
//! profile names them in `not_read`.
//!
//! **Invariant:** written events nest, times never decrease, and the times of
//! all functions add up to the profile's.

mod bodies;
mod forest;
mod ours;
mod reader;
mod steps;
mod threads;
mod writer;

use crate::format::{Detection, Format, Holds, Reads, Writes};
use crate::shared::json::{begins_with, find, has_key};

/// Chrome's trace events.
pub const CHROME_TRACE: Format = Format {
    id: "chrome-trace",
    name: NAME,
    endings: &["trace.json", "chrome-trace.json"],
    warning: None,
    reads: Some(Reads {
        detect,
        read: reader::read,
    }),
    writes: Some(
        Writes::new(Holds::Stacks, writer::write)
            .all_metrics()
            .in_order(),
    ),
};

const NAME: &str = "Chrome trace";

/// The object has a key that no other format has. The array has events, each
/// with its phase.
fn detect(head: &[u8]) -> Detection {
    let is_array = begins_with(head, b'[');
    if is_array && has_key(head, "ph") || begins_with(head, b'{') && has_key(head, "traceEvents") {
        Detection::Yes
    } else if is_array && find(head, b"\"ph").is_some() {
        Detection::NeedMore
    } else {
        Detection::No
    }
}
