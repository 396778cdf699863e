//! [`Recorder`]: records one profile.
//!
//! Its parts do the work: [`Calls`] on the hot path, [`Fibers`] and [`Pause`]. This file
//! says what is asked of each, and in which order.

use profile::{CalledTree, Tree};

use crate::events::EventLog;
use crate::stack::{Calls, Fibers, Frame, Pause, Token};
use crate::table::{ROOT, TRUNCATED};
use crate::{
    CallSite, EventSink, FiberId, Plan, Reading, RecordedEdges, Shape, SymbolId, TickRate, Ticks,
};

/// Records one profile.
#[derive(Debug)]
pub struct Recorder {
    calls: Calls,
    fibers: Fibers,
    pause: Pause,
    start: Reading,
}

/// The tables of a profile that has ended, for the next one: a server's worker need not
/// allocate and free them for each.
#[derive(Debug)]
pub struct ReusedTables(Calls);

impl Default for ReusedTables {
    /// None yet.
    fn default() -> Self {
        Self(Calls::none())
    }
}

impl Recorder {
    /// The symbol of the root.
    pub const MAIN: SymbolId = SymbolId(0);
    /// The symbol for calls beyond a limit.
    pub const TRUNCATED: SymbolId = TRUNCATED;
    /// The mark of the bottom of every stack, which always exists.
    pub const BASE_MARK: usize = Frame::BASE_MARK;

    /// A recorder that records nothing: no symbol, no stack, no memory. So the
    /// hot path need not check whether there is one.
    #[must_use]
    pub const fn idle() -> Self {
        Self {
            calls: Calls::none(),
            fibers: Fibers::none(),
            pause: Pause::NONE,
            start: Reading::ZERO,
        }
    }

    /// Begins a profile. `main()` is open from the reading of `read`, which is
    /// taken last.
    ///
    /// `max_depth` limits the recorded stack, `max_rows` the table.
    #[must_use]
    pub fn new(
        shape: Shape,
        max_depth: usize,
        max_rows: usize,
        read: impl FnOnce() -> Reading,
    ) -> Self {
        Self::new_in(ReusedTables::default(), shape, max_depth, max_rows, read)
    }

    /// [`new`](Self::new) in the memory of an earlier profile.
    #[must_use]
    pub fn new_in(
        tables: ReusedTables,
        shape: Shape,
        max_depth: usize,
        max_rows: usize,
        read: impl FnOnce() -> Reading,
    ) -> Self {
        let mut recorder = Self {
            calls: Calls::new_in(tables.0, shape, max_depth, max_rows),
            ..Self::idle()
        };
        recorder.start = read();
        recorder
    }

    /// The tables of a profile that has ended, less what is too large to be kept.
    #[must_use]
    pub fn into_tables(self) -> ReusedTables {
        ReusedTables(self.calls.reusable())
    }

    /// This recorder, unless it is [`idle`](Self::idle).
    #[inline]
    pub fn running(&mut self) -> Option<&mut Self> {
        (!self.calls.frames.is_empty()).then_some(self)
    }

    /// Creates a new symbol; they are numbered in order, from
    /// [`TRUNCATED`](Self::TRUNCATED) on.
    pub fn add_symbol(&mut self) -> SymbolId {
        self.calls.add_symbol()
    }

