//! Puts the error of the cost that is subtracted from each call into the variances of a
//! profile's rows, and takes it out.

use std::borrow::Cow;

use crate::{Body, CallError, EdgeTable, Estimate, Estimates, Profile, Tree};

impl Profile {
    /// The profile with this error in the variances of its rows, and in its
    /// metadata. It must have none yet.
    #[must_use]
    pub fn with_call_error(mut self, error: CallError) -> Self {
        self.meta.call_error = error;
        self.add_call_error();
        self
    }

    /// Adds the error that the metadata say to the variances of the rows.
    pub(crate) fn add_call_error(&mut self) {
        let error = self.meta.call_error.measured(self.metrics);
        if error == CallError::NONE {
            return;
        }
        let (estimates, parts) = match &mut self.body {
            Body::Tree(tree) => {
                let parts = of_tree(error, tree);
                (&mut tree.estimates, parts)
            }
            Body::Edges(table) => {
                let parts = of_edges(error, table);
                (&mut table.estimates, parts)
            }
            Body::Samples(_) | Body::Events(_) => return,
        };
        *estimates = estimates.iter().chain(parts.iter()).collect();
    }

    /// The profile without this error: what is left is chance, and independent of
    /// that of other runs.
    pub(crate) fn without_call_error(&self) -> Cow<'_, Self> {
        let error = self.meta.call_error;
        if error == CallError::NONE {
            return Cow::Borrowed(self);
        }
        let mut profile = self.clone();
        profile.meta.call_error = CallError::NONE;
        match &mut profile.body {
            Body::Tree(tree) => tree.estimates = without(&tree.estimates, &of_tree(error, tree)),
            Body::Edges(table) => {
                table.estimates = without(&table.estimates, &of_edges(error, table));
            }
            Body::Samples(_) | Body::Events(_) => {}
        }
        Cow::Owned(profile)
    }
}

/// The part of each node but the root, which is not called.
fn of_tree(error: CallError, tree: &Tree) -> Estimates {
    let nodes = (0..).zip(&tree.nodes).skip(1);
    error.of_rows(nodes.map(|(number, node)| (number, node.symbol, node.cost.calls)))
}

/// The part of each edge.
fn of_edges(error: CallError, table: &EdgeTable) -> Estimates {
    let edges = (0..).zip(&table.edges);
    error.of_rows(edges.map(|(number, edge)| (number, edge.callee.symbol, edge.cost.calls)))
}

