//! Flame graphs: the boxes that are wide enough to be seen.
//!
//! A graph is never built whole. Starting at the root (or at the box that the
//! user zoomed into), only boxes of at least [`FlameQuery::min_width`] pixels
//! are opened, so an answer is bounded by the window and not by the profile.
//! Narrow neighbours are joined into one box that says how many they are.

mod joined;
mod layout;
mod sets;
mod stems;

use profile::SymbolId;
use serde::{Deserialize, Serialize};

use crate::names::{self, Origin};
use crate::pattern::Pattern;
use crate::{Document, Error, MetricName};
pub(crate) use joined::joined;
pub use joined::{Joined, JoinedQuery, JoinedRow};
use layout::{Arranged, layout};
use sets::{Callees, Callers};
use stems::Calls;

/// Which graph, and which part of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FlameQuery {
    /// What stands below what.
    pub arrangement: Arrangement,
    /// The metric that makes the widths. Memory and peak count growth only,
    /// because a box cannot be narrower than nothing.
    pub metric: MetricName,
    /// The functions from below the root to the box that is zoomed into; empty
    /// for the whole graph.
    pub zoom: Vec<u32>,
    /// The part of the zoomed box's width that is in the window; none for all.
    pub view: Option<FlameView>,
    /// Width of the window, in pixels.
    pub width: f32,
    /// Boxes narrower than this are joined, in pixels.
    pub min_width: f32,
    /// Functions to mark: those whose name contains this text, in any case.
    pub search: String,
}

impl Default for FlameQuery {
    fn default() -> Self {
        Self {
            arrangement: Arrangement::Called,
            metric: MetricName::Wall,
            zoom: Vec::new(),
            view: None,
            width: 1_200.0,
            min_width: 2.0,
            search: String::new(),
        }
    }
}

/// A part of the width of a box, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct FlameView {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

impl Default for FlameView {
    fn default() -> Self {
        Self { from: 0.0, to: 1.0 }
    }
}

impl FlameView {
    /// All of the box, unless this is a part of it that has a length.
    fn clean(self) -> Self {
        let is_part = self.from >= 0.0 && self.to <= 1.0 && self.to - self.from >= 1e-10;
        if is_part { self } else { Self::default() }
    }
}

/// What stands below what in a flame graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "by", rename_all = "camelCase")]
pub enum Arrangement {
    /// Callees below callers, in the order of their first call.
    Called,
    /// Callees below callers, the costliest first.
    LeftHeavy,
    /// Callers below callees: at the top stand the functions by own cost.
    Inverted,
    /// The callers of one function: the upper half of a sandwich.
    Callers {
        /// The function.
        function: u32,
    },
    /// What one function calls, from everywhere: the lower half of a sandwich.
    Callees {
        /// The function.
        function: u32,
    },
}

/// A part of a flame graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Flame {
    /// The zoomed box: its value, and the whole graph's.
    pub zoom: FlameZoom,
    /// The part of the zoomed box that is in the window.
    pub view: FlameView,
    /// Width of the window, in the pixels of the boxes.
    pub width: f32,
    /// The deepest row that has a box, counted from zero.
    pub depth: u32,
    /// The boxes.
    pub boxes: FlameBoxes,
    /// Every function that has a box, by number.
    pub names: Vec<FlameName>,
    /// Boxes were left out because there were too many.
    pub truncated: bool,
}

/// The zoomed box.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FlameZoom {
    /// The value of the whole graph.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub total: i64,
    /// The value of the box that is as wide as the window.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub value: i64,
}

/// The boxes, one entry a box in every list; a parent stands before its
/// children.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FlameBoxes {
    /// Its place of the box below which it stands; its own for the root.
    pub parent: Vec<u32>,
    /// The row, counted from the root.
    pub row: Vec<u32>,
    /// Left edge in pixels.
    pub left: Vec<f32>,
    /// Right edge in pixels.
    pub right: Vec<f32>,
    /// Place of its function in [`Flame::names`]; of joined boxes -1.
    pub name: Vec<i32>,
    /// Its value.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub value: Vec<i64>,
    /// Its value in the base; empty if nothing is compared.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub base: Vec<i64>,
    /// The part of the value that is not its callees'.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub own: Vec<i64>,
    /// Number of calls.
    #[cfg_attr(feature = "typescript", ts(type = "Array<number>"))]
    pub calls: Vec<u64>,
    /// How many boxes were joined; 1 for a box of its own.
    pub joined: Vec<u32>,
    /// Its place among all that stands below its parent, from the left; of
    /// joined boxes that of the first. [`JoinedQuery`] takes it.
    pub first: Vec<u32>,
}

/// A function that has a box.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FlameName {
    /// Its number in this document.
    pub function: u32,
    /// Its name, shortened to what fits a window.
    pub name: String,
    /// Which part of the program it belongs to.
    pub origin: Origin,
    /// Its class of code: [`CodeClassRow::class`](crate::CodeClassRow::class).
    pub class: u32,
    /// Its colour in the palette.
    pub colour: u32,
    /// Whether the search text is in its name.
    pub found: bool,
}

/// The most characters of a name in a box: wider than any window.
const MOST_LETTERS: usize = 500;

/// What is done with a graph in any arrangement.
trait Use {
    type Answer;

    fn with<T: Arranged>(self, tree: &T) -> Result<Self::Answer, Error>;
}

fn with_arranged<U: Use>(
    document: &Document,
    arrangement: Arrangement,
    metric: MetricName,
    use_: U,
) -> Result<U::Answer, Error> {
    let tree = document.tree()?;
    let weights = document.weights(metric.into())?;
    let weights = &*weights;
    match arrangement {
        Arrangement::Called => use_.with(&Calls::in_order(tree, weights)),
        Arrangement::LeftHeavy => use_.with(&Calls::costliest_first(tree, weights)),
        Arrangement::Inverted => use_.with(&Callers::of_all(tree, weights)),
        Arrangement::Callers { function } => {
            let symbol = document.symbol(function)?;
            use_.with(&Callers::of(tree, weights, symbol))
        }
        Arrangement::Callees { function } => {
            let symbol = document.symbol(function)?;
            use_.with(&Callees::of(tree, weights, symbol))
        }
    }
}

impl Use for &FlameQuery {
    type Answer = Flame;

    fn with<T: Arranged>(self, tree: &T) -> Result<Flame, Error> {
        layout(tree, self)
    }
}

pub(crate) fn flame(document: &Document, query: &FlameQuery) -> Result<Flame, Error> {
    let mut flame = with_arranged(document, query.arrangement, query.metric, query)?;
    let pattern = Pattern::of_search(&query.search);
    for name in &mut flame.names {
        let symbol = &document.profile().symbols[SymbolId(name.function).index()];
        name.name = names::short_name(&symbol.name, MOST_LETTERS);
        name.origin = names::origin(symbol);
        (name.class, name.colour) = document.class_and_colour(SymbolId(name.function));
        name.found = pattern
            .as_ref()
            .is_some_and(|pattern| pattern.matches(&symbol.name));
    }
    Ok(flame)
}
