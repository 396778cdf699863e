//! The locations of a file and the functions of each: several if functions were
//! inlined.
//!
//! **Invariant:** location IDs are not trusted: samples may refer to locations
//! that come later, or do not exist.

use std::ops::Range;

use profile::{Budget, NumberMap, OverBudget, SymbolId};

use super::fields::{Message, Value};
use super::stacks::Place;
use crate::shared::symbols::Symbols;

/// IDs below this are in a table, which is fast; others in a map.
const DENSE: usize = 1 << 16;

/// No index yet.
const NONE: Place = Place::MAX;

/// The noun in the budget's error message.
const LOCATIONS: &str = "locations";

/// All locations, in the order of their first use.
#[derive(Debug)]
pub(super) struct Locations {
    dense: Vec<Place>,
    sparse: NumberMap<u64, Place>,
    list: Vec<Location>,
    /// The functions of all locations, the innermost first.
    functions: Vec<u64>,
    /// The line in each of these functions; zero if unknown.
    lines: Vec<u32>,
    /// The same as symbols, once these are known.
    symbols: Vec<SymbolId>,
    budget: Budget,
}

#[derive(Debug)]
struct Location {
    id: u64,
    /// A range of `functions`; none until the location was read.
    lines: Option<Range<usize>>,
}

impl Locations {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            dense: Vec::new(),
            sparse: NumberMap::default(),
            list: Vec::new(),
            functions: Vec::new(),
            lines: Vec::new(),
            symbols: Vec::new(),
            budget: budget.clone(),
        }
    }

    /// The index of the location with that ID.
    #[inline]
    pub(super) fn place(&mut self, id: u64) -> Result<Place, OverBudget> {
        let dense = usize::try_from(id).ok().and_then(|id| self.dense.get(id));
        match dense {
            Some(&place) if place != NONE => Ok(place),
            _ => self.find(id),
        }
    }

    fn find(&mut self, id: u64) -> Result<Place, OverBudget> {
        if let Some(&place) = self.sparse.get(&id) {
            return Ok(place);
        }
        // A larger number would exceed the machine's memory.
        let place = Place::try_from(self.list.len()).unwrap_or(NONE - 1);
        self.budget.room(&mut self.list, LOCATIONS)?;
        self.list.push(Location { id, lines: None });
        match usize::try_from(id) {
            Ok(index) if index < DENSE => {
                if let Some(more) = (index + 1).checked_sub(self.dense.len()) {
                    self.budget.room_for(&mut self.dense, more, LOCATIONS)?;
                    self.dense.resize(index + 1, NONE);
                }
                self.dense[index] = place;
            }
            _ => {
                self.budget.room_in_map(&mut self.sparse, LOCATIONS)?;
                self.sparse.insert(id, place);
            }
        }
        Ok(place)
    }

    /// Reads a location from its message.
    pub(super) fn define(&mut self, message: &[u8]) -> Result<(), String> {
        let mut id = 0;
        let start = self.functions.len();
        for field in Message(message) {
            match field? {
                (1, Value::Number(number)) => id = number,
                (4, Value::Bytes(line)) => {
                    let (mut function, mut number) = (0, 0);
                    for field in Message(line) {
                        match field? {
                            (1, Value::Number(id)) => function = id,
                            (2, Value::Number(line)) => number = line,
                            _ => {}
                        }
                    }
                    let room = (self.budget.room(&mut self.functions, LOCATIONS))
                        .and(self.budget.room(&mut self.lines, LOCATIONS));
                    room.map_err(|error| error.to_string())?;
                    self.functions.push(function);
                    self.lines.push(u32::try_from(number).unwrap_or(0));
                }
                _ => {}
            }
        }
        let place = self.place(id).map_err(|error| error.to_string())?;
        let lines = start..self.functions.len();
        match self.list.get_mut(place as usize) {
            Some(location) if id > 0 && location.lines.is_none() => {
                location.lines = Some(lines);
                Ok(())
            }
            _ => Err(format!("location {id} occurs twice, or is 0")),
        }
    }

    /// Assigns a symbol to each function.
    pub(super) fn resolve(
        &mut self,
        functions: &NumberMap<u64, SymbolId>,
        symbols: &mut Symbols,
    ) -> Result<(), String> {
        let count = self.functions.len();
        let room = (self.budget).room_for(&mut self.symbols, count + 1, LOCATIONS);
        room.map_err(|error| error.to_string())?;
        for function in &self.functions {
            let symbol = functions.get(function).copied();
            let symbol = symbol.ok_or_else(|| format!("there is no function {function}"))?;
            self.symbols.push(symbol);
        }
        let has_no_lines =
            |location: &Location| location.lines.as_ref().is_some_and(Range::is_empty);
        if self.list.iter().any(has_no_lines) {
            // For an address without a name.
            self.symbols.push(symbols.id(b"(unknown)"));
        }
        Ok(())
    }

    /// The function and the line of each frame of all locations. A location's
    /// frames are those in its [`frames`](Self::frames).
    pub(super) fn all_frames(&self) -> impl Iterator<Item = (u64, SymbolId, u32)> {
        let frames = self.functions.iter().zip(&self.symbols).zip(&self.lines);
        frames.map(|((function, symbol), line)| (*function, *symbol, *line))
    }

    /// The places of a location's frames in [`all_frames`](Self::all_frames),
    /// the innermost first.
    pub(super) fn frames(&self, place: Place) -> Range<usize> {
        let location = self.list.get(place as usize);
        let lines = location.and_then(|location| location.lines.clone());
        lines.unwrap_or_default()
    }

    /// The symbols of a location, the innermost first.
    pub(super) fn symbols(&self, place: Place) -> Result<&[SymbolId], String> {
        let location = self.list.get(place as usize);
        let id = location.map_or(0, |location| location.id);
        match location.and_then(|location| location.lines.clone()) {
            None => Err(format!("there is no location {id}")),
            Some(lines) if lines.is_empty() => {
                let unknown = self.functions.len()..;
                Ok(self.symbols.get(unknown).unwrap_or_default())
            }
            Some(lines) => Ok(self.symbols.get(lines).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_found_by_numbers_of_any_size_whenever_they_are_defined() {
        let budget = Budget::unlimited();
        let mut locations = Locations::within(&budget);
        let far = locations.place(u64::MAX).unwrap();
        let near = locations.place(7).unwrap();
        assert_eq!(locations.place(u64::MAX), Ok(far));
        // 7: functions 1 and 2; 8: an address.
        locations
            .define(b"\x08\x07\x22\x02\x08\x01\x22\x02\x08\x02")
            .unwrap();
        locations.define(b"\x08\x08\x18\x05").unwrap();
        assert!(locations.define(b"\x08\x07").unwrap_err().contains("twice"));
        assert!(locations.define(b"").unwrap_err().contains("is 0"));
        let functions = [(1, SymbolId(1)), (2, SymbolId(2))].into_iter().collect();
        let mut symbols = Symbols::within(&budget);
        locations.resolve(&functions, &mut symbols).unwrap();
        assert_eq!(locations.symbols(near).unwrap(), [SymbolId(1), SymbolId(2)]);
        let unknown = locations.place(8).unwrap();
        assert_eq!(locations.symbols(unknown).unwrap(), [SymbolId(1)]);
        let error = locations.symbols(far).unwrap_err();
        assert_eq!(error, format!("there is no location {}", u64::MAX));
        let error = locations.resolve(&NumberMap::default(), &mut symbols);
        assert_eq!(error.unwrap_err(), "there is no function 1");
    }
}
