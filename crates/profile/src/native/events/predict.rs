//! Guesses who is called next: one of those that this function called last.
//!
//! The writer and the reader go through the same steps, so that a few bits can
//! say which of the guesses is right.
//!
//! **Invariant:** what is remembered depends on nothing but the events so far.

use std::collections::HashMap;

/// How many callees of each function are remembered.
pub(super) const RANKS: usize = 3;

/// No callee: no symbol has this number.
const NOBODY: u32 = u32::MAX;

/// The open calls, and what each function called last.
#[derive(Debug, Clone)]
pub(super) struct Predictor {
    /// By function: its callees, the last one first.
    callees: Vec<[u32; RANKS]>,
    /// The functions that are open under `top`.
    open: Vec<u32>,
    /// The function that runs.
    top: u32,
    fiber: u32,
    /// The open calls of fibers that wait, `top` last.
    waiting: HashMap<u32, Vec<u32>>,
}

impl Predictor {
    pub(super) fn new() -> Self {
        Self {
            callees: Vec::new(),
            open: Vec::new(),
            top: 0,
            fiber: 0,
            waiting: HashMap::new(),
        }
    }

    /// How many symbols there are.
    pub(super) fn symbols(&self) -> usize {
        self.callees.len()
    }

    /// Adds symbols.
    pub(super) fn add_symbols(&mut self, count: usize) {
        let symbols = self.callees.len() + count;
        self.callees.resize(symbols, [NOBODY; RANKS]);
    }

    /// The running function calls `symbol`. The place it had among the guesses;
    /// [`RANKS`] if it was none of them.
    #[inline]
    pub(super) fn enter(&mut self, symbol: u32) -> usize {
        let mut rank = RANKS;
        if let Some(callees) = self.callees.get_mut(self.top as usize) {
            // Without a branch: which one it is cannot be foreseen.
            let [first, second, third] = *callees;
            let is = |callee| usize::from(callee == symbol);
            rank = 3 - 3 * is(first) - 2 * is(second) - is(third);
            *callees = [
                symbol,
                if rank == 0 { second } else { first },
                if rank < 2 { third } else { second },
            ];
        }
        self.open.push(self.top);
        self.top = symbol;
        rank
    }

    /// The guess of that place.
    #[inline]
    pub(super) fn guess(&self, rank: usize) -> Option<u32> {
        let callees = self.callees.get(self.top as usize)?;
        let callee = callees.get(rank)?;
        (*callee != NOBODY).then_some(*callee)
    }

    /// The running function returns.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.top = self.open.pop().unwrap_or(0);
    }

    /// Another fiber goes on. One that has no call open is forgotten.
    pub(super) fn switch(&mut self, fiber: u32) {
        if fiber == self.fiber {
            return;
        }
        let mut next = self.waiting.remove(&fiber).unwrap_or_default();
        let next_top = next.pop().unwrap_or(0);
        let mut left = std::mem::replace(&mut self.open, next);
        if !left.is_empty() {
            left.push(self.top);
            self.waiting.insert(self.fiber, left);
        }
        self.top = next_top;
        self.fiber = fiber;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_callees_of_a_function_are_the_first_guesses() {
        let mut predictor = Predictor::new();
        predictor.add_symbols(20);
        let mut call = |symbol| {
            let rank = predictor.enter(symbol);
            predictor.leave();
            rank
        };
        assert_eq!(call(5), RANKS);
        assert_eq!(call(5), 0);
        assert_eq!(call(6), RANKS);
        assert_eq!(call(5), 1);
        assert_eq!(call(5), 0);
        assert_eq!(call(7), RANKS);
        assert_eq!(call(6), 2);
        assert_eq!(call(5), 2);
        assert_eq!(call(6), 1);
        assert_eq!(call(8), RANKS);
        assert_eq!(call(7), RANKS);
    }

    #[test]
    fn each_fiber_has_its_own_open_calls() {
        let mut predictor = Predictor::new();
        predictor.add_symbols(4);
        predictor.enter(1);
        predictor.switch(9);
        assert_eq!(predictor.guess(0), Some(1));
        predictor.enter(2);
        predictor.switch(0);
        assert_eq!(predictor.enter(3), RANKS);
        predictor.leave();
        predictor.switch(9);
        predictor.leave();
        predictor.switch(0);
        assert_eq!(predictor.enter(3), 0);
        assert!(predictor.waiting.is_empty());
    }
}
