//! Distinguishes functions by file and line, for languages in which many
//! functions have the same name or none.
//!
//! **Invariant:** the first function of a name keeps it; the others get their
//! file and line appended.

use std::collections::HashMap;

use profile::{Budget, Symbol, SymbolId, allocated};

use crate::shared::names::Names;
use crate::shared::text::lossy;

/// The symbols of a profile that is being read.
#[derive(Debug)]
pub(crate) struct LineNames {
    names: Names,
    places: HashMap<(String, String, u32), SymbolId>,
    /// The line of the function that keeps its plain name and file.
    first: HashMap<(String, String), u32>,
    budget: Budget,
}

impl LineNames {
    /// A table with only `main()`, which grows within a budget.
    pub(crate) fn within(budget: &Budget) -> Self {
        Self {
            names: Names::within(budget),
            places: HashMap::new(),
            first: HashMap::new(),
            budget: budget.clone(),
        }
    }

    /// The symbol of the function with that name and position; a file may be
    /// empty and a line 0. None if there are too many.
    pub(crate) fn symbol(&mut self, name: &str, file: &str, line: u32) -> Option<SymbolId> {
        let key = (name.to_owned(), file.to_owned(), line);
        if let Some(&symbol) = self.places.get(&key) {
            return Some(symbol);
        }
        let bytes = 2 * (allocated(name.len()) + allocated(file.len()));
        self.budget.take(bytes, "names").ok()?;
        self.budget.room_in_map(&mut self.places, "names").ok()?;
        self.budget.room_in_map(&mut self.first, "names").ok()?;
        let is_first = *self
            .first
            .entry((name.to_owned(), file.to_owned()))
            .or_insert(line)
            == line;
        let is_named = !name.is_empty();
        let name = if is_named {
            lossy(name.as_bytes())
        } else {
            "(anonymous)".into()
        };
        let shown = if file.is_empty() || is_named && is_first {
            name.into_owned()
        } else {
            format!("{name} [{}:{line}]", lossy(file.as_bytes()))
        };
        let file = Some(file.as_bytes()).filter(|file| !file.is_empty());
        let symbol = self.names.symbol(shown.as_bytes(), file)?;
        self.names.set_line(symbol, line);
        self.places.insert(key, symbol);
        Some(symbol)
    }

    /// The symbol of a function that is in no file.
    pub(crate) fn plain(&mut self, name: &str) -> Option<SymbolId> {
        self.names.symbol(lossy(name.as_bytes()).as_bytes(), None)
    }

    /// All symbols, in the order of their first use.
    pub(crate) fn into_symbols(self) -> Vec<Symbol> {
        self.names.into_symbols()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_one_name_get_their_file_and_line() {
        let mut names = LineNames::within(&Budget::unlimited());
        let mut id = |name, file, line| names.symbol(name, file, line).unwrap().0;
        assert_eq!(id("main()", "", 0), 0);
        assert_eq!(id("run", "/a.js", 3), 1);
        assert_eq!(id("run", "/a.js", 3), 1);
        assert_eq!(id("run", "/a.js", 9), 2);
        assert_eq!(id("run", "/b.js", 3), 3);
        assert_eq!(id("", "/a.js", 4), 4);
        assert_eq!(id("", "/a.js", 5), 5);
        assert_eq!(id("", "", 0), 6);
        let names: Vec<_> = names
            .into_symbols()
            .iter()
            .map(|symbol| String::from_utf8_lossy(&symbol.name).into_owned())
            .collect();
        assert_eq!(
            names,
            [
                "main()",
                "run",
                "run [/a.js:9]",
                "run [/b.js]",
                "(anonymous) [/a.js:4]",
                "(anonymous) [/a.js:5]",
                "(anonymous)"
            ]
        );
    }
}
