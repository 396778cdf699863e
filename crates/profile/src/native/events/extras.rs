//! The other costs of events: CPU time, memory and its peak, each as a column
//! after the events of a section.
//!
//! Most events change none of them, or only the memory; so a column says which
//! events have a change, and its amount. CPU time is written as its lag behind
//! the wall clock, which does not change while the program runs.

use super::heads::Bytes;
use crate::native::Error;
use crate::native::varint::{self, Cursor, zigzag};
use crate::table::known;

/// No changes.
const NONE: u8 = 0;
/// Pairs: the number of events without a change, and the next one's change.
const RUNS: u8 = 1;
/// A bit for each event, the lowest of a byte first; then the changes.
const BITS: u8 = 2;

/// The number of events that are added at a time.
const GROUP: usize = u64::BITS as usize;

/// The changes of one cost in a section's events.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    /// The value at the last event.
    last: i64,
    /// A bit for each event, the lowest of a word first: it has a change.
    changed: Vec<u64>,
    /// The amount of each change.
    changes: Vec<i64>,
}

impl Column {
    /// Starts after this value.
    pub(super) fn after(last: i64) -> Self {
        Self {
            last,
            ..Self::default()
        }
    }

    /// Adds to the last value without a change in the file.
    pub(super) fn delay(&mut self, more: i64) {
        self.last = self.last.wrapping_add(more);
    }

    /// Adds the next 64 events, with the same value as the last one.
    pub(super) fn add_unchanged(&mut self) {
        self.changed.push(0);
    }

    /// Adds the next 64 events, or fewer if they are the last of the section.
    #[inline]
    pub(super) fn add<E>(&mut self, events: &[E], value: impl Fn(&E) -> i64) {
        let mut last = self.last;
        let differs = |all, event| all | (value(event) ^ last);
        if events.iter().fold(0, differs) == 0 {
            return self.add_unchanged();
        }
        let mut changed = 0_u64;
        for event in events {
            // Without a branch, which most programs would mispredict.
            let now = value(event);
            changed = changed >> 1 | u64::from(now != last) << (GROUP - 1);
            last = now;
        }
        changed >>= GROUP.saturating_sub(events.len());
        self.changed.push(changed);
        while let Some(event) = events.get(changed.trailing_zeros() as usize)
            && changed != 0
        {
            let now = value(event);
            self.changes.push(now.wrapping_sub(self.last));
            self.last = now;
            changed &= changed - 1;
        }
    }

    /// Appends the column of this many events, and starts the next one.
    pub(super) fn put(&mut self, events: usize, bytes: &mut Bytes) {
        let count = self.changes.len();
        bytes.reserve(events.div_ceil(8) + (count + 1) * 2 * varint::MAX);
        if count == 0 {
            bytes.byte(NONE);
        } else {
            // Memory changes are multiples of eight; dividing by it saves a
            // byte now and then.
            let all = self.changes.iter().fold(0, |all, change| all | change);
            let shift = all.trailing_zeros().min(3);
            // A run takes at least a byte, a bit an eighth.
            let is_dense = count * 8 > events;
            bytes.byte(if is_dense { BITS } else { RUNS });
            bytes.number(u64::from(shift));
            if is_dense {
                self.put_bits(events, shift, bytes);
            } else {
                self.put_runs(events, shift, bytes);
            }
        }
        self.changed.clear();
        self.changes.clear();
    }

    fn put_bits(&self, events: usize, shift: u32, bytes: &mut Bytes) {
        let mut left = events.div_ceil(8);
        for word in &self.changed {
            let word = word.to_le_bytes();
            bytes.slice(word.get(..left).unwrap_or(&word));
            left = left.saturating_sub(word.len());
        }
        for change in &self.changes {
            bytes.number(zigzag(change >> shift));
        }
    }

    fn put_runs(&self, events: usize, shift: u32, bytes: &mut Bytes) {
        let mut changes = self.changes.iter();
        let mut next = 0;
        for (word, &changed) in (0..).zip(&self.changed) {
            let mut changed = changed;
            while changed != 0
                && let Some(change) = changes.next()
            {
                let place = word * 64 + u64::from(changed.trailing_zeros());
                bytes.number(place - next);
                bytes.number(zigzag(change >> shift));
                next = place + 1;
                changed &= changed - 1;
            }
        }
        // The remaining events have no change.
        bytes.number(events as u64 - next);
    }
}

/// Reads a column of `count` events, and passes each change to `apply` with its
/// event's index.
pub(super) fn take_column(
    cursor: &mut Cursor<'_>,
    count: usize,
    mut apply: impl FnMut(usize, i64),
) -> Result<(), Error> {
    let form = cursor.byte()?;
    if form == NONE {
        return Ok(());
    }
    let shift = cursor.number()?;
    if shift > 63 {
        return Err(cursor.broken("a shift of more than 63 bits"));
    }
    match form {
        RUNS => {
            let mut place = 0;
            loop {
                let run = usize::try_from(cursor.number()?).unwrap_or(usize::MAX);
                place = run.saturating_add(place);
                if place >= count {
                    break;
                }
                apply(place, cursor.signed()?.wrapping_shl(low(shift)));
                place += 1;
            }
            if place > count {
                return Err(cursor.broken("a column of more than there are events"));
            }
        }
        BITS => {
            let bits = cursor.take(count.div_ceil(8))?;
            for place in 0..count {
                let byte = known(bits, place / 8).copied().unwrap_or(0);
                if byte >> (place % 8) & 1 != 0 {
                    apply(place, cursor.signed()?.wrapping_shl(low(shift)));
                }
            }
        }
        _ => return Err(cursor.broken("a column of a form not known here")),
    }
    Ok(())
}

fn low(shift: u64) -> u32 {
    u32::try_from(shift).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(changes: &[i64]) -> (Vec<i64>, usize) {
        let mut bytes = Bytes::default();
        let mut column = Column::default();
        let mut value = 0_i64;
        let sum = |change: &i64| {
            value = value.wrapping_add(*change);
            value
        };
        let values: Vec<_> = changes.iter().map(sum).collect();
        for values in values.chunks(GROUP) {
            column.add(values, |value| *value);
        }
        column.put(changes.len(), &mut bytes);
        let bytes = bytes.written();
        let mut cursor = Cursor::new(bytes, 0);
        let mut read = vec![0; changes.len()];
        take_column(&mut cursor, changes.len(), |place, change| {
            read[place] = change;
        })
        .unwrap();
        cursor.finish().unwrap();
        (read, bytes.len())
    }

    #[test]
    fn columns_come_back_and_take_little() {
        for (changes, bytes) in [
            (vec![], 1),
            (vec![0; 8192], 1),
            (vec![8; 16], 2 + 2 + 16),
            (vec![i64::MIN, 0, i64::MAX, -1], 2 + 1 + 30 - 9),
            (
                [vec![0; 100], vec![-16], vec![0; 100]].concat(),
                2 + 1 + 1 + 1,
            ),
            ([vec![0; 100], vec![-16]].concat(), 2 + 1 + 1 + 1),
        ] {
            assert_eq!(round(&changes), (changes.clone(), bytes), "{changes:?}");
        }
    }

    #[test]
    fn what_is_no_column_is_an_error() {
        for bytes in [
            &[][..],
            &[3, 0],
            &[1, 64, 0],
            &[1, 0, 9],
            &[1, 0, 2, 2],
            &[2, 0],
            &[2, 0, 0xFF, 2],
        ] {
            let mut cursor = Cursor::new(bytes, 0);
            assert!(take_column(&mut cursor, 8, |_, _| ()).is_err(), "{bytes:?}");
        }
    }
}
