//! Who can be called: functions, and in edges each of their recursion levels.
//!
//! In [`Shape::Edges`](crate::Shape) a callee is an *activation*, a symbol at
//! one level, XHProf's `f@2`; in [`Shape::Tree`](crate::Shape) it is a symbol.
//! A symbol's *standing* says what its next call will be: nothing of it is open
//! and it was called last by this caller, or it is open and this is its next
//! level. A call changes the standing and puts the old one back at its end, so
//! that it opens its level and closes it again without counting anything.
//!
//! Each callee remembers the row it was found in last, and for whom. That is
//! the right one nearly always, and then a call costs no look-up. It is
//! remembered when the call ends: so a row that is found this way has completed
//! a call before, and nobody has to ask whether it is its first.

use crate::call_table::{NONE, Row, SINK};

/// What a call is known by while it is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The symbol's standing when this call is over.
    pub(crate) restore: Standing,
    /// Where its cost goes.
    pub(crate) row: u32,
    /// What its callees name as their caller: an activation, or a tree's row.
    pub(crate) context: u32,
    /// Whose level it opened; none if it opened none.
    pub(crate) symbol: u32,
}

impl Place {
    /// A place that costs go to in order to be forgotten.
    pub(crate) const NOWHERE: Self = Self {
        restore: Standing(0),
        row: SINK,
        context: NONE,
        symbol: NONE,
    };

    /// The place of a call that is an event, and known by its symbol.
    #[inline(always)]
    pub(crate) fn of_event(symbol: u32) -> Self {
        Self {
            context: symbol,
            ..Self::NOWHERE
        }
    }
}

/// How a symbol stands, in one word: in the lower half who called it last, or
/// [`OPEN`]; in the upper half the level that opens after this one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Standing(u64);

/// In the place of a caller: a level of the symbol is open.
const OPEN: u32 = u32::MAX;
/// In the place of a caller: there was none. No caller has this number.
const NOBODY: u32 = u32::MAX - 1;
/// Set in activations that are not their symbol's outermost, which have the
/// symbol's number.
const DEEPER: u32 = 1 << 31;

impl Standing {
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
    standing: Standing,
    /// Where its outermost level was found last, by the caller that the
    /// standing names.
    row: u32,
}

/// A level of a function that was called while it was open.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// The symbol's standing while this level is the innermost.
    opened: Standing,
    /// Where it was found last.
    caller: u32,
    row: u32,
}

/// All callees.
#[derive(Debug, Default, Clone)]
pub(crate) struct Callees {
    symbols: Vec<Callee>,
    levels: Vec<Level>,
    /// The symbol of each level and its number, which only the end of a
    /// profile asks for.
    names: Vec<(u32, u32)>,
}

impl Callees {
    /// None at all.
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

    /// How many symbols there are.
    pub(crate) fn symbols(&self) -> u32 {
        u32::try_from(self.symbols.len()).unwrap_or(NONE)
    }

    /// Adds the next symbol.
    pub(crate) fn add_symbol(&mut self) {
        self.symbols.push(Callee {
            standing: Standing::new(NOBODY, NONE),
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

    /// Another number for an activation: all of them together leave no gap.
    pub(crate) fn without_gaps(activation: u32) -> u32 {
        activation.rotate_left(1)
    }

    /// Where a call of `symbol` goes, if the last one was by the same caller.
    /// In edges its level is open then.
    #[inline(always)]
    pub(crate) fn call_again(
        &mut self,
        in_tree: bool,
        caller: u32,
        symbol: usize,
    ) -> Option<Place> {
        let callee = self.symbols.get_mut(symbol)?;
        let restore = callee.standing;
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
            callee.standing = restore.opened();
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
            callee.standing = level.opened;
            Place {
                restore,
                row: level.row,
                context: restore.deeper() | DEEPER,
                symbol,
            }
        })
    }

    /// Remembers where the callee of a call that is over was found.
    #[inline(always)]
    pub(crate) fn found(&mut self, number: u32, row: &Row) {
        if let Some(level) = self.levels.get_mut((row.callee ^ DEEPER) as usize) {
            level.caller = row.parent;
            level.row = number;
        } else if let Some(callee) = self.symbols.get_mut(row.callee as usize)
            && callee.standing.caller() != OPEN
        {
            callee.standing = Standing::new(row.parent, callee.standing.deeper());
            callee.row = number;
        }
    }

    /// The activation that a call of `symbol` is, and one level more open; and
    /// what is to be put back when it is over.
    pub(crate) fn open(&mut self, symbol: u32) -> (u32, Standing) {
        let Some(&Callee { standing, .. }) = self.symbols.get(symbol as usize) else {
            return (NONE, Standing::default());
        };
        let mut restore = standing;
        // So that the short way above finds one whenever a level is open.
        if restore.deeper() == NONE {
            restore = Standing::new(restore.caller(), self.add_level(symbol, 1));
        }
        if restore.caller() != OPEN {
            self.close(symbol, restore.opened());
            return (symbol, restore);
        }
        let number = restore.deeper();
        let opened = self.standing_inside(number, symbol);
        self.close(symbol, opened);
        (number | DEEPER, restore)
    }

    /// The standing of `symbol` while its level `number` is the innermost.
    fn standing_inside(&mut self, number: u32, symbol: u32) -> Standing {
        let opened = self.levels.get(number as usize).map(|level| level.opened);
        if let Some(opened) = opened
            && opened.deeper() != NONE
        {
            return opened;
        }
        let (_, depth) = self.symbol_and_level(number | DEEPER);
        let opened = Standing::new(OPEN, self.add_level(symbol, depth + 1));
        if let Some(level) = self.levels.get_mut(number as usize) {
            level.opened = opened;
        }
        opened
    }

    fn add_level(&mut self, symbol: u32, depth: u32) -> u32 {
        let number = u32::try_from(self.levels.len()).unwrap_or(NONE);
        self.levels.push(Level {
            opened: Standing::new(OPEN, NONE),
            caller: NOBODY,
            row: SINK,
        });
        self.names.push((symbol, depth));
        number
    }

    /// Opens what `place` opened, again.
    pub(crate) fn reopen(&mut self, place: &mut Place) {
        let Some(callee) = self.symbols.get_mut(place.symbol as usize) else {
            return;
        };
        place.restore = callee.standing;
        let level = self.levels.get((place.context ^ DEEPER) as usize);
        callee.standing = level.map_or_else(|| callee.standing.opened(), |level| level.opened);
    }

    /// Puts a symbol's standing back to what it was. Nothing happens for a
    /// place that opened no level.
    #[inline(always)]
    pub(crate) fn close(&mut self, symbol: u32, restore: Standing) {
        if let Some(callee) = self.symbols.get_mut(symbol as usize) {
            callee.standing = restore;
        }
    }
}
