//! The cost of calls and who is charged for it, with readings set by hand.

use std::cell::Cell;
use std::collections::BTreeMap;

use profile::Edge;
use recorder::{Plan, Reading, Recorder, Shape, StackAddress, SymbolId, TickRate, Ticks};

use crate::hooks::{Open, enter, leave, try_enter};

struct Wall<const TREE: bool>;

impl<const TREE: bool> Plan for Wall<TREE> {
    const CPU: bool = false;
    const MEMORY: bool = false;
    const TREE: bool = TREE;
}

type Edges = Wall<false>;

/// A clock that stands still until it is set.
#[derive(Default)]
struct Clock(Cell<u64>);

impl Clock {
    fn read(&self) -> Reading {
        Reading {
            wall: Ticks(self.0.get()),
            ..Reading::default()
        }
    }
}

/// A recorder with a clock beside it, in which functions are letters.
struct Bench {
    recorder: Recorder,
    clock: Clock,
    letters: Vec<char>,
}

impl Bench {
    fn new(max_depth: usize, max_rows: usize) -> Self {
        let recorder = Recorder::new(Shape::Edges, max_depth, max_rows, Reading::default);
        Self {
            recorder,
            clock: Clock::default(),
            letters: vec!['.', '#'],
        }
    }

    fn symbol(&mut self, letter: char) -> SymbolId {
        if let Some(place) = self.letters.iter().position(|&other| other == letter) {
            return SymbolId(u32::try_from(place).unwrap_or(u32::MAX));
        }
        self.letters.push(letter);
        self.recorder.add_symbol()
    }

    fn enter(&mut self, letter: char, stack: usize, at: u64) -> Open {
        let symbol = self.symbol(letter);
        self.clock.0.set(at);
        let clock = &self.clock;
        let site = StackAddress(stack);
        enter::<Edges>(&mut self.recorder, symbol, &site, || clock.read())
    }

    fn leave(&mut self, call: Open, at: u64) {
        self.clock.0.set(at);
        let clock = &self.clock;
        leave::<Edges>(&mut self.recorder, call, || clock.read());
    }

    fn switch(&mut self, from: usize, to: usize, at: u64) {
        self.clock.0.set(at);
        self.recorder
            .fiber_switched::<Edges>(from, to, self.clock.read());
    }

    /// Every edge as `a>b@1`, with its calls and its time.
    fn finish(mut self, at: u64) -> BTreeMap<String, (u64, u64)> {
        self.clock.0.set(at);
        self.recorder.finish::<Edges>(self.clock.read());
        let edges = edges(&mut self.recorder);
        edges
            .iter()
            .map(|edge| (self.name(edge), (edge.cost.calls, edge.cost.wall)))
            .collect()
    }

    fn name(&self, edge: &Edge) -> String {
        let end = |activation: profile::Activation| {
            let letter = self.letters[activation.symbol.index()];
            match activation.level {
                0 => letter.to_string(),
                level => format!("{letter}@{level}"),
            }
        };
        format!("{}>{}", end(edge.caller), end(edge.callee))
    }
}

fn edges(recorder: &mut Recorder) -> Vec<Edge> {
    let recorder = std::mem::replace(recorder, Recorder::idle());
    let edges = recorder.into_edges(TickRate::NANOSECONDS, TickRate::NANOSECONDS);
    edges.map_or_else(Vec::new, |edges| edges.to_table().edges)
}

fn expected<const N: usize>(edges: [(&str, u64, u64); N]) -> BTreeMap<String, (u64, u64)> {
    edges
        .into_iter()
        .map(|(name, calls, wall)| (name.to_owned(), (calls, wall)))
        .collect()
}

const ROOMY: usize = 1 << 20;

#[test]
fn a_call_costs_what_passes_between_entry_and_exit() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let a = bench.enter('a', 90, 10);
    let b = bench.enter('b', 80, 11);
    bench.leave(b, 15);
    let b = bench.enter('b', 80, 16);
    bench.leave(b, 17);
    bench.leave(a, 30);
    assert_eq!(bench.finish(40), expected([(".>a", 1, 20), ("a>b", 2, 5)]));
}

