//! The call trees of flame graphs: the profile's with the base's costs, or
//! those of each class or file.
//!
//! **Invariant:** the base's tree has the same nodes as the profile's. A path
//! that only one of them called costs zero in the other.

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{Cost, NodeId, Profile, Symbol, SymbolId, Table, Tree, TreeBuilder};

use crate::{FlamePer, WriteError};

/// The maximum number of graphs in one file.
pub(crate) const MAX_GRAPHS: usize = 30;

/// A profile's stacks, and the base's.
#[derive(Debug, Clone)]
pub(crate) struct Stacks<'p> {
    /// The functions of both.
    pub symbols: Vec<&'p Symbol>,
    /// The call tree and its costs.
    pub tree: Cow<'p, Tree>,
    /// The same nodes with the base's costs.
    pub base: Option<Tree>,
    /// The root's name, if it is not `main()`.
    pub label: Option<String>,
}

impl<'p> Stacks<'p> {
    /// The stacks of `profile`, beside those of `base`.
    ///
    /// # Errors
    ///
    /// [`WriteError::NeedsStacks`] if one of them does not know any, and
    /// [`WriteError::BaseDiffers`] if one counts time and the other samples.
    pub(crate) fn new(
        profile: &'p Profile,
        base: Option<&'p Profile>,
        format: &'static str,
    ) -> Result<Self, WriteError> {
        let tree = |of: &'p Profile| of.tree().ok_or(WriteError::NeedsStacks { format });
        let stacks = Self {
            symbols: profile.symbols.iter().collect(),
            tree: tree(profile)?,
            base: None,
            label: None,
        };
        let Some(base) = base else {
            return Ok(stacks);
        };
        if base.metrics.wall_unit != profile.metrics.wall_unit {
            return Err(WriteError::BaseDiffers);
        }
        Ok(stacks.beside(base, &*tree(base)?))
    }

    fn beside(self, base: &'p Profile, base_tree: &Tree) -> Self {
        let mut symbols = self.symbols;
        let mut numbers: HashMap<&[u8], SymbolId> = (0..)
            .zip(&symbols)
            .map(|(number, symbol)| (&*symbol.name, SymbolId(number)))
            .collect();
        let base_symbols: Table<SymbolId, SymbolId> = base
            .symbols
            .iter()
            .map(|symbol| {
                *numbers.entry(&symbol.name).or_insert_with(|| {
                    symbols.push(symbol);
                    SymbolId(u32::try_from(symbols.len() - 1).unwrap_or(0))
                })
            })
            .collect();
        let mut builder = TreeBuilder::new();
        let same = |symbol| symbol;
        let new_places = graft(&mut builder, &self.tree, same);
        let base_places = graft(&mut builder, base_tree, |symbol| base_symbols[symbol]);
        let shape = builder.finish();
        Self {
            symbols,
            tree: Cow::Owned(at_costs(&shape, &self.tree, &new_places)),
            base: Some(at_costs(&shape, base_tree, &base_places)),
            label: self.label,
        }
    }

    /// Those of each class or file, the costliest first, and how many there
    /// are beyond [`MAX_GRAPHS`]; none for the whole program.
    pub(crate) fn split(&self, per: FlamePer) -> (Vec<Self>, usize) {
        let key = match per {
            FlamePer::Program => return (Vec::new(), 0),
            FlamePer::Class => class_of,
            FlamePer::File => file_of,
        };
        let mut groups: Vec<(&'p [u8], i64)> = Vec::new();
        let mut numbers: HashMap<&'p [u8], usize> = HashMap::new();
        let of_symbol: Table<SymbolId, Option<usize>> = self
            .symbols
            .iter()
            .map(|&symbol| {
                let name = key(symbol)?;
                Some(*numbers.entry(name).or_insert_with(|| {
                    groups.push((name, 0));
                    groups.len() - 1
                }))
            })
            .collect();
        for (node, own) in self.tree.nodes.iter().zip(self.tree.self_costs()) {
            if let Some(group) = of_symbol[node.symbol] {
                let (_, cost) = &mut groups[group];
                *cost = cost.saturating_add(own.wall);
            }
        }
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&number| {
            let (name, cost) = groups[number];
            (std::cmp::Reverse(cost), name)
        });
        let left_out = order.len().saturating_sub(MAX_GRAPHS);
        order.truncate(MAX_GRAPHS);
        let graphs = order.into_iter().map(|number| {
            let (name, _) = groups[number];
            Self {
                label: Some(crate::shared::text::lossy(name).into_owned()),
                ..self.of_group(|symbol| of_symbol[symbol] == Some(number))
            }
        });
        (graphs.collect(), left_out)
    }

