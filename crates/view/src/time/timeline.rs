//! Calls in the order of time: those that are wide enough to be seen.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::TimeRange;
use super::scale::Scale;
use super::spans::{SpanBoxes, span_boxes};
use crate::flame::FlameName;
use crate::lanes::{Call, Row};
use crate::names;
use crate::pattern::Pattern;
use crate::{Document, Error};

/// Which part of the time to show.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TimelineQuery {
    /// The part; none for all.
    pub range: Option<TimeRange>,
    /// Width of the part, in pixels.
    pub width: f32,
    /// Calls narrower than this are joined, in pixels.
    pub min_width: f32,
    /// The first row to show, counted from zero.
    pub first_row: u32,
    /// How many rows.
    pub rows: u32,
    /// Functions to mark: those whose name contains this text, in any case.
    pub search: String,
}

impl Default for TimelineQuery {
    fn default() -> Self {
        Self {
            range: None,
            width: 1_200.0,
            min_width: 2.0,
            first_row: 0,
            rows: 200,
            search: String::new(),
        }
    }
}

/// A part of the time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// The part that is shown.
    pub range: TimeRange,
    /// When the profile ended, in nanoseconds since it began.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub end: u64,
    /// All rows that there are.
    pub rows: Vec<TimeRow>,
    /// The calls.
    pub boxes: TimeBoxes,
    /// Every function that has a box, by number.
    pub names: Vec<FlameName>,
    /// What calls waited for.
    pub spans: SpanBoxes,
}

/// One depth of one stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeRow {
    /// The stack: zero is the program's own, others are fibers.
    pub lane: u32,
    /// The depth below the stack's first function.
    pub depth: u32,
}

/// Calls, one entry a call in every list.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimeBoxes {
    /// Its place in [`Timeline::rows`].
    pub row: Vec<u32>,
    /// Left edge in pixels.
    pub left: Vec<f32>,
    /// Right edge in pixels.
    pub right: Vec<f32>,
    /// Place of its function in [`Timeline::names`]; of joined calls -1.
    pub name: Vec<i32>,
    /// When it began, in nanoseconds since the profile began.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub start: Vec<u64>,
    /// How long it took, in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub duration: Vec<u64>,
    /// How many calls were joined; 1 for one.
    pub joined: Vec<u32>,
}

pub(crate) fn timeline(document: &Document, query: &TimelineQuery) -> Result<Timeline, Error> {
    let lanes = &document.times()?.lanes;
    let tree = document.tree()?;
    let scale = Scale::new(query.range, query.width, query.min_width, lanes.end);
    let pattern = Pattern::of_search(&query.search);
    let mut boxes = TimeBoxes::default();
    let mut names: Vec<FlameName> = Vec::new();
    let mut places = HashMap::new();
    let shown = (0_u32..).zip(&lanes.rows);
    let shown = shown
        .skip(query.first_row as usize)
        .take(query.rows.min(2_000) as usize);
    for (number, row) in shown {
        visible(row, &scale, |visible| {
            let (left, right) = scale.edges(visible.start, visible.end);
            boxes.row.push(number);
            boxes.left.push(left);
            boxes.right.push(right);
            boxes.start.push(visible.start);
            boxes.duration.push(visible.end - visible.start);
            boxes.joined.push(visible.joined);
            let name = visible.node.map_or(-1, |node| {
                let symbol = tree.symbol(node);
                *places.entry(symbol).or_insert_with(|| {
                    let symbol_data = &document.profile().symbols[symbol.index()];
                    let (class, colour) = document.class_and_colour(symbol);
                    names.push(FlameName {
                        class,
                        colour,
                        function: symbol.0,
                        name: names::short_name(&symbol_data.name, 500),
                        origin: names::origin(symbol_data),
                        found: pattern
                            .as_ref()
                            .is_some_and(|pattern| pattern.matches(&symbol_data.name)),
                    });
                    i32::try_from(names.len() - 1).unwrap_or(i32::MAX)
                })
            });
            boxes.name.push(name);
        });
    }
    Ok(Timeline {
        range: scale.range,
        end: lanes.end,
        rows: lanes
            .rows
            .iter()
            .map(|row| TimeRow {
                lane: row.lane,
                depth: row.depth,
            })
            .collect(),
        boxes,
        names,
        spans: span_boxes(document, &scale),
    })
}

