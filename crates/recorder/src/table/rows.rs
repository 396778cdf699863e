//! Rows, and the index from a key to its row: what each call uses. `growth.rs` has the rest.
//!
//! One table serves two shapes. In [`Shape::Edges`](crate::Shape) a row's key is the
//! caller's and the callee's *activation* (a symbol and its recursion level, XHProf's
//! `f@2`); in [`Shape::Tree`](crate::Shape) it is the parent row and the callee's
//! symbol, so a row is a whole path. Folding the tree gives exactly the edges, which a
//! property test checks.
//!
//! Every call finds its row by the index: an open hash table of row numbers, at
//! most a quarter full, so that the first slot is nearly always the right one.
//! The key is in the row, which the end of the call needs anyway. There is no
//! shortcut for a function that is called by the same caller again: in real
//! programs the caller of half of all calls is another one than last time, and
//! a wrong guess costs the processor more than the search.

use profile::folded_product;

use crate::{Plan, Reading};

/// No row, activation or symbol.
pub(crate) const NONE: u32 = u32::MAX;
/// The sink: the row for calls that are not recorded.
pub(crate) const SINK: u32 = 0;
/// The row of the profile's root, `main()`.
pub(crate) const ROOT: u32 = 1;

/// Where an open call belongs: its row, and what its callees and its end need.
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

/// The summed cost of the calls with one key. It is as large as a line of the
/// processor's cache, and begins where one begins: a call touches one.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Row {
    pub(super) key: u64,
    /// Its place in [`CallTable::completed`], from 1; 0 before its first call
    /// has ended.
    pub(super) order: u32,
    pub(crate) calls: u64,
    pub(crate) cost: Reading,
}

impl Row {
    pub(super) fn new(parent: u32, callee: u32) -> Self {
        Self {
            key: key(parent, callee),
            order: 0,
            calls: 0,
            cost: Reading::default(),
        }
    }

    /// The caller: an activation, or a row of the tree.
    pub(crate) fn parent(&self) -> u32 {
        high_half(self.key)
    }

    /// The callee: an activation, or a symbol in a tree.
    pub(crate) fn callee(&self) -> u32 {
        low_half(self.key)
    }

    /// Adds one finished call.
    #[inline(always)]
    pub(crate) fn add_call<M: Plan>(&mut self, now: Reading, start: Reading) {
        self.calls += 1;
        // A clock that steps back makes a sum smaller, and no other sum larger:
        // a caller's sum always contains its callees', to the tick.
        let wall = now.wall.wrapping_sub(start.wall);
        self.cost.wall = self.cost.wall.wrapping_add(wall);
        if M::CPU {
            let cpu = now.cpu.wrapping_sub(start.cpu);
            self.cost.cpu = self.cost.cpu.wrapping_add(cpu);
        }
        if M::MEMORY {
            let memory = now.memory.wrapping_sub(start.memory);
            self.cost.memory = self.cost.memory.wrapping_add(memory);
            let peak = now.peak.wrapping_sub(start.peak);
            self.cost.peak = self.cost.peak.wrapping_add(peak);
        }
    }

    /// Adds time that belongs to calls counted elsewhere.
    pub(crate) fn add_cost(&mut self, cost: Reading) {
        self.cost = self.cost.delayed_by(cost);
    }
}

/// All rows, and the index from a key to its row.
#[derive(Debug, Clone)]
pub(crate) struct CallTable {
    pub(crate) rows: Vec<Row>,
    /// Rows in the order in which they first completed a call.
    pub(super) completed: Vec<u32>,
    /// The number of a row at the hash of its key, or in the next free slot;
    /// [`SINK`] in free slots. Its length is a power of two.
    pub(super) index: Vec<u32>,
    pub(super) max_rows: usize,
}

impl CallTable {
    /// The number of the row with that key, if it stands in the first slot of its hash.
    ///
    /// Else [`search`](Self::search) looks further, from the slow path: a hook that
    /// called it would have to save the processor's registers, at a tenth of its
    /// instructions.
    #[inline(always)]
    pub(crate) fn find(&mut self, parent: u32, callee: u32) -> Option<u32> {
        let key = key(parent, callee);
        let (number, row) = self.slot(hash(key))?;
        (row.key == key).then_some(number)
    }

    /// What stands in the slot of that hash.
    #[inline(always)]
    pub(super) fn slot(&self, hash: usize) -> Option<(u32, &Row)> {
        let number = *self.index.get(hash & self.index.len().wrapping_sub(1))?;
        Some((number, self.rows.get(number as usize)?))
    }

    /// Adds one finished call to the row numbered `number`, possibly its first
    /// one; then the row becomes visible.
    #[inline]
    pub(crate) fn add_call<M: Plan>(&mut self, number: u32, now: Reading, start: Reading) {
        if let Some(row) = self.rows.get_mut(number as usize) {
            row.add_call::<M>(now, start);
            if row.order == 0 {
                self.completed.push(number);
                row.order = u32::try_from(self.completed.len()).unwrap_or(NONE);
            }
        }
    }
}

#[inline(always)]
pub(super) fn key(parent: u32, callee: u32) -> u64 {
    u64::from(parent) << 32 | u64::from(callee)
}

fn high_half(key: u64) -> u32 {
    (key >> 32) as u32
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn low_half(key: u64) -> u32 {
    key as u32
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the lower bits are used")]
pub(super) fn hash(key: u64) -> usize {
    folded_product(key, 0xD6E8_FEB8_6659_FD93) as usize
}
