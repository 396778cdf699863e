//! `xhprof merge`: adds many profiles up to one, with one profile in memory
//! besides the sum; or to one for each route.

mod by_route;

use anyhow::{Context, Result, bail};
use formats::WriteOptions;
use profile::Merger;

use crate::args::MergeArguments;
use crate::directory::{self, Skipped};
use crate::export::{Export, format};
use crate::input;
use crate::progress::{Progress, Work};

/// Merges the files.
pub(crate) fn run(arguments: &MergeArguments) -> Result<()> {
    if arguments.by.is_some() {
        return by_route::run(arguments);
    }
    if arguments.output.is_dir() {
        bail!(
            "cannot write {}: it is a directory; name a file in it, or give --by route for one \
             file a route",
            arguments.output.display()
        );
    }
    let format = format(arguments.to.as_deref(), &arguments.output)?;
    input::check(&arguments.files)?;
    let files = directory::files(&arguments.files, Some(&arguments.output))?;
    let named = files.iter().filter(|file| !file.is_found);
    let export = Export::new(
        format,
        &arguments.output,
        false,
        named.map(|file| &file.path),
    )?;
    let mut merger = Merger::default();
    let mut merged = 0;
    let left_out = Skipped::default();
    let progress = Progress::new("merging", Work::Files(files.len() as u64));
    for file in &files {
        let outcome = input::read_one_of_many(&file.path, &progress).and_then(|profile| {
            let outcome = merger.add(&profile);
            outcome.with_context(|| format!("cannot merge {}", input::title(&file.path)))
        });
        merged += usize::from(left_out.take(file, outcome)?.is_some());
    }
    drop(progress);
    left_out.report(merged)?;
    let options = WriteOptions {
        title: arguments.title.clone(),
        ..WriteOptions::default()
    };
    export.write(merger.finish()?, &options)
}
