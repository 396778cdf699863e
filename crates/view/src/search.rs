//! Functions by name.

use profile::{FlatRow, Metric};
use serde::{Deserialize, Serialize};

use crate::functions::{FunctionRow, function_row};
use crate::pattern::Pattern;
use crate::{Costs, Document, MetricName};

/// What to look for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchQuery {
    /// Part of a name, in any case.
    pub text: String,
    /// The metric that sorts what is found.
    #[serde(default)]
    pub metric: MetricName,
    /// How many functions to return at most.
    #[serde(default = "most")]
    pub most: u32,
}

fn most() -> u32 {
    100
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchResult {
    /// How many functions match.
    pub matches: u32,
    /// What all that match cost together, with their callees; nothing is counted
    /// twice. None if stacks are not known.
    #[cfg_attr(feature = "typescript", ts(type = "number | null"))]
    pub covered: Option<i64>,
    /// The cost of the profile, for shares.
    pub total: Costs,
    /// The costliest that match.
    pub rows: Vec<FunctionRow>,
}

pub(crate) fn search(document: &Document, query: &SearchQuery) -> SearchResult {
    let profile = document.profile();
    let index = document.index();
    let metric: Metric = query.metric.into();
    let pattern = Pattern::of_search(&query.text);
    let is_found = |row: &&FlatRow| {
        pattern
            .as_ref()
            .is_some_and(|pattern| pattern.matches(profile.name(row.symbol)))
    };
    let mut found: Vec<_> = index.flat.rows.iter().filter(is_found).collect();
    found.sort_by_key(|row| std::cmp::Reverse(metric.of(&row.inclusive)));
    let covered = index.tree.as_ref().map(|tree| {
        let mut wanted = vec![false; profile.symbols.len()];
        for row in &found {
            wanted[row.symbol.index()] = true;
        }
        let nodes = tree.count();
        let (mut node, mut covered) = (0, 0_i64);
        while node < nodes {
            if wanted[tree.symbol(node).index()] {
                covered = covered.saturating_add(tree.value(node, metric));
                node = tree.end(node);
            } else {
                node += 1;
            }
        }
        covered
    });
    SearchResult {
        matches: u32::try_from(found.len()).unwrap_or(u32::MAX),
        covered,
        total: document.whole(),
        rows: found
            .into_iter()
            .take(query.most.min(1_000) as usize)
            .map(|row| function_row(document, row))
            .collect(),
    }
}
