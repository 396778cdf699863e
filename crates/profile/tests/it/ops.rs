//! Properties of the operations, checked on random profiles.

use crate::amount::cases;
use std::collections::{BTreeMap, HashSet};

use crate::strategies::{self, cost, edges, events, samples_body, symbols, tree, with_body};
use profile::{
    Body, Cost, Diff, EdgeTable, EstimateLimits, FlatTable, InvertLimits, Metric, Metrics,
    Neighbours, NodeId, Profile, SelfCost, SymbolId, Tree, critical_path, merge, pairs,
};
use proptest::prelude::*;

const MEASURED: Metrics = Metrics {
    calls: true,
    wall_unit: profile::WallUnit::Nanoseconds,
    cpu: true,
    memory: true,
};

fn of(body: Body) -> Profile {
    let mut profile = Profile::empty();
    profile.symbols = (0..strategies::SYMBOLS)
        .map(|number| profile::Symbol::new(format!("f{number}").into_bytes()))
        .collect();
    profile.metrics = MEASURED;
    profile.body = body;
    profile
}

/// Profiles of all shapes, whose symbols are in different orders.
fn mergeable() -> impl Strategy<Value = Profile> {
    let body = prop_oneof![
        4 => tree().prop_map(Body::Tree),
        2 => edges(cost).prop_map(Body::Edges),
        2 => samples_body(),
    ];
    (with_body(body), 0_usize..6, symbols()).prop_map(|(mut profile, turn, other)| {
        profile.symbols[1..].rotate_left(turn);
        for (symbol, other) in profile.symbols.iter_mut().zip(other).take(turn) {
            symbol.line = other.line;
        }
        profile.metrics.wall_unit = MEASURED.wall_unit;
        keep_sums_of_lines_in_range(&mut profile);
        profile
    })
}

/// A sum that ends at the largest number depends on the order.
fn keep_sums_of_lines_in_range(profile: &mut Profile) {
    const LARGEST: i64 = 1 << 60;
    let small = |cost: &mut SelfCost| {
        let SelfCost {
            wall,
            cpu,
            memory,
            peak,
        } = cost;
        for value in [wall, cpu, memory, peak] {
            *value %= LARGEST;
        }
    };
    for line in &mut profile.lines.list {
        line.calls %= LARGEST.cast_unsigned();
        for cost in [&mut line.own, &mut line.callees, &mut line.builtin] {
            small(cost);
        }
    }
    for calls in &mut profile.lines.calls {
        calls.calls %= LARGEST.cast_unsigned();
        small(&mut calls.cost);
    }
}

/// Each function's calls, inclusive and own costs, by name.
fn table(profile: &Profile) -> BTreeMap<Vec<u8>, (Cost4, u64, SelfCost4)> {
    let rows = FlatTable::new(profile).rows.into_iter();
    rows.map(|row| {
        let (all, own) = (row.inclusive, row.own);
        let name = profile.name(row.symbol).to_vec();
        (name, (four(all), all.calls, four_own(own)))
    })
    .collect()
}

type Cost4 = (u64, u64, i64, i64);
type SelfCost4 = (i64, i64, i64, i64);

fn four(cost: Cost) -> Cost4 {
    (cost.wall, cost.cpu, cost.memory, cost.peak)
}

fn four_own(own: SelfCost) -> SelfCost4 {
    (own.wall, own.cpu, own.memory, own.peak)
}

/// What all calls of each caller and callee cost, levels aside.
fn raw_pairs(table: &EdgeTable) -> BTreeMap<(u32, u32), (u64, Cost4)> {
    let mut sums: BTreeMap<(u32, u32), Cost> = BTreeMap::new();
    for edge in &table.edges {
        let pair = (edge.caller.symbol.0, edge.callee.symbol.0);
        *sums.entry(pair).or_default() += edge.cost;
    }
    sums.retain(|_, cost| *cost != Cost::default());
    sums.into_iter()
        .map(|(pair, cost)| (pair, (cost.calls, four(cost))))
        .collect()
}

