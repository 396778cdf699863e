//! Builds a profile's symbol table, name by name.
//!
//! **Invariants:** the first symbol is `main()`; no two have the same name; no
//! name contains XHProf's separator.

use std::collections::HashMap;

use profile::{Budget, Symbol, SymbolId, allocated, make_name_safe};

use crate::shared::text;

/// The noun in the budget's error message.
pub(crate) const NAMES: &str = "names of functions";

/// A growing symbol table.
#[derive(Debug)]
pub(crate) struct Symbols {
    list: Vec<Symbol>,
    places: HashMap<Box<[u8]>, SymbolId>,
    budget: Budget,
}

impl Symbols {
    /// A table with only `main()`, which grows within a budget. Once the budget
    /// is exceeded, every new name is counted as `main()`.
    pub(crate) fn within(budget: &Budget) -> Self {
        Self {
            list: vec![Symbol::new(Symbol::MAIN)],
            places: HashMap::from([(Symbol::MAIN.into(), SymbolId::ROOT)]),
            budget: budget.clone(),
        }
    }

    /// The symbol called `name`, created if there is none yet.
    pub(crate) fn id(&mut self, name: &[u8]) -> SymbolId {
        if let Some(&id) = self.places.get(name) {
            return id;
        }
        let mut safe = name.to_vec();
        make_name_safe(&mut safe);
        let id = match self.places.get(safe.as_slice()) {
            Some(&id) => id,
            None => self.push(safe),
        };
        // The original name is a key too, so that it is converted only once.
        if !self.places.contains_key(name) && self.has_room(name) {
            self.places.insert(name.into(), id);
        }
        id
    }

    fn push(&mut self, name: Vec<u8>) -> SymbolId {
        let Ok(number) = u32::try_from(self.list.len()) else {
            return SymbolId::ROOT;
        };
        // Once in the table, once in the map.
        if !self.has_room(&name) || !self.has_room(&name) {
            return SymbolId::ROOT;
        }
        let id = SymbolId(number);
        self.places.insert(name.as_slice().into(), id);
        self.list.push(Symbol::new(name));
        id
    }

    fn has_room(&mut self, name: &[u8]) -> bool {
        let Self {
            list,
            places,
            budget,
        } = self;
        let outcome = (budget.take(allocated(name.len()), NAMES))
            .and_then(|()| budget.room(list, NAMES))
            .and_then(|()| budget.room_in_map(places, NAMES));
        outcome.is_ok()
    }

    /// The file of a symbol; each symbol has its own copy.
    pub(crate) fn set_file(&mut self, id: SymbolId, file: &[u8]) {
        let room = self.budget.take(allocated(file.len()), NAMES);
        if room.is_ok() {
            text::set_file(&mut self.list[id.index()], file);
        }
    }

    /// A symbol, for changes.
    pub(crate) fn symbol(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.list[id.index()]
    }

    /// The whole table.
    pub(crate) fn finish(self) -> Vec<Symbol> {
        let names = self.places.keys().map(|name| allocated(name.len()));
        self.budget.give_back(names.sum());
        self.budget.drop_map(self.places);
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_symbol_however_it_was_made_safe() {
        let mut symbols = Symbols::within(&Budget::unlimited());
        assert_eq!(symbols.id(b"main()"), SymbolId::ROOT);
        assert_eq!(symbols.id(b"a==>b"), SymbolId(1));
        assert_eq!(symbols.id(b"a=>b"), SymbolId(1));
        assert_eq!(symbols.id(b"a==>b"), SymbolId(1));
        assert_eq!(symbols.id(b"c"), SymbolId(2));
        let names: Vec<_> = symbols
            .finish()
            .into_iter()
            .map(|symbol| symbol.name)
            .collect();
        assert_eq!(
            names,
            [(*b"main()").into(), (*b"a=>b").into(), (*b"c").into()] as [Box<[u8]>; 3]
        );
    }
}
