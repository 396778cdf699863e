//! Compares two profiles, or two sets of profiles.
//!
//! Functions are identified by name; recursion is folded, as in the flat table.
//! With several profiles on a side, costs are means, and a change shows whether
//! it is larger than the difference between runs of one side.
//!
//! **Invariant:** the difference of a profile from itself is zero.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::neighbours::pairs;
use super::statistic::{Change, Sums};
use crate::symbol::symbol_in;
use crate::table::known_mut;
use crate::{
    Cost, FlatRow, FlatTable, Metric, Metrics, Profile, SelfCost, Symbol, SymbolId, Table,
};

/// All costs before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CostChanges {
    changes: [Change; 5],
}

impl CostChanges {
    /// One of the costs before and after.
    #[must_use]
    pub fn of(&self, metric: Metric) -> Change {
        let place = Metric::ALL
            .iter()
            .position(|candidate| *candidate == metric);
        let change = place.and_then(|place| self.changes.get(place));
        change.copied().unwrap_or_default()
    }
}

/// The changes of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionDiff {
    /// The function, in [`Diff::symbols`].
    pub symbol: SymbolId,
    /// Its calls, and their costs with callees.
    pub inclusive: CostChanges,
    /// Its self costs. [`Metric::Calls`] returns its calls again.
    pub own: CostChanges,
}

/// The changes of the calls between two functions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeDiff {
    /// The caller.
    pub caller: SymbolId,
    /// The callee.
    pub callee: SymbolId,
    /// The calls, and their costs with callees.
    pub cost: CostChanges,
}

/// The changes between two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    /// The functions of all profiles; the first is the root.
    pub symbols: Vec<Symbol>,
    /// The metrics that all of them have.
    pub metrics: Metrics,
    /// The total costs.
    pub total: CostChanges,
    /// Every function that was called on one side, in the order of the symbols.
    pub functions: Vec<FunctionDiff>,
    /// Every caller and callee, in the order of the symbols.
    pub edges: Vec<EdgeDiff>,
}

impl Diff {
    /// Compares two profiles.
    #[must_use]
    pub fn new(base: &Profile, new: &Profile) -> Self {
        Self::of_many(&[base], &[new])
    }

    /// Compares sets of profiles.
    #[must_use]
    pub fn of_many(base: &[&Profile], new: &[&Profile]) -> Self {
        let mut names = Names::default();
        let mut total = Sides::default();
        let mut functions: Vec<Seen<SymbolId, FlatRow>> = Vec::new();
        let mut edges: Vec<Seen<(SymbolId, SymbolId), Cost>> = Vec::new();
        let sides = base.iter().map(|profile| (0, profile));
        for (side, profile) in sides.chain(new.iter().map(|profile| (1, profile))) {
            let numbers = names.numbers(&profile.symbols);
            let table = FlatTable::new(profile);
            total.add(side, &table.total);
            functions.extend(table.rows.into_iter().map(|row| Seen {
                key: numbers[row.symbol],
                side,
                cost: row,
            }));
            let calls = profile.edges();
            edges.extend(pairs(&calls).into_iter().map(|it| Seen {
                key: (numbers[it.caller], numbers[it.callee]),
                side,
                cost: it.cost,
            }));
        }
        let runs = [base.len(), new.len()];
        let functions = in_groups(&mut functions).map(|seen| {
            let (mut inclusive, mut own) = (Sides::default(), Sides::default());
            for it in seen {
                inclusive.add(it.side, &it.cost.inclusive);
                own.add_own(it.side, &it.cost.own, it.cost.inclusive.calls);
            }
            let symbol = seen.first().map_or(SymbolId::ROOT, |item| item.key);
            FunctionDiff {
                symbol,
                inclusive: inclusive.changes(runs),
                own: own.changes(runs),
            }
        });
        let functions = functions.collect();
        let edges = in_groups(&mut edges).map(|seen| {
            let mut cost = Sides::default();
            for it in seen {
                cost.add(it.side, &it.cost);
            }
            let (caller, callee) = seen.first().map(|item| item.key).unwrap_or_default();
            EdgeDiff {
                caller,
                callee,
                cost: cost.changes(runs),
            }
        });
        Self {
            symbols: names.symbols,
            metrics: common(base.iter().chain(new).map(|profile| profile.metrics)),
            total: total.changes(runs),
            functions,
            edges: edges.collect(),
        }
    }

