//! `xhprof run`: runs a PHP program with the profiler on, then prints a report.
//!
//! PHP writes its profile to a private temporary directory, which `xhprof`
//! removes at its end, unless it cannot save a profile. The program inherits the standard streams, and the
//! report goes to stderr. Profiles that the program writes itself stay in their
//! usual directory.

mod child;
mod collect;
mod script;

use std::ffi::OsString;
use std::fmt;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use formats::native::NATIVE;
use formats::{Format, WriteOptions};
use profile::{Body, Profile, native};
use settings::{AutoEnable, Definition};

use crate::args::{Mode, RunArguments};
use crate::extension::Extension;
use crate::php::{Php, definition, setting, without_triggers};
use crate::terminal::{Look, say};
use crate::words::{quoted, quoted_line};
use crate::{export, input, output, report};
use child::{Child, Ending};
use collect::{Collected, ProfileFile};

/// Runs the program and prints the report; the exit code is the program's.
pub(crate) fn run(arguments: &RunArguments) -> Result<u8> {
    if arguments.flags.0.lines && matches!(arguments.mode, Mode::Edges | Mode::Sample) {
        bail!(
            "the flag lines is for --mode tree and events: samples have lines without it, edges none"
        );
    }
    let keep = match &arguments.output {
        Some(path) => Some(Keep::new(path, arguments)?),
        None => None,
    };
    check_report(arguments)?;
    let php = Php::of_command(&arguments.command, &arguments.php.php);
    script::check(&php)?;
    let extension = Extension::find(&php, arguments.php.extension.as_deref())?;
    let signals = child::take_signals()?;
    // Removed at the end of its scope.
    let mut builder = tempfile::Builder::new();
    let directory = builder
        .prefix("xhprof-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir();
    let directory = directory.context("cannot create a temporary directory")?;

    let mut command = command(arguments, &php, &extension, directory.path());
    let child = Child::spawn(signals, &mut command)?;
    let pid = child.id();
    let ending = child.wait()?;
    // From here on no error may hide the program's exit code.
    let collected = Collected::from(directory.path(), pid);
    let outcome = collected.and_then(|collected| finish(arguments, keep, &collected, ending));
    let is_profiled = outcome.unwrap_or_else(|error| {
        say(&format!("error: {error:#}"));
        if error.is::<Unsaved>() {
            say(&format!(
                "what PHP wrote is kept in {}",
                quoted(directory.keep().as_os_str())
            ));
        }
        false
    });
    Ok(match ending.exit_code() {
        0 if !is_profiled => 1,
        code => code,
    })
}

/// Checks, before the program starts, that the report can be printed, because what it shows is
/// measured, and that no option would be ignored.
fn check_report(arguments: &RunArguments) -> Result<()> {
    let flags = arguments.flags.0;
    let is_sampled = arguments.mode == Mode::Sample;
    if arguments.interval.is_some() && !is_sampled {
        bail!("--interval is the time between two samples: it needs --mode sample");
    }
    let mut empty = Profile::empty();
    if let Body::Edges(edges) = &mut empty.body {
        // Only a profile with a peak has the columns of it.
        edges.root.peak = 1;
    }
    empty.metrics.calls = !is_sampled;
    empty.metrics.cpu = flags.cpu && !is_sampled;
    empty.metrics.memory = flags.memory && !is_sampled;
    let outcome = report::text(empty, "", &arguments.table, Look::plain());
    let measured = if is_sampled {
        "--mode sample records wall time only".to_owned()
    } else {
        let words = flags.words().replace(' ', ",");
        let words = if words.is_empty() { "none" } else { &words };
        format!("--flags is {words}")
    };
    outcome.with_context(|| format!("there would be no report ({measured})"))?;
    Ok(())
}

fn command(
    arguments: &RunArguments,
    php: &Php,
    extension: &Extension,
    directory: &Path,
) -> Command {
    let interval = (arguments.mode == Mode::Sample).then(|| {
        setting(
            &settings::SAMPLING_INTERVAL,
            &arguments.interval.unwrap_or(1000).into(),
        )
    });
    let mut command = Command::new(&php.binary);
    command
        .args(extension.options())
        .args(setting(&settings::AUTO_ENABLE, &AutoEnable::Always))
        .args(definition(
            settings::FLAGS.name(),
            arguments.flags.0.words(),
        ))
        .args(definition(settings::MODE.name(), arguments.mode.setting()))
        // Not `output_dir`: profiles that the program writes with `xhprof_write()`
        // stay in their usual directory.
        .args(definition(settings::AUTOMATIC_DIR.name(), directory))
        .args(
            RECORD_EVERYTHING
                .map(|setting| definition(setting.name(), setting.default_text()))
                .as_flattened(),
        )
        .args(interval.into_iter().flatten())
        .args(&php.arguments);
    // The arguments that name another `php` are not for this one.
    without_triggers(&mut command);
    command
}

/// Settings that reduce what is recorded on servers. With its default, each records
/// everything.
const RECORD_EVERYTHING: [&dyn Definition; 4] = [
    &settings::RATE,
    &settings::MATCH,
    &settings::MAX_PER_MINUTE,
    &settings::MIN_DURATION,
];

/// Writes the requested file and prints the report; returns false if there is
/// no profile.
fn finish(
    arguments: &RunArguments,
    keep: Option<Keep>,
    collected: &Collected,
    ending: Ending,
) -> Result<bool> {
    let Some(file) = &collected.main else {
        say(&format!(
            "error: no profile was written: {}",
            ending.why_no_profile()
        ));
        return Ok(false);
    };
    let title = title(&arguments.command);
    let profile = read(&title, file).context(Unsaved)?;
    let saved = keep.map_or(Ok(()), |keep| save(keep, &profile, collected, file));
    if arguments.no_report {
        return saved.context(Unsaved).map(|()| true);
    }
    let mut stderr = io::stderr().lock();
    let look = Look::of(&stderr);
    let text = report::text(profile, &title, &arguments.table, look);
    // An empty line after the program's own output.
    let printed = text.and_then(|text| Ok(write!(stderr, "\n{text}")?));
    drop(stderr);
    saved.context(Unsaved).and(printed)?;
    for note in notes(arguments, keep, collected) {
        say(&note);
    }
    Ok(true)
}

/// Marks an error that leaves what PHP wrote in its temporary directory alone.
#[derive(Debug)]
struct Unsaved;

impl fmt::Display for Unsaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a profile is not saved")
    }
}

