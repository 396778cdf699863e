//! A canonical order: profiles with the same content become equal.
//!
//! Merging in another order numbers symbols and nodes differently, with the
//! same meaning. Writers keep the order of first calls, which is more
//! informative.

use crate::{
    Activation, Body, Cost, Edge, EdgeTable, EventKind, Events, Node, NodeId, Profile, Sample,
    Samples, StackNode, SymbolId, Tree,
};

impl Profile {
    /// The same profile in the canonical order: symbols by name behind the
    /// root, nodes depth first, siblings and edges by symbol, samples by time
    /// and stack, spans by time, tags by name. Events keep the order of time.
    #[must_use]
    pub fn canonical(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.symbols.len()).collect();
        let name = |place: &usize| self.symbols.get(*place).map(|symbol| &symbol.name);
        if let Some(others) = order.get_mut(1..) {
            others.sort_by(|one, other| name(one).cmp(&name(other)));
        }
        let mut numbers = vec![SymbolId::ROOT; order.len()];
        for (number, &place) in (0..).zip(&order) {
            if let Some(entry) = numbers.get_mut(place) {
                *entry = SymbolId(number);
            }
        }
        let symbols = order.iter().filter_map(|&place| self.symbols.get(place));
        self.symbols = symbols.cloned().collect();
        let number = |symbol: SymbolId| numbers.get(symbol.index()).copied().unwrap_or(symbol);
        self.body = match self.body {
            Body::Edges(table) => Body::Edges(edges(table, number)),
            Body::Tree(it) => Body::Tree(tree(it, number).0),
            Body::Samples(it) => Body::Samples(samples(it, number)),
            Body::Events(it) => Body::Events(events(it, number)),
        };
        self.spans = self.spans.canonical(number);
        self.meta.tags.sort();
        self
    }
}

fn edges(table: EdgeTable, number: impl Fn(SymbolId) -> SymbolId) -> EdgeTable {
    let end = |activation: Activation| Activation {
        symbol: number(activation.symbol),
        ..activation
    };
    let edges = table.edges.into_iter().map(|edge| Edge {
        caller: end(edge.caller),
        callee: end(edge.callee),
        ..edge
    });
    let mut edges: Vec<Edge> = edges.collect();
    edges.sort_by_key(|edge| (edge.caller, edge.callee));
    EdgeTable { edges, ..table }
}

/// The sorted tree, and the new number of each of its nodes.
fn tree(mut tree: Tree, number: impl Fn(SymbolId) -> SymbolId) -> (Tree, Vec<NodeId>) {
    for node in &mut tree.nodes {
        node.symbol = number(node.symbol);
    }
    let children = tree.children();
    let mut places = vec![NodeId::ROOT; tree.nodes.len()];
    let mut nodes = Vec::with_capacity(tree.nodes.len());
    let mut walk = vec![(NodeId::ROOT, NodeId::ROOT)];
    while let Some((id, parent)) = walk.pop() {
        let Some(&node) = tree.nodes.get(id.index()) else {
            continue;
        };
        let place = NodeId(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
        nodes.push(Node { parent, ..node });
        if let Some(entry) = places.get_mut(id.index()) {
            *entry = place;
        }
        let start = walk.len();
        walk.extend(children.of(id).iter().map(|&child| (child, place)));
        let symbol = |id: NodeId| tree.nodes.get(id.index()).map(|node| node.symbol);
        if let Some(siblings) = walk.get_mut(start..) {
            siblings.sort_by_key(|&(child, _)| std::cmp::Reverse(symbol(child)));
        }
    }
    (Tree { nodes }, places)
}

fn samples(samples: Samples, number: impl Fn(SymbolId) -> SymbolId) -> Samples {
    let stacks = samples.stacks.into_iter().map(|stack| Node {
        parent: stack.parent,
        symbol: stack.symbol,
        cost: Cost::default(),
    });
    let stacks = Tree {
        nodes: stacks.collect(),
    };
    let (stacks, places) = tree(stacks, number);
    let moved = samples.samples.into_iter().map(|sample| Sample {
        stack: places
            .get(sample.stack.index())
            .copied()
            .unwrap_or_default(),
        ..sample
    });
    let mut moved: Vec<Sample> = moved.collect();
    moved.sort_by_key(|sample| (sample.at, sample.stack, sample.weight));
    let stacks = stacks.nodes.into_iter().map(|node| StackNode {
        parent: node.parent,
        symbol: node.symbol,
    });
    Samples {
        stacks: stacks.collect(),
        samples: moved,
    }
}

fn events(mut events: Events, number: impl Fn(SymbolId) -> SymbolId) -> Events {
    for event in &mut events.events {
        if let EventKind::Enter(symbol) = &mut event.kind {
            *symbol = number(*symbol);
        }
    }
    events
}