    /// A symbol's name; empty if there is no such symbol.
    #[must_use]
    pub fn name(&self, symbol: SymbolId) -> &[u8] {
        &symbol_in(&self.symbols, symbol).name
    }

    /// Sorts the functions by the change of their self cost, and the edges by
    /// that of their cost: the largest change first, up or down. Changes within
    /// their spread come after all others, and tiny ones last: a nanosecond
    /// that is the same in every run must not precede a second that is not.
    pub fn sort_by_impact(&mut self, metric: Metric) {
        let of_function = self.impact(metric);
        self.functions.sort_by_cached_key(of_function);
        let of_edge = |edge: &EdgeDiff| edge.cost.of(metric);
        let edges = tiny(self.edges.iter().map(of_edge));
        self.edges
            .sort_by_cached_key(|edge| Impact::new(of_edge(edge), edges));
    }

    /// What [`Diff::sort_by_impact`] sorts functions by.
    pub fn impact(&self, metric: Metric) -> impl Fn(&FunctionDiff) -> Impact + use<> {
        let of_function = move |function: &FunctionDiff| function.own.of(metric);
        let tiny = tiny(self.functions.iter().map(of_function));
        move |function| Impact::new(of_function(function), tiny)
    }
}

/// How much a change matters among others: what matters more is less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Impact {
    is_tiny: bool,
    is_within_spread: bool,
    /// Floats that are not negative are ordered like their bits.
    size: Reverse<u64>,
}

impl Impact {
    fn new(change: Change, tiny: f64) -> Self {
        let size = change.absolute().abs();
        Self {
            is_tiny: size < tiny,
            is_within_spread: change.is_within_spread(),
            size: Reverse(size.to_bits()),
        }
    }
}

/// The limit for tiny changes: a thousandth of the largest.
fn tiny(changes: impl Iterator<Item = Change>) -> f64 {
    let sizes = changes.map(|change| change.absolute().abs());
    sizes.fold(0.0, f64::max) / 1000.0
}

/// A cost in one of the profiles, and its side. Kept in a sorted list instead
/// of a map: there are millions, and each key occurs twice at most.
#[derive(Debug)]
struct Seen<K, V> {
    key: K,
    side: usize,
    cost: V,
}

/// Groups of the same key. The order within a group is irrelevant: they are
/// added up.
fn in_groups<K: Ord + Copy, V>(seen: &mut [Seen<K, V>]) -> impl Iterator<Item = &[Seen<K, V>]> {
    seen.sort_unstable_by_key(|item| item.key);
    seen.chunk_by(|one, other| one.key == other.key)
}

/// The sums of both sides, for each cost.
#[derive(Debug, Clone, Copy, Default)]
struct Sides {
    sums: [[Sums; 5]; 2],
}

impl Sides {
    fn add(&mut self, side: usize, cost: &Cost) {
        self.add_each(side, |metric| metric.of(cost));
    }

    fn add_own(&mut self, side: usize, own: &SelfCost, calls: u64) {
        self.add_each(side, |metric| metric.of_own(own, calls));
    }

    fn add_each(&mut self, side: usize, value: impl Fn(Metric) -> i64) {
        let sums = known_mut(&mut self.sums, side).into_iter().flatten();
        for (sum, metric) in sums.zip(Metric::ALL) {
            sum.add(value(metric));
        }
    }

    fn changes(&self, runs: [usize; 2]) -> CostChanges {
        let mut changes = [Change::default(); 5];
        let [base, new] = &self.sums;
        for (change, (base, new)) in changes.iter_mut().zip(base.iter().zip(new)) {
            *change = Change {
                base: base.statistic(runs[0]),
                new: new.statistic(runs[1]),
            };
        }
        CostChanges { changes }
    }
}

/// Numbers for the names of all profiles.
#[derive(Debug, Default)]
struct Names {
    symbols: Vec<Symbol>,
    by_name: HashMap<Box<[u8]>, SymbolId>,
}

