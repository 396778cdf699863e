//! Samples: the stack at some instants.
//!
//! A sampled run counts where a program *was*, without calls. Stacks are stored
//! as paths in a table, as in a call tree, so that a million samples of a deep
//! stack take a million numbers.
//!
//! **Invariants:** `stacks[0]` is `main()` alone; a parent precedes its
//! children; no two stacks are the same; samples are in the order of time, if
//! the times are known; the lines of a sample are those of its stack.

use std::collections::HashMap;
use std::ops::Index;

use crate::table::{known, known_mut};
use crate::{
    Budget, Cost, FileId, LinedId, LinedStack, LinedStacks, Node, NodeId, NumberMap, SelfCost,
    SymbolId, Tree, TreeBuilder, allocated,
};

/// A stack: its parent's, and one more function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackNode {
    /// The parent stack; the root is its own parent.
    pub parent: NodeId,
    /// The innermost function.
    pub symbol: SymbolId,
}

impl StackNode {
    /// `main()` alone; also stands for a stack that does not exist.
    const BLANK: Self = Self {
        parent: NodeId::ROOT,
        symbol: SymbolId::ROOT,
    };
}

/// One stack, taken at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Nanoseconds since the profile began; zero in all samples if unknown.
    pub at: u64,
    /// Its weight, in [`Metrics::wall_unit`](crate::Metrics::wall_unit).
    pub weight: u64,
    /// An index into [`Samples::stacks`].
    pub stack: NodeId,
    /// The same stack with lines, if they are known.
    pub lined: LinedId,
}

impl Sample {
    /// A sample whose lines are not known.
    #[must_use]
    pub const fn new(at: u64, weight: u64, stack: NodeId) -> Self {
        Self {
            at,
            weight,
            stack,
            lined: LinedId::UNKNOWN,
        }
    }
}

/// All samples of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Samples {
    /// Every distinct stack, and its ancestors.
    pub stacks: Vec<StackNode>,
    /// The stacks with lines, if some are known.
    pub lined: LinedStacks,
    /// In the order of time.
    pub samples: Vec<Sample>,
}

impl Default for Samples {
    fn default() -> Self {
        SamplesBuilder::default().finish()
    }
}

impl Index<NodeId> for Samples {
    type Output = StackNode;

    /// A stack of these samples.
    #[inline]
    #[track_caller]
    fn index(&self, id: NodeId) -> &StackNode {
        known(&self.stacks, id).unwrap_or(&StackNode::BLANK)
    }
}

impl Samples {
    /// The sum of all weights.
    #[must_use]
    pub fn weight(&self) -> u64 {
        let weights = self.samples.iter().map(|sample| sample.weight);
        weights.fold(0, u64::saturating_add)
    }

    /// The symbols from the root to the top of `stack`.
    #[must_use]
    pub fn path(&self, stack: NodeId) -> Vec<SymbolId> {
        let frames = self.frames(stack).map(|(_, node)| node.symbol);
        let mut path: Vec<SymbolId> = frames.collect();
        path.reverse();
        path
    }

    /// The stacks from `stack` up to that of `main()` alone.
    pub fn frames(&self, stack: NodeId) -> impl Iterator<Item = (NodeId, &StackNode)> {
        std::iter::successors(Some((stack, &self[stack])), |&(id, node)| {
            // Parents precede children, so this ends for any table.
            (node.parent < id).then(|| (node.parent, &self[node.parent]))
        })
    }

    /// The stacks as a call tree whose wall cost is the samples' weight. The
    /// calls are unknown: they are zero.
    ///
    /// A stack and its node have the same number, as no two stacks are the same.
    #[must_use]
    pub fn to_tree(&self) -> Tree {
        let nodes = self.stacks.iter().map(|stack| Node {
            parent: stack.parent,
            symbol: stack.symbol,
            cost: Cost::default(),
        });
        let mut nodes: Vec<Node> = nodes.collect();
        for sample in &self.samples {
            if let Some(node) = known_mut(&mut nodes, sample.stack) {
                node.cost.wall = node.cost.wall.saturating_add(sample.weight);
            }
        }
        for index in (1..nodes.len()).rev() {
            let Some(&Node { parent, cost, .. }) = known(&nodes, index) else {
                continue;
            };
            if let Some(parent) = known_mut(&mut nodes, parent) {
                parent.cost.wall = parent.cost.wall.saturating_add(cost.wall);
            }
        }
        Tree { nodes }
    }
}

