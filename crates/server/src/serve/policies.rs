//! `xhprof store policy` and `xhprof store retain`.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use ::store::{Policy, Store};
use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::args::{Limit, PolicyArguments};
use cli::units::{counted, size};

impl PolicyArguments {
    /// Whether it changes something.
    pub(crate) fn is_change(&self) -> bool {
        let limits = [self.days, self.runs, self.bytes, self.sums_days];
        self.reset
            || limits.iter().any(Option::is_some)
            || self.notable.is_some()
            || self.notable_days.is_some()
            || self.runs_a_day.is_some()
            || self.bytes_a_day.is_some()
    }

    /// The policy with the limits that were given.
    fn changed(&self, old: &Policy) -> Result<Policy> {
        let days = |limit: Option<Limit>, old: Option<u32>| -> Result<Option<u32>> {
            let Some(Limit(limit)) = limit else {
                return Ok(old);
            };
            let limit = limit.map(u32::try_from).transpose();
            limit.context("a number of days is at most 4,294,967,295")
        };
        Ok(Policy {
            days: days(self.days, old.days)?,
            runs: self.runs.map_or(old.runs, |Limit(runs)| runs),
            bytes: self.bytes.map_or(old.bytes, |Limit(bytes)| bytes),
            notable: self.notable.unwrap_or(old.notable),
            keep_notable_days: self.notable_days.unwrap_or(old.keep_notable_days),
            sums_days: days(self.sums_days, old.sums_days)?,
            runs_a_day: self.runs_a_day.map_or(old.runs_a_day, |Limit(runs)| runs),
            bytes_a_day: self
                .bytes_a_day
                .map_or(old.bytes_a_day, |Limit(bytes)| bytes),
        })
    }
}

/// Sets a policy, if limits were given, and prints all of them.
pub(super) fn policy(store: &dyn Store, arguments: &PolicyArguments) -> Result<()> {
    let app = arguments.app.as_deref();
    if arguments.reset {
        store.set_policy(app, None)?;
    } else if arguments.is_change() {
        let policies = store.policies()?;
        let old = app.map_or(&policies.default, |app| policies.of(app));
        store.set_policy(app, Some(&arguments.changed(old)?))?;
    }
    let policies = store.policies()?;
    let json = match app {
        Some(app) => json!(policies.of(app)),
        None => json!(policies),
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", serde_json::to_string_pretty(&json)?)?;
    Ok(())
}

/// Applies the policies, or counts what they would remove.
pub(super) fn retain(store: &dyn Store, app: Option<&str>, dry_run: bool) -> Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let now = u64::try_from(now.as_micros())?;
    let policies = store.policies()?;
    let mut apps = store.apps()?;
    if let Some(app) = app {
        apps.retain(|known| known.name == app);
        if apps.is_empty() {
            bail!("the store has no application {app}");
        }
    }
    let mut out = std::io::stdout().lock();
    for app in apps {
        let policy = policies.of(&app.name);
        let removed = if dry_run {
            store.removable(&app.name, policy, now)?
        } else {
            store.retain(&app.name, policy, now)?
        };
        writeln!(
            out,
            "{}: {} {}, {} (age {}, count {}, size {}); {} of sums",
            cli::terminal::printable(app.name.as_bytes()),
            counted(removed.runs, "run"),
            if dry_run { "would go" } else { "removed" },
            size(i64::try_from(removed.bytes)?).trim_end(),
            removed.by_age,
            removed.by_count,
            removed.by_size,
            counted(removed.cells, "hour")
        )?;
    }
    Ok(())
}
