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

use crate::call_table::Shape;
use crate::fiber::{FiberId, Stack, State};
use crate::frames::{Frame, Frames};
use crate::{Plan, Reading, Recorder};

impl Recorder {
    /// Notes that a fiber was created, so that its first entry is recognized.
    pub fn fiber_created(&mut self, fiber: FiberId) {
        let stack = Stack {
            id: Some(fiber),
            state: State::Fresh,
            ..Stack::default()
        };
        self.fibers.others.insert(fiber, stack);
    }

    /// Notes that the thread switches from fiber `from` to fiber `to`.
    pub fn fiber_switched<P: Plan>(&mut self, from: FiberId, to: FiberId, now: Reading) {
        if let Some(since) = self.paused {
            return self.switch_paused::<P>(from, to, since);
        }
        self.settle::<P>(now);
        if P::EVENTS {
            self.events.switch::<P>(from, to, now);
        }
        let mut leaving = std::mem::take(&mut self.fibers.current);
        leaving.frames = std::mem::take(&mut self.frames);
        leaving.id = Some(from);
        leaving.left = now;
        self.park_levels(&leaving);
        let known = self.fibers.others.remove(&to);
        let mut arriving = match (leaving.state, known) {
            (State::Running { since, resumer }, Some(mut arriving))
                if resumer == to && arriving.state != State::Fresh =>
            {
                self.suspend(&mut leaving, since, &mut arriving, now);
                arriving
            }
            (_, known) => self.resume_fiber(known, &leaving, from, now),
        };
        self.unpark_levels(&mut arriving);
        self.fibers.others.insert(from, leaving);
        self.run(arriving, to);
    }

    /// Notes that a fiber is destroyed; its open frames end where it was
    /// suspended.
    pub fn fiber_destroyed<P: Plan>(&mut self, fiber: FiberId) {
        self.events.forget(fiber);
        // The initial stack waits for no other; the next fiber at this address
        // is another one.
        let others = self.fibers.others.values_mut();
        for stack in others.chain([&mut self.fibers.current]) {
            if matches!(stack.state, State::Running { resumer, .. } if resumer == fiber) {
                stack.state = State::First;
            }
        }
        if let Some(stack) = self.fibers.others.remove(&fiber) {
            self.close_parked::<P>(&stack);
        }
    }

    /// Moves all readings of other fibers forward, after a pause.
    pub(crate) fn delay_fibers(&mut self, pause: Reading) {
        let others = self.fibers.others.values_mut();
        for stack in others.chain([&mut self.fibers.current]) {
            for frame in stack.frames.iter_mut() {
                frame.start = frame.start.delayed_by(pause);
            }
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
    pub(crate) fn end_fibers<P: Plan>(&mut self, now: Reading) {
        // A chain of waiting contexts is at most as long as the number of
        // contexts.
        for _ in 0..=self.fibers.others.len() {
            let State::Running { resumer, .. } = self.fibers.current.state else {
                break;
            };
            let Some(from) = self.fibers.current.id else {
                break;
            };
            self.close_open::<P>(now);
            self.fiber_switched::<P>(from, resumer, now);
            self.fibers.others.remove(&from);
        }
        let mut parked: Vec<_> = self.fibers.others.drain().collect();
        parked.sort_unstable_by_key(|(id, _)| *id);
        for (_, stack) in parked {
            self.close_parked::<P>(&stack);
        }
    }

    /// `leaving` switches back to the context that resumed it.
    fn suspend(&mut self, leaving: &mut Stack, since: Reading, arriving: &mut Stack, now: Reading) {
        let slice = now.since(since);
        let own = slice.since(leaving.elsewhere);
        for place in &leaving.path {
            let row = self.table.rows.get_mut(place.row as usize);
            debug_assert!(row.is_some(), "a place has a row");
            if let Some(row) = row {
                row.add_cost(own);
            }
        }
        for frame in arriving.frames.iter_mut() {
            frame.start = frame.start.delayed_by(slice);
        }
        arriving.elsewhere = arriving.elsewhere.delayed_by(slice);
        leaving.state = State::Suspended(now);
    }

    /// `leaving` starts or resumes a fiber, and waits for it.
    fn resume_fiber(
        &self,
        known: Option<Stack>,
        leaving: &Stack,
        from: FiberId,
        now: Reading,
    ) -> Stack {
        let running = State::Running {
            since: now,
            resumer: from,
        };
        let (base_context, path) = match known {
            Some(Stack {
                state: State::Fresh,
                ..
            }) => {
                let top = leaving.frames.last();
                let context = top.map_or(self.root_context(), |top| top.place.context);
                let frames = leaving.frames.iter().skip(1).map(|frame| frame.place);
                let path = leaving.path.iter().copied().chain(frames);
                (context, path.collect())
            }
            Some(mut stack) => {
                if let State::Suspended(since) = stack.state {
                    let pause = now.since(since);
                    for frame in stack.frames.iter_mut() {
                        frame.start = frame.start.delayed_by(pause);
                    }
                }
                stack.elsewhere = Reading::default();
                stack.state = running;
                return stack;
            }
            // It existed before the profile began, so it has no caller.
            None => (self.root_context(), Vec::new()),
        };
        Stack {
            id: None,
            frames: Frames::new(self.max_depth, Frame::base(base_context, now)),
            path,
            state: running,
            elsewhere: Reading::default(),
            left: Reading::default(),
        }
    }

    fn run(&mut self, mut stack: Stack, id: FiberId) {
        stack.id = Some(id);
        self.frames = std::mem::take(&mut stack.frames);
        self.fibers.current = stack;
    }

    fn close_parked<P: Plan>(&mut self, stack: &Stack) {
        if P::EVENTS {
            return;
        }
        let since = match stack.state {
            State::Fresh => return,
            State::Suspended(since) => since,
            // The profile began in it, so no suspension was seen.
            State::First | State::Running { .. } => stack.left,
        };
        // Its levels are parked already; only the cost is left to record.
        for frame in stack.frames.iter().skip(1).rev() {
            self.table
                .add_call::<P>(frame.place.row, since, frame.start);
        }
    }

    /// Closes the recursion levels of the stack that stops running.
    fn park_levels(&mut self, stack: &Stack) {
        if self.shape == Shape::Edges {
            let frames = stack.frames.iter().map(|frame| &frame.place);
            for place in stack.path.iter().chain(frames).rev() {
                self.callees.close(place.symbol, place.restore);
            }
        }
    }

    /// Opens the recursion levels of the stack that resumes.
    fn unpark_levels(&mut self, stack: &mut Stack) {
        if self.shape == Shape::Edges {
            let frames = stack.frames.iter_mut().map(|frame| &mut frame.place);
            for place in stack.path.iter_mut().chain(frames) {
                self.callees.reopen(place);
            }
        }
    }
}
