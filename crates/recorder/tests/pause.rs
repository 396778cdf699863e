//! A pause is as if it had not been: no calls, no time, and the stack is right
//! afterwards.

use std::cell::Cell;

use proptest::prelude::*;
use recorder::{Entered, Plan, Reading, Recorder, Shape, StackAddress, SymbolId, TickRate, Token};

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
    Jump(usize),
    Switch(usize),
    Pause,
    Resume,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (2_u32..6).prop_map(Step::Call),
        4 => Just(Step::Return),
        1 => (1_usize..4).prop_map(Step::Jump),
        1 => (0_usize..3).prop_map(Step::Switch),
        1 => Just(Step::Pause),
        2 => Just(Step::Resume),
    ];
    prop::collection::vec(step, 0..300)
}

type Edge = ((u32, u32), (u32, u32), (u64, u64, u64, i64, i64));

/// Runs a program. Where it pauses, the recorder is told, or else the clock is
/// stopped and nothing is called: that must be the same.
fn run(steps: &[Step], is_told: bool) -> (Vec<Edge>, u64) {
    let now = Cell::new(1_u64);
    let is_paused = Cell::new(false);
    let read = || {
        let time = now.get();
        Reading {
            wall: time * 3,
            cpu: time * 2,
            memory: time.cast_signed() * 5,
            peak: 0,
        }
    };
    let mut recorder = Recorder::new(Shape::Edges, 1 << 20, 1 << 20, read);
    for _ in 2..6 {
        recorder.add_symbol();
    }
    let mut open: [Vec<Option<Token>>; 3] = Default::default();
    let mut made = [true, false, false];
    let (mut current, mut resumers) = (0, vec![]);
    // The call of what pauses, and of what goes on.
    let probe = |recorder: &mut Recorder, site: &StackAddress| {
        if let Entered::Recorded(token) = recorder.enter::<Edges>(SymbolId(5), site, read) {
            recorder.leave::<Edges>(token, read);
        }
    };
    for step in steps {
        if is_told || !is_paused.get() {
            now.set(now.get() + 1);
        }
        let here = |open: &[Vec<Option<Token>>; 3], current: usize| {
            StackAddress(3_000_000 - current * 1_000_000 - open[current].len() * 16)
        };
        match *step {
            Step::Call(_) if is_paused.get() => open[current].push(None),
            Step::Call(symbol) => {
                let site = here(&open, current);
                match recorder.enter::<Edges>(SymbolId(symbol), &site, read) {
                    Entered::Recorded(token) => open[current].push(Some(token)),
                    Entered::TooDeep => unreachable!("there is room"),
                }
            }
            Step::Return => {
                if let Some(Some(token)) = open[current].pop() {
                    recorder.leave::<Edges>(token, read);
                }
            }
            // Where nobody is told of a jump, the next entry finds out; so it
            // happens before a call in both.
            Step::Jump(_) if is_paused.get() => {}
            Step::Jump(frames) => {
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
                // Frames that were jumped over go first in both.
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
    let end = |it: profile::Activation| (it.symbol.0, it.level);
    let edges = recorder.into_edges(rate, rate);
    let table = edges.map(|it| it.to_table()).unwrap_or_default();
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