    /// The calls to a group's functions from outside, with all they call.
    fn of_group(&self, is_in_group: impl Fn(SymbolId) -> bool) -> Self {
        let mut builder = TreeBuilder::new();
        let mut places: Table<NodeId, Option<NodeId>> = Table::new(None, self.tree.nodes.len());
        for (number, node) in self.tree.numbered() {
            let parent = match places[node.parent] {
                Some(parent) if number != NodeId::ROOT => Some(parent),
                _ if is_in_group(node.symbol) => Some(NodeId::ROOT),
                _ => None,
            };
            places[number] = parent.map(|parent| builder.child(parent, node.symbol));
        }
        let shape = builder.finish();
        let costs = |tree: &Tree| {
            let mut costs = Table::new(Cost::default(), shape.nodes.len());
            for (node, place) in tree.nodes.iter().zip(&places) {
                let Some(place) = *place else { continue };
                costs[place] += node.cost;
                if shape[place].parent == NodeId::ROOT {
                    // The group is not called, but its functions are.
                    let cost = Cost {
                        calls: 0,
                        ..node.cost
                    };
                    costs[NodeId::ROOT] += cost;
                }
            }
            with_costs(&shape, costs)
        };
        Self {
            symbols: self.symbols.clone(),
            tree: Cow::Owned(costs(&self.tree)),
            base: self.base.as_ref().map(costs),
            label: None,
        }
    }
}

/// Adds the paths of `tree` to `builder`, and returns each node's place.
fn graft(
    builder: &mut TreeBuilder,
    tree: &Tree,
    symbol: impl Fn(SymbolId) -> SymbolId,
) -> Table<NodeId, NodeId> {
    let mut places = Table::new(NodeId::ROOT, tree.nodes.len());
    for (number, node) in tree.numbered().skip(1) {
        places[number] = builder.child(places[node.parent], symbol(node.symbol));
    }
    places
}

/// A tree of that shape, with the costs of the nodes of `tree` at their places.
fn at_costs(shape: &Tree, tree: &Tree, places: &Table<NodeId, NodeId>) -> Tree {
    let mut costs = Table::new(Cost::default(), shape.nodes.len());
    for (node, &place) in tree.nodes.iter().zip(places) {
        costs[place] += node.cost;
    }
    with_costs(shape, costs)
}

fn with_costs(shape: &Tree, costs: Table<NodeId, Cost>) -> Tree {
    let mut tree = shape.clone();
    for (node, cost) in tree.nodes.iter_mut().zip(costs) {
        node.cost = cost;
    }
    tree
}

/// The class of a method; none for a function.
pub(crate) fn class_of(symbol: &Symbol) -> Option<&[u8]> {
    let name = &*symbol.name;
    let end = name.windows(2).position(|pair| pair == b"::")?;
    let class = name.get(..end)?;
    // XHProf's name for the top-level code of files.
    let is_code = [&b"run_init"[..], b"load", b"eval"].contains(&class);
    (!is_code).then_some(class)
}

fn file_of(symbol: &Symbol) -> Option<&[u8]> {
    symbol.file.as_deref().filter(|file| !file.is_empty())
}
