//! `xhprof merge`: adds many profiles up to one, with one profile in memory
//! besides the sum; or to one for each route.

mod by_route;

use std::path::Path;

use anyhow::{Context, Result, bail};
use formats::WriteOptions;
use profile::Merger;

use crate::args::MergeArguments;
use crate::directory::{self, Skipped};
use crate::export::{Export, ending, format};
use crate::input::Kinds;
use crate::progress::{Progress, Work};
use crate::{input, output};

/// Merges the files.
pub(crate) fn run(arguments: &MergeArguments) -> Result<()> {
    if arguments.by.is_some() {
        return by_route::run(arguments);
    }
    let output = match (&arguments.output, arguments.to.as_deref()) {
        (Some(output), _) => output.clone(),
        (None, None) => output::default_path(Path::new("merged"), "xhp")?,
        (None, to) => {
            let format = format(to, Path::new("-"))?;
            output::default_path(Path::new("merged"), ending(format))?
        }
    };
    if output.is_dir() {
        bail!(
            "cannot write {}: it is a directory; name a file in it, or give --by route for one \
             file a route",
            output.display()
        );
    }
    let format = format(arguments.to.as_deref(), &output)?;
    input::check(&arguments.files)?;
    let files = directory::files(&arguments.files, Some(&output))?;
    let named = files.iter().filter(|file| !file.is_found);
    let export = Export::new(format, &output, false, named.map(|file| &file.path))?;
    let mut merger = Merger::default();
    let mut merged = 0;
    let left_out = Skipped::default();
    let progress = Progress::new("merging", Work::Files(files.len() as u64));
    let mut kinds = Kinds::default();
    for file in &files {
        let outcome = input::read_one_of_many(&file.path, &progress).and_then(|profile| {
            let outcome = merger.add(&profile);
            outcome.with_context(|| format!("cannot merge {}", input::title(&file.path)))?;
            kinds.count(&profile);
            Ok(())
        });
        merged += usize::from(left_out.take(file, outcome)?.is_some());
    }
    drop(progress);
    left_out.report(merged)?;
    kinds.warn();
    let options = WriteOptions {
        title: arguments.title.clone(),
        ..WriteOptions::default()
    };
    export.write(merger.finish()?, &options)
}
