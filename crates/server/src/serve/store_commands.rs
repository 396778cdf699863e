//! `xhprof import` and `xhprof store`.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use ::serve::{Metadata, Readers, take};
use ::store::{Options, Runs, SqliteStore, Store};
use anyhow::{Context, Result, anyhow};

use super::{policies, tokens};
use crate::args::{ImportArguments, StoreArguments, StoreCommand, TokenCommand};
use crate::store_place::{self, StorePlace};
use cli::directory::{self, Skipped};
use cli::progress::{Progress, Work};
use cli::terminal::say;
use cli::{input, operand};

/// Stores files.
pub(crate) fn import(arguments: &ImportArguments) -> Result<()> {
    let files = directory::files(&arguments.files, None)?;
    let store = StorePlace::of(&arguments.folder)?.open()?;
    let metadata = Metadata {
        tags: super::tags(&arguments.tags),
        ..Metadata::default()
    };
    let readers = Readers::in_this_process();
    let progress = Progress::new("storing", Work::Files(files.len() as u64));
    let skipped = Skipped::default();
    let (mut read, mut new) = (0, 0);
    for file in &files {
        let outcome = input::bytes(&file.path).and_then(|bytes| {
            let metadata = metadata.of_file(&file.path);
            let stored = take(&readers, &*store, &bytes, &metadata);
            stored.with_context(|| format!("cannot store {}", operand::title(&file.path)))
        });
        progress.add(1);
        if let Some(stored) = skipped.take(file, outcome)? {
            read += 1;
            new += usize::from(stored.is_new);
        }
    }
    drop(progress);
    say(&format!("{new} of {read} runs are new"));
    skipped.report(read)
}

/// Returns false if something is damaged.
pub(crate) fn store(arguments: &StoreArguments) -> Result<bool> {
    let place = StorePlace::of(&arguments.folder)?;
    let mut out = std::io::stdout();
    let open = |command| open_folder(place.folder(command)?, true);
    match &arguments.command {
        StoreCommand::Verify => return verify(&*place.open_for_reading()?),
        StoreCommand::Rebuild => match &place {
            StorePlace::Folder(folder) => {
                let rebuilt = open_folder(folder, false)?.rebuild()?;
                writeln!(out, "{rebuilt} hours were computed again")?;
            }
            StorePlace::Clickhouse(address) => {
                let added = store_place::clickhouse(address)?.rebuild()?;
                writeln!(out, "{added} runs were added to the sums")?;
            }
        },
        StoreCommand::Compact => compact(&place)?,
        StoreCommand::Backup { to } => open("backup")?.backup(to)?,
        StoreCommand::Export { to, filter } => {
            let store = open("export")?;
            writeln!(out, "{} runs were written", export(&store, to, filter)?)?;
        }
        StoreCommand::Stats => {
            let stats = place.open_for_reading()?.stats()?;
            writeln!(out, "{}", serde_json::to_string_pretty(&stats)?)?;
        }
        StoreCommand::Policy(arguments) if arguments.is_change() => {
            policies::policy(&*place.open()?, arguments)?;
        }
        StoreCommand::Policy(arguments) => {
            policies::policy(&*place.open_for_reading()?, arguments)?;
        }
        StoreCommand::Token(command @ TokenCommand::List) => {
            tokens::token(&*place.open_for_reading()?, command)?;
        }
        // The first token is made before the first start of the server.
        StoreCommand::Token(command) => tokens::token(&*place.open()?, command)?,
        StoreCommand::Retain { app, dry_run: true } => {
            policies::retain(&*place.open_for_reading()?, app.as_deref(), true)?;
        }
        StoreCommand::Retain { app, .. } => {
            policies::retain(&*place.open()?, app.as_deref(), false)?;
        }
    }
    Ok(true)
}

fn compact(place: &StorePlace) -> Result<()> {
    let mut out = std::io::stdout();
    if let StorePlace::Clickhouse(address) = place
        && address.has_bucket()
        && let Some(removed) = store_place::clickhouse(address)?.sweep()?
    {
        writeln!(out, "{removed} objects without a run were removed")?;
        return Ok(());
    }
    let store = open_folder(place.folder("compact")?, false)?;
    let before = store.stats()?.disk_bytes;
    store.compact()?;
    let after = store.stats()?.disk_bytes;
    writeln!(out, "{before} bytes before, {after} after")?;
    Ok(())
}

/// A store in a folder.
fn open_folder(folder: &Path, read_only: bool) -> Result<SqliteStore> {
    let options = Options {
        read_only,
        ..Options::default()
    };
    Ok(SqliteStore::open_with(folder, options)?)
}

/// Returns false if something is damaged.
fn verify(store: &dyn Store) -> Result<bool> {
    let mut out = std::io::stdout();
    let verified = store.verify()?;
    for problem in &verified.problems {
        writeln!(out, "{}: {}", problem.item, problem.reason)?;
    }
    writeln!(
        out,
        "{} runs and {} hours were read; {} hours were compared with their runs; {} problems",
        verified.runs,
        verified.cells,
        verified.compared,
        verified.problems.len()
    )?;
    Ok(verified.problems.is_empty())
}

/// Writes the runs of a filter as files.
fn export(store: &SqliteStore, to: &Path, filter: &str) -> Result<u64> {
    let selection = ::serve::selection(filter).map_err(|error| anyhow!(error))?;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(to)?;
    let mut written = 0;
    let mut ids = Vec::new();
    store.each_id(&selection, &mut |id| {
        ids.push(id);
        Ok(())
    })?;
    for id in ids {
        // The policy may have removed it since.
        let Some(run) = store.run(&id)? else {
            continue;
        };
        let path = to.join(format!("{id}.xhp"));
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&path);
        let mut file = file.with_context(|| format!("cannot write {}", path.display()))?;
        file.write_all(&run.file)?;
        written += 1;
    }
    Ok(written)
}
