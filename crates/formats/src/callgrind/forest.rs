//! Builds whole stacks from Xdebug's files.
//!
//! Xdebug writes a block for every call when it ends, with one record for each
//! call that it made. So a block's records refer to the last blocks before it
//! that no other block refers to: blocks and records nest like brackets. Calls
//! of one function on one path are merged as soon as their caller is known.
//!
//! **Invariant:** if any block does not fit, there is no tree at all, and the
//! edges, which are collected in parallel, are used instead.

use profile::{Budget, Cost, Node, NodeId, NumberMap, SymbolId, Tree};

use super::columns::Costs;

/// Bytes per call until the tree is built, and in the tree. Without that memory
/// the profile has edges only.
const BRANCH_BYTES: usize = 120;

/// Up to this many children are searched linearly.
const MAX_LINEAR_CHILDREN: u32 = 16;

const NONE: u32 = u32::MAX;

/// A block's record of a call that it made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub(super) callee: SymbolId,
    pub(super) calls: u64,
    pub(super) memory: i64,
}

/// Calls that have ended, while most of their callers are still open.
#[derive(Debug)]
pub(super) struct Forest {
    nodes: Vec<Branch>,
    free: Vec<u32>,
    /// The calls that no block refers to yet, in order.
    unclaimed: Vec<u32>,
    /// A hash table of the children, for nodes with many.
    places: NumberMap<(u32, SymbolId), u32>,
    merges: Vec<(u32, u32)>,
    scratch: Vec<u32>,
    budget: Budget,
}

impl Drop for Forest {
    fn drop(&mut self) {
        self.budget.give_back(self.nodes.len() * BRANCH_BYTES);
    }
}

#[derive(Debug, Clone, Copy)]
struct Branch {
    symbol: SymbolId,
    /// Children form a linked list, the last one first.
    last_child: u32,
    previous: u32,
    children: u32,
    calls: u64,
    own_wall: i64,
    memory: i64,
}

/// The block does not fit, or there are too many calls.
#[derive(Debug)]
pub(super) struct DoesNotFit;

