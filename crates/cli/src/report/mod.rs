//! `xhprof report`, and the report at the end of `xhprof run`.
//!
//! Reads a recording, and prints a summary and the table of its functions, or
//! the view that the options select.

pub(crate) mod columns;
mod functions;
mod hints;
pub(crate) mod json;
mod labels;
pub(crate) mod lines;
mod lookup;
mod matches;
mod neighbours;
mod pattern;
mod rows;
mod spans;
mod summary;
pub(crate) mod table;
mod tree;

use anyhow::{Result, bail};
use formats::WriteError;
use profile::{Body, Meta, Metric, Mode, Profile, SymbolId, Tree};
use serde_json::Value;
use view::{Document, Hint, Summary};

use crate::args::{By, ReportArguments, ReportFormat, Sort, TableArguments, ViewArguments};
use crate::terminal::{Look, printable};
use crate::units::time;
use crate::{input, pager, stacks};
use functions::Functions;
use hints::HintList;
use lines::LineTable;
use lookup::Found;
use matches::Matches;
use neighbours::{Beside, Direction};
pub(crate) use pattern::Pattern;
pub(crate) use rows::{Beside as BesideRows, Rows};
use spans::SpanTable;
use table::Table;
use tree::Paths;
use view::paths::Choice;

/// The default threshold of trees, in percent.
const MIN_PERCENT: f64 = 1.0;

/// The call tree, or the inverted one.
type MakePaths<'p> = fn(&'p Profile, &Tree, Metric, Choice, Option<&Pattern>) -> Paths<'p>;

/// Prints the report on a file.
pub(crate) fn run(arguments: &ReportArguments) -> Result<()> {
    let title = input::title(&arguments.file);
    let profile = input::read(&arguments.file)?;
    let format = arguments.format();
    let is_json = format == ReportFormat::Json;
    let report = Report::new(profile, &arguments.view, &arguments.table, format)?;
    let beside = report.beside(is_json.then(|| arguments.table.limit_or(0)))?;
    match format {
        ReportFormat::Json => pager::print_json(&report.json(&title, &beside)?)?,
        ReportFormat::Markdown => pager::print(arguments.pager, |_| Ok(report.markdown(&title)))?,
        ReportFormat::Text => {
            pager::print(arguments.pager, |look| report.text(&title, &beside, look))?;
        }
    }
    match beside {
        Some(Wanted::Several(matches)) => Err(matches.error()),
        _ => Ok(()),
    }
}

/// The report on a recording.
pub(crate) fn text(
    profile: Profile,
    title: &str,
    arguments: &TableArguments,
    look: Look,
) -> Result<String> {
    let view = ViewArguments::default();
    Report::new(profile, &view, arguments, ReportFormat::Text)?.text(title, &None, look)
}

