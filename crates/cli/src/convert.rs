//! `xhprof convert`: writes a profile in another format, and lists the formats.

use std::path::Path;

use anyhow::{Context, Result, bail};
use formats::{Format, WriteError, WriteOptions};
use profile::Metric;

use crate::args::ConvertArguments;
use crate::export::{Export, format, formats, output_or_default};
use crate::terminal::say;
use crate::{input, output};

/// Converts a file, or lists the formats.
pub(crate) fn run(arguments: &ConvertArguments) -> Result<()> {
    if arguments.list {
        return output::write("-".as_ref(), |out| Ok(out.write_all(list().as_bytes())?));
    }
    // The argument parser guarantees it.
    let file = arguments.file.as_ref().context("nothing to read")?;
    let named = arguments.output.as_deref();
    // The argument parser guarantees one of them.
    let format = format(arguments.to.as_deref(), named.unwrap_or(Path::new("-")))?;
    let out = output_or_default(named, file, format)?;
    let export = Export::new(format, &out, arguments.estimate, [file])?;
    let mut options = WriteOptions {
        title: arguments.title.clone(),
        metric: arguments.metric.into(),
        estimate: arguments.estimate,
        ..WriteOptions::default()
    };
    let mut profile = if format.is_in_order() {
        input::read_in_order(file)?
    } else {
        input::read(file)?
    };
    if arguments.templates && templates::name(&mut profile) == 0 {
        say("--templates: the profile has no function of a compiled template whose file is here");
    }
    let metric = Metric::from(arguments.metric.of(&profile));
    match arguments.threshold {
        // Graphs and tables leave out functions and report the threshold
        // themselves.
        Some(percent) if format.has_threshold() => options.threshold_ppm = millionths(percent),
        Some(_) if !metric.is_in(profile.metrics) => {
            bail!(WriteError::NotMeasured { metric });
        }
        Some(percent) => profile = profile.without_small(metric, percent),
        None => {}
    }
    export.write(profile, &options)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to 100, as the argument parser guarantees"
)]
fn millionths(percent: f64) -> u32 {
    (percent * 10_000.0).round() as u32
}

/// The formats, one a line, as the table of `--list`.
fn list() -> String {
    let rows = formats().map(row);
    let head = ["format", "", "read", "write", "stacks", "ends in"].map(str::to_owned);
    let rows: Vec<[String; 6]> = [head].into_iter().chain(rows).collect();
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn row(format: &Format) -> [String; 6] {
    let yes = |is: bool| if is { "yes" } else { "-" }.to_owned();
    let endings = format.endings.iter().map(|ending| format!(".{ending}"));
    [
        format.id.to_owned(),
        format.name.to_owned(),
        yes(format.reads.is_some()),
        yes(format.writes.is_some()),
        if format.needs_stacks() { "needed" } else { "-" }.to_owned(),
        endings.collect::<Vec<_>>().join(" "),
    ]
}
