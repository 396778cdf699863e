//! One function: what it cost, who calls it, what it calls.

use std::cmp::Reverse;

use profile::{Cost, Metric, Neighbour};
use serde::{Deserialize, Serialize};

use crate::calls::{Neighbourhood, neighbourhood};
use crate::functions::{FunctionRow, function_row};
use crate::names::{self, Origin};
use crate::{Costs, Document, Error, MetricName};

/// Which function, and in which order its neighbours come.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FunctionQuery {
    /// The function's number, as other answers have it.
    pub function: u32,
    /// The metric that sorts callers and callees.
    #[serde(default)]
    pub metric: MetricName,
}

/// One function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FunctionPage {
    /// Its costs.
    pub row: FunctionRow,
    /// The cost of the profile, for shares.
    pub total: Costs,
    /// The file that defines it, if known.
    pub file: Option<String>,
    /// The line that it begins at; zero if unknown.
    pub line: u32,
    /// How deep it calls itself; zero if it does not.
    pub recursion: u32,
    /// How many call paths lead to it; zero if stacks are not known.
    pub paths: u32,
    /// The functions that call it, the costliest first.
    pub callers: Vec<NeighbourRow>,
    /// The functions that it calls, the costliest first.
    pub callees: Vec<NeighbourRow>,
}

/// A caller or a callee.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NeighbourRow {
    /// Its number in this document.
    pub function: u32,
    /// Its name.
    pub name: String,
    /// Which part of the program it belongs to.
    pub origin: Origin,
    /// The calls between the two, and what they cost with all callees.
    pub costs: Costs,
}

impl Document {
    /// What [`Question::Function`](crate::Question) answers.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownFunction`].
    pub fn function(&self, query: &FunctionQuery) -> Result<FunctionPage, Error> {
        function(self, query)
    }
}

pub(crate) fn function(document: &Document, query: &FunctionQuery) -> Result<FunctionPage, Error> {
    let id = document.symbol(query.function)?;
    let index = document.index();
    let symbol = &document.profile().symbols[id.index()];
    let Some(row) = index.row(id) else {
        return Err(Error::UnknownFunction(names::text(&symbol.name)));
    };
    let Neighbourhood {
        neighbours,
        recursion,
    } = neighbourhood(document, id);
    Ok(FunctionPage {
        row: function_row(document, row),
        total: document.whole(),
        file: symbol.file.as_deref().map(names::text),
        line: symbol.line,
        recursion,
        paths: index.tree.as_ref().map_or(0, |tree| {
            u32::try_from(tree.nodes_of(id).len()).unwrap_or(u32::MAX)
        }),
        callers: rows(document, neighbours.callers, query.metric.into()),
        callees: rows(document, neighbours.callees, query.metric.into()),
    })
}

fn rows(document: &Document, neighbours: Vec<Neighbour>, metric: Metric) -> Vec<NeighbourRow> {
    let mut neighbours = neighbours;
    let name = |neighbour: &Neighbour| document.profile().name(neighbour.symbol);
    let size = |cost: &Cost| Reverse((metric.of(cost), cost.calls));
    neighbours.sort_by(|a, b| {
        let by_size = size(&a.cost).cmp(&size(&b.cost));
        by_size.then_with(|| name(a).cmp(name(b)))
    });
    let row = |neighbour: Neighbour| {
        let symbol = &document.profile().symbols[neighbour.symbol.index()];
        NeighbourRow {
            function: neighbour.symbol.0,
            name: names::text(&symbol.name),
            origin: names::origin(symbol),
            costs: Costs::inclusive(&neighbour.cost),
        }
    };
    neighbours.into_iter().map(row).collect()
}
