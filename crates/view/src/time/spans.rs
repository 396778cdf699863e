//! Spans in rows: those of one kind together, overlapping ones below each other.

use std::collections::HashMap;

use profile::{Span, SpanKind};
use serde::Serialize;

use super::scale::Scale;
use crate::{Document, names};

/// Statements, requests and commands, one entry each in every list.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SpanBoxes {
    /// The row, counted from zero below the calls.
    pub row: Vec<u32>,
    /// Left edge in pixels.
    pub left: Vec<f32>,
    /// Right edge in pixels.
    pub right: Vec<f32>,
    /// `sql`, `http`, `stream`, `redis`, `memcached`, `other`.
    pub kind: Vec<&'static str>,
    /// Place of its text in `texts`; of joined spans -1.
    pub text: Vec<i32>,
    /// The texts.
    pub texts: Vec<String>,
    /// The function that waited.
    pub function: Vec<u32>,
    /// When it began, in nanoseconds since the profile began.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub start: Vec<u64>,
    /// How long it took, in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub duration: Vec<u64>,
    /// How many spans were joined; 1 for one.
    pub joined: Vec<u32>,
}

/// The most characters of a text in a box.
const MOST_LETTERS: usize = 500;

pub(super) fn span_boxes(document: &Document, scale: &Scale) -> SpanBoxes {
    let spans = &document.profile().spans;
    let mut visible: Vec<&Span> = spans
        .list
        .iter()
        .filter(|span| span.start < scale.range.to)
        .filter(|span| span.start.saturating_add(span.duration) >= scale.range.from)
        .collect();
    visible.sort_by_key(|span| (span.kind, span.start));
    let mut boxes = SpanBoxes::default();
    let mut texts = HashMap::new();
    // Where each row of the present kind ends, and the last box in it.
    let mut ends: Vec<(u64, usize)> = Vec::new();
    let mut first_row = 0;
    let mut kind: Option<SpanKind> = None;
    for span in visible {
        if kind.is_some_and(|kind| kind != span.kind) {
            first_row += ends.len();
            ends.clear();
        }
        kind = Some(span.kind);
        let end = span.start.saturating_add(span.duration);
        let is_narrow = span.duration < scale.min_ns;
        let free = ends.iter().position(|(row_end, _)| *row_end <= span.start);
        let row = free.unwrap_or(ends.len());
        let row_number = u32::try_from(first_row + row).unwrap_or(u32::MAX);
        if let Some((row_end, last)) = ends.get_mut(row) {
            // Joined with the one before if both are too narrow to be told apart.
            let (_, right) = scale.edges(boxes.start[*last], *row_end);
            let (left, new_right) = scale.edges(span.start, end);
            let was_narrow = boxes.duration[*last] < scale.min_ns || boxes.joined[*last] > 1;
            if is_narrow && was_narrow && f64::from(left - right) < scale.min_width {
                boxes.joined[*last] += 1;
                boxes.text[*last] = -1;
                boxes.right[*last] = new_right;
                boxes.duration[*last] = end - boxes.start[*last];
                *row_end = end;
                continue;
            }
            (*row_end, *last) = (end, boxes.row.len());
        } else {
            ends.push((end, boxes.row.len()));
        }
        let (left, right) = scale.edges(span.start, end);
        let text = span.text.map_or(-1, |id| {
            *texts.entry(id).or_insert_with(|| {
                let text = names::short_text(spans.text(span), MOST_LETTERS);
                boxes.texts.push(text);
                i32::try_from(boxes.texts.len() - 1).unwrap_or(i32::MAX)
            })
        });
        boxes.row.push(row_number);
        boxes.left.push(left);
        boxes.right.push(right);
        boxes.kind.push(span.kind.name());
        boxes.text.push(text);
        boxes.function.push(span.symbol.0);
        boxes.start.push(span.start);
        boxes.duration.push(span.duration);
        boxes.joined.push(1);
    }
    boxes
}
