//! Selects the visible boxes of a call tree, in drawing order, with their
//! costs.
//!
//! A tree of a million nodes has a few thousand boxes that are wide enough to
//! be visible. The others are left out: their cost remains part of their
//! caller's box.
//!
//! **Invariants:** a box precedes its callees, and siblings are sorted by name;
//! a box is at least as wide as its callees together; a box's inclusive cost is
//! the sum of its own cost, its `rest` and its callees' costs.

use profile::{Children, Metric, NodeId, SelfCost, SymbolId, Table, Tree};

use super::stacks::Stacks;

/// The options of a graph.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// The costs: the first gives the widths.
    pub metrics: Vec<Metric>,
    /// The maximum number of boxes.
    pub boxes: usize,
    /// The maximum number of levels.
    pub levels: u32,
    /// The smallest share of the total that is drawn.
    pub least: f64,
}

/// One box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    /// The root is at 0.
    pub depth: u32,
    /// An index into [`Stacks::symbols`].
    pub symbol: SymbolId,
}

/// One cost of all boxes, in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    /// Callees included.
    pub inclusive: Vec<i64>,
    /// Callees excluded.
    pub own: Vec<i64>,
    /// Of the callees that were left out.
    pub rest: Vec<i64>,
    /// The width: inclusive cost, without negative costs.
    pub weight: Vec<u64>,
}

/// One metric of all boxes.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// The metric.
    pub metric: Metric,
    /// Of the profile.
    pub new: Values,
    /// Of the base.
    pub base: Option<Values>,
}

/// The boxes of one flame graph.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    /// The root's name, if not `main()`.
    pub label: Option<String>,
    /// The boxes, the root first.
    pub blocks: Vec<Block>,
    /// The costs of the boxes.
    pub columns: Vec<Column>,
    /// The number of boxes that were too small.
    pub left_out: usize,
    /// The number of levels.
    pub levels: u32,
    /// Stacks that only the base called, the costliest first.
    pub vanished: Vec<Vanished>,
}

/// A stack that only the base has.
#[derive(Debug, Clone)]
pub(crate) struct Vanished {
    /// The stack, from the root.
    pub path: Vec<SymbolId>,
    /// The stack's cost, callees included.
    pub cost: i64,
}

/// The maximum number of vanished stacks in the list.
const MAX_VANISHED: usize = 20;

impl Graph {
    /// Selects the visible boxes.
    pub(crate) fn new(stacks: &Stacks<'_>, wanted: &Wanted) -> Self {
        let tree = &*stacks.tree;
        let all = |tree: &Tree| -> Vec<Amounts> {
            let own = tree.self_costs();
            let amounts = wanted.metrics.iter();
            amounts
                .map(|metric| Amounts::new(tree, &own, *metric))
                .collect()
        };
        let new = all(tree);
        let base = stacks.base.as_ref().map(all);
        let sides = || new.iter().chain(base.iter().flatten());
        let keep = visible(tree, &shares(tree.nodes.len(), sides()), wanted);
        let children = tree.children();
        let order = drawing_order(stacks, &children, &keep);
        let values = |amounts: &Amounts| amounts.of(&order, &children, &keep);
        let columns = wanted.metrics.iter().enumerate().map(|(number, metric)| {
            let base = base.as_ref().map(|base| &base[number]);
            Column {
                metric: *metric,
                new: values(&new[number]),
                base: base.map(values),
            }
        });
        let vanished = match (new.first(), base.as_ref().and_then(|base| base.first())) {
            (Some(new), Some(base)) => vanished(tree, new, base),
            _ => Vec::new(),
        };
        Self {
            label: stacks.label.clone(),
            columns: columns.collect(),
            left_out: tree.nodes.len() - order.len(),
            levels: order.iter().map(|(_, depth)| depth + 1).max().unwrap_or(0),
            blocks: order
                .iter()
                .map(|&(node, depth)| Block {
                    depth,
                    symbol: tree[node].symbol,
                })
                .collect(),
            vanished,
        }
    }

    /// The costs that set the widths.
    pub(crate) fn widths(&self) -> Option<&Column> {
        self.columns.first()
    }
}

/// One cost of all nodes of a tree.
struct Amounts {
    own: Table<NodeId, i64>,
    inclusive: Table<NodeId, i64>,
    weight: Table<NodeId, u64>,
}

impl Amounts {
    fn new(tree: &Tree, own: &[SelfCost], metric: Metric) -> Self {
        let own: Table<NodeId, i64> = tree
            .nodes
            .iter()
            .zip(own)
            .map(|(node, own)| metric.of_own(own, node.cost.calls))
            .collect();
        let mut inclusive = own.clone();
        let mut weight: Table<NodeId, u64> = own
            .iter()
            .map(|own| u64::try_from(*own).unwrap_or(0))
            .collect();
        // Parents come first, so that going backwards each node's sum is
        // complete.
        for (number, node) in tree.numbered().rev() {
            if number != NodeId::ROOT {
                let (cost, width) = (inclusive[number], weight[number]);
                let sum = &mut inclusive[node.parent];
                *sum = sum.saturating_add(cost);
                let sum = &mut weight[node.parent];
                *sum = sum.saturating_add(width);
            }
        }
        Self {
            own,
            inclusive,
            weight,
        }
    }

