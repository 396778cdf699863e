//! Limits the memory that a reader may allocate for a file.
//!
//! A file of some kilobytes can describe gigabytes: a packed list of empty
//! samples, a stack of a million frames. Every reader counts the bytes of the
//! data that it will keep, before it allocates them.
//!
//! **Invariants:** memory is counted before it is allocated. A budget that was
//! exceeded once stays exceeded: the tables that share it no longer grow,
//! [`check`](Budget::check) returns the error, and the reader returns no
//! profile.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A memory limit, shared by all the tables of a reader.
#[derive(Debug, Clone)]
pub struct Budget(Arc<State>);

#[derive(Debug)]
struct State {
    limit: u64,
    /// The part of the limit that reading may use.
    share: u64,
    /// See [`Budget::with_events`].
    events: usize,
    /// See [`Budget::has_folded_events`].
    has_folded_events: AtomicBool,
    used: AtomicU64,
    /// The first refused allocation.
    overdrawn: OnceLock<&'static str>,
}

/// The memory limit was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverBudget {
    /// The limit of the whole program, in bytes.
    pub limit: u64,
    /// The items that were being read, in the plural: `call paths`.
    pub what: &'static str,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, what } = self;
        write!(f, "its {what} need more memory than the limit of ")?;
        match limit {
            limit if limit % (1 << 30) == 0 => write!(f, "{} GiB", limit >> 30),
            limit if limit % (1 << 20) == 0 => write!(f, "{} MiB", limit >> 20),
            limit => write!(f, "{limit} bytes"),
        }
    }
}

impl std::error::Error for OverBudget {}

impl Default for Budget {
    /// A budget of [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT).
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT)
    }
}

/// The size of a large list, in bytes.
const LARGE_LIST: usize = 16 << 20;

impl Budget {
    /// The default limit: 1 GiB.
    pub const DEFAULT_LIMIT: u64 = 1 << 30;