/// A profile, and the options of the report. All costs are answers of the
/// document, but those of call paths and of spans, which it does not list.
pub(crate) struct Report<'a> {
    document: Document,
    summary: Summary,
    /// None if the report has no hints.
    hints: Option<Vec<Hint>>,
    view: &'a ViewArguments,
    arguments: TableArguments,
    pattern: Option<Pattern>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(
        profile: Profile,
        view: &'a ViewArguments,
        arguments: &'a TableArguments,
        format: ReportFormat,
    ) -> Result<Self> {
        let mut arguments = arguments.clone();
        let is_of_functions = !(view.tree
            || view.inverted
            || view.spans
            || view.lines
            || view.hints
            || view.callers.is_some()
            || view.callees.is_some());
        let is_of_lines = view.lines && matches!(arguments.sort, Some(Sort::Own | Sort::Inclusive));
        if !is_of_functions && !is_of_lines && arguments.sort.is_some() {
            bail!(
                "--sort applies to the table of functions only: this view shows the costliest first"
            );
        }
        let is_text = format == ReportFormat::Text;
        let is_by_package = view.by == By::Package;
        if format == ReportFormat::Markdown && (is_by_package || !is_of_functions) {
            bail!("--format markdown has all views in one text: leave the view out");
        }
        let profile = prepared(profile, view)?;
        let by_package = is_by_package.then(|| formats::by_package(&profile));
        let mut document = Document::of_costs(profile, Vec::new());
        // The head is about all functions, in any view.
        let summary = document.summary();
        if let Some(by_package) = by_package.flatten() {
            document = Document::of_costs(by_package, Vec::new());
        }
        arguments.metric = arguments.metric.of(document.profile());
        let metric = Metric::from(arguments.metric);
        for metric in arguments
            .sort
            .and_then(Sort::cost)
            .into_iter()
            .chain([metric])
        {
            if !metric.is_in(document.profile().metrics) {
                bail!(WriteError::NotMeasured { metric });
            }
        }
        let pattern = arguments.pattern.as_deref().map(Pattern::new);
        // A report on selected functions has none below its table.
        let is_below = is_of_functions
            && !is_by_package
            && !arguments.no_hints
            && (!is_text || pattern.is_none())
            && is_small(document.profile());
        Ok(Self {
            hints: (view.hints || is_below).then(|| document.hints().hints),
            summary,
            document,
            view,
            pattern,
            arguments,
        })
    }

    fn text(&self, title: &str, beside: &Option<Wanted<'_>>, look: Look) -> Result<String> {
        let profile = self.document.profile();
        let head = summary::head(profile, &self.summary, title, look);
        let look = look.wide(self.arguments.wide);
        let columns = &self.arguments.columns;
        let body = match beside {
            Some(Wanted::One(beside)) => beside.render(look, columns)?,
            Some(Wanted::Several(matches)) => matches.render(look, columns)?,
            None => {
                if let Some(hints) = self.hints().filter(|_| self.view.hints) {
                    hints.render(look)
                } else if let Some(spans) = self.spans(None) {
                    spans.render(look, columns)?
                } else if let Some(paths) = self.paths(None) {
                    self.rendered(paths.table(), look)?
                } else if self.view.lines {
                    self.rendered(self.line_table(None, None)?.table(), look)?
                } else {
                    let mut table = self.functions(None).table();
                    if self.view.by == By::Package {
                        table.title = "package";
                    }
                    let mut text = self.rendered(table, look)?;
                    if let Some(spans) = SpanTable::below(&self.document, self.pattern.as_ref()) {
                        text.push('\n');
                        text.push_str(&spans.render(look, &[])?);
                    }
                    if let Some(hints) = self.hints() {
                        text.push_str(&hints.render_below(look));
                    }
                    text
                }
            }
        };
        Ok(head + &body)
    }

    /// All views in one text of bounded length.
    pub(crate) fn markdown(&self, title: &str) -> String {
        const ROWS: usize = 30;
        let (profile, pattern) = (self.document.profile(), self.pattern.as_ref());
        let rows = Some(self.arguments.limit_or(ROWS));
        let has_paths = !matches!(profile.body, Body::Edges(_));
        let functions = self.functions(rows);
        let spans = SpanTable::new(&self.document, &self.arguments, rows, pattern);
        let parts = view::markdown::Parts {
            lines: self.lines(),
            summary: &self.summary,
            title,
            paths: has_paths
                .then(|| self.paths_above(Paths::of_tree, MIN_PERCENT, rows))
                .flatten()
                .map(|paths| paths.of),
            functions: &functions.rows,
            other_functions: functions.others(),
            spans: spans.markdown_rows(),
            other_spans: spans.others(),
            hints: self.hints.as_deref().unwrap_or_default(),
        };
        parts.render()
    }

    /// JSON has all rows, unless `--limit` is given.
    fn json(&self, title: &str, beside: &Option<Wanted<'_>>) -> Result<Value> {
        let limit = Some(self.arguments.limit_or(0));
        let profile = self.document.profile();
        let head = |metric| json::head(profile, &self.summary, title, metric);
        let metric = self.arguments.metric.into();
        match beside {
            Some(Wanted::One(beside)) => return Ok(beside.add_to(head(metric))),
            Some(Wanted::Several(matches)) => return Ok(matches.add_to(head(metric))),
            None => {}
        }
        if let Some(hints) = self.hints().filter(|_| self.view.hints) {
            return Ok(hints.add_to(head(metric)));
        }
        if let Some(spans) = self.spans(limit) {
            return Ok(spans.add_to(head(Metric::Wall)));
        }
        if let Some(paths) = self.paths(limit) {
            return Ok(paths.add_to(head(metric)));
        }
        if self.view.lines {
            return Ok(self.line_table(limit, None)?.add_to(head(metric)));
        }
        let mut functions = self.functions(limit).add_to(head(metric), "functions");
        if let Some(hints) = self.hints() {
            functions = hints.add_to(functions);
        }
        if profile.spans.is_empty() {
            return Ok(functions);
        }
        let (arguments, pattern) = (&self.arguments, self.pattern.as_ref());
        Ok(SpanTable::new(&self.document, arguments, limit, pattern).add_to(functions))
    }

    /// The lines of all functions, or of these.
    fn line_table(
        &self,
        limit: Option<usize>,
        functions: Option<&[SymbolId]>,
    ) -> Result<LineTable<'_>> {
        let (arguments, pattern) = (&self.arguments, self.pattern.as_ref());
        let total = self.whole(arguments.metric.into());
        LineTable::new(
            &self.document,
            arguments,
            limit,
            (pattern, functions),
            total,
        )
    }

    fn spans(&self, limit: Option<usize>) -> Option<SpanTable<'_>> {
        let (arguments, pattern) = (&self.arguments, self.pattern.as_ref());
        let is_asked = self.view.spans;
        is_asked.then(|| SpanTable::new(&self.document, arguments, limit, pattern))
    }

    fn hints(&self) -> Option<HintList<'_>> {
        let (profile, pattern) = (self.document.profile(), self.pattern.as_ref());
        let hints = self.hints.as_deref()?;
        Some(HintList::new(profile, hints, pattern))
    }

    fn functions(&self, limit: Option<usize>) -> Functions<'_> {
        Functions::new(
            &self.document,
            &self.arguments,
            limit,
            self.pattern.as_ref(),
        )
    }

    /// The callers or callees of a function, if the options ask for them.
    fn beside(&self, limit: Option<usize>) -> Result<Option<Wanted<'_>>> {
        let (wanted, direction) = match (&self.view.callers, &self.view.callees) {
            (Some(wanted), _) => (wanted, Direction::Callers),
            (None, Some(wanted)) => (wanted, Direction::Callees),
            (None, None) => return Ok(None),
        };
        let (document, arguments) = (&self.document, &self.arguments);
        let pattern = self.pattern.as_ref();
        Ok(Some(match lookup::find(document, wanted)? {
            Found::One(function) => Wanted::One(Beside::new(
                document, function, direction, arguments, limit, pattern,
            )?),
            Found::Several(symbols) => Wanted::Several(Matches::new(
                document, &symbols, wanted, direction, arguments, limit,
            )),
        }))
    }

    fn paths(&self, limit: Option<usize>) -> Option<Paths<'_>> {
        let make: MakePaths<'_> = if self.view.tree {
            Paths::of_tree
        } else if self.view.inverted {
            Paths::of_inverted
        } else {
            return None;
        };
        // JSON has all rows here, too. What the user asks for is shown, however little it costs.
        let is_asked = limit.is_some() || self.pattern.is_some();
        let usual = if is_asked { 0.0 } else { MIN_PERCENT };
        self.paths_above(make, self.view.min.unwrap_or(usual), limit)
    }

    fn paths_above<'p>(
        &'p self,
        make: MakePaths<'p>,
        min: f64,
        limit: Option<usize>,
    ) -> Option<Paths<'p>> {
        let profile = self.document.profile();
        let (tree, pattern) = (profile.tree()?, self.pattern.as_ref());
        let metric = self.arguments.metric.into();
        let choice = self.choice(min, limit, metric);
        Some(make(profile, &tree, metric, choice, pattern))
    }

    fn choice(&self, min: f64, limit: Option<usize>, metric: Metric) -> Choice {
        Choice {
            min,
            limit: limit.unwrap_or_else(|| self.arguments.limit_or(tree::LIMIT)),
            whole: self.whole(metric),
        }
    }

    /// What percentages of a metric refer to.
    fn whole(&self, metric: Metric) -> i64 {
        match metric {
            Metric::Calls => i64::try_from(self.summary.calls).unwrap_or(i64::MAX),
            metric => self.summary.total.of(metric),
        }
    }

    fn rendered(&self, table: Table, look: Look) -> Result<String> {
        // An unknown column is an error in any case.
        let table = table.with_columns(&self.arguments.columns)?;
        if table.rows.is_empty() {
            return Ok(match &self.arguments.pattern {
                Some(pattern) => {
                    let what = if self.view.lines { "line" } else { "function" };
                    format!("no {what} matches {}\n", printable(pattern.as_bytes()))
                }
                None => nothing(&self.document.profile().meta),
            });
        }
        Ok(table.render(look))
    }
}

