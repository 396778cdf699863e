//! Recursion levels: the `@2` of `f@2`.
//!
//! An *activation* is a symbol at one level. Each symbol knows the activation
//! that its next call will be, and each activation the one a level deeper, so
//! that a call opens its level and closes it again without counting anything.

use crate::call_table::NONE;

/// A symbol at one recursion level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub(crate) symbol: u32,
    pub(crate) level: u32,
    /// The activation one level deeper, once there has been one.
    deeper: u32,
}

/// All activations, and where each symbol stands.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    levels: Vec<Level>,
    /// For each symbol, the activation that its next call will be.
    next: Vec<u32>,
}

impl Levels {
    /// How many symbols there are.
    pub(crate) fn symbols(&self) -> u32 {
        u32::try_from(self.next.len()).unwrap_or(NONE)
    }

    /// Adds the next symbol; gives back its outermost activation.
    pub(crate) fn add_symbol(&mut self) -> u32 {
        let activation = self.add(self.symbols(), 0);
        self.next.push(activation);
        activation
    }

    fn add(&mut self, symbol: u32, level: u32) -> u32 {
        let activation = u32::try_from(self.levels.len()).unwrap_or(NONE);
        self.levels.push(Level {
            symbol,
            level,
            deeper: NONE,
        });
        activation
    }

    /// What an activation is.
    pub(crate) fn get(&self, activation: u32) -> Option<&Level> {
        self.levels.get(activation as usize)
    }

    /// The activation that a call of `symbol` is, and one level more open.
    /// `made` is called with an activation that is new.
    #[inline]
    pub(crate) fn open(&mut self, symbol: u32, made: impl FnOnce(u32)) -> u32 {
        let Some(next) = self.next.get_mut(symbol as usize) else {
            return NONE;
        };
        let activation = *next;
        if let Some(level) = self.levels.get(activation as usize)
            && level.deeper != NONE
        {
            *next = level.deeper;
            return activation;
        }
        made(self.open_new(symbol, activation));
        activation
    }

    #[cold]
    fn open_new(&mut self, symbol: u32, activation: u32) -> u32 {
        let level = self.get(activation).map_or(0, |it| it.level);
        let deeper = self.add(symbol, level + 1);
        if let Some(it) = self.levels.get_mut(activation as usize) {
            it.deeper = deeper;
        }
        self.reopen(activation);
        deeper
    }

    /// Opens an activation that was open before.
    pub(crate) fn reopen(&mut self, activation: u32) {
        if let Some(level) = self.levels.get(activation as usize)
            && let Some(next) = self.next.get_mut(level.symbol as usize)
        {
            *next = level.deeper;
        }
    }

    /// Puts the symbol's level back to what it was before `activation`.
    #[inline]
    pub(crate) fn close(&mut self, activation: u32) {
        if let Some(level) = self.levels.get(activation as usize)
            && let Some(next) = self.next.get_mut(level.symbol as usize)
        {
            *next = activation;
        }
    }

    /// Takes back the level that a fiber's first function skipped, if it did:
    /// only there is the caller the same function without being on the stack.
    #[inline]
    pub(crate) fn close_skipped(&mut self, caller: u32, activation: u32) {
        let symbol = |it: u32| self.get(it).map(|level| level.symbol);
        if symbol(caller) == symbol(activation) {
            self.close(caller);
        }
    }
}
