//! Properties of the data, checked on random call trees.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use crate::amount::cases;
use std::collections::{BTreeMap, HashMap};

use profile::classic;
use profile::{
    Activation, Body, Cost, Edge, EdgeTable, FlatTable, Metrics, Profile, Symbol, SymbolId,
};
use proptest::prelude::*;

/// A call of one function with its own cost, and the calls it made.
#[derive(Debug, Clone)]
struct Call {
    symbol: u32,
    wall: u64,
    cpu: u64,
    memory: i64,
    callees: Vec<Call>,
}

fn call() -> impl Strategy<Value = Call> {
    // Few names, so that there is recursion; self times around the rounding.
    let own = (
        1_u32..6,
        prop_oneof![Just(0), 0_u64..3_000],
        0_u64..3_000,
        -500_i64..500,
    );
    let leaf = own.clone().prop_map(|own| with_callees(own, Vec::new()));
    leaf.prop_recursive(8, 200, 8, move |inner| {
        (own.clone(), prop::collection::vec(inner, 0..8))
            .prop_map(|(own, callees)| with_callees(own, callees))
    })
}

fn with_callees((symbol, wall, cpu, memory): (u32, u64, u64, i64), callees: Vec<Call>) -> Call {
    Call {
        symbol,
        wall,
        cpu,
        memory,
        callees,
    }
}

/// Folds a tree into edges by walking over it: the definition, not the fast
/// algorithm.
fn folded(root: &Call) -> Profile {
    fn walk(
        call: &Call,
        caller: Activation,
        open: &mut HashMap<u32, u32>,
        places: &mut HashMap<(Activation, Activation), usize>,
        edges: &mut Vec<Edge>,
    ) -> Cost {
        let level = open.entry(call.symbol).or_insert(0);
        let callee = Activation {
            symbol: SymbolId(call.symbol),
            level: *level,
        };
        *level += 1;
        let mut cost = Cost {
            calls: 0,
            wall: call.wall,
            cpu: call.cpu,
            memory: call.memory,
            peak: 0,
        };
        for inner in &call.callees {
            cost += walk(inner, callee, open, places, edges);
        }
        *open.get_mut(&call.symbol).unwrap() -= 1;
        let place = *places.entry((caller, callee)).or_insert_with(|| {
            edges.push(Edge {
                caller,
                callee,
                cost: Cost::default(),
            });
            edges.len() - 1
        });
        edges[place].cost += Cost { calls: 1, ..cost };
        cost
    }

    let (mut open, mut places, mut edges) = (HashMap::new(), HashMap::new(), Vec::new());
    let mut cost = Cost {
        calls: 1,
        wall: root.wall,
        cpu: root.cpu,
        memory: root.memory,
        peak: 0,
    };
    for inner in &root.callees {
        cost += walk(inner, EdgeTable::ROOT, &mut open, &mut places, &mut edges);
    }
    let names = ["main()", "a", "b\\C::d", "e@1", "{closure}", "f"];
    Profile {
        symbols: names
            .iter()
            .map(|name| Symbol::new(name.as_bytes()))
            .collect(),
        body: Body::Edges(EdgeTable { root: cost, edges }),
        metrics: Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        },
        ..Profile::empty()
    }
}

fn rows(profile: &Profile) -> Vec<(Vec<u8>, classic::ClassicCost)> {
    let mut rows = Vec::new();
    classic::for_each_row(profile, |key, cost| rows.push((key.to_vec(), *cost)));
    rows
}

/// Self times as a reader of the rows derives them: by name and level.
fn derived_self_times(profile: &Profile) -> BTreeMap<Vec<u8>, (i64, i64)> {
    let mut own: BTreeMap<Vec<u8>, (i64, i64)> = BTreeMap::new();
    for (key, cost) in rows(profile) {
        let (wall, cpu) = (
            cost.wall_us.cast_signed(),
            cost.cpu_us.unwrap().cast_signed(),
        );
        let at = key.windows(3).position(|window| window == b"==>");
        let callee = at.map_or(&key[..], |at| &key[at + 3..]);
        let times = own.entry(callee.to_vec()).or_default();
        *times = (times.0 + wall, times.1 + cpu);
        if let Some(at) = at {
            let times = own.entry(key[..at].to_vec()).or_default();
            *times = (times.0 - wall, times.1 - cpu);
        }
    }
    own
}

