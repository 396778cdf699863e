//! A native file with its tree by column: what a store compresses.
//!
//! The runs of a route have the same calls and other times. In a native file
//! the numbers of a node stand together, so times interrupt what is the same.
//! By column, all but the times is found in the dictionary: the file takes half
//! as much.
//!
//! **Invariant:** [`restored`] returns the very bytes that [`transposed`] got,
//! because a run's id is their hash. `transposed` checks that.

use std::borrow::Cow;

/// The first byte of a transposed file; that of a native file is `89`.
const FORM: u8 = 1;

/// The magic and the versions of a native file.
const HEADER_SIZE: usize = 10;

/// The bytes of a section before its payload: kind and length.
const FRAME: usize = 5;

const CHECKSUM: usize = 4;

/// The kind of the sections with tree nodes.
const TREE: u8 = b'T';

/// The bits of a tree's columns that are wall and CPU time.
const WALL: u8 = 1 << 1;
const CPU: u8 = 1 << 2;

/// All known columns of costs.
const KNOWN: u8 = 0b1_1111;

/// The file by column; as it is if it has no tree of the usual form.
pub(crate) fn transposed(native: &[u8]) -> Cow<'_, [u8]> {
    match columns(native) {
        Some(bytes) if restored(&bytes, native.len()).as_deref() == Some(native) => {
            Cow::Owned(bytes)
        }
        _ => Cow::Borrowed(native),
    }
}

/// The native file, of at most `most` bytes; none if it is damaged.
pub(crate) fn restored(bytes: &[u8], most: usize) -> Option<Cow<'_, [u8]>> {
    let Some((&FORM, rest)) = bytes.split_first() else {
        return Some(Cow::Borrowed(bytes));
    };
    let mut rest = Numbers { rest };
    let length = usize::try_from(rest.next()?).ok()?;
    let skeleton = rest.take(length)?;
    let mut native = Vec::with_capacity(bytes.len().saturating_mul(2).min(most));
    native.extend_from_slice(skeleton.get(..HEADER_SIZE)?);
    let mut left = skeleton.get(HEADER_SIZE..)?;
    while !left.is_empty() {
        let (frame, after) = left.split_at_checked(FRAME)?;
        native.extend_from_slice(frame);
        left = after;
        let length = if frame.first() == Some(&TREE) {
            put_rows(&mut rest, &mut native, most)?;
            0
        } else {
            length_of(frame)?
        };
        let (section, after) = left.split_at_checked(length + CHECKSUM)?;
        native.extend_from_slice(section);
        left = after;
    }
    (rest.rest.is_empty() && native.len() <= most).then_some(Cow::Owned(native))
}

/// The length of a section's payload.
fn length_of(frame: &[u8]) -> Option<usize> {
    let length = frame.get(1..FRAME)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(length)).ok()
}

/// The file without its trees, then the trees by column; none if it has none.
fn columns(native: &[u8]) -> Option<Vec<u8>> {
    let mut skeleton = native.get(..HEADER_SIZE)?.to_vec();
    let mut trees = Vec::with_capacity(native.len());
    let mut left = native.get(HEADER_SIZE..)?;
    while !left.is_empty() {
        let (frame, after) = left.split_at_checked(FRAME)?;
        let (payload, after) = after.split_at_checked(length_of(frame)?)?;
        let (checksum, after) = after.split_at_checked(CHECKSUM)?;
        skeleton.extend_from_slice(frame);
        if frame.first() == Some(&TREE) {
            put_columns(payload, &mut trees)?;
        } else {
            skeleton.extend_from_slice(payload);
        }
        skeleton.extend_from_slice(checksum);
        left = after;
    }
    if trees.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(native.len());
    bytes.push(FORM);
    put(&mut bytes, skeleton.len() as u64);
    bytes.extend_from_slice(&skeleton);
    bytes.extend_from_slice(&trees);
    Some(bytes)
}

/// The numbers of a node, in both forms.
#[derive(Default)]
struct Row {
    /// One more than the highest symbol so far: a new symbol is 0 then.
    next: u64,
    /// The wall time of this node: most CPU times are the same.
    wall: u64,
}

impl Row {
    /// How the number of a column is stored.
    fn stored(&mut self, column: Column, number: u64) -> u64 {
        match column {
            Column::Symbol => {
                let stored = zigzag(self.next.wrapping_sub(number));
                self.next = self.next.max(number.saturating_add(1));
                stored
            }
            Column::Wall => {
                self.wall = number;
                number
            }
            Column::Cpu => zigzag(self.wall.wrapping_sub(number)),
            Column::Plain => number,
        }
    }

    /// The number that was stored so.
    fn number(&mut self, column: Column, stored: u64) -> u64 {
        match column {
            Column::Symbol => {
                let number = self.next.wrapping_sub(unzigzag(stored));
                self.next = self.next.max(number.saturating_add(1));
                number
            }
            Column::Wall => {
                self.wall = stored;
                stored
            }
            Column::Cpu => self.wall.wrapping_sub(unzigzag(stored)),
            Column::Plain => stored,
        }
    }
}

/// How a column is stored.
#[derive(Clone, Copy)]
enum Column {
    /// As it is in the file.
    Plain,
    Symbol,
    Wall,
    /// By how much it differs from the wall time.
    Cpu,
}