    /// A budget for a program that must stay below `limit` bytes. Reading may
    /// use half: later processing of a profile, such as a report, takes about
    /// as much again.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self::with_events(limit, 0)
    }

    /// The same for a program that shows calls in the order of time: a native
    /// file keeps at least `events` of its events, if it has as many, before it
    /// becomes a call tree.
    #[must_use]
    pub fn with_events(limit: u64, events: usize) -> Self {
        Self(Arc::new(State {
            limit,
            share: limit / 2,
            events,
            has_folded_events: AtomicBool::new(false),
            used: AtomicU64::new(0),
            overdrawn: OnceLock::new(),
        }))
    }

    /// A budget that is never exceeded.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(u64::MAX)
    }

    /// How many events are kept at least.
    pub(crate) fn events(&self) -> usize {
        self.0.events
    }

    /// Events became a call tree, because they were more than are kept.
    pub(crate) fn set_folded_events(&self) {
        self.0.has_folded_events.store(true, Ordering::Relaxed);
    }

    /// Whether a file had more events than are kept: they became a call tree, and their order
    /// is lost.
    #[must_use]
    pub fn has_folded_events(&self) -> bool {
        self.0.has_folded_events.load(Ordering::Relaxed)
    }

    /// The number of bytes in use.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Takes `bytes` for `what`.
    ///
    /// # Errors
    ///
    /// [`OverBudget`] if that is more than is left, and in all later calls.
    pub fn take(&self, bytes: usize, what: &'static str) -> Result<(), OverBudget> {
        self.check()?;
        if self.try_take(bytes as u64) {
            return Ok(());
        }
        Err(self.overdraw(what))
    }

    /// Takes `bytes` if they are available; otherwise returns false without
    /// exceeding the budget: for optional data.
    #[must_use]
    pub fn take_if_there(&self, bytes: usize) -> bool {
        self.check().is_ok() && self.try_take(bytes as u64)
    }

    /// Releases bytes that were taken.
    pub fn give_back(&self, bytes: usize) {
        let less = |used: u64| Some(used.saturating_sub(bytes as u64));
        let order = Ordering::Relaxed;
        let _ = self.0.used.fetch_update(order, order, less);
    }

    /// Refuses early what cannot fit: `count` items of `bytes` each that must
    /// all be kept. Takes nothing.
    ///
    /// # Errors
    ///
    /// [`OverBudget`] if they exceed the whole budget.
    pub fn expect(&self, count: usize, bytes: usize, what: &'static str) -> Result<(), OverBudget> {
        self.check()?;
        match count.checked_mul(bytes) {
            Some(bytes) if bytes as u64 <= self.0.share => Ok(()),
            _ => Err(self.overdraw(what)),
        }
    }

    /// Checks that no allocation was refused so far.
    ///
    /// # Errors
    ///
    /// [`OverBudget`] with the first refused allocation.
    pub fn check(&self) -> Result<(), OverBudget> {
        match self.0.overdrawn.get() {
            None => Ok(()),
            Some(what) => Err(self.over(what)),
        }
    }

    /// Makes room for one more in `list`.
    ///
    /// # Errors
    ///
    /// [`OverBudget`]; then the list is unchanged.
    #[inline]
    pub fn room<T>(&self, list: &mut Vec<T>, what: &'static str) -> Result<(), OverBudget> {
        self.room_for(list, 1, what)
    }

    /// Makes room for `more` in `list`.
    ///
    /// # Errors
    ///
    /// [`OverBudget`]; then the list is unchanged.
    #[inline]
    pub fn room_for<T>(
        &self,
        list: &mut Vec<T>,
        more: usize,
        what: &'static str,
    ) -> Result<(), OverBudget> {
        if list.capacity() - list.len() >= more {
            return Ok(());
        }
        self.grow(list, more, what)
    }

    #[cold]
    fn grow<T>(
        &self,
        list: &mut Vec<T>,
        more: usize,
        what: &'static str,
    ) -> Result<(), OverBudget> {
        self.check()?;
        let capacity = list.capacity();
        let needed = list.len().saturating_add(more);
        // Doubles the capacity as usual. A large list grows by a half: the lists
        // that it was before then leave enough room for a later one. Near the
        // limit it grows by less, so that a file that fits is not refused for
        // unused capacity.
        let is_large = capacity.saturating_mul(size_of::<T>()) >= LARGE_LIST;
        let more = if is_large { capacity / 2 } else { capacity };
        let usual = capacity.saturating_add(more).max(8);
        for wanted in [usual, capacity / 8 * 9, needed] {
            let wanted = wanted.max(needed);
            let bytes = (wanted - capacity).checked_mul(size_of::<T>());
            if bytes.is_some_and(|bytes| self.try_take(bytes as u64)) {
                list.reserve_exact(wanted - list.len());
                return Ok(());
            }
        }
        Err(self.overdraw(what))
    }

    /// Makes room for one more in `map`.
    ///
    /// # Errors
    ///
    /// [`OverBudget`]; then the map is unchanged.
    #[inline]
    pub fn room_in_map<K: Eq + Hash, V, S: BuildHasher>(
        &self,
        map: &mut HashMap<K, V, S>,
        what: &'static str,
    ) -> Result<(), OverBudget> {
        if map.len() < map.capacity() {
            return Ok(());
        }
        let entry = size_of::<(K, V)>();
        let before = table_bytes(map.capacity(), entry);
        // While the table grows, the old one and the new one exist together.
        let wanted = table_bytes(map.capacity().saturating_mul(2).max(3), entry);
        self.take(wanted, what)?;
        map.reserve(1);
        let after = table_bytes(map.capacity(), entry);
        self.give_back((before + wanted).saturating_sub(after));
        Ok(())
    }

    /// Makes room for one more in `set`.
    ///
    /// # Errors
    ///
    /// [`OverBudget`]; then the set is unchanged.
    #[inline]
    pub fn room_in_set<K: Eq + Hash, S: BuildHasher>(
        &self,
        set: &mut HashSet<K, S>,
        what: &'static str,
    ) -> Result<(), OverBudget> {
        if set.len() < set.capacity() {
            return Ok(());
        }
        let before = table_bytes(set.capacity(), size_of::<K>());
        let wanted = table_bytes(set.capacity().saturating_mul(2).max(3), size_of::<K>());
        self.take(wanted, what)?;
        set.reserve(1);
        let after = table_bytes(set.capacity(), size_of::<K>());
        self.give_back((before + wanted).saturating_sub(after));
        Ok(())
    }

    /// Drops `list`, and releases its bytes.
    pub fn drop_list<T>(&self, list: Vec<T>) {
        let bytes = list.capacity().saturating_mul(size_of::<T>());
        drop(list);
        self.give_back(bytes);
    }

    /// Drops `map`, and releases its bytes.
    pub fn drop_map<K, V, S>(&self, map: HashMap<K, V, S>) {
        let bytes = table_bytes(map.capacity(), size_of::<(K, V)>());
        drop(map);
        self.give_back(bytes);
    }

    fn try_take(&self, bytes: u64) -> bool {
        let order = Ordering::Relaxed;
        let more = |used: u64| {
            used.checked_add(bytes)
                .filter(|total| *total <= self.0.share)
        };
        self.0.used.fetch_update(order, order, more).is_ok()
    }

    #[cold]
    fn overdraw(&self, what: &'static str) -> OverBudget {
        self.over(self.0.overdrawn.get_or_init(|| what))
    }

    fn over(&self, what: &'static str) -> OverBudget {
        OverBudget {
            limit: self.0.limit,
            what,
        }
    }
}

