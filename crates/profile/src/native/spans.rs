//! Spans in a native file: first the distinct texts, then the spans.
//!
//! A section contains the additions since the previous one, so that spans can
//! be written during the recording.

use super::section::{SectionWriter, kind};
use super::varint::{Cursor, put, put_bytes, put_signed};
use super::{Error, Limits};
use crate::table::part;
use crate::{Budget, LeftOut, Span, SpanKind, Spans, SymbolId, TextId, allocated};

/// The number of spans in a section.
const A_SECTION: usize = 4096;
/// The number of texts, which may be long.
const TEXTS_A_SECTION: usize = 256;

/// The content of a section.
struct New<'a> {
    texts: &'a [Box<[u8]>],
    spans: &'a [Span],
}

/// Writes spans during the recording.
#[derive(Debug, Clone, Default)]
pub(super) struct SpanWriter {
    texts: usize,
    spans: usize,
    left_out: LeftOut,
    last_start: u64,
}

impl SpanWriter {
    /// Appends sections with the new part of `spans`.
    pub(super) fn put(&mut self, sections: &mut SectionWriter, out: &mut Vec<u8>, spans: &Spans) {
        while let Some(New { texts, spans: list }) = self.next(spans) {
            let left_out = LeftOut {
                count: spans.left_out.count.saturating_sub(self.left_out.count),
                duration: spans
                    .left_out
                    .duration
                    .saturating_sub(self.left_out.duration),
            };
            sections.section(out, kind::SPANS, |out| {
                put(out, texts.len() as u64);
                for text in texts {
                    put_bytes(out, text);
                }
                put(out, list.len() as u64);
                for span in list {
                    self.put_span(out, span);
                }
                put(out, left_out.count);
                put(out, left_out.duration);
            });
            self.texts += texts.len();
            self.spans += list.len();
            self.left_out = spans.left_out;
        }
    }

    /// The content of the next section: all texts first, because spans refer to
    /// them.
    fn next<'a>(&self, all: &'a Spans) -> Option<New<'a>> {
        let texts = part(&all.texts, self.texts..);
        let spans = part(&all.list, self.spans..);
        if let Some(some) = texts.get(..TEXTS_A_SECTION) {
            return Some(New {
                texts: some,
                spans: &[],
            });
        }
        let spans = spans.get(..A_SECTION).unwrap_or(spans);
        let is_new = !texts.is_empty() || !spans.is_empty() || all.left_out != self.left_out;
        is_new.then_some(New { texts, spans })
    }

    fn put_span(&mut self, out: &mut Vec<u8>, span: &Span) {
        put(out, u64::from(span.kind.number()));
        put(out, span.text.map_or(0, |text| u64::from(text.0) + 1));
        put(out, u64::from(span.symbol.0));
        put(out, u64::from(span.caller.0));
        put_signed(out, span.start.wrapping_sub(self.last_start).cast_signed());
        put(out, span.duration);
        // The encoding has no room for `u64::MAX` rows: written as unknown.
        let rows = span.rows.and_then(|rows| rows.checked_add(1));
        put(out, rows.unwrap_or(0));
        self.last_start = span.start;
    }
}

/// Reads spans from any number of sections.
#[derive(Debug)]
pub(super) struct SpanReader {
    pub(super) spans: Spans,
    last_start: u64,
    budget: Budget,
}

/// The noun in the budget's error message.
const SPANS: &str = "spans";

impl SpanReader {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            spans: Spans::default(),
            last_start: 0,
            budget: budget.clone(),
        }
    }

    /// Reads the payload of a section; `symbol` maps a number in the file to
    /// the profile's symbol.
    pub(super) fn take(
        &mut self,
        mut cursor: Cursor<'_>,
        limits: &Limits,
        symbol: impl Fn(u64) -> Option<SymbolId>,
    ) -> Result<(), Error> {
        for _ in 0..cursor.count()? {
            let text = cursor.bytes()?;
            self.budget.take(allocated(text.len()), SPANS)?;
            self.budget.room(&mut self.spans.texts, SPANS)?;
            self.spans.texts.push(text.into());
        }
        let count = cursor.count()?;
        if count > limits.spans.saturating_sub(self.spans.list.len()) {
            return Err(Error::TooLarge {
                offset: cursor.offset(),
                what: "spans",
            });
        }
        for _ in 0..count {
            let kind = SpanKind::from_number(cursor.number_32()?);
            let text = match cursor.number()? {
                0 => None,
                number => Some(self.text(&cursor, number - 1)?),
            };
            let mut named = || {
                let number = cursor.number()?;
                symbol(number).ok_or_else(|| cursor.broken("no symbol has this number"))
            };
            let (symbol, caller) = (named()?, named()?);
            let step = cursor.signed()?.cast_unsigned();
            self.last_start = self.last_start.wrapping_add(step);
            self.budget.room(&mut self.spans.list, SPANS)?;
            self.spans.list.push(Span {
                kind,
                text,
                symbol,
                caller,
                start: self.last_start,
                duration: cursor.number()?,
                rows: cursor.number()?.checked_sub(1),
            });
        }
        let left_out = LeftOut {
            count: cursor.number()?,
            duration: cursor.number()?,
        };
        self.spans.left_out = self.spans.left_out.plus(left_out);
        cursor.finish()
    }

    fn text(&self, cursor: &Cursor<'_>, number: u64) -> Result<TextId, Error> {
        let number = u32::try_from(number).ok().map(TextId);
        let number = number.filter(|number| number.index() < self.spans.texts.len());
        number.ok_or_else(|| cursor.broken("no text has this number"))
    }
}
