//! A pause must leave no trace: no calls, no time, and the stack is right
//! afterwards.

use crate::amount::cases;
use std::cell::Cell;

use proptest::prelude::*;
use recorder::{Plan, Reading, Recorder, Shape, StackAddress, SymbolId, TickRate, Ticks};

use crate::hooks::{Open, enter, leave};

struct Edges;

impl Plan for Edges {
    const CPU: bool = true;
    const MEMORY: bool = true;
    const TREE: bool = false;
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Call(u32),
    Return,
    Bailout(usize),
    Switch(usize),
    Pause,
    Resume,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (2_u32..6).prop_map(Step::Call),
        4 => Just(Step::Return),
        1 => (1_usize..4).prop_map(Step::Bailout),
        1 => (0_usize..3).prop_map(Step::Switch),
        1 => Just(Step::Pause),
        2 => Just(Step::Resume),
    ];
    prop::collection::vec(step, 0..300)
}

type Edge = ((u32, u32), (u32, u32), (u64, u64, u64, i64, i64));

/// Runs a program. At a pause, either the recorder is told, or the clock is
/// stopped and no function is called: both must give the same result.
fn run(steps: &[Step], is_told: bool) -> (Vec<Edge>, u64) {
    let now = Cell::new(1_u64);
    let is_paused = Cell::new(false);
    let read = || {
        let time = now.get();
        Reading {
            wall: Ticks(time * 3),
            cpu: Ticks(time * 2),
            memory: time.cast_signed() * 5,
            peak: 0,
        }
    };
    let mut recorder = Recorder::new(Shape::Edges, 1 << 20, 1 << 20, read);
    for _ in 2..6 {
        recorder.add_symbol();
    }
    let mut open: [Vec<Option<Open>>; 3] = Default::default();
    let mut made = [true, false, false];
    let (mut current, mut resumers) = (0, vec![]);
    // The call of what pauses, and of what goes on.
    let probe = |recorder: &mut Recorder, site: &StackAddress| {
        let call = enter::<Edges>(recorder, SymbolId(5), site, read);
        leave::<Edges>(recorder, call, read);
    };
    for step in steps {
        if is_told || !is_paused.get() {
            now.set(now.get() + 1);
        }
        let here = |open: &[Vec<Option<Open>>; 3], current: usize| {
            StackAddress(3_000_000 - current * 1_000_000 - open[current].len() * 16)
        };
        match *step {
            Step::Call(_) if is_paused.get() => open[current].push(None),
            Step::Call(symbol) => {
                let site = here(&open, current);
                let call = enter::<Edges>(&mut recorder, SymbolId(symbol), &site, read);
                open[current].push(Some(call));
            }
            Step::Return => {
                if let Some(Some(call)) = open[current].pop() {
                    leave::<Edges>(&mut recorder, call, read);
                }
            }
            // No hook reports a bailout, so the next entry detects it; so it
            // happens before a call in both.
            Step::Bailout(_) if is_paused.get() => {}
            Step::Bailout(frames) => {
                let left = open[current].len().saturating_sub(frames);
                open[current].truncate(left);
            }
            Step::Switch(_) if current != 0 && open[current].is_empty() => {}
            Step::Switch(to) if to == current => {
                if let Some(resumer) = resumers.pop() {
                    recorder.fiber_switched::<Edges>(current + 10, resumer + 10, read());
                    current = resumer;
                }
            }
            Step::Switch(to) if to != 0 && !resumers.contains(&to) => {
                if !made[to] {
                    recorder.fiber_created(to + 10);
                    made[to] = true;
                }
                recorder.fiber_switched::<Edges>(current + 10, to + 10, read());
                resumers.push(current);
                current = to;
            }
            Step::Switch(_) => {}
            Step::Pause => {
                // Frames that a bailout skipped are closed first in both.
                if !is_paused.get() {
                    probe(&mut recorder, &here(&open, current));
                    if is_told {
                        recorder.pause::<Edges>(read());
                    }
                    is_paused.set(true);
                }
            }
            Step::Resume => {
                if is_paused.replace(false) {
                    let site = here(&open, current);
                    if is_told {
                        recorder.resume::<Edges>(&site, read());
                    }
                    probe(&mut recorder, &site);
                }
            }
        }
    }
    recorder.finish::<Edges>(read());
    let rate = TickRate::NANOSECONDS;
    let end = |activation: profile::Activation| (activation.symbol.0, activation.level);
    let edges = recorder.into_edges(rate, rate);
    let table = edges.map(|edges| edges.to_table()).unwrap_or_default();
    let edges = table.edges.into_iter().map(|edge| {
        let cost = edge.cost;
        let costs = (cost.calls, cost.wall, cost.cpu, cost.memory, cost.peak);
        (end(edge.caller), end(edge.callee), costs)
    });
    let mut edges: Vec<Edge> = edges.collect();
    edges.sort_unstable();
    (edges, table.root.wall)
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_pause_is_as_if_it_had_not_been(steps in steps()) {
        prop_assert_eq!(run(&steps, true), run(&steps, false));
    }
}

