//! Which batch of a target is sent next, and which one is dropped first.

use std::collections::{BTreeMap, BTreeSet};

use crate::entry::Entry;

/// How much waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) batches: usize,
    pub(crate) runs: u64,
    pub(crate) bytes: u64,
}

/// The batches of a target, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    /// With their bytes on the disk.
    batches: BTreeMap<u64, (Entry, u64)>,
    size: Size,
    /// Those that a connection has taken.
    sent: BTreeSet<u64>,
    /// Batches up to this one had their turn.
    turn: u64,
}

impl Waiting {
    /// Adds a batch of so many bytes. One that is there already is not added again.
    pub(crate) fn add(&mut self, batch: Entry, bytes: u64) {
        if self.batches.insert(batch.number, (batch, bytes)).is_none() {
            self.size.batches += 1;
            self.size.runs += u64::from(batch.runs);
            self.size.bytes += bytes;
        }
    }

    pub(crate) fn remove(&mut self, batch: Entry) {
        self.sent.remove(&batch.number);
        if let Some((_, bytes)) = self.batches.remove(&batch.number) {
            self.size.batches = self.size.batches.saturating_sub(1);
            self.size.runs = self.size.runs.saturating_sub(u64::from(batch.runs));
            self.size.bytes = self.size.bytes.saturating_sub(bytes);
        }
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// The numbers of the batches, in their order.
    pub(crate) fn numbers(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.batches.keys().copied()
    }

    /// The batch that is to be sent next; none if connections have all of them.
    pub(crate) fn next(&self) -> Option<Entry> {
        let behind = self.batches.range(self.turn.saturating_add(1)..);
        let mut all = behind.chain(&self.batches);
        let next = all.find(|(number, _)| !self.sent.contains(number));
        next.map(|(_, (batch, _))| *batch)
    }

    /// Gives the next batch to a connection.
    pub(crate) fn take(&mut self) -> Option<Entry> {
        let batch = self.next()?;
        self.sent.insert(batch.number);
        Some(batch)
    }

    /// Takes a batch back from a connection.
    pub(crate) fn put_back(&mut self, batch: Entry) {
        self.sent.remove(&batch.number);
    }

    /// Goes on with the batches behind this one.
    pub(crate) fn go_on_behind(&mut self, batch: Entry) {
        self.turn = batch.number;
    }

    /// Goes on with the oldest batch.
    pub(crate) fn go_on_with_the_oldest(&mut self) {
        self.turn = 0;
    }

    /// The batch that is dropped first: the oldest with runs that are neither slow nor
    /// failed nor asked for, else the oldest. None if connections have all of them.
    pub(crate) fn least_interesting(&self) -> Option<Entry> {
        let batches = self.batches.values().map(|(batch, _)| *batch);
        let mut waiting = batches.filter(|batch| !self.sent.contains(&batch.number));
        let first = waiting.clone().next();
        waiting.find(|batch| !batch.is_high).or(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(number: u64, is_high: bool) -> Entry {
        Entry {
            number,
            runs: 10,
            is_high,
        }
    }

    fn waiting(high: &[bool]) -> Waiting {
        let mut waiting = Waiting::default();
        for (number, is_high) in (1..).zip(high) {
            waiting.add(batch(number, *is_high), 100);
        }
        waiting
    }

    #[test]
    fn each_batch_is_counted_once() {
        let mut waiting = waiting(&[false, true]);
        waiting.add(batch(1, false), 100);
        let size = |batches: usize| Size {
            batches,
            runs: 10 * batches as u64,
            bytes: 100 * batches as u64,
        };
        assert_eq!(waiting.size(), size(2));
        for _ in 0..2 {
            waiting.remove(batch(1, false));
            assert_eq!(waiting.size(), size(1));
        }
        assert!(waiting.numbers().eq([2]));
    }

    #[test]
    fn each_connection_gets_another_batch() {
        let mut waiting = waiting(&[false, false]);
        let mut numbers = |count| {
            let taken = (0..count).map(|_| waiting.take().map(|batch| batch.number));
            taken.collect::<Vec<_>>()
        };
        assert_eq!(numbers(3), [Some(1), Some(2), None]);
        waiting.put_back(batch(2, false));
        assert_eq!(waiting.take(), Some(batch(2, false)));
        waiting.put_back(batch(2, false));
        waiting.remove(batch(2, false));
        assert_eq!((waiting.take(), waiting.is_empty()), (None, false));
    }

    #[test]
    fn a_batch_that_fails_lets_the_others_go_first() {
        let mut waiting = waiting(&[false, false]);
        let [first, second] = [1, 2].map(|number| batch(number, false));
        for (failed, next) in [(first, second), (second, first)] {
            assert_eq!(waiting.take(), Some(failed));
            waiting.put_back(failed);
            waiting.go_on_behind(failed);
            assert_eq!(waiting.next(), Some(next));
        }
        waiting.go_on_behind(first);
        waiting.go_on_with_the_oldest();
        assert_eq!(waiting.next(), Some(first));
    }

    #[test]
    fn what_a_connection_has_is_not_dropped() {
        let mut waiting = waiting(&[true, false, true]);
        assert_eq!(waiting.least_interesting(), Some(batch(2, false)));
        for left in [Some(2), Some(3), None] {
            waiting.take();
            let least = waiting.least_interesting();
            assert_eq!(least.map(|batch| batch.number), left);
        }
    }
}
