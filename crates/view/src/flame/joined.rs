//! What a joined box holds: the callees that were too narrow to be seen.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::layout::{Arranged, Opened};
use super::{Arrangement, Use, with_arranged};
use crate::names::{self, Origin};
use crate::{Document, Error, MetricName};

/// Which joined box.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JoinedQuery {
    /// What stands below what, as in the flame graph.
    pub arrangement: Arrangement,
    /// The metric of the flame graph.
    #[serde(default)]
    pub metric: MetricName,
    /// The functions from below the root to the box above the joined one; empty
    /// for the root.
    pub path: Vec<u32>,
    /// [`FlameBoxes::first`](super::FlameBoxes::first) of the joined box.
    pub first: u32,
    /// [`FlameBoxes::joined`](super::FlameBoxes::joined) of the joined box.
    pub count: u32,
    /// How many rows to return at most.
    #[serde(default = "most")]
    pub most: u32,
}

fn most() -> u32 {
    100
}

/// What a joined box holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Joined {
    /// The value of the whole graph, for shares.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub total: i64,
    /// The value of all boxes that were joined.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub value: i64,
    /// The boxes, the widest first. The path to one of them is that of the
    /// question and its function: it can be zoomed into.
    pub rows: Vec<JoinedRow>,
    /// How many boxes are left out.
    pub omitted: u32,
}

/// A box that was joined.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct JoinedRow {
    /// Its function's number in this document.
    pub function: u32,
    /// The function's name.
    pub name: String,
    /// Which part of the program it belongs to.
    pub origin: Origin,
    /// Its value.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub value: i64,
    /// Its value in the base; none if nothing is compared.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub base: Option<i64>,
    /// The part of the value that is not its callees'.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub own: i64,
    /// Number of calls.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
}

pub(crate) fn joined(document: &Document, query: &JoinedQuery) -> Result<Joined, Error> {
    with_arranged(
        document,
        query.arrangement,
        query.metric,
        Open { document, query },
    )
}

struct Open<'a> {
    document: &'a Document,
    query: &'a JoinedQuery,
}

impl Use for Open<'_> {
    type Answer = Joined;

    fn with<T: Arranged>(self, tree: &T) -> Result<Joined, Error> {
        let query = self.query;
        let root = tree.root();
        let total = root.value;
        let mut at = root;
        for function in &query.path {
            let mut below = tree.below(&at.place).into_iter();
            at = below
                .find(|opened| opened.symbol.0 == *function)
                .ok_or(Error::UnknownNode)?;
        }
        let below = tree.below(&at.place).into_iter();
        let below = below.skip(query.first as usize).take(query.count as usize);
        let mut boxes: Vec<_> = below.collect();
        if boxes.is_empty() {
            return Err(Error::UnknownNode);
        }
        let value = boxes
            .iter()
            .fold(0_i64, |sum, opened| sum.saturating_add(opened.value));
        boxes.sort_by_key(|opened| Reverse(opened.width));
        let most = query.most.clamp(1, 1_000) as usize;
        let omitted = boxes.len().saturating_sub(most);
        boxes.truncate(most);
        Ok(Joined {
            total,
            value,
            rows: boxes.iter().map(|opened| self.row(opened)).collect(),
            omitted: u32::try_from(omitted).unwrap_or(u32::MAX),
        })
    }
}

impl Open<'_> {
    fn row<P>(&self, opened: &Opened<P>) -> JoinedRow {
        let symbol = &self.document.profile().symbols[opened.symbol.index()];
        JoinedRow {
            function: opened.symbol.0,
            name: names::text(&symbol.name),
            origin: names::origin(symbol),
            value: opened.value,
            base: opened.base,
            own: opened.own,
            calls: opened.calls,
        }
    }
}
