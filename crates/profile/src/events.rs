//! Call events: every entry and exit, in the order of time.
//!
//! The only body with the time of each call, and the largest. It folds into a
//! call tree. Each event holds the values of the clocks and the memory since
//! the beginning of the profile.
//!
//! **Invariant:** no clock decreases from one event to the next. Calls may be
//! open at the end, and close there.

use std::collections::HashMap;

use crate::{Budget, Cost, NodeId, SymbolId, Tree, TreeBuilder};

/// The values of the clocks and the memory, since the beginning of the profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Instant {
    /// Wall time in nanoseconds.
    pub wall: u64,
    /// CPU time in nanoseconds.
    pub cpu: u64,
    /// Memory in use, in bytes, relative to the beginning.
    pub memory: i64,
    /// The peak of the memory in use.
    pub peak: i64,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A function was called.
    Enter(SymbolId),
    /// The innermost open call returned.
    Leave,
    /// Another fiber resumes: the one with this number; 0 is the stack on which
    /// the profile began. A new number is a fiber that starts, called by the
    /// function that was running. A fiber that is suspended without an open
    /// call is forgotten, and its number may be used again.
    Switch(u32),
}

/// An event: its time and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The time, and the costs so far.
    pub at: Instant,
    /// The kind.
    pub kind: EventKind,
}

/// All events, in the order of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// In the order of time. `main()` is open from the first to the last.
    pub events: Vec<Event>,
    /// The end of the profile.
    pub end: Instant,
}

impl Events {
    /// Folds the events into a call tree.
    #[must_use]
    pub fn to_tree(&self) -> Tree {
        let mut fold = EventFold::new();
        for event in &self.events {
            fold.add(*event);
        }
        fold.finish(self.end)
    }
}

/// Folds a stream of events into a call tree, in memory proportional to the
/// tree.
#[derive(Debug)]
pub struct EventFold {
    builder: TreeBuilder,
    /// The running fiber's stack, and the fiber's number.
    stack: Stack,
    fiber: u32,
    waiting: HashMap<u32, Stack>,
    last: Instant,
    budget: Option<Budget>,
}

/// The noun in the budget's error message.
const OPEN_CALLS: &str = "open calls";

/// The open calls of one fiber. Only the innermost node is needed, because
/// every interval is charged to the innermost node.
#[derive(Debug, Clone)]
struct Stack {
    base: NodeId,
    open: Vec<NodeId>,
}

impl Stack {
    fn new(base: NodeId) -> Self {
        let open = Vec::new();
        Self { base, open }
    }

    fn top(&self) -> NodeId {
        self.open.last().copied().unwrap_or(self.base)
    }
}

impl Default for EventFold {
    fn default() -> Self {
        Self::new()
    }
}

