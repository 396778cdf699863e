//! The tooltip of a box.

use std::borrow::Cow;
use std::fmt::Write as _;

use profile::{Metric, Metrics, Symbol};

use super::graph::{Column, Graph};
use super::units::{amount, count, share, unit};
use crate::shared::text::{lossy, shortened};

/// The maximum length of a name.
const LONGEST_NAME: usize = 300;

/// A function's name as displayed.
pub(crate) fn name(symbol: &Symbol) -> Cow<'_, str> {
    let name = lossy(&symbol.name);
    if name.is_empty() {
        return Cow::Borrowed("(no name)");
    }
    // Characters that change the text direction would make it look like another
    // name.
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let name = if name.contains(turns) {
        Cow::Owned(name.replace(turns, "\u{fffd}"))
    } else {
        name
    };
    match shortened(&name, LONGEST_NAME) {
        Cow::Borrowed(_) => name,
        Cow::Owned(short) => Cow::Owned(short),
    }
}

/// One cost of one box.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shown {
    pub inclusive: i64,
    pub own: i64,
    pub base: Option<(i64, i64)>,
}

impl Shown {
    /// The cost of the box `number`.
    pub(crate) fn of(column: &Column, number: usize) -> Self {
        let at = |list: &[i64]| list[number];
        Self {
            inclusive: at(&column.new.inclusive),
            own: at(&column.new.own),
            base: column
                .base
                .as_ref()
                .map(|base| (at(&base.inclusive), at(&base.own))),
        }
    }

    /// The difference of its self cost from the base's.
    pub(crate) fn difference(self) -> i64 {
        self.base.map_or(0, |(_, own)| self.own.saturating_sub(own))
    }
}

/// The lines for the box `number`: the name with its share, then its self cost
/// and the number of its calls.
pub(crate) fn lines(
    graph: &Graph,
    number: usize,
    title: &str,
    symbol: Option<&Symbol>,
    metrics: Metrics,
) -> String {
    let Some(column) = graph.widths() else {
        return title.to_owned();
    };
    let unit = unit(column.metric, metrics);
    let total = Shown::of(column, 0).inclusive;
    let shown = Shown::of(column, number);
    let part = share(column.metric, shown.inclusive, total);
    let mut lines = format!(
        "{title} ({}{})\nself {}",
        amount(shown.inclusive, unit),
        part.map(|part| format!(", {part}")).unwrap_or_default(),
        amount(shown.own, unit)
    );
    let calls = graph
        .columns
        .iter()
        .find(|column| column.metric == Metric::Calls);
    let calls = calls.map(|calls| calls.new.own[number]);
    if let Some(calls) = calls.filter(|calls| *calls > 0 && column.metric != Metric::Calls) {
        let plural = if calls == 1 { "" } else { "s" };
        let _ = write!(lines, ", {} call{plural}", count(calls));
    }
    if let Some((inclusive, _)) = shown.base {
        let change = shown.inclusive.saturating_sub(inclusive);
        let _ = write!(
            lines,
            "\nbefore {}: {}; self {}",
            amount(inclusive, unit),
            signed(change, column.metric, unit, total),
            signed(shown.difference(), column.metric, unit, total)
        );
    }
    let Some(symbol) = symbol else {
        return lines;
    };
    match (&symbol.file, symbol.line) {
        (Some(file), 0) => lines += &format!("\n{}", shortened(&lossy(file), LONGEST_NAME)),
        (Some(file), line) => {
            lines += &format!("\n{}:{line}", shortened(&lossy(file), LONGEST_NAME));
        }
        (None, _) if symbol.internal => lines += "\nPHP itself or an extension",
        (None, _) => {}
    }
    lines
}

/// `+10.0 µs (+3.80%)`.
pub(crate) fn signed(change: i64, metric: Metric, unit: &str, total: i64) -> String {
    let plus = if change > 0 { "+" } else { "" };
    let part = share(metric, change, total);
    let part = part.map(|part| format!(" ({plus}{part})"));
    format!("{plus}{}{}", amount(change, unit), part.unwrap_or_default())
}
