//! Properties that hold for every program: calls and returns in any order.

use crate::amount::cases;
use std::cell::Cell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use recorder::{
    CallLine, CallSite, Plan, Reading, Recorder, ReusedTables, Shape, StackAddress, SymbolId,
    TickRate, Ticks,
};

use crate::hooks::{enter, leave};

struct All<const TREE: bool, const LINES: bool = false>;

impl<const TREE: bool, const LINES: bool> Plan for All<TREE, LINES> {
    const CPU: bool = true;
    const MEMORY: bool = true;
    const TREE: bool = TREE;
    const LINES: bool = LINES;
}

/// A call on the C stack, from a line.
struct Site(StackAddress, CallLine);

impl CallSite for Site {
    fn mark(&self) -> usize {
        self.0.mark()
    }

    fn is_stale(&self, open: usize) -> bool {
        self.0.is_stale(open)
    }

    fn line(&self, _: SymbolId) -> CallLine {
        self.1
    }
}

/// One step of a program: call a function, return, or leave several by a bailout.
#[derive(Debug, Clone)]
enum Step {
    Call(u32),
    Return,
    /// A fatal error that is caught this many frames further up.
    Bailout(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (2_u32..7).prop_map(Step::Call),
        4 => Just(Step::Return),
        1 => (1_usize..4).prop_map(Step::Bailout),
    ];
    prop::collection::vec(step, 0..400)
}

type Row = (u64, u64, u64, i64, i64);

/// Edges by caller and callee, each a symbol and a level.
type EdgeMap = BTreeMap<((u32, u32), (u32, u32)), Row>;

/// Runs a program; returns its edges and the root's cost.
fn run<const TREE: bool>(steps: &[Step]) -> (EdgeMap, Row) {
    run_in::<TREE, false>(ReusedTables::default(), steps).0
}

/// The same in the memory of an earlier profile; returns also what is left for the next.
fn run_in<const TREE: bool, const LINES: bool>(
    tables: ReusedTables,
    steps: &[Step],
) -> ((EdgeMap, Row), ReusedTables) {
    let shape = if TREE { Shape::Tree } else { Shape::Edges };
    let now = Cell::new(0_u64);
    // Every reading of the clock is later than the previous one.
    let read = || {
        now.set(now.get() + 1);
        let time = now.get();
        let bytes = i64::try_from(time % 13).unwrap_or(0) - 6;
        Reading {
            wall: Ticks(time * 3),
            cpu: Ticks(time * 2),
            memory: bytes,
            peak: bytes * 2,
        }
    };
    let mut recorder = Recorder::new_in(tables, shape, 1 << 20, 1 << 20, read);
    for _ in 2..7 {
        recorder.add_symbol();
    }
    let mut open = Vec::new();
    for (number, step) in (0_u32..).zip(steps) {
        match *step {
            Step::Call(symbol) => {
                let (file, line) = (number % 2, number % 5);
                let address = StackAddress(1_000_000 - open.len());
                let site = Site(address, CallLine { file, line });
                let call = enter::<All<TREE, LINES>>(&mut recorder, SymbolId(symbol), &site, read);
                open.push(call);
            }
            Step::Return => {
                if let Some(call) = open.pop() {
                    leave::<All<TREE, LINES>>(&mut recorder, call, read);
                }
            }
            Step::Bailout(frames) => open.truncate(open.len().saturating_sub(frames)),
        }
    }
    recorder.finish::<All<TREE, LINES>>(read());
    let rate = TickRate::NANOSECONDS;
    let row = |cost: profile::Cost| (cost.calls, cost.wall, cost.cpu, cost.memory, cost.peak);
    let end = |activation: profile::Activation| (activation.symbol.0, activation.level);
    let tree = if LINES {
        recorder.called_tree(rate, rate).map(|called| called.tree())
    } else {
        recorder.tree(rate, rate)
    };
    let tree = tree.map(|tree| tree.to_edges());
    let (table, tables) = match tree {
        Some(table) => (table, recorder.into_tables()),
        None => {
            let edges = recorder.into_edges(rate, rate);
            let table = edges.map(|edges| edges.to_table()).unwrap_or_default();
            (table, ReusedTables::default())
        }
    };
    let edges = table
        .edges
        .iter()
        .map(|edge| ((end(edge.caller), end(edge.callee)), row(edge.cost)));
    ((edges.collect(), row(table.root)), tables)
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn the_tree_folds_into_exactly_the_edges(steps in steps()) {
        prop_assert_eq!(run::<true>(&steps), run::<false>(&steps));
    }

    #[test]
    fn a_profile_in_the_memory_of_another_is_as_any(before in steps(), steps in steps()) {
        let tables = || run_in::<true, false>(ReusedTables::default(), &before).1;
        prop_assert_eq!(run_in::<true, false>(tables(), &steps).0, run::<true>(&steps));
        prop_assert_eq!(run_in::<false, false>(tables(), &steps).0, run::<false>(&steps));
    }

    #[test]
    fn lines_divide_paths_and_change_no_cost(steps in steps()) {
        let with_lines = run_in::<true, true>(ReusedTables::default(), &steps).0;
        prop_assert_eq!(with_lines, run::<true>(&steps));
    }

    #[test]
    fn no_function_costs_less_than_nothing_by_itself(steps in steps()) {
        let (edges, root) = run::<false>(&steps);
        let mut own: BTreeMap<(u32, u32), i128> = BTreeMap::new();
        own.insert((0, 0), i128::from(root.1));
        for ((caller, callee), row) in &edges {
            *own.entry(*callee).or_default() += i128::from(row.1);
            *own.entry(*caller).or_default() -= i128::from(row.1);
        }
        prop_assert!(own.values().all(|&own| own >= 0), "{:?}", own);
        prop_assert_eq!(own.values().sum::<i128>(), i128::from(root.1));
    }

    #[test]
    fn every_call_is_counted_once(steps in steps()) {
        let calls = steps.iter().filter(|step| matches!(step, Step::Call(_))).count();
        let (edges, _) = run::<false>(&steps);
        let counted: u64 = edges.values().map(|row| row.0).sum();
        prop_assert_eq!(counted, u64::try_from(calls).unwrap_or(0));
    }

    #[test]
    fn no_edge_leads_from_an_activation_to_itself(steps in steps()) {
        let (edges, _) = run::<false>(&steps);
        prop_assert!(edges.keys().all(|(caller, callee)| caller != callee));
    }
}
