//! Adaptive timing in any program: what it must not change, and what must add up.

use crate::amount::cases;
use std::collections::BTreeMap;

use crate::adaptive_machine::{Exact, Finished, Machine, Shaped};
use profile::{Activation, EdgeTable};
use proptest::prelude::*;
use recorder::Plan;

/// One step of a program.
#[derive(Debug, Clone)]
enum Step {
    Call(u32),
    Return,
    /// A loop of calls that make no call, each so long.
    Leaves(u32, u32, u64),
    /// A fatal error that is caught this many frames further up, maybe in a call that
    /// is not timed.
    Bailout(usize, bool),
    /// A fiber that makes calls, and is suspended in one of them.
    Fiber(u32, u32),
    /// Time passes while nothing is recorded; calls return meanwhile.
    Pause(usize),
    Snapshot,
    Allocate(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let symbol = || 2_u32..7;
    let step = prop_oneof![
        6 => symbol().prop_map(Step::Call),
        5 => Just(Step::Return),
        6 => (symbol(), 1_u32..120, 1_u64..40).prop_map(|(a, b, c)| Step::Leaves(a, b, c)),
        1 => (1_usize..4, any::<bool>()).prop_map(|(a, b)| Step::Bailout(a, b)),
        1 => (symbol(), 1_u32..60).prop_map(|(a, b)| Step::Fiber(a, b)),
        1 => (0_usize..3).prop_map(Step::Pause),
        1 => Just(Step::Snapshot),
        1 => (-9_i64..99).prop_map(Step::Allocate),
    ];
    prop::collection::vec(step, 0..120)
}

fn run<P: Plan>(steps: &[Step], max_depth: usize) -> Finished {
    let mut machine = Machine::<P>::limited(7, max_depth);
    for _ in 2..7 {
        machine.function();
    }
    let mut fibers = 10;
    for step in steps {
        machine.pass(1);
        match *step {
            Step::Call(symbol) => {
                machine.enter(symbol);
            }
            Step::Return => machine.leave(),
            Step::Leaves(symbol, calls, ticks) => {
                for _ in 0..calls {
                    machine.leaf(symbol, ticks);
                    machine.pass(3);
                }
            }
            Step::Bailout(frames, in_a_leaf) => {
                if in_a_leaf && machine.enter(2) {
                    machine.bail_out(1);
                }
                machine.pass(5);
                machine.bail_out(frames);
            }
            Step::Fiber(symbol, calls) => {
                fibers += 1;
                machine.in_a_fiber(fibers, |machine| {
                    for _ in 0..calls {
                        machine.leaf(symbol, 9);
                    }
                    machine.enter(symbol);
                    machine.pass(2);
                });
            }
            Step::Pause(returns) => machine.pause(returns),
            Step::Snapshot => {
                let snapshot = machine.snapshot();
                check_sums(&snapshot.table);
            }
            Step::Allocate(bytes) => machine.allocate(bytes),
        }
    }
    machine.finish()
}

/// The calls and the memory of each edge, in order.
fn exact_part(table: &EdgeTable) -> Vec<(Activation, Activation, u64, i64, i64)> {
    let edges = table.edges.iter();
    edges
        .map(|edge| {
            let cost = edge.cost;
            (edge.caller, edge.callee, cost.calls, cost.memory, cost.peak)
        })
        .collect()
}

/// No function takes less than nothing by itself, and all together take all time.
fn check_sums(table: &EdgeTable) {
    for clock in [
        |cost: &profile::Cost| cost.wall,
        |cost: &profile::Cost| cost.cpu,
    ] {
        let mut own: BTreeMap<Activation, i128> = BTreeMap::new();
        own.insert(EdgeTable::ROOT, i128::from(clock(&table.root)));
        for edge in &table.edges {
            *own.entry(edge.callee).or_default() += i128::from(clock(&edge.cost));
            *own.entry(edge.caller).or_default() -= i128::from(clock(&edge.cost));
        }
        assert!(own.values().all(|&own| own >= 0), "{own:?}");
        assert_eq!(own.values().sum::<i128>(), i128::from(clock(&table.root)));
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn edges_counts_and_memory_are_those_of_exact_timing(steps in steps(), depth in 3_usize..40) {
        let (exact, adaptive) = (run::<Exact<false>>(&steps, depth), run::<Shaped<false>>(&steps, depth));
        prop_assert_eq!(exact_part(&adaptive.table), exact_part(&exact.table));
        prop_assert_eq!(adaptive.table.root, exact.table.root);
        check_sums(&adaptive.table);
    }

    #[test]
    fn so_are_those_of_a_tree(steps in steps(), depth in 3_usize..40) {
        let (exact, adaptive) = (run::<Exact<true>>(&steps, depth), run::<Shaped<true>>(&steps, depth));
        prop_assert_eq!(exact_part(&adaptive.table), exact_part(&exact.table));
        prop_assert_eq!(adaptive.table.root, exact.table.root);
        check_sums(&adaptive.table);
        let own = adaptive.tree.unwrap_or_default().self_costs();
        prop_assert!(own.iter().all(|own| own.wall >= 0 && own.cpu >= 0));
    }
}

#[test]
fn a_call_that_calls_is_timed_from_there_on() {
    let mut machine = Machine::<Shaped<false>>::new(1);
    let (outer, inner) = (machine.function(), machine.function());
    machine.pass(100_000_000);
    for _ in 0..1_000 {
        machine.leaf(outer, 50);
    }
    // From now on it calls.
    for _ in 0..1_000 {
        machine.enter(outer);
        machine.pass(50);
        machine.leaf(inner, 5_000);
        machine.leave();
    }
    let profile = machine.finish();
    let (outer_row, inner_row) = (profile.row(0, outer), profile.row(outer, inner));
    assert_eq!((outer_row.calls, inner_row.calls), (2_000, 1_000));
    // All of the callee's time is in the caller's; what is missing is the 50 ticks
    // before the call that turned out to be none of a leaf.
    assert_eq!(inner_row.wall, 5_000_000);
    let real = 1_000 * 50 + 1_000 * 5_050;
    assert!(
        outer_row.wall <= real && outer_row.wall + 50 >= real,
        "{outer_row:?}"
    );
    assert!(
        outer_row.untimed > 900 && outer_row.untimed < 1_000,
        "{outer_row:?}"
    );
    assert!(outer_row.margin >= 50, "{outer_row:?}");
}

#[test]
fn a_long_function_is_always_timed() {
    let mut machine = Machine::<Shaped<true>>::new(1);
    let leaf = machine.function();
    for _ in 0..5_000 {
        machine.leaf(leaf, 5_000);
    }
    let row = machine.finish().row(0, leaf);
    assert_eq!((row.calls, row.untimed, row.wall), (5_000, 0, 25_000_000));
}

#[test]
fn an_untimed_call_reads_no_clock() {
    let mut machine = Machine::<Shaped<true>>::new(1);
    let leaf = machine.function();
    machine.pass(1_000_000_000);
    for _ in 0..100_000 {
        machine.leaf(leaf, 50);
    }
    assert!(machine.readings() < 5_000, "{}", machine.readings());
}

#[test]
fn estimates_fit_into_their_caller() {
    // The timed calls of a callee are slow by chance: the estimate of the others would
    // be more than its caller took.
    let mut machine = Machine::<Shaped<false>>::new(1);
    let (outer, inner) = (machine.function(), machine.function());
    machine.pass(1_000_000_000);
    machine.enter(outer);
    for _ in 0..2_000 {
        let timed = machine.readings();
        machine.enter(inner);
        let is_timed = machine.readings() > timed;
        machine.pass(if is_timed { 100 } else { 1 });
        machine.leave();
    }
    machine.leave();
    let profile = machine.finish();
    check_sums(&profile.table);
    let (outer_row, inner_row) = (profile.row(0, outer), profile.row(outer, inner));
    assert!(inner_row.wall <= outer_row.wall, "{inner_row:?}");
    assert!(
        inner_row.wall + 100 > outer_row.wall,
        "nothing is left to the caller"
    );
    let real = outer_row.wall;
    // What was cut is part of the error.
    assert!(inner_row.margin > 190_000 - real, "{inner_row:?} in {real}");
}

/// Runs of a garbage collector in the caller, or in calls that are not timed: some are
/// a thousand times as long as the call.
#[test]
fn a_long_time_whose_ends_are_noted_belongs_to_the_call_in_which_it_passed() {
    let collect = |machine: &mut Machine<Shaped<true>>| {
        machine.note_instant();
        machine.pass(60_000);
        machine.note_instant();
    };
    for in_the_leaf in [false, true] {
        let mut machine = Machine::<Shaped<true>>::new(1);
        let (outer, leaf) = (machine.function(), machine.function());
        machine.enter(outer);
        machine.pass(100_000_000);
        for call in 0..50_000 {
            machine.enter(leaf);
            machine.pass(60);
            let collects = call % 5_000 == 4_999;
            if collects && in_the_leaf {
                collect(&mut machine);
            }
            machine.leave();
            machine.pass(20);
            if collects && !in_the_leaf {
                collect(&mut machine);
            }
        }
        machine.leave();
        let row = machine.finish().row(outer, leaf);
        let real = 50_000 * 60 + if in_the_leaf { 10 * 60_000 } else { 0 };
        assert_eq!(row.calls, 50_000);
        assert!(row.untimed > 25_000, "{row:?}");
        assert!(row.wall.abs_diff(real) < 2_000, "{row:?} instead of {real}");
    }
}
