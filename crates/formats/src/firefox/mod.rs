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

use std::io::{BufRead, Write};

use profile::{Budget, Profile};

use crate::json::{begins_with, has_key};
use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

/// Firefox Profiler's processed profile.
#[derive(Debug, Clone, Copy)]
pub struct Firefox;

const NAME: &str = "Firefox Profiler";

impl Format for Firefox {
    fn id(&self) -> &'static str {
        "firefox"
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn endings(&self) -> &'static [&'static str] {
        &["firefox.json", "firefox"]
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: true,
            stacks: true,
            calls: false,
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