/// The columns of a tree: the distance to the parent, the symbol, the costs.
fn kinds(columns: u8) -> Vec<Column> {
    let costs = (0..8).map(|bit| 1 << bit).filter(|bit| columns & bit != 0);
    let costs = costs.map(|bit| match bit {
        WALL => Column::Wall,
        CPU if columns & WALL != 0 => Column::Cpu,
        _ => Column::Plain,
    });
    let place = [Column::Plain, Column::Symbol];
    place.into_iter().chain(costs).collect()
}

fn put_columns(payload: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (&columns, rest) = payload.split_first()?;
    if columns & !KNOWN != 0 {
        return None;
    }
    let mut rest = Numbers { rest };
    let count = rest.next()?;
    let kinds = kinds(columns);
    let mut all = vec![Vec::with_capacity(rest.rest.len() / kinds.len()); kinds.len()];
    let mut row = Row::default();
    for _ in 0..count {
        for (&kind, column) in kinds.iter().zip(&mut all) {
            put(column, row.stored(kind, rest.next()?));
        }
    }
    if !rest.rest.is_empty() {
        return None;
    }
    out.push(columns);
    put(out, count);
    for column in &all {
        put(out, column.len() as u64);
    }
    for column in &all {
        out.extend_from_slice(column);
    }
    Some(())
}

fn put_rows(from: &mut Numbers<'_>, native: &mut Vec<u8>, most: usize) -> Option<()> {
    let columns = *from.take(1)?.first()?;
    let count = from.next()?;
    native.push(columns);
    put(native, count);
    let kinds = kinds(columns);
    let mut lengths = Vec::with_capacity(kinds.len());
    for _ in &kinds {
        lengths.push(usize::try_from(from.next()?).ok()?);
    }
    let mut all = Vec::with_capacity(kinds.len());
    for length in lengths {
        let rest = from.take(length)?;
        all.push(Numbers { rest });
    }
    let mut row = Row::default();
    for _ in 0..count {
        for (&kind, column) in kinds.iter().zip(&mut all) {
            put(native, row.number(kind, column.next()?));
        }
        if native.len() > most {
            return None;
        }
    }
    all.iter()
        .all(|column| column.rest.is_empty())
        .then_some(())
}

/// Numbers in LEB128, as in native files.
struct Numbers<'a> {
    rest: &'a [u8],
}

impl<'a> Numbers<'a> {
    fn next(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// A difference so that small ones are small numbers, whatever their sign.
fn zigzag(difference: u64) -> u64 {
    let signed = difference.cast_signed();
    (signed << 1 ^ signed >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> u64 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use profile::native;
    use proptest::prelude::*;

    use super::*;
    use simulate::{RunAt, SmallShop};

    fn file(number: u64) -> Vec<u8> {
        let at = RunAt {
            number,
            route: 2,
            release: 1,
            started_us: 1_793_491_200_000_000,
        };
        let mut bytes = Vec::new();
        native::write(&SmallShop::default().run(at), &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_tree_comes_back_byte_by_byte() {
        let native = file(1);
        let by_column = transposed(&native);
        assert_eq!(by_column.first(), Some(&FORM));
        assert!(*restored(&by_column, native.len()).unwrap() == native[..]);
        assert_eq!(restored(&by_column, native.len() - 1), None, "too large");
    }

    #[test]
    fn a_tree_with_estimates_comes_back_byte_by_byte() {
        let native = include_bytes!("../../profile/tests/native/v1.3-adaptive-tree.xhp");
        let by_column = transposed(native);
        assert_eq!(by_column.first(), Some(&FORM));
        assert!(*restored(&by_column, native.len()).unwrap() == native[..]);
    }

    #[test]
    fn runs_of_a_route_take_half_the_bytes() {
        let size = |dictionary: &[u8], file: &[u8]| {
            let mut compressor = zstd::bulk::Compressor::with_dictionary(3, dictionary).unwrap();
            compressor.compress(file).unwrap().len()
        };
        let (first, second) = (file(1), file(2));
        let rows = size(&first, &second);
        let columns = size(&transposed(&first), &transposed(&second));
        assert!(columns * 3 < rows * 2, "{columns} {rows}");
    }

    #[test]
    fn other_files_stay_as_they_are() {
        let mut profile = SmallShop::default().run(RunAt {
            number: 1,
            route: 1,
            release: 1,
            started_us: 0,
        });
        profile.body = profile::Body::Edges(profile.edges().into_owned());
        let mut edges = Vec::new();
        native::write(&profile, &mut edges).unwrap();
        assert!(*transposed(&edges) == edges[..]);
        assert!(*restored(&edges, 0).unwrap() == edges[..]);
        // A tree with an unknown column.
        let mut native = file(1);
        let mut at = HEADER_SIZE;
        while native[at] != TREE {
            at += FRAME + length_of(&native[at..]).unwrap() + CHECKSUM;
        }
        native[at + FRAME] |= 1 << 7;
        assert!(*transposed(&native) == native[..]);
    }

    proptest! {
        #[test]
        fn damage_is_no_panic(at in any::<prop::sample::Index>(), byte: u8, end in any::<prop::sample::Index>()) {
            let native = file(3);
            let mut bytes = transposed(&native).into_owned();
            let place = at.index(bytes.len());
            bytes[place] = byte;
            let _ = restored(&bytes, native.len());
            bytes.truncate(end.index(bytes.len()));
            let _ = restored(&bytes, native.len());
        }

        #[test]
        fn anything_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut native = file(3);
            let from = native.len() / 2;
            native.splice(from..from + bytes.len(), bytes);
            let by_column = transposed(&native);
            prop_assert_eq!(&*restored(&by_column, native.len()).unwrap(), &native[..]);
        }
    }
}
