//! One frame stack per fiber.
//!
//! A fiber's calls belong to the path that started it: its first function is
//! called by the `Fiber::start` frame, and the time of every later slice is
//! charged along that path, wherever the fiber was resumed. The resumer's
//! frames are not charged for the slice. So inclusive costs still contain their
//! callees', exactly, and time in which a fiber is suspended is charged only to
//! the resumer.
//!
//! A switch is one of two kinds: to a context that waits for the current one
//! (which it resumed, and which suspends or ends now), or to one that does not
//! (which the current one starts or resumes, and waits for).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::calls::Calls;
use super::frames::{Frame, Frames};
use crate::table::{Place, Shape};
use crate::{FiberId, Plan, Reading};

/// The running stack's state, and all other stacks.
#[derive(Debug, Default, Clone)]
pub(crate) struct Fibers {
    /// The state of the running stack. Its frames are those of [`Calls`].
    current: Stack,
    others: HashMap<FiberId, Stack, BuildHasherDefault<DefaultHasher>>,
}
/// A stack that is not running.
#[derive(Debug, Default, Clone)]
struct Stack {
    /// None until the first switch.
    id: Option<FiberId>,
    frames: Frames,
    /// The calls from the root to the frame that started this fiber. They count
    /// as open while it runs, also for recursion levels.
    path: Vec<Place>,
    state: State,
    /// The part of the slice's cost that other fibers account for.
    elsewhere: Reading,
    /// The reading when it was last switched out.
    left: Reading,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum State {
    /// The initial stack, which no other fiber resumed.
    #[default]
    First,
    /// Created, but never entered.
    Fresh,
    /// Running since then, or waiting for a fiber that it resumed.
    Running { since: Reading, resumer: FiberId },
    /// Suspended at that reading.
    Suspended(Reading),
}

impl Fibers {
    /// No switch yet.
    pub(crate) const fn none() -> Self {
        Self {
            current: Stack {
                id: None,
                frames: Frames::none(),
                path: Vec::new(),
                state: State::First,
                elsewhere: Reading::ZERO,
                left: Reading::ZERO,
            },
            others: HashMap::with_hasher(BuildHasherDefault::new()),
        }
    }

    /// Notes that a fiber was created, so that its first entry is recognized.
    pub(crate) fn created(&mut self, fiber: FiberId) {
        let stack = Stack {
            id: Some(fiber),
            state: State::Fresh,
            ..Stack::default()
        };
        self.others.insert(fiber, stack);
    }

    /// Notes that the thread switches from fiber `from` to fiber `to`.
    pub(crate) fn switch<P: Plan>(
        &mut self,
        calls: &mut Calls,
        from: FiberId,
        to: FiberId,
        now: Reading,
    ) {
        calls.settle::<P>(now);
        if P::EVENTS {
            calls.events.switch::<P>(from, to, now);
        }
        let mut leaving = std::mem::take(&mut self.current);
        leaving.frames = std::mem::take(&mut calls.frames);
        leaving.id = Some(from);
        leaving.left = now;
        leaving.close_levels(calls);
        let known = self.others.remove(&to);
        let mut arriving = match (leaving.state, known) {
            (State::Running { since, resumer }, Some(mut arriving))
                if resumer == to && arriving.state != State::Fresh =>
            {
                leaving.suspend(calls, since, &mut arriving, now);
                arriving
            }
            (_, known) => leaving.resume(calls, known, from, now),
        };
        arriving.reopen_levels(calls);
        self.others.insert(from, leaving);
        arriving.id = Some(to);
        calls.frames = std::mem::take(&mut arriving.frames);
        self.current = arriving;
    }

    /// Notes that a fiber is destroyed; its open calls end where it was
    /// suspended.
    pub(crate) fn destroyed<P: Plan>(&mut self, calls: &mut Calls, fiber: FiberId) {
        calls.events.forget(fiber);
        // The initial stack waits for no other; the next fiber at this address
        // is another one.
        for stack in self.all() {
            if matches!(stack.state, State::Running { resumer, .. } if resumer == fiber) {
                stack.state = State::First;
            }
        }
        if let Some(stack) = self.others.remove(&fiber) {
            stack.end::<P>(calls);
        }
    }

