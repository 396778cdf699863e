//! The sums of the spreads of many routes and days.
//!
//! They are added from their bytes: most of a spread is its sketch, and to make one, only
//! to add it, takes longer than the addition.

use std::collections::HashMap;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};

use super::{Sketch, SketchSum, Spread, Spreads, decode_by};

/// The sum of the spreads of a function.
#[derive(Debug, Default)]
struct SpreadSum {
    runs: u64,
    ln: u64,
    ln_squares: u64,
    walls: SketchSum,
}

impl SpreadSum {
    fn add(&mut self, more: &Spread) {
        self.add_moments([more.runs, more.ln, more.ln_squares], 1);
        self.walls.add(&more.walls);
    }

    /// Adds all but the times.
    fn add_moments(&mut self, [runs, ln, ln_squares]: [u64; 3], weight: u64) {
        let add = |sum: &mut u64, more: u64| {
            *sum = sum.saturating_add(more.saturating_mul(weight));
        };
        add(&mut self.runs, runs);
        add(&mut self.ln, ln);
        add(&mut self.ln_squares, ln_squares);
    }

    fn spread(&self) -> Spread {
        Spread {
            runs: self.runs,
            ln: self.ln,
            ln_squares: self.ln_squares,
            walls: self.walls.sketch(),
        }
    }
}

/// The sums of the spreads of functions, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct SpreadSums {
    rows: HashMap<u32, SpreadSum>,
}

impl SpreadSums {
    /// Adds spreads.
    pub(crate) fn add(&mut self, spreads: &Spreads) {
        for (&function, more) in &spreads.rows {
            self.rows.entry(function).or_default().add(more);
        }
    }

    /// Adds spreads that [`encode`](super::encode) wrote, that many times. Their function
    /// number `n` is `names[n]` here, or 0 beyond the end. The times are left out without
    /// `with_times`.
    ///
    /// # Errors
    ///
    /// Damaged bytes, and then a part of them may have been added.
    pub(crate) fn add_encoded(
        &mut self,
        bytes: &[u8],
        names: &[u32],
        weight: u64,
        with_times: bool,
    ) -> crate::Result<()> {
        decode_by(
            bytes,
            Added {
                sums: self,
                names,
                weight,
                with_times,
            },
        )
    }

    /// Adds other sums.
    pub(crate) fn merge(&mut self, other: Self) {
        if self.rows.is_empty() {
            *self = other;
            return;
        }
        for (function, more) in other.rows {
            self.rows.entry(function).or_default().add(&more.spread());
        }
    }

    /// The sum of each function.
    pub(crate) fn into_spreads(self) -> impl Iterator<Item = (u32, Spread)> {
        let rows = self.rows.into_iter();
        rows.map(|(function, sum)| (function, sum.spread()))
    }
}

/// Adds what it reads.
struct Added<'a> {
    sums: &'a mut SpreadSums,
    names: &'a [u32],
    weight: u64,
    with_times: bool,
}

impl<'de> DeserializeSeed<'de> for Added<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct("Columns", Spreads::COLUMNS, self)
    }
}

impl<'de> Visitor<'de> for Added<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the spreads of a day")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut columns: A) -> Result<(), A::Error> {
        let missing = || A::Error::custom("a column is missing");
        let mut functions: Vec<u32> = columns.next_element()?.ok_or_else(missing)?;
        let mut number = 0_u32;
        for function in &mut functions {
            number = number.saturating_add(*function);
            *function = self.names.get(number as usize).copied().unwrap_or(0);
        }
        let mut moments = Vec::with_capacity(3);
        for _ in 0..3 {
            let column: Vec<u64> = columns.next_element()?.ok_or_else(missing)?;
            moments.push(column);
        }
        for (row, function) in functions.iter().enumerate() {
            let at = |column: usize| {
                let column = moments.get(column);
                column
                    .and_then(|column| column.get(row))
                    .copied()
                    .unwrap_or(0)
            };
            let sum = self.sums.rows.entry(*function).or_default();
            sum.add_moments([at(0), at(1), at(2)], self.weight);
        }
        if self.with_times {
            let times = Times {
                sums: self.sums,
                functions: &functions,
                weight: self.weight,
            };
            columns.next_element_seed(times)?.ok_or_else(missing)?;
        }
        Ok(())
    }
}

/// Adds the sketches of these functions.
struct Times<'a> {
    sums: &'a mut SpreadSums,
    functions: &'a [u32],
    weight: u64,
}

impl<'de> DeserializeSeed<'de> for Times<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Times<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sketches")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sketches: A) -> Result<(), A::Error> {
        let mut sketch = Sketch::default();
        let mut functions = self.functions.iter();
        while sketches.next_element_seed(sketch.refilled())?.is_some() {
            if let Some(sum) = functions
                .next()
                .and_then(|number| self.sums.rows.get_mut(number))
            {
                sum.walls.add_times(&sketch, self.weight);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Sign, encode};
    use super::*;

    fn spreads() -> impl Strategy<Value = Spreads> {
        let times = prop::collection::vec(0..1_u64 << 40, 0..80);
        let rows = prop::collection::btree_map(0..9_u32, (times, 0..99_u64, 0..99_u64), 0..6);
        rows.prop_map(|rows| {
            let rows = rows.into_iter().map(|(function, (times, ln, ln_squares))| {
                let mut walls = Sketch::default();
                for time in &times {
                    walls.add(&Sketch::of(*time));
                }
                let runs = times.len() as u64;
                let spread = Spread {
                    runs,
                    ln,
                    ln_squares,
                    walls,
                };
                (function, spread)
            });
            Spreads {
                rows: rows.collect(),
            }
        })
    }

    proptest! {
        #[test]
        fn what_is_added_from_bytes_is_the_sum_of_what_they_hold(
            all in prop::collection::vec((spreads(), 1..4_u64), 0..5),
            with_times in any::<bool>(),
        ) {
            // Two functions have one name, and the last ones have none.
            let names = [5, 9, 9, 2, 3, 7];
            let (mut sums, mut expected) = (SpreadSums::default(), Spreads::default());
            for (spreads, weight) in &all {
                let bytes = encode(spreads).unwrap();
                let mut more = SpreadSums::default();
                more.add_encoded(&bytes, &names, *weight, with_times).unwrap();
                sums.merge(more);
                let mut spreads = spreads.clone().renamed(&names).times(*weight);
                for row in spreads.rows.values_mut().filter(|_| !with_times) {
                    row.walls = Sketch::default();
                }
                for (function, more) in spreads.rows {
                    expected.rows.entry(function).or_default().merge(&more, Sign::Plus);
                }
            }
            let rows = sums.into_spreads().collect();
            prop_assert_eq!(Spreads { rows }, expected);
        }
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let mut sums = SpreadSums::default();
        let mut spreads = Spreads::default();
        spreads.rows.insert(1, Spread::default());
        let bytes = encode(&spreads).unwrap();
        for end in 0..bytes.len() {
            assert!(
                sums.add_encoded(&bytes[..end], &[], 1, true).is_err(),
                "{end}"
            );
        }
        let half = postcard::to_stdvec(&(vec![1_u32], vec![1_u64])).unwrap();
        let half = crate::packed::packed(&half, &[], 3).unwrap();
        assert!(sums.add_encoded(&half, &[], 1, false).is_err());
    }
}
