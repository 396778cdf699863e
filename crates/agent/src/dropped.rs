//! Counters of runs that a target does not get, and why.
//!
//! They are on the disk before the runs are removed, together with the numbers
//! of the batches that they count: an agent that is killed in between removes
//! these batches at its next start, and counts nothing twice. That holds on a full
//! disk, too: see [`ReplacedFile`].

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::interest::cut;
use crate::replaced::ReplacedFile;

/// How long counters are kept, in days.
const KEPT_DAYS: u64 = 40;

/// The most counters; further applications are counted as one.
const MAX_COUNTERS: usize = 1000;

/// What applications beyond the limit are called.
const OTHER: &str = "[other]";

const DAY_S: u64 = 86_400;

/// What to do if the file is damaged.
const WITHOUT: &str = "; if you remove it, the agent counts from 0 again";

/// Why runs were dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// The queue was full.
    QueueFull,
    /// The server refused the run: it is no profile, or a broken one.
    Refused,
    /// The server takes no run of this size.
    TooLarge,
    /// The batch on the disk was damaged.
    Damaged,
    /// The quota of the run's application is used up.
    OverQuota,
}

impl Reason {
    pub(crate) const ALL: [Self; 5] = [
        Self::QueueFull,
        Self::Refused,
        Self::TooLarge,
        Self::Damaged,
        Self::OverQuota,
    ];

    /// Whether the file itself is the reason, so that no later attempt helps.
    pub(crate) fn is_for_good(self) -> bool {
        matches!(self, Self::Refused | Self::TooLarge)
    }

    /// Its name in files and reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::Refused => "refused",
            Self::TooLarge => "too_large",
            Self::Damaged => "damaged",
            Self::OverQuota => "over_quota",
        }
    }
}

/// How many runs of an application were dropped on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counter {
    pub(crate) day_s: u64,
    pub(crate) app: String,
    pub(crate) reason: Reason,
    pub(crate) runs: u64,
    pub(crate) bytes: u64,
}

/// A run that was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dropped {
    pub(crate) app: String,
    pub(crate) bytes: u64,
    pub(crate) reason: Reason,
}

/// The file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Content {
    /// The identity of these counters at the server.
    id: String,
    counters: Vec<Counter>,
    /// Runs by reason, of all days.
    totals: Vec<(Reason, u64)>,
    /// Batches that are counted, and may still be on the disk.
    counted: Vec<u64>,
}

/// The counters of one target.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: ReplacedFile,
    content: Content,
    /// Changes since the server got the counters.
    is_changed: bool,
}

/// What a server gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Report {
    agent: String,
    host: String,
    dropped: Vec<Counter>,
}