    fn of(
        &self,
        order: &[(NodeId, u32)],
        children: &Children,
        keep: &Table<NodeId, bool>,
    ) -> Values {
        let mut values = Values::default();
        for &(node, _) in order {
            values.inclusive.push(self.inclusive[node]);
            values.own.push(self.own[node]);
            let left_out = children.of(node).iter().filter(|child| !keep[**child]);
            let rest = left_out.map(|child| self.inclusive[*child]);
            values.rest.push(rest.fold(0, i64::saturating_add));
            values.weight.push(self.weight[node]);
        }
        values
    }
}

/// Each node's largest share of the total of any cost.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share decides about what can be seen, and is not shown"
)]
fn shares<'a>(nodes: usize, amounts: impl Iterator<Item = &'a Amounts>) -> Vec<f64> {
    let mut shares = vec![0.0_f64; nodes];
    for amounts in amounts {
        let total = amounts.weight.first().copied().unwrap_or(0);
        if total == 0 {
            continue;
        }
        for (share, weight) in shares.iter_mut().zip(&amounts.weight) {
            *share = share.max(*weight as f64 / total as f64);
        }
    }
    shares
}

/// The nodes to draw: the largest ones. The parent of a drawn node is drawn
/// too: it is at least as large, and precedes the node.
fn visible(tree: &Tree, shares: &[f64], wanted: &Wanted) -> Table<NodeId, bool> {
    let mut sorted = shares.to_vec();
    let most = wanted.boxes.max(1);
    let mut least = wanted.least.max(f64::MIN_POSITIVE);
    let mut of_equals = usize::MAX;
    if sorted.len() > most {
        let (larger, smallest, _) =
            sorted.select_nth_unstable_by(most - 1, |one, other| other.total_cmp(one));
        if *smallest >= least {
            least = *smallest;
            let above = larger.iter().filter(|share| **share > least).count();
            of_equals = most - above;
        }
    }
    let mut depths: Table<NodeId, u32> = Table::with_capacity(tree.nodes.len());
    let mut keep = Table::with_capacity(tree.nodes.len());
    for (number, (node, share)) in tree.nodes.iter().zip(shares).enumerate() {
        if number == 0 {
            depths.push(0);
            keep.push(true);
            of_equals = of_equals.saturating_sub(usize::from(*share <= least));
            continue;
        }
        let depth = depths[node.parent] + 1;
        depths.push(depth);
        let mut is_kept = *share >= least && depth < wanted.levels && keep[node.parent];
        if is_kept && *share <= least {
            is_kept = of_equals > 0;
            of_equals = of_equals.saturating_sub(1);
        }
        keep.push(is_kept);
    }
    keep
}

/// The nodes to draw with their depths: parents first, siblings by name.
fn drawing_order(
    stacks: &Stacks<'_>,
    children: &Children,
    keep: &Table<NodeId, bool>,
) -> Vec<(NodeId, u32)> {
    let ranks = ranks(stacks);
    let rank = |node: &NodeId| ranks[stacks.tree[*node].symbol];
    let mut order = Vec::new();
    let mut next = vec![(NodeId::ROOT, 0)];
    let mut siblings = Vec::new();
    while let Some((node, depth)) = next.pop() {
        order.push((node, depth));
        siblings.extend(children.of(node).iter().filter(|child| keep[**child]));
        siblings.sort_by_key(rank);
        next.extend(siblings.drain(..).rev().map(|child| (child, depth + 1)));
    }
    order
}

/// Each symbol's index in the order of names.
fn ranks(stacks: &Stacks<'_>) -> Table<SymbolId, u32> {
    let symbols = (0..).map(SymbolId).zip(&stacks.symbols);
    let mut sorted: Vec<_> = symbols.collect();
    sorted.sort_by_key(|(_, symbol)| &symbol.name);
    let mut ranks = Table::new(0, sorted.len());
    for (rank, (id, _)) in (0..).zip(sorted) {
        ranks[id] = rank;
    }
    ranks
}

/// The outermost stacks that have a cost in the base and none in the profile.
fn vanished(tree: &Tree, new: &Amounts, base: &Amounts) -> Vec<Vanished> {
    let is_gone = |node: NodeId| new.weight[node] == 0 && base.weight[node] > 0;
    let mut gone: Vec<(u64, NodeId)> = tree
        .numbered()
        .filter(|(number, node)| is_gone(*number) && !is_gone(node.parent))
        .map(|(number, _)| (base.weight[number], number))
        .collect();
    gone.sort_by_key(|&(weight, number)| (std::cmp::Reverse(weight), number));
    gone.truncate(MAX_VANISHED);
    let stacks = gone.into_iter().map(|(_, number)| Vanished {
        path: tree.path(number),
        cost: base.inclusive[number],
    });
    stacks.collect()
}
