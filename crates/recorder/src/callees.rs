//! Who can be called: functions, and in edges each of their recursion levels.
//!
//! In [`Shape::Edges`](crate::Shape) a callee is an *activation*, a symbol at
//! one level, XHProf's `f@2`. Each symbol knows the activation that its next
//! call will be, and each activation the one a level deeper, so that a call
//! opens its level and closes it again without counting anything. In
//! [`Shape::Tree`](crate::Shape) a callee is a symbol.
//!
//! Each callee remembers the row it was found in last, and for whom. That is
//! the right one nearly always, and then a call costs no look-up.

use crate::call_table::{NONE, SINK};

/// What a call is known by while it is open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Where its cost goes.
    pub(crate) row: u32,
    /// What its callees name as their caller: an activation, or a tree's row.
    pub(crate) context: u32,
    /// Whose level it opened; none if it opened none.
    pub(crate) symbol: u32,
    /// The activation that the symbol's next call is when this one is over.
    pub(crate) restore: u32,
}

impl Place {
    /// A place that costs go to in order to be forgotten.
    pub(crate) const NOWHERE: Self = Self {
        row: SINK,
        context: NONE,
        symbol: NONE,
        restore: NONE,
    };

    /// The place of a call that is an event, and known by its symbol.
    #[inline(always)]
    pub(crate) fn of_event(symbol: u32) -> Self {
        Self {
            row: SINK,
            context: symbol,
            symbol: NONE,
            restore: NONE,
        }
    }
}

/// A function, or one level of it.
#[derive(Debug, Clone, Copy)]
struct Callee {
    symbol: u32,
    /// The activation one level deeper, once there has been one.
    deeper: u32,
    /// Where it was found last.
    last_caller: u32,
    last_row: u32,
}

/// All callees, and where each symbol stands.
#[derive(Debug, Default, Clone)]
pub(crate) struct Callees {
    callees: Vec<Callee>,
    /// The level of each, which only the end of a profile asks for.
    levels: Vec<u32>,
    /// For each symbol, the callee that its next call will be.
    next: Vec<u32>,
}

impl Callees {
    /// How many symbols there are.
    pub(crate) fn symbols(&self) -> u32 {
        u32::try_from(self.next.len()).unwrap_or(NONE)
    }

    /// Adds the next symbol.
    pub(crate) fn add_symbol(&mut self) {
        let callee = self.add(self.symbols(), 0);
        self.next.push(callee);
    }

    fn add(&mut self, symbol: u32, level: u32) -> u32 {
        let callee = u32::try_from(self.callees.len()).unwrap_or(NONE);
        self.callees.push(Callee {
            symbol,
            deeper: NONE,
            last_caller: NONE,
            last_row: SINK,
        });
        self.levels.push(level);
        callee
    }

    /// The symbol and the level of an activation.
    pub(crate) fn symbol_and_level(&self, activation: u32) -> (u32, u32) {
        let index = activation as usize;
        let symbol = self.callees.get(index).map_or(0, |it| it.symbol);
        (symbol, self.levels.get(index).copied().unwrap_or(0))
    }

    /// Where a call of `symbol` goes, if the last one was by the same caller.
    /// In edges its level is open then.
    #[inline(always)]
    pub(crate) fn call_again(&mut self, in_tree: bool, caller: u32, symbol: u32) -> Option<Place> {
        if in_tree {
            let callee = self.callees.get(symbol as usize)?;
            return (callee.last_caller == caller).then_some(Place {
                row: callee.last_row,
                context: callee.last_row,
                symbol: NONE,
                restore: NONE,
            });
        }
        let next = self.next.get_mut(symbol as usize)?;
        let activation = *next;
        let callee = self.callees.get(activation as usize)?;
        // Somebody called it before, so it was open, and there is a deeper one.
        (callee.last_caller == caller).then(|| {
            *next = callee.deeper;
            Place {
                row: callee.last_row,
                context: activation,
                symbol,
                restore: activation,
            }
        })
    }

    /// Remembers where a callee was found.
    pub(crate) fn found(&mut self, callee: u32, caller: u32, row: u32) {
        if let Some(callee) = self.callees.get_mut(callee as usize) {
            callee.last_caller = caller;
            callee.last_row = row;
        }
    }

    /// The activation that a call of `symbol` is, and one level more open.
    pub(crate) fn open(&mut self, symbol: u32) -> u32 {
        let Some(&activation) = self.next.get(symbol as usize) else {
            return NONE;
        };
        let deeper = self.callees.get(activation as usize).map(|it| it.deeper);
        let deeper = match deeper {
            Some(NONE) | None => self.add_deeper(symbol, activation),
            Some(deeper) => deeper,
        };
        self.close(symbol, deeper);
        activation
    }

    fn add_deeper(&mut self, symbol: u32, activation: u32) -> u32 {
        let level = self.levels.get(activation as usize).copied();
        let deeper = self.add(symbol, level.unwrap_or(0) + 1);
        if let Some(callee) = self.callees.get_mut(activation as usize) {
            callee.deeper = deeper;
        }
        deeper
    }

    /// Opens what `place` opened, again.
    pub(crate) fn reopen(&mut self, place: &Place) {
        let callee = self.callees.get(place.context as usize);
        let deeper = callee.map(|it| it.deeper);
        if let Some(deeper) = deeper {
            self.close(place.symbol, deeper);
        }
    }

    /// Puts a symbol's next call back to what it was. Nothing happens for a
    /// place that opened no level.
    #[inline(always)]
    pub(crate) fn close(&mut self, symbol: u32, restore: u32) {
        if let Some(next) = self.next.get_mut(symbol as usize) {
            *next = restore;
        }
    }
}
