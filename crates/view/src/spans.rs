//! Statements, requests and commands, grouped by text.

use std::collections::HashMap;

use profile::{LeftOut, SpanGroup};
use serde::Serialize;

use crate::comparison::{Comparison, SpansOfBoth};
use crate::{Document, names};

/// All groups, those first that took longest together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SpanGroups {
    /// The groups.
    pub groups: Vec<SpanGroupRow>,
    /// Spans that a limit left out.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub left_out: u64,
    /// Their time in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub left_out_time: u64,
    /// All spans together took so long, in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub time: u64,
    /// All spans of the base; none if nothing is compared.
    pub base: Option<SpanBase>,
}

/// Spans of the base of a comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpanBase {
    /// How many.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
    /// Their time in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub time: u64,
}

/// Spans of the same kind, text and function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpanGroupRow {
    /// `sql`, `http`, `stream`, `redis`, `memcached`, `other`.
    pub kind: &'static str,
    /// The statement, address or command, without literals; empty if not known.
    pub text: String,
    /// The function that waited.
    pub function: u32,
    /// Its name.
    pub name: String,
    /// How many.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
    /// Their time in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub time: u64,
    /// The longest, in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub longest: u64,
    /// Rows found or changed, if that is known.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub rows: Option<u64>,
    /// The callers, those first whose spans took longest.
    pub callers: Vec<SpanCallerRow>,
    /// The same group in the base; none if nothing is compared. Without calls the group is
    /// new; a group that is gone has no calls itself.
    pub base: Option<SpanBase>,
}

/// A caller of spans.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpanCallerRow {
    /// Its number in this document.
    pub function: u32,
    /// Its name.
    pub name: String,
    /// How many.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
    /// Their time in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub time: u64,
}

pub(crate) fn groups(document: &Document) -> SpanGroups {
    if let Some(comparison) = document.comparison()
        && let Some(spans) = &comparison.spans
    {
        return compared(document, comparison, spans);
    }
    let spans = &document.profile().spans;
    let LeftOut { count, duration } = spans.left_out;
    let groups = spans.groups();
    SpanGroups {
        time: groups.iter().map(|group| group.total).sum(),
        groups: groups.iter().map(|group| row(document, group)).collect(),
        left_out: count,
        left_out_time: duration,
        base: None,
    }
}

/// Means of one profile of each side, the largest change of time first.
fn compared(document: &Document, comparison: &Comparison, spans: &SpansOfBoth) -> SpanGroups {
    let (new_runs, base_runs) = (comparison.new_runs.into(), comparison.base_runs.into());
    let key = |group: &SpanGroup<'_>| (group.kind, group.text.to_vec(), group.symbol);
    let base_groups = spans.base.groups();
    let mut base: HashMap<_, &SpanGroup<'_>> = base_groups
        .iter()
        .map(|group| (key(group), group))
        .collect();
    let mean_of = |group: &SpanGroup<'_>| SpanBase {
        calls: mean(group.calls, base_runs),
        time: mean(group.total, base_runs),
    };
    let new_groups = spans.new.groups();
    let mut rows: Vec<SpanGroupRow> = Vec::new();
    for group in &new_groups {
        let before = base.remove(&key(group));
        let mut row = row(document, group);
        row.calls = mean(row.calls, new_runs);
        row.time = mean(row.time, new_runs);
        row.rows = row.rows.map(|rows| mean(rows, new_runs));
        for caller in &mut row.callers {
            caller.calls = mean(caller.calls, new_runs);
            caller.time = mean(caller.time, new_runs);
        }
        row.base = Some(before.map_or_else(SpanBase::default, mean_of));
        rows.push(row);
    }
    rows.extend(base.into_values().map(|group| SpanGroupRow {
        calls: 0,
        time: 0,
        longest: 0,
        rows: None,
        callers: Vec::new(),
        base: Some(mean_of(group)),
        ..row(document, group)
    }));
    let change = |row: &SpanGroupRow| row.time.abs_diff(row.base.unwrap_or_default().time);
    rows.sort_by(|a, b| {
        let by_change = change(b).cmp(&change(a));
        by_change.then_with(|| (a.kind, &a.text, &a.name).cmp(&(b.kind, &b.text, &b.name)))
    });
    let LeftOut { count, duration } = spans.new.left_out;
    SpanGroups {
        time: rows.iter().map(|row| row.time).sum(),
        base: Some(SpanBase {
            calls: rows
                .iter()
                .filter_map(|row| row.base)
                .map(|base| base.calls)
                .sum(),
            time: rows
                .iter()
                .filter_map(|row| row.base)
                .map(|base| base.time)
                .sum(),
        }),
        groups: rows,
        left_out: mean(count, new_runs),
        left_out_time: mean(duration, new_runs),
    }
}

/// Rounded; what is there in some profiles only is at least one.
fn mean(sum: u64, runs: u64) -> u64 {
    let runs = runs.max(1);
    let mean = sum.saturating_add(runs / 2) / runs;
    if sum > 0 { mean.max(1) } else { mean }
}

fn row(document: &Document, group: &SpanGroup<'_>) -> SpanGroupRow {
    SpanGroupRow {
        kind: group.kind.name(),
        text: if group.text.is_empty() {
            String::new()
        } else {
            names::text(group.text)
        },
        function: group.symbol.0,
        name: document.name(group.symbol),
        calls: group.calls,
        time: group.total,
        longest: group.max,
        rows: group.rows,
        callers: group
            .callers
            .iter()
            .map(|caller| SpanCallerRow {
                function: caller.symbol.0,
                name: document.name(caller.symbol),
                calls: caller.calls,
                time: caller.total,
            })
            .collect(),
        base: None,
    }
}
