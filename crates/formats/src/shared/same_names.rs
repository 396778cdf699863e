//! Merges paths that a format cannot distinguish.
//!
//! Some formats require changed names, and two functions may get the same name.
//! Their costs are added up, so that a stack remains one line.

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{NodeId, SymbolId, Table, Tree, TreeBuilder};

/// The first symbol that has the name of each.
pub(crate) fn canonical(names: &[Vec<u8>]) -> Table<SymbolId, SymbolId> {
    let mut first: HashMap<&[u8], SymbolId> = HashMap::with_capacity(names.len());
    let names = (0..).zip(names);
    names
        .map(|(number, name)| *first.entry(name).or_insert(SymbolId(number)))
        .collect()
}

/// The tree with one symbol for all that have the same name in `names`, a list
/// by symbol.
pub(crate) fn merged<'t>(tree: &'t Tree, names: &[Vec<u8>]) -> Cow<'t, Tree> {
    let canonical = canonical(names);
    if (0..)
        .zip(canonical.iter())
        .all(|(number, first)| first.0 == number)
    {
        return Cow::Borrowed(tree);
    }
    let mut builder = TreeBuilder::new();
    let mut places = Table::new(NodeId::ROOT, tree.nodes.len());
    for (number, node) in tree.numbered() {
        let place = if number == NodeId::ROOT {
            NodeId::ROOT
        } else {
            builder.child(places[node.parent], canonical[node.symbol])
        };
        places[number] = place;
        *builder.cost(place) += node.cost;
    }
    Cow::Owned(builder.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::Cost;

    #[test]
    fn siblings_of_one_name_are_one_and_keep_their_sums() {
        let mut builder = TreeBuilder::new();
        let a = builder.child(NodeId::ROOT, SymbolId(1));
        let b = builder.child(NodeId::ROOT, SymbolId(2));
        let below = builder.child(b, SymbolId(1));
        for (node, wall) in [(NodeId::ROOT, 1), (a, 2), (b, 4), (below, 8)] {
            builder.cost(node).wall = wall;
        }
        let tree = builder.finish_self_costs();
        let names = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let names: [Vec<_>; 2] = [names(&["m", "a", "b"]), names(&["m", "a", "a"])];
        assert!(matches!(merged(&tree, &names[0]), Cow::Borrowed(_)));
        let merged = merged(&tree, &names[1]);
        let costs: Vec<_> = merged.nodes.iter().map(|node| node.cost).collect();
        let wall = |wall| Cost {
            wall,
            ..Cost::default()
        };
        assert_eq!(costs, [wall(15), wall(14), wall(8)]);
    }
}
