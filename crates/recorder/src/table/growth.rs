//! The table off the hot path: rows are added, the index grows, and both are used again.

use super::rows::{CallTable, NONE, ROOT, Row, SINK, hash, key};

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
        if let Some(found) = self.search(row.parent(), row.callee()) {
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

    /// The rows, and the numbers of those that completed a call, in that order.
    pub(crate) fn into_rows(self) -> (Vec<Row>, Vec<u32>) {
        (self.rows, self.completed)
    }

    /// The number of the row with that key, in whatever slot; none if there is none yet.
    pub(crate) fn search(&mut self, parent: u32, callee: u32) -> Option<u32> {
        let key = key(parent, callee);
        let hash = hash(key);
        let (number, row) = self.slot(hash)?;
        if row.key == key {
            return Some(number);
        }
        if number == SINK {
            return None;
        }
        self.search_further(key, hash)
    }

    /// Looks into the slots after `first`. A row with more calls than the row in
    /// `first` changes places with it, so that the next search is shorter. The
    /// slots between stay full, so both are found as before.
    #[inline(never)]
    fn search_further(&mut self, key: u64, first: usize) -> Option<u32> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_always_finds_its_row_again() {
        let mut table = CallTable::new_in(CallTable::none(), 1 << 20);
        let mut first = Vec::new();
        for parent in 0..1000 {
            for callee in 0..100 {
                assert!(table.search(parent, callee).is_none());
                first.push(table.row(parent, callee).unwrap());
            }
        }
        let mut expected = first.iter();
        for parent in 0..1000 {
            for callee in 0..100 {
                let number = table.search(parent, callee).unwrap();
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
                let number = table.search(parent, callee);
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
        assert!((0..3000).all(|callee| next.search(1, callee).is_none()));
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
