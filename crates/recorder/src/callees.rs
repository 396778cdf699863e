//! Callees: functions, and in edges each of their recursion levels.
//!
//! In [`Shape::Edges`](crate::Shape) a callee is an *activation*, a symbol at
//! one level, XHProf's `f@2`; in [`Shape::Tree`](crate::Shape) it is a symbol.
//! A symbol's *activation state* determines its next call: either no call of it
//! is open, and the state names its last caller; or a call is open, and the
//! state names the next level. A call changes the state, and restores the old
//! one at its end, so that levels are opened and closed without counting.
//!
//! Each callee remembers the row of its last call, and the caller. That is
//! nearly always the right row, and then a call needs no lookup. The row is
//! stored when the call ends: so a row that is found this way has completed a
//! call before, and the hot path need not check whether it is the first.

use crate::call_table::{NONE, Row, SINK};

/// The callee and the row of an open call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The symbol's activation state to restore after this call.
    pub(crate) restore: ActivationState,
    /// The row for the call's cost.
    pub(crate) row: u32,
    /// The caller's key for its callees: an activation, or a tree's row.
    pub(crate) context: u32,
    /// The callee whose level it opened; none if it opened none.
    pub(crate) symbol: u32,
}

impl Place {
    /// A place whose costs are discarded.
    pub(crate) const NOWHERE: Self = Self {
        restore: ActivationState(0),
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
}

/// The activation state of a symbol, in one word: in the lower half its last
/// caller, or [`OPEN`]; in the upper half the level that opens after this one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ActivationState(u64);

/// In place of a caller: a level of the symbol is open.
const OPEN: u32 = u32::MAX;
/// In place of a caller: no call yet. No caller has this number.
const NO_CALLER: u32 = u32::MAX - 1;
/// Set in activations that are not their symbol's outermost, which have the
/// symbol's number.
const DEEPER: u32 = 1 << 31;

impl ActivationState {
    fn new(caller: u32, deeper: u32) -> Self {
        Self(u64::from(deeper) << 32 | u64::from(caller))
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    fn caller(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    fn deeper(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    fn opened(self) -> Self {
        Self(self.0 | u64::from(OPEN))
    }
}

/// A function.
#[derive(Debug, Clone, Copy)]
struct Callee {
    state: ActivationState,
    /// The row of its outermost level's last call, by the caller in the
    /// activation state.
    row: u32,
}

/// A level of a function, which was called while it was open.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// The symbol's activation state while this level is the innermost.
    opened: ActivationState,
    /// The row of its last call.
    caller: u32,
    row: u32,
}

/// All callees.
#[derive(Debug, Default, Clone)]
pub(crate) struct Callees {
    symbols: Vec<Callee>,
    levels: Vec<Level>,
    /// The symbol of each level and its number, which are needed only at the
    /// end of a profile.
    names: Vec<(u32, u32)>,
}

impl Callees {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        Self {
            symbols: Vec::new(),
            levels: Vec::new(),
            names: Vec::new(),
        }
    }

    /// The symbol of that number, if there is one.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "symbols are u32")]
    pub(crate) fn symbol(&self, number: usize) -> Option<u32> {
        self.symbols.get(number).map(|_| number as u32)
    }

    /// The number of symbols.
    pub(crate) fn symbols(&self) -> u32 {
        u32::try_from(self.symbols.len()).unwrap_or(NONE)
    }

    /// Adds the next symbol.
    pub(crate) fn add_symbol(&mut self) {
        self.symbols.push(Callee {
            state: ActivationState::new(NO_CALLER, NONE),
            row: SINK,
        });
    }

    /// The symbol and the level of an activation.
    pub(crate) fn symbol_and_level(&self, activation: u32) -> (u32, u32) {
        match self.names.get((activation ^ DEEPER) as usize) {
            Some(&name) => name,
            None => (activation, 0),
        }
    }

    /// Another numbering of activations, without gaps.
    pub(crate) fn without_gaps(activation: u32) -> u32 {
        activation.rotate_left(1)
    }

    /// The place of a call of `symbol`, if the last call had the same caller.
    /// In edges this opens its level.
    #[inline(always)]
    pub(crate) fn call_again(
        &mut self,
        in_tree: bool,
        caller: u32,
        symbol: usize,
    ) -> Option<Place> {
        let callee = self.symbols.get_mut(symbol)?;
        let restore = callee.state;
        #[expect(clippy::cast_possible_truncation, reason = "symbols are u32")]
        let symbol = symbol as u32;
        if restore.caller() == caller {
            let row = callee.row;
            if in_tree {
                return Some(Place {
                    restore,
                    row,
                    context: row,
                    symbol: NONE,
                });
            }
            callee.state = restore.opened();
            return Some(Place {
                restore,
                row,
                context: symbol,
                symbol,
            });
        }
        if in_tree || restore.caller() != OPEN {
            return None;
        }
        let level = self.levels.get(restore.deeper() as usize)?;
        (level.caller == caller).then(|| {
            callee.state = level.opened;
            Place {
                restore,
                row: level.row,
                context: restore.deeper() | DEEPER,
                symbol,
            }
        })
    }

    /// Stores the row of a callee whose call has ended.
    #[inline(always)]
    pub(crate) fn found(&mut self, number: u32, row: &Row) {
        if let Some(level) = self.levels.get_mut((row.callee ^ DEEPER) as usize) {
            level.caller = row.parent;
            level.row = number;
        } else if let Some(callee) = self.symbols.get_mut(row.callee as usize)
            && callee.state.caller() != OPEN
        {
            callee.state = ActivationState::new(row.parent, callee.state.deeper());
            callee.row = number;
        }
    }

    /// Opens one more level of `symbol`; returns the activation of the call,
    /// and the state to restore when it ends.
    pub(crate) fn open(&mut self, symbol: u32) -> (u32, ActivationState) {
        let Some(&Callee { state, .. }) = self.symbols.get(symbol as usize) else {
            return (NONE, ActivationState::default());
        };
        let mut restore = state;
        // So that the fast path above finds one whenever a level is open.
        if restore.deeper() == NONE {
            restore = ActivationState::new(restore.caller(), self.add_level(symbol, 1));
        }
        if restore.caller() != OPEN {
            self.close(symbol, restore.opened());
            return (symbol, restore);
        }
        let number = restore.deeper();
        let opened = self.state_inside(number, symbol);
        self.close(symbol, opened);
        (number | DEEPER, restore)
    }

    /// The activation state of `symbol` while its level `number` is the
    /// innermost.
    fn state_inside(&mut self, number: u32, symbol: u32) -> ActivationState {
        let opened = self.levels.get(number as usize).map(|level| level.opened);
        if let Some(opened) = opened
            && opened.deeper() != NONE
        {
            return opened;
        }
        let (_, depth) = self.symbol_and_level(number | DEEPER);
        let opened = ActivationState::new(OPEN, self.add_level(symbol, depth + 1));
        if let Some(level) = self.levels.get_mut(number as usize) {
            level.opened = opened;
        }
        opened
    }

    fn add_level(&mut self, symbol: u32, depth: u32) -> u32 {
        let number = u32::try_from(self.levels.len()).unwrap_or(NONE);
        self.levels.push(Level {
            opened: ActivationState::new(OPEN, NONE),
            caller: NO_CALLER,
            row: SINK,
        });
        self.names.push((symbol, depth));
        number
    }

    /// Opens the level of `place` again.
    pub(crate) fn reopen(&mut self, place: &mut Place) {
        let Some(callee) = self.symbols.get_mut(place.symbol as usize) else {
            return;
        };
        place.restore = callee.state;
        let level = self.levels.get((place.context ^ DEEPER) as usize);
        callee.state = level.map_or_else(|| callee.state.opened(), |level| level.opened);
    }

    /// Restores a symbol's activation state. Does nothing for a place that
    /// opened no level.
    #[inline(always)]
    pub(crate) fn close(&mut self, symbol: u32, restore: ActivationState) {
        if let Some(callee) = self.symbols.get_mut(symbol as usize) {
            callee.state = restore;
        }
    }
}
