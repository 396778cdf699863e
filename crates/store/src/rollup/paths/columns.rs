//! Paths as bytes: their rows by column.

use profile::NumberMap;
use serde::{Deserialize, Serialize};

use super::{Paths, Row, Shape};
use crate::rollup::columns::sparse;

/// The rows by column. A tree's parents are stored as distances.
#[derive(Serialize, Deserialize)]
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
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let columns = Columns::deserialize(deserializer)?;
        let shape = Shape::from_number(i64::from(columns.shape));
        let mut rows = Vec::with_capacity(columns.to.len());
        for (index, &to) in columns.to.iter().enumerate() {
            fn at<T: Copy + Default>(column: &[T], index: usize) -> T {
                column.get(index).copied().unwrap_or_default()
            }
            let from = at(&columns.from, index);
            rows.push(Row {
                from: if shape == Shape::Edges {
                    from
                } else {
                    (index as u64).saturating_sub(from)
                },
                to,
                runs: at(&columns.runs, index),
                calls: at(&columns.calls, index),
                wall: at(&columns.wall, index),
                cpu: if columns.has_cpu {
                    at(&columns.wall, index).wrapping_sub(at(&columns.waited, index))
                } else {
                    0
                },
                memory: at(&columns.memory, index),
                peak: at(&columns.peak, index),
                ln: at(&columns.ln, index),
            });
        }
        Ok(Self {
            shape,
            rows,
            // Only a cell that is added to needs it: `indexed`.
            places: NumberMap::default(),
        })
    }
}
