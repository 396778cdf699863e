//! Predicts the next callee: one of the recent callees of the running function.
//!
//! The writer and the reader run the same predictor, so that a few bits select
//! the right prediction. In PHP-Parser's events with wall time a call takes 2.4 bytes
//! instead of 3.4, for 22 instructions.
//!
//! **Invariant:** the predictor's state depends only on the previous events.

use std::collections::HashMap;

use crate::table::part;

/// The number of callees that are remembered for each function.
pub(super) const RANKS: usize = 3;

/// No callee: no symbol has this number.
const NO_CALLEE: u32 = u32::MAX;

/// The open calls, and the recent callees of each function.
#[derive(Debug, Clone)]
pub(super) struct Predictor {
    functions: Vec<Function>,
    /// The open functions under `top`, up to `depth`; the rest is spare
    /// capacity.
    open: Vec<u32>,
    depth: usize,
    /// The running function.
    top: u32,
    fiber: u32,
    /// The open calls of suspended fibers, `top` last.
    waiting: HashMap<u32, Vec<u32>>,
}

/// The state of a function: a quarter of a cache line.
#[derive(Debug, Clone, Copy)]
struct Function {
    /// Its callees, the last one first.
    callees: [u32; RANKS],
    name: Name,
}

/// A function's number plus one, as encoded: the bytes after their count, which
/// is the lowest byte. 0 if there are more than three of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name(pub(super) u32);

impl Name {
    fn of(symbol: usize) -> Self {
        let number = symbol.saturating_add(1);
        let bits = |place: u32| u32::try_from(number >> (7 * place) & 0x7F).unwrap_or(0);
        Self(match number {
            0..0x80 => 1 | bits(0) << 8,
            0x80..0x4000 => 2 | (bits(0) | 0x80) << 8 | bits(1) << 16,
            0x4000..0x20_0000 => 3 | (bits(0) | 0x80) << 8 | (bits(1) | 0x80) << 16 | bits(2) << 24,
            _ => 0,
        })
    }
}

impl Predictor {
    pub(super) fn new() -> Self {
        Self {
            functions: Vec::new(),
            open: Vec::new(),
            depth: 0,
            top: 0,
            fiber: 0,
            waiting: HashMap::new(),
        }
    }

    /// The number of symbols.
    pub(super) fn symbols(&self) -> usize {
        self.functions.len()
    }

    /// Adds symbols.
    pub(super) fn add_symbols(&mut self, count: usize) {
        let first = self.functions.len();
        let more = (first..first + count).map(|symbol| Function {
            callees: [NO_CALLEE; RANKS],
            name: Name::of(symbol),
        });
        self.functions.extend(more);
    }

    /// The symbol of that number, or `main()` if there is none.
    pub(super) fn known(&self, symbol: u32) -> u32 {
        if (symbol as usize) < self.functions.len() {
            symbol
        } else {
            0
        }
    }

    /// [`Run::enter`] for one call; its rank.
    pub(super) fn enter(&mut self, symbol: u32) -> usize {
        let mut run = self.run(1);
        let rank = run.rank(symbol).unwrap_or(RANKS);
        run.enter(symbol, rank);
        let end = run.end();
        self.after(end);
        rank
    }

    /// The running function returns, if a call is open.
    pub(super) fn leave(&mut self) {
        let mut run = self.run(0);
        run.leave();
        let end = run.end();
        self.after(end);
    }

    /// Predicts until another fiber resumes, with capacity for this many calls.
    pub(super) fn run(&mut self, calls: usize) -> Run<'_> {
        let room = self.depth.saturating_add(calls);
        if self.open.len() < room {
            self.open.resize(room, 0);
        }
        Run {
            functions: &mut self.functions,
            open: &mut self.open,
            depth: self.depth,
            top: self.top,
        }
    }

    /// Continues after a run.
    pub(super) fn after(&mut self, (depth, top): (usize, u32)) {
        (self.depth, self.top) = (depth, top);
    }

    /// Another fiber resumes. A fiber without an open call is forgotten.
    pub(super) fn switch(&mut self, fiber: u32) {
        if fiber == self.fiber {
            return;
        }
        let mut next = self.waiting.remove(&fiber).unwrap_or_default();
        let next_top = next.pop().unwrap_or(0);
        // The spare capacity belongs to the running fiber; suspended ones,
        // which may be many, store their open calls only.
        let open = part(&self.open, ..self.depth);
        if !open.is_empty() {
            let mut left = Vec::with_capacity(open.len() + 1);
            left.extend_from_slice(open);
            left.push(self.top);
            self.waiting.insert(self.fiber, left);
        }
        self.depth = next.len();
        if self.open.len() < next.len() {
            self.open.resize(next.len(), 0);
        }
        if let Some(open) = self.open.get_mut(..next.len()) {
            open.copy_from_slice(&next);
        }
        self.top = next_top;
        self.fiber = fiber;
    }
}

