//! Functions in a native file.
//!
//! A name omits the prefix that it shares with the previous name, and a
//! repeated path is a number. So a few bytes may expand to many: both sides
//! count the expanded bytes, and beyond [`MAX_REPEATED`] no references are
//! allowed.

use std::collections::HashMap;

use super::Error;
use super::section::{SectionWriter, kind};
use super::varint::{Cursor, put, put_bytes};
use crate::table::part;
use crate::{Budget, Symbol, allocated};

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
    files: HashMap<Box<[u8]>, u64>,
    next_file: u64,
    last_name: Vec<u8>,
    /// The remaining number of bytes by reference.
    left: usize,
}

impl Default for SymbolWriter {
    fn default() -> Self {
        Self {
            files: HashMap::new(),
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
            let shared = self.shared(&symbol.name);
            put(out, shared as u64);
            put_bytes(out, part(&symbol.name, shared..));
            self.last_name.clear();
            self.last_name.extend_from_slice(&symbol.name);
        }
    }

    /// The number of a path that may be referred to; a new path gets a number.
    fn reference(&mut self, file: &[u8]) -> Option<u64> {
        if let Some(&number) = self.files.get(file)
            && let Some(left) = self.left.checked_sub(file.len())
        {
            self.left = left;
            return Some(number);
        }
        self.files.insert(file.into(), self.next_file);
        self.next_file += 1;
        None
    }

    /// The number of bytes that `name` shares with the previous name.
    fn shared(&mut self, name: &[u8]) -> usize {
        let pairs = name.iter().zip(&self.last_name);
        let shared = pairs.take_while(|(one, other)| one == other).count();
        match self.left.checked_sub(shared) {
            Some(left) => {
                self.left = left;
                shared
            }
            None => 0,
        }
    }
}

/// Reads symbols from any number of sections.
#[derive(Debug)]
pub(super) struct SymbolReader {
    files: Vec<Box<[u8]>>,
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
                let file: Box<[u8]> = file.into();
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
