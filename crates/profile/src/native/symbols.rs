//! Functions in a native file.
//!
//! A name omits the prefix that it shares with the previous name, and a
//! repeated path is a number. So a few bytes may expand to many: both sides
//! count the expanded bytes, and beyond [`MAX_REPEATED`] no references are
//! allowed.

use std::sync::Arc;

use super::Error;
use super::section::{SectionWriter, kind};
use super::varint::{Cursor, put, put_bytes};
use crate::table::part;
use crate::{Budget, NameIndex, Symbol, allocated};

/// The maximum number of bytes of names and paths by reference: 64 MiB.
const MAX_REPEATED: usize = 64 << 20;

/// A path's reference: no file, a new file, or the number of an earlier path
/// plus this constant.
const NO_FILE: u64 = 0;
const NEW_FILE: u64 = 1;
const FIRST_FILE: u64 = 2;

/// Writes symbols to any number of sections.
#[derive(Debug, Clone)]
pub(super) struct SymbolWriter {
    /// The paths, with their numbers.
    files: Vec<(Arc<[u8]>, u64)>,
    /// Where a path is in `files`.
    places: NameIndex<usize>,
    /// Where the last path is: it is often the next one's, too.
    last_file: usize,
    next_file: u64,
    /// The last name of the section before.
    last_name: Vec<u8>,
    /// The remaining number of bytes by reference.
    left: usize,
}

impl Default for SymbolWriter {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            places: NameIndex::default(),
            last_file: 0,
            next_file: 0,
            last_name: Vec::new(),
            left: MAX_REPEATED,
        }
    }
}

impl SymbolWriter {
    /// Appends a section with `symbols`.
    pub(super) fn section(
        &mut self,
        writer: &mut SectionWriter,
        out: &mut Vec<u8>,
        symbols: &[Symbol],
    ) {
        writer.section(out, kind::SYMBOLS, |out| self.put(out, symbols));
    }

    /// Appends the payload of a section with `symbols`.
    fn put(&mut self, out: &mut Vec<u8>, symbols: &[Symbol]) {
        put(out, symbols.len() as u64);
        let before = std::mem::take(&mut self.last_name);
        let mut last_name = before.as_slice();
        for symbol in symbols {
            let internal = u64::from(symbol.internal);
            match &symbol.file {
                None => put(out, NO_FILE << 1 | internal),
                Some(file) => match self.reference(file) {
                    Some(number) => put(out, (FIRST_FILE + number) << 1 | internal),
                    None => {
                        put(out, NEW_FILE << 1 | internal);
                        put_bytes(out, file);
                    }
                },
            }
            put(out, u64::from(symbol.line));
            let shared = self.shared(&symbol.name, last_name);
            put(out, shared as u64);
            put_bytes(out, part(&symbol.name, shared..));
            last_name = &symbol.name;
        }
        self.last_name = last_name.to_vec();
    }

    /// The number of a path that may be referred to; a new path gets a number.
    fn reference(&mut self, file: &Arc<[u8]>) -> Option<u64> {
        if let Some(number) = self.number(file)
            && let Some(left) = self.left.checked_sub(file.len())
        {
            self.left = left;
            return Some(number);
        }
        self.next_file += 1;
        None
    }

    /// The number of a path; none for a new one, which gets the next number.
    fn number(&mut self, file: &Arc<[u8]>) -> Option<u64> {
        if let Some((last, number)) = self.files.get(self.last_file)
            && (Arc::ptr_eq(last, file) || last == file)
        {
            return Some(*number);
        }
        let is_it = |place: usize| self.files.get(place).is_some_and(|(path, _)| path == file);
        match self.places.find(file, is_it) {
            Ok(place) => {
                self.last_file = place;
                self.files.get(place).map(|&(_, number)| number)
            }
            Err(vacancy) => {
                self.last_file = self.files.len();
                self.places.add(vacancy, self.last_file);
                self.files.push((Arc::clone(file), self.next_file));
                None
            }
        }
    }

    /// The number of bytes that `name` shares with the previous name.
    fn shared(&mut self, name: &[u8], last_name: &[u8]) -> usize {
        let shared = common_start(name, last_name);
        match self.left.checked_sub(shared) {
            Some(left) => {
                self.left = left;
                shared
            }
            None => 0,
        }
    }
}

/// How many bytes both begin with.
fn common_start(one: &[u8], other: &[u8]) -> usize {
    let mut common = 0;
    // Eight at a time: in a short request, this is a large part of the file's cost.
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    for (one, other) in words {
        let difference = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if difference != 0 {
            return common + (difference.trailing_zeros() / 8) as usize;
        }
        common += 8;
    }
    let rest = part(one, common..).iter().zip(part(other, common..));
    common + rest.take_while(|(one, other)| one == other).count()
}

/// Reads symbols from any number of sections.
#[derive(Debug)]
pub(super) struct SymbolReader {
    files: Vec<Arc<[u8]>>,
    last_name: Vec<u8>,
    /// The remaining number of bytes by reference.
    left: usize,
    budget: Budget,
}

/// Bytes of a symbol besides its name and its path: the symbol, and its entry
/// in the index of names.
const SYMBOL: usize = 192;

/// The noun in the budget's error message.
const NAMES: &str = "names of functions";

