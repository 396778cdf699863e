//! The mean of several runs of a program, as a profile that a single one can be
//! compared with.
//!
//! **Invariant:** no callee costs more than its caller because of rounding:
//! every cost is divided and rounded down, and the sums were consistent before.

use crate::{Body, Cost, Profile};

impl Profile {
    /// The mean, from the sum of `runs` runs. A function that only one of them
    /// called was called once.
    #[must_use]
    pub fn mean_of(mut self, runs: u64) -> Self {
        if runs < 2 {
            return self;
        }
        match &mut self.body {
            Body::Edges(table) => {
                divide(&mut table.root, runs);
                for edge in &mut table.edges {
                    divide(&mut edge.cost, runs);
                }
            }
            Body::Tree(tree) => {
                for node in &mut tree.nodes {
                    divide(&mut node.cost, runs);
                }
            }
            Body::Samples(samples) => {
                // Counts are small: rounding down would give zero.
                for sample in &mut samples.samples {
                    sample.weight = sample.weight.saturating_add(runs / 2) / runs;
                }
            }
            // The sum of several profiles has none.
            Body::Events(_) => {}
        }
        self
    }
}

fn divide(cost: &mut Cost, runs: u64) {
    let signed = i64::try_from(runs).unwrap_or(i64::MAX);
    *cost = Cost {
        calls: (cost.calls / runs).max(u64::from(cost.calls > 0)),
        wall: cost.wall / runs,
        cpu: cost.cpu / runs,
        memory: cost.memory.div_euclid(signed),
        peak: cost.peak.div_euclid(signed),
    };
}

#[cfg(test)]
mod tests {
    use crate::{Body, FlatTable};
    use crate::{Cost, Merger, NodeId, Profile, Symbol, SymbolId, TreeBuilder};

    fn run(wall: u64) -> Profile {
        let mut profile = Profile::empty();
        profile.symbols.push(Symbol::new(&b"f"[..]));
        let mut builder = TreeBuilder::new();
        builder.cost(NodeId::ROOT).calls = 1;
        let node = builder.child(NodeId::ROOT, SymbolId(1));
        *builder.cost(node) += Cost {
            calls: 3,
            wall,
            memory: -5,
            ..Cost::default()
        };
        profile.body = Body::Tree(builder.finish_self_costs());
        profile.metrics.memory = true;
        profile
    }

    #[test]
    fn the_mean_of_equal_runs_is_one_of_them() {
        let mut merger = Merger::default();
        for _ in 0..3 {
            merger.add(&run(100)).unwrap();
        }
        let mean = merger.finish().unwrap().mean_of(3);
        assert_eq!(FlatTable::new(&mean), FlatTable::new(&run(100)));
    }

    #[test]
    fn a_call_in_one_run_of_many_is_still_one() {
        let mean = run(10).mean_of(8);
        let row = FlatTable::new(&mean).rows[1];
        assert_eq!(
            (row.inclusive.calls, row.own.wall, row.own.memory),
            (1, 1, -1)
        );
    }
}
