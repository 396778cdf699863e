//! Numbers strings and functions in the order of their first use, for formats
//! that have tables of them.

use std::collections::HashMap;

use profile::{SymbolId, Table};

/// The strings, by number; the empty one is 0.
pub(crate) struct Strings {
    pub(crate) list: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Default for Strings {
    fn default() -> Self {
        Self {
            list: vec![String::new()],
            numbers: HashMap::from([(String::new(), 0)]),
        }
    }
}

impl Strings {
    /// The number of a string.
    pub(crate) fn number(&mut self, string: &str) -> u32 {
        if let Some(&number) = self.numbers.get(string) {
            return number;
        }
        // Far beyond the memory of any machine.
        let number = u32::try_from(self.list.len()).unwrap_or(0);
        self.numbers.insert(string.to_owned(), number);
        self.list.push(string.to_owned());
        number
    }
}

/// The functions that are used, numbered from 1.
pub(crate) struct Functions {
    pub(crate) used: Vec<SymbolId>,
    /// 0 for those that are not used yet.
    numbers: Table<SymbolId, u32>,
}

impl Functions {
    /// No function of a profile with that many symbols is used yet.
    pub(crate) fn new(symbols: usize) -> Self {
        Self {
            used: Vec::new(),
            numbers: Table::new(0, symbols),
        }
    }

    /// The number of a function.
    pub(crate) fn number(&mut self, symbol: SymbolId) -> u32 {
        let number = &mut self.numbers[symbol];
        if *number == 0 {
            self.used.push(symbol);
            // There are no more of them than symbols.
            *number = u32::try_from(self.used.len()).unwrap_or(0);
        }
        *number
    }
}
