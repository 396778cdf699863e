//! Flame graphs: stacks as boxes whose width is their cost.
//!
//! One graph is a picture for any page (SVG), one is a page of its own (HTML),
//! and one is part of the report. All draw the boxes that `graph` picks from
//! the call tree.
//!
//! **Invariant:** the boxes called from one box are together never wider than
//! that box, and the root has the total cost: leaving out small boxes loses no
//! cost.

mod caption;

mod colours;
pub(crate) mod data;
mod graph;
pub(crate) mod html;
mod labels;
mod stacks;
mod svg;
mod tooltip;
mod units;
mod xml;

use profile::{Metric, Profile};

pub use caption::moment;
pub(crate) use caption::title;
pub(crate) use graph::{Graph, Wanted};
pub(crate) use stacks::{Stacks, has_stacks};
pub(crate) use tooltip::name as shown_name;
pub(crate) use units::{
    amount as metric_amount, percent as metric_percent, title as metric_title, unit as metric_unit,
};

use crate::FlamePer;
use crate::format::{Format, Holds, Writes};

/// The flame graph as an SVG.
pub const FLAMEGRAPH_SVG: Format = Format {
    id: "flamegraph",
    name: "flame graph (SVG)",
    endings: &["svg"],
    warning: None,
    reads: None,
    writes: Some(Writes {
        holds: Holds::Stacks,
        all_metrics: false,
        has_threshold: false,
        write: svg::write,
    }),
};

/// The flame graph as a page of HTML.
pub const FLAMEGRAPH_HTML: Format = Format {
    id: "flamegraph-html",
    name: "flame graph (HTML)",
    endings: &["flame.html"],
    warning: None,
    reads: None,
    writes: Some(Writes {
        holds: Holds::Stacks,
        all_metrics: true,
        has_threshold: false,
        write: html::write,
    }),
};

/// The graphs of one file.
pub(crate) struct GraphSet<'p> {
    /// The stacks of the whole program.
    pub stacks: Stacks<'p>,
    /// At least one.
    pub graphs: Vec<Graph>,
    /// The number of further graphs that were left out.
    pub left_out: usize,
}

impl<'p> GraphSet<'p> {
    /// The graphs that `per` asks for; one of the whole program if there is
    /// nothing to split.
    pub(crate) fn new(stacks: Stacks<'p>, per: FlamePer, wanted: &Wanted) -> Self {
        let (split, left_out) = stacks.split(per);
        let each = Wanted {
            boxes: wanted.boxes / split.len().max(1),
            ..wanted.clone()
        };
        let mut graphs: Vec<Graph> = split
            .iter()
            .map(|stacks| Graph::new(stacks, &each))
            .collect();
        if graphs.is_empty() {
            graphs.push(Graph::new(&stacks, wanted));
        }
        Self {
            stacks,
            graphs,
            left_out,
        }
    }

    /// The same, with the whole program first.
    pub(crate) fn with_whole(stacks: Stacks<'p>, per: FlamePer, wanted: &Wanted) -> Self {
        let mut set = Self::new(stacks, per, wanted);
        if set.graphs.iter().all(|graph| graph.label.is_some()) {
            set.graphs.insert(0, Graph::new(&set.stacks, wanted));
        }
        set
    }
}

/// The measured costs, the requested one first.
pub(crate) fn measured(profile: &Profile, first: Metric) -> Vec<Metric> {
    let mut metrics = Metric::ALL.to_vec();
    metrics.sort_by_key(|metric| *metric != first);
    metrics.retain(|metric| *metric == first || profile.shows(*metric));
    metrics.retain(|metric| metric.is_in(profile.metrics));
    metrics
}
