//! Reads the profiles that the command line names: files, directories, and `-`.
//!
//! **Invariant:** an input is read as a stream, never into memory first: only
//! the profile is kept. [`bytes`] is the exception, for a page that holds the
//! file itself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};
use formats::ReadError;
use profile::{Body, Budget, Merger, Profile};

use crate::args::MemoryArguments;
use crate::directory::{self, Skipped};
use crate::operand::permission_error;
pub(crate) use crate::operand::{is_standard, title};
use crate::progress::{Counted, Progress, Work};
use crate::terminal::say;
use crate::units::count;

const BUFFER: usize = 256 * 1024;

/// The memory limit of one profile, from the command line.
static MEMORY: OnceLock<MemoryArguments> = OnceLock::new();

/// Sets the memory limit of all profiles read from now on. Called once.
pub fn set_memory(arguments: MemoryArguments) {
    let _ = MEMORY.set(arguments);
}

/// The memory limit of one profile.
pub(crate) fn budget() -> Budget {
    MEMORY.get().copied().unwrap_or_default().budget()
}

/// Reads a profile, with a progress bar if that takes long. A directory gives
/// the sum of its profiles.
pub(crate) fn read(path: &Path) -> Result<Profile> {
    read_with(path, &budget())
}

/// The same for an output that keeps calls in the order of time. A note on stderr says if there
/// are too many events for that.
pub(crate) fn read_in_order(path: &Path) -> Result<Profile> {
    let budget = MEMORY.get().copied().unwrap_or_default().budget_in_order();
    let profile = read_with(path, &budget)?;
    if budget.has_folded_events() {
        say(&format!(
            "note: {} has more events than fit into the memory, so they become a call tree, without their order; \
             a larger --memory-limit keeps more",
            title(path)
        ));
    }
    Ok(profile)
}

fn read_with(path: &Path, budget: &Budget) -> Result<Profile> {
    if !is_standard(path) && path.is_dir() {
        let (profile, _) = merged(&[path.to_owned()])?;
        return Ok(profile);
    }
    let work = match path.metadata() {
        Ok(file) if file.is_file() && !is_standard(path) => Work::Bytes(file.len()),
        _ => Work::Unknown,
    };
    let progress = Progress::new(&format!("reading {}", title(path)), work);
    with_context(path, |input| {
        parsed_within(Counted::new(input, &progress), budget)
    })
}

/// Reads one of many profiles that share one progress bar.
pub(crate) fn read_one_of_many(path: &Path, progress: &Progress) -> Result<Profile> {
    let profile = with_context(path, |input| parsed(input));
    progress.add(1);
    profile
}

/// Reads a profile without a progress bar.
pub(crate) fn read_without_progress(path: &Path) -> Result<Profile> {
    with_context(path, |input| parsed(input))
}

/// Reads the base of a comparison: one profile, or the mean of several.
pub(crate) fn read_mean(paths: &[PathBuf]) -> Result<Profile> {
    match paths {
        [path] if is_standard(path) || !path.is_dir() => read(path),
        paths => {
            let (profile, runs) = merged(paths)?;
            Ok(profile.mean_of(runs))
        }
    }
}

/// Reads several profiles and directories, and adds them up; also returns how
/// many there were.
fn merged(paths: &[PathBuf]) -> Result<(Profile, u64)> {
    let files = directory::files(paths, None)?;
    let progress = Progress::new("reading", Work::Files(files.len() as u64));
    let left_out = Skipped::default();
    let mut merger = Merger::default();
    let mut merged = 0;
    let mut kinds = Kinds::default();
    for file in &files {
        let outcome = read_one_of_many(&file.path, &progress).and_then(|profile| {
            let outcome = merger.add(&profile);
            outcome.with_context(|| format!("cannot merge {}", title(&file.path)))?;
            kinds.count(&profile);
            Ok(())
        });
        merged += usize::from(left_out.take(file, outcome)?.is_some());
    }
    drop(progress);
    left_out.report(merged)?;
    kinds.warn();
    Ok((merger.finish()?, merged as u64))
}

