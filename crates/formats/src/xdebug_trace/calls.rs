//! Calls as a trace has them, made into events.
//!
//! A trace has levels, and in format 1 numbers. Calls that a level shows to be
//! over are left; an end of a call that is open in another fiber is that fiber
//! going on.
//!
//! **Invariant:** no event is before the one before it, whatever the trace says.

use profile::{Body, Budget, Event, EventFold, EventKind, Events, Instant, NumberMap, SymbolId};

use super::{At, Reason};

/// How many events are kept one by one; more become a call tree.
const MOST_EVENTS: usize = 1 << 20;

/// What was called so far.
#[derive(Debug)]
pub(super) struct Calls {
    recorded: Recorded,
    /// The open calls of the fiber that runs.
    stack: Vec<Open>,
    fiber: u32,
    fibers: u32,
    /// The fibers that wait, by the number of the call that each waits in.
    waiting: NumberMap<u64, (u32, Vec<Open>)>,
    /// The number of `{main}`.
    main: Option<u64>,
    last_number: Option<u64>,
    /// Where it all began.
    start: Option<At>,
    last: Instant,
    budget: Budget,
}

/// What a budget says that there are too many of.
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
    /// No calls yet, and no more than the budget has room for.
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

    /// A function was called.
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
        // A fiber's own calls begin again at the level below `{main}`.
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

    /// The call of that number ended. What is still open in it ended too; one
    /// that is not open began before the trace.
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

    /// What is open at that level or deeper ended.
    pub(super) fn leave_level(&mut self, level: usize, at: At) {
        while self.stack.last().is_some_and(|top| top.level >= level) {
            self.leave_all_from(self.stack.len() - 1, at);
        }
    }

    /// The trace ended.
    pub(super) fn end(&mut self, at: At) {
        // What PHP did after the last call is not in a profile.
        if !self.stack.is_empty() {
            self.step(at);
        }
    }

    /// All of it. What is open ends with the last that was heard of.
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

    /// What the clock and the memory stood at, since the trace began.
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
            Recorded::Events(events) if events.len() < MOST_EVENTS => {
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
