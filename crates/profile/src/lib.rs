//! Profiles as plain data, and the computations on them.
//!
//! The extension fills a [`Profile`] at the end of a request; readers fill one
//! from a file; every front end uses the same operations. This crate uses no
//! PHP engine, no file and no terminal, and has no dependencies.
//!
//! Its main types: [`Profile`], its [`Body`] (edges, a tree, samples or events), and
//! [`FlatTable`], the costs by function.
//!
//! ```
//! use profile::{Body, FlatTable, NodeId, Profile, SelfCost, Symbol, SymbolId, TreeBuilder};
//!
//! let mut tree = TreeBuilder::new();
//! let work = tree.child(NodeId::ROOT, SymbolId(1));
//! tree.cost(work).calls = 2;
//! tree.add_self(work, SelfCost { wall: 300, ..SelfCost::default() });
//! let profile = Profile {
//!     symbols: vec![Symbol::new(Symbol::MAIN), Symbol::new(*b"work")],
//!     body: Body::Tree(tree.finish_self_costs()),
//!     ..Profile::empty()
//! };
//! let table = FlatTable::new(&profile);
//! assert_eq!((table.rows[1].own.wall, table.total.wall), (300, 300));
//! ```
//!
//! **Invariant:** costs are integers (nanoseconds and bytes) until they are
//! written, and the self costs of all functions add up to the root's inclusive
//! cost exactly.

#![forbid(unsafe_code)]

mod budget;
mod calendar;
mod called_events;
pub mod classic;
mod cost;
mod edges;
mod events;
mod flat;
mod fold;
mod hash;
mod lined;
mod lines;
mod meta;
mod metric;
mod name_index;
pub mod native;
mod ops;
pub mod php_serialize;
mod profile;
pub mod quantities;
mod samples;
pub mod settlement;
mod spans;
mod symbol;
mod table;
mod tree;

pub use budget::{Budget, OverBudget, allocated};
pub use calendar::Date;
pub use cost::{Cost, Metrics, SelfCost, WallUnit};
pub use edges::{Activation, Edge, EdgeTable, Edges};
pub use events::{Event, EventFold, EventKind, Events, Instant};
pub use flat::{FlatRow, FlatTable};
pub use hash::{NumberHash, NumberHasher, NumberMap, NumberSet, folded_product};
pub use lined::{LinedId, LinedStack, LinedStacks};
pub use lines::{CallLine, CallsFromLine, FileId, LineCost, LinePlace, Lines, LinesBuilder};
pub use meta::{Meta, Mode};
pub use metric::Metric;
pub use name_index::{NameIndex, Vacancy};
pub use ops::{
    CalledTree, Change, CostChanges, Diff, EdgeDiff, EstimateLimits, FunctionDiff, Impact,
    InvertLimits, InvertedNode, InvertedTree, LineCall, MergeError, Merger, Neighbour, Neighbours,
    OTHER, Pair, Repeat, Statistic, Step, critical_path, merge, pairs, repeats,
};
pub use profile::{Body, Profile};
pub use samples::{Sample, Samples, SamplesBuilder, StackNode};
pub use spans::{LeftOut, Span, SpanCaller, SpanGroup, SpanKind, Spans, SpansBuilder, TextId};
pub use symbol::{Symbol, SymbolId, make_name_safe};
pub use table::{Id, Table};
pub use tree::{Children, Node, NodeId, Tree, TreeBuilder};