/// A call that can be seen, or several that are too narrow.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Visible {
    start: u64,
    end: u64,
    node: Option<u32>,
    joined: u32,
}

/// The calls of a row from left to right. Takes time for what is visible, not
/// for what is there: among the calls that begin within one `min_width`, only
/// the last can be wider than that.
fn visible(row: &Row, scale: &Scale, mut show: impl FnMut(Visible)) {
    let calls = &row.calls;
    let mut at =
        calls.partition_point(|call| call.end <= scale.range.from && call.start < scale.range.from);
    while let Some(first) = calls.get(at).filter(|call| call.start < scale.range.to) {
        if is_wide(first, scale) {
            show(alone(first));
            at += 1;
            continue;
        }
        let border = first.start.saturating_add(scale.min_ns);
        let next = at + calls[at..].partition_point(|call| call.start < border);
        let last = &calls[next - 1];
        let narrow = if is_wide(last, scale) { next - 1 } else { next };
        if narrow - at == 1 {
            show(alone(first));
        } else if narrow > at {
            show(Visible {
                start: first.start,
                end: calls[narrow - 1].end,
                node: None,
                joined: u32::try_from(narrow - at).unwrap_or(u32::MAX),
            });
        }
        at = narrow;
    }
}

fn alone(call: &Call) -> Visible {
    Visible {
        start: call.start,
        end: call.end,
        node: Some(call.node),
        joined: 1,
    }
}

fn is_wide(call: &Call, scale: &Scale) -> bool {
    call.end - call.start >= scale.min_ns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(calls: &[(u64, u64)]) -> Row {
        let call = |(number, &(start, end)): (u32, &(u64, u64))| Call {
            start,
            end,
            node: number,
        };
        Row {
            calls: (0..).zip(calls).map(call).collect(),
            ..Row::default()
        }
    }

    fn shown(row: &Row, from: u64, to: u64, width: f32) -> Vec<(u64, u64, u32)> {
        let query = TimelineQuery {
            range: Some(TimeRange { from, to }),
            width,
            min_width: 1.0,
            ..TimelineQuery::default()
        };
        let mut list = Vec::new();
        let scale = Scale::new(query.range, query.width, query.min_width, to);
        visible(row, &scale, |visible| {
            list.push((visible.start, visible.end, visible.joined));
        });
        list
    }

    #[test]
    fn narrow_calls_are_joined_and_wide_ones_stand_alone() {
        let row = row(&[(0, 2), (3, 4), (5, 6), (7, 60), (61, 62), (90, 91)]);
        // Ten nanoseconds a pixel.
        assert_eq!(
            shown(&row, 0, 100, 10.0),
            [(0, 6, 3), (7, 60, 1), (61, 62, 1), (90, 91, 1)]
        );
        // One nanosecond a pixel: each by itself.
        assert_eq!(shown(&row, 0, 100, 100.0).len(), 6);
    }

    #[test]
    fn only_what_is_inside_is_shown() {
        let row = row(&[(0, 10), (10, 20), (20, 30), (30, 40)]);
        assert_eq!(shown(&row, 15, 30, 100.0), [(10, 20, 1), (20, 30, 1)]);
        assert_eq!(shown(&row, 40, 50, 100.0), []);
    }

    #[test]
    fn every_call_is_counted_once() {
        let calls: Vec<_> = (0..10_000_u64)
            .map(|at| (at * 7, at * 7 + at % 7))
            .collect();
        let row = row(&calls);
        for width in [1.0, 10.0, 333.0, 5_000.0] {
            let joined: u32 = shown(&row, 0, 70_000, width)
                .iter()
                .map(|(_, _, joined)| joined)
                .sum();
            assert_eq!(10_000_u32, joined, "{width}");
        }
    }
}
