//! Profiles out of the program: which format, and into what.
//!
//! **Invariant:** whether a format can hold a profile is asked before a byte is
//! written, so that nothing half-made goes anywhere.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use formats::html_report::HtmlReport;
use formats::{Format, WriteError, WriteOptions};
use profile::{Body, Profile};

use crate::progress::{Progress, Work};
use crate::suggest::suggestion;
use crate::terminal::say;
use crate::{input, output, stacks};

/// The format that was asked for: by name, else by the end of the file's name.
pub(crate) fn format(to: Option<&str>, out: &Path) -> Result<&'static dyn Format> {
    const LIST: &str = "`xhprof convert --list` has them all";
    if out.is_dir() {
        bail!(
            "cannot write {}: it is a directory; name a file in it, as in {}",
            out.display(),
            out.join("run.html").display()
        );
    }
    let format = if let Some(id) = to {
        formats::by_id(id).ok_or_else(|| {
            let known = formats::FORMATS.iter().map(|format| format.id());
            anyhow!("no format is called {id}: {LIST}{}", suggestion(id, known))
        })?
    } else if input::is_standard(out) {
        bail!("standard output has no name that says the format: give --to FORMAT; {LIST}");
    } else {
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        formats::for_file_name(&name).ok_or_else(|| {
            anyhow!("no format is known by the end of {name}: give --to FORMAT; {LIST}")
        })?
    };
    if format.holds().is_none() {
        let format = format.name();
        bail!(WriteError::NotWritable { format });
    }
    Ok(format)
}

/// Where a profile goes.
#[derive(Clone, Copy)]
pub(crate) struct Export<'a> {
    pub(crate) format: &'static dyn Format,
    pub(crate) out: &'a Path,
    /// Whether stacks may be guessed.
    pub(crate) estimate: bool,
}

impl<'a> Export<'a> {
    /// Finds out, before anything is read, whether all of this can be done.
    pub(crate) fn new<'p>(
        format: &'static dyn Format,
        out: &'a Path,
        estimate: bool,
        inputs: impl IntoIterator<Item = &'p PathBuf> + Clone,
    ) -> Result<Self> {
        input::check(inputs.clone())?;
        output::check_apart(out, inputs)?;
        Ok(Self {
            format,
            out,
            estimate,
        })
    }

    /// The profile as the format wants it: with stacks, if they may be guessed.
    fn prepared(&self, profile: Profile) -> Profile {
        let holds_stacks = self.format.holds().is_some_and(|holds| holds.stacks);
        // The report guesses by itself, and only for its flame graph.
        if self.estimate && holds_stacks && self.format.id() != HtmlReport.id() {
            return stacks::guessed(profile);
        }
        profile
    }

    /// Reads the profile to compare with: of several, their mean.
    pub(crate) fn base(&self, paths: &[PathBuf]) -> Result<Option<Profile>> {
        let base = match paths {
            [] => return Ok(None),
            paths => self.prepared(input::read_mean(paths)?),
        };
        let needs_stacks = self.format.holds().is_some_and(|holds| holds.needs_stacks);
        if needs_stacks && matches!(base.body, Body::Edges(_)) {
            let format = self.format.name();
            let outcome = Err(WriteError::NeedsStacks { format });
            let names: Vec<String> = paths.iter().map(|path| input::title(path)).collect();
            return outcome.with_context(|| format!("cannot compare with {}", names.join(", ")));
        }
        Ok(Some(base))
    }

    /// Writes the profile.
    pub(crate) fn write(&self, profile: Profile, options: &WriteOptions) -> Result<()> {
        let name = if input::is_standard(self.out) {
            self.format.name().to_owned()
        } else {
            self.out.display().to_string()
        };
        if !profile.meta.not_read.is_empty() {
            let names = profile.meta.not_read.join(", ");
            say(&format!(
                "note: read without {names}: there is no place for more costs"
            ));
        }
        let _progress = Progress::new(&format!("writing {name}"), Work::Unknown);
        output::write(self.out, |out| {
            let profile = self.prepared(profile);
            formats::write(self.format, &profile, options, out).map_err(|error| match error {
                // That it cannot be written is said by those who know where.
                WriteError::Io(error) => error.into(),
                error => error.into(),
            })
        })?;
        if let Some(warning) = self.format.warning() {
            say(warning);
        }
        Ok(())
    }
}
