//! Several threads as one tree.

use profile::{Body, Budget, Cost, NodeId, SymbolId, TreeBuilder};

use super::ours::{Shape, XhprofFields};
use super::steps::{Step, unsigned};

/// Several threads as one tree, or a file not written from events. Only time
/// inside of calls is counted.
pub(super) struct Forest<'o> {
    pub(super) builder: TreeBuilder,
    ours: &'o XhprofFields,
    has_cpu: bool,
    entries: usize,
}

impl<'o> Forest<'o> {
    pub(super) fn new(ours: &'o XhprofFields, has_cpu: bool, budget: &Budget) -> Self {
        Self {
            builder: TreeBuilder::within(budget),
            ours,
            has_cpu,
            entries: 0,
        }
    }

    pub(super) fn add(&mut self, base: NodeId, steps: &[Step], last: i64) {
        let mut open: Vec<NodeId> = Vec::new();
        let mut now = steps.first().map_or(0, |step| step.at.wall);
        let mut cpu = steps.first().and_then(|step| step.at.cpu).unwrap_or(0);
        for step in steps {
            let top = open.last().copied();
            self.charge(top, &mut now, step.at.wall, &mut cpu, step.at.cpu);
            let Some(symbol) = step.enters else {
                open.pop();
                continue;
            };
            let is_main = open.is_empty() && symbol == SymbolId::ROOT;
            let node = match open.last() {
                None if is_main => base,
                top => self.builder.child(top.copied().unwrap_or(base), symbol),
            };
            open.push(node);
            self.count(node);
        }
        self.charge(open.last().copied(), &mut now, last, &mut cpu, None);
    }

    /// The time until `to` is charged to the innermost function.
    fn charge(
        &mut self,
        top: Option<NodeId>,
        wall: &mut i64,
        to: i64,
        cpu: &mut i64,
        cpu_to: Option<i64>,
    ) {
        let passed = |from: &mut i64, to: i64| {
            let from = std::mem::replace(from, to.max(*from));
            unsigned(to.saturating_sub(from))
        };
        let mut cost = Cost {
            wall: passed(wall, to) / self.ours.sample_ns.unwrap_or(1).max(1),
            ..Cost::default()
        };
        if self.has_cpu
            && let Some(to) = cpu_to
        {
            cost.cpu = passed(cpu, to);
        }
        if let Some(top) = top {
            *self.builder.cost(top) += cost;
        }
    }

    /// Counts an entry.
    fn count(&mut self, node: NodeId) {
        let width = if self.ours.has_memory { 3 } else { 1 };
        let place = self.entries * width;
        self.entries += 1;
        let cost = match self.ours.shape {
            None | Some(Shape::Events) => Cost {
                calls: 1,
                ..Cost::default()
            },
            Some(Shape::Samples) => return,
            Some(Shape::Tree) => {
                // The file may have fewer costs than entries.
                let costs = self.ours.costs.get(place..place + width);
                let costs = costs.unwrap_or_default();
                let at = |index: usize| costs.get(index).copied().unwrap_or(0);
                Cost {
                    calls: unsigned(at(0)),
                    memory: at(1),
                    peak: at(2),
                    ..Cost::default()
                }
            }
        };
        *self.builder.cost(node) += cost;
    }

    pub(super) fn finish(mut self) -> Body {
        let root = self.builder.cost(NodeId::ROOT);
        if root.calls == 0 && self.ours.shape.is_none() {
            root.calls = 1;
        }
        Body::Tree(self.builder.finish_self_costs())
    }
}