/// How many profiles of each kind are added up.
#[derive(Debug, Default)]
pub(crate) struct Kinds(BTreeMap<&'static str, u64>);

impl Kinds {
    /// Counts a profile.
    pub(crate) fn count(&mut self, profile: &Profile) {
        let kind = match profile.body {
            Body::Samples(_) => "samples",
            Body::Edges(_) => "edges",
            Body::Tree(_) => "trees",
            Body::Events(_) => "events",
        };
        *self.0.entry(kind).or_default() += 1;
    }

    /// Tells the user what a sum of several kinds does not have.
    pub(crate) fn warn(&self) {
        if let Some(note) = self.note() {
            say(&note);
        }
    }

    fn note(&self) -> Option<String> {
        // Trees and events hold the same costs of the same calls.
        let is_exact = |kind: &str| matches!(kind, "trees" | "events");
        if self.0.len() < 2 || self.0.keys().all(|kind| is_exact(kind)) {
            return None;
        }
        let kinds = self
            .0
            .iter()
            .map(|(kind, files)| format!("{} of {kind}", count(*files)));
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        let lost = match (self.0.contains_key("samples"), self.0.contains_key("edges")) {
            (true, true) => "calls are not counted, and there are no stacks",
            (true, false) => "calls are not counted",
            _ => "there are no stacks",
        };
        Some(format!(
            "note: profiles of several kinds are added up ({kinds}), so {lost}; name the files of \
             one kind to keep that"
        ))
    }
}

/// Refuses to read standard input twice.
pub(crate) fn check<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<()> {
    if paths.into_iter().filter(|path| is_standard(path)).count() > 1 {
        bail!("`-` occurs twice, but standard input can be read only once");
    }
    Ok(())
}

/// The bytes of an input as they are, for a page that holds the file itself.
pub fn bytes(path: &Path) -> Result<Vec<u8>> {
    let limit = match MEMORY.get().copied().unwrap_or_default().memory_limit {
        0 => u64::MAX,
        limit => limit,
    };
    with_context(path, |input| {
        let mut bytes = Vec::new();
        input.take(limit).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == limit {
            bail!("it is larger than {limit} bytes; --memory-limit raises that");
        }
        Ok(bytes)
    })
}

fn with_context<T>(path: &Path, read: impl FnOnce(&mut dyn Read) -> Result<T>) -> Result<T> {
    let outcome = if is_standard(path) {
        read(&mut io::stdin().lock())
    } else {
        match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                bail!("cannot read {}", permission_error(path))
            }
            Err(error) => Err(error.into()),
            Ok(mut file) => read(&mut file),
        }
    };
    outcome.with_context(|| format!("cannot read {}", title(path)))
}

/// Parses a profile from an input, without naming a file in errors.
pub(crate) fn parsed(input: impl Read) -> Result<Profile> {
    parsed_within(input, &budget())
}

/// The same in the order of time: see [`read_in_order`].
pub(crate) fn parsed_in_order(input: impl Read) -> Result<Profile> {
    let budget = MEMORY.get().copied().unwrap_or_default().budget_in_order();
    parsed_within(input, &budget)
}

/// The same within a budget of the caller, who can ask it what became of events.
pub(crate) fn parsed_within(input: impl Read, budget: &Budget) -> Result<Profile> {
    let input = BufReader::with_capacity(BUFFER, input);
    let outcome = formats::read_within(input, budget);
    outcome.map_err(|error| match error {
        // The caller adds the file's name to this error.
        ReadError::Io(error) => error.into(),
        ReadError::Memory(error) => anyhow!("{error}; --memory-limit raises it"),
        error => error.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kinds: &[(&'static str, u64)]) -> Option<String> {
        Kinds(kinds.iter().copied().collect()).note()
    }

    #[test]
    fn kinds_are_not_mixed_in_silence() {
        assert_eq!(note(&[("trees", 7)]), None);
        assert_eq!(note(&[("trees", 7), ("events", 1)]), None);
        let mixed = note(&[("trees", 7), ("samples", 2)]).unwrap();
        assert!(
            mixed.contains("(2 of samples, 7 of trees), so calls are not counted;"),
            "{mixed}"
        );
        let mixed = note(&[("edges", 1), ("events", 1)]).unwrap();
        assert!(mixed.contains("so there are no stacks;"), "{mixed}");
    }
}
