//! Writing profiles: chooses the format and the destination.
//!
//! **Invariant:** whether a format can hold a profile is checked before the
//! first byte is written, so that no incomplete file is left behind.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use formats::{FORMATS, Format, WriteError, WriteOptions};
use profile::{Body, Profile};

use crate::progress::{Progress, Work};
use crate::suggest::suggestion;
use crate::terminal::say;
use crate::viewer::{PAGE, PAGES};
use crate::{input, output, stacks};

/// All formats: those of files, and the viewer's page.
pub(crate) fn formats() -> impl Iterator<Item = &'static Format> {
    FORMATS.iter().chain(&PAGES)
}

/// The format to write to a file of that name.
pub(crate) fn for_file_name(name: &str) -> Option<&'static Format> {
    let lower = name.to_ascii_lowercase();
    let fits = |ending: &&str| {
        let before = lower.strip_suffix(*ending);
        before.is_some_and(|before| before.ends_with('.'))
    };
    // The page at the flame graph comes first: its ending is the longer one.
    let page = PAGES.iter().find(|page| page.endings.iter().any(&fits));
    page.or_else(|| formats::for_file_name(name))
}

/// The output file: as named, else the input's name with the format's first ending.
pub(crate) fn output_or_default(
    named: Option<&Path>,
    input: &Path,
    format: &Format,
) -> Result<PathBuf> {
    match named {
        Some(named) => Ok(named.to_owned()),
        None => output::default_path(input, ending(format)),
    }
}

/// The ending of a format's files.
pub(crate) fn ending(format: &Format) -> &'static str {
    format.endings.first().copied().unwrap_or("profile")
}

/// The requested format: by name, else by the ending of the file's name.
pub(crate) fn format(to: Option<&str>, out: &Path) -> Result<&'static Format> {
    const LIST: &str = "`xhprof convert --list` lists all";
    if out.is_dir() {
        bail!(
            "cannot write {}: it is a directory; name a file in it, as in {}",
            out.display(),
            out.join("run.html").display()
        );
    }
    let format = if let Some(id) = to {
        formats().find(|format| format.id == id).ok_or_else(|| {
            let known = formats().map(|format| format.id);
            anyhow!("there is no format {id}: {LIST}{}", suggestion(id, known))
        })?
    } else if input::is_standard(out) {
        bail!("standard output has no name that says the format: give --to FORMAT; {LIST}");
    } else {
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        for_file_name(&name).ok_or_else(|| {
            anyhow!("no format has the ending of {name}: give --to FORMAT; {LIST}")
        })?
    };
    if format.writes.is_none() {
        let format = format.name;
        bail!(WriteError::NotWritable { format });
    }
    Ok(format)
}

/// The destination of a profile.
#[derive(Clone, Copy)]
pub(crate) struct Export<'a> {
    pub(crate) format: &'static Format,
    pub(crate) out: &'a Path,
    /// Whether stacks may be estimated.
    pub(crate) estimate: bool,
}

impl<'a> Export<'a> {
    /// Checks everything that can be checked before a file is read.
    pub(crate) fn new<'p>(
        format: &'static Format,
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

    /// The profile as the format needs it: with stacks, if they may be
    /// estimated.
    fn prepared(&self, profile: Profile) -> Profile {
        let holds_stacks = self.format.holds_stacks();
        // The viewer's page estimates stacks itself, where a view needs them.
        if self.estimate && holds_stacks && self.format.id != PAGE.id {
            return stacks::estimated(profile);
        }
        profile
    }

    /// Reads the profile to compare with: the mean of several.
    pub(crate) fn base(&self, paths: &[PathBuf]) -> Result<Option<Profile>> {
        let base = match paths {
            [] => return Ok(None),
            paths => self.prepared(input::read_mean(paths)?),
        };
        let needs_stacks = self.format.needs_stacks();
        if needs_stacks && matches!(base.body, Body::Edges(_)) {
            let format = self.format.name;
            let outcome = Err(WriteError::NeedsStacks { format });
            let names: Vec<String> = paths.iter().map(|path| input::title(path)).collect();
            return outcome.with_context(|| format!("cannot compare with {}", names.join(", ")));
        }
        Ok(Some(base))
    }

    /// Writes the profile, and says where.
    pub(crate) fn write(&self, profile: Profile, options: &WriteOptions) -> Result<()> {
        self.save(profile, options)?;
        output::say_written(self.out);
        Ok(())
    }

    /// Writes the profile.
    pub(crate) fn save(&self, profile: Profile, options: &WriteOptions) -> Result<()> {
        let name = if input::is_standard(self.out) {
            self.format.name.to_owned()
        } else {
            self.out.display().to_string()
        };
        if !profile.meta.not_read.is_empty() {
            let names = profile.meta.not_read.join(", ");
            say(&format!(
                "note: read without {names}: profiles have no further costs"
            ));
        }
        let _progress = Progress::new(&format!("writing {name}"), Work::Unknown);
        output::write(self.out, |out| {
            let profile = self.prepared(profile);
            formats::write(self.format, &profile, options, out).map_err(|error| match error {
                // The caller adds the file's name to this error.
                WriteError::Io(error) => error.into(),
                error => error.into(),
            })
        })?;
        if let Some(warning) = self.format.warning {
            say(warning);
        }
        Ok(())
    }
}
