//! `xhprof annotate`: the source of a file or a function, with the cost of each line.

mod chosen;
mod html;
mod json;
mod source;
mod text;

use anyhow::{Result, bail};
use formats::WriteError;
use profile::{Metric, Profile};
use view::{Document, LineRow};

use crate::args::AnnotateArguments;
use crate::report::lines::lines;
use crate::{input, output, pager};
use chosen::Chosen;
use source::{SourceText, Sources};

/// Prints the lines.
pub(crate) fn run(arguments: &AnnotateArguments) -> Result<()> {
    let profile = input::read(&arguments.file)?;
    let sources = Sources::new(&arguments.source)?;
    let metric = Metric::from(arguments.metric.of(&profile));
    if !Metric::is_in(metric, profile.metrics) {
        bail!(WriteError::NotMeasured { metric });
    }
    let document = Document::of_costs(profile, Vec::new());
    let lines = lines(&document)?;
    let chosen = Chosen::new(&document, &arguments.target, &lines)?;
    let source = sources.find(chosen.file);
    let notes = source::notes(&document, &chosen, source.as_ref(), &lines);
    let annotated = Annotated {
        document: &document,
        metric,
        total: document.summary().total.of(metric),
        chosen,
        source,
        notes,
    };
    if arguments.json {
        return pager::print_json(&annotated.json(&input::title(&arguments.file)));
    }
    if arguments.html {
        return output::write("-".as_ref(), |out| {
            Ok(out.write_all(annotated.html().as_bytes())?)
        });
    }
    let context = if arguments.all { None } else { Some(CONTEXT) };
    pager::print(arguments.pager, |look| Ok(annotated.text(context, look)))
}

/// How many lines are shown before and after one that has a cost.
const CONTEXT: u32 = 3;

/// What is shown.
struct Annotated<'d> {
    document: &'d Document,
    metric: Metric,
    /// What shares refer to.
    total: i64,
    chosen: Chosen<'d>,
    /// None if the source was not found.
    source: Option<SourceText>,
    /// What the reader must know of the source.
    notes: Vec<String>,
}

impl Annotated<'_> {
    fn profile(&self) -> &Profile {
        self.document.profile()
    }

    /// The cost of all lines that are shown, by themselves.
    fn own(&self) -> i64 {
        let own = self.chosen.rows.iter().map(|row| row.own.of(self.metric));
        own.fold(0, i64::saturating_add)
    }

    /// The line's row, if it has a cost.
    fn row(&self, line: u32) -> Option<&LineRow<'_>> {
        let rows = &self.chosen.rows;
        let place = rows.binary_search_by_key(&line, |row| row.line).ok()?;
        rows.get(place).copied()
    }
}
