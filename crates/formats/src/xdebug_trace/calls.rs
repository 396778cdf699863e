//! Converts the calls of a trace to events.
//!
//! A trace has levels, and in format 1 call numbers. A call ends when a later
//! line has its level or a lower one. The end of a call that is open in another
//! fiber means that this fiber has resumed.
//!
//! **Invariant:** the times of events never decrease, whatever the trace
//! contains.

use profile::{Body, Budget, Event, EventFold, EventKind, Events, Instant, NumberMap, SymbolId};

use super::{At, Reason};

/// The maximum number of single events; more become a call tree.
const MAX_EVENTS: usize = 1 << 20;

/// The calls that were read.
#[derive(Debug)]
pub(super) struct Calls {
    recorded: Recorded,
    /// The open calls of the running fiber.
    stack: Vec<Open>,
    fiber: u32,
    fibers: u32,
    /// The suspended fibers, by the number of the call that each waits in.
    waiting: NumberMap<u64, (u32, Vec<Open>)>,
    /// The number of `{main}`.
    main: Option<u64>,
    last_number: Option<u64>,
    /// The start time.
    start: Option<At>,
    last: Instant,
    budget: Budget,
}

/// The noun in the budget's error message.
const OPEN_CALLS: &str = "open calls";

#[derive(Debug, Clone, Copy)]
struct Open {
    level: usize,
    number: u64,
    starts_fiber: bool,
}

#[derive(Debug)]
enum Recorded {
    Events(Vec<Event>),
    Folded(Box<EventFold>),
}

impl Default for Recorded {
    fn default() -> Self {
        Self::Events(Vec::new())
    }
}

impl Calls {
    /// No calls yet, and at most as many as the budget allows.
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            recorded: Recorded::default(),
            stack: Vec::new(),
            fiber: 0,
            fibers: 0,
            waiting: NumberMap::default(),
            main: None,
            last_number: None,
            start: None,
            last: Instant::default(),
            budget: budget.clone(),
        }
    }

    /// Adds the entry of a function.
    pub(super) fn enter(
        &mut self,
        level: usize,
        number: Option<u64>,
        at: At,
        symbol: SymbolId,
        starts_fiber: bool,
    ) -> Result<(), Reason> {
        let next = self.last_number.map_or(Some(0), |last| last.checked_add(1));
        let number = number.or(next).ok_or("more calls than can be numbered")?;
        if self.last_number.is_some_and(|last| number <= last) {
            return Err("a call's number is not above the one before");
        }
        let is_first = self.last_number.replace(number).is_none();
        if is_first && symbol == SymbolId::ROOT {
            self.main = Some(number);
            self.step(at);
            return Ok(());
        }
        // The levels of a fiber begin again below `{main}`.
        let is_fiber = self
            .stack
            .last()
            .is_some_and(|top| top.starts_fiber && level <= top.level);
        if is_fiber && let Some(fiber) = self.fibers.checked_add(1) {
            self.fibers = fiber;
            self.switch(at, fiber, Vec::new());
        } else {
            self.leave_level(level, at);
        }
        self.add(at, EventKind::Enter(symbol));
        let room = self.budget.room(&mut self.stack, OPEN_CALLS);
        room.map_err(|_| "too many open calls")?;
        self.stack.push(Open {
            level,
            number,
            starts_fiber,
        });
        Ok(())
    }

    /// Ends the call of that number and all calls inside of it. A call that is
    /// not open began before the trace.
    pub(super) fn leave(&mut self, number: u64, at: At) {
        let is_top = self.stack.last().is_some_and(|top| top.number == number);
        if !is_top && let Some((fiber, stack)) = self.waiting.remove(&number) {
            self.switch(at, fiber, stack);
        }
        let found = self.stack.binary_search_by_key(&number, |open| open.number);
        match found {
            Ok(place) => self.leave_all_from(place, at),
            Err(_) => self.step(at),
        }
    }

    /// Ends all calls at that level or deeper.
    pub(super) fn leave_level(&mut self, level: usize, at: At) {
        while self.stack.last().is_some_and(|top| top.level >= level) {
            self.leave_all_from(self.stack.len() - 1, at);
        }
    }

    /// Ends the trace.
    pub(super) fn end(&mut self, at: At) {
        // Time after the last call is not part of the profile.
        if !self.stack.is_empty() {
            self.step(at);
        }
    }

    /// The profile. Open calls end at the last known time.
    pub(super) fn finish(self) -> Body {
        match self.recorded {
            Recorded::Events(events) => Body::Events(Events {
                events,
                end: self.last,
            }),
            Recorded::Folded(fold) => Body::Tree(fold.finish(self.last)),
        }
    }

    fn leave_all_from(&mut self, place: usize, at: At) {
        for _ in place..self.stack.len() {
            self.add(at, EventKind::Leave);
        }
        self.stack.truncate(place);
    }

    fn switch(&mut self, at: At, fiber: u32, stack: Vec<Open>) {
        self.add(at, EventKind::Switch(fiber));
        let left = std::mem::replace(&mut self.stack, stack);
        if let Some(top) = left.last()
            && self
                .budget
                .room_in_map(&mut self.waiting, OPEN_CALLS)
                .is_ok()
        {
            self.waiting.insert(top.number, (self.fiber, left));
        }
        self.fiber = fiber;
    }

    /// The clock and the memory, relative to the start of the trace.
    fn step(&mut self, at: At) {
        let start = *self.start.get_or_insert(at);
        self.last = Instant {
            wall: at.wall_ns.saturating_sub(start.wall_ns).max(self.last.wall),
            memory: at.memory.saturating_sub(start.memory),
            ..Instant::default()
        };
    }

    fn add(&mut self, at: At, kind: EventKind) {
        self.step(at);
        let event = Event {
            at: self.last,
            kind,
        };
        match &mut self.recorded {
            Recorded::Events(events) if events.len() < MAX_EVENTS => {
                if self.budget.room(events, "events").is_ok() {
                    events.push(event);
                }
            }
            Recorded::Events(events) => {
                let mut fold = EventFold::within(&self.budget);
                for event in std::mem::take(events) {
                    fold.add(event);
                }
                fold.add(event);
                self.recorded = Recorded::Folded(Box::new(fold));
            }
            Recorded::Folded(fold) => fold.add(event),
        }
    }
}