/// The predictor while one fiber runs: the state that changes with every event
/// is separate, so that the loops over events keep it in registers.
#[derive(Debug)]
pub(super) struct Run<'p> {
    functions: &'p mut [Function],
    open: &'p mut [u32],
    depth: usize,
    top: u32,
}

impl Run<'_> {
    /// The encoding of a function's number. None if there is no such symbol.
    #[inline(always)]
    pub(super) fn name(&self, symbol: u32) -> Option<Name> {
        let function = self.functions.get(symbol as usize)?;
        Some(function.name)
    }

    /// The rank of `symbol` among the predictions; [`RANKS`] if it is none of
    /// them.
    #[inline(always)]
    pub(super) fn rank(&self, symbol: u32) -> Option<usize> {
        let [first, second, third] = self.functions.get(self.top as usize)?.callees;
        // Without a branch, because the rank is unpredictable.
        let mut rank = RANKS;
        rank = if third == symbol { 2 } else { rank };
        rank = if second == symbol { 1 } else { rank };
        Some(if first == symbol { 0 } else { rank })
    }

    /// The running function calls `symbol`, which has that rank. Returns false,
    /// without a change, if the capacity is used up.
    #[inline(always)]
    pub(super) fn enter(&mut self, symbol: u32, rank: usize) -> bool {
        let caller = self.functions.get_mut(self.top as usize);
        let (Some(caller), Some(place)) = (caller, self.open.get_mut(self.depth)) else {
            return false;
        };
        let [first, second, third] = caller.callees;
        caller.callees = [
            symbol,
            if rank == 0 { second } else { first },
            if rank < 2 { third } else { second },
        ];
        *place = self.top;
        self.depth += 1;
        self.top = symbol;
        true
    }

    /// The prediction of that rank.
    #[inline]
    pub(super) fn predicted(&self, rank: usize) -> Option<u32> {
        let caller = self.functions.get(self.top as usize)?;
        let callee = caller.callees.get(rank)?;
        (*callee != NO_CALLEE).then_some(*callee)
    }

    /// The running function returns. Returns false, without a change, if no
    /// call is open.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> bool {
        let below = self.depth.wrapping_sub(1);
        let Some(&top) = self.open.get(below) else {
            return false;
        };
        (self.depth, self.top) = (below, top);
        true
    }

    /// The state from which [`Predictor::after`] continues.
    pub(super) fn end(self) -> (usize, u32) {
        (self.depth, self.top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::varint::Cursor;

    #[test]
    fn the_last_callees_of_a_function_are_the_first_predictions() {
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
    fn a_name_is_the_number_as_it_is_read() {
        for number in [1, 0x7F, 0x80, 0x3FFF, 0x4000, 0x1F_FFFF] {
            let [count, bytes @ ..] = Name::of(number - 1).0.to_le_bytes();
            let mut cursor = Cursor::new(&bytes[..usize::from(count)], 0);
            assert_eq!(cursor.number().unwrap(), number as u64);
            cursor.finish().unwrap();
        }
        assert_eq!(Name::of(0x1F_FFFF), Name(0));
        assert_eq!(Name::of(usize::MAX), Name(0));
    }

    #[test]
    fn each_fiber_has_its_own_open_calls() {
        let mut predictor = Predictor::new();
        predictor.add_symbols(4);
        predictor.enter(1);
        predictor.switch(9);
        assert_eq!(predictor.run(0).predicted(0), Some(1));
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
