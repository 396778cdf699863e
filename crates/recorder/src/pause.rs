//! Pauses a profile: nothing is recorded, and no time passes.
//!
//! During a pause, open calls may return and fibers may switch. The recorder
//! must know of both, or it would later treat ended calls as open. So a paused
//! recorder still receives returns and switches, all at the instant at which
//! the pause began. A frame that matches no token lies on top of the stack: it
//! keeps every return off the hot path.
//!
//! **Invariant:** while a recorder is paused, that frame is the topmost of the
//! running stack, and of no other.

use crate::callees::Place;
use crate::fiber::FiberId;
use crate::frames::Frame;
use crate::{CallSite, Plan, Reading, Recorder, SymbolId};

impl Recorder {
    /// The mark of the frame on top during a pause. No call has it: the marks of calls
    /// are a program's addresses with flags, and those are in the lower half of all
    /// numbers. The recorder's own marks, this one and that of the bottom, are at the end
    /// of the upper half.
    const PAUSE_MARK: usize = Self::BASE_MARK - 1;

    /// Whether it is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// Stops recording until [`resume`](Self::resume). The caller must not
    /// report entries during the pause.
    pub fn pause<P: Plan>(&mut self, now: Reading) {
        if self.paused.is_none() {
            self.settle::<P>(now);
            self.lay_on_top(now);
        }
    }

    /// Resumes recording: the time since the pause is charged to no function.
    ///
    /// The clocks may have another origin by now, but must have the same tick
    /// rate.
    pub fn resume<P: Plan>(&mut self, site: &impl CallSite, now: Reading) {
        let Some(since) = self.take_off() else { return };
        let pause = Reading {
            wall: now.wall.wrapping_sub(since.wall),
            cpu: now.cpu.wrapping_sub(since.cpu),
            memory: now.memory.wrapping_sub(since.memory),
            peak: now.peak.wrapping_sub(since.peak),
        };
        self.delay(pause);
        self.delay_fibers(pause);
        self.events.delay(pause);
        // Frames that a bailout skipped.
        self.drop_stale::<P>(site, now);
    }

    /// Records, while paused, a call of `symbol` that took `time` and made no
    /// call: the period that another profile recorded. It is a callee of the
    /// innermost open function, and the pause begins after it.
    pub fn pass<P: Plan>(&mut self, symbol: SymbolId, time: Reading, site: &impl CallSite) {
        let Some(since) = self.take_off() else { return };
        // Frames that a bailout skipped have no callees any more.
        self.drop_stale::<P>(site, since);
        let now = since.delayed_by(time);
        if let Some(place) = self.place_of_next::<P>(symbol) {
            if P::EVENTS {
                self.events.enter::<P>(symbol, since);
            }
            let frame = Frame {
                mark: Self::PAUSE_MARK,
                place,
                start: since,
            };
            self.close::<P>(frame, now);
        }
        self.lay_on_top(now);
    }

    /// Calls `act` on the stack without the frame on top.
    pub(crate) fn uncovered<R>(&mut self, act: impl FnOnce(&mut Self) -> R) -> R {
        let Some(since) = self.take_off() else {
            return act(self);
        };
        let result = act(self);
        self.lay_on_top(since);
        result
    }

    /// A call that was open when the pause began returns.
    pub(crate) fn leave_paused<P: Plan>(&mut self, mark: usize, since: Reading) {
        self.uncovered(|recorder| {
            let is_it = |frame: &Frame| frame.mark == mark;
            let depth = recorder.frames.iter().rposition(is_it);
            if let Some(depth) = depth.filter(|&depth| depth > 0)
                && recorder.cut_back::<P>(depth, since)
                && let Some(frame) = recorder.frames.pop()
            {
                recorder.close::<P>(frame, since);
            }
        });
    }

    /// The thread switches fibers during a pause.
    pub(crate) fn switch_paused<P: Plan>(&mut self, from: FiberId, to: FiberId, since: Reading) {
        self.uncovered(|recorder| recorder.fiber_switched::<P>(from, to, since));
    }

    fn lay_on_top(&mut self, since: Reading) {
        self.paused = Some(since);
        self.frames.push(Frame {
            mark: Self::PAUSE_MARK,
            place: Place::NOWHERE,
            start: since,
        });
    }

    pub(crate) fn take_off(&mut self) -> Option<Reading> {
        let since = self.paused.take()?;
        self.frames.pop();
        Some(since)
    }

    /// Moves all readings of the running stack forward, after a pause.
    pub(crate) fn delay(&mut self, pause: Reading) {
        self.start = self.start.delayed_by(pause);
        for frame in self.frames.iter_mut() {
            frame.start = frame.start.delayed_by(pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Entered, Shape, StackAddress, Ticks};

    struct Wall;

    impl Plan for Wall {
        const CPU: bool = false;
        const MEMORY: bool = false;
        const TREE: bool = false;
    }

    fn at(wall: u64) -> Reading {
        Reading {
            wall: Ticks(wall),
            ..Reading::default()
        }
    }

    #[test]
    fn a_call_with_the_smallest_mark_returns_during_a_pause() {
        // A compilation without a caller has a mark that is only a flag.
        for mark in (0..64).step_by(2) {
            let mut recorder = Recorder::new(Shape::Edges, 100, 100, || at(0));
            let symbol = recorder.add_symbol();
            let site = StackAddress(mark);
            let Entered::Recorded(token) = recorder.enter::<Wall>(symbol, &site, || at(1)) else {
                panic!("there is room for one call");
            };
            recorder.pause::<Wall>(at(3));
            assert!(recorder.leave::<Wall>(token, || at(9)));
            recorder.resume::<Wall>(&StackAddress(0), at(10));
            assert_eq!(recorder.frames.len(), 1, "mark {mark}");
            let calls = recorder.table.rows.last().map(|row| row.calls);
            assert_eq!(calls, Some(1), "mark {mark}");
        }
    }
}
