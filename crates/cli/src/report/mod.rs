//! `xhprof report`, and the report at the end of `xhprof run`.
//!
//! Reads a recording, says in one line what it is, and prints the table of its
//! functions.

mod calls;
mod pattern;
mod samples;
mod table;

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use profile::Profile;
use unicode_width::UnicodeWidthStr;

use crate::args::{ReportArguments, TableArguments};
use crate::terminal::{Look, Style, printable};
use pattern::Pattern;
use table::Table;

/// Prints the report on a file.
pub(crate) fn run(arguments: &ReportArguments) -> Result<()> {
    let (title, bytes) = read_input(&arguments.file)?;
    let profile =
        formats::read(bytes.as_slice()).with_context(|| format!("cannot read {title}"))?;
    let mut out = io::stdout().lock();
    print(&profile, &title, &arguments.table, Look::of(&out), &mut out)
}

fn read_input(path: &Path) -> Result<(String, Vec<u8>)> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        let outcome = io::stdin().lock().read_to_end(&mut bytes);
        outcome.context("cannot read standard input")?;
        return Ok(("standard input".to_owned(), bytes));
    }
    let title = path.display().to_string();
    let bytes = fs::read(path).with_context(|| format!("cannot read {title}"))?;
    Ok((title, bytes))
}

/// Prints the report on a recording to `out`, in one go.
pub(crate) fn print(
    profile: &Profile,
    title: &str,
    arguments: &TableArguments,
    look: Look,
    out: &mut impl Write,
) -> Result<()> {
    let pattern = arguments.pattern.as_deref().map(Pattern::new);
    let (summary, table) = if profile.metrics.calls {
        (
            calls::summary(profile),
            calls::table(profile, arguments, pattern.as_ref()),
        )
    } else {
        (
            samples::summary(profile),
            samples::table(profile, arguments, pattern.as_ref()),
        )
    };
    let title = profile.meta.title.as_deref().unwrap_or(title);
    let title = printable(title.as_bytes());
    let fits = title.width() + 2 + summary.width() <= look.width;
    let separator = if fits {
        "  "
    } else {
        "
"
    };
    let title = look.paint(Style::Bold, &title);
    let mut text = format!(
        "{title}{separator}{summary}

"
    );
    text.push_str(&rendered(&table, arguments, look));
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

fn rendered(table: &Table, arguments: &TableArguments, look: Look) -> String {
    if table.rows.is_empty() {
        return match &arguments.pattern {
            Some(pattern) => format!("no function matches {}\n", printable(pattern.as_bytes())),
            None => "nothing was recorded\n".to_owned(),
        };
    }
    table.render(look)
}
