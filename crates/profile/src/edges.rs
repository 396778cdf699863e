//! Edges, XHProf's shape: caller, callee, and the summed cost of those calls.
//!
//! Each end has its recursion level, so that a recursive call's cost stays
//! separate from the outer call's.
//!
//! **Invariant:** no edge leads to the root, and no two edges have the same
//! ends.

use crate::{Cost, NumberMap, SymbolId, Table};

/// A function at one recursion level: XHProf's `f@2` is level 2 of `f`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Activation {
    /// The function.
    pub symbol: SymbolId,
    /// The number of outer open frames of the same function.
    pub level: u32,
}

/// Caller and callee, with the summed cost of those calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The caller.
    pub caller: Activation,
    /// The callee.
    pub callee: Activation,
    /// What the calls cost, callees included.
    pub cost: Cost,
}

/// All edges of one profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeTable {
    /// The inclusive cost of the root, `main()`.
    pub root: Cost,
    /// In the order in which each edge first completed a call, where known.
    pub edges: Vec<Edge>,
}

/// Edges that can be iterated, in any representation.
pub trait Edges {
    /// The inclusive cost of the root, `main()`.
    fn root(&self) -> Cost;

    /// How many edges there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All edges, each time in the same order.
    fn iter(&self) -> impl Iterator<Item = Edge>;
}

impl Edges for EdgeTable {
    fn root(&self) -> Cost {
        self.root
    }

    fn len(&self) -> usize {
        self.edges.len()
    }

    fn iter(&self) -> impl Iterator<Item = Edge> {
        self.edges.iter().copied()
    }
}

impl EdgeTable {
    /// The root activation, from which every other is called.
    pub const ROOT: Activation = Activation {
        symbol: SymbolId::ROOT,
        level: 0,
    };

    /// The lowest level at which each symbol was called: zero, unless the
    /// profile is a part of a larger one.
    #[must_use]
    pub fn outermost_levels(&self, symbols: usize) -> Table<SymbolId, u32> {
        let mut levels = Table::new(u32::MAX, symbols);
        for edge in &self.edges {
            let level = &mut levels[edge.callee.symbol];
            *level = (*level).min(edge.callee.level);
        }
        levels
    }

    /// All recorded calls, that of `main()` included.
    #[must_use]
    pub fn calls(&self) -> u64 {
        let calls = self.edges.iter().map(|edge| edge.cost.calls);
        calls.fold(self.root.calls, u64::saturating_add)
    }
}

/// Adds up the edges between the same two activations, in the order in which
/// they first come.
#[derive(Debug, Default)]
pub(crate) struct EdgeSum {
    root: Cost,
    /// The place of each pair in `edges`.
    places: NumberMap<(Activation, Activation), usize>,
    edges: Vec<Edge>,
}

impl EdgeSum {
    /// Adds to the cost of the whole profile.
    pub(crate) fn add_root(&mut self, cost: Cost) {
        self.root += cost;
    }

    /// Adds to an edge.
    pub(crate) fn add(&mut self, caller: Activation, callee: Activation, cost: Cost) {
        let next = self.edges.len();
        let place = *self.places.entry((caller, callee)).or_insert(next);
        match self.edges.get_mut(place) {
            Some(edge) => edge.cost += cost,
            None => self.edges.push(Edge {
                caller,
                callee,
                cost,
            }),
        }
    }

    /// All edges.
    pub(crate) fn finish(self) -> EdgeTable {
        EdgeTable {
            edges: self.edges,
            root: self.root,
        }
    }
}
