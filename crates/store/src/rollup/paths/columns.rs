//! Paths as bytes: their rows by column.

use std::fmt;
use std::marker::PhantomData;

use profile::NumberMap;
use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Paths, Row, Shape};
use crate::rollup::columns::sparse;

/// The rows by column. A tree's parents are stored as distances.
#[derive(Serialize)]
struct Columns {
    shape: u8,
    from: Vec<u64>,
    to: Vec<u64>,
    runs: Vec<u64>,
    calls: Vec<u64>,
    wall: Vec<i64>,
    has_cpu: bool,
    /// Wall time less CPU time: zero for most functions.
    waited: Vec<i64>,
    memory: Vec<i64>,
    peak: Vec<i64>,
    ln: Vec<u64>,
}

impl Columns {
    const NAMES: &[&str] = &[
        "shape", "from", "to", "runs", "calls", "wall", "has_cpu", "waited", "memory", "peak", "ln",
    ];
}

impl Serialize for Paths {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = || self.rows.iter();
        let has_cpu = rows().any(|row| row.cpu != 0);
        Columns {
            shape: u8::try_from(self.shape.number()).unwrap_or(0),
            from: (0..)
                .zip(rows())
                .map(|(index, row): (u64, &Row)| {
                    if self.is_edges() {
                        row.from
                    } else {
                        index.saturating_sub(row.from)
                    }
                })
                .collect(),
            to: rows().map(|row| row.to).collect(),
            runs: sparse(rows().map(|row| row.runs).collect()),
            calls: sparse(rows().map(|row| row.calls).collect()),
            wall: sparse(rows().map(|row| row.wall).collect()),
            has_cpu,
            waited: if has_cpu {
                sparse(rows().map(|row| row.wall.wrapping_sub(row.cpu)).collect())
            } else {
                Vec::new()
            },
            memory: sparse(rows().map(|row| row.memory).collect()),
            peak: sparse(rows().map(|row| row.peak).collect()),
            ln: sparse(rows().map(|row| row.ln).collect()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("Columns", Columns::NAMES, Read)
    }
}

/// Reads the columns into the rows: to keep them until all are there takes as long again.
struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Paths;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("paths")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut columns: A) -> Result<Paths, A::Error> {
        let shape = Shape::from_number(i64::from(next::<u8, A>(&mut columns)?));
        let of_parent = |index: usize, from: u64| match shape {
            Shape::Edges => from,
            _ => (index as u64).saturating_sub(from),
        };
        let mut rows: Vec<Row> = Vec::new();
        let from = each(|index, from: u64| {
            rows.push(Row {
                from: of_parent(index, from),
                ..Row::default()
            });
        });
        read(&mut columns, from)?;
        // Only damaged columns differ in their length: this one counts.
        let mut length = 0;
        let to = each(|index, to: u64| {
            length = index + 1;
            match rows.get_mut(index) {
                Some(row) => row.to = to,
                None => rows.push(Row {
                    from: of_parent(index, 0),
                    to,
                    ..Row::default()
                }),
            }
        });
        read(&mut columns, to)?;
        rows.truncate(length);
        read(
            &mut columns,
            of_rows(&mut rows, |row, runs| row.runs = runs),
        )?;
        read(
            &mut columns,
            of_rows(&mut rows, |row, calls| row.calls = calls),
        )?;
        read(
            &mut columns,
            of_rows(&mut rows, |row, wall| row.wall = wall),
        )?;
        if next::<bool, A>(&mut columns)? {
            for row in &mut rows {
                row.cpu = row.wall;
            }
        }
        // Empty without CPU time.
        let waited = |row: &mut Row, waited| row.cpu = row.wall.wrapping_sub(waited);
        read(&mut columns, of_rows(&mut rows, waited))?;
        read(
            &mut columns,
            of_rows(&mut rows, |row, memory| row.memory = memory),
        )?;
        read(
            &mut columns,
            of_rows(&mut rows, |row, peak| row.peak = peak),
        )?;
        read(&mut columns, of_rows(&mut rows, |row, ln| row.ln = ln))?;
        Ok(Paths {
            shape,
            rows,
            // Only a cell that is added to needs it: `indexed`.
            places: NumberMap::default(),
        })
    }
}

/// The next column, if it is one number.
fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(columns: &mut A) -> Result<T, A::Error> {
    let column = columns.next_element()?;
    column.ok_or_else(|| A::Error::custom("a column is missing"))
}

fn read<'de, S: DeserializeSeed<'de, Value = ()>, A: SeqAccess<'de>>(
    columns: &mut A,
    seed: S,
) -> Result<(), A::Error> {
    let column = columns.next_element_seed(seed)?;
    column.ok_or_else(|| A::Error::custom("a column is missing"))
}

/// Takes the numbers of a column that belong to rows.
fn of_rows<'de, T: Deserialize<'de>>(
    rows: &mut [Row],
    set: impl Fn(&mut Row, T),
) -> impl DeserializeSeed<'de, Value = ()> {
    each(move |index, value: T| {
        if let Some(row) = rows.get_mut(index) {
            set(row, value);
        }
    })
}

/// Calls a function with each number of a column, and its place.
struct Each<T, F>(F, PhantomData<T>);

fn each<T, F: FnMut(usize, T)>(call: F) -> Each<T, F> {
    Each(call, PhantomData)
}

impl<'de, T: Deserialize<'de>, F: FnMut(usize, T)> DeserializeSeed<'de> for Each<T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(usize, T)> Visitor<'de> for Each<T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a column")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut column: A) -> Result<(), A::Error> {
        let mut index = 0;
        while let Some(number) = column.next_element()? {
            self.0(index, number);
            index += 1;
        }
        Ok(())
    }
}
