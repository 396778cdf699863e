//! What source lines cost, by traced calls that know the line they were called from.
//!
//! The line of a call is known, and how long it took; what a function costs between its
//! calls has no line.

use std::collections::HashMap;

use crate::table::{known, known_mut};
use crate::{
    Budget, CallLine, Children, LinePlace, Lines, LinesBuilder, Node, NodeId, SelfCost, Symbol,
    Tree, TreeBuilder,
};

/// A call tree whose paths also differ by the lines of their calls.
#[derive(Debug, Clone)]
pub struct CalledTree {
    /// The nodes, parents before children. Siblings of one function differ by their lines.
    pub nodes: Vec<Node>,
    /// The line of each node's calls, in its caller.
    pub lines: Vec<CallLine>,
}

/// What the walk takes for each node, in bytes: its place, own cost, children, visit, and
/// entries of three tables.
const WALK: usize = 208;

/// A call of the walk: its node, the line that called it, or the nearest function with lines
/// below it, and whether the walk enters it.
type Visit = (NodeId, Option<LinePlace>, bool);

impl CalledTree {
    /// The paths without lines.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let mut builder = TreeBuilder::new();
        let mut places = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            let place = match index {
                0 => NodeId::ROOT,
                _ => {
                    let parent = known(&places, node.parent).copied().unwrap_or_default();
                    builder.child(parent, node.symbol)
                }
            };
            places.push(place);
            *builder.cost(place) += node.cost;
        }
        builder.finish()
    }

    /// The lines with the number of their calls, and what these cost. A line, or a function
    /// that it calls, that is on a path several times has the cost of its outermost call.
    /// Files have the numbers of [`CallLine::file`], from 1. Once the budget is exceeded,
    /// lines are left out.
    #[must_use]
    pub fn costs_of_lines(
        &self,
        files: &[Box<[u8]>],
        symbols: &[Symbol],
        budget: &Budget,
    ) -> Lines {
        let walk = self.nodes.len().saturating_mul(WALK);
        if budget.take(walk, "source lines").is_err() {
            return Lines::default();
        }
        let lines = self.walk(files, symbols, LinesBuilder::within(budget));
        budget.give_back(walk);
        lines
    }

    fn walk(&self, files: &[Box<[u8]>], symbols: &[Symbol], mut builder: LinesBuilder) -> Lines {
        let places = self.places(&mut builder, files, symbols);
        let children = Children::of_parents(self.nodes.iter().map(|node| node.parent));
        let own = own_costs(&self.nodes);
        let mut open_lines = Open::default();
        let mut open_calls = Open::default();
        let mut walk: Vec<Visit> = vec![(NodeId::ROOT, None, true)];
        while let Some((id, below, is_entered)) = walk.pop() {
            let Some(node) = known(&self.nodes, id) else {
                continue;
            };
            let called = places.get(id.index()).copied().flatten();
            let keys = called.map(|(place, line)| (line, (place.index(), node.symbol.0)));
            if !is_entered {
                if let Some((line, call)) = keys {
                    open_lines.close(&line);
                    open_calls.close(&call);
                }
                continue;
            }
            let symbol = symbols.get(node.symbol.index());
            let has_no_lines = symbol.is_some_and(|symbol| symbol.internal);
            let below = called.map(|(place, _)| place).or(below);
            if let (Some(below), true) = (below, has_no_lines) {
                builder.add_builtin(below, own.get(id.index()).copied().unwrap_or_default());
            }
            if let (Some((place, _)), Some((line, call))) = (called, keys) {
                let mut cost = SelfCost::default();
                cost.add(node.cost);
                let once = |is_outermost: bool| {
                    if is_outermost {
                        cost
                    } else {
                        SelfCost::default()
                    }
                };
                let calls = node.cost.calls;
                builder.add_calls(place, calls, once(open_lines.open(line)));
                builder.add_callee(place, node.symbol, calls, once(open_calls.open(call)));
                walk.push((id, None, false));
            }
            let below = below.filter(|_| has_no_lines);
            let inner = children.of(id).iter();
            walk.extend(inner.map(|child| (*child, below, true)));
        }
        builder.finish()
    }

    /// The place of the line that calls each node, and the number of its file and line.
    fn places(
        &self,
        builder: &mut LinesBuilder,
        files: &[Box<[u8]>],
        symbols: &[Symbol],
    ) -> Vec<Option<(LinePlace, usize)>> {
        let mut numbers: HashMap<(u32, u32), usize> = HashMap::new();
        let places = self.nodes.iter().zip(&self.lines).map(|(node, at)| {
            let caller = known(&self.nodes, node.parent)?.symbol;
            let file = match at.file.checked_sub(1) {
                Some(number) => Some(&**files.get(number as usize)?),
                None => symbols.get(caller.index())?.file.as_deref(),
            };
            let file = builder.file(file?);
            let place = builder.line(caller, file, at.line)?;
            let next = numbers.len();
            let key = (file.map_or(u32::MAX, |file| file.0), at.line);
            Some((place, *numbers.entry(key).or_insert(next)))
        });
        places.collect()
    }
}

