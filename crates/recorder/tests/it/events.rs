//! Events contain the same information as the tree, for any program.

#![expect(clippy::unwrap_used, reason = "a test")]

use crate::amount::cases;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use profile::native::events::{RawEvent, RawInstant};
use profile::{Event, EventFold, EventKind, Instant, Tree};
use proptest::prelude::*;
use recorder::{
    EventSink, Plan, Reading, Recorder, Shape, StackAddress, SymbolId, TickRate, Ticks,
};

use crate::hooks::{Open, enter, leave};

/// One of the shapes, by its number.
struct Full<const SHAPE: usize>;

const EDGES: usize = 0;
const TREE: usize = 1;
const EVENTS: usize = 2;
const SHAPES: [Shape; 3] = [Shape::Edges, Shape::Tree, Shape::Events];

impl<const SHAPE: usize> Plan for Full<SHAPE> {
    const CPU: bool = true;
    const MEMORY: bool = true;
    const TREE: bool = SHAPE != EDGES;
    const EVENTS: bool = SHAPE == EVENTS;
}

/// Everything that the sink received, and how often it started again.
#[derive(Debug, Default, Clone)]
struct Seen {
    events: Vec<RawEvent>,
    end: Option<RawInstant>,
    restarted: u32,
    delayed: Vec<RawInstant>,
    limit: Option<usize>,
    /// How often something was written since it was full.
    asked_too_often: u32,
}

#[derive(Debug, Clone, Default)]
struct Sink(Rc<RefCell<Seen>>);

impl EventSink for Sink {
    fn write(&mut self, events: &[RawEvent]) -> bool {
        let mut seen = self.0.borrow_mut();
        let is_full = |seen: &Seen| seen.limit.is_some_and(|limit| seen.events.len() >= limit);
        seen.asked_too_often += u32::from(is_full(&seen));
        seen.events.extend_from_slice(events);
        !is_full(&seen)
    }

    fn delay(&mut self, pause: RawInstant) {
        self.0.borrow_mut().delayed.push(pause);
    }

    fn end(&mut self, at: RawInstant) {
        self.0.borrow_mut().end = Some(at);
    }

    fn discard(&mut self) {
        *self.0.borrow_mut() = Seen::default();
    }

    fn restart(&mut self, _at: RawInstant) {
        let mut seen = self.0.borrow_mut();
        seen.events.clear();
        seen.restarted += 1;
    }
}

