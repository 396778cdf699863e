//! Small records: policies and what they removed, sent findings, counters of agents.

use super::literal::text;
use super::rows::{RowReader, RowWriter};
use super::{Inner, now_us};
use crate::{DroppedRuns, Error, Policies, Policy, Reason, Removal, RemovedFor, Result, RunId};

/// The most policies of applications.
const MAX_POLICIES: usize = 1_000;

/// The longest name of an application, in bytes.
const MAX_NAME: usize = 1024;

const DAY_S: u64 = 86_400;
const DAY_US: u64 = DAY_S * 1_000_000;

/// How long findings and counters are remembered, in days.
const REMEMBERED: u64 = 800;

/// The most counters or removals of one answer.
const LISTED: u32 = 10_000;

/// What a policy removed at a time.
pub(super) struct Noted {
    /// A hash of it: it counts once.
    pub(super) batch: RunId,
    pub(super) count: u64,
    pub(super) bytes: u64,
}

impl Inner {
    /// All policies.
    pub(super) fn policies(&self) -> Result<Policies> {
        let bytes = self.client.read(&format!(
            "SELECT app, days, runs, bytes, notable, keep_notable_days, sums_days, runs_a_day,
                 bytes_a_day
             FROM {} FINAL WHERE gone = 0 ORDER BY app",
            self.all("policy")
        ))?;
        let mut policies = Policies::default();
        let mut answer = RowReader::new(&bytes);
        while answer.has_more() {
            let app = answer.text()?;
            let limit = |value: i64| u64::try_from(value).ok();
            let days = |value: i64| u32::try_from(value).ok();
            let policy = Policy {
                days: days(answer.i64()?),
                runs: limit(answer.i64()?),
                bytes: limit(answer.i64()?),
                notable: answer.u32()?,
                keep_notable_days: answer.u32()?,
                sums_days: days(answer.i64()?),
                runs_a_day: limit(answer.i64()?),
                bytes_a_day: limit(answer.i64()?),
            };
            policies.add(app, policy);
        }
        Ok(policies)
    }

    /// Sets or removes a policy.
    pub(super) fn set_policy(&self, app: Option<&str>, policy: Option<&Policy>) -> Result<()> {
        let app = match app {
            Some("") => return Err(Error::Query("an application has a name".to_owned())),
            Some(app) if app.len() > MAX_NAME => {
                let reason = format!("an application's name has at most {MAX_NAME} bytes");
                return Err(Error::Query(reason));
            }
            app => app.unwrap_or_default(),
        };
        if let Some(policy) = policy {
            policy.check()?;
            if self.policies()?.apps.len() >= MAX_POLICIES {
                let reason = format!("a store has at most {MAX_POLICIES} policies");
                return Err(Error::Query(reason));
            }
        }
        let none = Policy::default();
        let set = policy.unwrap_or(&none);
        let limit =
            |value: Option<u64>| value.map_or(-1, |value| i64::try_from(value).unwrap_or(i64::MAX));
        let mut row = RowWriter::default();
        row.text(app).u64(now_us()).u8(u8::from(policy.is_none()));
        row.i64(limit(set.days.map(u64::from)))
            .i64(limit(set.runs))
            .i64(limit(set.bytes));
        row.u32(set.notable).u32(set.keep_notable_days);
        row.i64(limit(set.sums_days.map(u64::from)));
        row.i64(limit(set.runs_a_day)).i64(limit(set.bytes_a_day));
        let into = self.all("policy")
            + " (app, version, gone, days, runs, bytes, notable, keep_notable_days, sums_days, \
               runs_a_day, bytes_a_day)";
        self.client.insert(&into, &row.bytes)
    }

    /// Notes what a policy removed.
    pub(super) fn note(&self, day: u32, app: &str, reason: Reason, noted: &Noted) -> Result<()> {
        let mut row = RowWriter::default();
        row.u32(day)
            .text(app)
            .text(reason.name())
            .fixed(noted.batch.0);
        row.u64(1).u64(noted.count).u64(noted.bytes);
        let into = self.all("removed") + " (day, app, reason, batch, version, count, bytes)";
        self.client.insert(&into, &row.bytes)
    }

