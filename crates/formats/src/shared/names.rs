//! Functions of other tools, identified by name and file. A profile's symbols
//! must differ in their names, so a second function of one name gets its file
//! appended.
//!
//! **Invariant:** symbol 0 is `main()`, no two symbols have the same name, and
//! no name contains XHProf's separator.

use std::collections::HashMap;

use profile::{Budget, Symbol, SymbolId, allocated, make_name_safe};

use crate::shared::symbols::NAMES;

/// The file name that Xdebug and others write for PHP's own functions.
pub(crate) const INTERNAL_FILE: &[u8] = b"php:internal";

/// The name that replaces an unknown one.
pub(crate) const UNKNOWN: &[u8] = b"???";

/// The symbols of a profile that is being read.
#[derive(Debug)]
pub(crate) struct Names {
    symbols: Vec<Symbol>,
    places: HashMap<Box<[u8]>, SymbolId>,
    budget: Budget,
}

impl Names {
    /// A table with only `main()`, which grows within a budget. Once the budget
    /// is exceeded, every new function is counted as `main()`.
    pub(crate) fn within(budget: &Budget) -> Self {
        Self {
            symbols: vec![Symbol::new(Symbol::MAIN)],
            places: HashMap::from([(Symbol::MAIN.into(), SymbolId::ROOT)]),
            budget: budget.clone(),
        }
    }

    /// The symbol of the function of that name in that file, if the file is
    /// known; none if there are too many.
    pub(crate) fn symbol(&mut self, name: &[u8], file: Option<&[u8]>) -> Option<SymbolId> {
        let name = if name.is_empty() { UNKNOWN } else { name };
        let file = file.filter(|file| !file.is_empty() && *file != UNKNOWN);
        if let Some(&id) = self.places.get(name) {
            if self.is_in_file(id, file) {
                return Some(id);
            }
            let file = file.unwrap_or_default();
            let longer = [name, b" [", file, b"]"].concat();
            if let Some(&id) = self.places.get(&*longer) {
                return Some(id);
            }
            return self.add(&longer, Some(file));
        }
        self.add(name, file)
    }

    /// Whether the function is in `file`. If its file was unknown until now,
    /// `file` becomes its file.
    fn is_in_file(&mut self, id: SymbolId, file: Option<&[u8]>) -> bool {
        let Some(file) = file else {
            return true;
        };
        let symbol = &mut self.symbols[id.index()];
        if file == INTERNAL_FILE {
            let may_be = symbol.internal || symbol.file.is_none();
            symbol.internal = may_be;
            return may_be;
        }
        match &symbol.file {
            Some(known) => **known == *file,
            None if symbol.internal => false,
            None => {
                if self.budget.take(allocated(file.len()), NAMES).is_ok() {
                    symbol.file = Some(file.into());
                }
                true
            }
        }
    }

    fn add(&mut self, name: &[u8], file: Option<&[u8]>) -> Option<SymbolId> {
        let mut safe = name.to_vec();
        make_name_safe(&mut safe);
        if let Some(&id) = self.places.get(&*safe) {
            return Some(id);
        }
        let id = SymbolId(u32::try_from(self.symbols.len()).ok()?);
        // The name once in the table and once in the map, and the file.
        let bytes = 2 * allocated(safe.len()) + file.map_or(0, |file| allocated(file.len()));
        let room = (self.budget.take(bytes, NAMES))
            .and_then(|()| self.budget.room(&mut self.symbols, NAMES))
            .and_then(|()| self.budget.room_in_map(&mut self.places, NAMES));
        if room.is_err() {
            return Some(SymbolId::ROOT);
        }
        let internal = file == Some(INTERNAL_FILE);
        self.places.insert(safe.as_slice().into(), id);
        self.symbols.push(Symbol {
            file: file.filter(|_| !internal).map(Into::into),
            internal,
            ..Symbol::new(safe)
        });
        Some(id)
    }

    /// Sets the first line of a function, unless it is known.
    pub(crate) fn set_line(&mut self, id: SymbolId, line: u32) {
        let symbol = &mut self.symbols[id.index()];
        if symbol.line == 0 {
            symbol.line = line;
        }
    }

    /// The first line of a function; zero if it is not known.
    pub(crate) fn line(&self, id: SymbolId) -> u32 {
        self.symbols.get(id.index()).map_or(0, |symbol| symbol.line)
    }

    /// Lets `edit` change a symbol.
    pub(crate) fn edit(&mut self, id: SymbolId, edit: impl FnOnce(&mut Symbol)) {
        edit(&mut self.symbols[id.index()]);
    }

    /// The number of symbols.
    pub(crate) fn len(&self) -> usize {
        self.symbols.len()
    }

    /// All symbols, in the order of their first use.
    pub(crate) fn into_symbols(self) -> Vec<Symbol> {
        let names = self.places.keys().map(|name| allocated(name.len()));
        self.budget.give_back(names.sum());
        self.budget.drop_map(self.places);
        self.symbols
    }
}

/// A function's name as in XHProf: `{main}`, `php::strlen` and `Foo->bar` are
/// Xdebug's names.
pub(crate) fn of_xdebug(name: &[u8], is_internal: bool) -> Vec<u8> {
    if name == b"{main}" {
        return Symbol::MAIN.to_vec();
    }
    let plain = name.strip_prefix(b"php::").filter(|_| is_internal);
    let name = plain.unwrap_or(name);
    let arrow = name.windows(2).position(|two| two == b"->");
    let Some((class, method)) = arrow.and_then(|at| name.split_at_checked(at)) else {
        return name.to_vec();
    };
    let is_class = |byte: &u8| !matches!(byte, b'/' | b'{' | b' ' | b':');
    if class.iter().all(is_class) || class.starts_with(b"class@anonymous") {
        return [class, b"::", &method[2..]].concat();
    }
    name.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_two_files_is_two_functions() {
        let mut names = Names::within(&Budget::unlimited());
        let mut id = |name: &str, file: Option<&str>| {
            let file = file.map(str::as_bytes);
            names.symbol(name.as_bytes(), file).unwrap().0
        };
        assert_eq!(id("main()", Some("/a.php")), 0);
        assert_eq!(id("f", None), 1);
        assert_eq!(id("f", Some("/a.php")), 1);
        assert_eq!(id("f", Some("/b.php")), 2);
        assert_eq!(id("f", Some("/b.php")), 2);
        assert_eq!(id("f", None), 1);
        assert_eq!(id("f", Some("php:internal")), 3);
        assert_eq!(id("strlen", Some("php:internal")), 4);
        assert_eq!(id("strlen", Some("php:internal")), 4);
        assert_eq!(id("a==>b", None), 5);
        assert_eq!(id("a==>b", None), 5);
        assert_eq!(id("a=>b", None), 5);
        assert_eq!(id("", Some("???")), 6);
        let symbols = names.into_symbols();
        assert_eq!(*symbols[2].name, *b"f [/b.php]");
        assert!(symbols[4].internal && symbols[4].file.is_none());
        assert_eq!(*symbols[6].name, *b"???");
    }
}
