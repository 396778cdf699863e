//! The questions that a viewer asks of a profile, and their answers.
//!
//! A [`Document`] holds one profile, or a base and a new one. A front end (the
//! terminal, the page in a browser, the server) sends a [`Question`] and draws
//! the [`Answer`]. No front end computes a cost itself, so a number cannot
//! differ between two views.
//!
//! These three are its main types; a [`Source`] is a file to open.
//!
//! ```
//! use view::{Answer, Document, FunctionsQuery, Question, Source};
//!
//! let file = Source { name: "stacks.txt", bytes: b"main();work 30\n" };
//! let mut document = Document::open(&[file])?;
//! let Answer::Functions(table) = document.answer(&Question::Functions(FunctionsQuery::default()))? else {
//!     panic!("another answer")
//! };
//! assert_eq!((table.of, table.rows[0].name.as_str()), (2, "work"));
//! # Ok::<(), view::Error>(())
//! ```
//!
//! **Invariants:** an answer is bounded by what can be shown (rows asked for,
//! pixels), not by the size of the profile. Costs are nanoseconds, bytes and
//! calls; for a profile whose unit is not time, [`Summary::unit`] says so.

#![forbid(unsafe_code)]

mod calls;
mod classes;
mod column;
mod compare;
mod comparison;
mod costs;
mod critical_path;
mod document;
mod error;
mod export;
mod flame;
mod function;
mod functions;
mod graph;
pub mod head;
mod hints;
mod index;
mod lanes;
mod lines;
pub mod markdown;
mod names;
pub mod paths;
mod pattern;
mod question;
mod reshape;
mod search;
mod source;
mod spans;
mod summary;
pub mod text;
mod time;
mod tree;
pub mod units;
mod weights;

pub use classes::{CodeClassRow, CodeClasses};
pub use compare::{ChangeOf, ChangeRow, Changes, ChangesQuery};
pub use costs::{Costs, MetricName};
pub use critical_path::{CriticalPath, CriticalStep};
pub use document::{Document, Source};
pub use error::Error;
pub use export::{ExportQuery, Exported, FormatChoice, export_formats};
pub use flame::{
    Arrangement, Flame, FlameBoxes, FlameName, FlameQuery, FlameView, FlameZoom, Joined,
    JoinedQuery, JoinedRow,
};
pub use formats::flamegraph::palette;
pub use function::{FunctionPage, FunctionQuery, NeighbourRow};
pub use functions::{FunctionRow, Functions, FunctionsQuery, SortBy};
pub use graph::{Graph, GraphEdge, GraphNode, GraphQuery};
pub use hints::{Evidence, EvidenceUnit, EvidenceValue, Hint, Hints, RULES};
pub use lines::LineRow;
pub use markdown::{Markdown, MarkdownQuery};
pub use names::Origin;
pub use question::{Answer, Question};
pub use reshape::Reshape;
pub use search::{SearchQuery, SearchResult};
pub use source::{
    SourceFile, SourceFunction, SourceLine, SourceLines, SourceName, SourceQuery, Sources,
};
pub use spans::{SpanBase, SpanCallerRow, SpanGroupRow, SpanGroups};
pub use summary::{MetaEntry, Summary, Unit};
pub use time::{
    MemoryCurve, MemoryQuery, SpanBoxes, TimeBoxes, TimeRange, TimeRow, Timeline, TimelineQuery,
};
