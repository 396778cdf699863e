//! Removes runs by age, number and size. Their sums stay.
//!
//! Policies are applied day by day. What is known of a day without reading it is
//! enough for most days: all of its runs are too old, or none is, and all come before
//! a limit, or all after it. Only the days between are read.
//!
//! **Invariant:** the same runs go as [`crate::expiry`] names. No list of all runs of
//! an application is made, here or in ClickHouse.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::counts::{Day, OfApp};
use super::literal::{numbers, text};
use super::notable::Notable;
use super::rows::RowReader;
use super::runs::Change;
use super::select::{day_of, hour_number};
use super::{Inner, now_us, records, slices};
use crate::rollup::hour_of;
use crate::{Policy, Reason, Removed, Result, RunId};

const DAY_US: u64 = 86_400_000_000;

/// Runs that arrived lately stay, in microseconds: until no server can be writing
/// the sums of their hour without them.
const SETTLED: u64 = 30 * 60 * 1_000_000;

/// How many rows are read at a time, and how many runs are removed.
const ROWS: u64 = 20_000;
const CHUNK: usize = 1000;

/// How many ids are in one statement.
const IDS: u64 = 20_000;

/// Parts of a day in which a limit is looked for, in microseconds.
const PARTS: [u64; 2] = [3_600_000_000, 1_000_000];

/// A run to remove: its id, size, and the reason.
type Victim = (RunId, u64, Reason);

/// A number of runs, and the size of their files.
type Count = (u64, u64);

/// The latest run that is beyond a limit: its start and id. Older ones are, too.
type Beyond = Option<(u64, RunId)>;

/// What a policy says of one application's runs.
struct Rules<'a> {
    app: &'a str,
    /// Runs that came before go; notable ones if they came before the second.
    oldest: (u64, u64),
    /// Runs that came later stay.
    settled: u64,
    /// Runs that are in no sums yet stay.
    unfolded: BTreeMap<u32, HashSet<RunId>>,
    notable: BTreeMap<u32, BTreeMap<RunId, Notable>>,
}

/// The runs of a day: those that are too old, those that stay whatever the limits are,
/// and the others.
#[derive(Debug, Default, Clone, Copy)]
struct Parted {
    old: Count,
    kept: Count,
    rest: Count,
}

/// From which run on there are too many, and from which on they are too large.
struct Limits {
    count: Beyond,
    size: Beyond,
}

impl Inner {
    /// What a policy would remove.
    pub(super) fn removable(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
        let mut removed = Removed::default();
        self.each_victim(app, policy, now_us, BTreeMap::new(), &mut |_, victims| {
            for (_, size, reason) in victims {
                removed.add(*reason, *size);
            }
            Ok(())
        })?;
        if let Some((_, count)) = self.old_cells(app, policy, now_us)? {
            removed.cells = count;
        }
        Ok(removed)
    }