/// The profile of `file`.
fn read(title: &str, file: &ProfileFile) -> Result<Profile> {
    let mut profile = file.read().context("cannot read what PHP wrote")?;
    profile.meta.title = Some(title.to_owned());
    templates::name(&mut profile);
    Ok(profile)
}

/// Writes the profile of `file`, and those of the other processes beside it.
fn save(keep: Keep, profile: &Profile, collected: &Collected, file: &ProfileFile) -> Result<()> {
    keep.save(keep.path, profile, file)?;
    for (mark, other) in collected.others() {
        let profile = other.read();
        let mut profile = profile.context("cannot read what a forked process wrote")?;
        templates::name(&mut profile);
        keep.save(&beside(keep.path, &mark), &profile, other)?;
    }
    Ok(())
}

/// The notes below the report: how to keep the profile, or its file and how to
/// open it; and the profiles of other processes.
fn notes(arguments: &RunArguments, keep: Option<Keep>, collected: &Collected) -> Vec<String> {
    let line: Vec<OsString> = std::env::args_os().collect();
    let mut notes = Vec::new();
    notes.extend(script::misplaced(&arguments.command, &line));
    let others = collected.others.len();
    // A server (`php -S`) writes a profile for each request; the report is about the first.
    let writers = if collected.are_of_one_process() {
        "further requests"
    } else {
        "forked processes"
    };
    let Some(keep) = keep else {
        let forked = match others {
            0 => String::new(),
            count => {
                format!("; {writers} wrote {count} more, which it keeps too")
            }
        };
        let rest = line.get(2..).unwrap_or_default();
        notes.push(format!(
            "the profile is not kept: `xhprof run -o run.xhp {}` keeps it{forked}",
            quoted_line(rest)
        ));
        return notes;
    };
    let file = quoted(keep.path.as_os_str());
    let kept = output::with_size(keep.path);
    if others > 0 {
        notes.push(format!(
            "{writers} wrote {others} more: their names are {file}.<pid>, or \
             {file}.<pid>.<number> if one wrote several"
        ));
    }
    let is_page = keep.path.extension().is_some_and(|ending| {
        let ending = ending.to_ascii_lowercase();
        ending == "html" || ending == "htm" || ending == "svg"
    });
    if is_page {
        notes.push(format!("wrote {kept}: open it in a browser"));
    } else if keep.format.reads.is_some() {
        notes.push(format!(
            "wrote {kept}: `xhprof view {file}` shows it in the browser, `xhprof report {file}` \
             prints this report again"
        ));
    } else {
        notes.push(format!("wrote {kept}"));
    }
    notes
}

