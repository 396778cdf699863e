//! How the times of a function differ between the runs of one route and day.
//!
//! The sums of a function follow from those of its paths. These do not: how
//! many runs called it, and the quantiles of its times.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use profile::{FlatTable, Profile};
use serde::{Deserialize, Serialize};

use super::{Sign, Sketch, log_own};

/// The most functions of a day. Those beyond it have sums only.
const MAX_FUNCTIONS: usize = 50_000;

/// The spread of one function's times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spread {
    /// The runs that called it.
    pub(crate) runs: u64,
    /// The logarithms of the runs' self times, and their squares.
    pub(crate) ln: u64,
    pub(crate) ln_squares: u64,
    /// The runs' wall times with callees.
    pub(crate) walls: Sketch,
}

impl Spread {
    /// That many times.
    pub(crate) fn times(mut self, weight: u64) -> Self {
        if weight != 1 {
            for sum in [&mut self.runs, &mut self.ln, &mut self.ln_squares] {
                *sum = sum.saturating_mul(weight);
            }
            self.walls = self.walls.times(weight);
        }
        self
    }

    /// Adds or subtracts another.
    pub(crate) fn merge(&mut self, other: &Self, sign: Sign) {
        self.runs = sign.count(self.runs, other.runs);
        self.ln = sign.count(self.ln, other.ln);
        self.ln_squares = sign.count(self.ln_squares, other.ln_squares);
        self.walls.merge(&other.walls, sign);
    }
}

/// The spreads of all functions of a day, by the numbers of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spreads {
    pub(crate) rows: BTreeMap<u32, Spread>,
}

impl Spreads {
    /// The columns as they are written.
    pub(super) const COLUMNS: &[&str] = &["name", "runs", "ln", "ln_squares", "walls"];

    /// Those of one run, by its symbols, until [`renamed`](Self::renamed).
    pub(crate) fn of(profile: &Profile) -> Self {
        let flat = FlatTable::new(profile);
        let rows = flat.rows.iter().map(|row| {
            let ln = log_own(row.own.wall);
            let spread = Spread {
                runs: 1,
                ln,
                ln_squares: ln * ln,
                walls: Sketch::of(row.inclusive.wall),
            };
            (row.symbol.0, spread)
        });
        Self {
            rows: rows.collect(),
        }
    }

    /// The runs: the root is in all of them.
    pub(crate) fn runs(&self) -> u64 {
        self.rows.values().map(|row| row.runs).max().unwrap_or(0)
    }

    /// An estimate of the buckets in memory: the first function, in nearly all stores the
    /// root, has the most.
    pub(crate) fn size(&self) -> usize {
        let first = self.rows.values().next();
        self.rows.len() * (8 + first.map_or(0, |row| row.walls.buckets()))
    }

    /// With each function's number replaced.
    pub(crate) fn renamed(self, names: &[u32]) -> Self {
        let mut renamed = Self::default();
        for (symbol, spread) in self.rows {
            let name = names.get(symbol as usize).copied().unwrap_or(0);
            match renamed.rows.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(spread);
                }
                Entry::Occupied(mut row) => row.get_mut().merge(&spread, Sign::Plus),
            }
        }
        renamed
    }

    /// The same without the runs' wall times.
    pub(crate) fn without_times(&self) -> Self {
        let rows = self.rows.iter().map(|(&name, row)| {
            let spread = Spread {
                walls: Sketch::default(),
                ..*row
            };
            (name, spread)
        });
        Self {
            rows: rows.collect(),
        }
    }

    /// All of them that many times.
    pub(crate) fn times(mut self, weight: u64) -> Self {
        if weight != 1 {
            for row in self.rows.values_mut() {
                *row = std::mem::take(row).times(weight);
            }
        }
        self
    }

    /// Adds or subtracts others.
    pub(crate) fn merge(&mut self, other: &Self, sign: Sign) {
        for (&name, spread) in &other.rows {
            if let Some(row) = self.rows.get_mut(&name) {
                row.merge(spread, sign);
                if row.runs == 0 {
                    self.rows.remove(&name);
                }
            } else if sign == Sign::Plus && self.rows.len() < MAX_FUNCTIONS {
                self.rows.insert(name, spread.clone());
            }
        }
    }
}

/// The rows by column; names as distances.
#[derive(Deserialize)]
struct Columns {
    name: Vec<u32>,
    runs: Vec<u64>,
    ln: Vec<u64>,
    ln_squares: Vec<u64>,
    walls: Vec<Sketch>,
}

/// The same, to be written: most of it is sketches, which are not copied.
#[derive(Serialize)]
struct Borrowed<'r> {
    name: Vec<u32>,
    runs: Vec<u64>,
    ln: Vec<u64>,
    ln_squares: Vec<u64>,
    walls: Vec<&'r Sketch>,
}

impl Serialize for Spreads {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = || self.rows.values();
        let mut last = 0;
        let mut distance = |name: u32| name - std::mem::replace(&mut last, name);
        Borrowed {
            name: self.rows.keys().map(|&name| distance(name)).collect(),
            runs: rows().map(|row| row.runs).collect(),
            ln: rows().map(|row| row.ln).collect(),
            ln_squares: rows().map(|row| row.ln_squares).collect(),
            walls: rows().map(|row| &row.walls).collect(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Spreads {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut columns = Columns::deserialize(deserializer)?;
        let at = |column: &[u64], index: usize| column.get(index).copied().unwrap_or(0);
        let mut name = 0_u32;
        let mut rows = BTreeMap::new();
        for (index, distance) in columns.name.iter().enumerate() {
            name = name.saturating_add(*distance);
            let walls = columns.walls.get_mut(index).map(std::mem::take);
            let spread = Spread {
                runs: at(&columns.runs, index),
                ln: at(&columns.ln, index),
                ln_squares: at(&columns.ln_squares, index),
                walls: walls.unwrap_or_default(),
            };
            rows.insert(name, spread);
        }
        Ok(Self { rows })
    }
}