    /// Moves all readings of other fibers forward, after a pause.
    pub(crate) fn delay(&mut self, pause: Reading) {
        for stack in self.all() {
            stack.frames.delay(pause);
            stack.left = stack.left.delayed_by(pause);
            match &mut stack.state {
                State::First | State::Fresh => {}
                State::Running { since, .. } | State::Suspended(since) => {
                    *since = since.delayed_by(pause);
                }
            }
        }
    }

    /// Ends every fiber but `main()`'s own stack, which keeps running.
    ///
    /// The running fiber and those that wait for it end now; the suspended ones
    /// ended when they were suspended.
    pub(crate) fn end_all<P: Plan>(&mut self, calls: &mut Calls, now: Reading) {
        // A chain of waiting contexts is at most as long as the number of
        // contexts.
        for _ in 0..=self.others.len() {
            let State::Running { resumer, .. } = self.current.state else {
                break;
            };
            let Some(from) = self.current.id else {
                break;
            };
            calls.close_all::<P>(now);
            self.switch::<P>(calls, from, resumer, now);
            self.others.remove(&from);
        }
        let mut others: Vec<_> = self.others.drain().collect();
        others.sort_unstable_by_key(|(id, _)| *id);
        for (_, stack) in others {
            stack.end::<P>(calls);
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Stack> {
        self.others.values_mut().chain([&mut self.current])
    }
}

impl Stack {
    /// This stack switches back to the context that resumed it.
    fn suspend(&mut self, calls: &mut Calls, since: Reading, arriving: &mut Self, now: Reading) {
        let slice = now.since(since);
        let own = slice.since(self.elsewhere);
        for place in &self.path {
            let row = calls.table.rows.get_mut(place.row as usize);
            debug_assert!(row.is_some(), "a place has a row");
            if let Some(row) = row {
                row.add_cost(own);
            }
        }
        arriving.frames.delay(slice);
        arriving.elsewhere = arriving.elsewhere.delayed_by(slice);
        self.state = State::Suspended(now);
    }

    /// This stack, of fiber `from`, starts or resumes a fiber, and waits for it. Returns
    /// the fiber's stack.
    fn resume(&self, calls: &Calls, known: Option<Self>, from: FiberId, now: Reading) -> Self {
        let running = State::Running {
            since: now,
            resumer: from,
        };
        let (base_context, path) = match known {
            Some(Self {
                state: State::Fresh,
                ..
            }) => {
                let top = self.frames.last();
                let context = top.map_or(calls.root_context(), |top| top.place.context);
                let frames = self.frames.iter().skip(1).map(|frame| frame.place);
                let path = self.path.iter().copied().chain(frames);
                (context, path.collect())
            }
            Some(mut stack) => {
                if let State::Suspended(since) = stack.state {
                    stack.frames.delay(now.since(since));
                }
                stack.elsewhere = Reading::default();
                stack.state = running;
                return stack;
            }
            // It existed before the profile began, so it has no caller.
            None => (calls.root_context(), Vec::new()),
        };
        Self {
            id: None,
            frames: Frames::new(calls.max_depth, Frame::base(base_context, now)),
            path,
            state: running,
            elsewhere: Reading::default(),
            left: Reading::default(),
        }
    }

    /// Records the calls that are open on this stack, which never runs again.
    fn end<P: Plan>(&self, calls: &mut Calls) {
        if P::EVENTS {
            return;
        }
        let since = match self.state {
            State::Fresh => return,
            State::Suspended(since) => since,
            // The profile began in it, so no suspension was seen.
            State::First | State::Running { .. } => self.left,
        };
        // Its levels are closed already; only the cost is left to record.
        for frame in self.frames.iter().skip(1).rev() {
            let row = frame.place.row;
            calls.table.add_call::<P>(row, since, frame.start);
        }
    }

    /// Closes the recursion levels of this stack, which stops running.
    fn close_levels(&self, calls: &mut Calls) {
        if calls.shape == Shape::Edges {
            let frames = self.frames.iter().map(|frame| &frame.place);
            for place in self.path.iter().chain(frames).rev() {
                calls.callees.close(place.symbol, place.restore);
            }
        }
    }

    /// Opens the recursion levels of this stack, which runs again.
    fn reopen_levels(&mut self, calls: &mut Calls) {
        if calls.shape == Shape::Edges {
            let frames = self.frames.iter_mut().map(|frame| &mut frame.place);
            for place in self.path.iter_mut().chain(frames) {
                calls.callees.reopen(place);
            }
        }
    }
}
