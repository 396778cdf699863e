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

use crate::format::{Format, Holds, Reads, Writes};

/// OpenTelemetry's profiles, of release 1.11.
pub const OTLP: Format = Format {
    id: "otlp-profiles-1-11",
    name: NAME,
    endings: &["otlp.pb", "otlp"],
    warning: Some("OTLP profiles are alpha: only programs for release 1.11 can read the file"),
    reads: Some(Reads {
        detect: wire::detect,
        read: reader::read,
    }),
    writes: Some(Writes::new(Holds::Stacks, writer::write).all_metrics()),
};

const NAME: &str = "OTLP profiles 1.11";
