//! Removes runs by age, number and size. Their sums stay.

use std::collections::HashSet;

use super::literal::text;
use super::rows::Answer;
use super::runs::Change;
use super::select::hour_number;
use super::{Inner, now_us, records};
use crate::expiry::{self, Candidate};
use crate::rollup::hour_of;
use crate::{Policy, Reason, Removed, Result, RunId};

const DAY_US: u64 = 86_400_000_000;

/// Runs that arrived lately stay, in microseconds: until no server can be writing
/// the sums of their hour without them.
const SETTLED: u64 = 30 * 60 * 1_000_000;

/// How many runs are removed at a time.
const CHUNK: usize = 500;

/// A run to remove: its id, day and start.
type Victim = ((RunId, u32), u64, Reason);

/// What is to be removed of an application.
struct Plan {
    victims: Vec<Victim>,
    /// The condition of the cells that are too old, and their number.
    cells: Option<(String, u64)>,
}

impl Inner {
    /// What a policy would remove.
    pub(super) fn removable(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
        let plan = self.plan(app, policy, now_us, &HashSet::new())?;
        let mut removed = Removed {
            cells: plan.cells.map_or(0, |(_, count)| count),
            ..Removed::default()
        };
        for (_, size, reason) in plan.victims {
            removed.add(reason, size);
        }
        Ok(removed)
    }

    /// Removes what a policy does not keep.
    pub(super) fn retain(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
        // Runs that have no file any more cannot be folded.
        self.fold()?;
        let changes = self.changes(&format!("app = {}", text(app)))?;
        let runs = changes.values().flat_map(|(_, runs)| runs);
        let unfolded = runs.map(|run| run.info.id).collect();
        let plan = self.plan(app, policy, now_us, &unfolded)?;
        let today = u32::try_from(now_us / DAY_US).unwrap_or(u32::MAX);
        let mut removed = Removed::default();
        for some in plan.victims.chunks(CHUNK) {
            let runs: Vec<(RunId, u32)> = some.iter().map(|victim| victim.0).collect();
            self.change(&runs, &Change::Forgotten)?;
            // A label may have come between.
            let present = self.present(&runs.iter().map(|run| run.0).collect::<Vec<_>>())?;
            let present: HashSet<RunId> = present.into_iter().map(|run| run.0).collect();
            let gone = some.iter().filter(|(run, ..)| !present.contains(&run.0));
            let gone: Vec<&Victim> = gone.collect();
            for reason in Reason::ALL {
                let of_reason = gone.iter().filter(|victim| victim.2 == reason);
                let of_reason: Vec<_> = of_reason.map(|victim| (victim.0.0, victim.1)).collect();
                self.note_removed(today, app, reason, &of_reason)?;
            }
            for (_, size, reason) in gone {
                removed.add(*reason, *size);
            }
        }
        if let Some((condition, count)) = plan.cells.filter(|(_, count)| *count > 0) {
            self.remove_cells(&condition)?;
            let what = (RunId::of(condition.as_bytes()), 0);
            self.note(
                today,
                app,
                Reason::Sums,
                &records::Noted {
                    batch: what.0,
                    count,
                    bytes: 0,
                },
            )?;
            removed.cells = count;
        }
        Ok(removed)
    }

    fn note_removed(
        &self,
        day: u32,
        app: &str,
        reason: Reason,
        runs: &[(RunId, u64)],
    ) -> Result<()> {
        if runs.is_empty() {
            return Ok(());
        }
        let ids: Vec<u8> = runs.iter().flat_map(|(id, _)| id.0).collect();
        let noted = records::Noted {
            batch: RunId::of(&ids),
            count: runs.len() as u64,
            bytes: runs.iter().map(|(_, size)| size).sum(),
        };
        self.note(day, app, reason, &noted)
    }

    /// Finds what a policy removes; `stay` are runs that it does not.
    fn plan(&self, app: &str, policy: &Policy, now_us: u64, stay: &HashSet<RunId>) -> Result<Plan> {
        Ok(Plan {
            victims: self.victims(app, policy, now_us, stay)?,
            cells: match policy.sums_days {
                Some(days) => Some(self.old_cells(app, now_us, days)?),
                None => None,
            },
        })
    }

    fn victims(
        &self,
        app: &str,
        policy: &Policy,
        now: u64,
        stay: &HashSet<RunId>,
    ) -> Result<Vec<Victim>> {
        let notable = self.notable(app, policy.notable)?;
        let settled = now_us().saturating_sub(SETTLED);
        let bytes = self.client.read(&format!(
            "SELECT id, day, size, toUInt8(label != ''), stored FROM {} FINAL
             WHERE app = {} AND state = 0 ORDER BY started DESC, id DESC",
            self.all("run"),
            text(app)
        ))?;
        let mut answer = Answer::new(&bytes);
        let rows = std::iter::from_fn(|| {
            answer.has_more().then(|| {
                let id = RunId(answer.fixed()?);
                Ok(Candidate {
                    run: (id, answer.u32()?),
                    size: answer.u64()?,
                    has_label: answer.u8()? != 0,
                    is_notable: notable.contains(&id),
                    stored: answer.u64()?,
                })
            })
        });
        // The latest ones count, and stay.
        let rows = rows.map(|row: Result<Candidate<_>>| {
            row.map(|row| Candidate {
                has_label: row.has_label || row.stored > settled || stay.contains(&row.run.0),
                ..row
            })
        });
        expiry::victims(rows, policy, now)
    }

    /// The slowest and the latest failed runs of each route.
    fn notable(&self, app: &str, most: u32) -> Result<HashSet<RunId>> {
        let mut notable = HashSet::new();
        for (condition, order) in [("1", "wall"), ("failed != 0", "started")] {
            let bytes = self.client.read(&format!(
                "SELECT id, route FROM {} FINAL WHERE app = {} AND state = 0 AND {condition}
                 ORDER BY route, {order} DESC LIMIT {most} BY route",
                self.all("run"),
                text(app)
            ))?;
            let mut answer = Answer::new(&bytes);
            while most > 0 && answer.has_more() {
                notable.insert(RunId(answer.fixed()?));
                answer.bytes()?;
            }
        }
        Ok(notable)
    }

    /// The condition of the cells of `days` ago and before, and their number. The
    /// sums of runs that are there stay.
    fn old_cells(&self, app: &str, now_us: u64, days: u32) -> Result<(String, u64)> {
        let before = hour_of(now_us).saturating_sub(i64::from(days) * 24);
        let app = text(app);
        let before = hour_number(before);
        let database = &self.client.address().database;
        let condition = format!(
            "app = {app} AND hour < {before} AND gone = 0 AND key NOT IN (
                 SELECT key FROM {database}.run FINAL
                 WHERE app = {app} AND day <= {} AND state = 0)",
            before / 24
        );
        let bytes = self.client.read(&format!(
            "SELECT count() FROM {} FINAL WHERE {condition}",
            self.all("cell")
        ))?;
        let count = Answer::new(&bytes).u64()?;
        Ok((condition, count))
    }

    /// Empties cells. They keep the ids of their runs, which must not come again.
    fn remove_cells(&self, condition: &str) -> Result<()> {
        self.client.execute(&format!(
            "INSERT INTO {cell} (key, version, gone, day, hour, app, route, release, shape, rate, ids)
             SELECT key, version + 1, toUInt8(1), day, hour, app, route, release, shape, rate, ids
             FROM {cell} FINAL WHERE {condition}",
            cell = self.all("cell")
        ))
    }
}
