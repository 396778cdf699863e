//! A canonical order: profiles with the same content become equal.
//!
//! Merging in another order numbers symbols and nodes differently, with the
//! same meaning. Writers keep the order of first calls, which is more
//! informative.

use crate::{
    Activation, Body, Cost, Edge, EdgeTable, EventKind, Events, FileId, LinedId, LinedStack,
    LinedStacks, Lines, Node, NodeId, Profile, Sample, Samples, StackNode, SymbolId, Table, Tree,
};

impl Profile {
    /// The same profile in the canonical order: symbols by name behind the
    /// root, nodes depth first, siblings and edges by symbol, samples by time
    /// and stack, spans by time, tags and files by name. Events keep the order of time.
    #[must_use]
    pub fn canonical(mut self) -> Self {
        let mut order: Vec<SymbolId> = (0..).take(self.symbols.len()).map(SymbolId).collect();
        if let Some((_, others)) = order.split_first_mut() {
            others.sort_by(|one, other| self.name(*one).cmp(self.name(*other)));
        }
        let mut numbers = Table::new(SymbolId::ROOT, order.len());
        for (number, &symbol) in (0..).zip(&order) {
            numbers[symbol] = SymbolId(number);
        }
        let symbols = order.iter().map(|&symbol| self.symbol(symbol).clone());
        self.symbols = symbols.collect();
        let number = |symbol: SymbolId| numbers[symbol];
        self.body = match self.body {
            Body::Edges(table) => Body::Edges(edges(table, number)),
            Body::Tree(it) => Body::Tree(tree(it, number).0),
            Body::Samples(it) => Body::Samples(samples(it, number)),
            Body::Events(it) => Body::Events(events(it, number)),
        };
        self.spans = self.spans.canonical(number);
        self.lines = lines(self.lines, number);
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
    EdgeTable {
        edges,
        root: table.root,
    }
}

/// The sorted tree, and the new number of each of its nodes.
fn tree(mut tree: Tree, number: impl Fn(SymbolId) -> SymbolId) -> (Tree, Table<NodeId, NodeId>) {
    for node in &mut tree.nodes {
        node.symbol = number(node.symbol);
    }
    let children = tree.children();
    let mut places = Table::new(NodeId::ROOT, tree.nodes.len());
    let mut nodes = Vec::with_capacity(tree.nodes.len());
    let mut walk = vec![(NodeId::ROOT, NodeId::ROOT)];
    while let Some((id, parent)) = walk.pop() {
        let place = NodeId::of(nodes.len());
        nodes.push(Node { parent, ..tree[id] });
        places[id] = place;
        let start = walk.len();
        walk.extend(children.of(id).iter().map(|&child| (child, place)));
        let (_, siblings) = walk.split_at_mut_checked(start).unwrap_or_default();
        siblings.sort_by_key(|&(child, _)| std::cmp::Reverse(tree[child].symbol));
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
    let (lined, lined_places) = lined(&samples.lined, &places);
    let moved = samples.samples.into_iter().map(|sample| Sample {
        stack: places[sample.stack],
        lined: lined_places[sample.lined],
        ..sample
    });
    let mut moved: Vec<Sample> = moved.collect();
    moved.sort_by_key(|sample| (sample.at, sample.stack, sample.lined, sample.weight));
    let stacks = stacks.nodes.into_iter().map(|node| StackNode {
        parent: node.parent,
        symbol: node.symbol,
    });
    Samples {
        stacks: stacks.collect(),
        lined,
        samples: moved,
    }
}

/// The stacks with lines depth first, and the new number of each.
fn lined(
    lined: &LinedStacks,
    stacks: &Table<NodeId, NodeId>,
) -> (LinedStacks, Table<LinedId, LinedId>) {
    let (files, numbers) = sorted(&lined.files);
    let children = lined.children();
    let mut places = Table::new(LinedId::UNKNOWN, lined.list.len() + 1);
    let mut list = Vec::with_capacity(lined.list.len());
    let mut walk = vec![(NodeId::ROOT, LinedId::UNKNOWN)];
    while let Some((node, parent)) = walk.pop() {
        let mut place = LinedId::UNKNOWN;
        if let Some(stack) = lined.get(LinedId(node.0)) {
            place = LinedId::of(list.len());
            list.push(LinedStack {
                parent,
                stack: stacks[stack.stack],
                file: stack.file.map(|file| numbers[file.0]),
                line: stack.line,
            });
            places[LinedId(node.0)] = place;
        }
        let start = walk.len();
        walk.extend(children.of(node).iter().map(|&child| (child, place)));
        let (_, siblings) = walk.split_at_mut_checked(start).unwrap_or_default();
        siblings.sort_by_key(|&(child, _)| {
            let stack = lined.get(LinedId(child.0));
            let key = |stack: &LinedStack| {
                let file = stack.file.map(|file| numbers[file.0]);
                (stacks[stack.stack], file, stack.line)
            };
            std::cmp::Reverse(stack.map(key))
        });
    }
    (LinedStacks { files, list }, places)
}

/// The names in order, and the new number of each.
fn sorted(files: &[Box<[u8]>]) -> (Vec<Box<[u8]>>, Table<u32, FileId>) {
    let mut order: Vec<(&Box<[u8]>, u32)> = files.iter().zip(0..).collect();
    order.sort();
    let mut numbers = Table::new(FileId(0), files.len());
    for (number, (_, file)) in (0..).zip(&order) {
        numbers[*file] = FileId(number);
    }
    let names = order.into_iter().map(|(name, _)| name.clone());
    (names.collect(), numbers)
}

fn lines(mut lines: Lines, number: impl Fn(SymbolId) -> SymbolId) -> Lines {
    let (files, numbers) = sorted(&lines.files);
    for line in &mut lines.list {
        line.symbol = number(line.symbol);
        line.file = line.file.map(|file| numbers[file.0]);
    }
    for calls in &mut lines.calls {
        calls.caller = number(calls.caller);
        calls.callee = number(calls.callee);
        calls.file = calls.file.map(|file| numbers[file.0]);
    }
    lines.files = files;
    lines.sort();
    lines
}

fn events(mut events: Events, number: impl Fn(SymbolId) -> SymbolId) -> Events {
    for event in &mut events.events {
        if let EventKind::Enter(symbol) = &mut event.kind {
            *symbol = number(*symbol);
        }
    }
    events
}
