//! Profiles that the command line names: files, and `-`.
//!
//! **Invariant:** an input is read as it comes, never into memory first: what
//! is kept is the profile.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};
use formats::ReadError;
use profile::Profile;

use crate::args::MemoryArguments;
use crate::progress::{Counted, Progress, Work};

const BUFFER: usize = 256 * 1024;

/// What a profile may take, as the command line says.
static MEMORY: OnceLock<MemoryArguments> = OnceLock::new();

/// Says what the profiles that are read from now on may take; once.
pub(crate) fn set_memory(arguments: MemoryArguments) {
    let _ = MEMORY.set(arguments);
}

/// Whether `path` is `-`, which stands for a standard stream.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// What an input is called.
pub(crate) fn title(path: &Path) -> String {
    if is_standard(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Reads a profile, with a bar if that takes its time.
pub(crate) fn read(path: &Path) -> Result<Profile> {
    let work = match path.metadata() {
        Ok(file) if file.is_file() && !is_standard(path) => Work::Bytes(file.len()),
        _ => Work::Unknown,
    };
    let progress = Progress::new(&format!("reading {}", title(path)), work);
    with_context(path, |input| parsed(Counted::new(input, &progress)))
}

/// Reads one of many profiles, which have a bar together.
pub(crate) fn read_one_of_many(path: &Path, progress: &Progress) -> Result<Profile> {
    let profile = with_context(path, |input| parsed(input));
    progress.add(1);
    profile
}

/// Refuses to read standard input twice.
pub(crate) fn check<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<()> {
    if paths.into_iter().filter(|path| is_standard(path)).count() > 1 {
        bail!("`-` is there twice, but standard input can be read only once");
    }
    Ok(())
}

fn with_context(
    path: &Path,
    read: impl FnOnce(&mut dyn Read) -> Result<Profile>,
) -> Result<Profile> {
    let outcome = if is_standard(path) {
        read(&mut io::stdin().lock())
    } else {
        File::open(path)
            .map_err(Into::into)
            .and_then(|mut file| read(&mut file))
    };
    outcome.with_context(|| format!("cannot read {}", title(path)))
}

/// The profile in an input, which no path may name.
pub(crate) fn parsed(input: impl Read) -> Result<Profile> {
    let memory = MEMORY.get().copied().unwrap_or_default();
    let input = BufReader::with_capacity(BUFFER, input);
    let outcome = formats::read_within(input, &memory.budget());
    outcome.map_err(|error| match error {
        // What could not be read is said by those who know its name.
        ReadError::Io(error) => error.into(),
        ReadError::Memory(error) => anyhow!("{error}; --memory-limit raises it"),
        error => error.into(),
    })
}