impl EventFold {
    /// Starts with `main()` open and all costs at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::with(TreeBuilder::new())
    }

    /// The same, with the tree and the open calls counted on `budget`. Once the
    /// budget is exceeded, new paths are counted as their callers.
    #[must_use]
    pub fn within(budget: &Budget) -> Self {
        let mut fold = Self::with(TreeBuilder::within(budget));
        fold.budget = Some(budget.clone());
        fold
    }

    fn with(mut builder: TreeBuilder) -> Self {
        builder.cost(NodeId::ROOT).calls = 1;
        Self {
            builder,
            stack: Stack::new(NodeId::ROOT),
            fiber: 0,
            waiting: HashMap::new(),
            last: Instant::default(),
            budget: None,
        }
    }

    /// The number of nodes in the tree so far.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.builder.len()
    }

    /// The innermost node: the time until the next event is charged to it.
    #[must_use]
    pub fn top(&self) -> NodeId {
        self.stack.top()
    }

    /// Adds the next event.
    pub fn add(&mut self, event: Event) {
        self.charge(event.at);
        match event.kind {
            EventKind::Enter(symbol) => {
                let node = self.builder.child(self.stack.top(), symbol);
                let cost = self.builder.cost(node);
                cost.calls = cost.calls.saturating_add(1);
                if let Some(budget) = &self.budget
                    && budget.room(&mut self.stack.open, OPEN_CALLS).is_err()
                {
                    return;
                }
                self.stack.open.push(node);
            }
            EventKind::Leave => {
                self.stack.open.pop();
            }
            EventKind::Switch(fiber) => self.switch(fiber),
        }
    }

    fn switch(&mut self, fiber: u32) {
        if fiber == self.fiber {
            return;
        }
        let next = self.waiting.remove(&fiber);
        let next = next.unwrap_or_else(|| Stack::new(self.stack.top()));
        let left = std::mem::replace(&mut self.stack, next);
        // Memory must not grow in a program that creates fibers forever.
        if self.fiber == 0 || !left.open.is_empty() {
            if let Some(budget) = &self.budget
                && budget.room_in_map(&mut self.waiting, OPEN_CALLS).is_err()
            {
                return;
            }
            self.waiting.insert(self.fiber, left);
        }
        self.fiber = fiber;
    }

    /// The tree of everything up to `end`.
    #[must_use]
    pub fn finish(mut self, end: Instant) -> Tree {
        self.charge(end);
        self.builder.finish_self_costs()
    }

    /// Charges the costs since the last event to the innermost function.
    fn charge(&mut self, at: Instant) {
        *self.builder.cost(self.stack.top()) += Cost {
            calls: 0,
            wall: at.wall.saturating_sub(self.last.wall),
            cpu: at.cpu.saturating_sub(self.last.cpu),
            memory: at.memory.saturating_sub(self.last.memory),
            peak: at.peak.saturating_sub(self.last.peak),
        };
        self.last = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(list: &[(u64, EventKind)], end: u64) -> Events {
        let at = |wall| Instant {
            wall,
            ..Instant::default()
        };
        Events {
            events: list
                .iter()
                .map(|&(wall, kind)| Event { at: at(wall), kind })
                .collect(),
            end: at(end),
        }
    }

    fn paths(tree: &Tree) -> Vec<(Vec<u32>, u64, u64)> {
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

    use EventKind::{Enter, Leave, Switch};

    #[test]
    fn events_fold_into_paths_and_open_calls_close_at_the_end() {
        let tree = events(
            &[
                (10, Enter(SymbolId(1))),
                (20, Enter(SymbolId(2))),
                (50, Leave),
                (60, Leave),
                (70, Enter(SymbolId(1))),
            ],
            100,
        )
        .to_tree();
        assert_eq!(
            paths(&tree),
            [
                (vec![0], 1, 100),
                (vec![0, 1], 2, 80),
                (vec![0, 1, 2], 1, 30)
            ]
        );
    }

    #[test]
    fn a_fiber_belongs_to_who_started_it_and_pays_for_what_it_runs() {
        let tree = events(
            &[
                (0, Enter(SymbolId(1))),
                (10, Switch(7)),
                (10, Enter(SymbolId(2))),
                (30, Switch(0)),
                (35, Leave),
                (40, Switch(7)),
                (60, Leave),
                (60, Switch(0)),
            ],
            100,
        )
        .to_tree();
        assert_eq!(
            paths(&tree),
            [
                (vec![0], 1, 100),
                (vec![0, 1], 1, 55),
                (vec![0, 1, 2], 1, 40)
            ]
        );
    }

    #[test]
    fn the_node_on_top_is_the_one_that_is_charged() {
        let mut fold = EventFold::new();
        let mut seen = vec![fold.top().0];
        for kind in [Enter(SymbolId(1)), Enter(SymbolId(2)), Leave, Switch(7)] {
            let at = Instant::default();
            fold.add(Event { at, kind });
            seen.push(fold.top().0);
        }
        assert_eq!(seen, [0, 1, 2, 1, 1]);
    }

    #[test]
    fn leaves_without_entries_are_ignored() {
        let tree = events(&[(5, Leave), (6, Leave)], 10).to_tree();
        assert_eq!(paths(&tree), [(vec![0], 1, 10)]);
    }
}
