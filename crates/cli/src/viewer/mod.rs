//! `xhprof html` and `xhprof view`: profiles in a browser.
//!
//! Both make the same page, with the front end of `web/`, the engine and the
//! profiles in it. It works as a file, and loads nothing.

mod answers;
mod format;
mod page;
mod parts;
mod plain;
mod server;
pub(crate) mod sources;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use profile::{Merger, Profile};
use view::{Document, MetricName};

use crate::args::{Cost, HtmlArguments, PageArguments, ViewerArguments};
use crate::directory::{self, Found, Skipped};
use crate::input::Kinds;
use crate::progress::{Progress, Work};
use crate::{input, output};

pub(crate) use format::{FLAME_PAGE, PAGE, PAGES};
use page::{Embedded, Page};

/// Makes the page as a file.
pub(crate) fn html(arguments: &HtmlArguments) -> Result<()> {
    let HtmlArguments {
        files,
        output,
        page,
    } = arguments;
    let inputs = || page.base.iter().chain(files);
    input::check(inputs())?;
    let output = match (output, files.first()) {
        (None, Some(first)) => output::default_path(first, "html")?,
        (named, _) => named.clone().context("nowhere to write")?,
    };
    output::check_apart(&output, inputs())?;
    let made = made(files, page, Some(&output))?;
    output::write(&output, |out| Ok(made.write(out)?))?;
    output::say_written(&output);
    Ok(())
}

/// Shows the page until it is interrupted.
pub(crate) fn view(arguments: &ViewerArguments) -> Result<()> {
    input::check(arguments.page.base.iter().chain(&arguments.files))?;
    let made = made(&arguments.files, &arguments.page, None)?;
    let mut html = Vec::new();
    made.write(&mut html)?;
    html.flush()?;
    server::show(html, arguments)
}

/// Reads the profiles, all of which the page opens.
fn made(files: &[PathBuf], arguments: &PageArguments, output: Option<&Path>) -> Result<Page> {
    let new = directory::files(files, output)?;
    let base = directory::files(&arguments.base, output)?;
    let count = (new.len() + base.len()) as u64;
    let progress = Progress::new("reading", Work::Files(count));
    let mut embedded = Vec::new();
    add_side(&base, true, &mut embedded, &progress)?;
    let (profile, is_folded) = add_side(&new, false, &mut embedded, &progress)?;
    drop(progress);
    let names = |of_base: bool| -> Vec<String> {
        let side = embedded.iter().filter(|file| file.is_base == of_base);
        side.map(|file| file.name.clone()).collect()
    };
    let (new, base) = (names(false), names(true));
    let own = profile
        .as_ref()
        .and_then(|profile| profile.meta.title.clone());
    let mut title = arguments
        .title
        .clone()
        .or(own)
        .unwrap_or_else(|| new.join(", "));
    if title.is_empty() {
        "xhprof".clone_into(&mut title);
    }
    if !base.is_empty() && arguments.title.is_none() {
        title = format!("{title}, compared with {}", base.join(", "));
    }
    let mut document = profile.map(|profile| Document::new(profile, new));
    let sources = match &mut document {
        Some(document) if !arguments.source.is_empty() => {
            let json = sources::collected(document, &arguments.source)?;
            Some(Embedded::new("sources".to_owned(), false, json)?)
        }
        _ => None,
    };
    let (metric, metric_name) = match arguments.metric {
        Cost::Wall => (MetricName::Wall, "wall"),
        Cost::Cpu => (MetricName::Cpu, "cpu"),
        Cost::Memory => (MetricName::Memory, "memory"),
        Cost::Peak => (MetricName::Peak, "peak"),
        Cost::Calls => (MetricName::Calls, "calls"),
    };
    let answers = match &mut document {
        // Of folded events the engine in the page knows more.
        Some(document) if arguments.base.is_empty() && !arguments.estimate && !is_folded => {
            answers::first(document, metric)?
        }
        _ => None,
    };
    let plain = match &mut document {
        Some(document) => plain::page(document),
        None => "<p>This page needs JavaScript to open a profile.</p>".to_owned(),
    };
    Ok(Page {
        title,
        is_titled: arguments.title.is_some(),
        metric: metric_name,
        estimate: arguments.estimate,
        editor: arguments.editor.clone(),
        editor_paths: arguments.editor_path.clone(),
        start: None,
        files: embedded,
        answers,
        sources,
        plain,
    })
}

/// Reads the files of one side; returns their sum, and whether events of them became a call tree.
fn add_side(
    files: &[Found],
    is_base: bool,
    embedded: &mut Vec<Embedded>,
    progress: &Progress,
) -> Result<(Option<Profile>, bool)> {
    let mut is_folded = false;
    let skipped = Skipped::default();
    let mut merger = Merger::default();
    let mut only = None;
    let mut read = 0;
    let mut kinds = Kinds::default();
    for file in files {
        let outcome = input::bytes(&file.path).and_then(|bytes| {
            let name = input::title(&file.path);
            // Now rather than in the browser, where the user cannot give another file.
            let budget = input::budget();
            let profile = input::parsed_within(&bytes[..], &budget);
            is_folded |= budget.has_folded_events();
            Ok((
                profile.with_context(|| format!("cannot read {name}"))?,
                bytes,
            ))
        });
        progress.add(1);
        let Some((profile, bytes)) = skipped.take(file, outcome)? else {
            continue;
        };
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let name = match &*name {
            "-" | "" => input::title(&file.path),
            name => name.to_owned(),
        };
        embedded.push(Embedded::new(name, is_base, bytes)?);
        kinds.count(&profile);
        read += 1;
        if files.len() == 1 {
            only = Some(profile);
        } else {
            let outcome = merger.add(&profile);
            outcome.with_context(|| format!("cannot merge {}", input::title(&file.path)))?;
        }
    }
    if files.is_empty() {
        return Ok((None, false));
    }
    skipped.report(read)?;
    kinds.warn();
    let sum = match only {
        Some(profile) => profile,
        None => merger.finish()?,
    };
    Ok((Some(sum), is_folded))
}
