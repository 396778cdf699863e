//! `--attach`: samples all PHP processes of the machine, for good.
//!
//! What each application did in a minute is one run, a file of the folder `attached` of the queue, which is taken as
//! other files of the spool are.
//!
//! **Invariant:** the memory is bounded, however many processes, applications and functions there are.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use attach::{Choice, Collector, Finder, Options, Process, Seen, Watch};
use profile::{Meta, native};

use crate::error::{Error, Result};
use crate::files;
use crate::shared::Shared;

/// The folder of the queue with what was sampled.
pub(crate) const FOLDER: &str = "attached";

/// How long a run is.
const RUN: Duration = Duration::from_secs(60);
/// How often to look for new processes.
const LOOK: Duration = Duration::from_secs(2);
/// The most time that a sample stands for: after a longer gap the machine was stopped, or this thread did not get a CPU.
const LONGEST: Duration = Duration::from_secs(1);
/// The most applications of a minute; the others are one.
const MOST_APPS: usize = 64;
/// The most names that are remembered. Then all processes are opened again.
const MOST_NAMES: usize = 100_000;
/// The most files that wait for the agent: no more are written.
const MOST_FILES: usize = 500;
/// The ending of a file that is not whole.
const UNFINISHED: &str = "tmp";
/// The application of what has no better name.
const OTHER: &str = "php";

/// Samples until the agent ends.
pub(crate) struct Sampler {
    shared: Arc<Shared>,
    folder: PathBuf,
    interval: Duration,
    watch: Watch,
    apps: BTreeMap<String, App>,
    /// What was logged of processes that cannot be read.
    said: HashSet<String>,
    files: u64,
}

/// What an application did since the last run.
#[derive(Default)]
struct App {
    collector: Collector,
    processes: HashSet<u32>,
    versions: BTreeSet<String>,
    sapis: BTreeSet<String>,
}

/// All PHP processes, but the masters of php-fpm.
struct All;

impl Choice for All {
    fn has(&self, process: &Process) -> bool {
        !process.command.is_empty() && !process.is_master()
    }

    fn names(&self, _: &Process) -> bool {
        false
    }
}