/// The file and the format in which a profile is kept.
#[derive(Clone, Copy)]
struct Keep<'a> {
    path: &'a Path,
    format: &'static Format,
    /// Events were recorded, and the format keeps their order.
    in_order: bool,
}

impl<'a> Keep<'a> {
    /// Checks, before the program starts, that the profile can be written. A
    /// name without a known ending means the native format.
    fn new(path: &'a Path, arguments: &RunArguments) -> Result<Self> {
        output::check(path)?;
        let has_ending = path.extension().is_some();
        let format = match arguments.to.as_deref() {
            None if !has_ending && !input::is_standard(path) => &NATIVE,
            to => export::format(to, path)?,
        };
        if arguments.mode == Mode::Edges && format.needs_stacks() {
            bail!(
                "cannot write {}: {} is made of whole stacks, and --mode edges records only caller and \
                 callee pairs; --mode tree records stacks",
                path.display(),
                format.name
            );
        }
        Ok(Self {
            path,
            format,
            in_order: arguments.mode == Mode::Events && format.is_in_order(),
        })
    }

    /// Writes the profile that was read from `file`. For a report, many events become a call tree
    /// while they are read: they are taken from the file again.
    fn save(&self, path: &Path, profile: &Profile, file: &ProfileFile) -> Result<()> {
        if !self.in_order || !matches!(profile.body, Body::Tree(_)) {
            return self.write(path, profile);
        }
        let title = profile.meta.title.as_deref();
        if self.format.id == NATIVE.id {
            return output::write(path, |out| {
                Ok(native::copy_titled(file.open()?, title, out)?)
            });
        }
        let mut all = file.read_in_order()?;
        all.meta.title = title.map(str::to_owned);
        if matches!(all.body, Body::Tree(_)) {
            templates::name(&mut all);
            say(
                "note: there are more events than fit into the memory, so they become a call \
                 tree, without their order; `-o run.xhp` keeps all",
            );
        }
        self.write(path, &all)
    }

    fn write(&self, path: &Path, profile: &Profile) -> Result<()> {
        output::write(path, |out| {
            let options = WriteOptions::default();
            Ok(formats::write(self.format, profile, &options, out)?)
        })
    }
}

/// `run.xhp.4711`
fn beside(path: &Path, mark: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{mark}"));
    PathBuf::from(name)
}

/// The program as the user typed it.
fn title(command: &[OsString]) -> String {
    let words = command.iter().map(|word| word.to_string_lossy());
    words.collect::<Vec<_>>().join(" ")
}
