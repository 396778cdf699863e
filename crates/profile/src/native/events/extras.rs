//! What an event has besides its time: CPU time, memory and its peak, each as a
//! column behind the events of a section.
//!
//! Most events change none of them, or only the memory; so a column says where
//! something changed, and by how much. Of CPU time only that is written by
//! which it fell behind the wall clock: nothing, as long as the program runs.

use crate::native::Error;
use crate::native::varint::{Cursor, put, zigzag};

/// Nothing changed.
const NONE: u8 = 0;
/// Pairs: how many events changed nothing, and the next one's change.
const RUNS: u8 = 1;
/// A bit for each event, the lowest of a byte first; then the changes.
const BITS: u8 = 2;

/// Appends a column of changes, one for each event.
pub(super) fn put_column(out: &mut Vec<u8>, changes: &[i64]) {
    let changed = changes.iter().filter(|change| **change != 0).count();
    if changed == 0 {
        return out.push(NONE);
    }
    // Memory comes in eights; dividing by that saves a byte here and there.
    let all = changes.iter().fold(0, |all, change| all | change);
    let shift = all.trailing_zeros().min(3);
    // A run takes a byte at least, a bit an eighth.
    let is_dense = changed * 8 > changes.len();
    out.push(if is_dense { BITS } else { RUNS });
    put(out, u64::from(shift));
    if is_dense {
        for eight in changes.chunks(8) {
            let bits = eight.iter().rev();
            out.push(bits.fold(0, |bits, change| bits << 1 | u8::from(*change != 0)));
        }
    }
    let mut unchanged = 0;
    for &change in changes {
        if change == 0 {
            unchanged += 1;
            continue;
        }
        if !is_dense {
            put(out, unchanged);
            unchanged = 0;
        }
        put(out, zigzag(change >> shift));
    }
    if !is_dense {
        // What is left changes nothing.
        put(out, unchanged);
    }
}

/// Reads a column of `count` changes, and gives each that is one to `apply`
/// with its event's place.
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
                let byte = bits.get(place / 8).copied().unwrap_or(0);
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
        let mut bytes = Vec::new();
        put_column(&mut bytes, changes);
        let mut cursor = Cursor::new(&bytes, 0);
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