/// How often something is on the path that is walked.
#[derive(Default)]
struct Open<K>(HashMap<K, u32>);

impl<K: Eq + std::hash::Hash> Open<K> {
    /// Opens it; whether it was not open.
    fn open(&mut self, key: K) -> bool {
        let times = self.0.entry(key).or_insert(0);
        *times += 1;
        *times == 1
    }

    fn close(&mut self, key: &K) {
        if let Some(times) = self.0.get_mut(key) {
            *times -= 1;
        }
    }
}

fn own_costs(nodes: &[Node]) -> Vec<SelfCost> {
    let mut own = vec![SelfCost::default(); nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        if let Some(own) = own.get_mut(index) {
            own.add(node.cost);
        }
        if index > 0
            && let Some(parent) = known_mut(&mut own, node.parent)
        {
            parent.subtract(node.cost);
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cost, SymbolId};

    fn node(parent: u32, symbol: u32, calls: u64, wall: u64) -> Node {
        Node {
            parent: NodeId(parent),
            symbol: SymbolId(symbol),
            cost: Cost {
                calls,
                wall,
                ..Cost::default()
            },
        }
    }

    #[test]
    fn a_line_has_its_calls_and_recursion_counts_once() {
        let mut symbols = [&b"main()"[..], b"f", b"md5"].map(Symbol::new);
        symbols[1].file = Some(b"/f.php"[..].into());
        symbols[2].internal = true;
        let tree = CalledTree {
            nodes: vec![
                node(0, 0, 1, 100),
                // main() calls f on lines 3 and 4, f calls itself on line 9 and md5 on 8.
                node(0, 1, 2, 60),
                node(0, 1, 1, 20),
                node(1, 1, 2, 40),
                node(3, 1, 2, 15),
                node(4, 2, 4, 5),
            ],
            lines: [(0, 0), (1, 3), (1, 4), (0, 9), (0, 9), (0, 8)]
                .map(|(file, line)| CallLine { file, line })
                .to_vec(),
        };
        let lines = tree.costs_of_lines(&[b"/main.php"[..].into()], &symbols, &Budget::unlimited());
        let found = lines.list.iter().map(|line| {
            let file = lines.file(line.file).unwrap();
            let costs = (line.calls, line.callees.wall, line.builtin.wall);
            (
                String::from_utf8_lossy(file),
                line.line,
                line.symbol.0,
                costs,
            )
        });
        let mut found: Vec<_> = found.collect();
        found.sort();
        assert_eq!(
            found,
            [
                ("/f.php".into(), 8, 1, (4, 5, 5)),
                ("/f.php".into(), 9, 1, (4, 40, 0)),
                ("/main.php".into(), 3, 0, (2, 60, 0)),
                ("/main.php".into(), 4, 0, (1, 20, 0)),
            ]
        );
        let calls = lines.calls.iter();
        let calls = calls.map(|calls| (calls.line, calls.callee.0, calls.calls, calls.cost.wall));
        let mut calls: Vec<_> = calls.collect();
        calls.sort_unstable();
        assert_eq!(
            calls,
            [(3, 1, 2, 60), (4, 1, 1, 20), (8, 2, 4, 5), (9, 1, 4, 40)]
        );
        let merged = tree.tree();
        let merged = merged.nodes.iter();
        let merged = merged.map(|node| (node.parent.0, node.symbol.0, node.cost.wall));
        assert_eq!(
            merged.collect::<Vec<_>>(),
            [(0, 0, 100), (0, 1, 80), (1, 1, 40), (2, 1, 15), (3, 2, 5)]
        );
    }
}