/// The largest difference between a row's time and the exact one, in ns.
fn largest_error(profile: &Profile) -> u64 {
    let table = profile.edges();
    let exact = table.edges.iter().map(|edge| edge.cost).chain([table.root]);
    let errors = rows(profile)
        .into_iter()
        .zip(exact)
        .flat_map(|((_, row), exact)| {
            [
                (row.wall_us * 1_000).abs_diff(exact.wall),
                (row.cpu_us.unwrap() * 1_000).abs_diff(exact.cpu),
            ]
        });
    errors.max().unwrap_or(0)
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn rounded_self_times_are_never_negative_and_add_up_to_the_root(root in call()) {
        let profile = folded(&root);
        let own = derived_self_times(&profile);
        for (name, &(wall, cpu)) in &own {
            prop_assert!(wall >= 0 && cpu >= 0, "{}: {wall} {cpu}", name.escape_ascii());
        }
        let main = rows(&profile).pop().unwrap().1;
        prop_assert_eq!(own.values().map(|own| own.0).sum::<i64>(), main.wall_us.cast_signed());
        prop_assert_eq!(own.values().map(|own| own.1).sum::<i64>(), main.cpu_us.unwrap().cast_signed());
    }

    /// Half a microsecond for rounding a row, and at most that again for every
    /// row below it, should all of them be rounded the same way.
    #[test]
    fn rounding_errors_have_a_bound(root in call()) {
        let profile = folded(&root);
        let bound = 500 + 1_000 * profile.edges().edges.len() as u64;
        prop_assert!(largest_error(&profile) <= bound);
    }

    #[test]
    fn self_costs_add_up_to_the_root(root in call()) {
        let profile = folded(&root);
        let table = FlatTable::new(&profile);
        let total = |of: fn(&profile::SelfCost) -> i64| -> i64 {
            table.rows.iter().map(|row| of(&row.own)).sum()
        };
        prop_assert_eq!(total(|own| own.wall), profile.edges().root.wall.cast_signed());
        prop_assert_eq!(total(|own| own.cpu), profile.edges().root.cpu.cast_signed());
        prop_assert_eq!(total(|own| own.memory), profile.edges().root.memory);
    }

    #[test]
    fn no_function_costs_more_than_the_root(root in call()) {
        let profile = folded(&root);
        for row in FlatTable::new(&profile).rows {
            prop_assert!(row.inclusive.wall <= profile.edges().root.wall);
            prop_assert!(row.own.wall <= row.inclusive.wall.cast_signed());
            prop_assert!(row.own.wall >= 0);
        }
    }

    #[test]
    fn the_table_agrees_with_the_tree(root in call()) {
        /// Inclusive wall time of the outermost calls of `symbol`, and all its calls.
        fn count(call: &Call, symbol: u32, is_inside: bool) -> (u64, u64) {
            fn wall(call: &Call) -> u64 {
                call.wall + call.callees.iter().map(wall).sum::<u64>()
            }
            let is_it = call.symbol == symbol;
            let mut sum = (0, u64::from(is_it));
            if is_it && !is_inside {
                sum.0 = wall(call);
            }
            for callee in &call.callees {
                let inner = count(callee, symbol, is_inside || is_it);
                sum = (sum.0 + inner.0, sum.1 + inner.1);
            }
            sum
        }
        let main = Call { symbol: 0, ..root };
        for row in FlatTable::new(&folded(&main)).rows {
            let found = (row.inclusive.wall, row.inclusive.calls);
            prop_assert_eq!(found, count(&main, row.symbol.0, false));
        }
    }
}

/// A fixed sequence: the same trees on every machine and every day.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn call(&mut self, depth: u32) -> Call {
        let callees = if depth == 0 { 0 } else { self.below(6) };
        Call {
            symbol: u32::try_from(1 + self.below(5)).unwrap(),
            wall: self.below(4_000),
            cpu: self.below(4_000),
            memory: 0,
            callees: (0..callees).map(|_| self.call(depth - 1)).collect(),
        }
    }
}

#[test]
fn rows_of_ordinary_trees_are_exact_to_a_few_microseconds() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut worst = 0;
    for _ in 0..2_000 {
        worst = worst.max(largest_error(&folded(&random.call(5))));
    }
    assert!(worst <= 3_000, "{worst} ns");
    // Otherwise no row was settled, and the test checks nothing.
    assert!(worst > 500, "{worst} ns");
}
