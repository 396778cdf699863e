//! The functions that a name refers to, if there are several.

use std::collections::HashSet;

use anyhow::{Error, Result, anyhow};
use profile::SymbolId;
use serde_json::Value;
use view::Document;

use super::functions::Functions;
use super::neighbours::Direction;
use crate::args::TableArguments;
use crate::terminal::{Look, printable};
use crate::units::count;

/// The functions, and how to pick one.
pub(super) struct Matches<'p> {
    functions: Functions<'p>,
    number: usize,
    wanted: String,
    direction: Direction,
}

impl<'p> Matches<'p> {
    /// The functions that `wanted` may refer to: `symbols`.
    pub(super) fn new(
        document: &'p Document,
        symbols: &[SymbolId],
        wanted: &str,
        direction: Direction,
        arguments: &TableArguments,
        limit: Option<usize>,
    ) -> Self {
        let all: HashSet<&SymbolId> = symbols.iter().collect();
        Self {
            functions: Functions::of(document, arguments, limit, |symbol| all.contains(&symbol)),
            number: symbols.len(),
            wanted: wanted.to_owned(),
            direction,
        }
    }

    /// As lines for people.
    pub(super) fn render(&self, look: Look, columns: &[String]) -> Result<String> {
        let table = self.functions.table().with_columns(columns)?;
        let wanted = printable(self.wanted.as_bytes());
        let number = count(self.number as u64);
        let head = format!("{number} functions match {wanted}\n\n");
        Ok(head + &table.render(look))
    }

    /// Adds them to a report.
    pub(super) fn add_to(&self, report: Value) -> Value {
        self.functions.add_to(report, "matches")
    }

    /// The error: the name refers to several functions.
    pub(super) fn error(&self) -> Error {
        let (number, wanted) = (count(self.number as u64), &self.wanted);
        let option = self.direction.name();
        anyhow!("{number} functions match {wanted}: give --{option} the whole name of one of them")
    }
}