/// The bytes of the standard library's hash table for this many entries: the
/// number of slots is a power of two, seven of eight may be used, and each has
/// one byte of metadata.
fn table_bytes(capacity: usize, entry: usize) -> usize {
    if capacity == 0 {
        return 0;
    }
    let places = match capacity {
        0..4 => 4,
        4..8 => 8,
        more => (more.saturating_mul(8) / 7).next_power_of_two(),
    };
    places.saturating_mul(entry + 1)
}

/// The bytes of an allocation of `length`, including the allocator's overhead.
#[must_use]
pub const fn allocated(length: usize) -> usize {
    length.saturating_add(23) & !15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_maps_grow_to_the_limit_and_no_further() {
        let budget = Budget::new(2 << 20);
        let mut list: Vec<u64> = Vec::new();
        while budget.room(&mut list, "numbers").is_ok() {
            list.push(1);
        }
        // Half of the limit is for reading.
        assert!(list.capacity() * 8 <= 1 << 20);
        assert!(list.capacity() * 8 > 900 << 10, "{}", list.capacity());
        let error = budget.check().unwrap_err();
        assert_eq!(
            error.to_string(),
            "its numbers need more memory than the limit of 2 MiB"
        );
        // The first refused allocation stays the reason.
        assert_eq!(budget.take(1, "others").unwrap_err(), error);

        let budget = Budget::new(2 << 20);
        let mut map: HashMap<u64, u64> = HashMap::new();
        while budget.room_in_map(&mut map, "pairs").is_ok() {
            map.insert(map.len() as u64, 0);
        }
        assert!(map.len() > 10_000 && map.len() < 1 << 16, "{}", map.len());
        budget.drop_map(map);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let budget = Budget::new(2_000);
        for _ in 0..10 {
            budget.take(900, "bytes").unwrap();
            budget.give_back(900);
        }
        let mut list: Vec<u8> = Vec::new();
        budget.room_for(&mut list, 700, "bytes").unwrap();
        assert_eq!(budget.used(), list.capacity() as u64);
        budget.drop_list(list);
        assert_eq!(budget.used(), 0);
        assert!(budget.take(1_001, "bytes").is_err());
    }

    #[test]
    fn what_cannot_fit_is_refused_before_it_is_begun() {
        let budget = Budget::new(1 << 20);
        budget.expect(1 << 10, 64, "frames").unwrap();
        assert_eq!(budget.used(), 0);
        assert!(budget.expect(1 << 14, 64, "frames").is_err());
        assert!(budget.check().is_err());
        let budget = Budget::new(1 << 20);
        assert!(budget.expect(usize::MAX, 2, "frames").is_err());
        assert!(Budget::unlimited().take(usize::MAX / 4, "bytes").is_ok());
    }

    #[test]
    fn tables_are_counted_as_they_are() {
        for entries in [1_usize, 3, 4, 7, 8, 14, 15, 1_000, 100_000] {
            let map: HashMap<u64, u64> = HashMap::with_capacity(entries);
            let places = table_bytes(map.capacity(), 16) / 17;
            assert!(places.is_power_of_two() && places >= map.capacity());
            assert!(places * 7 / 8 <= map.capacity() || places <= 8, "{entries}");
        }
    }
}
