//! The spans of a profile: calls that wait for a server.
//!
//! One log for each profile. [`SpanLog::begin`] adds an open span and returns its
//! number, which the caller passes to [`SpanLog::end`]. A bailout skips that: the
//! open spans then end when PHP raises the fatal error, or with the profile.
//!
//! **Invariants:** at most [`MAX_SPANS`] spans and as many texts of
//! [`MAX_TEXT_LENGTH`] bytes are kept; further spans are counted. Instants are
//! ticks since the profile began, and are converted to time here.

use std::cell::RefCell;
use std::rc::Rc;

use profile::{Span, SpanKind, Spans, SpansBuilder, SymbolId};
use recorder::{TickRate, Ticks};

/// How many spans a profile keeps.
const MAX_SPANS: usize = 10_000;
/// The largest size of all texts together, in bytes.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// The longest text, in bytes.
pub(crate) const MAX_TEXT_LENGTH: usize = 2 << 10;
/// How many spans may be open at once: callbacks can nest them.
const MAX_OPEN: usize = 1_000;

/// The spans of a profile, shared with the file of call events.
pub(crate) type SharedSpans = Rc<RefCell<SpanLog>>;

/// An open span's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpanId(u64);

/// The spans of one profile.
#[derive(Debug)]
pub(crate) struct SpanLog {
    builder: SpansBuilder,
    text_bytes: usize,
    open: Vec<Open>,
    next: u64,
    rate: TickRate,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    id: SpanId,
    start: Ticks,
    span: Span,
    /// A limit is reached: only the span's time is added up.
    is_left_out: bool,
}

impl SpanLog {
    /// A log for a profile that begins, with the rate of its wall clock.
    pub(crate) fn new(rate: TickRate) -> Self {
        Self {
            builder: SpansBuilder::new(MAX_SPANS),
            text_bytes: 0,
            open: Vec::new(),
            next: 0,
            rate,
        }
    }

    /// Opens a span; none if too many are open. `text` must be redacted.
    pub(crate) fn begin(
        &mut self,
        kind: SpanKind,
        symbol: SymbolId,
        text: Option<&[u8]>,
    ) -> Option<SpanId> {
        if self.open.len() >= MAX_OPEN {
            let mut left_out = profile::LeftOut::default();
            // Its time is part of the open spans' time.
            left_out.add(0);
            self.builder.leave_out(left_out);
            return None;
        }
        let known = text.and_then(|text| self.builder.known_text(text));
        let is_new = known.is_none() && text.is_some();
        let size = text.map_or(0, <[u8]>::len);
        let is_left_out = self.builder.spans().list.len() + self.open.len() >= MAX_SPANS
            || is_new && self.text_bytes + size > MAX_TEXT_BYTES;
        let text = match text {
            Some(text) if is_new && !is_left_out => {
                self.text_bytes += size;
                Some(self.builder.text(text))
            }
            _ => known,
        };
        let id = SpanId(self.next);
        self.next += 1;
        self.open.push(Open {
            id,
            start: Ticks::ZERO,
            is_left_out,
            span: Span {
                kind,
                text,
                symbol,
                caller: SymbolId::ROOT,
                start: 0,
                duration: 0,
                rows: None,
            },
        });
        Some(id)
    }

    /// Sets the instant of the call's entry and its caller.
    pub(crate) fn entered(&mut self, id: SpanId, at: Ticks, caller: SymbolId) {
        if let Some(open) = self.open.iter_mut().rev().find(|open| open.id == id) {
            open.start = at;
            open.span.caller = caller;
        }
    }

    /// Ends a span.
    pub(crate) fn end(&mut self, id: SpanId, at: Ticks, rows: Option<u64>) {
        let place = self.open.iter().rposition(|open| open.id == id);
        if let Some(place) = place {
            let open = self.open.remove(place);
            self.close(open, at, rows);
        }
    }

    /// Drops a span whose call is not recorded.
    pub(crate) fn forget(&mut self, id: SpanId) {
        self.open.retain(|open| open.id != id);
    }

    /// Ends all open spans.
    pub(crate) fn end_all(&mut self, at: Ticks) {
        for open in std::mem::take(&mut self.open) {
            self.close(open, at, None);
        }
    }

    /// Whether a span is open.
    pub(crate) fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    fn close(&mut self, open: Open, at: Ticks, rows: Option<u64>) {
        // Computed from converted instants, so that ends keep their order.
        let start = self.rate.nanoseconds(open.start);
        let duration = self.rate.nanoseconds(at).saturating_sub(start);
        if open.is_left_out {
            let mut left_out = profile::LeftOut::default();
            left_out.add(duration);
            return self.builder.leave_out(left_out);
        }
        self.builder.push(Span {
            start,
            duration,
            rows,
            ..open.span
        });
    }

    /// The spans that have ended.
    pub(crate) fn spans(&self) -> &Spans {
        self.builder.spans()
    }

    /// Called in a forked child: drops the parent's spans.
    pub(crate) fn restart(&mut self) {
        self.builder = SpansBuilder::new(MAX_SPANS);
        self.text_bytes = 0;
        self.open.clear();
    }
}