fn lined_key(
    caller: LinedId,
    stack: NodeId,
    file: Option<FileId>,
    line: u32,
) -> (u32, u32, u32, u32) {
    let file = file.map_or(u32::MAX, |file| file.0);
    (caller.0, stack.0, file, line)
}

/// Builds samples, with each stack once.
#[derive(Debug, Clone, Default)]
pub struct SamplesBuilder {
    tree: TreeBuilder,
    samples: Vec<Sample>,
    budget: Option<Budget>,
    /// The index plus one of each stack's sample, for samples without times.
    counted: Vec<u32>,
    /// The same for stacks with lines.
    counted_lined: Vec<u32>,
    lined: LinedStacks,
    lined_places: NumberMap<(u32, u32, u32, u32), LinedId>,
    files: HashMap<Box<[u8]>, FileId>,
}

/// The noun in the budget's error message.
const LINES: &str = "source lines";

impl SamplesBuilder {
    /// Stacks and samples are counted on `budget`. Once the budget is exceeded,
    /// nothing is added.
    #[must_use]
    pub fn within(budget: &Budget) -> Self {
        Self {
            tree: TreeBuilder::within(budget),
            budget: Some(budget.clone()),
            ..Self::default()
        }
    }

    /// The stack of `symbol` called from `stack`.
    pub fn push(&mut self, stack: NodeId, symbol: SymbolId) -> NodeId {
        self.tree.child(stack, symbol)
    }

    /// The stack of `symbol` called from `stack`, if it was pushed before.
    #[must_use]
    pub fn existing(&self, stack: NodeId, symbol: SymbolId) -> Option<NodeId> {
        self.tree.existing(stack, symbol)
    }

    /// The number of the file of that name, for [`line`](Self::line); none if the
    /// budget is exceeded.
    pub fn line_file(&mut self, name: &[u8]) -> Option<FileId> {
        if let Some(known) = self.files.get(name) {
            return Some(*known);
        }
        let file = FileId(u32::try_from(self.lined.files.len()).ok()?);
        if let Some(budget) = &self.budget {
            budget.take(2 * allocated(name.len()), LINES).ok()?;
            budget.room(&mut self.lined.files, LINES).ok()?;
            budget.room_in_map(&mut self.files, LINES).ok()?;
        }
        if self.lined.files.try_reserve(1).is_err() || self.files.try_reserve(1).is_err() {
            return None;
        }
        self.lined.files.push(name.into());
        self.files.insert(name.into(), file);
        Some(file)
    }

    /// The stack with lines that executes `line` in the innermost function of
    /// `stack`; `caller` is that of the stack's parent. Unknown if the lines of
    /// the caller are not known.
    pub fn line(
        &mut self,
        caller: LinedId,
        stack: NodeId,
        file: Option<FileId>,
        line: u32,
    ) -> LinedId {
        let is_outermost = caller == LinedId::UNKNOWN;
        if is_outermost != (stack == NodeId::ROOT) {
            return LinedId::UNKNOWN;
        }
        let known = self.existing_line(caller, stack, file, line);
        if known != LinedId::UNKNOWN {
            return known;
        }
        if let Some(budget) = &self.budget {
            let list = budget.room(&mut self.lined.list, LINES);
            let both = list.and_then(|()| budget.room_in_map(&mut self.lined_places, LINES));
            if both.is_err() {
                return LinedId::UNKNOWN;
            }
        }
        let next = LinedId::of(self.lined.list.len());
        if next != LinedId::UNKNOWN {
            self.lined.list.push(LinedStack {
                parent: caller,
                stack,
                file,
                line,
            });
            let key = lined_key(caller, stack, file, line);
            self.lined_places.insert(key, next);
        }
        next
    }