    /// Removes what a policy does not keep.
    pub(super) fn retain(&self, app: &str, policy: &Policy, now_us: u64) -> Result<Removed> {
        // Runs that have no file any more cannot be folded.
        self.fold()?;
        let mut unfolded: BTreeMap<u32, HashSet<RunId>> = BTreeMap::new();
        for (_, runs) in self.changes(&format!("app = {}", text(app)))?.values() {
            for run in runs {
                let day = unfolded.entry(day_of(run.info.started_us)).or_default();
                day.insert(run.info.id);
            }
        }
        let today = u32::try_from(now_us / DAY_US).unwrap_or(u32::MAX);
        let mut removed = Removed::default();
        self.each_victim(app, policy, now_us, unfolded, &mut |day, victims| {
            let runs: Vec<(RunId, u32)> = victims.iter().map(|victim| (victim.0, day)).collect();
            self.change(&runs, &Change::Forgotten)?;
            // A label may have come between.
            let present = self.present(&runs.iter().map(|run| run.0).collect::<Vec<_>>())?;
            let present: HashSet<RunId> = present.into_iter().map(|run| run.0).collect();
            let gone = victims.iter().filter(|(run, ..)| !present.contains(run));
            let gone: Vec<&Victim> = gone.collect();
            for reason in Reason::ALL {
                let of_reason = gone.iter().filter(|victim| victim.2 == reason);
                let of_reason: Vec<_> = of_reason.map(|victim| (victim.0, victim.1)).collect();
                self.note_removed(today, app, reason, &of_reason)?;
            }
            for (_, size, reason) in gone {
                removed.add(*reason, *size);
            }
            Ok(())
        })?;
        if let Some((condition, count)) = self.old_cells(app, policy, now_us)?
            && count > 0
        {
            self.remove_cells(&condition)?;
            let noted = records::Noted {
                batch: RunId::of(condition.as_bytes()),
                count,
                bytes: 0,
            };
            self.note(today, app, Reason::Sums, &noted)?;
            removed.cells = count;
        }
        self.drop_regularly()?;
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

    /// Calls `each` with the runs of a day that a policy removes, some at a time.
    /// `unfolded` are runs that it does not.
    fn each_victim(
        &self,
        app: &str,
        policy: &Policy,
        now: u64,
        unfolded: BTreeMap<u32, HashSet<RunId>>,
        each: &mut dyn FnMut(u32, &[Victim]) -> Result<()>,
    ) -> Result<()> {
        let before = |days: u32| now.saturating_sub(u64::from(days).saturating_mul(DAY_US));
        let oldest = policy.days.map_or(0, before);
        let days: Vec<(u32, Arc<Day>)> = self.day_sums()?.into_iter().collect();
        let rules = Rules {
            app,
            oldest: (oldest, oldest.min(before(policy.keep_notable_days))),
            settled: now_us().saturating_sub(SETTLED),
            unfolded,
            notable: self.notable(app, policy.notable, &days)?,
        };
        let mut parted = Vec::new();
        // The latest first.
        for (day, sums) in days.iter().rev() {
            if let Some(of_app) = sums.apps.get(app).filter(|of_app| of_app.runs > 0) {
                parted.push((*day, sums, of_app, self.parted(&rules, *day, of_app)?));
            }
        }
        let all: Vec<(u32, Parted)> = parted.iter().map(|of| (of.0, of.3)).collect();
        let limits = Limits {
            count: match policy.runs {
                Some(most) => self.first_beyond(&rules, &all, &|(count, _)| count > most)?,
                None => None,
            },
            size: match policy.bytes {
                Some(most) => self.first_beyond(&rules, &all, &|(_, bytes)| bytes > most)?,
                None => None,
            },
        };
        let latest = limits.count.max(limits.size).map_or(0, |from| from.0);
        for (day, sums, of_app, parted) in parted {
            let is_limited = parted.rest.0 > 0 && of_app.started.0 <= latest;
            if parted.old.0 == 0 && !is_limited {
                continue;
            }
            for range in slices::of_ids(sums.rows, ROWS) {
                let victims = self.victims(&rules, &limits, day, &range.condition())?;
                for some in victims.chunks(CHUNK) {
                    each(day, some)?;
                }
            }
        }
        Ok(())
    }

    /// The victims of a part of a day.
    fn victims(
        &self,
        rules: &Rules<'_>,
        limits: &Limits,
        day: u32,
        range: &str,
    ) -> Result<Vec<Victim>> {
        let latest = limits.count.max(limits.size).map_or(0, |from| from.0);
        let bytes = self.client.read(&format!(
            "SELECT id, size, stored, started FROM {} FINAL
             WHERE {} AND {range} AND label = '' AND stored <= {}
             AND (stored < {} OR started <= {latest}) ORDER BY id",
            self.all("run"),
            rules.of_day(day),
            rules.settled,
            rules.oldest.0
        ))?;
        let (notable, unfolded) = (rules.notable.get(&day), rules.unfolded.get(&day));
        let mut answer = RowReader::new(&bytes);
        let mut victims = Vec::new();
        while answer.has_more() {
            let (id, size) = (RunId(answer.fixed()?), answer.u64()?);
            let (stored, started) = (answer.u64()?, answer.u64()?);
            let is_notable = notable.is_some_and(|ids| ids.contains_key(&id));
            let oldest = if is_notable {
                rules.oldest.1
            } else {
                rules.oldest.0
            };
            let is_beyond = |from: Beyond| from.is_some_and(|from| (started, id) <= from);
            let reason = if unfolded.is_some_and(|ids| ids.contains(&id)) {
                continue;
            } else if stored < oldest {
                Reason::Age
            } else if is_notable {
                continue;
            } else if is_beyond(limits.count) {
                Reason::Count
            } else if is_beyond(limits.size) {
                Reason::Size
            } else {
                continue;
            };
            victims.push((id, size, reason));
        }
        Ok(victims)
    }

    /// How many runs of a day go and stay before there are limits.
    fn parted(&self, rules: &Rules<'_>, day: u32, of_app: &OfApp) -> Result<Parted> {
        let (oldest, oldest_notable) = rules.oldest;
        let is_late = of_app.stored.1 > rules.settled || rules.unfolded.contains_key(&day);
        let (is_young, is_old) = (of_app.stored.0 >= oldest, of_app.stored.1 < oldest);
        if is_late || !(is_young || is_old) {
            return self.read_parted(rules, day);
        }
        let mut parted = Parted {
            kept: of_app.labelled,
            ..Parted::default()
        };
        let all = (of_app.runs, of_app.bytes);
        for run in rules.notable.get(&day).into_iter().flatten() {
            if !run.1.has_label && run.1.stored >= oldest_notable {
                parted.kept.0 += 1;
                parted.kept.1 += run.1.size;
            }
        }
        let others = (
            all.0.saturating_sub(parted.kept.0),
            all.1.saturating_sub(parted.kept.1),
        );
        if is_young {
            parted.rest = others;
        } else {
            parted.old = others;
        }
        Ok(parted)
    }

    /// The same, read from the runs.
    fn read_parted(&self, rules: &Rules<'_>, day: u32) -> Result<Parted> {
        let mut parted = Parted::default();
        for class in rules.classes(day) {
            let bytes = self.client.read(&format!(
                "SELECT {} AS class, count(), sum(size) FROM {} FINAL WHERE {} AND {}
                 GROUP BY class",
                class.of_run,
                self.all("run"),
                rules.of_day(day),
                class.range
            ))?;
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                let sums = match answer.u8()? {
                    CLASS_KEPT => &mut parted.kept,
                    CLASS_LIMITED => &mut parted.rest,
                    _ => &mut parted.old,
                };
                sums.0 += answer.u64()?;
                sums.1 += answer.u64()?;
            }
        }
        Ok(parted)
    }

