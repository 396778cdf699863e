//! Reads a part of the spreads of a day: the sketches are most of them, and most
//! questions need none, or one.

use std::fmt;

use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Sketch, Spread, Spreads};

/// Reads the spreads without their sketches, which are most of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments;

impl<'de> DeserializeSeed<'de> for Moments {
    type Value = Spreads;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_struct("Columns", Spreads::COLUMNS, self)
    }
}

impl<'de> Visitor<'de> for Moments {
    type Value = Spreads;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the spreads of a day")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut columns: A) -> Result<Self::Value, A::Error> {
        let mut spreads = Spreads::default();
        let names: Vec<u32> = column(&mut columns)?;
        let runs: Vec<u64> = column(&mut columns)?;
        let ln: Vec<u64> = column(&mut columns)?;
        let ln_squares: Vec<u64> = column(&mut columns)?;
        let at = |column: &[u64], index: usize| column.get(index).copied().unwrap_or(0);
        let mut name = 0_u32;
        for (index, distance) in names.iter().enumerate() {
            name = name.saturating_add(*distance);
            let spread = Spread {
                runs: at(&runs, index),
                ln: at(&ln, index),
                ln_squares: at(&ln_squares, index),
                walls: Sketch::default(),
            };
            spreads.rows.insert(name, spread);
        }
        Ok(spreads)
    }
}

/// The next column.
fn column<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(columns: &mut A) -> Result<T, A::Error> {
    let column = columns.next_element()?;
    column.ok_or_else(|| A::Error::custom("a column is missing"))
}

/// Reads the spread of one function; the sketches before it are passed over, and
/// what follows is not read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OneSpread(pub(crate) u32);

impl<'de> DeserializeSeed<'de> for OneSpread {
    type Value = Option<Spread>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_struct("Columns", Spreads::COLUMNS, self)
    }
}

impl<'de> Visitor<'de> for OneSpread {
    type Value = Option<Spread>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the spreads of a day")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut columns: A) -> Result<Self::Value, A::Error> {
        let names: Vec<u32> = column(&mut columns)?;
        let mut name = 0_u32;
        let place = names.iter().position(|distance| {
            name = name.saturating_add(*distance);
            name == self.0
        });
        let Some(place) = place else {
            return Ok(None);
        };
        let mut number = || -> Result<u64, A::Error> {
            let column: Vec<u64> = column(&mut columns)?;
            Ok(column.get(place).copied().unwrap_or(0))
        };
        Ok(Some(Spread {
            runs: number()?,
            ln: number()?,
            ln_squares: number()?,
            walls: columns
                .next_element_seed(Nth(place))?
                .flatten()
                .unwrap_or_default(),
        }))
    }
}

/// One sketch of many.
struct Nth(usize);

impl<'de> DeserializeSeed<'de> for Nth {
    type Value = Option<Sketch>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Nth {
    type Value = Option<Sketch>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sketches")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sketches: A) -> Result<Self::Value, A::Error> {
        for _ in 0..self.0 {
            sketches.next_element::<PassedOver>()?;
        }
        sketches.next_element()
    }
}

/// The buckets of a sketch that is not wanted.
struct PassedOver;

impl<'de> Deserialize<'de> for PassedOver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self)
    }
}

impl<'de> Visitor<'de> for PassedOver {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("buckets")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut buckets: A) -> Result<Self, A::Error> {
        while buckets.next_element::<(u64, u64)>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spread_is_read_as_it_is_among_all() {
        let spread = |runs: u64| {
            let mut walls = Sketch::default();
            for run in 0..runs {
                walls.add(&Sketch::of(1000 * (run % 7) + 50));
            }
            Spread {
                runs,
                ln: 3 * runs,
                ln_squares: 9 * runs,
                walls,
            }
        };
        let names = [3, 4, 90, 1000];
        let rows = names.iter().map(|&name| (name, spread(u64::from(name))));
        let all = Spreads {
            rows: rows.collect(),
        };
        let bytes = postcard::to_stdvec(&all).unwrap();
        let one = |name| {
            let mut deserializer = postcard::Deserializer::from_bytes(&bytes);
            OneSpread(name).deserialize(&mut deserializer).unwrap()
        };
        for name in names {
            assert_eq!(one(name).as_ref(), all.rows.get(&name), "{name}");
        }
        for name in [0, 5, 1001] {
            assert_eq!(one(name), None, "{name}");
        }
        let mut deserializer = postcard::Deserializer::from_bytes(&bytes);
        let moments = Moments.deserialize(&mut deserializer).unwrap();
        let mut without = all.clone();
        for row in without.rows.values_mut() {
            row.walls = Sketch::default();
        }
        assert_eq!(moments, without);
        let mut cut = postcard::Deserializer::from_bytes(&bytes[..bytes.len() / 2]);
        assert!(OneSpread(1000).deserialize(&mut cut).is_err());
    }
}