    /// The same, if it was asked for before; else unknown.
    #[must_use]
    pub fn existing_line(
        &self,
        caller: LinedId,
        stack: NodeId,
        file: Option<FileId>,
        line: u32,
    ) -> LinedId {
        let key = lined_key(caller, stack, file, line);
        self.lined_places.get(&key).copied().unwrap_or_default()
    }

    /// The number of stacks with lines.
    #[must_use]
    pub fn lined(&self) -> usize {
        self.lined.list.len()
    }

    /// The number of distinct stacks, including `main()` alone.
    #[must_use]
    pub fn stacks(&self) -> usize {
        self.tree.len()
    }

    /// Whether there is memory for one more stack, also with lines, and one more sample.
    pub fn has_memory(&mut self) -> bool {
        self.samples.try_reserve(1).is_ok()
            && self.tree.has_memory()
            && self.lined.list.try_reserve(1).is_ok()
            && self.lined_places.try_reserve(1).is_ok()
    }

    /// The samples so far.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Adds to the weight of the sample numbered `index`.
    pub fn add_weight(&mut self, index: usize, weight: u64) {
        if let Some(sample) = known_mut(&mut self.samples, index) {
            sample.weight = sample.weight.saturating_add(weight);
        }
    }

    /// Adds one sample.
    pub fn add(&mut self, sample: Sample) {
        if let Some(budget) = &self.budget
            && budget.room(&mut self.samples, "samples").is_err()
        {
            return;
        }
        self.samples.push(sample);
    }

    /// Adds weight to the single sample of a stack: for samples without times,
    /// which are merged by stack, and by their lines if those are known.
    pub fn count(&mut self, stack: NodeId, lined: LinedId, weight: u64) {
        let (counted, index) = match lined.place() {
            Some(place) => (&mut self.counted_lined, place),
            None => (&mut self.counted, stack.index()),
        };
        if counted.len() <= index {
            let all = match lined.place() {
                Some(_) => self.lined.list.len(),
                None => self.tree.len(),
            };
            let len = all.max(index + 1);
            if let Some(budget) = &self.budget {
                let more = len - counted.len();
                if budget.room_for(counted, more, "samples").is_err() {
                    return;
                }
            }
            counted.resize(len, 0);
        }
        let next = u32::try_from(self.samples.len()).unwrap_or(u32::MAX);
        let place = known_mut(counted, index);
        match place.map(|place| (*place, place)) {
            Some((0, place)) => {
                *place = next.saturating_add(1);
                self.add(Sample {
                    at: 0,
                    weight,
                    stack,
                    lined,
                });
            }
            Some((place, _)) => self.add_weight(place as usize - 1, weight),
            None => {}
        }
    }

    /// A tree of the stacks, with what each cost by itself: for what samples have
    /// no place for, as memory and weights below zero. Samples that were added
    /// are left out.
    #[must_use]
    pub fn finish_tree(self, own: impl IntoIterator<Item = (NodeId, SelfCost)>) -> Tree {
        if let Some(budget) = &self.budget {
            budget.drop_list(self.counted);
            budget.drop_list(self.counted_lined);
            budget.drop_list(self.samples);
            budget.drop_list(self.lined.list);
            budget.drop_map(self.lined_places);
        }
        let mut tree = self.tree;
        for (node, own) in own {
            tree.add_self(node, own);
        }
        tree.finish_signed_self_costs()
    }

    /// All samples.
    #[must_use]
    pub fn finish(self) -> Samples {
        if let Some(budget) = &self.budget {
            budget.drop_list(self.counted);
            budget.drop_list(self.counted_lined);
            budget.drop_map(self.lined_places);
        }
        let nodes = self.tree.finish().nodes;
        let stacks = nodes.into_iter().map(|node| StackNode {
            parent: node.parent,
            symbol: node.symbol,
        });
        Samples {
            stacks: stacks.collect(),
            lined: self.lined,
            samples: self.samples,
        }
    }
}
