//! Selects the part of a comparison that is shown, and counts the changes.

use std::path::PathBuf;

use profile::{Change, Diff, EdgeDiff, FunctionDiff, Metric};

use crate::args::{DiffArguments, Side};
use crate::report::Pattern;

/// The default number of lines of a table.
const LIMIT: usize = 25;

/// The part of a comparison that is shown.
pub(super) struct Shown<'d> {
    pub(super) diff: &'d Diff,
    pub(super) metric: Metric,
    /// What all of them count: see [`profile::Profile::unit`].
    pub(super) unit: &'d str,
    /// The files of each side.
    pub(super) files: [&'d [PathBuf]; 2],
    pub(super) functions: Vec<&'d FunctionDiff>,
    pub(super) edges: Vec<&'d EdgeDiff>,
    /// How many functions and edges the limit left out.
    pub(super) left_out: [usize; 2],
    pub(super) counts: Counts,
}

/// How many functions changed, by direction.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) worse: u64,
    pub(super) better: u64,
    pub(super) within_spread: u64,
    pub(super) unchanged: u64,
}

impl<'d> Shown<'d> {
    /// Selects what the arguments ask for from a comparison sorted by impact.
    pub(super) fn new(
        diff: &'d Diff,
        metric: Metric,
        arguments: &DiffArguments,
        unit: &'d str,
        files: [&'d [PathBuf]; 2],
    ) -> Self {
        let pattern = arguments.pattern.as_deref().map(Pattern::new);
        let is_named = |symbols: &[_]| {
            let mut names = symbols.iter().map(|&symbol| diff.name(symbol));
            pattern
                .as_ref()
                .is_none_or(|pattern| names.any(|name| pattern.matches(name)))
        };
        let mut counts = Counts::default();
        let mut functions = Vec::new();
        for function in &diff.functions {
            if !is_named(&[function.symbol]) {
                continue;
            }
            let change = function.own.of(metric);
            counts.add(change);
            if is_shown(change, arguments.only) {
                functions.push(function);
            }
        }
        let edges = diff.edges.iter().filter(|edge| {
            is_named(&[edge.caller, edge.callee]) && is_shown(edge.cost.of(metric), arguments.only)
        });
        let mut edges: Vec<_> = edges.collect();
        let usual = if arguments.json { 0 } else { LIMIT };
        let limit = match arguments.limit.unwrap_or(usual) {
            0 => usize::MAX,
            limit => limit,
        };
        let left_out = [functions.len(), edges.len()].map(|count| count.saturating_sub(limit));
        functions.truncate(limit);
        edges.truncate(limit);
        Self {
            diff,
            metric,
            unit,
            files,
            functions,
            edges,
            left_out,
            counts,
        }
    }

    /// Which sides have a single run, so that their standard deviation is
    /// unknown.
    pub(super) fn single(&self) -> [bool; 2] {
        self.files.map(|side| side.len() == 1)
    }

    /// Whether a side has several runs, so that there is a standard deviation.
    pub(super) fn has_spread(&self) -> bool {
        self.files.iter().any(|side| side.len() > 1)
    }
}

fn is_shown(change: Change, only: Option<Side>) -> bool {
    match only {
        _ if is_nothing(change) => false,
        None => true,
        Some(_) if change.is_within_spread() => false,
        Some(Side::Worse) => change.absolute() > 0.0,
        Some(Side::Better) => change.absolute() < 0.0,
    }
}

/// Less than half of a nanosecond, byte or call counts as zero.
fn is_nothing(change: Change) -> bool {
    change.absolute().abs() < 0.5
}

impl Counts {
    fn add(&mut self, change: Change) {
        let place = if is_nothing(change) {
            &mut self.unchanged
        } else if change.is_within_spread() {
            &mut self.within_spread
        } else if change.absolute() > 0.0 {
            &mut self.worse
        } else {
            &mut self.better
        };
        *place += 1;
    }
}