impl Ledger {
    /// Reads the counters, or makes those of a new target.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("dropped.json");
        let (content, is_new) = match std::fs::read(&path) {
            Ok(bytes) => {
                let content = serde_json::from_slice::<Content>(&bytes)
                    .map_err(|error| Error::Damaged(path.clone(), error.to_string() + WITHOUT))?;
                (content, false)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let id = id()?;
                let content = Content {
                    id,
                    ..Content::default()
                };
                (content, true)
            }
            Err(error) => return Err(Error::Queue(path, error)),
        };
        let ledger = Self {
            file: ReplacedFile::new(path),
            is_changed: !content.counters.is_empty(),
            content,
        };
        // The disk may be full, of a queue that is to be sent.
        if is_new {
            ledger.write()?;
        }
        Ok(ledger)
    }

    /// Batches that are counted, and may still be on the disk.
    pub(crate) fn counted(&self) -> &[u64] {
        &self.content.counted
    }

    /// Notes that the batches which are counted are gone.
    pub(crate) fn forget_counted(&mut self) {
        self.content.counted.clear();
    }

    /// Counts runs of a batch, which may be removed then. After an error they are
    /// not counted.
    pub(crate) fn count(&mut self, batch: u64, runs: &[Dropped]) -> Result<()> {
        let before = (self.content.clone(), self.is_changed);
        self.note(batch, runs);
        self.write()
            .inspect_err(|_| (self.content, self.is_changed) = before)
    }

    fn note(&mut self, batch: u64, runs: &[Dropped]) {
        let day_s = today();
        for run in runs {
            self.add(day_s, run);
        }
        let kept = day_s.saturating_sub(KEPT_DAYS * DAY_S);
        self.content.counters.retain(|row| row.day_s >= kept);
        self.content.counted.push(batch);
        self.is_changed = true;
    }

    fn add(&mut self, day_s: u64, run: &Dropped) {
        let Content {
            counters, totals, ..
        } = &mut self.content;
        match totals.iter_mut().find(|total| total.0 == run.reason) {
            Some(total) => total.1 += 1,
            None => totals.push((run.reason, 1)),
        }
        let find = |counters: &[Counter], app: &str| {
            let is_it =
                |row: &Counter| row.day_s == day_s && row.reason == run.reason && row.app == app;
            counters.iter().position(is_it)
        };
        let mut app = cut(&run.app);
        if find(counters, &app).is_none() && counters.len() >= MAX_COUNTERS {
            app = OTHER.to_owned();
        }
        let place = find(counters, &app).unwrap_or_else(|| {
            counters.push(Counter {
                day_s,
                app,
                reason: run.reason,
                runs: 0,
                bytes: 0,
            });
            counters.len() - 1
        });
        if let Some(row) = counters.get_mut(place) {
            row.runs += 1;
            row.bytes += run.bytes;
        }
    }

    fn write(&self) -> Result<()> {
        let path = self.file.path();
        let json = serde_json::to_vec(&self.content)
            .map_err(|error| Error::Queue(path.to_owned(), error.into()))?;
        self.file.replace(&json).map_err(Error::queue(path))
    }

    /// Runs that were dropped for a reason, of all days.
    pub(crate) fn total(&self, reason: Reason) -> u64 {
        let mut totals = self.content.totals.iter();
        totals
            .find(|total| total.0 == reason)
            .map_or(0, |total| total.1)
    }

    /// What the server has to get; none if it has everything.
    pub(crate) fn report(&self) -> Option<Report> {
        self.is_changed.then(|| Report {
            agent: self.content.id.clone(),
            host: host(),
            dropped: self.content.counters.clone(),
        })
    }

    /// Notes that the server has this report.
    pub(crate) fn reported(&mut self, report: &Report) {
        self.is_changed = report.dropped != self.content.counters;
    }
}

/// The machine's name.
pub(crate) fn host() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}

fn id() -> Result<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Error::System(std::io::Error::other(error)))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn today() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    now - now % DAY_S
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(app: &str) -> Dropped {
        Dropped {
            app: app.to_owned(),
            bytes: 10,
            reason: Reason::QueueFull,
        }
    }

    #[test]
    fn counters_survive_a_restart_with_their_identity() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.report(), None);
        ledger.count(7, &[run("a"), run("b"), run("a")]).unwrap();
        let report = ledger.report().unwrap();
        drop(ledger);
        let mut again = Ledger::open(folder.path()).unwrap();
        assert_eq!(again.report().as_ref(), Some(&report));
        assert_eq!(again.counted(), [7]);
        assert_eq!(again.total(Reason::QueueFull), 3);
        assert_eq!(again.total(Reason::Refused), 0);
        assert_eq!((report.dropped[0].runs, report.dropped[0].bytes), (2, 20));
        again.reported(&report);
        assert_eq!(again.report(), None);
        again.count(8, &[run("a")]).unwrap();
        again.reported(&report);
        assert!(again.report().is_some());
    }

    #[test]
    fn counters_that_cannot_be_written_are_read_and_not_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        ledger.count(7, &[run("a")]).unwrap();
        // The spare file cannot be written.
        let spare = folder.path().join("dropped.spare");
        std::fs::remove_file(&spare).unwrap();
        std::fs::create_dir(&spare).unwrap();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        assert_eq!(ledger.total(Reason::QueueFull), 1);
        assert!(ledger.count(8, &[run("a")]).is_err());
        assert_eq!(ledger.total(Reason::QueueFull), 1);
    }

    #[test]
    fn further_applications_are_counted_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path()).unwrap();
        let runs: Vec<_> = (0..MAX_COUNTERS + 5)
            .map(|number| run(&number.to_string()))
            .collect();
        ledger.count(1, &runs).unwrap();
        let rows = ledger.report().unwrap().dropped;
        assert_eq!(rows.len(), MAX_COUNTERS + 1);
        assert_eq!(
            (rows[MAX_COUNTERS].app.as_str(), rows[MAX_COUNTERS].runs),
            (OTHER, 5)
        );
    }
}
