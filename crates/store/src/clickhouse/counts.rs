//! How many runs each day has, and their size: read once, and again when the day's
//! parts have changed.
//!
//! ClickHouse names each part of a table anew, so that a day whose parts are the same
//! has the same rows. Of a store of two years, a question so reads the last days.
//!
//! **Invariant:** what is kept of a day was read after the list of its parts, all of
//! which were older than [`SETTLED`]. So every replica that may answer had them; what
//! came in between makes another list.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::Inner;
use super::literal::numbers;
use super::rows::RowReader;
use crate::{AppInfo, Result};

/// The age of parts that all replicas have, in seconds. A replica that lacks rows older
/// than five seconds does not answer.
const SETTLED: u32 = 60;

/// How many rows and days one statement counts.
const ROWS: u64 = 20_000_000;
const DAYS: usize = 500;

/// How long functions of hourly sums are counted for one answer.
const MAX_COUNTING_TIME: Duration = Duration::from_secs(2);

/// The runs of an application that are there, of one day of their start.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct OfApp {
    pub(super) runs: u64,
    pub(super) bytes: u64,
    /// Those with a label.
    pub(super) labelled: (u64, u64),
    /// The first and the last instant at which one began.
    pub(super) started: (u64, u64),
    /// The first and the last instant at which one came.
    pub(super) stored: (u64, u64),
}

/// The runs of one day of their start.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Day {
    pub(super) apps: BTreeMap<String, OfApp>,
    /// The rows of runs that are there, and that were.
    pub(super) rows: u64,
    /// The highest version of a row.
    pub(super) version: u64,
}

impl Day {
    /// The runs that are there.
    pub(super) fn runs(&self) -> u64 {
        self.apps.values().map(|app| app.runs).sum()
    }
}

/// The hourly sums of thirty days.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CellCount {
    /// Those that are not removed.
    pub(super) cells: u64,
    /// When the last one was written, in seconds since 1970.
    pub(super) written: u32,
}

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Counts {
    days: Kept<Arc<Day>>,
    cells: Kept<CellCount>,
    seen: Mutex<CellVersion>,
    /// Another age than [`SETTLED`], for tests.
    settled: AtomicU32,
}

/// Of each partition its parts, and what was counted.
type Kept<T> = Mutex<HashMap<u32, (u64, T)>>;

/// Routes and functions by their hashes, and applications. They are never removed.
#[derive(Debug, Default)]
struct CellVersion {
    routes: HashSet<u64>,
    names: HashSet<u64>,
    /// Applications.
    apps: BTreeSet<String>,
    /// The parts of hourly sums that were read, by partition, and the last instant at
    /// which one was written, in seconds since 1970.
    read: HashMap<u32, (u64, u32)>,
}

/// A partition of a table.
pub(super) struct Partition {
    pub(super) number: u32,
    rows: u64,
    /// A hash of its parts.
    parts: u64,
    /// Whether all replicas have them.
    is_settled: bool,
}

impl Counts {
    /// Sets the age from which on parts are taken for the same on all replicas.
    pub(super) fn set_settled(&self, seconds: u32) {
        self.settled.store(seconds + 1, Ordering::Relaxed);
    }
}

impl Inner {
    /// The days that have rows of runs.
    pub(super) fn day_sums(&self) -> Result<BTreeMap<u32, Arc<Day>>> {
        let partitions = self.partitions("run")?;
        let mut days = BTreeMap::new();
        let mut missing = Vec::new();
        {
            let mut kept = self.counts.days.lock();
            let there: HashSet<u32> = partitions.iter().map(|one| one.number).collect();
            kept.retain(|day, _| there.contains(day));
            for partition in partitions {
                match kept.get(&partition.number) {
                    Some((parts, day)) if *parts == partition.parts => {
                        days.insert(partition.number, Arc::clone(day));
                    }
                    _ => missing.push(partition),
                }
            }
        }
        let mut rest = missing.as_slice();
        while !rest.is_empty() {
            let mut rows = 0;
            let fits = rest.iter().take(DAYS).take_while(|partition| {
                let is_first = rows == 0;
                rows += partition.rows;
                is_first || rows <= ROWS
            });
            let (some, after) = rest.split_at(fits.count().max(1));
            rest = after;
            let mut counted = self.count_days(some)?;
            let mut kept = self.counts.days.lock();
            for partition in some {
                let day = Arc::new(counted.remove(&partition.number).unwrap_or_default());
                if partition.is_settled {
                    let day = Arc::clone(&day);
                    kept.insert(partition.number, (partition.parts, day));
                }
                days.insert(partition.number, day);
            }
        }
        days.retain(|_, day| day.rows > 0);
        Ok(days)
    }

