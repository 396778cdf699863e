//! Builds a call tree from returns, which come callees first.
//!
//! The caller of a function is unknown until it returns itself. Until then its
//! callees are children of a node without a name. When the caller returns, that
//! node gets its name and is merged with earlier calls of that name.
//!
//! **Invariant:** memory is proportional to distinct paths and to returns,
//! never to a depth in the file: depths without a return are not filled in.

use profile::{Budget, Cost, NodeId, NumberMap, SymbolId, Tree, TreeBuilder};

/// A place in [`Forest::nodes`].
type Place = u32;

const ROOT: Place = 0;
const NONE: Place = Place::MAX;

/// The name of a function that never returned.
const UNKNOWN: SymbolId = SymbolId(u32::MAX);

/// The part of the tree that is known.
#[derive(Debug)]
pub(super) struct Forest {
    nodes: Vec<Node>,
    places: NumberMap<(Place, SymbolId), Place>,
    free: Vec<Place>,
    /// Callers without a name yet, by depth, the root first.
    open: Vec<(u32, Place)>,
    budget: Budget,
}

/// The noun in the budget's error message.
const PATHS: &str = "call paths";

#[derive(Debug, Clone, Copy)]
struct Node {
    symbol: SymbolId,
    /// Nanoseconds.
    own: u64,
    calls: u64,
    first_child: Place,
    next_sibling: Place,
}

const FRESH: Node = Node {
    symbol: SymbolId::ROOT,
    own: 0,
    calls: 0,
    first_child: NONE,
    next_sibling: NONE,
};

