//! Compressed names: `(5) foo` defines, `(5)` refers.
//!
//! **Invariant:** an ID in a file never decides how much memory is allocated:
//! small IDs, which are all that tools write, are in a table, others in a map.

use profile::{Budget, NumberMap};

/// The values of the IDs of one kind.
#[derive(Debug)]
pub(super) struct Ids<T> {
    dense: Vec<Option<T>>,
    sparse: NumberMap<u64, T>,
    budget: Budget,
}

/// How far beyond the last ID the next one may be.
const GAP: usize = 1024;

/// The noun in the budget's error message.
const NUMBERS: &str = "numbers of names";

impl<T: Copy> Ids<T> {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            dense: Vec::new(),
            sparse: NumberMap::default(),
            budget: budget.clone(),
        }
    }

    /// The value of `id`.
    pub(super) fn find(&self, id: u64) -> Option<T> {
        let dense = usize::try_from(id).ok().and_then(|id| self.dense.get(id));
        match dense {
            Some(Some(value)) => Some(*value),
            _ => self.sparse.get(&id).copied(),
        }
    }

    /// Defines `id` as `value`.
    pub(super) fn define(&mut self, id: u64, value: T) {
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        if index >= self.dense.len() + GAP {
            if self.budget.room_in_map(&mut self.sparse, NUMBERS).is_ok() {
                self.sparse.insert(id, value);
            }
            return;
        }
        if index >= self.dense.len() {
            let more = index + 1 - self.dense.len();
            if (self.budget)
                .room_for(&mut self.dense, more, NUMBERS)
                .is_err()
            {
                return;
            }
            self.dense.resize(index + 1, None);
        }
        self.dense[index] = Some(value);
    }
}

/// A name as it is written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written<'a> {
    /// `foo`
    Plain(&'a [u8]),
    /// `(5) foo`
    Defined(u64, &'a [u8]),
    /// `(5)`
    Referred(u64),
}

impl<'a> Written<'a> {
    /// Parses the text after the `=`.
    #[inline]
    pub(super) fn new(text: &'a [u8]) -> Self {
        let text = text.trim_ascii_start();
        let [b'(', digits @ ..] = text else {
            return Self::Plain(text);
        };
        let mut id = 0_u64;
        let mut rest = digits;
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            id = id.wrapping_mul(10).wrapping_add(u64::from(*digit - b'0'));
            rest = after;
        }
        if digits.len() - rest.len() > 18 {
            id = u64::MAX;
        }
        match rest {
            [b')', ..] if rest.len() == digits.len() => Self::Plain(text),
            [b')'] => Self::Referred(id),
            [b')', name @ ..] => match name.trim_ascii_start() {
                [] => Self::Referred(id),
                name => Self::Defined(id, name),
            },
            _ => Self::Plain(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_parentheses_is_an_id_and_nothing_else_is() {
        assert_eq!(Written::new(b"foo"), Written::Plain(b"foo"));
        assert_eq!(
            Written::new(b"  (12)  foo (1)"),
            Written::Defined(12, b"foo (1)")
        );
        assert_eq!(Written::new(b"(12)"), Written::Referred(12));
        for plain in ["(below main)", "()", "(1", "(1x) y", "( 1) y"] {
            assert_eq!(
                Written::new(plain.as_bytes()),
                Written::Plain(plain.as_bytes())
            );
        }
    }

    #[test]
    fn an_id_of_four_thousand_million_costs_no_memory() {
        let mut ids = Ids::within(&Budget::unlimited());
        for id in [1, 2, 4_000_000_000, u64::MAX] {
            ids.define(id, id);
            assert_eq!(ids.find(id), Some(id));
        }
        assert_eq!(ids.find(3), None);
        ids.define(2, 7);
        assert_eq!(ids.find(2), Some(7));
        assert!(ids.dense.len() < 10);
    }
}