/// Estimates less a part of their variances.
fn without(estimates: &Estimates, parts: &Estimates) -> Estimates {
    let rows = estimates.iter().map(|(row, estimate)| {
        let part = parts.of(row).variance;
        (
            row,
            Estimate {
                variance: estimate.variance.without(&part),
                ..estimate
            },
        )
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cost, Diff, FlatTable, Metric, NodeId, Symbol, SymbolId, Timing, TreeBuilder, Variance,
        merge,
    };

    /// `main()` calls `a` and `b`, and `a` calls `b`, so often, each call 100 ns.
    fn run(calls: [u64; 3], error: CallError) -> Profile {
        let mut profile = Profile::empty();
        let names = [&b"a"[..], b"b"];
        profile.symbols.extend(names.map(Symbol::new));
        profile.metrics.cpu = true;
        profile.meta.timing = Timing::Adaptive;
        let mut builder = TreeBuilder::new();
        builder.cost(NodeId::ROOT).calls = 1;
        let a = builder.child(NodeId::ROOT, SymbolId(1));
        let places = [
            a,
            builder.child(NodeId::ROOT, SymbolId(2)),
            builder.child(a, SymbolId(2)),
        ];
        for (place, calls) in places.into_iter().zip(calls) {
            *builder.cost(place) += Cost {
                calls,
                wall: 100 * calls,
                cpu: 100 * calls,
                ..Cost::default()
            };
        }
        profile.body = Body::Tree(builder.finish_self_costs());
        profile.with_call_error(error)
    }

    const ERROR: CallError = CallError {
        wall_ps: 2_000,
        cpu_ps: 3_000,
    };

    fn own(profile: &Profile, symbol: u32, metric: Metric) -> u64 {
        let estimate = FlatTable::new(profile).estimate(SymbolId(symbol));
        estimate.own.standard_error(metric)
    }

    #[test]
    fn it_grows_with_the_calls_whatever_rows_they_are_in() {
        let profile = run([10, 300, 700], ERROR);
        // The leaf's 1,000 calls, 2 ns each.
        assert_eq!(own(&profile, 2, Metric::Wall), 2_000);
        assert_eq!(own(&profile, 2, Metric::Cpu), 3_000);
        let mut edges = profile.clone();
        edges.body = Body::Edges(profile.edges().into_owned());
        for symbol in 0..3 {
            let found = FlatTable::new(&edges).estimate(SymbolId(symbol)).own;
            assert_eq!(
                found,
                FlatTable::new(&profile).estimate(SymbolId(symbol)).own
            );
        }
        // A caller has the errors of what it calls: 700 of the 1,000 calls, and its own ten.
        assert_eq!(own(&profile, 1, Metric::Wall), 1_674);
    }

    #[test]
    fn it_does_not_average_out_when_runs_are_added_up() {
        let one = run([10, 300, 700], ERROR);
        let four = merge([&one, &one, &one, &one]).unwrap();
        assert_eq!(four.meta.call_error, ERROR);
        for symbol in 1..3 {
            let (once, of_four) = (
                own(&one, symbol, Metric::Wall),
                own(&four, symbol, Metric::Wall),
            );
            assert!(of_four.abs_diff(4 * once) <= 4, "{of_four} of {once}");
        }
        assert_eq!(
            own(&four.clone().mean_of(4), 2, Metric::Wall),
            own(&one, 2, Metric::Wall)
        );
        let halves = [&one, &one].map(|one| merge([one, one]).unwrap());
        assert_eq!(merge(&halves).unwrap().body, four.body);
    }

    #[test]
    fn chance_averages_out_beside_it() {
        let noisy = |error| {
            let mut profile = run([10, 300, 700], CallError::NONE);
            if let Body::Tree(tree) = &mut profile.body {
                let chance = Estimate {
                    untimed: 500,
                    variance: Variance::of_standard_errors(8_000, 8_000, 0, 0),
                };
                tree.estimates = [(3_u32, chance)].into_iter().collect();
            }
            profile.with_call_error(error)
        };
        let error = |runs: usize| {
            let runs = vec![noisy(ERROR); runs];
            let sum = merge(&runs).unwrap();
            own(&sum, 2, Metric::Wall)
        };
        // √(8,000² + 2,000²), and √(4 · 8,000² + (4 · 2,000)²).
        assert_eq!((error(1), error(4)), (8_247, 17_889));
        // The larger error counts for all calls of the sum.
        let less = CallError {
            wall_ps: 1_000,
            ..ERROR
        };
        let mixed = merge([&noisy(less), &noisy(ERROR)]).unwrap();
        let same = merge([&noisy(ERROR), &noisy(ERROR)]).unwrap();
        assert_eq!((mixed.body, mixed.meta.call_error), (same.body, ERROR));
    }

    #[test]
    fn many_runs_on_one_side_of_a_comparison_keep_it() {
        let run = run([10, 300, 700], ERROR);
        let sides = [vec![&run], vec![&run; 9]];
        let diff = Diff::of_many(&sides[0], &sides[1]);
        let of = |symbol| {
            diff.functions
                .iter()
                .find(|it| it.symbol == SymbolId(symbol))
        };
        let change = of(2).unwrap().own.of(Metric::Wall);
        assert!((change.base.error - 2_000.0).abs() < 1.0, "{change:?}");
        assert!((change.new.error - 2_000.0).abs() < 1.0, "{change:?}");
        let edge = diff
            .edges
            .iter()
            .find(|it| it.callee == SymbolId(2) && it.caller == SymbolId(1));
        let change = edge.unwrap().cost.of(Metric::Wall);
        assert!(
            (change.base.error - change.new.error).abs() < 1.0,
            "{change:?}"
        );
    }
}
