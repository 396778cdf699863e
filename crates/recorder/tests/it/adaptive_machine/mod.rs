//! A machine with a synthetic clock that runs calls under an adaptive recorder.

#![allow(dead_code, reason = "each test uses a part")]

use std::cell::Cell;
use std::marker::PhantomData;

use profile::Metric;
use recorder::{
    AdaptiveTiming, Entered, FiberId, Plan, Reading, Recorder, Shape, StackAddress, SymbolId,
    TickRate, Ticks, Token,
};

/// A plan with all measures.
pub(crate) struct Shaped<const TREE: bool>;

impl<const TREE: bool> Plan for Shaped<TREE> {
    const CPU: bool = true;
    const MEMORY: bool = true;
    const TREE: bool = TREE;
    const ADAPTIVE: bool = true;
}

/// The same with exact timing.
pub(crate) struct Exact<const TREE: bool>;

impl<const TREE: bool> Plan for Exact<TREE> {
    const CPU: bool = true;
    const MEMORY: bool = true;
    const TREE: bool = TREE;
}

const MAIN_FIBER: FiberId = 1;

/// Random numbers: xorshift.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.below(2);
        }
        random
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// The clock: CPU time is half of the wall time.
#[derive(Default)]
pub(crate) struct Time {
    now: Cell<u64>,
    memory: Cell<i64>,
    readings: Cell<u64>,
}

impl Time {
    fn read(&self) -> Reading {
        self.readings.set(self.readings.get() + 1);
        Reading {
            wall: Ticks(self.now.get()),
            cpu: Ticks(self.now.get() / 2),
            memory: self.memory.get(),
            peak: self.memory.get().max(0),
        }
    }
}

pub(crate) struct Machine<P: Plan> {
    pub(crate) recorder: Recorder,
    pub(crate) time: Time,
    /// The open calls; true if they took the fast path.
    open: Vec<(Token, bool)>,
    plan: PhantomData<P>,
}

/// A row of the result.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) calls: u64,
    pub(crate) untimed: u64,
    pub(crate) wall: u64,
    pub(crate) cpu: u64,
    pub(crate) memory: i64,
    /// Of the wall time, at 95 %.
    pub(crate) margin: u64,
}

/// The result.
pub(crate) struct Finished {
    pub(crate) table: profile::EdgeTable,
    pub(crate) tree: Option<profile::Tree>,
}

impl<P: Plan> Machine<P> {
    pub(crate) fn new(seed: u64) -> Self {
        Self::limited(seed, 1 << 20)
    }

    /// With so many levels at most.
    pub(crate) fn limited(seed: u64, max_depth: usize) -> Self {
        let time = Time::default();
        time.now.set(1_000);
        let shape = if P::TREE { Shape::Tree } else { Shape::Edges };
        let mut recorder = Recorder::new(shape, max_depth, 1 << 20, || time.read());
        recorder.time_adaptively(AdaptiveTiming {
            short: Ticks(4_000),
            short_cpu: Ticks(2_000),
            error: 0.01,
            surprise: [Ticks::ZERO; 2],
            seed,
        });
        Self {
            recorder,
            time,
            open: Vec::new(),
            plan: PhantomData,
        }
    }

    /// A new function.
    pub(crate) fn function(&mut self) -> u32 {
        self.recorder.add_symbol().0
    }

    pub(crate) fn pass(&self, ticks: u64) {
        self.time.now.set(self.time.now.get() + ticks);
    }

    pub(crate) fn allocate(&self, bytes: i64) {
        self.time.memory.set(self.time.memory.get() + bytes);
    }

    pub(crate) fn readings(&self) -> u64 {
        self.time.readings.get()
    }

    /// As the hooks do: the fast path, or the slow one.
    pub(crate) fn enter(&mut self, symbol: u32) -> bool {
        let site = self.site();
        let Self {
            recorder,
            time,
            open,
            ..
        } = self;
        let (read, memory) = (
            || time.read(),
            || (time.memory.get(), time.memory.get().max(0)),
        );
        if let Some(token) = recorder.enter_again::<P>(symbol as usize, &site, read, memory) {
            open.push((token, true));
            return true;
        }
        match recorder.enter::<P>(SymbolId(symbol), &site, read) {
            Entered::Recorded(token) => {
                open.push((token, false));
                true
            }
            Entered::TooDeep => false,
        }
    }