#[test]
fn recursion_has_levels_on_both_sides() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let a = bench.enter('a', 90, 0);
    let a1 = bench.enter('a', 80, 1);
    let b = bench.enter('b', 70, 2);
    let a2 = bench.enter('a', 60, 3);
    bench.leave(a2, 4);
    bench.leave(b, 5);
    bench.leave(a1, 6);
    bench.leave(a, 7);
    let a = bench.enter('a', 90, 8);
    bench.leave(a, 9);
    let edges = expected([
        (".>a", 2, 8),
        ("a>a@1", 1, 5),
        ("a@1>b", 1, 3),
        ("b>a@2", 1, 1),
    ]);
    assert_eq!(bench.finish(10), edges);
}

#[test]
fn deep_recursion_has_all_levels_each_time() {
    // More levels than any block of them has, on both sides of its ends, with another
    // function in between, in a fiber that is resumed, and after it.
    const DEPTH: usize = 300;
    let mut bench = Bench::new(ROOMY, ROOMY);
    let (main, fiber) = (1, 2);
    for round in 0..4 {
        if round == 2 {
            bench.recorder.fiber_created(fiber);
            bench.switch(main, fiber, 0);
        }
        let mut tokens = Vec::new();
        for level in 0..DEPTH {
            let letter = if level % 3 == 2 { 'b' } else { 'a' };
            tokens.push(bench.enter(letter, 9000 - level, 0));
            if round == 2 && level % 50 == 0 {
                bench.switch(fiber, main, 0);
                bench.switch(main, fiber, 0);
            }
        }
        while let Some(token) = tokens.pop() {
            bench.leave(token, 0);
        }
        if round == 2 {
            bench.switch(fiber, main, 0);
        }
    }
    let at = |level: usize| match (level % 3, level / 3) {
        (2, 0) => "b".to_owned(),
        (2, before) => format!("b@{before}"),
        (0, 0) => "a".to_owned(),
        (part, before) => format!("a@{}", before * 2 + part),
    };
    let edges = (1..DEPTH).map(|level| (format!("{}>{}", at(level - 1), at(level)), (4, 0)));
    let first = (".>a".to_owned(), (4, 0));
    assert_eq!(bench.finish(0), edges.chain([first]).collect());
}

#[test]
fn frames_that_a_bailout_skipped_end_at_the_next_entry() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    bench.enter('a', 90, 0);
    bench.enter('b', 80, 1);
    bench.enter('c', 70, 2);
    let d = bench.enter('d', 95, 10);
    bench.leave(d, 12);
    let edges = expected([(".>a", 1, 10), ("a>b", 1, 9), ("b>c", 1, 8), (".>d", 1, 2)]);
    assert_eq!(bench.finish(20), edges);
}

#[test]
fn frames_that_a_bailout_skipped_end_when_their_caller_returns() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let a = bench.enter('a', 90, 0);
    bench.enter('b', 80, 1);
    bench.enter('c', 70, 2);
    bench.leave(a, 5);
    let edges = expected([(".>a", 1, 5), ("a>b", 1, 4), ("b>c", 1, 3)]);
    assert_eq!(bench.finish(20), edges);
}

#[test]
fn recursion_levels_are_right_after_a_bailout() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    bench.enter('a', 90, 0);
    bench.enter('a', 80, 1);
    let a = bench.enter('a', 95, 2);
    bench.leave(a, 3);
    assert_eq!(bench.finish(4), expected([(".>a", 2, 3), ("a>a@1", 1, 1)]));
}

#[test]
fn a_token_of_a_dropped_frame_is_ignored() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let a = bench.enter('a', 90, 0);
    let b = bench.enter('b', 80, 1);
    bench.leave(a, 5);
    bench.leave(b, 9);
    assert_eq!(bench.finish(20), expected([(".>a", 1, 5), ("a>b", 1, 4)]));
}

#[test]
fn a_token_of_an_earlier_profile_is_ignored() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let token = bench.enter('a', 90, 0);
    let mut next = Bench::new(ROOMY, ROOMY);
    next.recorder = Recorder::new(Shape::Edges, ROOMY, ROOMY, Reading::default);
    next.letters.truncate(2);
    let kept = next.enter('z', 80, 1);
    next.leave(token, 2);
    next.leave(kept, 3);
    assert_eq!(next.finish(4), expected([(".>z", 1, 2)]));
}

