//! The bounds of the C stack, and whether calls on it are truncated now.
//!
//! Each C stack has its own bounds, so each fiber does. [`guard`](crate::engine::hooks::guard)
//! acts on them.

use std::collections::HashMap;

use recorder::FiberId;

use super::hook_table::Hooks;
use crate::zend::{self, stack};

/// The bounds of the current C stack, and those of the other fibers.
pub(crate) struct Guard {
    pub(in crate::engine) current: Bounds,
    others: Option<HashMap<FiberId, Bounds>>,
}

/// The limit of one C stack, and whether calls on it are truncated now.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Bounds {
    limit: usize,
    /// The hooks to use while calls are truncated; else none.
    pub(in crate::engine) truncating: Option<Hooks>,
    /// In the observer engine: truncation ends with the call of this mark.
    pub(in crate::engine) until: usize,
}

impl Bounds {
    /// Every address is below this limit, so the first call on the stack finds the
    /// true one.
    const UNKNOWN: Self = Self {
        limit: usize::MAX,
        truncating: None,
        until: 0,
    };
}

impl Guard {
    pub(in crate::engine) const fn new() -> Self {
        Self {
            current: Bounds::UNKNOWN,
            others: None,
        }
    }

    /// Calls below this stack address are charged to `[truncated]`.
    #[inline(always)]
    pub(in crate::engine) fn limit(&self) -> usize {
        self.current.limit
    }

    /// Whether calls are charged to a `[truncated]` row now.
    pub(in crate::engine) fn is_truncating(&self) -> bool {
        self.current.truncating.is_some()
    }

    pub(in crate::engine) fn find_limit(&mut self, here: usize) {
        if self.current.limit == Bounds::UNKNOWN.limit {
            let limit = match stack::thread_bounds() {
                Some(bounds) if bounds.contains(&here) => stack::limit_of(&bounds),
                // A fiber's stack, and this address is near its beginning.
                _ => stack::limit_below(here, zend::fiber_stack_size()),
            };
            // PHP may throw long before the stack ends.
            let usable = stack::usable_for_php();
            self.current.limit =
                usable.map_or(limit, |usable| limit.max(stack::limit_for_php(&usable)));
        }
    }

    /// The thread switches to another fiber.
    pub(in crate::engine) fn switch(&mut self, from: FiberId, to: FiberId) {
        let others = self.others.get_or_insert_default();
        others.insert(from, self.current);
        self.current = others.remove(&to).unwrap_or(Bounds::UNKNOWN);
    }

    /// A fiber was destroyed.
    pub(in crate::engine) fn forget(&mut self, fiber: FiberId) {
        if let Some(others) = &mut self.others {
            others.remove(&fiber);
        }
    }
}