    /// Notes that the symbol of that number was called, on the fast path: not the first
    /// call by this caller, and no frame to close. Otherwise, or if no symbol has that
    /// number, it returns none and nothing changes: use
    /// [`enter_slowly`](Self::enter_slowly).
    ///
    /// `read` is called last, so that this function's own time is not charged to the
    /// callee. Pass the token to [`leave`](Self::leave).
    #[inline(always)]
    pub fn enter<P: Plan>(
        &mut self,
        symbol: usize,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Option<Token> {
        self.calls.enter::<P>(symbol, site, read)
    }

    /// [`enter`](Self::enter) for any call; none if the stack has its maximum depth, or
    /// during a pause. Pass the token to [`leave_slowly`](Self::leave_slowly).
    #[inline(never)]
    pub fn enter_slowly<P: Plan>(
        &mut self,
        symbol: SymbolId,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Option<Token> {
        if self.is_paused() {
            return None;
        }
        self.calls.enter_slowly::<P>(symbol, site, read)
    }

    /// Opens a frame of [`TRUNCATED`](Self::TRUNCATED) at a limit, which is
    /// charged with all deeper calls. Pass the token to
    /// [`leave_slowly`](Self::leave_slowly).
    #[cold]
    pub fn enter_truncated<P: Plan>(
        &mut self,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Option<Token> {
        if self.is_paused() {
            return None;
        }
        self.calls.enter_truncated::<P>(site, read)
    }

    /// Notes that the call behind a token of [`enter`](Self::enter) returned. Ignores a
    /// token of an earlier profile, or of a dropped frame, and returns false.
    #[inline(always)]
    pub fn leave<P: Plan>(&mut self, token: Token, read: impl Fn() -> Reading) -> bool {
        self.calls.leave::<P>(token, &read) || self.leave_skipped::<P>(token, read)
    }

    /// [`leave`](Self::leave) for a token of [`enter_slowly`](Self::enter_slowly).
    #[inline]
    pub fn leave_slowly<P: Plan>(&mut self, token: Token, read: impl Fn() -> Reading) -> bool {
        self.calls.leave_top::<P>(token, false, &read) || self.leave_skipped::<P>(token, read)
    }

    /// [`leave`](Self::leave) for a user function whose variables PHP destroys after it
    /// has reported the end, however it was entered.
    #[inline]
    pub fn leave_early<P: Plan>(&mut self, token: Token, read: impl Fn() -> Reading) -> bool {
        self.calls.leave_top::<P>(token, true, &read) || self.leave_skipped::<P>(token, read)
    }

    /// Closes a call that is not the innermost one, and the frames above it, whose exits
    /// a bailout skipped. The clock is read only if the call is open: that of an earlier
    /// profile may no longer exist.
    #[cold]
    #[inline(never)]
    fn leave_skipped<P: Plan>(&mut self, token: Token, read: impl Fn() -> Reading) -> bool {
        if !self.calls.is_open(token) {
            return false;
        }
        match self.pause.end(&mut self.calls) {
            Some(since) => {
                self.calls.close_down_to::<P>(token, since);
                self.pause.begin(&mut self.calls, since);
            }
            None => {
                let now = read();
                self.calls.settle::<P>(now);
                self.calls.close_down_to::<P>(token, now);
            }
        }
        true
    }

    /// Notes that a fiber was created, so that its first entry is recognized.
    pub fn fiber_created(&mut self, fiber: FiberId) {
        self.fibers.created(fiber);
    }

    /// Notes that the thread switches from fiber `from` to fiber `to`.
    pub fn fiber_switched<P: Plan>(&mut self, from: FiberId, to: FiberId, now: Reading) {
        let since = self.pause.end(&mut self.calls);
        let at = since.unwrap_or(now);
        self.fibers.switch::<P>(&mut self.calls, from, to, at);
        if let Some(since) = since {
            self.pause.begin(&mut self.calls, since);
        }
    }

    /// Notes that a fiber is destroyed; its open calls end where it was suspended.
    pub fn fiber_destroyed<P: Plan>(&mut self, fiber: FiberId) {
        self.fibers.destroyed::<P>(&mut self.calls, fiber);
    }

    /// Whether it is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.pause.since.is_some()
    }

    /// Stops recording until [`resume`](Self::resume). Until then all readings are
    /// ignored, and entries are refused.
    pub fn pause<P: Plan>(&mut self, now: Reading) {
        if !self.is_paused() {
            self.calls.settle::<P>(now);
            self.pause.begin(&mut self.calls, now);
        }
    }

    /// Resumes recording: the time since the pause is charged to no function.
    ///
    /// The clocks may have another origin by now, but must have the same tick
    /// rate.
    pub fn resume<P: Plan>(&mut self, site: &impl CallSite, now: Reading) {
        let Some(since) = self.pause.end(&mut self.calls) else {
            return;
        };
        // The clocks may have stepped back: not `since`, which is never negative.
        let pause = Reading {
            wall: now.wall.wrapping_sub(since.wall),
            cpu: now.cpu.wrapping_sub(since.cpu),
            memory: now.memory.wrapping_sub(since.memory),
            peak: now.peak.wrapping_sub(since.peak),
        };
        self.start = self.start.delayed_by(pause);
        self.calls.frames.delay(pause);
        self.fibers.delay(pause);
        self.calls.events.delay(pause);
        // Frames that a bailout skipped.
        self.calls.drop_stale::<P>(site, now);
    }

    /// Records, while paused, a call of `symbol` that took `time` and made no
    /// call: the period that another profile recorded. It is a callee of the
    /// innermost open function, and the pause begins after it.
    pub fn pass<P: Plan>(&mut self, symbol: SymbolId, time: Reading, site: &impl CallSite) {
        let Some(since) = self.pause.end(&mut self.calls) else {
            return;
        };
        let now = since.delayed_by(time);
        if let Some(token) = self.calls.enter_slowly::<P>(symbol, site, || since) {
            self.calls.close_down_to::<P>(token, now);
        }
        self.pause.begin(&mut self.calls, now);
    }

    /// The entry time of the innermost call, in ticks since the beginning of the profile,
    /// without pauses.
    #[must_use]
    pub fn entered(&self) -> Ticks {
        let top = self.calls.frames.last();
        top.map_or(Ticks::ZERO, |frame| frame.start.wall.since(self.start.wall))
    }

    /// The caller of the innermost call.
    #[must_use]
    pub fn caller(&self) -> SymbolId {
        let frames = &self.calls.frames;
        let caller = frames.iter().rev().nth(1);
        caller.map_or(Self::MAIN, |frame| {
            self.calls.symbol_of(frame.place.context)
        })
    }

    /// `now` in ticks since the beginning of the profile, without pauses.
    #[must_use]
    pub fn moment(&self, now: Reading) -> Ticks {
        let now = self.pause.since.unwrap_or(now);
        now.wall.since(self.start.wall)
    }

    /// The reading at the beginning of the profile.
    #[must_use]
    pub fn started(&self) -> Reading {
        self.start
    }

    /// Passes events to `sink` from now on, for [`Shape::Events`]; false without memory
    /// for them.
    #[must_use]
    pub fn set_sink(&mut self, sink: Box<dyn EventSink>) -> bool {
        let log = EventLog::for_sink(sink);
        let has_memory = log.is_some();
        self.calls.events = log.unwrap_or(EventLog::none());
        has_memory
    }

    /// Drops the events, also those that the sink has: the profile is not wanted.
    pub fn discard_events(&mut self) {
        self.calls.events.discard();
    }

    /// In the child of a fork: the recorded calls belong to the parent, and the
    /// open calls begin now.
    pub fn restart_events(&mut self, now: Reading) {
        if self.shape() != Shape::Events {
            return;
        }
        let since = self.pause.end(&mut self.calls);
        self.start = since.unwrap_or(now);
        let Calls { frames, events, .. } = &mut self.calls;
        let open = frames.iter().skip(1);
        let symbols = open.map(|frame| SymbolId(frame.place.context));
        events.restart(symbols, self.start);
        if let Some(since) = since {
            self.pause.begin(&mut self.calls, since);
        }
    }

    /// The number of edges, or paths, so far.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.calls.table.rows.len().saturating_sub(ROOT as usize)
    }

    /// The shape that the recorder was created with.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.calls.shape
    }