    pub(crate) fn leave(&mut self) {
        let Self { recorder, time, .. } = self;
        let Some((token, is_fast)) = self.open.pop() else {
            return;
        };
        let memory = || (time.memory.get(), time.memory.get().max(0));
        if P::ADAPTIVE && is_fast {
            recorder.leave_sparing::<P>(token, || time.read(), memory);
        } else if is_fast {
            recorder.leave_again::<P>(token, || time.read());
        } else {
            recorder.leave::<P>(token, || time.read());
        }
    }

    /// A fatal error ends so many calls without their exits.
    pub(crate) fn bail_out(&mut self, calls: usize) {
        let left = self.open.len().saturating_sub(calls);
        self.open.truncate(left);
    }

    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// A call that takes so long and makes no call.
    pub(crate) fn leaf(&mut self, symbol: u32, ticks: u64) {
        let is_recorded = self.enter(symbol);
        self.pass(ticks);
        if is_recorded {
            self.leave();
        }
    }

    /// Something long begins or ends in the running call.
    pub(crate) fn note_instant(&mut self) {
        self.recorder.note_instant::<P>(self.time.read());
    }

    /// Runs calls in a new fiber, and suspends it.
    pub(crate) fn in_a_fiber(&mut self, fiber: FiberId, calls: impl FnOnce(&mut Self)) {
        self.recorder.fiber_created(fiber);
        self.recorder
            .fiber_switched::<P>(MAIN_FIBER, fiber, self.time.read());
        let outside = std::mem::take(&mut self.open);
        calls(self);
        self.open = outside;
        self.recorder
            .fiber_switched::<P>(fiber, MAIN_FIBER, self.time.read());
    }

    /// Pauses, so many calls return, and time that must not count passes.
    pub(crate) fn pause(&mut self, returns: usize) {
        self.recorder.pause::<P>(self.time.read());
        self.pass(1_000);
        for _ in 0..returns {
            self.leave();
        }
        let site = self.site();
        self.recorder.resume::<P>(&site, self.time.read());
    }

    fn site(&self) -> StackAddress {
        StackAddress(1_000_000_000 - self.open.len())
    }

    /// The profile so far.
    pub(crate) fn snapshot(&self) -> Finished {
        finished(self.recorder.snapshot::<P>(self.time.read()))
    }

    pub(crate) fn finish(self) -> Finished {
        let Self {
            mut recorder, time, ..
        } = self;
        recorder.finish::<P>(time.read());
        finished(recorder)
    }
}

fn finished(recorder: Recorder) -> Finished {
    let rate = TickRate::NANOSECONDS;
    if let Some(tree) = recorder.tree(rate, rate) {
        return Finished {
            table: tree.to_edges(),
            tree: Some(tree),
        };
    }
    let edges = recorder.into_edges(rate, rate);
    Finished {
        table: edges.map(|edges| edges.to_table()).unwrap_or_default(),
        tree: None,
    }
}

impl Finished {
    /// The row of a caller and a callee at their outermost levels.
    pub(crate) fn row(&self, caller: u32, callee: u32) -> Row {
        let is_it = |edge: &profile::Edge| {
            (edge.caller.symbol.0, edge.callee.symbol.0) == (caller, callee)
                && (edge.caller.level, edge.callee.level) == (0, 0)
        };
        let place = self.table.edges.iter().position(is_it);
        place.map_or_else(Row::default, |place| self.row_at(place))
    }

    pub(crate) fn row_at(&self, place: usize) -> Row {
        let edge = &self.table.edges[place];
        let estimate = self.table.estimates.of(place);
        Row {
            calls: edge.cost.calls,
            untimed: estimate.untimed,
            wall: edge.cost.wall,
            cpu: edge.cost.cpu,
            memory: edge.cost.memory,
            margin: estimate.variance.margin(Metric::Wall),
        }
    }
}
