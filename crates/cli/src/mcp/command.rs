//! `run_command`: `xhprof run` with limits on time and output.
//!
//! **Invariants:** the command gets no input and its output is no protocol. It has a process
//! group of its own, which ends with it, with its time, and with the server.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tempfile::TempDir;

/// The bytes that are kept of each stream.
const OUTPUT: u64 = 1_500;
/// How long a stopped command may take to write its profile.
const GRACE: Duration = Duration::from_secs(3);
const STEP: Duration = Duration::from_millis(10);

/// Runs commands, one at a time.
pub(super) struct Runner {
    directory: TempDir,
    limit: Duration,
    count: u32,
    /// The process group of the command that runs.
    group: Arc<Mutex<Option<Pid>>>,
}

/// How a command ended.
pub(super) struct Outcome {
    /// The profile's name.
    pub(super) run: String,
    /// `ended with exit code 0 after 1.2 s`
    pub(super) ending: String,
    /// What it printed: the beginning.
    pub(super) output: String,
}

impl Runner {
    pub(super) fn new(limit: Duration) -> Result<Self> {
        let mut builder = tempfile::Builder::new();
        let directory = builder
            .prefix("xhprof-mcp-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .context("cannot create a temporary directory")?;
        let runner = Self {
            directory,
            limit,
            count: 0,
            group: Arc::default(),
        };
        runner.end_with_signals()?;
        Ok(runner)
    }

    /// Where the profiles are.
    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A signal that ends the server ends the command, too.
    fn end_with_signals(&self) -> Result<()> {
        let signals = Signals::new([SIGTERM, SIGINT, SIGHUP]);
        let mut signals = signals.context("cannot install signal handlers")?;
        let group = Arc::clone(&self.group);
        let directory = self.directory.path().to_owned();
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                let running = || *group.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(pid) = running() {
                    // It removes what is temporary, and is waited for as usual.
                    let _ = kill_process_group(pid, Signal::TERM);
                    let end = Instant::now() + GRACE;
                    while running().is_some() && Instant::now() < end {
                        thread::sleep(STEP);
                    }
                }
                if let Some(pid) = running() {
                    let _ = kill_process_group(pid, Signal::KILL);
                }
                let _ = fs::remove_dir_all(directory);
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
        Ok(())
    }

    /// Runs a command until it ends, its time is up, or `is_cancelled`.
    pub(super) fn run(
        &mut self,
        words: &[String],
        mode: &str,
        seconds: Option<u64>,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<Outcome> {
        if words.first().is_none_or(String::is_empty) {
            bail!("the command is empty: name a PHP script and its arguments, a word each");
        }
        self.count += 1;
        let run = format!("recorded-{}.xhp", self.count);
        let file = self.directory.path().join(&run);
        let limit = seconds
            .map_or(self.limit, Duration::from_secs)
            .min(self.limit);
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["run", "--limit", "1", "--no-hints", "--mode", mode, "-o"])
            .arg(&file)
            .arg("--")
            .args(words.iter().map(OsString::from))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let began = Instant::now();
        let mut child = command.spawn().context("cannot start `xhprof run`")?;
        let streams = [Kept::of(child.stdout.take()), Kept::of(child.stderr.take())];
        let stopped = self.wait(&child, began + limit, is_cancelled)?;
        let status = child.wait()?;
        let end = Instant::now() + GRACE;
        while !streams.iter().all(Kept::is_whole) && Instant::now() < end {
            thread::sleep(STEP);
        }
        let ending = format!(
            "{} after {:.1} s",
            match (stopped, status.code()) {
                (true, _) => "was stopped".to_owned(),
                (false, Some(code)) => format!("ended with exit code {code}"),
                (false, None) => "was killed".to_owned(),
            },
            began.elapsed().as_secs_f64()
        );
        let output = streams.each_ref().map(Kept::text).join("");
        if !file.is_file() {
            let output = output.trim();
            bail!("the command {ending} and left no profile; it printed: {output}");
        }
        Ok(Outcome {
            run,
            ending,
            output,
        })
    }

    /// Waits for the end of a command, which has not been reaped then, so that its group is
    /// still its own; ends what is left of the group. Whether the command was stopped.
    fn wait(
        &self,
        child: &Child,
        deadline: Instant,
        is_cancelled: impl Fn() -> bool,
    ) -> Result<bool> {
        let pid = Pid::from_child(child);
        let set_group = |group| {
            *self.group.lock().unwrap_or_else(PoisonError::into_inner) = group;
        };
        set_group(Some(pid));
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let mut killed_at = None;
        while waitid(WaitId::Pid(pid), options)?.is_none() {
            let now = Instant::now();
            match killed_at {
                None if now >= deadline || is_cancelled() => {
                    // The program writes its profile first.
                    let _ = kill_process_group(pid, Signal::TERM);
                    killed_at = Some(now + GRACE);
                }
                Some(end) if now >= end => break,
                _ => thread::sleep(STEP),
            }
        }
        let _ = kill_process_group(pid, Signal::KILL);
        set_group(None);
        Ok(killed_at.is_some())
    }
}

/// The beginning of a stream, which a thread reads to its end.
struct Kept {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Kept {
    fn of(stream: Option<impl Read + Send + 'static>) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&bytes);
        let reader = stream.map(|mut stream| {
            thread::spawn(move || {
                let mut buffer = [0; 4_096];
                while let Ok(length @ 1..) = stream.read(&mut buffer) {
                    let mut bytes = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = OUTPUT.saturating_sub(bytes.len() as u64);
                    let _ = io::copy(&mut buffer[..length].take(room), &mut *bytes);
                }
            })
        });
        Self { bytes, reader }
    }

    /// Whether the end was read. A process that outlives the command may keep the stream open.
    fn is_whole(&self) -> bool {
        self.reader.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn text(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