    /// The latest run with which a limit is passed.
    fn first_beyond(
        &self,
        rules: &Rules<'_>,
        days: &[(u32, Parted)],
        is_beyond: &dyn Fn(Count) -> bool,
    ) -> Result<Beyond> {
        let add = |one: Count, other: Count| (one.0 + other.0, one.1 + other.1);
        // Those that stay count first, so that limits hold for all runs together.
        let kept = days.iter().map(|(_, parted)| parted.kept);
        let mut sum = kept.fold((0, 0), add);
        for (day, parted) in days {
            let next = add(sum, parted.rest);
            if parted.rest.0 == 0 || !is_beyond(next) {
                sum = next;
                continue;
            }
            let mut part = "1".to_owned();
            for length in PARTS {
                // The sum before the run that is looked for.
                for (number, count) in self.parts_of_day(rules, *day, &part, length)?.iter().rev() {
                    let next = add(sum, *count);
                    if is_beyond(next) {
                        part = format!("intDiv(started, {length}) = {number}");
                        break;
                    }
                    sum = next;
                }
            }
            for (run, size) in self.runs_of_part(rules, *day, &part)?.iter().rev() {
                sum = add(sum, (1, *size));
                if is_beyond(sum) {
                    return Ok(Some(*run));
                }
            }
        }
        Ok(None)
    }

