//! Firefox Profiler's JSON: processed profiles.
//!
//! The viewer upgrades every older version of the format and refuses newer
//! ones, so the writer uses one old version, 55. Each cost is a thread: wall
//! time, then CPU time and memory if measured. The reader takes all versions
//! that keep stacks in tables of columns: from the first to 70, with tables in
//! each thread or shared.
//!
//! **Invariant:** the self costs that are read add up to the samples' weights.

mod reader;
mod tables;
mod writer;

use crate::format::{Detection, Format, Holds, Reads, Writes};
use crate::shared::json::{begins_with, has_key};

/// Firefox Profiler's processed profile.
pub const FIREFOX: Format = Format {
    id: "firefox",
    name: NAME,
    endings: &["firefox.json", "firefox"],
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

const NAME: &str = "Firefox Profiler";

/// By the version, or the other keys in every `meta`. The browser's raw form,
/// which has no such version, is recognized and then refused by name.
fn detect(head: &[u8]) -> Detection {
    let has = |key| has_key(head, key);
    let is_meta = has("meta") && (has("stackwalk") || has("processType"));
    if begins_with(head, b'{') && (has("preprocessedProfileVersion") || is_meta) {
        Detection::Yes
    } else {
        Detection::No
    }
}
