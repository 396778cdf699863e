//! `xhprof attach --trace` and `--for`: the extension in the chosen processes profiles their next requests.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use ::attach::AttachError;
use ::attach::remote::{Outcome, Remote};
use anyhow::{Context, Result, anyhow, bail};
use profile::{Merger, Profile};

use super::choose::Selection;
use super::pace::Pace;
use super::{finish, processes};
use crate::args::AttachArguments;
use crate::export::Export;
use crate::input;
use crate::progress::{Progress, Work};
use crate::terminal::say;
use crate::units::counted;

/// How often results are looked for, in a second.
const LOOKS: u32 = 50;
/// How many paths are printed.
const PATHS: usize = 5;

/// Asks, waits, and shows or keeps the sum of what was written.
pub(super) fn run(arguments: &AttachArguments, keep: Option<Export<'_>>) -> Result<()> {
    let duration = arguments.trace_for.unwrap_or(arguments.duration);
    let mut asked = Asked {
        selection: Selection::new(&arguments.choice)?,
        requests: arguments.trace.unwrap_or(u32::MAX),
        // The target forgets it when this program ends.
        time: if duration.is_zero() {
            FOREVER
        } else {
            duration
        },
        open: BTreeMap::new(),
        tried: HashSet::new(),
        said: HashSet::new(),
        written: Vec::new(),
        failed: Vec::new(),
        count: 0,
    };
    asked.look()?;
    let mut pace = Pace::new(Some(LOOKS), duration)?;
    while let Some(tick) = pace.next() {
        if tick.is_time_to_look {
            asked.look()?;
        }
        asked.collect()?;
        if asked.open.is_empty() && !asked.selection.may_come() {
            break;
        }
    }
    asked.wait_for_running()?;
    asked.show(arguments, keep)
}

const FOREVER: Duration = Duration::from_secs(365 * 86_400);

/// What was asked for, and what has come.
struct Asked {
    selection: Selection,
    requests: u32,
    time: Duration,
    /// The processes that are asked, and how many profiles each still owes.
    open: BTreeMap<u32, (Remote, u32)>,
    /// Processes that are asked or were, by number and beginning.
    tried: HashSet<(u32, u64)>,
    /// What was said of processes that cannot be asked.
    said: HashSet<String>,
    written: Vec<PathBuf>,
    failed: Vec<String>,
    /// How many processes were asked.
    count: u64,
}

impl Asked {
    /// Asks processes that are new.
    fn look(&mut self) -> Result<()> {
        for process in self.selection.processes()? {
            let key = (process.id, process.started);
            if self.tried.contains(&key) {
                continue;
            }
            let opened = Remote::open(process.id).and_then(|remote| {
                remote
                    .ask(self.requests, self.time)
                    .map_err(AttachError::Io)?;
                Ok(remote)
            });
            match opened {
                Ok(remote) => {
                    self.tried.insert(key);
                    self.count += 1;
                    self.open.insert(process.id, (remote, self.requests));
                }
                Err(error) if self.selection.names(&process) => {
                    let number = process.id;
                    return Err(anyhow!(error)
                        .context(format!("cannot ask process {number} for a profile")));
                }
                // It may have it from its first request on.
                Err(AttachError::NotRemote | AttachError::Gone) => {}
                Err(error) => {
                    self.tried.insert(key);
                    let problem = error.to_string();
                    if process.is_named_like_php() && self.said.insert(problem.clone()) {
                        say(&format!(
                            "cannot ask process {} ({}): {problem}",
                            process.id, process.command
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes the results that are there.
    fn collect(&mut self) -> Result<()> {
        let (written, failed) = (&mut self.written, &mut self.failed);
        let mut problem = None;
        self.open.retain(|number, (remote, owed)| {
            let is_there = remote.is_there();
            match remote.outcomes() {
                Ok(outcomes) => {
                    for outcome in outcomes {
                        *owed = owed.saturating_sub(1);
                        match outcome {
                            Outcome::Written(path) => written.push(path),
                            Outcome::Failed(reason) => failed.push(reason),
                        }
                    }
                }
                Err(error) => problem = Some(error),
            }
            if !is_there && remote.running().is_ok_and(|running| running > 0) {
                failed.push(format!("process {number} ended during its request"));
            }
            is_there && *owed > 0
        });
        problem.map_or(Ok(()), |error| {
            Err(error).context("cannot read what the processes answer")
        })
    }

    /// Waits for the end of requests that have begun, until a signal comes.
    fn wait_for_running(&mut self) -> Result<()> {
        for (remote, _) in self.open.values() {
            // A process that has just ended needs no answer.
            let _ = remote.withdraw();
        }
        let is_running = |asked: &Self| {
            let mut remotes = asked.open.values();
            remotes.any(|(remote, _)| remote.running().is_ok_and(|running| running > 0))
        };
        if !is_running(self) {
            return Ok(());
        }
        say("waiting for requests that have begun; Ctrl-C ends it");
        let mut pace = Pace::new(Some(LOOKS), Duration::ZERO)?;
        while is_running(self) && pace.next().is_some() {
            self.collect()?;
        }
        self.collect()
    }

    fn show(mut self, arguments: &AttachArguments, keep: Option<Export<'_>>) -> Result<()> {
        self.failed.sort();
        self.failed.dedup();
        for reason in &self.failed {
            say(&format!("a request has no profile: {reason}"));
        }
        if self.written.is_empty() {
            bail!("{}", self.why_nothing());
        }
        say(&format!(
            "{} of {}:",
            counted(self.written.len() as u64, "request"),
            processes(self.count)
        ));
        for path in self.written.iter().take(PATHS) {
            say(&format!("  {}", path.display()));
        }
        if self.written.len() > PATHS {
            say(&format!("  and {} more", self.written.len() - PATHS));
        }
        let profile = self.profile()?;
        let title = profile.meta.title.clone().unwrap_or_default();
        finish(profile, &title, keep, arguments)
    }

    /// The only profile, or the sum of all.
    fn profile(&self) -> Result<Profile> {
        if let [path] = self.written.as_slice() {
            return input::read(path);
        }
        let progress = Progress::new("reading", Work::Files(self.written.len() as u64));
        let mut merger = Merger::default();
        for path in &self.written {
            let profile = input::read_one_of_many(path, &progress)?;
            let added = merger.add(&profile);
            added.with_context(|| format!("cannot add {}", input::title(path)))?;
        }
        Ok(merger.finish()?)
    }

    fn why_nothing(&self) -> String {
        if self.count == 0 {
            format!(
                "no process that can be asked was found: {}",
                AttachError::NotRemote
            )
        } else if self.failed.is_empty() {
            format!(
                "no request began in {} s; --duration waits longer",
                self.time.as_secs_f64()
            )
        } else {
            "no profile was written".to_owned()
        }
    }
}
