//! Runs a scenario: its commands, and what makes its profiles.
//!
//! A command runs as `xhprof run`, by this same program, so that both record
//! alike. What a command prints is shown only if it fails.

use std::fs::File;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};
use rustix::process::{Pid, Signal};

use super::config::{Request, Scenario, Source};
use super::request;
use crate::args::PhpArguments;
use crate::words::quoted_line;
use crate::{input, output};

/// How much of a failed command's output is shown.
const SHOWN: i64 = 2_000;
/// How long a server that `set_up` has started may take until it accepts connections.
const START_TIME: Duration = Duration::from_secs(10);
/// How long the processes that `set_up` left in the background may take to end after
/// `tear_down`.
const END_TIME: Duration = Duration::from_secs(5);

/// The files of a scenario's profiles, one a run. New ones are written into
/// `directory`.
pub(super) fn profiles(
    scenario: &Scenario,
    php: &PhpArguments,
    directory: &Path,
) -> Result<Vec<PathBuf>> {
    let (background, kept_open) = std::io::pipe().context("cannot make a pipe")?;
    let outcome = set_up(scenario, &kept_open).and_then(|()| record(scenario, php, directory));
    drop(kept_open);
    // Also after a failure: it may have to stop a server.
    let torn_down = scenario
        .tear_down
        .iter()
        .try_for_each(|command| shell(scenario, command, None));
    if !scenario.tear_down.is_empty() {
        wait_for_end(background);
    }
    let files = outcome?;
    torn_down.context("tear_down")?;
    Ok(files)
}

/// The processes that a command leaves in the background keep `kept_open` open.
fn set_up(scenario: &Scenario, kept_open: &PipeWriter) -> Result<()> {
    let mut commands = scenario.set_up.iter();
    commands
        .try_for_each(|command| shell(scenario, command, Some(kept_open)))
        .context("set_up")
}

/// Waits until all processes have ended that hold the other end of the pipe: `kill`
/// returns before a server has closed its port, and the next scenario may need it.
fn wait_for_end(mut background: PipeReader) {
    if ioctl_fionbio(&background, true).is_err() {
        return;
    }
    let end = Instant::now() + END_TIME;
    while Instant::now() < end {
        match background.read(&mut [0]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(5));
            }
            _ => return,
        }
    }
}

fn record(scenario: &Scenario, php: &PhpArguments, directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for number in 0..scenario.warm_up + scenario.repeat {
        let run = number.checked_sub(scenario.warm_up);
        let file = directory.join(format!("run-{}.xhp", run.map_or(0, |run| run + 1)));
        match &scenario.source {
            Source::Profiles(files) => return Ok(files.clone()),
            Source::Run(words) => run_profiled(scenario, words, php, &file)?,
            Source::Request(request) => {
                request_profile(scenario, request, &file)?;
                name_templates(&file)?;
            }
        }
        if run.is_some() {
            files.push(file);
        }
    }
    Ok(files)
}

/// Names the templates of the profile in a file, which becomes a native one if it has
/// any.
fn name_templates(path: &Path) -> Result<()> {
    let mut profile = input::read_without_progress(path)?;
    if templates::name(&mut profile) == 0 {
        return Ok(());
    }
    output::write(path, |out| {
        let options = formats::WriteOptions::default();
        let native = &formats::native::NATIVE;
        Ok(formats::write(native, &profile, &options, out)?)
    })
}

/// A server that `set_up` has just started may refuse connections for a while.
fn request_profile(scenario: &Scenario, request: &Request, file: &Path) -> Result<()> {
    let end = Instant::now() + START_TIME.min(scenario.timeout);
    loop {
        match request::profile(request, scenario.timeout, file) {
            Err(error)
                if !scenario.set_up.is_empty() && is_refused(&error) && Instant::now() < end =>
            {
                std::thread::sleep(Duration::from_millis(20));
            }
            result => return result,
        }
    }
}

fn is_refused(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| match cause.downcast_ref::<ureq::Error>() {
            Some(ureq::Error::Io(error)) => error.kind() == ErrorKind::ConnectionRefused,
            Some(ureq::Error::ConnectionFailed) => true,
            _ => false,
        })
}

fn run_profiled(
    scenario: &Scenario,
    words: &[String],
    php: &PhpArguments,
    file: &Path,
) -> Result<()> {
    let program = std::env::current_exe().context("cannot find this program's file")?;
    let mut command = Command::new(program);
    command
        .args(["run", "--flags", "cpu,memory,sql", "--no-report", "-o"])
        .arg(file);
    command.arg("--php").arg(&php.php);
    if let Some(extension) = &php.extension {
        command.arg("--extension").arg(extension);
    }
    command.arg("--").args(words);
    let line = words.iter().map(Into::into).collect::<Vec<_>>();
    finished(scenario, &mut command, &quoted_line(&line), None)?;
    if !file.exists() {
        bail!("`{}` left no profile", quoted_line(&line));
    }
    Ok(())
}

fn shell(scenario: &Scenario, command: &str, kept_open: Option<&PipeWriter>) -> Result<()> {
    let mut shell = Command::new("sh");
    finished(scenario, shell.arg("-c").arg(command), command, kept_open)
}

/// Runs a command to its end, or ends it after the scenario's time.
fn finished(
    scenario: &Scenario,
    command: &mut Command,
    line: &str,
    kept_open: Option<&PipeWriter>,
) -> Result<()> {
    if let Some(directory) = &scenario.directory {
        command.current_dir(directory);
    }
    let mut output = tempfile::tempfile().context("cannot make a temporary file")?;
    command
        .envs(&scenario.environment)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?);
    let mut child = started(command, kept_open).with_context(|| format!("cannot run `{line}`"))?;
    let end = Instant::now() + scenario.timeout;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > end {
            // `xhprof run` passes the first signal on to PHP.
            let _ = rustix::process::kill_process(Pid::from_child(&child), Signal::TERM);
            std::thread::sleep(Duration::from_secs(1));
            let _ = child.kill();
            child.wait()?;
            let seconds = scenario.timeout.as_secs();
            bail!("`{line}` was ended after {seconds} s; timeout: allows more");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    if status.success() {
        return Ok(());
    }
    bail!("`{line}` {}{}", ending(status), said(&mut output))
}

/// Starts a command that inherits `kept_open`, and no other scenario's.
fn started(command: &mut Command, kept_open: Option<&PipeWriter>) -> Result<Child> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pipe) = kept_open {
        fcntl_setfd(pipe, FdFlags::empty())?;
    }
    let child = command.spawn();
    if let Some(pipe) = kept_open {
        fcntl_setfd(pipe, FdFlags::CLOEXEC)?;
    }
    Ok(child?)
}

fn ending(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with the exit code {code}"),
        None => "was killed by a signal".to_owned(),
    }
}

/// The last lines of a command's output.
fn said(output: &mut File) -> String {
    let mut bytes = Vec::new();
    let length = output.seek(SeekFrom::End(0)).unwrap_or_default();
    let start = i64::try_from(length).unwrap_or_default().min(SHOWN);
    let read = output
        .seek(SeekFrom::End(-start))
        .and_then(|_| output.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    if read.is_err() || text.trim().is_empty() {
        return String::new();
    }
    let lines: Vec<String> = text
        .trim()
        .lines()
        .map(|line| crate::terminal::printable(line.as_bytes()))
        .collect();
    let last = lines
        .get(lines.len().saturating_sub(12)..)
        .unwrap_or_default();
    format!(":\n    {}", last.join("\n    "))
}