fn total_own(tree: &Tree) -> SelfCost {
    let mut total = SelfCost::default();
    for own in tree.self_costs() {
        total += own;
    }
    total
}

fn signed(cost: Cost) -> SelfCost4 {
    (
        cost.wall.cast_signed(),
        cost.cpu.cast_signed(),
        cost.memory,
        cost.peak,
    )
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn the_table_of_a_tree_is_that_of_its_edges(tree in tree()) {
        let folded = of(Body::Edges(tree.to_edges()));
        prop_assert_eq!(signed(tree.root_cost()), four_own(total_own(&tree)));
        let tree = of(Body::Tree(tree));
        prop_assert_eq!(FlatTable::new(&tree), FlatTable::new(&folded));
    }

    #[test]
    fn merging_does_not_depend_on_the_order(
        one in mergeable(),
        two in mergeable(),
        three in mergeable(),
    ) {
        let both = |one: &Profile, other: &Profile| merge([one, other]).unwrap();
        let expected = merge([&one, &two, &three]).unwrap().canonical();
        prop_assert_eq!(&both(&both(&one, &two), &three).canonical(), &expected);
        prop_assert_eq!(&both(&one, &both(&two, &three)).canonical(), &expected);
        prop_assert_eq!(&merge([&three, &one, &two]).unwrap().canonical(), &expected);
        prop_assert_eq!(both(&one, &two).canonical(), both(&two, &one).canonical());
    }

    #[test]
    fn merged_trees_fold_into_merged_edges(one in tree(), other in tree()) {
        let trees = [&one, &other].map(|tree| of(Body::Tree(tree.clone())));
        let folded = [&one, &other].map(|tree| of(Body::Edges(tree.to_edges())));
        let tree = merge(&trees).unwrap();
        let mut edges = merge(&folded).unwrap();
        prop_assert_eq!(table(&tree), table(&edges));
        edges.body = Body::Edges(edges.edges().into_owned());
        let mut tree_edges = tree.clone();
        tree_edges.body = Body::Edges(tree.edges().into_owned());
        prop_assert_eq!(tree_edges.canonical(), edges.canonical());
        let mixed = merge([&trees[0], &folded[1]]).unwrap();
        prop_assert_eq!(table(&mixed), table(&tree));
    }

    #[test]
    fn the_canonical_order_changes_nothing_and_is_one(profile in mergeable()) {
        let canonical = profile.clone().canonical();
        prop_assert_eq!(table(&canonical), table(&profile));
        prop_assert_eq!(canonical.clone().canonical(), canonical);
    }

    #[test]
    fn the_difference_to_itself_is_zero(profile in mergeable(), runs in 1_usize..4) {
        let side = vec![&profile; runs];
        for diff in [Diff::new(&profile, &profile), Diff::of_many(&side, &side)] {
            let functions = diff.functions.iter().flat_map(|function| [function.inclusive, function.own]);
            let changes = functions.chain(diff.edges.iter().map(|edge| edge.cost)).chain([diff.total]);
            for change in changes.flat_map(|change| Metric::ALL.map(|metric| change.of(metric))) {
                prop_assert_eq!(change.absolute(), 0.0);
                prop_assert!(change.is_within_spread());
                prop_assert_eq!(change.base.spread, 0.0);
            }
        }
    }

    #[test]
    fn differences_are_those_of_the_tables_and_change_sign(one in mergeable(), other in mergeable()) {
        let there = Diff::new(&one, &other);
        let back = Diff::new(&other, &one);
        let find = |profile: &Profile, name: &[u8]| table(profile).get(name).copied().unwrap_or_default();
        prop_assert_eq!(there.functions.len(), back.functions.len());
        for function in &there.functions {
            let name = there.name(function.symbol);
            let (base, new) = (find(&one, name), find(&other, name));
            let own = function.own.of(Metric::Wall);
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let expected = (new.2.0 - base.2.0) as f64;
            prop_assert_eq!(own.absolute(), expected);
            let same = back.functions.iter().find(|function| back.name(function.symbol) == name).unwrap();
            prop_assert_eq!(same.own.of(Metric::Wall).absolute(), -expected);
        }
    }

    #[test]
    fn upside_down_every_function_costs_what_the_table_says(
        tree in tree(),
        depth in 0_usize..5,
        nodes in 0_usize..300,
    ) {
        for limits in [InvertLimits::default(), InvertLimits { depth, nodes }] {
            let inverted = tree.inverted(limits);
            let profile = of(Body::Tree(tree.clone()));
            let tops = inverted.nodes.iter().skip(1).filter(|node| node.parent == NodeId::ROOT);
            let found: BTreeMap<_, _> = tops
                .map(|node| (profile.name(node.symbol).to_vec(), (four(node.inclusive), node.inclusive.calls, four_own(node.own))))
                .filter(|(_, row)| *row != Default::default())
                .collect();
            prop_assert_eq!(found, table(&profile));
            prop_assert_eq!(four_own(inverted.nodes[0].own), signed(tree.root_cost()));
        }
        // Every frame of every path once: callers add up to what they call.
        let inverted = tree.inverted(InvertLimits { depth: 999, nodes: usize::MAX });
        let mut own: Vec<_> = inverted.nodes.iter().map(|node| node.own).collect();
        for node in inverted.nodes.iter().skip(1) {
            own[node.parent.index()].wall -= node.own.wall;
        }
        for (node, left) in inverted.nodes.iter().zip(own).skip(1) {
            // A path ends at the root, and only there.
            let expected = if node.symbol == SymbolId::ROOT { node.own.wall } else { 0 };
            prop_assert_eq!(left.wall, expected);
        }
    }

    #[test]
    fn folding_recursion_keeps_every_functions_costs(tree in tree()) {
        let folded = tree.with_recursion_folded();
        for number in 0..folded.nodes.len() {
            let path = folded.path(NodeId(u32::try_from(number).unwrap()));
            let unique: HashSet<_> = path.iter().collect();
            prop_assert_eq!(unique.len(), path.len());
        }
        let canonical = |tree: &Tree| of(Body::Tree(tree.clone())).canonical();
        prop_assert_eq!(canonical(&folded.with_recursion_folded()), canonical(&folded));
        prop_assert_eq!(folded.root_cost(), tree.root_cost());
        let (before, after) = (table(&of(Body::Tree(tree))), table(&of(Body::Tree(folded))));
        for (name, (inclusive, calls, own)) in before {
            let (less, same_calls, same_own) = after.get(&name).copied().unwrap_or_default();
            prop_assert_eq!((calls, own), (same_calls, same_own));
            prop_assert!(less.0 <= inclusive.0 && less.0.cast_signed() >= own.0);
        }
    }

    #[test]
    fn a_focus_costs_what_the_function_does(tree in tree(), symbol in 1..strategies::SYMBOLS) {
        let is_it = |candidate: SymbolId| candidate.0 == symbol;
        let focused = tree.focused(is_it);
        let whole = table(&of(Body::Tree(tree)));
        let name = format!("f{symbol}").into_bytes();
        let inclusive = whole.get(&name).copied().unwrap_or_default().0;
        prop_assert_eq!(four(focused.root_cost()), inclusive);
    }

    #[test]
    fn what_is_left_out_is_in_other(
        profile in mergeable(),
        metric in prop::sample::select(Metric::ALL.to_vec()),
        percent in 0.0_f64..101.0,
    ) {
        let small = profile.without_small(metric, percent);
        let (before, after) = (FlatTable::new(&profile), FlatTable::new(&small));
        prop_assert_eq!(before.total, after.total);
        let sum = |table: &FlatTable| {
            let mut total = SelfCost::default();
            for row in &table.rows {
                total += row.own;
            }
            four_own(total)
        };
        prop_assert_eq!(sum(&before), sum(&after));
        let nothing = profile.without_small(metric, 0.0);
        prop_assert_eq!(table(&nothing), table(&profile));
    }

    #[test]
    fn callers_add_up_to_the_function(tree in tree()) {
        let profile = of(Body::Tree(tree));
        let edges = profile.edges();
        for row in FlatTable::new(&profile).rows.iter().skip(1) {
            let neighbours = Neighbours::new(&edges, row.symbol);
            let mut sum = Cost::default();
            for caller in &neighbours.callers {
                sum += caller.cost;
            }
            prop_assert_eq!(sum, row.inclusive);
            for callee in &neighbours.callees {
                prop_assert!(callee.cost.wall <= row.inclusive.wall);
            }
        }
        let calls: u64 = pairs(&edges).iter().map(|pair| pair.cost.calls).sum();
        prop_assert_eq!(calls + edges.root.calls, edges.calls());
    }

    #[test]
    fn the_critical_path_only_gets_cheaper(tree in tree()) {
        let profile = of(Body::Tree(tree));
        let steps = critical_path(&profile, Metric::Wall);
        prop_assert_eq!(steps[0].cost, profile.edges().root);
        prop_assert!(steps.windows(2).all(|pair| pair[1].cost.wall <= pair[0].cost.wall));
    }

    /// Folded again, an estimate has the same callers and callees at the same costs.
    #[test]
    fn an_estimate_folds_back_into_its_edges(
        table in prop_oneof![tree().prop_map(|tree| tree.to_edges()), edges(cost)],
        nodes in prop_oneof![Just(2_000), 0_usize..40],
        depth in prop_oneof![Just(200), 0_usize..5],
    ) {
        let edges = of(Body::Edges(table.clone()));
        let limits = EstimateLimits { nodes, depth };
        let estimate = edges.estimated(limits);
        prop_assert!(estimate.meta.is_estimated);
        prop_assert_eq!(&estimate, &edges.estimated(limits));
        let folded = estimate.edges();
        prop_assert_eq!(folded.root, table.root);
        prop_assert_eq!(raw_pairs(&folded), raw_pairs(&table));
        prop_assert!(estimate.tree().unwrap().nodes.len() <= nodes + 2 * table.edges.len() + 60);
        let own = |profile: &Profile| -> BTreeMap<_, _> {
            let rows = FlatTable::new(profile).rows.into_iter();
            rows.map(|row| (row.symbol, (row.inclusive.calls, four_own(row.own))))
                .filter(|(_, row)| *row != Default::default())
                .collect()
        };
        prop_assert_eq!(own(&estimate), own(&edges));
    }

    /// Where each function has one caller, the estimate is exact.
    #[test]
    fn an_estimate_of_unambiguous_edges_is_right(parents in prop::collection::vec(any::<prop::sample::Index>(), 1..40)) {
        let mut builder = profile::TreeBuilder::new();
        for (number, parent) in (1..).zip(&parents) {
            let parent = NodeId(u32::try_from(parent.index(builder.len())).unwrap());
            let node = builder.child(parent, SymbolId(number));
            *builder.cost(node) += Cost { calls: 1, wall: u64::from(number), ..Cost::default() };
        }
        let tree = builder.finish_self_costs();
        let mut profile = Profile::empty();
        profile.symbols.extend((1..=parents.len()).map(|number| profile::Symbol::new(format!("{number}").into_bytes())));
        let mut edges = profile.clone();
        profile.body = Body::Tree(tree.clone());
        edges.body = Body::Edges(tree.to_edges());
        let mut estimate = edges.estimated(EstimateLimits::default());
        estimate.meta = profile.meta.clone();
        prop_assert_eq!(estimate.canonical(), profile.canonical());
    }

    #[test]
    fn events_fold_like_their_tree(events in events()) {
        let tree = of(Body::Tree(events.to_tree()));
        prop_assert_eq!(table(&of(Body::Events(events))), table(&tree));
    }
}