#[test]
fn what_is_open_at_the_end_ends_there() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    bench.enter('a', 90, 2);
    bench.enter('b', 80, 3);
    assert_eq!(bench.finish(10), expected([(".>a", 1, 8), ("a>b", 1, 7)]));
}

#[test]
fn edges_come_in_the_order_in_which_they_first_complete() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let a = bench.enter('a', 90, 0);
    let b = bench.enter('b', 80, 1);
    bench.leave(b, 2);
    bench.leave(a, 3);
    let b = bench.enter('b', 90, 4);
    bench.leave(b, 5);
    let names: Vec<_> = edges(&mut bench.recorder)
        .iter()
        .map(|edge| bench.name(edge))
        .collect();
    assert_eq!(names, ["a>b", ".>a", ".>b"]);
}

#[test]
fn a_stack_at_its_limit_takes_one_truncated_frame_and_no_more() {
    let mut bench = Bench::new(2, ROOMY);
    let a = bench.enter('a', 90, 0);
    let b = bench.enter('b', 80, 1);
    let c = bench.symbol('c');
    let clock = Clock(Cell::new(2));
    let site = StackAddress(70);
    let too_deep = try_enter::<Edges>(&mut bench.recorder, c, &site, || clock.read());
    assert!(too_deep.is_none());
    let cut = bench
        .recorder
        .enter_truncated::<Edges>(&site, || clock.read());
    clock.0.set(7);
    let Some(cut) = cut else {
        unreachable!("there is room for one more");
    };
    let is_open = bench.recorder.leave_slowly::<Edges>(cut, || clock.read());
    assert!(is_open);
    bench.leave(b, 8);
    bench.leave(a, 9);
    assert!(bench.recorder.is_truncated());
    assert_eq!(
        bench.finish(10),
        expected([(".>a", 1, 9), ("a>b", 1, 7), ("b>#", 1, 5)])
    );
}

#[test]
fn a_full_table_charges_new_edges_to_a_truncated_one() {
    let mut bench = Bench::new(ROOMY, 3);
    let a = bench.enter('a', 90, 0);
    let b = bench.enter('b', 80, 1);
    let c = bench.enter('c', 70, 2);
    bench.leave(c, 5);
    bench.leave(b, 6);
    let d = bench.enter('d', 80, 7);
    bench.leave(d, 8);
    bench.leave(a, 9);
    let a = bench.enter('a', 90, 10);
    bench.leave(a, 11);
    assert!(bench.recorder.is_truncated());
    assert_eq!(bench.finish(20), expected([(".>a", 2, 10), ("a>#", 2, 6)]));
}

#[test]
fn a_fiber_is_called_by_who_started_it_and_pays_for_what_it_runs() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let (main, fiber) = (1, 2);
    let start = bench.enter('s', 90, 0);
    bench.recorder.fiber_created(fiber);
    bench.switch(main, fiber, 1);
    let f = bench.enter('f', 5_000, 1);
    bench.switch(fiber, main, 4);
    bench.leave(start, 5);
    // Twenty ticks pass while it is suspended.
    let resume = bench.enter('r', 90, 25);
    bench.switch(main, fiber, 26);
    let g = bench.enter('g', 4_000, 27);
    bench.leave(g, 30);
    bench.leave(f, 31);
    bench.switch(fiber, main, 31);
    bench.leave(resume, 33);
    // f ran 3 + 5 ticks; the starter is charged, not the resumer.
    let edges = expected([(".>s", 1, 10), ("s>f", 1, 8), ("f>g", 1, 3), (".>r", 1, 3)]);
    assert_eq!(bench.finish(40), edges);
}

