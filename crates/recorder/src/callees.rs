//! Callees: functions, and in edges each of their recursion levels.
//!
//! In [`Shape::Edges`](crate::Shape) a callee is an *activation*, a symbol at
//! one level, XHProf's `f@2`; in [`Shape::Tree`](crate::Shape) it is a symbol.
//! Each symbol has the activation that its next call opens: the symbol itself
//! while no call of it is open, else the next recursion level. A call replaces
//! it, and restores it at its end, so that levels are opened and closed without
//! counting.

use crate::call_table::{NONE, SINK};

/// The callee and the row of an open call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The symbol's next activation, to restore after this call.
    pub(crate) restore: u32,
    /// The row for the call's cost.
    pub(crate) row: u32,
    /// The caller's key for its callees: an activation, or a tree's row.
    pub(crate) context: u32,
    /// The symbol whose level it opened; none if it opened none.
    pub(crate) symbol: u32,
}

impl Place {
    /// A place whose costs are discarded.
    pub(crate) const NOWHERE: Self = Self {
        restore: NONE,
        row: SINK,
        context: NONE,
        symbol: NONE,
    };

    /// The place of a call that is recorded as an event, with its symbol.
    #[inline(always)]
    pub(crate) fn of_event(symbol: u32) -> Self {
        Self {
            context: symbol,
            ..Self::NOWHERE
        }
    }

    /// The place of a call in a tree.
    #[inline(always)]
    pub(crate) fn of_path(row: u32) -> Self {
        Self {
            row,
            context: row,
            ..Self::NOWHERE
        }
    }
}

/// Set in activations that are not their symbol's outermost, which have the
/// symbol's number.
const DEEPER: u32 = 1 << 31;

/// A recursion level of a function.
#[derive(Debug, Clone, Copy)]
struct Level {
    symbol: u32,
    /// How many calls of the function are open below it.
    depth: u32,
    /// The next level; none if it was never needed.
    deeper: u32,
}

/// All callees.
#[derive(Debug, Default, Clone)]
pub(crate) struct Callees {
    /// For each symbol, the activation that its next call opens.
    next: Vec<u32>,
    /// For each symbol, its first level of recursion; none if it was never
    /// called.
    first_levels: Vec<u32>,
    levels: Vec<Level>,
}

impl Callees {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        Self {
            next: Vec::new(),
            first_levels: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// The symbol of that number, if there is one.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "symbols are u32")]
    pub(crate) fn symbol(&self, number: usize) -> Option<u32> {
        self.next.get(number).map(|_| number as u32)
    }

    /// The number of symbols.
    pub(crate) fn symbols(&self) -> u32 {
        u32::try_from(self.next.len()).unwrap_or(NONE)
    }

    /// Adds the next symbol.
    pub(crate) fn add_symbol(&mut self) {
        self.next.push(self.symbols());
        self.first_levels.push(NONE);
    }

    /// The symbol and the level of an activation.
    pub(crate) fn symbol_and_level(&self, activation: u32) -> (u32, u32) {
        match self.levels.get((activation ^ DEEPER) as usize) {
            Some(level) => (level.symbol, level.depth),
            None => (activation, 0),
        }
    }

    /// The activation that the next call of that symbol opens.
    #[inline(always)]
    pub(crate) fn next(&mut self, symbol: usize) -> Option<&mut u32> {
        self.next.get_mut(symbol)
    }

    /// Opens the next activation of `symbol`. Returns it, and the activation
    /// that its callees of the same symbol open.
    pub(crate) fn open(&mut self, symbol: u32) -> Option<(u32, u32)> {
        let activation = *self.next.get(symbol as usize)?;
        let deeper = self.deeper(activation);
        self.close(symbol, deeper);
        Some((activation, deeper))
    }

    /// The level after an activation, created if there is none yet.
    fn deeper(&mut self, activation: u32) -> u32 {
        let (symbol, depth) = self.symbol_and_level(activation);
        let new = u32::try_from(self.levels.len()).unwrap_or(NONE) | DEEPER;
        let known = match self.levels.get_mut((activation ^ DEEPER) as usize) {
            Some(level) => &mut level.deeper,
            None => match self.first_levels.get_mut(activation as usize) {
                Some(first) => first,
                None => return NONE,
            },
        };
        if *known == NONE {
            *known = new;
            self.levels.push(Level {
                symbol,
                depth: depth + 1,
                deeper: NONE,
            });
            return new;
        }
        *known
    }

    /// Opens the activation of `place` again.
    pub(crate) fn reopen(&mut self, place: &mut Place) {
        if let Some(&next) = self.next.get(place.symbol as usize) {
            place.restore = next;
            let deeper = self.deeper(place.context);
            self.close(place.symbol, deeper);
        }
    }

    /// Restores the next activation of a symbol. Does nothing for a place that
    /// opened none.
    #[inline(always)]
    pub(crate) fn close(&mut self, symbol: u32, restore: u32) {
        if let Some(next) = self.next.get_mut(symbol as usize) {
            *next = restore;
        }
    }
}
