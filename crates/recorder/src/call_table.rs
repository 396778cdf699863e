//! Costs keyed by calling context.
//!
//! One table serves two shapes. In [`Shape::Edges`] a row's key is the caller's
//! and the callee's *activation* (a symbol and its recursion level, XHProf's
//! `f@2`); in [`Shape::Tree`] it is the parent row and the callee's symbol, so
//! a row is a whole path. Folding the tree gives exactly the edges, which a
//! property test checks.
//!
//! Every call finds its row by the index: an open hash table of row numbers, at
//! most a quarter full, so that the first slot is nearly always the right one.
//! The key is in the row, which the end of the call needs anyway. There is no
//! shortcut for a function that is called by the same caller again: in real
//! programs the caller of half of all calls is another one than last time, and
//! what the processor loses by a wrong guess is more than the search takes.

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

/// The summed cost of the calls with one key. It is as large as a line of the
/// processor's cache, and begins where one begins: a call touches one.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Row {
    key: u64,
    /// Its place in [`CallTable::completed`], from 1; 0 before its first call
    /// has ended.
    order: u32,
    pub(crate) calls: u64,
    pub(crate) cost: Reading,
}

impl Row {
    fn new(parent: u32, callee: u32) -> Self {
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
    completed: Vec<u32>,
    /// The number of a row at the hash of its key, or in the next free slot;
    /// [`SINK`] in free slots. Its length is a power of two.
    index: Vec<u32>,
    max_rows: usize,
}

/// The largest table that is kept for the next profile: a megabyte.
const MAX_REUSED_ROWS: usize = 16_384;
/// The slots of the first index.
const FEWEST_SLOTS: usize = 1024;
/// The slots for each row, at least.
const SLOTS_A_ROW: usize = 4;

impl CallTable {
    /// A table without rows, and without capacity.
    pub(crate) const fn none() -> Self {
        Self {
            rows: Vec::new(),
            completed: Vec::new(),
            index: Vec::new(),
            max_rows: 0,
        }
    }

    /// An empty table that will not grow past `max_rows` rows, in the memory of an
    /// earlier one.
    pub(crate) fn new_in(earlier: Self, max_rows: usize) -> Self {
        let Self {
            mut rows,
            mut completed,
            mut index,
            ..
        } = earlier;
        rows.clear();
        rows.extend([Row::new(NONE, NONE), Row::new(NONE, 0)]);
        completed.clear();
        if index.len() < FEWEST_SLOTS {
            index = vec![SINK; FEWEST_SLOTS];
        } else {
            index.fill(SINK);
        }
        Self {
            rows,
            completed,
            index,
            max_rows,
        }
    }

    /// The same table, to be used by [`new_in`](Self::new_in), without the memory that
    /// is too large to be kept. An index for many more rows than there are would take
    /// longer to clear than to grow.
    pub(crate) fn reusable(mut self) -> Self {
        if self.rows.capacity() > MAX_REUSED_ROWS {
            return Self::none();
        }
        if self.index.len() > self.rows.len() * SLOTS_A_ROW * 8 {
            self.index = Vec::new();
        }
        self
    }

    /// The number of the row with that key; none if there is none yet.
    ///
    /// With `IN_HOOK` only the first slot is looked at. So the hook calls nothing before
    /// the function that it is there for, and need not save the processor's registers:
    /// that is a tenth of its instructions. Then the slow path searches.
    #[inline(always)]
    pub(crate) fn find<const IN_HOOK: bool>(&mut self, parent: u32, callee: u32) -> Option<u32> {
        let key = key(parent, callee);
        let hash = hash(key);
        let (number, row) = self.slot(hash)?;
        if row.key == key {
            return Some(number);
        }
        if IN_HOOK || number == SINK {
            return None;
        }
        self.find_further(key, hash)
    }

    /// What stands in the slot of that hash.
    #[inline(always)]
    fn slot(&self, hash: usize) -> Option<(u32, &Row)> {
        let number = *self.index.get(hash & self.index.len().wrapping_sub(1))?;
        Some((number, self.rows.get(number as usize)?))
    }

    /// Looks into the slots after `first`. A row with more calls than the row in
    /// `first` changes places with it, so that the next search is shorter. The
    /// slots between stay full, so both are found as before.
    #[inline(never)]
    fn find_further(&mut self, key: u64, first: usize) -> Option<u32> {
        let (mut number, row) = self.slot(first)?;
        let calls = row.calls;
        let mut hash = first;
        while number != SINK {
            hash = hash.wrapping_add(1);
            let (next, row) = self.slot(hash)?;
            if row.key == key {
                if row.calls > calls {
                    let mask = self.index.len().wrapping_sub(1);
                    self.index.swap(first & mask, hash & mask);
                }
                return Some(next);
            }
            number = next;
        }
        None
    }

    /// The row for `callee` called from `parent`, created if there is none yet;
    /// none when the table is full.
    pub(crate) fn row(&mut self, parent: u32, callee: u32) -> Option<u32> {
        self.find_or_add(Row::new(parent, callee), self.max_rows)
    }

    /// The row for `callee` even if the table is full. At most one for each
    /// existing row can be requested, so the table at most doubles.
    pub(crate) fn row_past_limit(&mut self, parent: u32, callee: u32) -> Option<u32> {
        self.find_or_add(Row::new(parent, callee), usize::MAX)
    }

