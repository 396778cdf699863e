//! Call events on their way out: kept in a buffer, handed over when it is full.
//!
//! In [`Shape::Events`](crate::Shape) nothing is summed: frames are kept as in
//! the other shapes, so that whoever jumps is found out, and each entry and
//! exit becomes an event. What becomes of the events is the sink's business.
//!
//! **Invariant:** the buffer never grows; an event past a sink that is full is
//! dropped.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{BuildHasherDefault, DefaultHasher};

use profile::SymbolId;
use profile::native::events::{RawEvent, RawInstant, What};

use crate::{FiberId, Plan, Reading};

/// How many events are collected before they are handed over: 320 KiB.
const BUFFER: usize = 8192;

/// Where events go.
pub trait EventSink: Debug {
    /// Takes events, in order; false if it takes no more.
    fn write(&mut self, events: &[RawEvent]) -> bool;

    /// Nothing was recorded for so long, and it counts for nothing.
    fn delay(&mut self, pause: RawInstant);

    /// The profile ends.
    fn end(&mut self, at: RawInstant);

    /// What was written belongs to the parent of this process, which goes on
    /// with it: begins anew.
    fn begin_anew(&mut self, at: RawInstant);
}

/// Events that have not been handed over.
#[derive(Debug)]
pub(crate) struct EventLog {
    buffer: Vec<RawEvent>,
    len: usize,
    sink: Option<Box<dyn EventSink>>,
    /// Fibers by number: 0 is the stack that the profile began on.
    fibers: HashMap<FiberId, u32, BuildHasherDefault<DefaultHasher>>,
    fibers_seen: u32,
}

impl EventLog {
    /// Collects nothing.
    pub(crate) const fn none() -> Self {
        Self {
            buffer: Vec::new(),
            len: 0,
            sink: None,
            fibers: HashMap::with_hasher(BuildHasherDefault::new()),
            fibers_seen: 0,
        }
    }

    /// Collects events for `sink`.
    pub(crate) fn for_sink(sink: Box<dyn EventSink>) -> Self {
        Self {
            buffer: Self::new_buffer(),
            sink: Some(sink),
            ..Self::none()
        }
    }

    fn new_buffer() -> Vec<RawEvent> {
        let blank = RawEvent {
            what: What::LEAVE,
            at: RawInstant::default(),
        };
        vec![blank; BUFFER]
    }

    #[inline(always)]
    pub(crate) fn enter<P: Plan>(&mut self, symbol: SymbolId, at: Reading) {
        self.push::<P>(What::enter(symbol), at);
    }

    #[inline(always)]
    pub(crate) fn leave<P: Plan>(&mut self, at: Reading) {
        self.push::<P>(What::LEAVE, at);
    }

    /// Notes that the thread leaves fiber `from` and goes on in fiber `to`.
    pub(crate) fn switch<P: Plan>(&mut self, from: FiberId, to: FiberId, at: Reading) {
        self.number(from);
        let to = self.number(to);
        self.push::<P>(What::switch(to), at);
    }

    /// Notes that a fiber is gone: another one at its address is another one.
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
            slot.at.wall = at.wall;
            // What the plan does not read is nothing, and stays so.
            if P::CPU {
                slot.at.cpu = at.cpu;
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
        // A sink that is full is asked no more.
        if self.buffer.is_empty() {
            return;
        }
        let events = self.buffer.get(..self.len).unwrap_or_default();
        let goes_on = self.sink.as_mut().is_some_and(|sink| sink.write(events));
        self.len = 0;
        if !goes_on {
            self.buffer = Vec::new();
        }
    }

    /// What follows happened so much earlier, as far as anybody is to know.
    pub(crate) fn delay(&mut self, pause: Reading) {
        if self.sink.is_some() {
            self.flush();
        }
        if let Some(sink) = &mut self.sink {
            sink.delay(instant(pause));
        }
    }

    /// Hands over what is left, and ends.
    pub(crate) fn finish(&mut self, at: Reading) {
        self.flush();
        if let Some(mut sink) = self.sink.take() {
            sink.end(instant(at));
        }
    }

    /// Forgets what was collected, and begins anew with these calls open.
    pub(crate) fn begin_anew(&mut self, open: impl Iterator<Item = SymbolId>, at: Reading) {
        self.len = 0;
        self.fibers.clear();
        self.fibers_seen = 0;
        let Some(sink) = &mut self.sink else { return };
        sink.begin_anew(instant(at));
        if self.buffer.is_empty() {
            self.buffer = Self::new_buffer();
        }
        for symbol in open {
            self.push_slowly(What::enter(symbol), at);
        }
    }
}

/// A reading as events hold it.
#[must_use]
pub fn instant(at: Reading) -> RawInstant {
    RawInstant {
        wall: at.wall,
        cpu: at.cpu,
        memory: at.memory,
        peak: at.peak,
    }
}
