//! The sums of each function in each part of a sum, such as the routes of an
//! application.
//!
//! The paths of a sum of many routes do not say on which of them a function was called.
//! A question about one function reads only its bytes.

use std::collections::BTreeMap;

use serde::de::{DeserializeSeed, Error};
use serde::{Deserialize, Deserializer, Serialize};

use super::FunctionSums;
use super::columns::sparse;

/// The sums of one function, with the numbers of the parts that called it, in their order.
pub(crate) type OfParts = Vec<(u32, FunctionSums)>;

/// The sums of all functions, by their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FunctionParts {
    rows: BTreeMap<u32, OfParts>,
}

impl FunctionParts {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds what a function has in a part: parts come one after the other.
    pub(crate) fn add(&mut self, function: u32, part: u32, sums: FunctionSums) {
        self.rows.entry(function).or_default().push((part, sums));
    }
}

/// The parts of one function by column; their numbers as distances.
#[derive(Serialize, Deserialize)]
struct Columns {
    part: Vec<u32>,
    calls: Vec<u64>,
    wall: Vec<u64>,
    cpu: Vec<u64>,
    memory: Vec<i64>,
    own_wall: Vec<i64>,
    own_cpu: Vec<i64>,
    own_memory: Vec<i64>,
}

impl Columns {
    fn of(parts: &OfParts) -> Self {
        let mut last = 0;
        let mut distance = |part: u32| part.wrapping_sub(std::mem::replace(&mut last, part));
        let sums = || parts.iter().map(|(_, sums)| sums);
        Self {
            part: parts.iter().map(|(part, _)| distance(*part)).collect(),
            calls: sparse(sums().map(|sums| sums.calls).collect()),
            wall: sparse(sums().map(|sums| sums.wall).collect()),
            cpu: sparse(sums().map(|sums| sums.cpu).collect()),
            memory: sparse(sums().map(|sums| sums.memory).collect()),
            own_wall: sparse(sums().map(|sums| sums.own_wall).collect()),
            own_cpu: sparse(sums().map(|sums| sums.own_cpu).collect()),
            own_memory: sparse(sums().map(|sums| sums.own_memory).collect()),
        }
    }

    fn parts(&self) -> OfParts {
        fn at<T: Copy + Default>(column: &[T], index: usize) -> T {
            column.get(index).copied().unwrap_or_default()
        }
        let mut part = 0_u32;
        let parts = self.part.iter().enumerate().map(|(index, distance)| {
            part = part.wrapping_add(*distance);
            let sums = FunctionSums {
                calls: at(&self.calls, index),
                wall: at(&self.wall, index),
                cpu: at(&self.cpu, index),
                memory: at(&self.memory, index),
                own_wall: at(&self.own_wall, index),
                own_cpu: at(&self.own_cpu, index),
                own_memory: at(&self.own_memory, index),
            };
            (part, sums)
        });
        parts.collect()
    }
}

impl Serialize for FunctionParts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error;
        let rows = self.rows.iter().map(|(function, parts)| {
            let bytes = postcard::to_stdvec(&Columns::of(parts)).map_err(S::Error::custom)?;
            Ok((*function, bytes))
        });
        let rows: Result<Vec<(u32, Vec<u8>)>, S::Error> = rows.collect();
        rows?.serialize(serializer)
    }
}

/// Reads the rows of the functions that are wanted.
fn rows_of<'de, D: Deserializer<'de>>(
    deserializer: D,
    is_wanted: impl Fn(u32) -> bool,
) -> Result<BTreeMap<u32, OfParts>, D::Error> {
    let rows = Vec::<(u32, &'de [u8])>::deserialize(deserializer)?;
    let rows = rows
        .into_iter()
        .filter(|(function, _)| is_wanted(*function));
    let rows = rows.map(|(function, bytes)| {
        let columns: Columns = postcard::from_bytes(bytes).map_err(D::Error::custom)?;
        Ok((function, columns.parts()))
    });
    rows.collect()
}

impl<'de> Deserialize<'de> for FunctionParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = rows_of(deserializer, |_| true)?;
        Ok(Self { rows })
    }
}

/// Reads the parts of one function; none if no part called it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OneFunction(pub(crate) u32);

impl<'de> DeserializeSeed<'de> for OneFunction {
    type Value = OfParts;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let mut rows = rows_of(deserializer, |function| function == self.0)?;
        Ok(rows.remove(&self.0).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{decode, decode_by, encode};
    use super::*;

    fn sums(number: u64) -> FunctionSums {
        FunctionSums {
            calls: number,
            wall: 7 * number,
            memory: 50 - number.cast_signed(),
            own_wall: 3 * number.cast_signed(),
            ..FunctionSums::default()
        }
    }

    #[test]
    fn one_function_is_read_as_it_is_among_all() {
        let mut all = FunctionParts::default();
        for part in [0, 3, 4, 700] {
            for function in [0, 2, 900] {
                if part != function {
                    all.add(function, part, sums(u64::from(part + function)));
                }
            }
        }
        let bytes = encode(&all).unwrap();
        assert_eq!(decode::<FunctionParts>(&bytes).unwrap(), all);
        let of_0 = [3, 4, 700].map(|part| (part, sums(u64::from(part))));
        assert_eq!(decode_by(&bytes, OneFunction(0)).unwrap(), of_0);
        for function in [2, 900] {
            let parts = decode_by(&bytes, OneFunction(function)).unwrap();
            assert_eq!(Some(&parts), all.rows.get(&function));
        }
        assert_eq!(decode_by(&bytes, OneFunction(1)).unwrap(), []);
        assert!(decode_by(&bytes[..bytes.len() / 2], OneFunction(0)).is_err());
        let nothing = encode(&FunctionParts::default()).unwrap();
        assert_eq!(decode_by(&nothing, OneFunction(0)).unwrap(), []);
    }
}