    fn find_or_add(&mut self, row: Row, max_rows: usize) -> Option<u32> {
        if let Some(found) = self.find::<false>(row.parent(), row.callee()) {
            return Some(found);
        }
        if self.rows.len() >= max_rows {
            return None;
        }
        let number = u32::try_from(self.rows.len()).ok();
        let number = number.filter(|&number| number != NONE)?;
        // Without memory the table is full. All rows complete at most once.
        self.rows.try_reserve(1).ok()?;
        let completed = self.rows.capacity() - self.completed.len();
        self.completed.try_reserve(completed).ok()?;
        if (self.rows.len() + 1) * SLOTS_A_ROW > self.index.len() {
            self.enlarge_index()?;
        }
        self.rows.push(row);
        add_to_index(&mut self.index, number, row);
        Some(number)
    }

    /// Makes the index larger; none without memory for it.
    #[cold]
    fn enlarge_index(&mut self) -> Option<()> {
        let slots = (self.index.len() * 2).max(FEWEST_SLOTS);
        let mut index = Vec::new();
        index.try_reserve_exact(slots).ok()?;
        index.resize(slots, SINK);
        for (number, &row) in (0..).zip(&self.rows).skip(ROOT as usize + 1) {
            add_to_index(&mut index, number, row);
        }
        self.index = index;
        Some(())
    }

    /// The rows, and those that completed a call.
    pub(crate) fn into_rows(self) -> (Vec<Row>, Vec<u32>) {
        (self.rows, self.completed)
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

fn add_to_index(index: &mut [u32], number: u32, row: Row) {
    let mask = index.len().wrapping_sub(1);
    let mut slot = hash(row.key);
    while let Some(found) = index.get_mut(slot & mask) {
        if *found == SINK {
            *found = number;
            return;
        }
        slot = slot.wrapping_add(1);
    }
}

#[inline(always)]
fn key(parent: u32, callee: u32) -> u64 {
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
fn hash(key: u64) -> usize {
    folded_product(key, 0xD6E8_FEB8_6659_FD93) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_always_finds_its_row_again() {
        let mut table = CallTable::new_in(CallTable::none(), 1 << 20);
        let mut first = Vec::new();
        for parent in 0..1000 {
            for callee in 0..100 {
                assert!(table.find::<false>(parent, callee).is_none());
                first.push(table.row(parent, callee).unwrap());
            }
        }
        let mut expected = first.iter();
        for parent in 0..1000 {
            for callee in 0..100 {
                let number = table.find::<false>(parent, callee).unwrap();
                assert_eq!(Some(&number), expected.next());
                let row = table.rows[number as usize];
                assert_eq!((row.parent(), row.callee()), (parent, callee));
            }
        }
        assert_eq!(table.rows.len(), 2 + 100_000);
    }

    #[test]
    fn a_search_rarely_takes_a_second_look() {
        // Callers and callees as a program has them: small numbers, in groups.
        let mut table = CallTable::new_in(CallTable::none(), 1 << 20);
        for number in 0..3000_u32 {
            table.row(number / 3, number % 700);
        }
        let mask = table.index.len() - 1;
        let is_first = |row: &&Row| {
            let number = table.index[hash(row.key) & mask];
            table.rows[number as usize].key == row.key
        };
        let all = table.rows.len() - 2;
        let first = table.rows.iter().skip(2).filter(is_first).count();
        assert!(first * 100 >= all * 85, "{first} of {all}");
    }

    #[test]
    fn rows_with_more_calls_come_first_and_none_is_lost() {
        let mut table = CallTable::new_in(CallTable::none(), 1 << 20);
        let all: Vec<_> = (0..20_000_u32)
            .map(|callee| (callee % 140, callee))
            .collect();
        for &(parent, callee) in &all {
            table.row(parent, callee).unwrap();
        }
        // The last ones, which found the fullest table, are called most often.
        for (row, calls) in table.rows.iter_mut().skip(2).zip(1..) {
            row.calls = calls;
        }
        let is_first = |table: &CallTable, row: &Row| {
            let (number, _) = table.slot(hash(row.key)).unwrap();
            table.rows[number as usize].key == row.key
        };
        let calls_of_first = |table: &CallTable| -> u64 {
            let first = table
                .rows
                .iter()
                .skip(2)
                .filter(|&row| is_first(table, row));
            first.map(|row| row.calls).sum()
        };
        let before = calls_of_first(&table);
        for round in 0..3 {
            for &(parent, callee) in &all {
                let number = table.find::<false>(parent, callee);
                assert_eq!(number, Some(callee + 2), "round {round}");
            }
        }
        assert!(calls_of_first(&table) > before);
    }

    #[test]
    fn a_table_in_the_memory_of_another_knows_nothing_of_it() {
        let mut table = CallTable::new_in(CallTable::none(), 1 << 20);
        for callee in 0..3000 {
            table.row(1, callee);
        }
        let slots = table.index.len();
        let mut next = CallTable::new_in(table.reusable(), 10);
        assert_eq!(next.index.len(), slots);
        assert_eq!(next.rows.len(), 2);
        assert!((0..3000).all(|callee| next.find::<false>(1, callee).is_none()));
        assert_eq!(next.row(1, 7), Some(2));
        // Too large for so few rows.
        assert!(next.reusable().index.is_empty());
    }

    #[test]
    fn a_full_table_still_finds_what_it_has() {
        let mut table = CallTable::new_in(CallTable::none(), 3);
        let row = table.row(0, 7);
        assert!(row.is_some());
        assert_eq!(table.row(0, 8), None);
        assert_eq!(table.row(0, 7), row);
    }
}