    /// The runs that limits are for, of each part of a day.
    fn parts_of_day(
        &self,
        rules: &Rules<'_>,
        day: u32,
        part: &str,
        length: u64,
    ) -> Result<BTreeMap<u64, Count>> {
        let mut parts: BTreeMap<u64, Count> = BTreeMap::new();
        for class in rules.classes(day) {
            let bytes = self.client.read(&format!(
                "SELECT intDiv(started, {length}) AS part, count(), sum(size) FROM {} FINAL
                 WHERE {} AND {} AND {part} AND {} = {CLASS_LIMITED} GROUP BY part",
                self.all("run"),
                rules.of_day(day),
                class.range,
                class.of_run
            ))?;
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                let count = parts.entry(answer.u64()?).or_default();
                count.0 += answer.u64()?;
                count.1 += answer.u64()?;
            }
        }
        Ok(parts)
    }

    /// The same, one by one, with their sizes.
    fn runs_of_part(
        &self,
        rules: &Rules<'_>,
        day: u32,
        part: &str,
    ) -> Result<BTreeMap<(u64, RunId), u64>> {
        let mut runs = BTreeMap::new();
        for class in rules.classes(day) {
            let bytes = self.client.read(&format!(
                "SELECT started, id, size FROM {} FINAL
                 WHERE {} AND {} AND {part} AND {} = {CLASS_LIMITED}",
                self.all("run"),
                rules.of_day(day),
                class.range,
                class.of_run
            ))?;
            let mut answer = RowReader::new(&bytes);
            while answer.has_more() {
                let run = (answer.u64()?, RunId(answer.fixed()?));
                runs.insert(run, answer.u64()?);
            }
        }
        Ok(runs)
    }

    /// The condition of the cells that are too old, and their number; none if sums
    /// have no limit. The sums of runs that are there stay.
    fn old_cells(&self, app: &str, policy: &Policy, now: u64) -> Result<Option<(String, u64)>> {
        let Some(days) = policy.sums_days else {
            return Ok(None);
        };
        let before = hour_number(hour_of(now).saturating_sub(i64::from(days) * 24));
        let last = before / 24;
        let sums = self.day_sums()?;
        let has_runs = |day: &Day| day.apps.get(app).is_some_and(|app| app.runs > 0);
        let with_runs = sums.range(..=last).filter(|(_, day)| has_runs(day));
        let with_runs: Vec<u32> = with_runs.map(|(day, _)| *day).collect();
        let app = text(app);
        let mut condition =
            format!("app = {app} AND day <= {last} AND hour < {before} AND gone = 0");
        if !with_runs.is_empty() {
            condition = format!(
                "{condition} AND key NOT IN (SELECT key FROM {}.run FINAL
                     WHERE app = {app} AND day IN ({}) AND state = 0)",
                self.client.address().database,
                numbers(with_runs)
            );
        }
        let bytes = self.client.read(&format!(
            "SELECT count() FROM {} FINAL WHERE {condition}",
            self.all("cell")
        ))?;
        let count = RowReader::new(&bytes).u64()?;
        Ok(Some((condition, count)))
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

/// Classes of runs: those that stay, those that limits are for, those that are too old.
const CLASS_KEPT: u8 = 1;
const CLASS_LIMITED: u8 = 2;
const OLD: u8 = 3;

/// The class of the runs of a part of a day, as an expression.
struct Class {
    range: String,
    of_run: String,
}

impl Rules<'_> {
    /// The runs of a day that are there.
    fn of_day(&self, day: u32) -> String {
        format!("app = {} AND day = {day} AND state = 0", text(self.app))
    }

    /// Says of each run of a day what [`Parted`] counts it as; in parts, as the ids of
    /// a day may be too many for one statement.
    fn classes(&self, day: u32) -> Vec<Class> {
        let (oldest, oldest_notable) = self.oldest;
        let notable: Vec<RunId> = match self.notable.get(&day) {
            Some(runs) => runs.keys().copied().collect(),
            None => Vec::new(),
        };
        let unfolded: Vec<RunId> = match self.unfolded.get(&day) {
            Some(runs) => runs.iter().copied().collect(),
            None => Vec::new(),
        };
        let count = (notable.len() + unfolded.len()) as u64;
        let class = |range: slices::Range| {
            let is_kept = range.any_of(&unfolded);
            let is_notable = range.any_of(&notable);
            Class {
                range: range.condition(),
                of_run: format!(
                    "multiIf(label != '' OR stored > {} OR {is_kept}, {CLASS_KEPT},
                     stored < if({is_notable}, toUInt64({oldest_notable}), toUInt64({oldest})), {OLD},
                     {is_notable}, {CLASS_KEPT}, {CLASS_LIMITED})",
                    self.settled
                ),
            }
        };
        slices::of_ids(count, IDS).into_iter().map(class).collect()
    }
}
