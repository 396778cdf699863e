//! `xhprof simulate`: runs of a fleet that does not exist, as fast as they are taken.
//!
//! Threads take numbers of runs in their order, make those runs, and hand them to
//! the target. The first error ends all threads.

mod sender;
mod target;

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ::simulate::{Fleet, FleetOptions};
use anyhow::{Context, Result, anyhow};
use profile::native;
use serde_json::json;

use crate::args::{ResultFormat, SimulateArguments};
use cli::pager;
use cli::progress::{Progress, Work};
use cli::units::{count, counted, size};
use target::Target;

/// How many runs a thread makes before it hands them over.
const BATCH: u64 = 50;

/// The size beyond which it hands them over before that.
const BATCH_BYTES: usize = 16 << 20;

/// The version of the JSON. It changes when programs that read it have to.
const VERSION: u32 = 1;

/// What was made and taken.
#[derive(Debug, Default)]
struct Counters {
    /// The number of the next run.
    next: AtomicU64,
    bytes: AtomicU64,
    paths: AtomicU64,
    stored: AtomicU64,
    known: AtomicU64,
}

/// How many runs were new, and how many were there.
#[derive(Debug, Default, Clone, Copy)]
struct Taken {
    stored: u64,
    known: u64,
}

/// A run as a native file.
struct Made {
    number: u64,
    profile: profile::Profile,
    file: Vec<u8>,
}

/// Makes the runs.
pub(crate) fn run(arguments: &SimulateArguments) -> Result<()> {
    let fleet = Fleet::new(options(arguments))?;
    let target = Target::open(arguments)?;
    let counters = Counters::default();
    let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let is_over = AtomicBool::new(false);
    let begin = Instant::now();
    let progress = Progress::new("simulating", Work::Files(arguments.runs));
    let work = Simulation {
        fleet: &fleet,
        target: &target,
        counters: &counters,
        progress: &progress,
        per_second: arguments.per_second.map(f64::from),
        begin,
        is_over: &is_over,
    };
    thread::scope(|scope| {
        for _ in 0..arguments.threads {
            scope.spawn(|| {
                if let Err(error) = work.run() {
                    is_over.store(true, Ordering::Relaxed);
                    if let Ok(mut first) = failure.lock() {
                        first.get_or_insert(error);
                    }
                }
            });
        }
    });
    drop(progress);
    let result = counters.result(arguments, begin.elapsed());
    match failure.into_inner() {
        Ok(Some(error)) => {
            let taken = counters.taken();
            Err(error.context(format!("after {} were taken", counted(taken, "run"))))
        }
        _ => result,
    }
}

/// What all threads have in common.
#[derive(Clone, Copy)]
struct Simulation<'a> {
    fleet: &'a Fleet,
    target: &'a Target,
    counters: &'a Counters,
    progress: &'a Progress,
    per_second: Option<f64>,
    begin: Instant,
    is_over: &'a AtomicBool,
}

impl Simulation<'_> {
    /// Makes runs until all are made, or another thread has failed.
    fn run(&self) -> Result<()> {
        // With a pace, runs come one by one.
        let batch = if self.per_second.is_some() { 1 } else { BATCH };
        while !self.is_over.load(Ordering::Relaxed) {
            let first = self.counters.next.fetch_add(batch, Ordering::Relaxed);
            let last = (first + batch).min(self.fleet.runs());
            if first >= last {
                return Ok(());
            }
            self.wait_for(first);
            let (mut runs, mut bytes) = (Vec::new(), 0);
            for number in first..last {
                let run = self.made(number)?;
                bytes += run.file.len();
                runs.push(run);
                if bytes > BATCH_BYTES {
                    bytes = 0;
                    self.hand_over(std::mem::take(&mut runs))?;
                }
            }
            self.hand_over(runs)?;
        }
        Ok(())
    }

    fn hand_over(&self, runs: Vec<Made>) -> Result<()> {
        if runs.is_empty() {
            return Ok(());
        }
        let length = runs.len() as u64;
        let taken = self.target.take(runs, self.is_over)?;
        let counters = self.counters;
        counters.stored.fetch_add(taken.stored, Ordering::Relaxed);
        counters.known.fetch_add(taken.known, Ordering::Relaxed);
        self.progress.add(length);
        Ok(())
    }

    fn made(&self, number: u64) -> Result<Made> {
        let profile = self.fleet.run(number);
        let mut file = Vec::new();
        native::write(&profile, &mut file).context("cannot write a profile")?;
        let paths = profile.tree().map_or(0, |tree| tree.nodes.len()) as u64;
        self.counters.paths.fetch_add(paths, Ordering::Relaxed);
        self.counters
            .bytes
            .fetch_add(file.len() as u64, Ordering::Relaxed);
        Ok(Made {
            number,
            profile,
            file,
        })
    }

    /// Waits until a run is due.
    fn wait_for(&self, number: u64) {
        let Some(per_second) = self.per_second else {
            return;
        };
        #[expect(clippy::cast_precision_loss, reason = "a time to wait")]
        let due = Duration::from_secs_f64(number as f64 / per_second);
        thread::sleep(due.saturating_sub(self.begin.elapsed()));
    }
}

impl Counters {
    fn taken(&self) -> u64 {
        self.stored.load(Ordering::Relaxed) + self.known.load(Ordering::Relaxed)
    }

    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    fn result(&self, arguments: &SimulateArguments, took: Duration) -> Result<()> {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (runs, known) = (self.taken(), of(&self.known));
        let seconds = took.as_secs_f64().max(1e-6);
        let each = |total: u64| total as f64 / runs.max(1) as f64;
        let per_second = runs as f64 / seconds;
        if arguments.format == ResultFormat::Json {
            return pager::print_json(&json!({
                "version": VERSION,
                "runs": runs,
                "already_there": known,
                "seconds": seconds,
                "runs_per_second": per_second,
                "bytes": of(&self.bytes),
                "paths": of(&self.paths),
            }));
        }
        let bytes = i64::try_from(of(&self.bytes)).unwrap_or(i64::MAX);
        let text = format!(
            "{} in {seconds:.1} s, {per_second:.0} a second; {} of native files; {:.0} bytes and {:.0} call paths each\n{} already there\n",
            counted(runs, "run"),
            size(bytes),
            each(of(&self.bytes)),
            each(of(&self.paths)),
            count(known),
        );
        std::io::stdout().write_all(text.as_bytes())?;
        Ok(())
    }
}

fn options(arguments: &SimulateArguments) -> FleetOptions {
    const HOUR_US: u64 = 3_600_000_000;
    let now = SystemTime::now();
    let end_unix_us = match arguments.end {
        Some(end) => end.microseconds(now),
        None => {
            let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(now.as_micros()).unwrap_or(0) / HOUR_US * HOUR_US
        }
    };
    FleetOptions {
        seed: arguments.seed,
        runs: arguments.runs,
        days: arguments.days,
        end_unix_us,
        apps: arguments.apps,
        routes: arguments.routes,
        exponent: arguments.zipf,
        hosts: arguments.hosts,
        releases: arguments.releases,
        paths: arguments.paths,
    }
}

/// An error of a thread that has nothing to say but that another one failed.
fn ended() -> anyhow::Error {
    anyhow!("another thread has failed")
}
