//! Statements, requests and commands, grouped by text.

use profile::{LeftOut, SpanGroup};
use serde::Serialize;

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
    let spans = &document.profile().spans;
    let LeftOut { count, duration } = spans.left_out;
    let groups = spans.groups();
    SpanGroups {
        time: groups.iter().map(|group| group.total).sum(),
        groups: groups.iter().map(|group| row(document, group)).collect(),
        left_out: count,
        left_out_time: duration,
    }
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
    }
}
