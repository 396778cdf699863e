//! Values by number: one for each function, each path, or each of other items.
//!
//! Numbers come from this program, or were checked when a file was read. So a
//! number that a list does not have is an error in this program.
//!
//! **Invariant:** such an error stops a debug build where it happens, and never
//! panics in a release build, which may run inside PHP: there it reads a blank
//! value, and writes to one that nothing reads.

use std::marker::PhantomData;
use std::ops::{Deref, Index, IndexMut};
use std::slice::SliceIndex;

/// A number that says which item of a list is meant.
pub trait Id: Copy {
    /// The place in the list.
    fn index(self) -> usize;
}

impl Id for u32 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

impl Id for usize {
    #[inline]
    fn index(self) -> usize {
        self
    }
}

/// A value for each number of one kind: `Table<NodeId, SelfCost>`.
///
/// ```
/// use profile::{SymbolId, Table};
///
/// let mut calls: Table<SymbolId, u64> = Table::new(0, 3);
/// calls[SymbolId(2)] += 5;
/// assert_eq!(*calls, [0, 0, 5]);
/// ```
#[derive(Debug, Clone)]
pub struct Table<I, T> {
    rows: Vec<T>,
    /// Stands for a row that does not exist.
    spare: T,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T: Clone> Table<I, T> {
    /// A table of that many copies of `value`.
    #[must_use]
    pub fn new(value: T, len: usize) -> Self {
        Self {
            rows: vec![value.clone(); len],
            spare: value,
            ids: PhantomData,
        }
    }

    /// Appends copies of `value` until the table has `len` rows.
    pub fn grow(&mut self, value: T, len: usize) {
        if self.rows.len() < len {
            self.rows.resize(len, value);
        }
    }
}

impl<I: Id, T: Default> Table<I, T> {
    /// A table of these rows.
    #[must_use]
    pub fn of(rows: Vec<T>) -> Self {
        Self {
            rows,
            spare: T::default(),
            ids: PhantomData,
        }
    }

    /// An empty table with room for that many rows.
    #[must_use]
    pub fn with_capacity(len: usize) -> Self {
        Self::of(Vec::with_capacity(len))
    }
}

impl<I: Id, T> Table<I, T> {
    /// Appends a row.
    pub fn push(&mut self, value: T) {
        self.rows.push(value);
    }

    /// The rows, in order, to change them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.rows.iter_mut()
    }

    /// The rows as a list.
    #[must_use]
    pub fn into_rows(self) -> Vec<T> {
        self.rows
    }
}

impl<I: Id, T: Default> FromIterator<T> for Table<I, T> {
    fn from_iter<R: IntoIterator<Item = T>>(rows: R) -> Self {
        Self::of(rows.into_iter().collect())
    }
}

impl<I, T> IntoIterator for Table<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}

impl<'t, I, T> IntoIterator for &'t Table<I, T> {
    type Item = &'t T;
    type IntoIter = std::slice::Iter<'t, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter()
    }
}

impl<'t, I, T> IntoIterator for &'t mut Table<I, T> {
    type Item = &'t mut T;
    type IntoIter = std::slice::IterMut<'t, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.iter_mut()
    }
}

impl<I, T> Deref for Table<I, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.rows
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: I) -> &T {
        known(&self.rows, id).unwrap_or(&self.spare)
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: I) -> &mut T {
        known_mut(&mut self.rows, id).unwrap_or(&mut self.spare)
    }
}

/// The item of a list that `id` names; none is an error in this program.
#[inline]
#[track_caller]
pub(crate) fn known<T>(list: &[T], id: impl Id) -> Option<&T> {
    let item = list.get(id.index());
    if item.is_none() {
        missing(id.index(), list.len());
    }
    item
}

/// The same, to change it.
#[inline]
#[track_caller]
pub(crate) fn known_mut<T>(list: &mut [T], id: impl Id) -> Option<&mut T> {
    let len = list.len();
    let item = list.get_mut(id.index());
    if item.is_none() {
        missing(id.index(), len);
    }
    item
}

/// A part of a list; empty if the list has no such part, which is an error in
/// this program.
#[inline]
#[track_caller]
pub(crate) fn part<T>(list: &[T], range: impl SliceIndex<[T], Output = [T]>) -> &[T] {
    let part = list.get(range);
    debug_assert!(part.is_some(), "no such part of {} items", list.len());
    part.unwrap_or_default()
}

/// Stops a debug build.
#[cold]
#[track_caller]
fn missing(index: usize, len: usize) {
    debug_assert!(index < len, "there is no item {index} among {len}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeId, SymbolId};

    #[test]
    fn a_row_that_does_not_exist_stops_a_debug_build_and_no_release_build() {
        let mut table: Table<NodeId, u32> = Table::new(7, 2);
        table[NodeId(1)] = 8;
        assert_eq!((table[NodeId(0)], table[NodeId(1)]), (7, 8));
        let outcome = std::panic::catch_unwind(move || {
            table[NodeId(2)] += 1;
            assert_eq!(*table, [7, 8]);
        });
        assert_eq!(outcome.is_err(), cfg!(debug_assertions));
    }

    #[test]
    fn a_table_grows_and_never_shrinks() {
        let mut table: Table<SymbolId, u32> = Table::of(vec![1]);
        table.push(2);
        table.grow(9, 4);
        table.grow(0, 1);
        assert_eq!(table.into_rows(), [1, 2, 9, 9]);
    }
}