#[test]
fn fibers_in_flight_do_not_mix_and_have_their_own_recursion_levels() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let (main, one, two) = (1, 2, 3);
    let mut tokens = Vec::new();
    for fiber in [one, two] {
        let start = bench.enter('s', 90, 0);
        bench.recorder.fiber_created(fiber);
        bench.switch(main, fiber, 0);
        tokens.push(bench.enter('f', 500, 0));
        tokens.push(bench.enter('f', 400, 0));
        bench.switch(fiber, main, 0);
        bench.leave(start, 0);
    }
    for (fiber, tokens) in [one, two].into_iter().zip(tokens.chunks(2)) {
        bench.switch(main, fiber, 0);
        let g = bench.enter('g', 300, 0);
        bench.leave(g, 0);
        bench.leave(tokens[1], 0);
        bench.leave(tokens[0], 0);
        bench.switch(fiber, main, 0);
    }
    let f = bench.enter('f', 90, 0);
    bench.leave(f, 0);
    let edges = [
        (".>s", 2, 0),
        ("s>f", 2, 0),
        ("f>f@1", 2, 0),
        ("f@1>g", 2, 0),
        (".>f", 1, 0),
    ];
    assert_eq!(bench.finish(0), expected(edges));
}

#[test]
fn a_nested_fiber_is_charged_once() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let (main, outer, inner) = (1, 2, 3);
    let start = bench.enter('s', 90, 0);
    bench.recorder.fiber_created(outer);
    bench.switch(main, outer, 0);
    let f = bench.enter('f', 500, 0);
    let start_inner = bench.enter('t', 400, 1);
    bench.recorder.fiber_created(inner);
    bench.switch(outer, inner, 1);
    let g = bench.enter('g', 900, 1);
    bench.leave(g, 6);
    bench.switch(inner, outer, 6);
    bench.leave(start_inner, 7);
    bench.leave(f, 8);
    bench.switch(outer, main, 8);
    bench.leave(start, 9);
    let edges = expected([(".>s", 1, 9), ("s>f", 1, 8), ("f>t", 1, 6), ("t>g", 1, 5)]);
    assert_eq!(bench.finish(10), edges);
}

#[test]
fn a_suspended_fiber_ends_where_it_was_suspended() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let start = bench.enter('s', 90, 0);
    bench.recorder.fiber_created(2);
    bench.switch(1, 2, 1);
    bench.enter('f', 500, 1);
    bench.switch(2, 1, 4);
    bench.leave(start, 5);
    assert_eq!(bench.finish(100), expected([(".>s", 1, 5), ("s>f", 1, 3)]));
}

#[test]
fn a_profile_may_end_inside_a_fiber() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    bench.enter('s', 90, 0);
    bench.recorder.fiber_created(2);
    bench.switch(1, 2, 1);
    bench.enter('f', 500, 2);
    assert_eq!(bench.finish(10), expected([(".>s", 1, 10), ("s>f", 1, 8)]));
}

#[test]
fn a_profile_may_begin_inside_a_fiber() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let (main, fiber) = (1, 2);
    let f = bench.enter('f', 500, 1);
    bench.leave(f, 2);
    bench.switch(fiber, main, 3);
    let a = bench.enter('a', 90, 4);
    bench.leave(a, 6);
    bench.switch(main, fiber, 7);
    let g = bench.enter('g', 500, 8);
    bench.leave(g, 9);
    bench.switch(fiber, main, 10);
    assert_eq!(
        bench.finish(11),
        expected([(".>f", 1, 1), (".>a", 1, 2), (".>g", 1, 1)])
    );
}

#[test]
fn a_fiber_that_begins_with_the_function_that_started_it_is_no_edge_to_itself() {
    let mut bench = Bench::new(ROOMY, ROOMY);
    let outer = bench.enter('f', 90, 0);
    bench.recorder.fiber_created(2);
    bench.switch(1, 2, 0);
    let inner = bench.enter('f', 500, 0);
    let g = bench.enter('g', 400, 0);
    bench.switch(2, 1, 0);
    bench.leave(outer, 0);
    // Neither the suspended fiber nor the ended one leaves a level behind.
    let again = bench.enter('f', 90, 0);
    bench.leave(again, 0);
    bench.switch(1, 2, 0);
    bench.leave(g, 0);
    bench.leave(inner, 0);
    bench.switch(2, 1, 0);
    let again = bench.enter('f', 90, 0);
    bench.leave(again, 0);
    let edges = expected([(".>f", 3, 0), ("f>f@1", 1, 0), ("f@1>g", 1, 0)]);
    assert_eq!(bench.finish(0), edges);
}
