//! A profile without some functions, or with their recursion as one call.
//!
//! **Invariant:** what remains costs what it cost before. The cost of what is
//! left out is taken from all its callers.

use profile::{Body, Cost, Lines, NodeId, Profile, SymbolId, Tree, TreeBuilder};
use serde::Deserialize;

use crate::tree::OrderedTree;
use crate::{Document, Error};

/// How the call tree is changed before questions are answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Reshape {
    /// Functions that are left out, with all that they call.
    pub hidden: Vec<u32>,
    /// Functions whose calls within themselves are added to the outermost call.
    pub collapsed: Vec<u32>,
}

impl Reshape {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hidden.is_empty() && self.collapsed.is_empty()
    }
}

impl Document {
    /// The document after `reshape`, with the same functions. It has no order of time.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsStacks`], [`Error::UnknownFunction`].
    pub fn reshaped(&self, reshape: &Reshape) -> Result<Self, Error> {
        let tree = self.tree()?;
        let marked = |numbers: &[u32]| {
            let mut marked = vec![false; self.profile().symbols.len()];
            for number in numbers {
                marked[self.symbol(*number)?.index()] = true;
            }
            Ok::<_, Error>(marked)
        };
        let (hidden, collapsed) = (marked(&reshape.hidden)?, marked(&reshape.collapsed)?);
        let (shape, places) = reshaped(tree, &hidden, &collapsed);
        let new = at_costs(&shape, &places, tree, |node| tree.cost(node));
        let base = tree.has_base().then(|| {
            let base = at_costs(&shape, &places, tree, |node| tree.base_cost(node));
            base.nodes.iter().map(|node| node.cost).collect()
        });
        let profile = self.profile();
        let mut spans = profile.spans.clone();
        spans
            .list
            .retain(|span| !hidden[span.symbol.index()] && !hidden[span.caller.index()]);
        let part = Profile {
            symbols: profile.symbols.clone(),
            body: Body::Tree(new),
            metrics: profile.metrics,
            meta: profile.meta.clone(),
            spans,
            lines: Lines::default(),
        };
        Ok(Self::reshaped_from(self, part, base))
    }
}

/// The nodes that remain, and the place of each old node among them; none for what is
/// left out.
fn reshaped(
    tree: &OrderedTree,
    hidden: &[bool],
    collapsed: &[bool],
) -> (Tree, Vec<Option<NodeId>>) {
    let mut builder = TreeBuilder::new();
    let mut places: Vec<Option<NodeId>> = Vec::with_capacity(tree.len());
    // Of each collapsed function the call that is open: where it ends, and its place.
    let mut open: std::collections::HashMap<SymbolId, (u32, NodeId)> =
        std::collections::HashMap::new();
    for node in 0..tree.count() {
        let symbol = tree.symbol(node);
        let place = match tree.parent(node) {
            None => Some(NodeId::ROOT),
            Some(_) if hidden[symbol.index()] => None,
            Some(parent) => places[parent as usize].map(|parent| {
                if !collapsed[symbol.index()] {
                    return builder.child(parent, symbol);
                }
                if let Some((end, place)) = open.get(&symbol)
                    && node < *end
                {
                    return *place;
                }
                let place = builder.child(parent, symbol);
                open.insert(symbol, (tree.end(node), place));
                place
            }),
        };
        places.push(place);
    }
    (builder.finish(), places)
}

/// The tree with the costs of the old nodes.
fn at_costs(
    shape: &Tree,
    places: &[Option<NodeId>],
    tree: &OrderedTree,
    cost: impl Fn(u32) -> Cost,
) -> Tree {
    let mut nodes = shape.nodes.clone();
    let add = |sum: &mut Cost, cost: Cost, sign: i64| {
        // Within one place, what a callee cost is counted once.
        let part = |sum: u64, cost: u64| match sign {
            1 => sum.saturating_add(cost),
            _ => sum.saturating_sub(cost),
        };
        sum.wall = part(sum.wall, cost.wall);
        sum.cpu = part(sum.cpu, cost.cpu);
        sum.memory = sum.memory.saturating_add(cost.memory.saturating_mul(sign));
        sum.peak = sum.peak.saturating_add(cost.peak.saturating_mul(sign));
    };
    // Own costs first: of all nodes at a place, less those of their callees.
    for (node, place) in (0_u32..).zip(places) {
        let Some(place) = place else { continue };
        let own = &mut nodes[place.index()].cost;
        let cost_of_node = cost(node);
        own.calls = own.calls.saturating_add(cost_of_node.calls);
        let mut rest = cost_of_node;
        for child in tree.children(node) {
            add(&mut rest, cost(child), -1);
        }
        add(own, rest, 1);
    }
    for index in (1..nodes.len()).rev() {
        let below = nodes[index].cost;
        let parent = nodes[index].parent.index();
        add(&mut nodes[parent].cost, below, 1);
    }
    Tree { nodes }
}