impl Seen {
    fn fold(&self, start: Reading) -> Tree {
        let instant = |at: RawInstant| Instant {
            wall: at.wall - start.wall.0,
            cpu: at.cpu - start.cpu.0,
            memory: at.memory - start.memory,
            peak: at.peak - start.peak,
        };
        let mut fold = EventFold::new();
        for event in &self.events {
            let at = instant(event.at);
            let kind = event.what.kind();
            fold.add(Event { at, kind });
        }
        fold.finish(instant(self.end.unwrap()))
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Call(u32),
    Return,
    Bailout(usize),
    /// Start a fiber, suspend to its resumer, or resume one.
    Switch(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (2_u32..7).prop_map(Step::Call),
        4 => Just(Step::Return),
        1 => (1_usize..4).prop_map(Step::Bailout),
        1 => (0_usize..3).prop_map(Step::Switch),
    ];
    prop::collection::vec(step, 0..300)
}

/// Runs a program; returns the recorder and the start time.
fn run<const SHAPE: usize>(steps: &[Step], sink: Option<Sink>) -> (Recorder, Reading) {
    let now = Cell::new(0_u64);
    let read = || {
        now.set(now.get() + 1);
        let time = now.get();
        let bytes = i64::try_from(time % 13).unwrap() - 6;
        Reading {
            wall: Ticks(time * 3),
            cpu: Ticks(time * 2),
            memory: bytes,
            peak: bytes * 2,
        }
    };
    let mut began = Reading::default();
    let mut recorder = Recorder::new(SHAPES[SHAPE], 1 << 20, 1 << 20, || {
        began = read();
        began
    });
    if let Some(sink) = sink {
        assert!(recorder.set_sink(Box::new(sink)));
    }
    for _ in 2..7 {
        recorder.add_symbol();
    }
    // A stack for main and one for each fiber, far apart.
    let mut open: [Vec<Open>; 3] = Default::default();
    let mut made = [true, false, false];
    let mut current = 0;
    // Who resumed whom: only the resumer can be gone back to.
    let mut resumers = vec![];
    for step in steps {
        match *step {
            Step::Call(symbol) => {
                let address = 3_000_000 - current * 1_000_000 - open[current].len();
                let site = StackAddress(address);
                let call = enter::<Full<SHAPE>>(&mut recorder, SymbolId(symbol), &site, read);
                open[current].push(call);
            }
            Step::Return => {
                if let Some(call) = open[current].pop() {
                    leave::<Full<SHAPE>>(&mut recorder, call, read);
                }
            }
            Step::Bailout(frames) => {
                let left = open[current].len().saturating_sub(frames);
                open[current].truncate(left);
            }
            // A fiber's own function is open while the fiber exists.
            Step::Switch(_) if current != 0 && open[current].is_empty() => {}
            Step::Switch(to) if to == current => {
                if let Some(resumer) = resumers.pop() {
                    recorder.fiber_switched::<Full<SHAPE>>(current + 10, resumer + 10, read());
                    current = resumer;
                }
            }
            Step::Switch(to) if to != 0 && !resumers.contains(&to) => {
                if !made[to] {
                    recorder.fiber_created(to + 10);
                    made[to] = true;
                }
                recorder.fiber_switched::<Full<SHAPE>>(current + 10, to + 10, read());
                resumers.push(current);
                current = to;
            }
            Step::Switch(_) => {}
        }
    }
    recorder.finish::<Full<SHAPE>>(read());
    (recorder, began)
}

/// Edges in an order of their own.
fn sorted(mut edges: Vec<profile::Edge>) -> Vec<profile::Edge> {
    edges.sort_by_key(|edge| {
        let end = |activation: profile::Activation| (activation.symbol.0, activation.level);
        (end(edge.caller), end(edge.callee))
    });
    edges
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn edges_tree_and_events_tell_the_same(steps in steps()) {
        let sink = Sink::default();
        let (_, began) = run::<EVENTS>(&steps, Some(sink.clone()));
        let folded = sink.0.borrow().fold(began).to_edges().edges;
        let rate = TickRate::NANOSECONDS;
        let (recorder, _) = run::<TREE>(&steps, None);
        let tree = sorted(recorder.tree(rate, rate).unwrap().to_edges().edges);
        prop_assert_eq!(&sorted(folded), &tree);
        let (recorder, _) = run::<EDGES>(&steps, None);
        let edges = recorder.into_edges(rate, rate).unwrap().to_table();
        prop_assert_eq!(sorted(edges.edges), tree);
    }
}

fn calls(count: usize) -> Vec<Step> {
    [Step::Call(2), Step::Return].repeat(count)
}

#[test]
fn events_are_handed_over_whenever_the_buffer_is_full() {
    let sink = Sink::default();
    run::<EVENTS>(&calls(20_000), Some(sink.clone()));
    let seen = sink.0.borrow();
    assert_eq!(seen.events.len(), 40_000);
    assert!(seen.end.is_some());
}

#[test]
fn a_sink_that_is_full_gets_nothing_more_but_the_end() {
    let sink = Sink::default();
    sink.0.borrow_mut().limit = Some(10_000);
    run::<EVENTS>(&calls(20_000), Some(sink.clone()));
    let seen = sink.0.borrow();
    assert!(
        (10_000..20_000).contains(&seen.events.len()),
        "{}",
        seen.events.len()
    );
    assert_eq!(seen.asked_too_often, 0);
    assert!(seen.end.is_some());
}

#[test]
fn the_child_of_a_fork_records_though_its_parents_sink_is_full() {
    let sink = Sink::default();
    sink.0.borrow_mut().limit = Some(1);
    let mut recorder = Recorder::new(Shape::Events, 100, 100, Reading::default);
    assert!(recorder.set_sink(Box::new(sink.clone())));
    let call = |recorder: &mut Recorder, address| {
        let site = StackAddress(address);
        let call = enter::<Full<EVENTS>>(recorder, SymbolId(2), &site, Reading::default);
        leave::<Full<EVENTS>>(recorder, call, Reading::default);
    };
    recorder.add_symbol();
    for _ in 0..10_000 {
        call(&mut recorder, 90);
    }
    sink.0.borrow_mut().limit = None;
    recorder.restart_events(Reading::default());
    call(&mut recorder, 90);
    recorder.finish::<Full<EVENTS>>(Reading::default());
    assert_eq!(sink.0.borrow().events.len(), 2);
}

#[test]
fn the_child_of_a_fork_begins_with_the_calls_that_are_open() {
    let sink = Sink::default();
    let mut recorder = Recorder::new(Shape::Events, 100, 100, Reading::default);
    assert!(recorder.set_sink(Box::new(sink.clone())));
    let at = |wall| Reading {
        wall: Ticks(wall),
        ..Reading::default()
    };
    for (symbol, address) in [(2, 90), (3, 80), (4, 70)] {
        recorder.add_symbol();
        let site = StackAddress(address);
        enter::<Full<EVENTS>>(&mut recorder, SymbolId(symbol), &site, || at(1));
    }
    recorder.restart_events(at(50));
    recorder.finish::<Full<EVENTS>>(at(60));
    let seen = sink.0.borrow();
    assert_eq!(seen.restarted, 1);
    let kinds: Vec<_> = seen.events.iter().map(|event| event.what.kind()).collect();
    use EventKind::{Enter, Leave};
    let enters = [2, 3, 4].map(|symbol| Enter(SymbolId(symbol)));
    assert_eq!(kinds, [&enters[..], &[Leave; 3]].concat());
    assert!(seen.events[..3].iter().all(|event| event.at.wall == 50));
}

/// When the last of some calls was entered, by what a span asks.
fn entered_last<const SHAPE: usize>() -> Ticks {
    let at = |wall| Reading {
        wall: Ticks(wall),
        ..Reading::default()
    };
    let mut recorder = Recorder::new(SHAPES[SHAPE], 100, 100, || at(1_000));
    recorder.add_symbol();
    // From the second on, by the fast path.
    for call in 1..5 {
        let read = || at(1_000 + 10 * call);
        let open = enter::<Full<SHAPE>>(&mut recorder, SymbolId(2), &StackAddress(90), read);
        if call < 4 {
            leave::<Full<SHAPE>>(&mut recorder, open, || at(1_005 + 10 * call));
        }
    }
    recorder.entered()
}

#[test]
fn every_shape_knows_when_the_running_call_was_entered() {
    let found = [
        entered_last::<EDGES>(),
        entered_last::<TREE>(),
        entered_last::<EVENTS>(),
    ];
    assert_eq!(found, [Ticks(40); 3]);
}
