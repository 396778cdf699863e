//! All questions and all answers, as messages between a front end and the
//! engine.

use serde::{Deserialize, Serialize};

use crate::{
    Changes, ChangesQuery, CriticalPath, ExportQuery, Exported, Flame, FlameQuery, FunctionPage,
    FunctionQuery, Functions, FunctionsQuery, Graph, GraphQuery, Hints, MetricName, SearchQuery,
    SearchResult, SpanGroups, Summary, Timeline, TimelineQuery,
};

/// What a front end asks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "ask", rename_all = "camelCase")]
pub enum Question {
    /// What, when, where, and the totals.
    Summary,
    /// A page of the table of functions.
    Functions(FunctionsQuery),
    /// One function, its callers and callees.
    Function(FunctionQuery),
    /// The boxes of a flame graph that are wide enough to be seen.
    Flame(FlameQuery),
    /// The path that always follows the costliest callee.
    CriticalPath {
        /// The metric that decides.
        #[serde(default)]
        metric: MetricName,
    },
    /// Functions by name.
    Search(SearchQuery),
    /// Statements, requests and commands, grouped.
    Spans,
    /// Functions above a threshold, and the calls between them.
    Graph(GraphQuery),
    /// Where time or memory is likely wasted.
    Hints,
    /// What changed since the base.
    Changes(ChangesQuery),
    /// Calls in the order of time that are wide enough to be seen.
    Timeline(TimelineQuery),
    /// The profile in another format.
    Export(ExportQuery),
}

/// What the engine answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum Answer {
    /// To [`Question::Summary`].
    Summary(Summary),
    /// To [`Question::Functions`].
    Functions(Functions),
    /// To [`Question::Function`].
    Function(FunctionPage),
    /// To [`Question::Flame`].
    Flame(Flame),
    /// To [`Question::CriticalPath`].
    CriticalPath(CriticalPath),
    /// To [`Question::Search`].
    Search(SearchResult),
    /// To [`Question::Spans`].
    Spans(SpanGroups),
    /// To [`Question::Graph`].
    Graph(Graph),
    /// To [`Question::Hints`].
    Hints(Hints),
    /// To [`Question::Changes`].
    Changes(Changes),
    /// To [`Question::Timeline`].
    Timeline(Timeline),
    /// To [`Question::Export`].
    Export(Exported),
}
