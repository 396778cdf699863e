//! The sums of a cell's spans: statements, requests, commands.

use std::collections::BTreeMap;
use std::fmt;

use profile::{Profile, SpanKind};
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{MAX_COST, Sign};

/// The most texts of a cell. Spans beyond it are added up without a text.
const MAX_TEXTS: usize = 2_000;

/// The sums of the spans of one kind and text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SpanRow {
    pub(crate) runs: u64,
    pub(crate) calls: u64,
    pub(crate) wall: u64,
    /// Not a sum: deleting a run does not lower it.
    pub(crate) max: u64,
    pub(crate) rows: u64,
}

/// The sums of all spans of a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SpanSums {
    pub(crate) rows: BTreeMap<(u32, Vec<u8>), SpanRow>,
}

impl SpanSums {
    /// Those of one run.
    pub(crate) fn of(profile: &Profile) -> Self {
        let mut sums = Self::default();
        for group in profile.spans.groups() {
            let key = (group.kind.number(), group.text.to_vec());
            let row = sums.rows.entry(key).or_default();
            row.runs = 1;
            row.calls = row.calls.saturating_add(group.calls).min(MAX_COST);
            row.wall = row.wall.saturating_add(group.total).min(MAX_COST);
            row.max = row.max.max(group.max);
            let rows = row.rows.saturating_add(group.rows.unwrap_or(0));
            row.rows = rows.min(MAX_COST);
        }
        sums
    }

    /// How many statements of SQL there were.
    pub(crate) fn sql_calls(&self) -> u64 {
        let of_sql = self.rows.iter().filter(|((kind, _), _)| is_sql(*kind));
        of_sql.map(|(_, row)| row.calls).sum()
    }

    /// All sums that many times.
    pub(crate) fn times(mut self, weight: u64) -> Self {
        for row in self.rows.values_mut() {
            for sum in [&mut row.runs, &mut row.calls, &mut row.wall, &mut row.rows] {
                *sum = sum.saturating_mul(weight);
            }
        }
        self
    }

    /// Adds or subtracts others.
    pub(crate) fn merge(&mut self, other: &Self, sign: Sign) {
        for ((kind, text), more) in &other.rows {
            let mut key = (*kind, text.clone());
            if !self.rows.contains_key(&key) {
                if sign == Sign::Minus {
                    continue;
                }
                if self.rows.len() >= MAX_TEXTS {
                    key.1.clear();
                }
            }
            let row = self.rows.entry(key.clone()).or_default();
            row.runs = sign.count(row.runs, more.runs);
            row.calls = sign.count(row.calls, more.calls);
            row.wall = sign.count(row.wall, more.wall);
            row.rows = sign.count(row.rows, more.rows);
            row.max = row.max.max(more.max);
            if row.runs == 0 {
                self.rows.remove(&key);
            }
        }
    }
}

/// Reads [`SpanSums::sql_calls`] of the sums of a cell, and keeps nothing else of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SqlCalls;

impl<'de> DeserializeSeed<'de> for SqlCalls {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_struct("SpanSums", &["rows"], self)
    }
}

impl<'de> Visitor<'de> for SqlCalls {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sums of spans")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<u64, A::Error> {
        let rows = fields.next_element_seed(Rows)?;
        rows.ok_or_else(|| A::Error::custom("the rows are missing"))
    }
}

/// The rows of [`SpanSums`], of which only the statements are counted.
struct Rows;

impl<'de> DeserializeSeed<'de> for Rows {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Rows {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rows of spans")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut rows: A) -> Result<u64, A::Error> {
        let mut calls: u64 = 0;
        // Bytes are written as `Vec<u8>` is.
        while let Some(((kind, _), row)) = rows.next_entry::<(u32, &[u8]), SpanRow>()? {
            if is_sql(kind) {
                calls = calls.saturating_add(row.calls);
            }
        }
        Ok(calls)
    }
}

fn is_sql(kind: u32) -> bool {
    kind_name(kind) == "sql"
}

/// The name of a kind of spans.
pub(crate) fn kind_name(number: u32) -> &'static str {
    SpanKind::from_number(number).name()
}
