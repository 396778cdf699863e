//! Costs keyed by calling context.
//!
//! One table serves two shapes. In [`Shape::Edges`] a row's key is the caller's
//! and the callee's *activation* (a symbol and its recursion level, XHProf's
//! `f@2`); in [`Shape::Tree`] it is the parent row and the callee's symbol, so
//! a row is a whole path. Folding the tree gives exactly the edges, which a
//! property test checks.
//!
//! A call is looked up here only if the callee's last call had another caller
//! ([`Callees`](crate::callees::Callees) remember that). Each caller also
//! remembers its last callee: so recursion in a tree, where every level is a
//! new caller, needs no index. Otherwise a call is one hash lookup, whose cost
//! does not depend on the number of callers or callees.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use profile::folded_product;

use crate::{Plan, Reading};

/// The meaning of a row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Caller and callee, each with its recursion level.
    Edges,
    /// The whole path from the root.
    Tree,
    /// No table: each entry and exit is an event.
    Events,
}

/// No row, activation or symbol.
pub(crate) const NONE: u32 = u32::MAX;
/// The sink: the row for calls that are not recorded.
pub(crate) const SINK: u32 = 0;
/// The row of the profile's root, `main()`.
pub(crate) const ROOT: u32 = 1;

/// The summed cost of the calls with one key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The caller: an activation, or a row of the tree.
    pub(crate) parent: u32,
    /// The callee: an activation, or a symbol in a tree.
    pub(crate) callee: u32,
    pub(crate) calls: u64,
    pub(crate) cost: Reading,
}

impl Row {
    fn new(parent: u32, callee: u32) -> Self {
        Self {
            parent,
            callee,
            calls: 0,
            cost: Reading::default(),
        }
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

/// The row in which a caller's callee was last found.
#[derive(Debug, Clone, Copy)]
struct Child {
    callee: u32,
    row: u32,
}

/// All rows, and the index from a key to its row.
#[derive(Debug, Clone)]
pub(crate) struct CallTable {
    pub(crate) rows: Vec<Row>,
    /// Rows in the order in which they first completed a call.
    pub(crate) completed: Vec<u32>,
    /// For each caller, its last callee.
    children: Vec<Child>,
    index: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
    max_rows: usize,
}

impl CallTable {
    /// A table without rows, and without capacity.
    pub(crate) const fn none() -> Self {
        Self {
            rows: Vec::new(),
            completed: Vec::new(),
            children: Vec::new(),
            index: HashMap::with_hasher(BuildHasherDefault::new()),
            max_rows: 0,
        }
    }

    /// An empty table that will not grow past `max_rows` rows.
    pub(crate) fn new(max_rows: usize) -> Self {
        Self {
            rows: vec![Row::new(NONE, NONE), Row::new(NONE, 0)],
            max_rows,
            ..Self::none()
        }
    }

    /// The row for `callee` called from `parent`, created if there is none yet;
    /// none when the table is full.
    ///
    /// `place` numbers the parents without gaps.
    pub(crate) fn row(&mut self, parent: u32, callee: u32, place: u32) -> Option<u32> {
        if let Some(child) = self.children.get(place as usize)
            && child.callee == callee
        {
            return Some(child.row);
        }
        let row = self.find_or_add(parent, callee, self.max_rows)?;
        self.note_child(place, Child { callee, row });
        Some(row)
    }

    fn note_child(&mut self, place: u32, child: Child) {
        let index = place as usize;
        if self.children.len() <= index {
            let no_callee = Child {
                callee: NONE,
                row: SINK,
            };
            self.children.resize(index + 1, no_callee);
        }
        if let Some(place) = self.children.get_mut(index) {
            *place = child;
        }
    }

    /// The row for `callee` even if the table is full. At most one for each
    /// existing row can be requested, so the table at most doubles.
    pub(crate) fn row_past_limit(&mut self, parent: u32, callee: u32) -> Option<u32> {
        self.find_or_add(parent, callee, usize::MAX)
    }

    fn find_or_add(&mut self, parent: u32, callee: u32, max_rows: usize) -> Option<u32> {
        let place = match self.index.entry(key(parent, callee)) {
            Entry::Occupied(row) => return Some(*row.get()),
            Entry::Vacant(place) => place,
        };
        if self.rows.len() >= max_rows {
            return None;
        }
        let row = u32::try_from(self.rows.len()).ok();
        let row = row.filter(|&row| row != NONE)?;
        self.rows.push(Row::new(parent, callee));
        place.insert(row);
        Some(row)
    }

    /// The rows, and those that completed a call.
    pub(crate) fn into_rows(self) -> (Vec<Row>, Vec<u32>) {
        (self.rows, self.completed)
    }

    /// Adds one finished call to the row numbered `number`, possibly its first
    /// one; then the row becomes visible.
    #[inline]
    pub(crate) fn add_call<M: Plan>(
        &mut self,
        number: u32,
        now: Reading,
        start: Reading,
    ) -> Option<&Row> {
        let row = self.rows.get_mut(number as usize)?;
        row.add_call::<M>(now, start);
        if row.calls == 1 {
            self.completed.push(number);
        }
        Some(row)
    }
}

fn key(parent: u32, callee: u32) -> u64 {
    u64::from(parent) << 32 | u64::from(callee)
}

/// Hashes a key of two small numbers: one multiplication, and the high half
/// folded down, because the hash table uses both ends.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte) ^ self.0);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = folded_product(key ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_always_finds_its_row_again() {
        let mut table = CallTable::new(1 << 20);
        let mut first = Vec::new();
        for parent in 0..1000 {
            for callee in 0..100 {
                first.push(table.row(parent, callee, parent).unwrap());
            }
        }
        let mut expected = first.iter();
        for parent in 0..1000 {
            for callee in 0..100 {
                assert_eq!(table.row(parent, callee, parent).as_ref(), expected.next());
            }
        }
        assert_eq!(table.rows.len(), 2 + 100_000);
    }

    #[test]
    fn a_full_table_still_finds_what_it_has() {
        let mut table = CallTable::new(3);
        let row = table.row(0, 7, 0);
        assert!(row.is_some());
        assert_eq!(table.row(0, 8, 0), None);
        assert_eq!(table.row(0, 7, 0), row);
    }
}
