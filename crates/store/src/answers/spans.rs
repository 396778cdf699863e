//! Sums of spans.

use super::source::{Resolution, Source, visit};
use super::want::{PartSums, Want};
use crate::rollup::{Sign, SpanSums, kind_name};
use crate::{Result, Selection, SpanTotal};

/// The spans of a selection, those with the most time first.
pub(crate) fn spans(
    source: &dyn Source,
    selection: &Selection,
    limit: usize,
) -> Result<Vec<SpanTotal>> {
    let mut sum = SpanSums::default();
    visit(
        source,
        selection,
        Want::Spans,
        Resolution::Day,
        &mut |_, _, part| {
            if let PartSums::Spans(spans) = part {
                sum.merge(&spans, Sign::Plus);
            }
        },
    )?;
    let mut rows: Vec<SpanTotal> = sum
        .rows
        .into_iter()
        .map(|((kind, text), row)| SpanTotal {
            kind: kind_name(kind).to_owned(),
            text: String::from_utf8_lossy(&text).into_owned(),
            runs: row.runs,
            calls: row.calls,
            wall: row.wall,
            max: row.max,
            rows: row.rows,
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.wall, row.calls)));
    rows.truncate(limit);
    Ok(rows)
}
