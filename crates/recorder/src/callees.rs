//! Callees: functions, and in edges each of their recursion levels.
//!
//! In [`Shape::Edges`](crate::Shape) a callee is an *activation*, a symbol at
//! one level, XHProf's `f@2`; in [`Shape::Tree`](crate::Shape) it is a symbol.
//! Each symbol has the activation that its next call opens: its outermost one
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

/// How many activations a block has, and its door: a number that opens the next block.
/// So the activation one level deeper has the next number, which no load and no search
/// has to find: in recursion each call waits for the level of the one before.
const BLOCK: u32 = 64;

/// The outermost activation of a symbol that was added before any call: no block of
/// deeper levels is older than its own.
pub(crate) const fn outermost_of_early(symbol: u32) -> u32 {
    symbol * BLOCK
}

/// Some recursion levels of a function, one after the other.
#[derive(Debug, Clone, Copy)]
struct Block {
    symbol: u32,
    /// The level of its first activation: how many calls of the function are open
    /// below it.
    first_level: u32,
    /// The block with the levels after these; none if it was never needed.
    deeper: u32,
}

/// The longest list that is kept for the next profile.
const MAX_REUSED_BLOCKS: usize = 32_768;

/// All callees.
#[derive(Debug, Default, Clone)]
pub(crate) struct Callees {
    /// For each symbol, the activation that its next call opens, or the door to it.
    next: Vec<u32>,
    /// An activation is one of [`BLOCK`] numbers, from its block's number times that.
    blocks: Vec<Block>,
}

impl Callees {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        Self {
            next: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// An empty list in the memory of an earlier one.
    pub(crate) fn new_in(mut earlier: Self) -> Self {
        earlier.next.clear();
        earlier.blocks.clear();
        earlier
    }

    /// The same list, to be used by [`new_in`](Self::new_in), unless it is too large to
    /// be kept.
    pub(crate) fn reusable(self) -> Self {
        if self.blocks.capacity() > MAX_REUSED_BLOCKS {
            return Self::new();
        }
        self
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

    /// Adds the next symbol; false without memory for it.
    pub(crate) fn add_symbol(&mut self) -> bool {
        if self.next.try_reserve(1).is_err() || self.blocks.try_reserve(1).is_err() {
            return false;
        }
        let outermost = self.add_block(self.symbols(), 0);
        self.next.push(outermost);
        true
    }

    /// The first activation of a new block; none if there are too many, or no memory.
    fn add_block(&mut self, symbol: u32, first_level: u32) -> u32 {
        let number = u32::try_from(self.blocks.len()).unwrap_or(NONE);
        let Some(first) = number.checked_mul(BLOCK) else {
            return NONE;
        };
        if self.blocks.try_reserve(1).is_err() {
            return NONE;
        }
        self.blocks.push(Block {
            symbol,
            first_level,
            deeper: NONE,
        });
        first
    }

    /// The symbol and the level of an activation.
    pub(crate) fn symbol_and_level(&self, activation: u32) -> (u32, u32) {
        match self.blocks.get((activation / BLOCK) as usize) {
            Some(block) => (block.symbol, block.first_level + activation % BLOCK),
            None => (NONE, 0),
        }
    }

    /// The activation that the next call of that symbol opens, or the door to it, and
    /// where to write what the call after that opens: the number after it.
    #[inline(always)]
    pub(crate) fn next(&mut self, symbol: usize) -> Option<&mut u32> {
        self.next.get_mut(symbol)
    }

    /// Opens the next activation of `symbol`. Returns it, and what to restore when it
    /// is closed.
    pub(crate) fn open(&mut self, symbol: u32) -> Option<(u32, u32)> {
        let restore = *self.next.get(symbol as usize)?;
        let activation = self.behind(restore);
        if activation == NONE {
            return None;
        }
        self.close(symbol, activation + 1);
        Some((activation, restore))
    }

    /// The activation that a number opens: behind a door the first one of the next
    /// block, which is created if there is none yet.
    fn behind(&mut self, number: u32) -> u32 {
        let Some(&block) = self.blocks.get((number / BLOCK) as usize) else {
            return NONE;
        };
        if !is_door(number) {
            return number;
        }
        if block.deeper != NONE {
            return block.deeper;
        }
        let deeper = self.add_block(block.symbol, block.first_level + BLOCK - 1);
        if let Some(block) = self.blocks.get_mut((number / BLOCK) as usize) {
            block.deeper = deeper;
        }
        deeper
    }

    /// Opens the activation of `place` again.
    pub(crate) fn reopen(&mut self, place: &mut Place) {
        if let Some(&next) = self.next.get(place.symbol as usize) {
            place.restore = next;
            self.close(place.symbol, place.context + 1);
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

/// Whether a number is no activation, but leads to one in the next block. No row has
/// such a callee, so a search for one fails, and the hot path need not ask.
fn is_door(number: u32) -> bool {
    number % BLOCK == BLOCK - 1
}
