//! The functions that a question names, and their numbers.

use std::collections::HashMap;

use profile::Symbol;

use super::literal::text;
use crate::RunId;
use crate::answers::Want;

/// The functions that a question names.
pub(super) struct FunctionLookup {
    names: Vec<String>,
    /// Which of them a number of this process is.
    numbers: HashMap<u32, Vec<usize>>,
    /// How many names of this process were looked at.
    seen: usize,
}

impl FunctionLookup {
    pub(super) fn of(want: Want<'_>) -> Self {
        let names = match want {
            Want::Functions(names) => names.to_vec(),
            Want::Calls(name) | Want::Spread(name) => vec![name.to_owned()],
            Want::Paths | Want::Spans | Want::Spreads | Want::Moments => Vec::new(),
        };
        Self {
            names,
            numbers: HashMap::new(),
            seen: 0,
        }
    }

    /// Learns the names that this process has met since.
    pub(super) fn learn(&mut self, all: &[Symbol]) {
        if self.names.is_empty() {
            return;
        }
        for (number, symbol) in (0..).zip(all).skip(self.seen) {
            let text = String::from_utf8_lossy(&symbol.name);
            let places = (0..self.names.len()).filter(|place| self.names[*place] == text);
            let places: Vec<usize> = places.collect();
            if !places.is_empty() {
                self.numbers.insert(number, places);
            }
        }
        self.seen = all.len();
    }

    /// The numbers of the wanted functions in a cell, and in this process.
    pub(super) fn in_cell(&self, names: &[u32]) -> Vec<Option<(u32, u32)>> {
        let mut found = vec![None; self.names.len()];
        if found.is_empty() {
            return found;
        }
        for (local, number) in (0..).zip(names) {
            for place in self.numbers.get(number).into_iter().flatten() {
                let found = &mut found[*place];
                *found = found.or(Some((local, *number)));
            }
        }
        found
    }

    /// Their hash; none if the question names none, or one that is not UTF-8: it was made
    /// readable, and ClickHouse does not find it so.
    pub(super) fn hash(&self) -> Option<u64> {
        let is_readable = |name: &String| !name.contains('\u{FFFD}');
        if self.names.is_empty() || !self.names.iter().all(is_readable) {
            return None;
        }
        let id = RunId::of(self.names.join("\0").as_bytes()).0;
        let (first, _) = id.split_first_chunk().unwrap_or((&[0; 8], &[]));
        Some(u64::from_le_bytes(*first))
    }

    /// Whether a cell has one of them, as SQL.
    pub(super) fn called(&self) -> String {
        if self.hash().is_none() {
            return "1".to_owned();
        }
        let has = |name: &String| format!("has(name, {})", text(name));
        let has: Vec<String> = self.names.iter().map(has).collect();
        format!("({})", has.join(" OR "))
    }
}