    fn count_days(&self, some: &[Partition]) -> Result<HashMap<u32, Day>> {
        let bytes = self.client.read(&format!(
            "SELECT day, app, countIf(state = 0), sumIf(size, state = 0),
                 countIf(state = 0 AND label != ''), sumIf(size, state = 0 AND label != ''),
                 minIf(started, state = 0), maxIf(started, state = 0),
                 minIf(stored, state = 0), maxIf(stored, state = 0), count(), max(version),
                 groupUniqArray(cityHash64(app, route))
             FROM {} FINAL WHERE day IN ({}) GROUP BY day, app",
            self.all("run"),
            numbers(some.iter().map(|partition| partition.number))
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut days: HashMap<u32, Day> = HashMap::new();
        while answer.has_more() {
            let day = days.entry(answer.u32()?).or_default();
            let app = answer.text()?;
            let of_app = OfApp {
                runs: answer.u64()?,
                bytes: answer.u64()?,
                labelled: (answer.u64()?, answer.u64()?),
                started: (answer.u64()?, answer.u64()?),
                stored: (answer.u64()?, answer.u64()?),
            };
            day.apps.insert(app, of_app);
            day.rows += answer.u64()?;
            day.version = day.version.max(answer.u64()?);
            let routes = answer.list(RowReader::u64)?;
            self.counts.seen.lock().routes.extend(routes);
        }
        Ok(days)
    }

    /// The hourly sums, by thirty days.
    pub(super) fn cell_counts(&self) -> Result<BTreeMap<u32, CellCount>> {
        let mut counts = BTreeMap::new();
        for partition in self.partitions("cell")? {
            let number = partition.number;
            let kept = self.counts.cells.lock().get(&number).copied();
            let count = match kept {
                Some((parts, count)) if parts == partition.parts => count,
                _ => self.count_cells(&partition)?,
            };
            counts.insert(number, count);
        }
        self.counts
            .cells
            .lock()
            .retain(|number, _| counts.contains_key(number));
        Ok(counts)
    }

    fn count_cells(&self, partition: &Partition) -> Result<CellCount> {
        let bytes = self.client.read(&format!(
            "SELECT countIf(gone = 0), max(toUnixTimestamp(written)) FROM {} FINAL
             WHERE {}",
            self.all("cell"),
            of_partition(partition.number)
        ))?;
        let mut answer = RowReader::new(&bytes);
        let count = CellCount {
            cells: answer.u64()?,
            written: answer.u32()?,
        };
        if partition.is_settled {
            let kept = (partition.parts, count);
            self.counts.cells.lock().insert(partition.number, kept);
        }
        Ok(count)
    }

    /// The number of routes and of functions in hourly sums, removed ones included if
    /// this process saw them. Of a large store the first answers are lower bounds.
    pub(super) fn names_seen(&self) -> Result<(u64, u64)> {
        let began = Instant::now();
        for partition in self.partitions("cell")?.into_iter().rev() {
            let number = partition.number;
            let before = self.counts.seen.lock().read.get(&number).copied();
            let (parts, until) = before.unwrap_or_default();
            if before.is_some() && parts == partition.parts {
                continue;
            }
            if began.elapsed() > MAX_COUNTING_TIME {
                break;
            }
            // Rows are a few seconds late on some replicas.
            let bytes = self.client.read(&format!(
                "SELECT groupUniqArray(cityHash64(app, route)), groupUniqArrayArray(names),
                     groupUniqArray(app), max(at)
                 FROM (SELECT app, route, arrayMap(one -> cityHash64(one), name) AS names,
                     toUnixTimestamp(written) AS at FROM {}
                     PREWHERE toUnixTimestamp(written) + {SETTLED} >= {until}
                     WHERE {})",
                self.all("cell"),
                of_partition(number)
            ))?;
            let mut answer = RowReader::new(&bytes);
            let mut seen = self.counts.seen.lock();
            if answer.has_more() {
                seen.routes.extend(answer.list(RowReader::u64)?);
                seen.names.extend(answer.list(RowReader::u64)?);
                seen.apps.extend(answer.list(RowReader::text)?);
                let until = until.max(answer.u32()?);
                let parts = if partition.is_settled {
                    partition.parts
                } else {
                    0
                };
                seen.read.insert(number, (parts, until));
            }
        }
        let seen = self.counts.seen.lock();
        Ok((seen.routes.len() as u64, seen.names.len() as u64))
    }

    /// The applications, those of which only sums are left included.
    pub(super) fn apps(&self) -> Result<Vec<AppInfo>> {
        let mut apps: BTreeMap<String, OfApp> = BTreeMap::new();
        for day in self.day_sums()?.values() {
            for (name, of_day) in &day.apps {
                let app = apps.entry(name.clone()).or_default();
                app.runs += of_day.runs;
                app.bytes += of_day.bytes;
                app.started.1 = app.started.1.max(of_day.started.1);
            }
        }
        self.names_seen()?;
        for name in &self.counts.seen.lock().apps {
            apps.entry(name.clone()).or_default();
        }
        let info = |(name, app): (String, OfApp)| AppInfo {
            name,
            runs: app.runs,
            bytes: app.bytes,
            last_us: app.started.1,
        };
        Ok(apps.into_iter().map(info).collect())
    }

    /// The partitions of a table on all shards.
    pub(super) fn partitions(&self, table: &str) -> Result<Vec<Partition>> {
        let address = self.client.address();
        let database = &address.database;
        let settled = match self.counts.settled.load(Ordering::Relaxed) {
            0 => SETTLED,
            more => more - 1,
        };
        // A replica that is behind has the same old parts for a long time.
        let is_behind = match &address.cluster {
            None => false,
            Some(cluster) => {
                let bytes = self.client.read(&format!(
                    "SELECT max(absolute_delay) FROM cluster('{cluster}', system, replicas)
                     WHERE database = '{database}' AND table = '{table}'"
                ))?;
                RowReader::new(&bytes).u64()? > 5
            }
        };
        let of = match &address.cluster {
            Some(cluster) => format!("cluster('{cluster}', system, parts)"),
            None => "system.parts".to_owned(),
        };
        let bytes = self.client.read(&format!(
            "SELECT toUInt32(partition) AS number, sum(rows),
                 sum(cityHash64(name, rows, bytes_on_disk)),
                 toUInt8(max(modification_time) + {settled} <= now())
             FROM {of} WHERE active AND database = '{database}' AND table = '{table}'
             GROUP BY number ORDER BY number"
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut partitions = Vec::new();
        while answer.has_more() {
            let (number, rows, parts) = (answer.u32()?, answer.u64()?, answer.u64()?);
            let is_settled = answer.u8()? != 0 && !is_behind;
            // No hash of parts that may be those of another time.
            let parts = if is_behind { 0 } else { parts };
            partitions.push(Partition {
                number,
                rows,
                parts,
                is_settled,
            });
        }
        Ok(partitions)
    }
}

/// The condition of the hourly sums of a partition.
pub(super) fn of_partition(number: u32) -> String {
    let (first, until) = (number.saturating_mul(30), number.saturating_add(1) * 30);
    format!("day >= {first} AND day < {until}")
}
