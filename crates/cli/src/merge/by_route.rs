//! `xhprof merge --by route`: writes one merged profile for each route, and
//! prints a table of them.
//!
//! The first pass finds the routes in the files' metadata; the second merges
//! one route after another. So only one sum is in memory at a time.
//!
//! **Invariant:** a route is arbitrary text, so a file's name consists only of
//! its letters and digits, and never begins with a dash or a dot.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use formats::native::NATIVE;
use formats::{Format, WriteOptions};
use profile::native::Summary;
use profile::{Merger, WallUnit};
use unicode_width::UnicodeWidthStr;

use crate::args::MergeArguments;
use crate::directory::{self, Found, Skipped};
use crate::export::Export;
use crate::input::Kinds;
use crate::list::{Entry, route};
use crate::output::size_of;
use crate::progress::{Progress, Work};
use crate::terminal::{Look, Style, printable, say};
use crate::units::{count, counted, time};
use crate::{export, input, output, pager};

/// The maximum length of the route in a file's name.
const MAX_NAME: usize = 80;
/// The route of a profile without a title, a script or a request.
const NONE: &str = "(no route)";

/// The sum of one route.
struct Sum {
    route: String,
    file: PathBuf,
    runs: u64,
    summary: Summary,
}

/// Merges the profiles route by route.
pub(super) fn run(arguments: &MergeArguments) -> Result<()> {
    let directory = &match &arguments.output {
        Some(directory) => directory.clone(),
        None => output::default_path(Path::new("routes"), "")?,
    };
    if input::is_standard(directory) {
        bail!("--by route writes one file for each route: -o must name a directory");
    }
    let (format, ending) = kind(arguments.to.as_deref())?;
    if arguments.files.iter().any(|file| input::is_standard(file)) {
        bail!("--by route reads the profiles twice, and standard input can be read only once");
    }
    if !directory.is_dir() {
        let made = fs::create_dir(directory);
        made.with_context(|| format!("cannot create the directory {}", directory.display()))?;
    }
    let files = directory::files(&arguments.files, None)?;
    let left_out = Skipped::default();
    let progress = Progress::new("merging", Work::Files(2 * files.len() as u64));
    let mut routes: BTreeMap<String, Vec<&Found>> = BTreeMap::new();
    for file in &files {
        let entry = Entry::read(&file.path);
        progress.add(1);
        if let Some(entry) = left_out.take(file, entry)? {
            let route = route(&entry.summary).unwrap_or_else(|| NONE.to_owned());
            routes.entry(route).or_default().push(file);
        }
    }
    let mut names = HashSet::new();
    let mut sums = Vec::new();
    for (route, files) in routes {
        let file = directory.join(format!("{}.{ending}", name(&route, &mut names)));
        let mut merger = Merger::default();
        let mut runs = 0;
        let mut kinds = Kinds::default();
        for file in files {
            let outcome = input::read_one_of_many(&file.path, &progress).and_then(|profile| {
                merger.add(&profile)?;
                kinds.count(&profile);
                Ok(())
            });
            runs += u64::from(left_out.take(file, outcome)?.is_some());
        }
        if runs == 0 {
            continue;
        }
        kinds.warn();
        let profile = merger.finish()?;
        let summary = Summary::of(&profile);
        let options = WriteOptions {
            title: Some(route.clone()),
            ..WriteOptions::default()
        };
        Export::new(format, &file, false, [])?.save(profile, &options)?;
        sums.push(Sum {
            route,
            file,
            runs,
            summary,
        });
    }
    drop(progress);
    left_out.report(sums.len())?;
    let size = sums.iter().filter_map(|sum| sum.file.metadata().ok());
    let size: u64 = size.map(|file| file.len()).sum();
    say(&format!(
        "wrote {} to {} ({})",
        counted(sums.len() as u64, "file"),
        directory.display(),
        size_of(size)
    ));
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.summary.total.wall));
    pager::print(false, |look| Ok(table(&sums, look)))
}

/// The format of the files, and the ending of their names.
fn kind(to: Option<&str>) -> Result<(&'static Format, &'static str)> {
    let format: &'static Format = match to {
        Some(to) => export::format(Some(to), Path::new("-"))?,
        None => &NATIVE,
    };
    Ok((format, export::ending(format)))
}

/// A route as a file name that is not in use yet.
fn name(route: &str, taken: &mut HashSet<String>) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric();
    let mut name = String::new();
    for letter in route.chars() {
        if is_word(letter) || letter == '.' && name.ends_with(is_word) {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with(['_', '.']) {
            name.push('_');
        }
        if name.len() >= MAX_NAME {
            break;
        }
    }
    let name = match name.trim_end_matches(['_', '.']) {
        "" => "route",
        name => name,
    };
    // On case-insensitive file systems two names must differ in more than case.
    let mut unique = name.to_owned();
    let mut number = 1;
    while !taken.insert(unique.to_ascii_lowercase()) {
        number += 1;
        unique = format!("{name}-{number}");
    }
    unique
}

/// The table of routes, the costliest first. Names are never cut.
fn table(sums: &[Sum], look: Look) -> String {
    let signed = |value| i64::try_from(value).unwrap_or(i64::MAX);
    let wall = |value: u64, sum: &Sum| match sum.summary.metrics.wall_unit {
        WallUnit::Nanoseconds => time(signed(value)),
        WallUnit::Samples => count(value),
    };
    let head = ["runs", "wall", "a run", "calls", "route"].map(str::to_owned);
    let mut rows = vec![(head, "file".to_owned())];
    for sum in sums {
        let total = &sum.summary.total;
        let cells = [
            count(sum.runs),
            wall(total.wall, sum),
            wall(total.wall / sum.runs.max(1), sum),
            count(total.calls),
            printable(sum.route.as_bytes()),
        ];
        rows.push((cells, printable(sum.file.display().to_string().as_bytes())));
    }
    let mut widths = [0; 5];
    for (cells, _) in &rows {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.width());
        }
    }
    let mut text = String::new();
    for (number, (cells, file)) in rows.iter().enumerate() {
        let mut line = String::new();
        for (place, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            let is_name = place + 1 == cells.len();
            let (before, behind) = if is_name {
                ("", &*padding)
            } else {
                (&*padding, "")
            };
            line.push_str(&format!("{before}{cell}{behind}  "));
        }
        line.push_str(file);
        let style = if number == 0 {
            Style::Bold
        } else {
            Style::Plain
        };
        text.push_str(&look.paint(style, &line));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_route_makes_a_safe_name_of_its_own() {
        let mut taken = HashSet::new();
        let mut of = |route: &str| name(route, &mut taken);
        assert_eq!(of("GET /articles/?"), "GET_articles");
        assert_eq!(of("GET /articles/{id}"), "GET_articles_id");
        assert_eq!(of("get /ARTICLES"), "get_ARTICLES-2");
        assert_eq!(of("-rf ../../etc/passwd"), "rf_etc_passwd");
        assert_eq!(of("../.hidden"), "hidden");
        assert_eq!(of("///"), "route");
        assert_eq!(of("größe"), "gr_e");
        assert_eq!(of("/srv/app/index.php"), "srv_app_index.php");
        assert_eq!(of(&"x".repeat(500)).len(), MAX_NAME);
    }
}
