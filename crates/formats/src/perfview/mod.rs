//! PerfView's files for data of other tools: `.perfView.xml`, `.perfView.json`.
//!
//! A list of samples; each has a time, a stack and a metric: the self cost of
//! the stack. Stacks are indexes, as PerfView itself saves them, or text. Files
//! may be zipped. Times and their costs are milliseconds.
//!
//! **Invariants:** written decimals are exact. PerfView has 32 bits for a
//! metric and sums in that precision; this module does not use such numbers.

mod json;
mod metric;
mod name;
mod reader;
mod writer;
mod xml;

use std::io;

use profile::Profile;

use self::writer::Document;
use crate::format::{Format, Holds, Reads, Writes};
use crate::{WriteError, WriteOptions};

/// XML with stacks by index, in a zip file: the default.
pub const PERFVIEW: Format = Format {
    id: "perfview",
    name: xml::NAME,
    endings: &["perfView.xml.zip"],
    warning: None,
    reads: Some(XML),
    writes: writes(|profile, options, out| write(Form::Ids, true, profile, options, out)),
};

/// XML with stacks by index.
pub const PERFVIEW_IDS: Format = Format {
    id: "perfview-xml-ids",
    name: xml::NAME,
    endings: &["perfView.xml"],
    warning: None,
    reads: Some(XML),
    writes: writes(|profile, options, out| write(Form::Ids, false, profile, options, out)),
};

/// XML with stacks as text.
pub const PERFVIEW_TEXT: Format = Format {
    id: "perfview-xml",
    name: xml::NAME,
    endings: &[],
    warning: None,
    reads: Some(XML),
    writes: writes(|profile, options, out| write(Form::Text, false, profile, options, out)),
};

/// JSON.
pub const PERFVIEW_JSON: Format = Format {
    id: "perfview-json",
    name: json::NAME,
    endings: &["perfView.json"],
    warning: None,
    reads: Some(JSON),
    writes: writes(|profile, options, out| write(Form::Json, false, profile, options, out)),
};

const XML: Reads = Reads {
    detect: xml::detect,
    read: xml::read,
};

const JSON: Reads = Reads {
    detect: json::detect,
    read: json::read,
};

type Write = fn(&Profile, &WriteOptions, &mut dyn io::Write) -> Result<(), WriteError>;

const fn writes(write: Write) -> Option<Writes> {
    Some(Writes::new(Holds::Stacks, write).in_order())
}

#[derive(Debug, Clone, Copy)]
enum Form {
    /// XML with stacks by index.
    Ids,
    /// XML with stacks as text.
    Text,
    Json,
}

fn write(
    form: Form,
    is_packed: bool,
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn io::Write,
) -> Result<(), WriteError> {
    let (format, file) = match form {
        Form::Ids | Form::Text => (xml::NAME, "profile.perfView.xml"),
        Form::Json => (json::NAME, "profile.perfView.json"),
    };
    let document = Document::new(profile, options).ok_or(WriteError::NeedsStacks { format })?;
    let write = |out: &mut dyn io::Write| match form {
        Form::Ids => document.write_ids(out),
        Form::Text => document.write_text(out),
        Form::Json => document.write_json(out),
    };
    if is_packed {
        crate::shared::zip::write_one(file, out, write)?;
    } else {
        write(out)?;
    }
    Ok(())
}
