//! Labels: functions as the classic rows write them, `f`, `f@1`.
//!
//! A label is a name with an optional recursion level, but `@1` may also be the
//! end of a name. So labels are collected first, and split when all of them are
//! known.

use std::collections::HashMap;

use profile::{Activation, Budget, OverBudget, Symbol, SymbolId, Table, allocated};

/// Labels with their levels, numbered in order.
#[derive(Debug)]
pub(super) struct Labels {
    numbers: HashMap<Box<[u8]>, u32>,
    count: u32,
    budget: Budget,
}

/// Bytes for splitting a label, besides its name.
const RESOLVED: usize = 160;

/// The noun in the budget's error message.
pub(super) const NAMES: &str = "names of functions";

impl Labels {
    /// The label of `main()`, with room for as many as the budget allows.
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            numbers: HashMap::from([(Symbol::MAIN.into(), 0)]),
            count: 1,
            budget: budget.clone(),
        }
    }
}

/// The functions of the labels.
pub(super) struct Resolved {
    pub(super) symbols: Vec<Symbol>,
    /// For each label.
    pub(super) activations: Table<u32, Activation>,
}

impl Labels {
    /// The label's number; none if there are too many.
    pub(super) fn number(&mut self, label: &[u8]) -> Result<Option<u32>, OverBudget> {
        if let Some(&number) = self.numbers.get(label) {
            return Ok(Some(number));
        }
        let number = self.count;
        let Some(next) = number.checked_add(1) else {
            return Ok(None);
        };
        // The name here, and the name of the symbol made from it.
        let bytes = RESOLVED + 2 * allocated(label.len());
        self.budget.take(bytes, NAMES)?;
        self.budget.room_in_map(&mut self.numbers, NAMES)?;
        self.count = next;
        self.numbers.insert(label.into(), number);
        Ok(Some(number))
    }

    /// Distinguishes levels from names: `f@2` is a level of `f` only if `f` or
    /// a lower level of it is there too, because a name may end in `@2`.
    pub(super) fn resolve(self) -> Resolved {
        let mut labels: Vec<_> = self.numbers.into_iter().collect();
        labels.sort_unstable_by_key(|&(_, number)| number);
        let mut lowest: HashMap<&[u8], u32> = HashMap::new();
        for (label, _) in &labels {
            lowest.insert(label, 0);
        }
        for (label, _) in &labels {
            if let Some((name, level)) = split_level(label) {
                let lowest = lowest.entry(name).or_insert(level);
                *lowest = level.min(*lowest);
            }
        }
        let mut symbols = Vec::new();
        let mut activations = Table::with_capacity(labels.len());
        let mut symbol_of: HashMap<&[u8], SymbolId> = HashMap::new();
        for (label, _) in &labels {
            let (name, level) = split_level(label)
                .filter(|(name, level)| lowest.get(name).is_some_and(|lowest| lowest < level))
                .unwrap_or((label, 0));
            let symbol = *symbol_of.entry(name).or_insert_with(|| {
                symbols.push(Symbol::new(name));
                // There are no more symbols than labels, which are counted in
                // u32.
                SymbolId(u32::try_from(symbols.len() - 1).unwrap_or(u32::MAX))
            });
            activations.push(Activation { symbol, level });
        }
        Resolved {
            symbols,
            activations,
        }
    }
}

/// `f@2` as `f` and 2; none for `f`, `f@0`, `f@02` and `@2`.
fn split_level(label: &[u8]) -> Option<(&[u8], u32)> {
    let at = label
        .iter()
        .rposition(|&byte| byte == b'@')
        .filter(|&at| at > 0)?;
    let (name, digits) = (label.get(..at)?, label.get(at + 1..)?);
    let is_plain = digits.iter().all(u8::is_ascii_digit) && digits.first() != Some(&b'0');
    let level = std::str::from_utf8(digits).ok().filter(|_| is_plain)?;
    Some((name, level.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(labels: &[&str]) -> Vec<(String, u32)> {
        let mut all = Labels::within(&Budget::unlimited());
        for label in labels {
            all.number(label.as_bytes()).unwrap();
        }
        let resolved = all.resolve();
        let label = |activation: &Activation| {
            let symbol = &resolved.symbols[activation.symbol.index()];
            (
                String::from_utf8(symbol.name.to_vec()).unwrap(),
                activation.level,
            )
        };
        resolved.activations.iter().skip(1).map(label).collect()
    }

    fn is(name: &str, level: u32) -> (String, u32) {
        (name.into(), level)
    }

    #[test]
    fn a_level_is_one_only_beside_a_lower_one() {
        assert_eq!(resolved(&["f", "f@1"]), [is("f", 0), is("f", 1)]);
        assert_eq!(resolved(&["f@1", "f"]), [is("f", 1), is("f", 0)]);
        assert_eq!(resolved(&["weird@1"]), [is("weird@1", 0)]);
        assert_eq!(resolved(&["f@2", "f@3"]), [is("f@2", 0), is("f", 3)]);
    }

    #[test]
    fn what_no_level_looks_like_stays_in_the_name() {
        for label in ["f@0", "f@01", "f@", "f@x", "f@4294967296", "@1"] {
            assert_eq!(resolved(&["f", "", label])[2], is(label, 0));
        }
    }
}
