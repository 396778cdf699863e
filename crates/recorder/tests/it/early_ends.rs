//! An engine that reports a call's end before the call's variables are
//! destroyed: destructors that run then are still its callees.

use std::cell::Cell;

use recorder::{CallSite, Entered, Plan, Reading, Recorder, Shape, SymbolId, TickRate, Ticks};

struct Early;

impl Plan for Early {
    const CPU: bool = false;
    const MEMORY: bool = true;
    const TREE: bool = false;
    const ENDS_EARLY: bool = true;
}

/// A call whose engine knows everything: its frame, those it was called
/// through, and whether a function that is being left made it.
struct Site {
    mark: usize,
    callers: &'static [usize],
    made_by: usize,
}

impl CallSite for Site {
    fn mark(&self) -> usize {
        self.mark
    }

    fn is_stale(&self, open: usize) -> bool {
        !self.callers.contains(&open)
    }

    fn is_made_by_ended(&self, ended: usize) -> bool {
        self.made_by == ended
    }
}

struct Bench {
    recorder: Recorder,
    now: Cell<(u64, i64)>,
}

impl Bench {
    fn new() -> Self {
        let mut recorder = Recorder::new(Shape::Edges, 100, 100, Reading::default);
        for _ in 2..6 {
            recorder.add_symbol();
        }
        Self {
            recorder,
            now: Cell::new((0, 0)),
        }
    }

    fn read(now: &Cell<(u64, i64)>) -> Reading {
        Reading {
            wall: Ticks(now.get().0),
            memory: now.get().1,
            ..Reading::default()
        }
    }

    fn begin(&mut self, symbol: u32, site: &Site, wall: u64, memory: i64) {
        self.now.set((wall, memory));
        let now = &self.now;
        let entered = self
            .recorder
            .enter::<Early>(SymbolId(symbol), site, || Self::read(now));
        assert!(matches!(entered, Entered::Recorded(_)));
    }

    fn end(&mut self, mark: usize, wall: u64, memory: i64) {
        self.now.set((wall, memory));
        self.recorder
            .end_marked::<Early>(mark, || Self::read(&self.now));
    }

    /// Caller, callee, calls, wall and memory of each edge.
    fn finish(mut self, wall: u64) -> Vec<(u32, u32, u64, u64, i64)> {
        self.now.set((wall, 0));
        self.recorder.finish::<Early>(Self::read(&self.now));
        let edges = self
            .recorder
            .into_edges(TickRate::NANOSECONDS, TickRate::NANOSECONDS)
            .map_or_else(Vec::new, |edges| edges.to_table().edges);
        let row = |edge: &profile::Edge| {
            let (caller, callee) = (edge.caller.symbol.0, edge.callee.symbol.0);
            (
                caller,
                callee,
                edge.cost.calls,
                edge.cost.wall,
                edge.cost.memory,
            )
        };
        edges.iter().map(row).collect()
    }
}

const F: u32 = 2;
const DESTRUCTOR: u32 = 3;
const G: u32 = 4;

/// A call of `main()`'s, with its frame at `mark`.
fn plain(mark: usize) -> Site {
    Site {
        mark,
        callers: &[],
        made_by: 0,
    }
}

#[test]
fn a_destructor_of_a_function_that_is_left_is_its_callee() {
    let mut bench = Bench::new();
    bench.begin(F, &plain(0x100), 1, 0);
    bench.end(0x100, 5, 0);
    let destructor = Site {
        made_by: 0x100,
        ..plain(0x200)
    };
    bench.begin(DESTRUCTOR, &destructor, 6, 0);
    bench.end(0x200, 9, 0);
    bench.begin(DESTRUCTOR, &destructor, 9, 0);
    bench.end(0x200, 11, 0);
    bench.begin(G, &plain(0x100), 20, 0);
    bench.end(0x100, 22, 0);
    let edges = [(F, DESTRUCTOR, 2, 5, 0), (0, F, 1, 10, 0), (0, G, 1, 2, 0)];
    assert_eq!(bench.finish(30), edges);
}

#[test]
fn a_function_ends_when_it_said_if_nothing_comes_of_it() {
    let mut bench = Bench::new();
    bench.begin(F, &plain(0x100), 1, 0);
    bench.end(0x100, 5, 0);
    assert_eq!(bench.finish(30), [(0, F, 1, 4, 0)]);
}

#[test]
fn memory_given_back_after_the_end_is_not_charged() {
    let mut bench = Bench::new();
    bench.begin(F, &plain(0x100), 1, 100);
    bench.end(0x100, 5, 9_100);
    bench.begin(G, &plain(0x100), 6, 130);
    bench.end(0x100, 7, 130);
    assert_eq!(bench.finish(30), [(0, F, 1, 4, 30), (0, G, 1, 1, -130)]);
}

#[test]
fn an_end_closes_the_frames_above_whose_ends_were_skipped() {
    let mut bench = Bench::new();
    bench.begin(F, &plain(0x100), 1, 0);
    let callee = Site {
        callers: &[0x100],
        ..plain(0x200)
    };
    bench.begin(G, &callee, 2, 0);
    bench.end(0x100, 5, 0);
    assert_eq!(bench.finish(30), [(F, G, 1, 3, 0), (0, F, 1, 4, 0)]);
}

#[test]
fn an_end_of_a_call_that_was_not_recorded_is_ignored() {
    let mut bench = Bench::new();
    bench.begin(F, &plain(0x100), 1, 0);
    bench.end(0x300, 3, 0);
    bench.end(0x100, 5, 0);
    assert_eq!(bench.finish(30), [(0, F, 1, 4, 0)]);
}