impl Sampler {
    /// Takes `rate` samples a second of each process.
    pub(crate) fn new(shared: Arc<Shared>, rate: u32) -> Self {
        let folder = shared.options.queue.join(FOLDER);
        // What an agent that was killed has not finished.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry
                .path()
                .extension()
                .is_some_and(|ending| ending == UNFINISHED)
            {
                let _ = fs::remove_file(entry.path());
            }
        }
        Self {
            folder,
            shared,
            interval: Duration::from_secs(1) / rate.max(1),
            watch: watch(),
            apps: BTreeMap::new(),
            said: HashSet::new(),
            files: 0,
        }
    }

    /// Samples until the agent ends, then writes what there is.
    pub(crate) fn run(mut self) {
        let (mut began, mut last) = (SystemTime::now(), Instant::now());
        let (mut end, mut look) = (last + RUN, last);
        loop {
            let now = Instant::now();
            if now >= look {
                self.look();
                look = now + LOOK;
            }
            self.sample((now - last).min(LONGEST));
            last = now;
            let is_end = self.shared.stop.is_set();
            if is_end || now >= end {
                if let Err(error) = self.write(began) {
                    tracing::warn!(%error, "what was sampled is lost");
                }
                (began, end) = (SystemTime::now(), now + RUN);
            }
            if is_end {
                break;
            }
            self.shared
                .stop
                .wait(self.interval.saturating_sub(now.elapsed()));
        }
        self.shared.has_sampled.set();
    }

    fn look(&mut self) {
        match self.watch.look(&All) {
            Ok(found) => {
                for (process, error) in found.refused {
                    let error = error.to_string();
                    if process.is_named_like_php() && self.said.insert(error.clone()) {
                        tracing::warn!(process = process.id, error, "a process is not sampled");
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "cannot list the processes"),
        }
    }

    /// Takes a sample of each process, which stands for that time.
    fn sample(&mut self, time: Duration) {
        let weight = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let apps = &mut self.apps;
        self.watch.sample(&mut |process, seen, _| {
            let app = match seen {
                Seen::Idle => return,
                _ => name(process),
            };
            let is_full = apps.len() >= MOST_APPS && !apps.contains_key(&app);
            let app = apps
                .entry(if is_full { OTHER.to_owned() } else { app })
                .or_default();
            match seen {
                Seen::Stack(stack) => app.collector.count(stack, weight),
                _ => app.collector.count_torn(),
            }
            app.processes.insert(process.id);
        });
        for worker in self.watch.workers() {
            let app = self
                .apps
                .values_mut()
                .find(|app| app.processes.contains(&worker.process.id));
            if let Some(app) = app.filter(|app| app.versions.is_empty()) {
                app.versions.insert(worker.target.version.clone());
                app.sapis.extend(worker.target.sapi.clone());
            }
        }
    }

    /// Writes a run for each application.
    fn write(&mut self, began: SystemTime) -> Result<()> {
        let waiting = fs::read_dir(&self.folder)
            .map_err(Error::queue(&self.folder))?
            .count();
        let apps = std::mem::take(&mut self.apps);
        let room = MOST_FILES.saturating_sub(waiting);
        if apps.len() > room {
            let lost = apps.len() - room;
            tracing::warn!(
                waiting,
                lost,
                "runs of this minute are lost: so many files wait to be sent"
            );
        }
        for (name, app) in apps.into_iter().take(room) {
            if app.collector.samples() == 0 {
                continue;
            }
            let interval = u64::try_from(self.interval.as_nanos()).unwrap_or(u64::MAX);
            let meta = app.describe(name, began);
            let mut profile = app.collector.finish(&self.watch.symbols, interval, meta);
            templates::name(&mut profile);
            self.files += 1;
            let file = format!("{}-{}.xhp", micros(SystemTime::now()), self.files);
            let path = self.folder.join(file);
            write(&profile, &path).map_err(Error::queue(&path))?;
        }
        if self.watch.symbols.all().len() > MOST_NAMES {
            self.watch = watch();
            self.look();
        }
        Ok(())
    }
}

fn watch() -> Watch {
    let options = Options {
        lines: true,
        ..Options::default()
    };
    Watch::new(Finder::default(), options)
}

impl App {
    /// What a run says of its processes.
    fn describe(&self, name: String, began: SystemTime) -> Meta {
        let only = |names: &BTreeSet<String>| names.first().filter(|_| names.len() == 1).cloned();
        let noun = if self.processes.len() == 1 {
            "process"
        } else {
            "processes"
        };
        let host = rustix::system::uname();
        let mut meta = Meta {
            title: Some(format!("{name}, {} {noun}", self.processes.len())),
            started_unix_us: Some(micros(began)),
            host: Some(host.nodename().to_string_lossy().into_owned()),
            sapi: only(&self.sapis),
            php_version: only(&self.versions),
            creator: Some(concat!("xhprof ", env!("CARGO_PKG_VERSION"), ", agent").to_owned()),
            ..Meta::default()
        };
        meta.set_tag("app", name);
        meta.set_tag("processes", self.processes.len().to_string());
        meta
    }
}

/// The application of a process: its pool of php-fpm, or the script of a command. The arguments of a command are never
/// a part of it.
fn name(process: &Process) -> String {
    let is_name = |text: &&str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !text.is_empty() && text.len() <= 64 && text.bytes().all(is_sign)
    };
    if let Some(pool) = process.pool() {
        return Some(pool).filter(is_name).unwrap_or(OTHER).to_owned();
    }
    let mut words = process.command.split(' ').skip(1);
    let script = words.find(|word| !word.starts_with('-') && !word.contains('='));
    let is_code = process
        .command
        .split(' ')
        .any(|word| word.starts_with("-r"));
    let file = script
        .filter(|_| !is_code)
        .and_then(|script| script.rsplit('/').next());
    let name = file
        .map(|file| file.strip_suffix(".php").unwrap_or(file))
        .filter(is_name);
    name.filter(|_| process.is_named_like_php())
        .unwrap_or(OTHER)
        .to_owned()
}

/// Writes a file under another name first: the agent takes whole files only.
fn write(profile: &profile::Profile, path: &Path) -> std::io::Result<()> {
    let unfinished = path.with_extension(UNFINISHED);
    let mut out = BufWriter::new(files::create(&unfinished)?);
    native::write(profile, &mut out)?;
    out.flush()?;
    fs::rename(unfinished, path)
}

fn micros(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, command: &str) -> String {
        super::name(&Process {
            id: 7,
            parent: 1,
            started: 0,
            name: name.to_owned(),
            command: command.to_owned(),
            user: 0,
        })
    }

    #[test]
    fn an_application_is_a_pool_or_a_script() {
        assert_eq!(named("php-fpm8.2", "php-fpm: pool www"), "www");
        assert_eq!(named("php", "php /srv/app/bin/import.php secret"), "import");
        assert_eq!(named("php", "php -d a=b artisan queue:work"), "artisan");
        assert_eq!(named("php8.2", "php8.2 -r echo(1);"), "php");
        assert_eq!(named("php", "php a$b.php"), "php");
        assert_eq!(named("apache2", "/usr/sbin/apache2 -k start"), "php");
        assert_eq!(named("php", "php"), "php");
    }

    #[test]
    fn a_file_has_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.xhp");
        let app = App {
            processes: HashSet::from([1, 2]),
            ..App::default()
        };
        let meta = app.describe("shop".to_owned(), UNIX_EPOCH);
        assert_eq!(meta.title.as_deref(), Some("shop, 2 processes"));
        assert_eq!(
            (meta.tag("app"), meta.sapi.as_deref()),
            (Some("shop"), None)
        );
        write(&profile::Profile::empty(), &path).unwrap();
        let names = fs::read_dir(folder.path()).unwrap().flatten();
        let names: Vec<_> = names.map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["a.xhp"]);
        let mode = std::os::unix::fs::MetadataExt::mode(&path.metadata().unwrap());
        assert_eq!(mode & 0o777, 0o600);
    }
}