impl Names {
    fn numbers(&mut self, symbols: &[Symbol]) -> Table<SymbolId, SymbolId> {
        let mut numbers = Table::with_capacity(symbols.len());
        for symbol in symbols {
            let next = SymbolId(u32::try_from(self.symbols.len()).unwrap_or(u32::MAX));
            // Roots are the same function under any name.
            if numbers.is_empty() && next != SymbolId::ROOT {
                numbers.push(SymbolId::ROOT);
                continue;
            }
            let number = self.by_name.entry(symbol.name.clone()).or_insert_with(|| {
                self.symbols.push(symbol.clone());
                next
            });
            numbers.push(*number);
        }
        numbers
    }
}

fn common(mut all: impl Iterator<Item = Metrics>) -> Metrics {
    let first = all.next().unwrap_or_default();
    all.fold(first, |one, other| Metrics {
        calls: one.calls && other.calls,
        cpu: one.cpu && other.cpu,
        memory: one.memory && other.memory,
        ..one
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, NodeId, TreeBuilder};

    /// `main()` calls functions of those names and own times.
    fn profile(calls: &[(&str, u64)]) -> Profile {
        let mut profile = Profile::empty();
        let mut builder = TreeBuilder::new();
        builder.cost(NodeId::ROOT).calls = 1;
        for (number, (name, wall)) in (1..).zip(calls) {
            profile.symbols.push(Symbol::new(name.as_bytes()));
            let node = builder.child(NodeId::ROOT, SymbolId(number));
            *builder.cost(node) += Cost {
                calls: 1,
                wall: *wall,
                ..Cost::default()
            };
        }
        profile.body = Body::Tree(builder.finish_self_costs());
        profile
    }

    #[test]
    fn functions_are_compared_by_name_and_sorted_by_impact() {
        let base = profile(&[("same", 10), ("gone", 30), ("slow", 5)]);
        let new = profile(&[("slow", 100), ("new", 7), ("same", 10)]);
        let mut diff = Diff::new(&base, &new);
        diff.sort_by_impact(Metric::Wall);
        let functions: Vec<_> = diff
            .functions
            .iter()
            .map(|function| {
                let wall = function.own.of(Metric::Wall);
                (diff.name(function.symbol), wall.absolute(), wall.relative())
            })
            .collect();
        assert_eq!(
            functions,
            [
                (&b"slow"[..], 95.0, Some(19.0)),
                (b"gone", -30.0, Some(-1.0)),
                (b"new", 7.0, None),
                (b"main()", 0.0, None),
                (b"same", 0.0, Some(0.0)),
            ]
        );
        assert_eq!(diff.total.of(Metric::Wall).absolute(), 72.0);
        assert_eq!(diff.edges.len(), 4);
        assert_eq!(diff.name(diff.edges[0].callee), b"slow");
    }

    #[test]
    fn changes_within_the_spread_of_many_runs_come_last() {
        let base = [[10, 50], [30, 52]]
            .map(|[noisy, steady]| profile(&[("noisy", noisy), ("steady", steady)]));
        let new = [[25, 60], [35, 62]]
            .map(|[noisy, steady]| profile(&[("noisy", noisy), ("steady", steady)]));
        let base: Vec<_> = base.iter().collect();
        let new: Vec<_> = new.iter().collect();
        let mut diff = Diff::of_many(&base, &new);
        diff.sort_by_impact(Metric::Wall);
        let first = diff.functions[0];
        assert_eq!(diff.name(first.symbol), b"steady");
        assert_eq!(first.own.of(Metric::Wall).absolute(), 10.0);
        let noisy = diff
            .functions
            .iter()
            .find(|function| diff.name(function.symbol) == b"noisy");
        assert!(noisy.unwrap().own.of(Metric::Wall).is_within_spread());
    }

    #[test]
    fn tiny_changes_come_behind_large_ones_however_sure() {
        let calls =
            |tiny, noisy, steady| profile(&[("tiny", tiny), ("noisy", noisy), ("steady", steady)]);
        let base = [calls(10, 1_000_000, 50), calls(10, 3_000_000, 50)];
        let new = [calls(13, 2_500_000, 5_050), calls(13, 3_500_000, 5_050)];
        let base: Vec<_> = base.iter().collect();
        let new: Vec<_> = new.iter().collect();
        let mut diff = Diff::of_many(&base, &new);
        diff.sort_by_impact(Metric::Wall);
        let names: Vec<_> = diff
            .functions
            .iter()
            .map(|function| diff.name(function.symbol))
            .collect();
        assert_eq!(names, [&b"steady"[..], b"noisy", b"tiny", b"main()"]);
    }
}