impl Forest {
    /// The root, with room for as many nodes as the budget allows. Nothing is
    /// added once the budget is exceeded.
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            nodes: vec![FRESH],
            places: NumberMap::default(),
            free: Vec::new(),
            open: vec![(0, ROOT)],
            budget: budget.clone(),
        }
    }

    /// Memory for the nodes that one return may add.
    fn has_room(&mut self) -> bool {
        let Self {
            nodes,
            places,
            free,
            open,
            budget,
        } = self;
        let outcome = (budget.room_for(nodes, 4, PATHS))
            .and_then(|()| budget.room_for(open, 2, PATHS))
            .and_then(|()| budget.room_for(free, 1, PATHS))
            .and_then(|()| budget.room_in_map(places, PATHS));
        outcome.is_ok()
    }

    /// A function returned from `depth`: 1 is a callee of the root.
    pub(super) fn returned(&mut self, depth: u32, symbol: SymbolId, own: u64) {
        let Some(above) = depth.checked_sub(1) else {
            return;
        };
        if !self.has_room() {
            return;
        }
        self.close_above(depth);
        let place = match self.open.last() {
            Some(&(open, place)) if open == depth => {
                self.open.pop();
                place
            }
            _ => self.fresh(),
        };
        let node = self.node(place);
        node.own = node.own.saturating_add(own);
        node.calls = node.calls.saturating_add(1);
        let caller = match self.open.last() {
            Some(&(open, caller)) if open == above => caller,
            _ => {
                let caller = self.fresh();
                self.open.push((above, caller));
                caller
            }
        };
        self.attach(caller, place, symbol);
    }

    /// The tree of all calls that returned. Callers that never returned get
    /// their names from `unknown`.
    pub(super) fn finish(mut self, root_own: u64, mut unknown: impl FnMut() -> SymbolId) -> Tree {
        self.close_above(0);
        let mut builder = TreeBuilder::within(&self.budget);
        *builder.cost(NodeId::ROOT) += Cost {
            calls: 1,
            wall: root_own,
            ..Cost::default()
        };
        let mut walk = Vec::new();
        self.push_children(ROOT, NodeId::ROOT, &mut walk);
        while let Some((place, caller)) = walk.pop() {
            let node = self.nodes[place as usize];
            let symbol = match node.symbol {
                UNKNOWN => unknown(),
                symbol => symbol,
            };
            let id = builder.child(caller, symbol);
            *builder.cost(id) += Cost {
                calls: node.calls,
                wall: node.own,
                ..Cost::default()
            };
            self.push_children(place, id, &mut walk);
        }
        builder.finish_self_costs()
    }

    /// The latest first, so that the earliest is on top of the stack.
    fn push_children(&self, place: Place, id: NodeId, walk: &mut Vec<(Place, NodeId)>) {
        let mut child = self.nodes[place as usize].first_child;
        while let Some(node) = self.nodes.get(child as usize) {
            walk.push((child, id));
            child = node.next_sibling;
        }
    }

    /// Names callers deeper than `depth` that never returned.
    fn close_above(&mut self, depth: u32) {
        while let Some(&(open, place)) = self.open.last()
            && open > depth
        {
            self.open.pop();
            // Below the next caller that exists, at any distance.
            let caller = match self.open.last() {
                Some(&(next, caller)) if next >= depth => caller,
                _ => {
                    let caller = self.fresh();
                    self.open.push((depth, caller));
                    caller
                }
            };
            self.attach(caller, place, UNKNOWN);
        }
    }

    fn attach(&mut self, caller: Place, place: Place, symbol: SymbolId) {
        if let Some(&same) = self.places.get(&(caller, symbol)) {
            self.merge(same, place);
            return;
        }
        self.places.insert((caller, symbol), place);
        let first = std::mem::replace(&mut self.node(caller).first_child, place);
        let node = self.node(place);
        node.symbol = symbol;
        node.next_sibling = first;
    }

    /// Merges a node and its descendants into another node, and frees it.
    fn merge(&mut self, into: Place, from: Place) {
        let mut todo = vec![(into, from)];
        while let Some((into, from)) = todo.pop() {
            let gone = self.nodes[from as usize];
            let node = self.node(into);
            node.own = node.own.saturating_add(gone.own);
            node.calls = node.calls.saturating_add(gone.calls);
            // The earliest first, as without the intermediate node.
            let mut children = Vec::new();
            let mut child = gone.first_child;
            while let Some(node) = self.nodes.get(child as usize) {
                children.push((child, node.symbol));
                child = node.next_sibling;
            }
            for (child, symbol) in children.into_iter().rev() {
                self.places.remove(&(from, symbol));
                match self.places.get(&(into, symbol)) {
                    Some(&same) => todo.push((same, child)),
                    None => self.attach(into, child, symbol),
                }
            }
            self.free.push(from);
        }
    }

    fn node(&mut self, place: Place) -> &mut Node {
        &mut self.nodes[place as usize]
    }

    fn fresh(&mut self) -> Place {
        if let Some(place) = self.free.pop() {
            *self.node(place) = FRESH;
            return place;
        }
        let place = Place::try_from(self.nodes.len()).unwrap_or(NONE);
        self.nodes.push(FRESH);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths, calls and self costs of the tree built from the returns.
    fn tree(returns: &[(u32, u32, u64)]) -> Vec<(Vec<u32>, u64, i64)> {
        let mut forest = Forest::within(&Budget::unlimited());
        for &(depth, symbol, own) in returns {
            forest.returned(depth, SymbolId(symbol), own);
        }
        let tree = forest.finish(7, || SymbolId(99));
        let own = tree.self_costs();
        let nodes = (0..).zip(&tree.nodes).zip(own);
        let mut paths: Vec<_> = nodes
            .map(|((number, node), own)| {
                let path = tree.path(NodeId(number));
                let path = path.iter().skip(1).map(|symbol| symbol.0).collect();
                (path, node.cost.calls, own.wall)
            })
            .collect();
        paths.sort();
        paths
    }

    #[test]
    fn callees_hang_below_who_returns_after_them() {
        // a(b(c), b), then a(b(d)), then c.
        let returns = [
            (3, 3, 1),
            (2, 2, 10),
            (2, 2, 20),
            (1, 1, 100),
            (3, 4, 2),
            (2, 2, 40),
            (1, 1, 200),
            (1, 3, 5),
        ];
        assert_eq!(
            tree(&returns),
            [
                (vec![], 1, 7),
                (vec![1], 2, 300),
                (vec![1, 2], 3, 70),
                (vec![1, 2, 3], 1, 1),
                (vec![1, 2, 4], 1, 2),
                (vec![3], 1, 5),
            ]
        );
    }

    #[test]
    fn what_never_returned_has_no_name_and_keeps_its_callees() {
        assert_eq!(
            tree(&[(1, 1, 1), (3, 3, 2), (3, 3, 4)]),
            [
                (vec![], 1, 7),
                (vec![1], 1, 1),
                (vec![99], 0, 0),
                (vec![99, 3], 2, 6),
            ]
        );
    }

    #[test]
    fn a_depth_is_only_a_claim() {
        let mut forest = Forest::within(&Budget::unlimited());
        for _ in 0..1000 {
            forest.returned(u32::MAX, SymbolId(1), 1);
            forest.returned(1, SymbolId(2), 1);
        }
        assert!(forest.nodes.len() < 20);
        assert_eq!(forest.finish(0, || SymbolId(99)).nodes.len(), 4);
    }
}
