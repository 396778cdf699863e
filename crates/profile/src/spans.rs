//! Spans: SQL statements, HTTP requests and commands that a program waited for.
//!
//! Spans are separate from the calls, not part of their names: a thousand
//! statements are a thousand spans of one function. Texts have no literals and
//! are stored once. They come from outside nevertheless, and may contain any
//! bytes.
//!
//! **Invariants:** a text's number is an index into `texts`, a symbol's number
//! is one into the profile's symbols. There are at most [`Spans::MOST`]; spans
//! beyond that, or beyond the recorder's limit, are counted only.

use std::collections::HashMap;

use crate::SymbolId;
use crate::table::{Id, known, known_mut};

/// The spans of a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spans {
    /// The texts, each once.
    pub texts: Vec<Box<[u8]>>,
    /// The spans, in the order in which they ended.
    pub list: Vec<Span>,
    /// Spans that a limit left out.
    pub left_out: LeftOut,
}

/// One call that waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The kind of operation.
    pub kind: SpanKind,
    /// The statement, address or command; none if unknown.
    pub text: Option<TextId>,
    /// The function.
    pub symbol: SymbolId,
    /// The caller of the function.
    pub caller: SymbolId,
    /// The start, in nanoseconds since the beginning of the profile.
    pub start: u64,
    /// The duration, in nanoseconds.
    pub duration: u64,
    /// The rows that a statement found or changed, if known.
    pub rows: Option<u64>,
}

/// The kind of operation that a span waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpanKind {
    /// A statement, for a database.
    Sql,
    /// A request by HTTP or HTTPS.
    Http,
    /// A remote file, by another protocol.
    Stream,
    /// A command of Redis.
    Redis,
    /// A command of Memcached.
    Memcached,
    /// A kind of a later version, by its number in the native file.
    Other(u32),
}

/// The number and total time of spans that were not kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of spans.
    pub count: u64,
    /// Their total time, in nanoseconds.
    pub duration: u64,
}

/// The number of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub u32);

impl TextId {
    /// As an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Id for TextId {
    #[inline]
    fn index(self) -> usize {
        Self::index(self)
    }
}

impl SpanKind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sql => "sql",
            Self::Http => "http",
            Self::Stream => "stream",
            Self::Redis => "redis",
            Self::Memcached => "memcached",
            Self::Other(_) => "other",
        }
    }

    /// Its number in the native file.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::Sql => 1,
            Self::Http => 2,
            Self::Stream => 3,
            Self::Redis => 4,
            Self::Memcached => 5,
            Self::Other(number) => number,
        }
    }

    /// The kind with that number.
    #[must_use]
    pub fn from_number(number: u32) -> Self {
        match number {
            1 => Self::Sql,
            2 => Self::Http,
            3 => Self::Stream,
            4 => Self::Redis,
            5 => Self::Memcached,
            number => Self::Other(number),
        }
    }
}

impl LeftOut {
    /// Adds one span of this duration.
    pub fn add(&mut self, duration: u64) {
        self.count = self.count.saturating_add(1);
        self.duration = self.duration.saturating_add(duration);
    }

    /// Adds both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            count: self.count.saturating_add(other.count),
            duration: self.duration.saturating_add(other.duration),
        }
    }
}

impl Spans {
    /// The maximum number of spans in a profile: 50 MiB of memory.
    pub const MOST: usize = 1 << 20;

    /// Whether there are no spans.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.left_out == LeftOut::default()
    }

    /// A span's text; empty if it has none.
    #[must_use]
    pub fn text(&self, span: &Span) -> &[u8] {
        self.text_of(span.text)
    }

    /// The text of that number; empty if there is none.
    #[must_use]
    pub fn text_of(&self, text: Option<TextId>) -> &[u8] {
        let text = text.and_then(|text| known(&self.texts, text));
        text.map_or(b"", |text| text)
    }

    /// Groups the spans of the same kind, text and function, those with the
    /// most total time first.
    #[must_use]
    pub fn groups(&self) -> Vec<SpanGroup<'_>> {
        let mut places = HashMap::new();
        let mut groups: Vec<SpanGroup<'_>> = Vec::new();
        let mut callers: Vec<HashMap<SymbolId, (u64, u64)>> = Vec::new();
        for span in &self.list {
            let place = *places
                .entry((span.kind, span.text, span.symbol))
                .or_insert_with(|| {
                    groups.push(SpanGroup {
                        kind: span.kind,
                        text: self.text(span),
                        symbol: span.symbol,
                        calls: 0,
                        total: 0,
                        max: 0,
                        rows: None,
                        callers: Vec::new(),
                    });
                    callers.push(HashMap::new());
                    groups.len() - 1
                });
            let group = known_mut(&mut groups, place).zip(known_mut(&mut callers, place));
            if let Some((group, callers)) = group {
                group.calls += 1;
                group.total = group.total.saturating_add(span.duration);
                group.max = group.max.max(span.duration);
                if let Some(rows) = span.rows {
                    group.rows = Some(group.rows.unwrap_or(0).saturating_add(rows));
                }
                let (calls, total) = callers.entry(span.caller).or_default();
                *calls += 1;
                *total = total.saturating_add(span.duration);
            }
        }
        for (group, callers) in groups.iter_mut().zip(callers) {
            let callers = callers.into_iter();
            group.callers = callers
                .map(|(symbol, (calls, total))| SpanCaller {
                    symbol,
                    calls,
                    total,
                })
                .collect();
            let largest_first =
                |caller: &SpanCaller| (std::cmp::Reverse(caller.total), caller.symbol);
            group.callers.sort_by_key(largest_first);
        }
        groups.sort_by_key(|group| {
            let size = std::cmp::Reverse((group.total, group.calls));
            (size, group.kind, group.text, group.symbol)
        });
        groups
    }

    /// The same with renumbered symbols, in the canonical order: by time, texts
    /// by their bytes.
    pub(crate) fn canonical(&self, number: impl Fn(SymbolId) -> SymbolId) -> Self {
        let named = self.list.iter().filter(|span| span.text.is_some());
        let mut used: Vec<&[u8]> = named.map(|span| self.text(span)).collect();
        used.sort_unstable();
        let mut builder = SpansBuilder::new(Self::MOST);
        for text in used {
            builder.text(text);
        }
        let mut list = self.list.clone();
        for span in &mut list {
            (span.symbol, span.caller) = (number(span.symbol), number(span.caller));
            span.text = span.text.map(|_| builder.text(self.text(span)));
        }
        list.sort_by_key(|span| {
            (
                span.start,
                span.duration,
                span.symbol,
                span.text,
                span.caller,
                span.rows,
            )
        });
        for span in list {
            builder.push(span);
        }
        builder.leave_out(self.left_out);
        builder.finish()
    }
}

