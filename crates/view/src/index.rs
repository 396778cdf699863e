//! What is computed once of a profile, so that questions are answered quickly.

use profile::{Body, Cost, FlatRow, FlatTable, Profile, SymbolId, Tree, TreeBuilder};

use crate::lanes::{Lanes, TopNodes};
use crate::tree::OrderedTree;

/// What is computed once of a profile.
#[derive(Debug)]
pub(crate) struct Index {
    /// None if the profile holds callers and callees only, or is listed only.
    pub(crate) tree: Option<OrderedTree>,
    /// The cost of each function.
    pub(crate) flat: FlatTable,
    /// Row of each symbol in `flat`; `u32::MAX` for those without one.
    rows: Vec<u32>,
    /// Known for events, and for samples with times.
    pub(crate) time: Option<Times>,
}

/// When things happened.
#[derive(Debug)]
pub(crate) struct Times {
    pub(crate) lanes: Lanes,
    pub(crate) tops: TopNodes,
}

impl Index {
    /// Takes the call tree out of the profile, if that is its body: a second
    /// copy of a large one would not fit. [`Index::lend_tree`] gives it back.
    /// `base` has the cost of each node of that tree in the base, if two
    /// profiles are compared.
    pub(crate) fn new(profile: &mut Profile, base: Option<Vec<Cost>>) -> Self {
        let symbols = profile.symbols.len();
        let (tree, mut time) = tree_and_times(profile);
        let tree = tree.map(|tree| {
            OrderedTree::new(tree, symbols, base, |places| {
                if let Some(time) = &mut time {
                    time.lanes.renumber(places);
                    time.tops.renumber(places);
                }
            })
        });
        let flat = match &tree {
            Some(tree) => tree.flat(),
            None => FlatTable::new(profile),
        };
        Self::of(symbols, tree, flat, time)
    }

    /// The table of functions alone; the profile keeps its body.
    pub(crate) fn of_costs(profile: &Profile) -> Self {
        Self::of(profile.symbols.len(), None, FlatTable::new(profile), None)
    }

    /// That of a profile whose call tree is known.
    pub(crate) fn of_tree(symbols: usize, tree: OrderedTree) -> Self {
        let flat = tree.flat();
        Self::of(symbols, Some(tree), flat, None)
    }

    fn of(symbols: usize, tree: Option<OrderedTree>, flat: FlatTable, time: Option<Times>) -> Self {
        let mut rows = vec![u32::MAX; symbols];
        for (number, row) in (0_u32..).zip(&flat.rows) {
            rows[row.symbol.index()] = number;
        }
        Self {
            tree,
            flat,
            rows,
            time,
        }
    }

    /// Calls `with` while the profile has its call tree.
    pub(crate) fn lend_tree<T>(
        &self,
        profile: &mut Profile,
        with: impl FnOnce(&Profile) -> T,
    ) -> T {
        let (Body::Tree(body), Some(ordered)) = (&mut profile.body, &self.tree) else {
            return with(profile);
        };
        *body = ordered.to_tree();
        let result = with(profile);
        if let Body::Tree(body) = &mut profile.body {
            *body = Tree { nodes: Vec::new() };
        }
        result
    }

    /// The row of a function in the table; none if it has no cost.
    pub(crate) fn row(&self, symbol: SymbolId) -> Option<&FlatRow> {
        let row = *self.rows.get(symbol.index())?;
        self.flat.rows.get(row as usize)
    }
}

/// The call tree, taken out of the profile if that is its body; and when things
/// happened, with nodes as that tree numbers them.
fn tree_and_times(profile: &mut Profile) -> (Option<Tree>, Option<Times>) {
    match &mut profile.body {
        Body::Edges(_) => (None, None),
        Body::Tree(tree) => {
            let taken = Tree { nodes: Vec::new() };
            let taken = std::mem::replace(tree, taken);
            // A tree has its root, even if nothing was recorded.
            let tree = if taken.nodes.is_empty() {
                TreeBuilder::new().finish()
            } else {
                taken
            };
            (Some(tree), None)
        }
        Body::Events(events) => {
            let (lanes, tops, tree) = Lanes::of_events(events);
            (Some(tree), Some(Times { lanes, tops }))
        }
        Body::Samples(samples) => {
            let has_times = samples.samples.iter().any(|sample| sample.at > 0);
            let times = has_times.then(|| Times {
                lanes: Lanes::of_samples(samples),
                tops: TopNodes::Stacks((0..).take(samples.stacks.len()).collect()),
            });
            (Some(samples.to_tree()), times)
        }
    }
}
