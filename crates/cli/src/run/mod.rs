//! `xhprof run`: a PHP program with the profiler on, and a report at its end.
//!
//! PHP writes its profile into a private directory of ours, which is gone when
//! we are. The program's own streams are inherited: nothing of it is touched,
//! and the report goes to stderr.

mod child;
mod collect;

use std::ffi::OsString;
use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use profile::Profile;

use crate::args::{Format, RunArguments};
use crate::extension::Extension;
use crate::php::{Php, definition};
use crate::terminal::{Look, say};
use crate::{output, report};
use child::{Child, Ending};
use collect::Collected;

/// Runs the program and reports; the exit code is the program's.
pub(crate) fn run(arguments: &RunArguments) -> Result<u8> {
    if let Some(path) = &arguments.output {
        output::check(path)?;
    }
    let php = Php::of_command(&arguments.command, &arguments.php.php);
    let extension = Extension::find(&php, arguments.php.extension.as_deref())?;
    // Removed when it goes out of scope.
    let mut builder = tempfile::Builder::new();
    let directory = builder
        .prefix("xhprof-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir();
    let directory = directory.context("cannot make a temporary directory")?;

    let child = Child::spawn(&mut command(arguments, &php, &extension, directory.path()))?;
    let pid = child.id();
    let ending = child.wait()?;
    // From here on nothing may hide how the program ended.
    let collected = Collected::from(directory.path(), pid);
    let outcome = collected.and_then(|collected| finish(arguments, &collected, ending));
    let is_profiled = outcome.unwrap_or_else(|error| {
        say(&format!("error: {error:#}"));
        false
    });
    Ok(match ending.exit_code() {
        0 if !is_profiled => 1,
        code => code,
    })
}

fn command(
    arguments: &RunArguments,
    php: &Php,
    extension: &Extension,
    directory: &Path,
) -> Command {
    let words = arguments
        .flags
        .iter()
        .map(|flag| flag.setting())
        .filter(|word| !word.is_empty());
    let flags: Vec<&str> = words.collect();
    let mut command = Command::new(&php.binary);
    command
        .args(extension.options())
        .args(definition("xhprof.auto_enable", "1"))
        .args(definition("xhprof.flags", flags.join(" ")))
        .args(definition("xhprof.output_dir", directory))
        .args(&php.arguments);
    command
}

/// Keeps what was asked to be kept and prints the report; false if there is no
/// profile.
fn finish(arguments: &RunArguments, collected: &Collected, ending: Ending) -> Result<bool> {
    let Some(file) = &collected.main else {
        say(&format!(
            "error: no profile was written: {}",
            ending.why_no_profile()
        ));
        return Ok(false);
    };
    let profile = formats::read(file.bytes.as_slice()).context("PHP wrote a broken profile")?;
    if let Some(path) = &arguments.output {
        output::save(path, &encoded(arguments, path, &file.bytes, &profile)?)?;
        for other in &collected.others {
            let path = beside(path, other.pid);
            let profile = formats::read(other.bytes.as_slice());
            let profile = profile.context("a forked process wrote a broken profile")?;
            output::save(&path, &encoded(arguments, &path, &other.bytes, &profile)?)?;
        }
    }
    let mut stderr = io::stderr().lock();
    // Apart from what the program printed last.
    writeln!(stderr)?;
    let look = Look::of(&stderr);
    report::print(
        profile,
        &title(&arguments.command),
        &arguments.table,
        look,
        &mut stderr,
    )?;
    drop(stderr);
    match (&arguments.output, collected.others.len()) {
        (_, 0) => {}
        (None, count) => say(&format!(
            "forked processes wrote {count} more; -o FILE keeps them"
        )),
        (Some(path), count) => say(&format!(
            "forked processes wrote {count} more: {}.<pid>",
            path.display()
        )),
    }
    Ok(true)
}

/// What goes into the file: PHP's own bytes, or the same as JSON.
fn encoded(
    arguments: &RunArguments,
    path: &Path,
    bytes: &[u8],
    profile: &Profile,
) -> Result<Vec<u8>> {
    let is_json = arguments
        .output
        .as_deref()
        .unwrap_or(path)
        .extension()
        .is_some_and(|it| it == "json");
    let by_name = if is_json {
        Format::Json
    } else {
        Format::Serialize
    };
    match arguments.format.unwrap_or(by_name) {
        Format::Json if profile.metrics.calls => {
            let mut json = Vec::new();
            formats::write(
                &formats::xhprof_json::XhprofJson,
                profile,
                &formats::WriteOptions::default(),
                &mut json,
            )?;
            Ok(json)
        }
        _ => Ok(bytes.to_vec()),
    }
}

/// `run.xhprof.4711`
fn beside(path: &Path, pid: u32) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{pid}"));
    PathBuf::from(name)
}

/// The program as its user called it.
fn title(command: &[OsString]) -> String {
    let words = command.iter().map(|word| word.to_string_lossy());
    words.collect::<Vec<_>>().join(" ")
}