    /// Whether the recording reached a limit.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.calls.truncated
    }

    /// The number of open frames above `main()` on the current stack.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.calls.frames.len().saturating_sub(1)
    }

    /// A snapshot: the profile as if it ended now, without ending it; without
    /// events.
    #[must_use]
    pub fn snapshot<P: Plan>(&self, now: Reading) -> Self {
        let mut snapshot = Self {
            calls: self.calls.clone_without_events(),
            fibers: self.fibers.clone(),
            pause: self.pause,
            start: self.start,
        };
        snapshot.finish::<P>(now);
        snapshot
    }

    /// Ends the profile: closes every open frame as if it returned now.
    pub fn finish<P: Plan>(&mut self, now: Reading) {
        let now = self.pause.end(&mut self.calls).unwrap_or(now);
        self.calls.settle::<P>(now);
        self.fibers.end_all::<P>(&mut self.calls, now);
        self.calls.close_all::<P>(now);
        if P::EVENTS {
            self.calls.events.finish(now);
        }
        let total = now.since(self.start);
        if let Some(root) = self.calls.table.rows.get_mut(ROOT as usize) {
            root.calls = 1;
            root.cost = total;
        }
    }

    /// All edges; none if the recorder recorded a tree, which can be folded
    /// into edges, or events.
    #[must_use]
    pub fn into_edges(self, wall: TickRate, cpu: TickRate) -> Option<RecordedEdges> {
        let Calls { table, callees, .. } = self.calls;
        (self.calls.shape == Shape::Edges).then(|| RecordedEdges::of(table, callees, wall, cpu))
    }

    /// All paths, parents before children; none if no tree was recorded.
    #[must_use]
    pub fn tree(&self, wall: TickRate, cpu: TickRate) -> Option<Tree> {
        (self.shape() == Shape::Tree).then(|| self.calls.table.tree(wall, cpu))
    }

    /// The same of a recorder whose plan has [`LINES`](Plan::LINES): paths that also differ
    /// by the lines of their calls.
    #[must_use]
    pub fn called_tree(&self, wall: TickRate, cpu: TickRate) -> Option<CalledTree> {
        (self.shape() == Shape::Tree).then(|| self.calls.table.called_tree(wall, cpu))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StackAddress, Ticks};

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
            let token = recorder.enter_slowly::<Wall>(symbol, &site, || at(1));
            recorder.pause::<Wall>(at(3));
            assert!(recorder.leave_slowly::<Wall>(token.unwrap(), || at(9)));
            recorder.resume::<Wall>(&StackAddress(0), at(10));
            assert_eq!(recorder.calls.frames.len(), 1, "mark {mark}");
            let calls = recorder.calls.table.rows.last().map(|row| row.calls);
            assert_eq!(calls, Some(1), "mark {mark}");
        }
    }
}
