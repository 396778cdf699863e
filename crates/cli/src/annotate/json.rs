//! The annotated source as JSON.

use serde_json::{Value, json};

use super::Annotated;
use crate::report::json::{head, line, with};

impl Annotated<'_> {
    /// The lines that have costs; with the source, each with its text.
    pub(super) fn json(&self, title: &str) -> Value {
        let (profile, chosen) = (self.profile(), &self.chosen);
        let head = head(profile, &self.document.summary(), title, self.metric);
        let report = with(head, "file", String::from_utf8_lossy(chosen.file).into());
        let name = chosen.function.map(|function| profile.name(function));
        let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
        let report = with(report, "function", name.into());
        let report = with(report, "has_source", self.source.is_some().into());
        let report = with(report, "notes", json!(self.notes));
        let lines = chosen.rows.iter().map(|row| {
            let text = self.source.as_ref();
            let text = text.and_then(|source| source.lines.get(row.line as usize - 1));
            let value = line(profile, row);
            match text {
                Some(text) => with(value, "text", text.as_str().into()),
                None => value,
            }
        });
        with(report, "lines", lines.collect())
    }
}