/// The result of `--callers` or `--callees`.
enum Wanted<'p> {
    One(Beside<'p>),
    Several(Matches<'p>),
}

/// The functions that a name may refer to; an error if there is none.
pub(crate) fn functions_named(document: &Document, wanted: &str) -> Result<Vec<SymbolId>> {
    Ok(match lookup::find(document, wanted)? {
        Found::One(function) => vec![function],
        Found::Several(functions) => functions,
    })
}

/// Whether hints are added to the functions. They take a table of all edges,
/// which for a very large profile is more memory than the report itself.
fn is_small(profile: &Profile) -> bool {
    const MAX_PATHS: usize = 500_000;
    let paths = match &profile.body {
        Body::Edges(edges) => edges.edges.len(),
        Body::Tree(tree) => tree.nodes.len(),
        Body::Samples(samples) => samples.stacks.len(),
        Body::Events(events) => events.events.len(),
    };
    paths <= MAX_PATHS
}

/// The text in place of an empty table.
fn nothing(meta: &Meta) -> String {
    match meta.interval_ns {
        Some(interval) if meta.mode == Mode::Sampled => format!(
            "no sample was taken: there is one every {} (xhprof.sampling_interval, run --interval)\n",
            time(i64::try_from(interval).unwrap_or(i64::MAX)).trim_end()
        ),
        _ => "nothing was recorded\n".to_owned(),
    }
}

/// The profile as the selected view needs it: with stacks, without recursion.
fn prepared(profile: Profile, view: &ViewArguments) -> Result<Profile> {
    if view.spans && profile.spans.is_empty() {
        bail!(
            "the profile has no spans: the program waited for none, or they were not recorded, as \
             `xhprof run` and automatic profiles do into native files, unless --flags or \
             xhprof.flags leave out sql"
        );
    }
    let what = if view.tree {
        "the call tree"
    } else if view.inverted {
        "the inverted tree"
    } else if view.fold_recursion {
        "--fold-recursion"
    } else if view.by == By::Package {
        "--by package"
    } else {
        return Ok(profile);
    };
    let mut profile = stacks::require(profile, view.estimate, what)?;
    if view.fold_recursion
        && let Some(tree) = profile.tree()
    {
        let folded: Tree = tree.with_recursion_folded();
        profile.body = Body::Tree(folded);
    }
    Ok(profile)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use view::{Answer, MarkdownQuery, Question, Source};

    #[test]
    fn the_viewer_gives_an_assistant_the_same_text() {
        for file in [
            "spans.in/spans.xhp",
            "hints.in/import.json",
            "views.in/tiny.xhp",
        ] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("tests/cmd")
                .join(file);
            let (view, table) = (ViewArguments::default(), TableArguments::default());
            let profile = input::read(&path).unwrap();
            let report = Report::new(profile, &view, &table, ReportFormat::Markdown).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let source = Source {
                name: "a file",
                bytes: &bytes,
            };
            let mut document = Document::open(&[source]).unwrap();
            let question = Question::Markdown(MarkdownQuery::default());
            let Answer::Markdown(answer) = document.answer(&question).unwrap() else {
                panic!("another answer")
            };
            assert_eq!(answer.text, report.markdown("a file"));
        }
    }
}
