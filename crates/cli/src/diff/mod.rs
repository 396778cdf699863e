//! `xhprof diff`: compares profiles.
//!
//! Each side is one profile or several runs of the same program. The comparison
//! itself is in `profile`; this module prints it as tables and JSON.

mod json;
mod shown;
mod table;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::CommandFactory;
use clap::error::ErrorKind;
use formats::WriteError;

use profile::{Body, Diff, Metric, Mode, Profile};
use serde_json::Value;

use crate::args::{Arguments, DiffArguments};
use crate::directory::{self, Found, Skipped};
use crate::progress::{Progress, Work};

use crate::report::Rows;
use crate::report::json::key;

use crate::terminal::say;
use crate::{input, pager};
use shown::Shown;

/// Compares the files.
pub(crate) fn run(arguments: &DiffArguments) -> Result<()> {
    let (base, new) = sides(arguments);
    input::check(base.iter().chain(new))?;
    let base = directory::files(base, None)?;
    let new = directory::files(new, None)?;
    let progress = Progress::new("reading", Work::Files((base.len() + new.len()) as u64));
    let (base, base_profiles) = read(&base, &progress)?;
    let (new, new_profiles) = read(&new, &progress)?;
    drop(progress);
    let names: [&[PathBuf]; 2] = [&base, &new];
    let sides: [&[Profile]; 2] = [&base_profiles, &new_profiles];
    let metric = metric(sides, arguments);
    let (diff, unit) = compared(sides, names, metric)?;
    warn_of_samples(sides);
    let shown = Shown::new(&diff, metric, arguments, &unit, names);
    if arguments.json {
        return pager::print_json(&shown.json());
    }
    let look = &arguments.look;
    pager::print(arguments.pager, |stream| {
        shown.text(stream.wide(look.wide), &look.columns)
    })
}

/// Tells the user that times of samples are compared with times of calls.
fn warn_of_samples(sides: [&[Profile]; 2]) {
    let has = |mode| sides.map(|side| side.iter().any(|profile| profile.meta.mode == mode));
    if has(Mode::Sampled) != [false; 2] && has(Mode::Traced) != [false; 2] {
        say(
            "note: sampled profiles are compared with traced ones; tracing itself takes time, so \
             their times differ for that alone",
        );
    }
}

/// The metric that is compared: the memory if no profile has times.
fn metric(sides: [&[Profile]; 2], arguments: &DiffArguments) -> Metric {
    let metrics = sides.into_iter().flatten();
    let mut metrics = metrics.map(|profile| arguments.metric.of(profile).into());
    let is_memory = metrics.all(|metric: Metric| metric == Metric::Memory);
    if is_memory {
        Metric::Memory
    } else {
        arguments.metric.into()
    }
}

/// The comparison, the largest changes of a metric first, and what the profiles count.
fn compared(
    sides: [&[Profile]; 2],
    names: [&[PathBuf]; 2],
    metric: Metric,
) -> Result<(Diff, String)> {
    let names = names.into_iter().flatten().map(|path| input::title(path));
    let mut units = sides.into_iter().flatten().map(Profile::unit).zip(names);
    let (unit, name) = units.next().unwrap_or_default();
    if let Some((other, other_name)) = units.find(|(other, _)| *other != unit) {
        bail!("{name} counts {unit}, {other_name} counts {other}: they cannot be compared");
    }
    let unit = unit.to_owned();
    let [base, new] = sides.map(|side| side.iter().collect::<Vec<_>>());
    let mut diff = Diff::of_many(&base, &new);
    if !metric.is_in(diff.metrics) {
        let outcome = Err(WriteError::NotMeasured { metric });
        return outcome.context("cannot compare: not all of them have this metric");
    }
    diff.sort_by_impact(metric);
    Ok((diff, unit))
}

/// A comparison row by row, for `xhprof mcp`.
pub(crate) struct DiffRows {
    /// The totals and the number of changes, as text and as JSON.
    pub(crate) head: (String, Value),
    pub(crate) functions: Rows,
    pub(crate) edges: Rows,
}

/// Compares profiles that have been read. `arguments` has the metric, the pattern and the
/// limit.
pub(crate) fn rows(
    sides: [&[Profile]; 2],
    names: [&[PathBuf]; 2],
    arguments: &DiffArguments,
) -> Result<DiffRows> {
    let metric = metric(sides, arguments);
    let (diff, unit) = compared(sides, names, metric)?;
    let shown = Shown::new(&diff, metric, arguments, &unit, names);
    let mut json = shown.json();

    // A row has the metric of the comparison, and the calls.
    let keys = [metric, Metric::Calls].map(|metric| key(metric, diff.metrics));
    let mut list = |name: &str, lines: Vec<String>, others: usize| {
        let mut values = match json.get_mut(name).map(Value::take) {
            Some(Value::Array(values)) => values,
            _ => Vec::new(),
        };
        for costs in values.iter_mut().flat_map(|row| row.as_object_mut()) {
            for costs in costs.values_mut().filter_map(Value::as_object_mut) {
                costs.retain(|name, _| keys.contains(&name.as_str()) || name == "count");
            }
        }
        Rows {
            rows: lines.into_iter().zip(values).collect(),
            others,
        }
    };

    let [of_functions, of_edges] = shown.left_out;
    Ok(DiffRows {
        functions: list("functions", shown.function_lines(), of_functions),
        edges: list("edges", shown.edge_lines(), of_edges),
        head: (shown.total_lines(), json),
    })
}

/// The files of both sides. Ends the program if the sides are ambiguous.
fn sides(arguments: &DiffArguments) -> (&[PathBuf], &[PathBuf]) {
    let option = arguments
        .new
        .iter()
        .find(|path| path.to_string_lossy().starts_with("--"));
    if let Some(option) = option {
        let option = option.display();
        refuse(&format!(
            "{option} stands among the files: put options before `--`"
        ));
    }
    if !arguments.new.is_empty() {
        return (&arguments.base, &arguments.new);
    }
    if let [base, new] = arguments.base.as_slice() {
        return (std::slice::from_ref(base), std::slice::from_ref(new));
    }
    match arguments.base.len() {
        1 => refuse("the second file is missing"),
        many => refuse(&format!(
            "which of these {many} files are the base? Put `--` after its last file"
        )),
    }
}

/// Ends the program with a usage error.
fn refuse(message: &str) -> ! {
    let mut command = Arguments::command();
    command.build();
    let diff = command.find_subcommand_mut("diff").cloned();
    let mut command = diff.unwrap_or(command);
    command
        .error(ErrorKind::WrongNumberOfValues, message)
        .exit()
}

/// Reads one side: its files and profiles. The comparison is about functions
/// and edges, so only the edges of a profile are kept.
fn read(files: &[Found], progress: &Progress) -> Result<(Vec<PathBuf>, Vec<Profile>)> {
    let left_out = Skipped::default();
    let (mut paths, mut profiles) = (Vec::new(), Vec::new());
    for file in files {
        let outcome = input::read_one_of_many(&file.path, progress);
        if let Some(mut profile) = left_out.take(file, outcome)? {
            profile.body = Body::Edges(profile.edges().into_owned());
            paths.push(file.path.clone());
            profiles.push(profile);
        }
    }
    left_out.report(profiles.len())?;
    Ok((paths, profiles))
}
