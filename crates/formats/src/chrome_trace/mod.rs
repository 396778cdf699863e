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

mod reader;
mod threads;
mod writer;

use std::io::{BufRead, Write};

use profile::{Budget, Profile};

use crate::json::{begins_with, find, has_key};
use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

/// Chrome's trace events.
#[derive(Debug, Clone, Copy)]
pub struct ChromeTrace;

const NAME: &str = "Chrome trace";

impl Format for ChromeTrace {
    fn id(&self) -> &'static str {
        "chrome-trace"
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn endings(&self) -> &'static [&'static str] {
        &["trace.json", "chrome-trace.json"]
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: true,
            stacks: true,
            calls: true,
            all_metrics: true,
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
