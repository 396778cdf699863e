//! All questions and all answers, as messages between a front end and the
//! engine.

use serde::{Deserialize, Serialize};

use crate::{
    Changes, ChangesQuery, CodeClasses, CriticalPath, Document, Error, ExportQuery, Exported,
    Flame, FlameQuery, FunctionPage, FunctionQuery, Functions, FunctionsQuery, Graph, GraphQuery,
    Hints, Joined, JoinedQuery, Markdown, MarkdownQuery, MemoryCurve, MemoryQuery, MetricName,
    SearchQuery, SearchResult, SourceQuery, Sources, SpanGroups, Summary, Timeline, TimelineQuery,
};
use crate::{
    classes, compare, critical_path, export, flame, function, functions, graph, hints, markdown,
    search, source, spans, summary, time,
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
    /// What a joined box of a flame graph holds.
    Joined(JoinedQuery),
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
    /// Source files, and the costs of lines and functions in one of them.
    Sources(SourceQuery),
    /// What changed since the base.
    Changes(ChangesQuery),
    /// The classes of code, and what they cost.
    Classes {
        /// The metric of the costs.
        #[serde(default)]
        metric: MetricName,
    },
    /// The memory in use in the order of time.
    Memory(MemoryQuery),
    /// Calls in the order of time that are wide enough to be seen.
    Timeline(TimelineQuery),
    /// The profile in another format.
    Export(ExportQuery),
    /// The profile as one text, for an issue or an assistant.
    Markdown(MarkdownQuery),
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
    /// To [`Question::Joined`].
    Joined(Joined),
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
    /// To [`Question::Sources`].
    Sources(Sources),
    /// To [`Question::Changes`].
    Changes(Changes),
    /// To [`Question::Classes`].
    Classes(CodeClasses),
    /// To [`Question::Memory`].
    Memory(MemoryCurve),
    /// To [`Question::Timeline`].
    Timeline(Timeline),
    /// To [`Question::Export`].
    Export(Exported),
    /// To [`Question::Markdown`].
    Markdown(Markdown),
}

impl Document {
    /// Answers a question.
    ///
    /// # Errors
    ///
    /// [`Error`], where the profile does not hold what is asked for, or the
    /// question names a function or a path that does not exist.
    pub fn answer(&mut self, question: &Question) -> Result<Answer, Error> {
        Ok(match question {
            Question::Summary => Answer::Summary(summary::summary(self)),
            Question::Functions(query) => Answer::Functions(functions::functions(self, query)),
            Question::Function(query) => Answer::Function(function::function(self, query)?),
            Question::Flame(query) => Answer::Flame(flame::flame(self, query)?),
            Question::Joined(query) => Answer::Joined(flame::joined(self, query)?),
            Question::CriticalPath { metric } => {
                Answer::CriticalPath(critical_path::critical_path(self, (*metric).into()))
            }
            Question::Search(query) => Answer::Search(search::search(self, query)),
            Question::Spans => Answer::Spans(spans::groups(self)),
            Question::Graph(query) => Answer::Graph(graph::graph(self, query)),
            Question::Hints => Answer::Hints(hints::of_document(self)),
            Question::Sources(query) => Answer::Sources(source::sources(self, query)?),
            Question::Changes(query) => Answer::Changes(compare::changes(self, query)?),
            Question::Classes { metric } => Answer::Classes(classes::classes(self, *metric)),
            Question::Memory(query) => Answer::Memory(time::memory(self, query)?),
            Question::Timeline(query) => Answer::Timeline(time::timeline(self, query)?),
            Question::Export(query) => Answer::Export(export::export(self, query)?),
            Question::Markdown(query) => Answer::Markdown(markdown::markdown(self, query)),
        })
    }
}
