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

use std::io::{BufRead, Write};

use profile::{Budget, Profile};

use crate::{Detection, Format, Holds, ReadError, WriteError, WriteOptions};

/// PerfView's files, in one of their forms.
#[derive(Debug, Clone, Copy)]
pub struct PerfView {
    form: Form,
    is_packed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// XML with stacks by index.
    Ids,
    /// XML with stacks as text.
    Text,
    Json,
}

impl PerfView {
    /// XML with stacks by index, in a zip file: the default.
    pub const USUAL: Self = Self::new(Form::Ids, true);
    /// XML with stacks by index.
    pub const IDS: Self = Self::new(Form::Ids, false);
    /// XML with stacks as text.
    pub const TEXT: Self = Self::new(Form::Text, false);
    /// XML with stacks as text, in a zip file.
    pub const TEXT_ZIP: Self = Self::new(Form::Text, true);
    /// JSON.
    pub const JSON: Self = Self::new(Form::Json, false);
    /// JSON in a zip file, which PerfView cannot open.
    pub const JSON_ZIP: Self = Self::new(Form::Json, true);

    const fn new(form: Form, is_packed: bool) -> Self {
        Self { form, is_packed }
    }
}

impl Format for PerfView {
    fn id(&self) -> &'static str {
        match (self.form, self.is_packed) {
            (Form::Ids, true) => "perfview",
            (Form::Ids, false) => "perfview-xml-ids",
            (Form::Text, true) => "perfview-xml-zip",
            (Form::Text, false) => "perfview-xml",
            (Form::Json, true) => "perfview-json-zip",
            (Form::Json, false) => "perfview-json",
        }
    }

    fn name(&self) -> &'static str {
        match self.form {
            Form::Ids | Form::Text => "PerfView XML",
            Form::Json => "PerfView JSON",
        }
    }

    fn endings(&self) -> &'static [&'static str] {
        match (self.form, self.is_packed) {
            (Form::Ids, true) => &["perfView.xml.zip"],
            (Form::Ids, false) => &["perfView.xml"],
            (Form::Text, _) => &[],
            (Form::Json, true) => &["perfView.json.zip"],
            (Form::Json, false) => &["perfView.json"],
        }
    }

    fn warning(&self) -> Option<&'static str> {
        (self.form == Form::Json && self.is_packed).then_some(
            "PerfView reads the zip file itself as JSON and cannot open this; \
             .perfView.xml.zip and .perfView.json it opens",
        )
    }

    fn holds(&self) -> Option<Holds> {
        Some(Holds {
            needs_stacks: true,
            stacks: true,
            calls: false,
            all_metrics: false,
            times: true,
        })
    }

    fn detect(&self, head: &[u8]) -> Detection {
        match self.form {
            Form::Ids | Form::Text => xml::detect(head),
            Form::Json => json::detect(head),
        }
    }

    fn read(&self, input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
        match self.form {
            Form::Ids | Form::Text => xml::read(self.name(), input, budget),
            Form::Json => json::read(self.name(), input, budget),
        }
    }

    fn write(
        &self,
        profile: &Profile,
        options: &WriteOptions,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        let document = writer::Document::new(profile, options).ok_or(WriteError::NeedsStacks {
            format: self.name(),
        })?;
        let write = |out: &mut dyn Write| match self.form {
            Form::Ids => document.write_ids(out),
            Form::Text => document.write_text(out),
            Form::Json => document.write_json(out),
        };
        let name = match self.form {
            Form::Ids | Form::Text => "profile.perfView.xml",
            Form::Json => "profile.perfView.json",
        };
        if self.is_packed {
            crate::zip::write_one(name, out, write)?;
        } else {
            write(out)?;
        }
        Ok(())
    }
}