    /// What was removed since an instant.
    pub(super) fn removals(&self, app: Option<&str>, since_us: u64) -> Result<Vec<Removal>> {
        let bytes = self.client.read(&format!(
            "SELECT day, app, reason, sum(count), sum(bytes) FROM {} FINAL WHERE day >= {} AND {}
             GROUP BY day, app, reason ORDER BY day DESC, app, reason LIMIT {LISTED}",
            self.all("removed"),
            since_us / DAY_US,
            of_app(app)
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut removals = Vec::new();
        while answer.has_more() {
            let (day, app, reason) = (answer.u32()?, answer.text()?, answer.text()?);
            let (count, bytes) = (answer.u64()?, answer.u64()?);
            // A later version may have others.
            if let Some(reason) = Reason::ALL.into_iter().find(|known| known.name() == reason) {
                removals.push(Removal {
                    day_s: i64::from(day) * 86_400,
                    app,
                    reason,
                    count,
                    bytes,
                });
            }
        }
        Ok(removals)
    }

    /// What was removed so far, by reason.
    pub(super) fn removed(&self) -> Result<Vec<RemovedFor>> {
        let mut removed = Vec::new();
        for reason in Reason::ALL {
            let bytes = self.client.read(&format!(
                "SELECT sum(count), sum(bytes) FROM {} FINAL WHERE reason = {}",
                self.all("removed"),
                text(reason.name())
            ))?;
            let mut answer = RowReader::new(&bytes);
            removed.push(RemovedFor {
                reason,
                count: answer.u64()?,
                bytes: answer.u64()?,
            });
        }
        Ok(removed)
    }

    /// Whether a finding was sent. It is remembered for a time after the last one.
    pub(super) fn has_notice(&self, id: &str) -> Result<bool> {
        let bytes = self.client.read(&format!(
            "SELECT maxIf(day, id = {}), max(day) FROM {} FINAL",
            text(id),
            self.all("notice")
        ))?;
        let mut answer = RowReader::new(&bytes);
        let (day, newest) = (answer.u64()?, answer.u64()?);
        Ok(day > 0 && day + REMEMBERED >= newest)
    }

    /// Notes that a finding was sent.
    pub(super) fn add_notice(&self, id: &str, now_us: u64) -> Result<()> {
        let mut row = RowWriter::default();
        row.text(id).u64((now_us / DAY_US).max(1));
        self.client
            .insert(&(self.all("notice") + " (id, day)"), &row.bytes)
    }

    /// Notes counters of agents.
    pub(super) fn note_dropped(&self, counters: &[DroppedRuns]) -> Result<()> {
        let mut rows = RowWriter::default();
        for counter in counters {
            rows.u64(counter.day_s / DAY_S)
                .text(&counter.agent)
                .text(&counter.app);
            rows.text(&counter.reason).text(&counter.host);
            rows.u64(counter.runs).u64(counter.bytes);
        }
        if rows.bytes.is_empty() {
            return Ok(());
        }
        let into = self.all("dropped") + " (day, agent, app, reason, host, runs, bytes)";
        self.client.insert(&into, &rows.bytes)
    }

    /// The counters since an instant, the latest first.
    pub(super) fn dropped(&self, app: Option<&str>, since_us: u64) -> Result<Vec<DroppedRuns>> {
        let table = self.all("dropped");
        let bytes = self.client.read(&format!(
            "SELECT day, agent, app, reason, argMax(host, runs), max(runs), max(bytes) FROM {table}
             WHERE day >= {} AND {} AND day + {REMEMBERED} >= (SELECT max(day) FROM {table})
             GROUP BY day, agent, app, reason
             ORDER BY day DESC, app, reason, argMax(host, runs), agent LIMIT {LISTED}",
            since_us / DAY_US,
            of_app(app)
        ))?;
        let mut answer = RowReader::new(&bytes);
        let mut counters = Vec::new();
        while answer.has_more() {
            let day = answer.u64()?;
            counters.push(DroppedRuns {
                day_s: day.saturating_mul(DAY_S),
                agent: answer.text()?,
                app: answer.text()?,
                reason: answer.text()?,
                host: answer.text()?,
                runs: answer.u64()?,
                bytes: answer.u64()?,
            });
        }
        Ok(counters)
    }
}

/// The condition for one application, or all.
fn of_app(app: Option<&str>) -> String {
    app.map_or_else(|| "1".to_owned(), |app| format!("app = {}", text(app)))
}
