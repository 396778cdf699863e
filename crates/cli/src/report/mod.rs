//! `xhprof report`, and the report at the end of `xhprof run`.
//!
//! Reads a recording, says in one line what it is, and prints the table of its
//! functions, or what else was asked for.

mod functions;
pub(crate) mod json;
mod lookup;
mod neighbours;
mod pattern;
mod summary;
pub(crate) mod table;
mod tree;

use std::io::Write;

use anyhow::{Result, bail};
use formats::WriteError;
use profile::{Body, Meta, Metric, Mode, Profile, Tree};
use serde_json::Value;

use crate::args::{ReportArguments, TableArguments, ViewArguments};
use crate::terminal::{Look, printable};
use crate::units::time;
use crate::{input, pager, stacks};
use functions::Functions;
use neighbours::{Beside, Direction};
pub(crate) use pattern::Pattern;
use table::Table;
use tree::Paths;

/// What costs less is left out of trees unless said otherwise.
const MIN_PERCENT: f64 = 1.0;

/// Prints the report on a file.
pub(crate) fn run(arguments: &ReportArguments) -> Result<()> {
    let title = input::title(&arguments.file);
    let profile = input::read(&arguments.file)?;
    let report = Report::new(profile, &arguments.view, &arguments.table)?;
    if arguments.json {
        return pager::print_json(&report.json(&title)?);
    }
    pager::print(arguments.pager, |look| report.text(&title, look))
}

/// Prints the report on a recording to `out`, in one go.
pub(crate) fn print(
    profile: Profile,
    title: &str,
    arguments: &TableArguments,
    look: Look,
    out: &mut impl Write,
) -> Result<()> {
    let view = ViewArguments::default();
    let text = Report::new(profile, &view, arguments)?.text(title, look)?;
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// A profile, and what is asked of it.
struct Report<'a> {
    profile: Profile,
    view: &'a ViewArguments,
    arguments: &'a TableArguments,
    pattern: Option<Pattern>,
}

impl<'a> Report<'a> {
    fn new(
        profile: Profile,
        view: &'a ViewArguments,
        arguments: &'a TableArguments,
    ) -> Result<Self> {
        let metric = Metric::from(arguments.metric);
        if !metric.is_in(profile.metrics) {
            bail!(WriteError::NotMeasured { metric });
        }
        let has_view =
            view.tree || view.inverted || view.callers.is_some() || view.callees.is_some();
        if has_view && arguments.sort.is_some() {
            bail!("--sort is for the table of functions: here the costliest come first");
        }
        let profile = prepared(profile, view)?;
        Ok(Self {
            profile,
            view,
            arguments,
            pattern: arguments.pattern.as_deref().map(Pattern::new),
        })
    }

    fn text(&self, title: &str, look: Look) -> Result<String> {
        let head = summary::head(&self.profile, title, look);
        let body = if let Some(beside) = self.beside(None)? {
            beside.render(look)
        } else {
            let table = match self.paths(None) {
                Some(paths) => paths.table(),
                None => self.functions(None).table(),
            };
            self.rendered(&table, look)
        };
        Ok(head + &body)
    }

    /// Programs get everything, unless they say how much.
    fn json(&self, title: &str) -> Result<Value> {
        let limit = Some(self.arguments.limit_or(0));
        Ok(if let Some(beside) = self.beside(limit)? {
            beside.json(title)
        } else if let Some(paths) = self.paths(limit) {
            paths.json(title)
        } else {
            self.functions(limit).json(title)
        })
    }

    fn functions(&self, limit: Option<usize>) -> Functions<'_> {
        Functions::new(&self.profile, self.arguments, limit, self.pattern.as_ref())
    }

    fn beside(&self, limit: Option<usize>) -> Result<Option<Beside<'_>>> {
        let (function, direction) = match (&self.view.callers, &self.view.callees) {
            (Some(function), _) => (function, Direction::Callers),
            (None, Some(function)) => (function, Direction::Callees),
            (None, None) => return Ok(None),
        };
        let (arguments, pattern) = (self.arguments, self.pattern.as_ref());
        Beside::new(
            &self.profile,
            function,
            direction,
            arguments,
            limit,
            pattern,
        )
        .map(Some)
    }

    fn paths(&self, limit: Option<usize>) -> Option<Paths<'_>> {
        let make = if self.view.tree {
            Paths::of_tree
        } else if self.view.inverted {
            Paths::of_inverted
        } else {
            return None;
        };
        let tree = self.profile.tree()?;
        // Programs get everything here, too.
        let usual = if limit.is_some() { 0.0 } else { MIN_PERCENT };
        let (min, pattern) = (self.view.min.unwrap_or(usual), self.pattern.as_ref());
        Some(make(
            &self.profile,
            &tree,
            self.arguments,
            min,
            limit,
            pattern,
        ))
    }

    fn rendered(&self, table: &Table, look: Look) -> String {
        if table.rows.is_empty() {
            return match &self.arguments.pattern {
                Some(pattern) => {
                    format!("no function matches {}\n", printable(pattern.as_bytes()))
                }
                None => nothing(&self.profile.meta),
            };
        }
        table.render(look)
    }
}

/// Why there is no function.
fn nothing(meta: &Meta) -> String {
    match meta.interval_ns {
        Some(interval) if meta.mode == Mode::Sampled => format!(
            "no sample was taken: there is one every {} (xhprof.sampling_interval)\n",
            time(i64::try_from(interval).unwrap_or(i64::MAX)).trim_end()
        ),
        _ => "nothing was recorded\n".to_owned(),
    }
}

/// The profile as the view wants it: with stacks, without recursion.
fn prepared(profile: Profile, view: &ViewArguments) -> Result<Profile> {
    let what = if view.tree {
        "the call tree"
    } else if view.inverted {
        "the inverted tree"
    } else if view.fold_recursion {
        "--fold-recursion"
    } else {
        return Ok(profile);
    };
    let mut profile = stacks::wanted(profile, view.estimate, what)?;
    if view.fold_recursion
        && let Some(tree) = profile.tree()
    {
        let folded: Tree = tree.with_recursion_folded();
        profile.body = Body::Tree(folded);
    }
    Ok(profile)
}
