//! The errors of estimates after each operation, checked against what happens to
//! the results when one row changes: a result that changes by `a` nanoseconds
//! for each nanosecond of a row has `a²` of the row's variance.

use crate::amount::cases;
use std::collections::BTreeMap;

use crate::strategies::{SYMBOLS, cost, edges, tree};
use profile::{
    Body, Diff, EdgeTable, Estimate, FlatTable, Metric, Neighbours, NodeId, Profile, SymbolId,
    Timing, Tree, Variance, merge, pairs,
};
use proptest::prelude::*;

fn of(body: Body) -> Profile {
    let mut profile = Profile::empty();
    let symbols = (1..SYMBOLS).map(|number| format!("f{number}").into_bytes());
    profile.symbols.extend(symbols.map(profile::Symbol::new));
    profile.metrics.cpu = true;
    profile.metrics.memory = true;
    profile.meta.timing = Timing::Adaptive;
    profile.body = body;
    profile
}

/// Trees of at least 100 ns a node, so that no time is cut off at zero.
fn long_tree() -> impl Strategy<Value = Tree> {
    tree().prop_map(|mut tree| {
        for node in (0..tree.nodes.len()).rev() {
            let mut at = node;
            loop {
                tree.nodes[at].cost.wall += 100;
                if at == 0 {
                    break;
                }
                at = tree.nodes[at].parent.index();
            }
        }
        tree
    })
}

/// The variance of each result, from how each changes with each estimated row.
fn expected<K: Ord + Copy>(
    tree: &Tree,
    results: impl Fn(&Tree) -> BTreeMap<K, i64>,
) -> BTreeMap<K, u128> {
    let before = results(tree);
    let mut variances: BTreeMap<K, u128> = BTreeMap::new();
    for (row, estimate) in tree.estimates.iter() {
        let mut changed = tree.clone();
        changed.nodes[row as usize].cost.wall += 1;
        for (key, after) in results(&changed) {
            let change = (after - before[&key]).unsigned_abs();
            let square = u128::from(change * change);
            let sum = variances.entry(key).or_default();
            *sum = sum.saturating_add(square.saturating_mul(estimate.variance.wall));
        }
    }
    variances.retain(|_, variance| *variance != 0);
    variances
}

fn nodes(tree: &Tree) -> BTreeMap<u32, i64> {
    let walls = tree.nodes.iter().map(|node| node.cost.wall.cast_signed());
    (0..).zip(walls).collect()
}

fn own_of_nodes(tree: &Tree) -> BTreeMap<u32, i64> {
    let own = tree.self_costs().into_iter().map(|own| own.wall);
    (0..).zip(own).collect()
}

fn walls<K: Ord>(variances: impl Iterator<Item = (K, Variance)>) -> BTreeMap<K, u128> {
    let walls = variances.map(|(key, variance)| (key, variance.wall));
    walls.filter(|(_, variance)| *variance != 0).collect()
}

fn inclusive(tree: &Tree) -> BTreeMap<u32, u128> {
    let rows = tree.estimates.iter();
    walls(rows.map(|(row, estimate)| (row, estimate.variance)))
}

