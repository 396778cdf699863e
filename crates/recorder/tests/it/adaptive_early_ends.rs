//! Adaptive timing in an engine that reports ends before destructors run.

use std::cell::Cell;

use profile::EdgeTable;
use recorder::{
    AdaptiveTiming, CallSite, Entered, Plan, Reading, Recorder, Shape, SymbolId, TickRate, Ticks,
};

struct Early<const ADAPTIVE: bool>;

impl<const ADAPTIVE: bool> Plan for Early<ADAPTIVE> {
    const CPU: bool = false;
    const MEMORY: bool = true;
    const TREE: bool = false;
    const ENDS_EARLY: bool = true;
    const ADAPTIVE: bool = ADAPTIVE;
}

/// A call of `main()`, or of the ended function with the frame `made_by`.
struct Site {
    mark: usize,
    made_by: usize,
}

impl CallSite for Site {
    fn mark(&self) -> usize {
        self.mark
    }

    fn is_stale(&self, open: usize) -> bool {
        open != Recorder::BASE_MARK && open != (self.made_by | 1)
    }

    fn is_made_by_ended(&self, ended: usize) -> bool {
        self.made_by == ended
    }
}

struct Bench<const ADAPTIVE: bool> {
    recorder: Recorder,
    now: Cell<(u64, i64)>,
    readings: Cell<u64>,
}

impl<const ADAPTIVE: bool> Bench<ADAPTIVE> {
    fn new() -> Self {
        let mut recorder = Recorder::new(Shape::Edges, 100, 100, Reading::default);
        recorder.time_adaptively(AdaptiveTiming {
            short: Ticks(1_000),
            short_cpu: Ticks(1_000),
            error: 0.01,
            surprise: [Ticks::ZERO; 2],
            seed: 5,
        });
        for _ in 2..6 {
            recorder.add_symbol();
        }
        Self {
            recorder,
            now: Cell::new((0, 0)),
            readings: Cell::new(0),
        }
    }

    fn read(&self) -> Reading {
        self.readings.set(self.readings.get() + 1);
        Reading {
            wall: Ticks(self.now.get().0),
            memory: self.now.get().1,
            ..Reading::default()
        }
    }

    fn pass(&self, ticks: u64, bytes: i64) {
        let (time, memory) = self.now.get();
        self.now.set((time + ticks, memory + bytes));
    }

    fn begin(&mut self, symbol: u32, site: &Site) {
        let Self {
            recorder,
            now,
            readings,
        } = self;
        let read = || {
            readings.set(readings.get() + 1);
            Reading {
                wall: Ticks(now.get().0),
                memory: now.get().1,
                ..Reading::default()
            }
        };
        let memory = || (now.get().1, 0);
        let entered =
            recorder.enter_sparing::<Early<ADAPTIVE>>(SymbolId(symbol), site, read, memory);
        assert!(matches!(entered, Entered::Recorded(_)));
    }

    fn end(&mut self, mark: usize) {
        let reading = (self.now.get().1, 0);
        let is_untimed = ADAPTIVE
            && self
                .recorder
                .end_untimed::<Early<ADAPTIVE>>(mark, || reading);
        if !is_untimed {
            let now = self.read();
            self.recorder.end_marked::<Early<ADAPTIVE>>(mark, || now);
        }
    }

    fn finish(mut self) -> EdgeTable {
        let now = self.read();
        self.recorder.finish::<Early<ADAPTIVE>>(now);
        let rate = TickRate::NANOSECONDS;
        let edges = self.recorder.into_edges(rate, rate);
        edges.map(|edges| edges.to_table()).unwrap_or_default()
    }
}

const F: u32 = 2;
const DESTRUCTOR: u32 = 3;
const FRAME: usize = 0x100;

/// Calls of `F`, which allocates, and frees after its end. One of `each` leaves an object
/// whose destructor runs after the end.
fn run<const ADAPTIVE: bool>(each: u32) -> (EdgeTable, u64) {
    let mut bench = Bench::<ADAPTIVE>::new();
    let in_main = Site {
        mark: FRAME,
        made_by: 0,
    };
    bench.pass(100_000_000, 0);
    for call in 0..5_000 {
        bench.begin(F, &in_main);
        bench.pass(40, 700);
        bench.end(FRAME);
        bench.pass(1, -600);
        if call % each == each - 1 {
            bench.begin(
                DESTRUCTOR,
                &Site {
                    mark: 0x200,
                    made_by: FRAME,
                },
            );
            bench.pass(200, 0);
            bench.end(0x200);
        }
        bench.pass(30, -100);
    }
    let readings = bench.readings.get();
    (bench.finish(), readings)
}

/// The time of calls of that function.
fn wall(table: &EdgeTable, callee: u32) -> u64 {
    let mut edges = table.edges.iter();
    let edge = edges.find(|edge| edge.callee.symbol == SymbolId(callee));
    edge.map_or(0, |edge| edge.cost.wall)
}

#[test]
fn edges_counts_and_memory_are_those_of_exact_timing() {
    let ((exact, of_exact), (adaptive, readings)) = (run::<false>(1_000), run::<true>(1_000));
    let part = |table: &EdgeTable| {
        let edges = table.edges.iter();
        let row =
            |edge: &profile::Edge| (edge.caller, edge.callee, edge.cost.calls, edge.cost.memory);
        edges.map(row).collect::<Vec<_>>()
    };
    assert_eq!(part(&adaptive), part(&exact));
    assert_eq!(adaptive.edges.len(), 2);
    assert_eq!(adaptive.root, exact.root);
    assert!(readings < of_exact / 4, "{readings} of {of_exact}");
}

#[test]
fn a_destructor_after_the_end_of_an_untimed_call_is_timed_and_its_callee() {
    let (table, _) = run::<true>(1_000);
    let wall = |callee| wall(&table, callee);
    // The five destructors were timed; each began a tick after the end of its caller.
    assert_eq!(wall(DESTRUCTOR), 5 * 200);
    let real = 5_000 * 40 + 5 * 201;
    let f = wall(F);
    // At worst each of those calls is timed only from its destructor on.
    assert!(f <= real && f + 5 * 41 >= real, "{f} of {real}");
    let of_f = table.estimates.iter().map(|(_, estimate)| estimate.untimed);
    assert!(of_f.sum::<u64>() > 2_000, "{:?}", table.estimates);
}

#[test]
fn calls_end_with_their_last_destructor_however_often_it_runs() {
    let (table, _) = run::<true>(1);
    assert_eq!(wall(&table, DESTRUCTOR), 5_000 * 200);
    // Each destructor began a tick after the end of its caller.
    assert_eq!(wall(&table, F), 5_000 * 241);
}
