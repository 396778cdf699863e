//! Buffers call events, and passes them to a sink when the buffer is full.
//!
//! In [`Shape::Events`](crate::Shape) nothing is summed up. Frames are kept as
//! in the other shapes, so that a bailout is detected, and each entry and exit
//! becomes an event. The sink decides what to do with the events.
//!
//! **Invariant:** the buffer never grows; events after the sink is full are
//! dropped.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, DefaultHasher};

use profile::native::events::{RawEvent, RawInstant, What};
use profile::{CallLine, SymbolId};

use crate::{FiberId, Plan, Reading};

/// The capacity of the buffer: 320 KiB.
const BUFFER: usize = 8192;

/// The destination of events.
pub trait EventSink: Debug {
    /// Takes events, in order; returns false if it accepts no more.
    fn write(&mut self, events: &[RawEvent]) -> bool;

    /// Excludes a pause of this length from the profile.
    fn delay(&mut self, pause: RawInstant);

    /// Ends the profile.
    fn end(&mut self, at: RawInstant);

    /// Drops what was written: the profile ends, and is not wanted.
    fn discard(&mut self);

    /// Starts again in the child of a fork: the written events belong to the
    /// parent process, which continues with them.
    fn restart(&mut self, at: RawInstant);
}

/// Events that were not passed to the sink yet.
#[derive(Debug)]
pub(crate) struct EventLog {
    buffer: Vec<RawEvent>,
    len: usize,
    sink: Option<Box<dyn EventSink>>,
    /// Fibers by number: 0 is the stack on which the profile began.
    fibers: HashMap<FiberId, u32, BuildHasherDefault<DefaultHasher>>,
    fibers_seen: u32,
}

impl EventLog {
    /// A log without a sink.
    pub(crate) const fn none() -> Self {
        Self {
            buffer: Vec::new(),
            len: 0,
            sink: None,
            fibers: HashMap::with_hasher(BuildHasherDefault::new()),
            fibers_seen: 0,
        }
    }

    /// A log for `sink`; none without memory for its buffer.
    pub(crate) fn for_sink(sink: Box<dyn EventSink>) -> Option<Self> {
        Some(Self {
            buffer: Self::new_buffer()?,
            sink: Some(sink),
            ..Self::none()
        })
    }

    fn new_buffer() -> Option<Vec<RawEvent>> {
        let blank = RawEvent {
            what: What::LEAVE,
            at: RawInstant::default(),
        };
        let mut buffer = Vec::new();
        buffer.try_reserve_exact(BUFFER).ok()?;
        buffer.resize(BUFFER, blank);
        Some(buffer)
    }

    #[inline(always)]
    pub(crate) fn enter<P: Plan>(&mut self, symbol: SymbolId, from: CallLine, at: Reading) {
        let what = if P::LINES {
            What::enter_from(symbol, from)
        } else {
            What::enter(symbol)
        };
        self.push::<P>(what, at);
    }

    #[inline(always)]
    pub(crate) fn leave<P: Plan>(&mut self, at: Reading) {
        self.push::<P>(What::LEAVE, at);
    }

    /// Notes that the thread switches from fiber `from` to fiber `to`.
    pub(crate) fn switch<P: Plan>(&mut self, from: FiberId, to: FiberId, at: Reading) {
        self.number(from);
        let to = self.number(to);
        self.push::<P>(What::switch(to), at);
    }

    /// Notes that a fiber is destroyed: its address may be used for another
    /// one.
    pub(crate) fn forget(&mut self, fiber: FiberId) {
        self.fibers.remove(&fiber);
    }

    fn number(&mut self, fiber: FiberId) -> u32 {
        *self.fibers.entry(fiber).or_insert_with(|| {
            let number = self.fibers_seen;
            self.fibers_seen = number.saturating_add(1);
            number
        })
    }

    #[inline(always)]
    fn push<P: Plan>(&mut self, what: What, at: Reading) {
        if let Some(slot) = self.buffer.get_mut(self.len) {
            slot.what = what;
            slot.at.wall = at.wall.0;
            // Fields that the plan does not read stay zero.
            if P::CPU {
                slot.at.cpu = at.cpu.0;
            }
            if P::MEMORY {
                slot.at.memory = at.memory;
                slot.at.peak = at.peak;
            }
            self.len += 1;
        } else {
            self.push_slowly(what, at);
        }
    }

    /// Pushes an event, into a buffer that may be full.
    #[cold]
    #[inline(never)]
    fn push_slowly(&mut self, what: What, at: Reading) {
        if self.len >= self.buffer.len() {
            self.flush();
        }
        if let Some(slot) = self.buffer.get_mut(self.len) {
            *slot = RawEvent {
                what,
                at: instant(at),
            };
            self.len += 1;
        }
    }

    fn flush(&mut self) {
        // A full sink is not called again.
        if self.buffer.is_empty() {
            return;
        }
        let events = self.buffer.get(..self.len);
        debug_assert!(events.is_some(), "an event has a slot");
        let events = events.unwrap_or_default();
        let accepts_more = self.sink.as_mut().is_some_and(|sink| sink.write(events));
        self.len = 0;
        if !accepts_more {
            self.buffer = Vec::new();
        }
    }

    /// Excludes a pause: later events get earlier times by its length.
    pub(crate) fn delay(&mut self, pause: Reading) {
        if self.sink.is_some() {
            self.flush();
        }
        if let Some(sink) = &mut self.sink {
            sink.delay(instant(pause));
        }
    }

    /// Passes the rest to the sink, and ends the profile.
    pub(crate) fn finish(&mut self, at: Reading) {
        self.flush();
        if let Some(mut sink) = self.sink.take() {
            sink.end(instant(at));
        }
    }

    /// Drops the events and the sink.
    pub(crate) fn discard(&mut self) {
        if let Some(mut sink) = self.sink.take() {
            sink.discard();
        }
        *self = Self::none();
    }

    /// Discards the buffer, and starts again with these calls open.
    pub(crate) fn restart(&mut self, open: impl Iterator<Item = SymbolId>, at: Reading) {
        self.len = 0;
        self.fibers.clear();
        self.fibers_seen = 0;
        let Some(sink) = &mut self.sink else { return };
        sink.restart(instant(at));
        if self.buffer.is_empty() {
            // Without memory the child's events are dropped.
            self.buffer = Self::new_buffer().unwrap_or_default();
        }
        for symbol in open {
            self.push_slowly(What::enter(symbol), at);
        }
    }
}

/// A reading in the format of events, whose times are ticks: the file says how long
/// they last.
#[must_use]
pub fn instant(at: Reading) -> RawInstant {
    RawInstant {
        wall: at.wall.0,
        cpu: at.cpu.0,
        memory: at.memory,
        peak: at.peak,
    }
}