/// The calls of each function that were not timed.
fn untimed(tree: &Tree) -> BTreeMap<SymbolId, u64> {
    let mut untimed = BTreeMap::new();
    for (row, estimate) in tree.estimates.iter() {
        *untimed.entry(tree[NodeId(row)].symbol).or_default() += estimate.untimed;
    }
    untimed.retain(|_, calls| *calls != 0);
    untimed
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn functions(tree in long_tree()) {
        let flat = |tree: &Tree| FlatTable::of_tree(tree, SYMBOLS as usize);
        let of_all = |tree: &Tree, value: fn(&profile::FlatRow) -> i64| -> BTreeMap<SymbolId, i64> {
            flat(tree).rows.iter().map(|row| (row.symbol, value(row))).collect()
        };
        let found = flat(&tree).estimates;
        let own = |tree: &Tree| of_all(tree, |row| row.own.wall);
        prop_assert_eq!(walls(found.iter().map(|(symbol, it)| (*symbol, it.own))), expected(&tree, own));
        let inclusive = |tree: &Tree| of_all(tree, |row| row.inclusive.wall.cast_signed());
        let all = walls(found.iter().map(|(symbol, it)| (*symbol, it.inclusive)));
        prop_assert_eq!(all, expected(&tree, inclusive));
        let calls = found.iter().map(|(symbol, it)| (*symbol, it.untimed)).filter(|(_, calls)| *calls > 0);
        prop_assert_eq!(calls.collect::<BTreeMap<_, _>>(), untimed(&tree));
    }

    #[test]
    fn self_costs(tree in long_tree()) {
        prop_assert_eq!(walls(tree.self_variances().into_iter()), expected(&tree, own_of_nodes));
    }

    #[test]
    fn edges_of_a_tree(tree in long_tree()) {
        let ends = |table: &EdgeTable| -> Vec<_> { table.edges.iter().map(|edge| (edge.caller, edge.callee)).collect() };
        let table = tree.to_edges();
        let keys = ends(&table);
        let costs = |tree: &Tree| -> BTreeMap<_, i64> {
            let edges = tree.to_edges().edges.into_iter();
            edges.map(|edge| ((edge.caller, edge.callee), edge.cost.wall.cast_signed())).collect()
        };
        let found = table.estimates.iter().map(|(row, estimate)| (keys[row as usize], estimate.variance));
        prop_assert_eq!(walls(found), expected(&tree, costs));
        prop_assert_eq!(table.estimates.untimed(), tree.estimates.untimed());
    }

    #[test]
    fn pairs_and_neighbours(tree in long_tree(), symbol in 1..SYMBOLS) {
        let costs = |tree: &Tree| -> BTreeMap<_, i64> {
            let pairs = pairs(&tree.to_edges()).into_iter();
            pairs.map(|pair| ((pair.caller, pair.callee), pair.cost.wall.cast_signed())).collect()
        };
        let found = pairs(&tree.to_edges()).into_iter();
        let found = found.map(|pair| ((pair.caller, pair.callee), pair.estimate.variance));
        prop_assert_eq!(walls(found), expected(&tree, costs));
        for (is_callers, list) in [(true, false), (false, true)] {
            let neighbours = |tree: &Tree| {
                let it = Neighbours::new(&tree.to_edges(), SymbolId(symbol));
                if list { it.callees } else { it.callers }
            };
            let costs = |tree: &Tree| -> BTreeMap<_, i64> {
                let list = neighbours(tree).into_iter();
                list.map(|it| (it.symbol, it.cost.wall.cast_signed())).collect()
            };
            let found = neighbours(&tree).into_iter().map(|it| (it.symbol, it.estimate.variance));
            prop_assert_eq!(walls(found), expected(&tree, costs), "{}", is_callers);
        }
    }

    #[test]
    fn functions_with_their_callers(tree in long_tree()) {
        let inverted = |tree: &Tree| tree.inverted(profile::InvertLimits::default());
        let costs = |tree: &Tree| -> BTreeMap<u32, i64> {
            let nodes = (0..).zip(inverted(tree).nodes).skip(1);
            nodes.map(|(number, node)| (number, node.inclusive.wall.cast_signed())).collect()
        };
        let own_costs = |tree: &Tree| -> BTreeMap<u32, i64> {
            let nodes = (0..).zip(inverted(tree).nodes).skip(1);
            nodes.map(|(number, node)| (number, node.own.wall)).collect()
        };
        let found = inverted(&tree).estimates;
        prop_assert_eq!(walls(found.iter().map(|(node, it)| (*node, it.inclusive))), expected(&tree, costs));
        for (node, variance) in expected(&tree, own_costs) {
            prop_assert!(found.get(&node).is_some_and(|found| found.own.wall >= variance));
        }
    }

    #[test]
    fn hidden_functions(tree in long_tree(), symbol in 1..SYMBOLS) {
        let hidden = |tree: &Tree| tree.hiding(|it| it.0 == symbol);
        let after = hidden(&tree);
        prop_assert_eq!(inclusive(&after), expected(&tree, |tree| nodes(&hidden(tree))));
        let own = expected(&tree, |tree| own_of_nodes(&hidden(tree)));
        prop_assert_eq!(walls(after.self_variances().into_iter()), own);
        let mut calls = untimed(&tree);
        calls.remove(&SymbolId(symbol));
        prop_assert_eq!(untimed(&after), calls);
    }

    #[test]
    fn a_focus(tree in long_tree(), symbol in 1..SYMBOLS) {
        let focused = |tree: &Tree| tree.focused(|it| it.0 == symbol);
        let after = focused(&tree);
        prop_assert_eq!(inclusive(&after), expected(&tree, |tree| nodes(&focused(tree))));
        let found = walls(after.self_variances().into_iter());
        for (node, variance) in expected(&tree, |tree| own_of_nodes(&focused(tree))) {
            // Larger only on the way, where nothing was spent.
            let own = after.self_costs()[NodeId(node)].wall;
            prop_assert!(found.get(&node).is_some_and(|found| *found >= variance && (*found == variance || own == 0)));
        }
    }

    #[test]
    fn folded_recursion(tree in long_tree()) {
        let after = tree.with_recursion_folded();
        let costs = |tree: &Tree| nodes(&tree.with_recursion_folded());
        prop_assert_eq!(inclusive(&after), expected(&tree, costs));
        let own = expected(&tree, |tree| own_of_nodes(&tree.with_recursion_folded()));
        let found = walls(after.self_variances().into_iter());
        for (node, variance) in own {
            // Never too small; larger if rows that are subtracted were joined.
            prop_assert!(found.get(&node).is_some_and(|found| *found >= variance));
        }
        prop_assert_eq!(after.estimates.untimed(), tree.estimates.untimed());
        prop_assert_eq!(untimed(&after), untimed(&tree));
    }

    /// What is small stays small if a nanosecond is added: the limit is far away.
    #[test]
    fn what_is_small_becomes_other(tree in long_tree()) {
        let small = |tree: &Tree| of(Body::Tree(tree.clone())).without_small(Metric::Calls, 40.0);
        let after = small(&tree);
        let (after, costs) = (after.tree().unwrap(), |tree: &Tree| nodes(&small(tree).tree().unwrap()));
        prop_assert_eq!(inclusive(&after), expected(&tree, costs));
    }

    #[test]
    fn a_sum_of_runs_and_their_mean(one in tree(), other in tree(), runs in 1_u64..9) {
        let profiles = [&one, &other].map(|tree| of(Body::Tree(tree.clone())));
        let sum = merge(&profiles).unwrap();
        prop_assert_eq!(sum.meta.timing, Timing::Adaptive);
        let own = |profile: &Profile| FlatTable::new(profile).estimates;
        let mut expected = own(&profiles[0]);
        for (symbol, estimate) in own(&profiles[1]) {
            let sum = expected.entry(symbol).or_default();
            sum.untimed += estimate.untimed;
            sum.own += estimate.own;
            sum.inclusive += estimate.inclusive;
        }
        prop_assert_eq!(own(&sum), expected);
        let mean = sum.clone().mean_of(runs);
        let (sum, mean) = (sum.tree().unwrap(), mean.tree().unwrap());
        for (row, estimate) in sum.estimates.iter() {
            let Estimate { untimed, variance } = mean.estimates.of(row);
            prop_assert_eq!(untimed, (estimate.untimed / runs).max(1));
            // Half the error for twice the runs, rounded up.
            let square = u128::from(runs * runs);
            prop_assert_eq!(variance.wall, estimate.variance.wall.div_ceil(square));
        }
        prop_assert_eq!(mean.estimates.len(), sum.estimates.len());
    }

    #[test]
    fn a_difference_knows_the_errors_of_both_sides(one in tree(), other in tree()) {
        let [base, new] = [&one, &other].map(|tree| of(Body::Tree(tree.clone())));
        let diff = Diff::new(&base, &new);
        let sides = [FlatTable::new(&base), FlatTable::new(&new)];
        for function in &diff.functions {
            let [base, new] = [0, 1].map(|side| sides[side].estimate(function.symbol));
            for (change, base, new) in [
                (function.own, base.own, new.own),
                (function.inclusive, base.inclusive, new.inclusive),
            ] {
                for metric in Metric::ALL {
                    let change = change.of(metric);
                    #[expect(clippy::cast_precision_loss, reason = "as in the difference")]
                    let root = |variance: u128| (variance as f64).sqrt();
                    prop_assert_eq!(change.base.error, root(base.of(metric)));
                    prop_assert_eq!(change.new.error, root(new.of(metric)));
                    if change.absolute().abs() <= change.error_margin() {
                        prop_assert!(change.is_within_spread());
                    }
                }
            }
        }
        let pairs = pairs(&new.edges());
        for edge in &diff.edges {
            let pair = pairs.iter().find(|pair| (pair.caller, pair.callee) == (edge.caller, edge.callee));
            let variance = pair.map_or(Variance::ZERO, |pair| pair.estimate.variance);
            #[expect(clippy::cast_precision_loss, reason = "as in the difference")]
            let error = (variance.wall as f64).sqrt();
            prop_assert_eq!(edge.cost.of(Metric::Wall).new.error, error);
        }
    }

    #[test]
    fn the_canonical_order_moves_estimates_with_their_rows(table in edges(cost), tree in tree()) {
        for body in [Body::Edges(table), Body::Tree(tree)] {
            let mut profile = of(body);
            profile.symbols[1..].reverse();
            let canonical = profile.clone().canonical();
            let named = |profile: &Profile| -> BTreeMap<Vec<u8>, profile::FlatEstimate> {
                let table = FlatTable::new(profile).estimates.into_iter();
                table.map(|(symbol, estimate)| (profile.name(symbol).to_vec(), estimate)).collect()
            };
            prop_assert_eq!(named(&canonical), named(&profile));
        }
    }

    #[test]
    fn small_functions_among_edges(tree in long_tree()) {
        let table = tree.to_edges();
        let profile = of(Body::Edges(table.clone()));
        let nothing = profile.without_small(Metric::Wall, 0.0);
        prop_assert_eq!(&nothing.edges().estimates, &table.estimates);
        let all = profile.without_small(Metric::Wall, 101.0);
        let other = |profile: &Profile| profile.symbols.len() - 1;
        let kept = all.edges();
        prop_assert!(kept.estimates.untimed() <= table.estimates.untimed());
        for (row, _) in kept.estimates.iter() {
            let edge = kept.edges[row as usize];
            let ends = [edge.caller.symbol, edge.callee.symbol];
            prop_assert!(ends.iter().any(|end| end.index() == other(&all) || *end == SymbolId::ROOT));
        }
    }
}