impl Forest {
    /// No calls yet, and at most as many as the budget allows.
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            nodes: Vec::new(),
            free: Vec::new(),
            unclaimed: Vec::new(),
            places: NumberMap::default(),
            merges: Vec::new(),
            scratch: Vec::new(),
            budget: budget.clone(),
        }
    }

    /// Adds a call that has ended: its self cost, and its own calls.
    pub(super) fn add(
        &mut self,
        symbol: SymbolId,
        own: Costs,
        records: &[Record],
    ) -> Result<(), DoesNotFit> {
        let first = self
            .unclaimed
            .len()
            .checked_sub(records.len())
            .ok_or(DoesNotFit)?;
        let mut memory = own.memory;
        for (number, record) in records.iter().enumerate() {
            let child = self.unclaimed[first + number];
            let child = &mut self.nodes[child as usize];
            if child.symbol != record.callee {
                return Err(DoesNotFit);
            }
            child.calls = record.calls;
            child.memory = record.memory;
            memory = memory.saturating_add(record.memory);
        }
        let branch = self.make(Branch {
            symbol,
            last_child: NONE,
            previous: NONE,
            children: 0,
            calls: 1,
            own_wall: own.wall,
            memory,
        })?;
        for number in first..self.unclaimed.len() {
            self.adopt(branch, self.unclaimed[number])?;
        }
        self.unclaimed.truncate(first);
        self.unclaimed.push(branch);
        Ok(())
    }

    /// The tree of everything. A call that no block refers to has no caller: it
    /// is `main()`, or called from there.
    pub(super) fn finish(mut self) -> Result<Tree, DoesNotFit> {
        let root = self.make(Branch {
            symbol: SymbolId::ROOT,
            last_child: NONE,
            previous: NONE,
            children: 0,
            calls: 0,
            own_wall: 0,
            memory: 0,
        })?;
        for top in std::mem::take(&mut self.unclaimed) {
            let branch = *self.branch(top);
            if branch.symbol == SymbolId::ROOT {
                self.merge(root, top)?;
            } else {
                let memory = &mut self.branch(root).memory;
                *memory = memory.saturating_add(branch.memory);
                self.adopt(root, top)?;
            }
        }
        let root_branch = self.branch(root);
        root_branch.calls = root_branch.calls.max(1);
        drop(std::mem::take(&mut self.places));
        Ok(self.tree(root))
    }

    fn tree(&self, root: u32) -> Tree {
        let mut nodes = Vec::with_capacity(self.nodes.len() - self.free.len());
        let mut walk = vec![(root, NodeId::ROOT)];
        while let Some((branch, parent)) = walk.pop() {
            let branch = &self.nodes[branch as usize];
            // No more than branches, which have 32-bit numbers.
            let number = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
            nodes.push(Node {
                parent,
                symbol: branch.symbol,
                cost: Cost {
                    calls: branch.calls,
                    wall: branch.own_wall.cast_unsigned(),
                    memory: branch.memory,
                    ..Cost::default()
                },
            });
            let mut child = branch.last_child;
            while let Some(branch) = self.nodes.get(child as usize) {
                walk.push((child, NodeId(number)));
                child = branch.previous;
            }
        }
        // Own times are signed. Inclusive ones are not below zero: what one lacks
        // comes off its caller.
        for index in (0..nodes.len()).rev() {
            let node: &mut Node = &mut nodes[index];
            let (parent, wall) = (node.parent, node.cost.wall.cast_signed());
            node.cost.wall = wall.max(0).unsigned_abs();
            if index > 0 {
                let cost = &mut nodes[parent.index()].cost;
                let sum = cost.wall.cast_signed().saturating_add(wall);
                cost.wall = sum.cast_unsigned();
            }
        }
        Tree { nodes }
    }

    fn branch(&mut self, number: u32) -> &mut Branch {
        &mut self.nodes[number as usize]
    }

    fn make(&mut self, branch: Branch) -> Result<u32, DoesNotFit> {
        if let Some(number) = self.free.pop() {
            *self.branch(number) = branch;
            return Ok(number);
        }
        if !self.budget.take_if_there(BRANCH_BYTES) {
            return Err(DoesNotFit);
        }
        self.nodes.push(branch);
        u32::try_from(self.nodes.len() - 1).map_err(|_| DoesNotFit)
    }

    /// Makes `child` a child of `parent`, or merges it with the child of the
    /// same symbol.
    fn adopt(&mut self, parent: u32, child: u32) -> Result<(), DoesNotFit> {
        let symbol = self.branch(child).symbol;
        match self.child(parent, symbol)? {
            Some(same) => self.merge(same, child),
            None => self.link(parent, child, symbol),
        }
    }

    fn child(&mut self, parent: u32, symbol: SymbolId) -> Result<Option<u32>, DoesNotFit> {
        let &mut Branch {
            children,
            last_child,
            ..
        } = self.branch(parent);
        if children > MAX_LINEAR_CHILDREN {
            return Ok(self.places.get(&(parent, symbol)).copied());
        }
        let mut child = last_child;
        while let Some(branch) = self.nodes.get(child as usize) {
            if branch.symbol == symbol {
                return Ok(Some(child));
            }
            child = branch.previous;
        }
        Ok(None)
    }

    fn link(&mut self, parent: u32, child: u32, symbol: SymbolId) -> Result<(), DoesNotFit> {
        let branch = self.branch(parent);
        branch.children += 1;
        let children = branch.children;
        let previous = std::mem::replace(&mut branch.last_child, child);
        self.branch(child).previous = previous;
        if children == MAX_LINEAR_CHILDREN + 1 {
            let mut child = child;
            while let Some(branch) = self.nodes.get(child as usize) {
                self.places.insert((parent, branch.symbol), child);
                child = branch.previous;
            }
        } else if children > MAX_LINEAR_CHILDREN {
            self.places.insert((parent, symbol), child);
        }
        Ok(())
    }

    /// Adds `other` and all its descendants to `branch`.
    fn merge(&mut self, branch: u32, other: u32) -> Result<(), DoesNotFit> {
        // Most calls are of functions that call nothing.
        let gone = self.merge_costs(branch, other)?;
        if gone.children == 0 {
            return Ok(());
        }
        // A loop instead of recursion: paths may be long.
        let mut merges = std::mem::take(&mut self.merges);
        let mut children = std::mem::take(&mut self.scratch);
        self.merge_children(branch, other, gone, &mut children, &mut merges)?;
        while let Some((branch, other)) = merges.pop() {
            let gone = self.merge_costs(branch, other)?;
            self.merge_children(branch, other, gone, &mut children, &mut merges)?;
        }
        self.merges = merges;
        self.scratch = children;
        Ok(())
    }

    /// Adds the costs of `other`, whose place is free afterwards.
    fn merge_costs(&mut self, branch: u32, other: u32) -> Result<Branch, DoesNotFit> {
        let gone = *self.branch(other);
        let branch = self.branch(branch);
        branch.calls = branch.calls.saturating_add(gone.calls);
        branch.own_wall = branch.own_wall.saturating_add(gone.own_wall);
        branch.memory = branch.memory.saturating_add(gone.memory);
        self.free.push(other);
        Ok(gone)
    }

    /// Moves the children of `other` to `branch`; those with a symbol that
    /// `branch` has already are put on the list of merges.
    fn merge_children(
        &mut self,
        branch: u32,
        other: u32,
        gone: Branch,
        children: &mut Vec<u32>,
        merges: &mut Vec<(u32, u32)>,
    ) -> Result<(), DoesNotFit> {
        children.clear();
        let mut child = gone.last_child;
        while let Some(branch) = self.nodes.get(child as usize) {
            if gone.children > MAX_LINEAR_CHILDREN {
                self.places.remove(&(other, branch.symbol));
            }
            children.push(child);
            child = branch.previous;
        }
        for &child in children.iter().rev() {
            let symbol = self.branch(child).symbol;
            match self.child(branch, symbol)? {
                Some(same) => merges.push((same, child)),
                None => self.link(branch, child, symbol)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(forest: &mut Forest, symbol: u32, wall: i64, callees: &[u32]) -> bool {
        let record = |&callee: &u32| Record {
            callee: SymbolId(callee),
            calls: 1,
            memory: 1,
        };
        let records: Vec<_> = callees.iter().map(record).collect();
        let own = Costs {
            wall,
            ..Costs::default()
        };
        forest.add(SymbolId(symbol), own, &records).is_ok()
    }

    fn paths(forest: Forest) -> Vec<(Vec<u32>, u64, u64)> {
        let tree = forest.finish().unwrap();
        (0..)
            .zip(&tree.nodes)
            .map(|(number, node)| {
                let path = tree
                    .path(NodeId(number))
                    .iter()
                    .map(|symbol| symbol.0)
                    .collect();
                (path, node.cost.calls, node.cost.wall)
            })
            .collect()
    }

    #[test]
    fn blocks_and_records_fit_together_and_paths_are_merged() {
        let mut forest = Forest::within(&Budget::unlimited());
        // main() → 1 → 2, 2; main() → 2; main() → 1 → 3
        assert!(add(&mut forest, 2, 5, &[]));
        assert!(add(&mut forest, 2, 6, &[]));
        assert!(add(&mut forest, 1, 10, &[2, 2]));
        assert!(add(&mut forest, 2, 7, &[]));
        assert!(add(&mut forest, 3, 8, &[]));
        assert!(add(&mut forest, 1, 20, &[3]));
        assert!(add(&mut forest, 0, 100, &[1, 2, 1]));
        assert_eq!(
            paths(forest),
            [
                (vec![0], 1, 156),
                (vec![0, 1], 2, 49),
                (vec![0, 1, 2], 2, 11),
                (vec![0, 1, 3], 1, 8),
                (vec![0, 2], 1, 7),
            ]
        );
    }

    #[test]
    fn blocks_without_a_record_are_called_from_the_root() {
        let mut forest = Forest::within(&Budget::unlimited());
        assert!(add(&mut forest, 0, 100, &[]));
        assert!(add(&mut forest, 1, 5, &[]));
        assert!(add(&mut forest, 1, 5, &[]));
        assert_eq!(paths(forest), [(vec![0], 1, 110), (vec![0, 1], 2, 10)]);
    }

    #[test]
    fn a_record_without_its_block_fits_nowhere() {
        let mut forest = Forest::within(&Budget::unlimited());
        assert!(!add(&mut forest, 1, 1, &[2]));
        assert!(add(&mut forest, 3, 1, &[]));
        assert!(!add(&mut forest, 1, 1, &[2]));
    }

    #[test]
    fn many_children_are_merged_like_few() {
        let mut forest = Forest::within(&Budget::unlimited());
        let callees: Vec<u32> = (10..110).collect();
        for _ in 0..3 {
            for &callee in callees.iter().rev() {
                assert!(add(&mut forest, callee, 1, &[]));
            }
            let reversed: Vec<_> = callees.iter().rev().copied().collect();
            assert!(add(&mut forest, 1, 1, &reversed));
        }
        assert!(add(&mut forest, 0, 1, &[1, 1, 1]));
        let paths = paths(forest);
        assert_eq!(paths.len(), 102);
        assert!(paths[2..].iter().all(|path| (path.1, path.2) == (3, 3)));
    }

    #[test]
    fn a_path_of_any_length_does_not_overflow_the_stack() {
        let mut forest = Forest::within(&Budget::unlimited());
        for _ in 0..2 {
            assert!(add(&mut forest, 1, 1, &[]));
            for _ in 1..100_000 {
                assert!(add(&mut forest, 1, 1, &[1]));
            }
        }
        assert!(add(&mut forest, 0, 1, &[1, 1]));
        assert_eq!(paths_len(forest), 100_001);
    }

    fn paths_len(forest: Forest) -> usize {
        forest.finish().unwrap().nodes.len()
    }
}