impl SymbolReader {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            files: Vec::new(),
            last_name: Vec::new(),
            left: MAX_REPEATED,
            budget: budget.clone(),
        }
    }

    /// Reads the payload of a section, and passes its symbols to `add`.
    pub(super) fn take(
        &mut self,
        mut cursor: Cursor<'_>,
        mut add: impl FnMut(Symbol),
    ) -> Result<(), Error> {
        for _ in 0..cursor.count()? {
            add(self.symbol(&mut cursor)?);
        }
        cursor.finish()
    }

    fn symbol(&mut self, cursor: &mut Cursor<'_>) -> Result<Symbol, Error> {
        let head = cursor.number()?;
        let file = match head >> 1 {
            NO_FILE => None,
            NEW_FILE => {
                let file = cursor.bytes()?;
                self.budget.take(allocated(file.len()), NAMES)?;
                self.budget.room(&mut self.files, NAMES)?;
                let file: Arc<[u8]> = file.into();
                self.files.push(file.clone());
                Some(file)
            }
            number => {
                let number = usize::try_from(number - FIRST_FILE).ok();
                let file = number.and_then(|number| self.files.get(number));
                let file = file.ok_or_else(|| cursor.broken("no path has this number"))?;
                self.left = (self.left.checked_sub(file.len()))
                    .ok_or_else(|| cursor.broken("too much is said by reference"))?;
                Some(file.clone())
            }
        };
        let line = cursor.number_32()?;
        let shared = cursor.number()?;
        let shared = usize::try_from(shared).ok();
        let shared = shared.filter(|&shared| shared <= self.last_name.len());
        let shared = shared.ok_or_else(|| cursor.broken("the name before is shorter"))?;
        self.left = (self.left.checked_sub(shared))
            .ok_or_else(|| cursor.broken("too much is said by reference"))?;
        self.last_name.truncate(shared);
        self.last_name.extend_from_slice(cursor.bytes()?);
        let path = file.as_ref().map_or(0, |file| allocated(file.len()));
        let names = 2 * allocated(self.last_name.len());
        self.budget.take(SYMBOL + names + path, NAMES)?;
        Ok(Symbol {
            name: self.last_name.as_slice().into(),
            file,
            line,
            internal: head & 1 == 1,
        })
    }
}

/// A symbol's index, if there is such a symbol.
pub(super) fn number(cursor: &Cursor<'_>, number: u64, symbols: usize) -> Result<u32, Error> {
    let number = u32::try_from(number).ok();
    let number = number.filter(|&number| (number as usize) < symbols);
    number.ok_or_else(|| cursor.broken("no symbol has this number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, file: Option<&str>) -> Symbol {
        Symbol {
            file: file.map(|file| file.as_bytes().into()),
            line: 7,
            ..Symbol::new(name.as_bytes())
        }
    }

    #[test]
    fn names_share_beginnings_and_paths_across_sections() {
        let symbols = [
            symbol("A\\B::first", Some("/a/b.php")),
            symbol("A\\B::second", Some("/a/b.php")),
            symbol("A\\B", None),
            symbol("", Some("")),
            symbol("A\\B::first", Some("/a/b.php")),
        ];
        let (mut writer, mut reader) = (
            SymbolWriter::default(),
            SymbolReader::within(&Budget::unlimited()),
        );
        let mut read = Vec::new();
        for symbols in symbols.chunks(2) {
            let mut bytes = Vec::new();
            writer.put(&mut bytes, symbols);
            let cursor = Cursor::new(&bytes, 0);
            reader.take(cursor, |symbol| read.push(symbol)).unwrap();
        }
        assert_eq!(read, symbols);
    }

    #[test]
    fn names_share_what_both_begin_with() {
        let texts: Vec<Vec<u8>> = (0..20)
            .flat_map(|length| (0..=length).map(move |place| (length, place)))
            .map(|(length, place)| {
                let mut text = vec![b'a'; length];
                // A different byte at each place, and none at the end.
                if let Some(byte) = text.get_mut(place) {
                    *byte = 0xFF;
                }
                text
            })
            .collect();
        for one in &texts {
            for other in &texts {
                let pairs = one.iter().zip(other);
                let expected = pairs.take_while(|(one, other)| one == other).count();
                assert_eq!(common_start(one, other), expected, "{one:?}, {other:?}");
            }
        }
    }

    #[test]
    fn paths_in_turn_are_said_once() {
        let symbols: Vec<_> = (0..9)
            .map(|number| symbol("f", Some(&format!("/srv/app/{}.php", number % 3))))
            .collect();
        let mut bytes = Vec::new();
        SymbolWriter::default().put(&mut bytes, &symbols);
        let said = bytes.windows(9).filter(|text| text == b"/srv/app/");
        assert_eq!(said.count(), 3);
        let mut read = Vec::new();
        let mut reader = SymbolReader::within(&Budget::unlimited());
        reader
            .take(Cursor::new(&bytes, 0), |symbol| read.push(symbol))
            .unwrap();
        assert_eq!(read, symbols);
    }

    #[test]
    fn a_path_said_too_often_is_written_out() {
        let long = "x".repeat(50);
        let symbols: Vec<_> = (0..4)
            .map(|_| symbol("", Some(&long)))
            .chain([symbol(&long, None), symbol(&long, None)])
            .collect();
        let mut bytes = Vec::new();
        let mut writer = SymbolWriter {
            left: 100,
            ..SymbolWriter::default()
        };
        writer.put(&mut bytes, &symbols);
        // In full at first, twice by reference, and then in full.
        assert!((200..230).contains(&bytes.len()), "{}", bytes.len());
        let mut read = Vec::new();
        let mut reader = SymbolReader {
            left: 100,
            ..SymbolReader::within(&Budget::unlimited())
        };
        reader
            .take(Cursor::new(&bytes, 0), |symbol| read.push(symbol))
            .unwrap();
        assert_eq!(read, symbols);
    }
}