#[test]
fn a_call_that_returned_in_a_pause_is_no_caller_afterwards() {
    use Step::{Call, Pause, Resume, Return};
    let steps = [Call(2), Pause, Return, Call(3), Resume, Call(4)];
    let (edges, _) = run(&steps, true);
    let callers: Vec<_> = edges.iter().map(|edge| (edge.0.0, edge.1.0)).collect();
    assert_eq!(callers, [(0, 2), (0, 4), (0, 5), (2, 5)]);
}

/// Edges, trees or events.
struct Of<const TREE: bool, const EVENTS: bool>;

impl<const TREE: bool, const EVENTS: bool> Plan for Of<TREE, EVENTS> {
    const CPU: bool = true;
    const MEMORY: bool = true;
    const TREE: bool = TREE;
    const EVENTS: bool = EVENTS;
}

fn at(time: u64) -> Reading {
    Reading {
        wall: Ticks(time),
        cpu: Ticks(time / 2),
        memory: time.cast_signed(),
        peak: 0,
    }
}

/// `2` calls `3`, which is paused in, returns, and the time of the pause is a
/// call of `4`; then `2` calls `5`. The clocks have another origin afterwards.
fn with_time_that_passes<P: Plan>(shape: Shape, returns: bool) -> Recorder {
    let mut recorder = Recorder::new(shape, 10, 1_000, || at(100));
    for _ in 2..6 {
        recorder.add_symbol();
    }
    let enter_at = |recorder: &mut Recorder, symbol, address, time| {
        enter::<P>(recorder, SymbolId(symbol), &StackAddress(address), || {
            at(time)
        })
    };
    let _two = enter_at(&mut recorder, 2, 900, 110);
    let three = enter_at(&mut recorder, 3, 800, 120);
    recorder.pause::<P>(at(130));
    if returns {
        leave::<P>(&mut recorder, three, || unreachable!("it is paused"));
    }
    let time = Reading {
        wall: Ticks(1_000),
        cpu: Ticks(300),
        memory: 7,
        peak: 3,
    };
    let site = StackAddress(700);
    recorder.pass::<P>(SymbolId(4), time, &site);
    assert!(recorder.is_paused());
    let later = |time: u64| Reading {
        wall: Ticks(5_000_000 + time),
        cpu: Ticks(3_000_000 + time / 2),
        ..at(time)
    };
    recorder.resume::<P>(&site, later(130));
    let five = enter::<P>(&mut recorder, SymbolId(5), &site, || later(140));
    leave::<P>(&mut recorder, five, || later(160));
    recorder.finish::<P>(later(200));
    recorder
}

#[test]
fn time_that_passed_while_paused_is_a_call_of_who_is_still_open() {
    for (returns, caller) in [(true, 2), (false, 3)] {
        let rate = TickRate::NANOSECONDS;
        let recorder = with_time_that_passes::<Of<false, false>>(Shape::Edges, returns);
        let edges = recorder.into_edges(rate, rate).unwrap().to_table();
        let cost = |caller: u32, callee: u32| {
            let edge = edges
                .edges
                .iter()
                .find(|edge| (edge.caller.symbol.0, edge.callee.symbol.0) == (caller, callee));
            let cost = edge.map(|edge| edge.cost);
            cost.map(|cost| (cost.calls, cost.wall, cost.cpu, cost.memory, cost.peak))
        };
        assert_eq!(cost(caller, 4), Some((1, 1_000, 300, 7, 3)));
        assert_eq!(cost(caller, 5), Some((1, 20, 10, 20, 0)));
        // 100 of its own, and what passed; of the other one the same if it is open.
        assert_eq!(cost(0, 2).map(|cost| cost.1), Some(1_090));
        let three = if returns { 10 } else { 1_080 };
        assert_eq!(cost(2, 3).map(|cost| cost.1), Some(three));
        assert_eq!((edges.root.wall, edges.root.cpu), (1_100, 350));

        let recorder = with_time_that_passes::<Of<true, false>>(Shape::Tree, returns);
        let tree = recorder.tree(rate, rate).unwrap();
        let folded = profile::Profile {
            symbols: (0..6)
                .map(|number| profile::Symbol::new(number.to_string().into_bytes()))
                .collect(),
            body: profile::Body::Tree(tree),
            ..profile::Profile::empty()
        };
        assert_eq!(folded.edges().root, edges.root);
        let rows = |table: &profile::EdgeTable| {
            let row =
                |edge: &profile::Edge| (edge.caller.symbol.0, edge.callee.symbol.0, edge.cost);
            let mut rows: Vec<_> = table.edges.iter().map(row).collect();
            rows.sort_unstable_by_key(|row| (row.0, row.1));
            rows
        };
        assert_eq!(rows(&folded.edges()), rows(&edges));
    }
}

#[test]
fn nothing_passes_in_a_profile_that_is_not_paused() {
    let mut recorder = Recorder::new(Shape::Edges, 10, 1_000, || at(0));
    let symbol = recorder.add_symbol();
    recorder.pass::<Edges>(symbol, at(50), &StackAddress(700));
    recorder.finish::<Edges>(at(10));
    let rate = TickRate::NANOSECONDS;
    let edges = recorder.into_edges(rate, rate).unwrap().to_table();
    assert_eq!((edges.edges.len(), edges.root.wall), (0, 10));
}
