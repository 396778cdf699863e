//! OpenTelemetry profiles.
//!
//! The format is in alpha: field numbers change from release to release, and
//! programs for one release cannot read files of another. So the release, 1.11
//! of `opentelemetry-proto`, is part of the format's name.
//!
//! **Invariant:** reader and writer use that one release.

mod messages;
mod reader;
mod wire;
mod writer;

use std::io::{BufRead, Write};

use profile::{Budget, Profile};

use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

/// OpenTelemetry's profiles, of release 1.11.
#[derive(Debug, Clone, Copy)]
pub struct Otlp;

const NAME: &str = "OTLP profiles 1.11";

impl Format for Otlp {
    fn id(&self) -> &'static str {
        "otlp-profiles-1-11"
    }

    fn name(&self) -> &'static str {
        NAME
    }

    fn endings(&self) -> &'static [&'static str] {
        &["otlp.pb", "otlp"]
    }

    fn warning(&self) -> Option<&'static str> {
        Some("OTLP profiles are alpha: only programs for release 1.11 can read the file")
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
        wire::detect(head)
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
