//! Writes each stack once, with its self cost as weight.
//!
//! **Invariant:** weights are positive and add up to `endValue`. The format
//! cannot hold negative memory.

use std::io::{self, Write};

use profile::{Body, Metric, NodeId, Profile, Samples, SymbolId, Tree, WallUnit};

use crate::shared::lined::LinedStacks;

/// Writes a profile for each cost; of stacks with lines, if there are some.
pub(super) fn write(
    profile: &Profile,
    lined: Option<&LinedStacks<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Body::Samples(samples) = &profile.body {
        return write_samples(samples, lined, profile, out);
    }
    let Some(tree) = profile.tree() else {
        return Ok(());
    };
    let own = tree.self_costs();
    let paths = Paths::new(&tree);
    let wanted = [Metric::Wall, Metric::Cpu, Metric::Memory, Metric::Peak];
    for metric in wanted.into_iter().filter(|&metric| profile.shows(metric)) {
        let (name, unit) = name_and_unit(metric, profile);
        let weights: Vec<i64> = own.iter().map(|own| metric.of_own(own, 0)).collect();
        let weights: Vec<_> = (0..)
            .map(NodeId)
            .zip(weights)
            .filter(|pair| pair.1 > 0)
            .collect();
        write_one(metric == Metric::Wall, name, unit, &paths, &weights, out)?;
    }
    Ok(())
}

/// The name of a cost, and its unit. The format has no unit for counts: the
/// name states it.
pub(super) fn name_and_unit(metric: Metric, profile: &Profile) -> (&str, &'static str) {
    match (metric, profile.metrics.wall_unit) {
        (Metric::Wall, WallUnit::Samples) => (profile.counted(), "none"),
        (Metric::Wall, WallUnit::Nanoseconds) => ("wall time", "nanoseconds"),
        (Metric::Cpu, _) => ("cpu time", "nanoseconds"),
        (Metric::Memory, _) => ("memory", "bytes"),
        (Metric::Peak, _) => ("peak memory", "bytes"),
        (Metric::Calls, _) => ("calls", "none"),
    }
}

fn write_samples(
    samples: &Samples,
    lined: Option<&LinedStacks<'_>>,
    profile: &Profile,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (name, unit) = name_and_unit(Metric::Wall, profile);
    let own = |(id, frame): (u32, u32)| (NodeId(id), SymbolId(frame));
    let paths = Paths {
        nodes: match lined {
            // The outermost is its own parent.
            Some(lined) => (0..)
                .zip(&lined.nodes)
                .map(|(number, (below, frame))| own((below.unwrap_or(number), *frame)))
                .collect(),
            None => (samples.stacks.iter())
                .map(|node| (node.parent, node.symbol))
                .collect(),
        },
    };
    let weight = |weight: u64| i64::try_from(weight).unwrap_or(i64::MAX);
    let all = samples.samples.iter().enumerate();
    let all = all.filter(|(_, sample)| sample.weight > 0);
    let weights = all.map(|(index, sample)| {
        let node = lined.and_then(|lined| lined.of_samples.get(index).copied());
        let node = node.map_or(sample.stack, NodeId);
        (node, weight(sample.weight))
    });
    let weights: Vec<_> = weights.collect();
    write_one(true, name, unit, &paths, &weights, out)
}

/// The parents and symbols of the stacks.
struct Paths {
    nodes: Vec<(NodeId, SymbolId)>,
}

impl Paths {
    fn new(tree: &Tree) -> Self {
        Self {
            nodes: tree
                .nodes
                .iter()
                .map(|node| (node.parent, node.symbol))
                .collect(),
        }
    }

    /// Appends the symbols from the root to `node` to `path`.
    fn read(&self, node: NodeId, path: &mut Vec<SymbolId>) {
        path.clear();
        let mut at = node;
        loop {
            let (parent, symbol) = self.nodes[at.index()];
            path.push(symbol);
            if parent >= at {
                break;
            }
            at = parent;
        }
        path.reverse();
    }
}

fn write_one(
    is_first: bool,
    name: &str,
    unit: &str,
    paths: &Paths,
    weights: &[(NodeId, i64)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let end = weights
        .iter()
        .fold(0_i64, |sum, sample| sum.saturating_add(sample.1));
    super::begin(is_first, "sampled", name, unit, end, out)?;
    out.write_all(b",\n\"samples\":[")?;
    let mut path = Vec::new();
    let mut separator = "\n[";
    for (node, _) in weights {
        paths.read(*node, &mut path);
        out.write_all(separator.as_bytes())?;
        separator = ",\n[";
        for (depth, symbol) in path.iter().enumerate() {
            if depth > 0 {
                out.write_all(b",")?;
            }
            write!(out, "{}", symbol.0)?;
        }
        out.write_all(b"]")?;
    }
    out.write_all(b"],\n\"weights\":[")?;
    let mut separator = "";
    for (_, weight) in weights {
        write!(out, "{separator}{weight}")?;
        separator = ",";
    }
    out.write_all(b"]}")
}
