//! The call graph: functions above a threshold, and the calls between them.
//!
//! The front end lays it out; which functions are in it is decided here.

use std::cmp::Reverse;

use profile::{Metric, SymbolId};
use serde::{Deserialize, Serialize};

use crate::calls::{critical_steps, pairs};
use crate::names::{self, Origin};
use crate::{Costs, Document, MetricName};

/// How much of the graph to show.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct GraphQuery {
    /// The metric that decides.
    pub metric: MetricName,
    /// Functions with at least this share of the profile, in percent, with
    /// their callees. Of calls, those of the critical path, too.
    pub threshold: f64,
    /// How many functions at most, up to 200.
    pub most: u32,
}

impl Default for GraphQuery {
    fn default() -> Self {
        Self {
            metric: MetricName::Wall,
            threshold: 1.0,
            most: 60,
        }
    }
}

/// A part of the call graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Graph {
    /// The functions, the costliest first.
    pub nodes: Vec<GraphNode>,
    /// The calls between them, the costliest first.
    pub edges: Vec<GraphEdge>,
    /// How many functions are not shown.
    pub omitted: u32,
    /// The cost of the profile, for shares.
    pub total: Costs,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct GraphNode {
    /// Its number in this document.
    pub function: u32,
    /// Its name.
    pub name: String,
    /// Which part of the program it belongs to.
    pub origin: Origin,
    /// Its cost with callees.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub inclusive: i64,
    /// Its cost without callees.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub own: i64,
    /// Its calls.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
    /// Whether it is on the critical path.
    pub critical: bool,
}

/// Calls of one function by another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GraphEdge {
    /// The caller's number.
    pub from: u32,
    /// The callee's number.
    pub to: u32,
    /// The cost of the calls, with all callees.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub inclusive: i64,
    /// The calls.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
    /// Whether it is on the critical path.
    pub critical: bool,
}

pub(crate) fn graph(document: &Document, query: &GraphQuery) -> Graph {
    let metric: Metric = query.metric.into();
    let path = critical_steps(document, metric);
    let steps: Vec<SymbolId> = path.iter().map(|step| step.symbol).collect();
    let is_step = |from: SymbolId, to: SymbolId| steps.windows(2).any(|step| step == [from, to]);
    let profile = document.profile();
    let flat = &document.index().flat;
    let total = document.whole();
    #[expect(clippy::cast_precision_loss, reason = "a threshold in percent")]
    let least = total.of(metric) as f64 * query.threshold.clamp(0.0, 100.0) / 100.0;
    #[expect(clippy::cast_precision_loss, reason = "a threshold in percent")]
    let mut rows: Vec<_> = flat
        .rows
        .iter()
        .filter(|row| {
            // Callers are called less often: the way to what is called most would be missing.
            metric.of(&row.inclusive) as f64 >= least
                || metric == Metric::Calls && steps.contains(&row.symbol)
        })
        .collect();
    rows.sort_by_key(|row| (Reverse(metric.of(&row.inclusive)), row.symbol));
    rows.truncate(query.most.clamp(1, 200) as usize);
    let mut shown = vec![false; profile.symbols.len()];
    for row in &rows {
        shown[row.symbol.index()] = true;
    }
    let mut edges: Vec<_> = pairs(document, |symbol| shown[symbol.index()])
        .into_iter()
        .map(|pair| GraphEdge {
            from: pair.caller.0,
            to: pair.callee.0,
            inclusive: metric.of(&pair.cost),
            calls: pair.cost.calls,
            critical: is_step(pair.caller, pair.callee),
        })
        .collect();
    edges.sort_by_key(|edge| (Reverse(edge.inclusive), edge.from, edge.to));
    Graph {
        omitted: u32::try_from(flat.rows.len() - rows.len()).unwrap_or(u32::MAX),
        nodes: rows
            .iter()
            .map(|row| {
                let symbol = &profile.symbols[row.symbol.index()];
                GraphNode {
                    function: row.symbol.0,
                    name: names::text(&symbol.name),
                    origin: names::origin(symbol),
                    inclusive: metric.of(&row.inclusive),
                    own: metric.of_own(&row.own, row.inclusive.calls),
                    calls: row.inclusive.calls,
                    critical: steps.contains(&row.symbol),
                }
            })
            .collect(),
        edges,
        total,
    }
}
