//! The path that always follows the costliest callee.

use profile::Metric;
use serde::Serialize;

use crate::calls::critical_steps;
use crate::names::{self, Origin};
use crate::{Costs, Document};

/// The path, from `main()` on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CriticalPath {
    /// The cost of the profile, for shares.
    pub total: Costs,
    /// The steps.
    pub steps: Vec<CriticalStep>,
}

/// One function on the path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CriticalStep {
    /// Its number in this document.
    pub function: u32,
    /// Its name.
    pub name: String,
    /// Which part of the program it belongs to.
    pub origin: Origin,
    /// What it cost on this path, with its callees.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub value: i64,
    /// Its calls on this path.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
}

pub(crate) fn critical_path(document: &Document, metric: Metric) -> CriticalPath {
    let steps = critical_steps(document, metric);
    CriticalPath {
        total: document.whole(),
        steps: steps
            .into_iter()
            .map(|step| CriticalStep {
                function: step.symbol.0,
                name: document.name(step.symbol),
                origin: names::origin(&document.profile().symbols[step.symbol.index()]),
                value: metric.of(&step.cost),
                calls: step.cost.calls,
            })
            .collect(),
    }
}