/// The spans of one kind and text in one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanGroup<'a> {
    /// Their kind.
    pub kind: SpanKind,
    /// Their text; empty if unknown.
    pub text: &'a [u8],
    /// The function.
    pub symbol: SymbolId,
    /// The number of spans.
    pub calls: u64,
    /// Their total time, in nanoseconds.
    pub total: u64,
    /// The longest duration, in nanoseconds.
    pub max: u64,
    /// The rows of those spans that have them; none if none has.
    pub rows: Option<u64>,
    /// The callers of the function, those with the most time first.
    pub callers: Vec<SpanCaller>,
}

/// A caller of a function that waited, and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanCaller {
    /// The caller.
    pub symbol: SymbolId,
    /// The number of its calls.
    pub calls: u64,
    /// Their total time, in nanoseconds.
    pub total: u64,
}

/// Collects spans within limits.
#[derive(Debug, Clone, Default)]
pub struct SpansBuilder {
    spans: Spans,
    numbers: HashMap<Box<[u8]>, TextId>,
    most: usize,
}

impl SpansBuilder {
    /// At most this many, and never more than [`Spans::MOST`].
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most: most.min(Spans::MOST),
            ..Self::default()
        }
    }

    /// The spans so far.
    #[must_use]
    pub fn spans(&self) -> &Spans {
        &self.spans
    }

    /// Whether the limit was reached.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.spans.list.len() >= self.most
    }

    /// The number of a text, if it was added before.
    #[must_use]
    pub fn known_text(&self, text: &[u8]) -> Option<TextId> {
        self.numbers.get(text).copied()
    }

    /// The number of a text, which is added if it is new.
    pub fn text(&mut self, text: &[u8]) -> TextId {
        if let Some(known) = self.known_text(text) {
            return known;
        }
        let number = TextId(u32::try_from(self.spans.texts.len()).unwrap_or(u32::MAX));
        self.spans.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// Adds a span with a text of this builder; only counts it beyond the
    /// limit.
    pub fn push(&mut self, span: Span) {
        if self.is_full() {
            self.spans.left_out.add(span.duration);
        } else {
            self.spans.list.push(span);
        }
    }

    /// Counts spans that were not kept.
    pub fn leave_out(&mut self, more: LeftOut) {
        self.spans.left_out = self.spans.left_out.plus(more);
    }

    /// Adds all spans of a profile, with renumbered symbols.
    pub fn add(&mut self, spans: &Spans, number: impl Fn(SymbolId) -> SymbolId) {
        for span in &spans.list {
            let text = match span.text {
                Some(_) if !self.is_full() => Some(self.text(spans.text(span))),
                _ => None,
            };
            self.push(Span {
                text,
                symbol: number(span.symbol),
                caller: number(span.caller),
                ..*span
            });
        }
        self.leave_out(spans.left_out);
    }

    /// All spans.
    #[must_use]
    pub fn finish(self) -> Spans {
        self.spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: TextId, caller: u32, duration: u64, rows: Option<u64>) -> Span {
        Span {
            kind: SpanKind::Sql,
            text: Some(text),
            symbol: SymbolId(1),
            caller: SymbolId(caller),
            start: 0,
            duration,
            rows,
        }
    }

    #[test]
    fn spans_of_one_text_and_function_are_one_group() {
        let mut builder = SpansBuilder::new(10);
        let (one, other) = (builder.text(b"SELECT ?"), builder.text(b"COMMIT"));
        assert_eq!(builder.text(b"SELECT ?"), one);
        builder.push(span(one, 2, 10, Some(3)));
        builder.push(span(one, 3, 30, None));
        builder.push(span(other, 2, 35, None));
        let spans = builder.finish();
        let groups = spans.groups();
        let [select, commit] = groups.as_slice() else {
            panic!("{groups:?}")
        };
        assert_eq!((select.text, select.calls), (&b"SELECT ?"[..], 2));
        assert_eq!((select.total, select.max, select.rows), (40, 30, Some(3)));
        assert_eq!(select.callers.first().unwrap().symbol, SymbolId(3));
        assert_eq!((commit.text, commit.rows), (&b"COMMIT"[..], None));
    }

    #[test]
    fn what_is_past_the_limit_is_counted_with_its_time() {
        let mut builder = SpansBuilder::new(1);
        let text = builder.text(b"SELECT ?");
        builder.push(span(text, 0, 1, None));
        builder.push(span(text, 0, 20, None));
        builder.push(span(text, 0, 300, None));
        let spans = builder.finish();
        assert_eq!(spans.list.len(), 1);
        let left_out = LeftOut {
            count: 2,
            duration: 320,
        };
        assert_eq!(spans.left_out, left_out);
    }
}
