//! Callees: functions, and in edges each of their recursion levels.
//!
//! In [`Shape::Edges`](crate::Shape) a callee is an *activation*, a symbol at
//! one level, XHProf's `f@2`; in [`Shape::Tree`](crate::Shape) it is a symbol.
//! Each symbol has the activation that its next call opens: its outermost one
//! while no call of it is open, else the next recursion level. A call replaces
//! it, and restores it at its end, so that levels are opened and closed without
//! counting.

use super::rows::{NONE, Place};

/// How many numbers a block has. All but the last are activations, each one level deeper
/// than the one before: so a recursive call finds its level by an addition, and need not
/// wait for a load. The last number is a sentinel: continue in the next block.
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
    /// For each symbol, the activation that its next call opens, or a sentinel.
    pub(crate) next: Vec<u32>,
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

    /// Opens the next activation of `symbol`. Returns it, and what to restore when it
    /// is closed.
    pub(crate) fn open(&mut self, symbol: u32) -> Option<(u32, u32)> {
        let restore = *self.next.get(symbol as usize)?;
        let activation = self.resolve(restore);
        if activation == NONE {
            return None;
        }
        self.close(symbol, activation + 1);
        Some((activation, restore))
    }

    /// The activation of a number: for a sentinel the first one of the next block, which
    /// is created if there is none yet.
    fn resolve(&mut self, number: u32) -> u32 {
        let Some(&block) = self.blocks.get((number / BLOCK) as usize) else {
            return NONE;
        };
        if !is_sentinel(number) {
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
    pub(crate) fn close(&mut self, symbol: u32, restore: u32) {
        if let Some(next) = self.next.get_mut(symbol as usize) {
            *next = restore;
        }
    }
}

/// Whether a number is a block's sentinel. No row has such a callee, so the hot path
/// finds none, and the slow path opens the next block.
fn is_sentinel(number: u32) -> bool {
    number % BLOCK == BLOCK - 1
}
