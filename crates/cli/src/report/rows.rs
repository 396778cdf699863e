//! The lists of a report row by row, each as a line of Markdown and as JSON: `xhprof mcp`
//! cuts them to the length of an answer.
//!
//! The lines are those of `--format markdown`, the values those of `--json`.

use anyhow::Result;
use profile::{Body, Metric};
use serde_json::Value;
use view::markdown::Lines;

use super::functions::Functions;
use super::lookup::{self, Found};
use super::neighbours::{self, Direction};
use super::spans::SpanTable;
use super::tree::Paths;
use super::{MIN_PERCENT, Report, json};

/// A list, the first rows first.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<(String, Value)>,
    /// How many the limit left out.
    pub(crate) others: usize,
}

/// What a name refers to.
pub(crate) enum Beside {
    /// A function, its callers and its callees.
    One(Box<[Rows; 3]>),
    /// Several functions.
    Several(Rows),
}

impl Report<'_> {
    /// What every report begins with.
    pub(crate) fn head(&self, title: &str) -> Value {
        let metric = self.arguments.metric.into();
        json::head(self.document.profile(), &self.summary, title, metric)
    }

    pub(crate) fn has_stacks(&self) -> bool {
        !matches!(self.document.profile().body, Body::Edges(_))
    }

    pub(super) fn lines(&self) -> Lines<'_> {
        let metric = Metric::from(self.arguments.metric);
        Lines {
            profile: self.document.profile(),
            metric,
            whole: self.whole(metric),
        }
    }

    pub(crate) fn function_rows(&self) -> Rows {
        self.rows_of(&self.functions(None))
    }

    fn rows_of(&self, functions: &Functions<'_>) -> Rows {
        let lines = self.lines();
        let row = |row| (lines.function(row), json::function(lines.profile, row));
        Rows {
            rows: functions.rows.iter().map(row).collect(),
            others: functions.others(),
        }
    }

    /// The functions that `wanted` means: first the one that has this name in JSON, where bytes
    /// that are no UTF-8 are replaced.
    fn found(&self, wanted: &str) -> Result<Found> {
        let profile = self.document.profile();
        let is_it = |symbol: &_| String::from_utf8_lossy(profile.name(*symbol)) == wanted;
        match self.document.functions().find(is_it) {
            Some(function) => Ok(Found::One(function)),
            None => lookup::find(&self.document, wanted),
        }
    }

    /// The function that `wanted` names, and those beside it.
    pub(crate) fn beside_rows(&self, wanted: &str) -> Result<Beside> {
        let function = match self.found(wanted)? {
            Found::One(function) => function,
            Found::Several(all) => {
                let is_one = |symbol| all.contains(&symbol);
                let found = Functions::of(&self.document, &self.arguments, None, is_one);
                return Ok(Beside::Several(self.rows_of(&found)));
            }
        };
        let only = Functions::of(&self.document, &self.arguments, None, |symbol| {
            symbol == function
        });
        let side = |direction| -> Result<Rows> {
            let (document, arguments) = (&self.document, &self.arguments);
            let of = neighbours::Beside::new(document, function, direction, arguments, None, None)?;
            let lines = Lines {
                whole: of.whole,
                ..self.lines()
            };
            let row = |row| (lines.neighbour(row), json::neighbour(lines.profile, row));
            Ok(Rows {
                rows: of.neighbours.iter().map(row).collect(),
                others: of.left_out,
            })
        };
        Ok(Beside::One(Box::new([
            self.rows_of(&only),
            side(Direction::Callers)?,
            side(Direction::Callees)?,
        ])))
    }

    /// The costliest call paths from `main()`: all, or those through a function.
    pub(crate) fn path_rows(&self, through: Option<&str>) -> Result<Rows> {
        let metric = self.arguments.metric.into();
        let profile = self.document.profile();
        let Some(tree) = profile.tree() else {
            return Ok(Rows::default());
        };
        let focused = match through.map(|wanted| self.found(wanted)).transpose()? {
            Some(Found::One(function)) => Some(tree.focused(|symbol| symbol == function)),
            Some(Found::Several(all)) => Some(tree.focused(|symbol| all.contains(&symbol))),
            None => None,
        };
        let min = if focused.is_some() { 0.0 } else { MIN_PERCENT };
        let choice = self.choice(min, None, metric);
        let tree = focused.as_ref().unwrap_or(&tree);
        let paths = Paths::of_tree(profile, tree, metric, choice, None);
        let lines = self.lines();
        let row = |node| (lines.path(node), json::path(profile, node));
        Ok(Rows {
            rows: paths.of.shown.iter().map(row).collect(),
            others: paths.of.left_out,
        })
    }

    /// The lines that cost most, or those of a function from its first to its last.
    pub(crate) fn line_rows(&self, function: Option<&str>) -> Result<Rows> {
        let functions = match function.map(|wanted| self.found(wanted)).transpose()? {
            Some(Found::One(function)) => Some(vec![function]),
            Some(Found::Several(functions)) => Some(functions),
            None => None,
        };
        let table = self.line_table(None, functions.as_deref())?;
        let lines = self.lines();
        let row = |row| (lines.line(row), json::line(lines.profile, row));
        Ok(Rows {
            rows: table.rows.iter().map(row).collect(),
            others: table.others,
        })
    }

    pub(crate) fn span_rows(&self) -> Rows {
        let (arguments, pattern) = (&self.arguments, self.pattern.as_ref());
        let spans = SpanTable::new(&self.document, arguments, None, pattern);
        let lines = spans.markdown_rows().into_iter();
        Rows {
            rows: lines.zip(spans.json_rows()).collect(),
            others: spans.others(),
        }
    }

    pub(crate) fn hint_rows(&self) -> Rows {
        let hints = self.hints();
        let rows = hints.iter().flat_map(super::hints::HintList::rows);
        Rows {
            rows: rows
                .map(|(hint, value)| (view::markdown::hint(hint), value))
                .collect(),
            others: 0,
        }
    }
}
