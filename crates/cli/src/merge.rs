//! `xhprof merge`: many profiles as one, with only one of them in memory beside
//! the sum.

use anyhow::{Context, Result};
use formats::WriteOptions;
use profile::Merger;

use crate::args::MergeArguments;
use crate::export::{Export, format};
use crate::input;
use crate::progress::{Progress, Work};

/// Merges the files.
pub(crate) fn run(arguments: &MergeArguments) -> Result<()> {
    let format = format(arguments.to.as_deref(), &arguments.output)?;
    let export = Export::new(format, &arguments.output, false, &arguments.files)?;
    let mut merger = Merger::default();
    let progress = Progress::new("merging", Work::Files(arguments.files.len() as u64));
    for file in &arguments.files {
        let profile = input::read_one_of_many(file, &progress)?;
        let outcome = merger.add(&profile);
        outcome.with_context(|| format!("cannot merge {}", input::title(file)))?;
    }
    drop(progress);
    let options = WriteOptions {
        title: arguments.title.clone(),
        ..WriteOptions::default()
    };
    export.write(merger.finish()?, &options)
}
