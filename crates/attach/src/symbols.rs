//! The functions of all processes, each once.
//!
//! **Invariant:** no two symbols have the same name; the first is `main()`.

use std::collections::HashMap;
use std::sync::Arc;

use policy::naming::names::fitting;
use profile::{FileId, Symbol, SymbolId};

/// The functions of all processes, by number and by name.
#[derive(Debug)]
pub struct Symbols {
    list: Vec<Symbol>,
    numbers: HashMap<Box<[u8]>, SymbolId>,
    files: Vec<Box<[u8]>>,
    file_numbers: HashMap<Box<[u8]>, FileId>,
    waits: usize,
}

/// The most files: a program may create some without end.
const MAX_FILES: usize = 1 << 17;

/// The most names: a program may create functions without end.
const MAX_SYMBOLS: usize = 1 << 20;
/// The most names of waits with a file or an address.
const MAX_WAITS: usize = 4096;
/// Stands for functions beyond that number.
const TRUNCATED: &[u8] = b"[truncated]";
/// Stands for the time in which no function runs.
const IDLE: &[u8] = b"[idle]";

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Self {
            list: Vec::new(),
            numbers: HashMap::new(),
            files: Vec::new(),
            file_numbers: HashMap::new(),
            waits: 0,
        };
        for name in [Symbol::MAIN, TRUNCATED, IDLE] {
            symbols.add(Symbol::new(name));
        }
        symbols
    }
}

impl Symbols {
    /// A worker that waits for a request.
    pub const IDLE: SymbolId = SymbolId(2);
    pub(crate) const TRUNCATED: SymbolId = SymbolId(1);

    /// The symbol of that name, whose place is the one that was added first.
    pub(crate) fn add(&mut self, symbol: Symbol) -> SymbolId {
        let name = fitting(&symbol.name);
        if let Some(known) = self.numbers.get(&*name) {
            return *known;
        }
        if self.list.len() >= MAX_SYMBOLS {
            return Self::TRUNCATED;
        }
        let number = SymbolId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        let name: Box<[u8]> = name.into();
        self.numbers.insert(name.clone(), number);
        self.list.push(Symbol { name, ..symbol });
        number
    }

    /// What a thread waits for: `[flock /srv/a.lock]`. Beyond a number of them, only `[flock]`.
    pub(crate) fn add_wait(&mut self, name: &str) -> SymbolId {
        let is_known = self.numbers.contains_key(name.as_bytes());
        if !is_known && self.waits >= MAX_WAITS {
            let call = name.split(' ').next().unwrap_or(name).trim_end_matches(']');
            return self.add(wait(&format!("{call}]")));
        }
        self.waits += usize::from(!is_known);
        self.add(wait(name))
    }

    /// The number of a file; none if there are too many.
    pub(crate) fn add_file(&mut self, file: &[u8]) -> Option<FileId> {
        if let Some(known) = self.file_numbers.get(file) {
            return Some(*known);
        }
        if self.files.len() >= MAX_FILES {
            return None;
        }
        let number = FileId(u32::try_from(self.files.len()).ok()?);
        self.files.push(file.into());
        self.file_numbers.insert(file.into(), number);
        Some(number)
    }

    /// The name of a file that was added.
    #[must_use]
    pub fn file(&self, file: FileId) -> Option<&[u8]> {
        self.files.get(file.index()).map(|name| &**name)
    }

    /// Whether a symbol is that of a function in this file.
    pub(crate) fn is_in_file(&self, symbol: SymbolId, file: &[u8]) -> bool {
        self.get(symbol)
            .is_some_and(|symbol| symbol.file.as_deref() == Some(file))
    }

    /// A function that PHP compiled from that file, which begins on that line.
    pub(crate) fn of_file(name: &[u8], file: Option<&[u8]>, line: u32) -> Symbol {
        Symbol {
            file: file.map(Arc::from),
            line,
            ..Symbol::new(name)
        }
    }

    /// A symbol's name; empty if there is no such symbol.
    #[must_use]
    pub fn name(&self, symbol: SymbolId) -> &[u8] {
        self.get(symbol).map_or(b"", |symbol| &symbol.name)
    }

    /// A symbol.
    #[must_use]
    pub fn get(&self, symbol: SymbolId) -> Option<&Symbol> {
        self.list.get(symbol.index())
    }

    /// All symbols, by number.
    #[must_use]
    pub fn all(&self) -> &[Symbol] {
        &self.list
    }
}

/// The symbol of a wait, which is no function of PHP code.
fn wait(name: &str) -> Symbol {
    Symbol {
        internal: true,
        ..Symbol::new(name.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_for_too_many_files_have_the_name_of_the_call_only() {
        let mut symbols = Symbols::default();
        for number in 0..MAX_WAITS {
            symbols.add_wait(&format!("[flock /{number}]"));
        }
        let before = symbols.add_wait("[flock /7]");
        assert_eq!(symbols.name(before), b"[flock /7]");
        let beyond = symbols.add_wait("[flock /other file]");
        assert_eq!(symbols.name(beyond), b"[flock]");
        assert!(symbols.get(beyond).is_some_and(|symbol| symbol.internal));
    }

    #[test]
    fn a_name_has_one_number_and_the_place_that_came_first() {
        let mut symbols = Symbols::default();
        let first = symbols.add(Symbols::of_file(b"f", Some(b"/a.php"), 3));
        let second = symbols.add(Symbols::of_file(b"f", Some(b"/b.php"), 9));
        assert_eq!(first, second);
        assert_eq!(symbols.get(first).map(|symbol| symbol.line), Some(3));
        assert_eq!(symbols.name(SymbolId::ROOT), b"main()");
        assert_eq!(symbols.name(Symbols::IDLE), IDLE);
        assert_eq!(symbols.name(SymbolId(99)), b"");
    }
}
