//! Flame graphs: stacks as boxes whose width is their cost.
//!
//! A picture for documents and pages (SVG), of the boxes that `graph` picks from the
//! call tree. Below those there is more in the viewer only.
//!
//! **Invariant:** the boxes called from one box are together never wider than
//! that box, and the root has the total cost: leaving out small boxes loses no
//! cost.

mod caption;
pub mod classes;
mod colours;
mod graph;
mod labels;
mod stacks;
mod svg;
mod tooltip;
mod units;
mod xml;

pub use caption::{INCOMPLETE, moment};
pub use classes::Classes;
pub use colours::palette;
pub(crate) use graph::{Graph, Wanted};
pub(crate) use stacks::Stacks;

use crate::FlamePer;
use crate::format::{Format, Holds, Writes};

/// The flame graph as an SVG.
pub const FLAMEGRAPH_SVG: Format = Format {
    id: "flamegraph",
    name: "flame graph (SVG)",
    endings: &["svg"],
    warning: None,
    reads: None,
    writes: Some(Writes::new(Holds::Stacks, svg::write)),
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
}
