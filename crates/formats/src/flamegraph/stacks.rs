//! The call trees of flame graphs: the profile's with the base's costs, or
//! those of each class or file.
//!
//! **Invariant:** the base's tree has the same nodes as the profile's. A path
//! that only one of them called costs zero in the other.

use std::borrow::Cow;
use std::collections::HashMap;

use profile::{Cost, NodeId, Profile, Symbol, SymbolId, Tree, TreeBuilder};

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
        let base_symbols: Vec<SymbolId> = base
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
        graft(&mut builder, &self.tree, |symbol| symbol, |_, _| ());
        let mut base_costs = Vec::new();
        graft(
            &mut builder,
            base_tree,
            |symbol| {
                let number = base_symbols.get(symbol.index()).copied();
                number.unwrap_or(SymbolId::ROOT)
            },
            |node, cost| add_at(&mut base_costs, node, cost),
        );
        let mut new_costs = Vec::new();
        graft(
            &mut builder,
            &self.tree,
            |symbol| symbol,
            |node, cost| add_at(&mut new_costs, node, cost),
        );
        let shape = builder.finish();
        Self {
            symbols,
            tree: Cow::Owned(at_costs(&shape, &new_costs)),
            base: Some(at_costs(&shape, &base_costs)),
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
        let of_symbol: Vec<Option<usize>> = self
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
        let group_of = |symbol: SymbolId| of_symbol.get(symbol.index()).copied().flatten();
        for (node, own) in self.tree.nodes.iter().zip(self.tree.self_costs()) {
            if let Some((_, cost)) = group_of(node.symbol).and_then(|group| groups.get_mut(group)) {
                *cost = cost.saturating_add(own.wall);
            }
        }
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by_key(|&number| {
            let group = groups.get(number).copied().unwrap_or_default();
            (std::cmp::Reverse(group.1), group.0)
        });
        let left_out = order.len().saturating_sub(MAX_GRAPHS);
        order.truncate(MAX_GRAPHS);
        let graphs = order.into_iter().map(|number| {
            let name = groups.get(number).map_or(&b""[..], |group| group.0);
            Self {
                label: Some(crate::shared::text::lossy(name).into_owned()),
                ..self.of_group(|symbol| group_of(symbol) == Some(number))
            }
        });
        (graphs.collect(), left_out)
    }

    /// The calls to a group's functions from outside, with all they call.
    fn of_group(&self, is_in_group: impl Fn(SymbolId) -> bool) -> Self {
        let mut builder = TreeBuilder::new();
        let mut places: Vec<Option<NodeId>> = Vec::with_capacity(self.tree.nodes.len());
        for (number, node) in self.tree.nodes.iter().enumerate() {
            let parent = match places.get(node.parent.index()).copied().flatten() {
                Some(parent) if number > 0 => Some(parent),
                _ if is_in_group(node.symbol) => Some(NodeId::ROOT),
                _ => None,
            };
            places.push(parent.map(|parent| builder.child(parent, node.symbol)));
        }
        let shape = builder.finish();
        let costs = |tree: &Tree| {
            let mut costs = Vec::new();
            for (node, place) in tree.nodes.iter().zip(&places) {
                let Some(place) = *place else { continue };
                add_at(&mut costs, place, node.cost);
                let is_top = shape
                    .nodes
                    .get(place.index())
                    .is_some_and(|node| node.parent == NodeId::ROOT);
                if is_top {
                    // The group is not called, but its functions are.
                    let cost = Cost {
                        calls: 0,
                        ..node.cost
                    };
                    add_at(&mut costs, NodeId::ROOT, cost);
                }
            }
            at_costs(&shape, &costs)
        };
        Self {
            symbols: self.symbols.clone(),
            tree: Cow::Owned(costs(&self.tree)),
            base: self.base.as_ref().map(costs),
            label: None,
        }
    }
}

/// Adds the paths of `tree` to `builder`, and passes each node's place to
/// `found`.
fn graft(
    builder: &mut TreeBuilder,
    tree: &Tree,
    symbol: impl Fn(SymbolId) -> SymbolId,
    mut found: impl FnMut(NodeId, Cost),
) {
    let mut places = Vec::with_capacity(tree.nodes.len());
    for (number, node) in tree.nodes.iter().enumerate() {
        let place = if number == 0 {
            NodeId::ROOT
        } else {
            let parent = places.get(node.parent.index()).copied();
            builder.child(parent.unwrap_or(NodeId::ROOT), symbol(node.symbol))
        };
        places.push(place);
        found(place, node.cost);
    }
}

fn add_at(costs: &mut Vec<Cost>, node: NodeId, cost: Cost) {
    if costs.len() <= node.index() {
        costs.resize(node.index() + 1, Cost::default());
    }
    if let Some(sum) = costs.get_mut(node.index()) {
        *sum += cost;
    }
}

fn at_costs(shape: &Tree, costs: &[Cost]) -> Tree {
    let mut tree = shape.clone();
    for (number, node) in tree.nodes.iter_mut().enumerate() {
        node.cost = costs.get(number).copied().unwrap_or_default();
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
