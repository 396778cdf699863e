//! `xhprof grep`: prints the stacks that match a pattern, one a line.

use std::cmp::Reverse;
use std::io::Write;

use anyhow::{Result, bail};
use formats::WriteError;
use formats::collapsed::frame;
use profile::{Metric, NodeId, Profile, SymbolId, Table, Tree};

use crate::args::GrepArguments;
use crate::report::Pattern;
use crate::terminal::say;
use crate::{input, output, stacks};

/// Prints the stacks that match; returns false if none does.
pub(crate) fn run(arguments: &GrepArguments) -> Result<bool> {
    let profile = input::read(&arguments.file)?;
    let metric = Metric::from(arguments.metric.of(&profile));
    if !metric.is_in(profile.metrics) {
        bail!(WriteError::NotMeasured { metric });
    }
    let profile = stacks::require(profile, arguments.estimate, "grep")?;
    let Some(tree) = profile.tree() else {
        bail!("this profile has no stacks");
    };
    let lines = Lines::new(&profile, &tree);
    let mut found = lines.matching(&Pattern::new(&arguments.pattern), metric);
    if found.is_empty() {
        say(&format!("no stack matches {}", arguments.pattern));
        return Ok(false);
    }
    found.sort_by_key(|&(node, cost)| (Reverse(cost), node));
    if arguments.limit > 0 {
        found.truncate(arguments.limit);
    }
    output::write("-".as_ref(), |out| Ok(lines.write(&found, out)?))?;
    Ok(true)
}

/// Stacks as lines: `main();caller;callee`.
struct Lines<'p> {
    tree: &'p Tree,
    names: Vec<Vec<u8>>,
}

impl<'p> Lines<'p> {
    fn new(profile: &Profile, tree: &'p Tree) -> Self {
        let names = profile.symbols.iter().map(|symbol| frame(&symbol.name));
        Self {
            tree,
            names: names.collect(),
        }
    }

    /// The stacks that match the pattern and have a self cost.
    fn matching(&self, pattern: &Pattern, metric: Metric) -> Vec<(NodeId, i64)> {
        let own = self.tree.self_costs();
        let nodes = (0..).map(NodeId).zip(&self.tree.nodes);
        // A single name never contains the `;` between two names.
        if let Some(text) = pattern.text()
            && !text.contains(';')
        {
            let has_it = self.with_name(pattern);
            let costs = nodes.zip(own).zip(has_it);
            let found = costs.filter_map(|(((number, node), own), has_it)| {
                let cost = metric.of_own(&own, node.cost.calls);
                (has_it && cost != 0).then_some((number, cost))
            });
            return found.collect();
        }
        let mut line = Vec::new();
        nodes
            .zip(own)
            .filter_map(|((number, node), own)| {
                let cost = metric.of_own(&own, node.cost.calls);
                if cost == 0 {
                    return None;
                }
                line.clear();
                self.push(number, &mut line);
                pattern.matches(&line).then_some((number, cost))
            })
            .collect()
    }

    /// Whether a name on the path to each node matches.
    fn with_name(&self, pattern: &Pattern) -> Table<NodeId, bool> {
        let names: Vec<bool> = self
            .names
            .iter()
            .map(|name| pattern.matches(name))
            .collect();
        let mut nodes: Table<NodeId, bool> = Table::new(false, self.tree.nodes.len());
        for (number, node) in self.tree.numbered() {
            nodes[number] = names[node.symbol.index()] || nodes[node.parent];
        }
        nodes
    }

    fn write(&self, found: &[(NodeId, i64)], out: &mut dyn Write) -> std::io::Result<()> {
        let mut line = Vec::new();
        for &(node, cost) in found {
            line.clear();
            self.push(node, &mut line);
            out.write_all(&line)?;
            writeln!(out, " {cost}")?;
        }
        Ok(())
    }

    fn push(&self, node: NodeId, line: &mut Vec<u8>) {
        for (place, symbol) in self.tree.path(node).into_iter().enumerate() {
            if place > 0 {
                line.push(b';');
            }
            line.extend_from_slice(self.name(symbol));
        }
    }

    fn name(&self, symbol: SymbolId) -> &[u8] {
        &self.names[symbol.index()]
    }
}
