//! Which runs a policy removes.

use crate::{Policy, Reason, Result};

const DAY_US: u64 = 24 * 3_600_000_000;

/// A run that may have to go; `T` is how the store knows it.
#[derive(Debug)]
pub(crate) struct Candidate<T> {
    pub(crate) run: T,
    pub(crate) size: u64,
    pub(crate) has_label: bool,
    /// Among the slowest, or the latest failed ones, of its route.
    pub(crate) is_notable: bool,
    /// When it arrived, in microseconds since 1970.
    pub(crate) stored: u64,
}

/// The runs of an application that go, with their sizes. `candidates` are all of
/// its runs, the latest first.
pub(crate) fn victims<T>(
    candidates: impl Iterator<Item = Result<Candidate<T>>>,
    policy: &Policy,
    now_us: u64,
) -> Result<Vec<(T, u64, Reason)>> {
    let before = |days: u32| now_us.saturating_sub(u64::from(days).saturating_mul(DAY_US));
    let oldest = policy.days.map_or(0, before);
    let oldest_notable = oldest.min(before(policy.keep_notable_days));
    let (mut count, mut bytes) = (0_u64, 0_u64);
    let mut victims = Vec::new();
    let mut rest = Vec::new();
    for candidate in candidates {
        let candidate = candidate?;
        let Candidate {
            run,
            size,
            has_label,
            is_notable,
            stored,
        } = candidate;
        let limit = if is_notable { oldest_notable } else { oldest };
        if !has_label && stored < limit {
            victims.push((run, size, Reason::Age));
        } else if has_label || is_notable {
            // Counted first, so that limits hold for all runs together.
            count += 1;
            bytes += size;
        } else {
            rest.push((run, size));
        }
    }
    // The oldest go: after one that is over a limit, all older ones do.
    for (run, size) in rest {
        count += 1;
        bytes += size;
        let reason = if policy.runs.is_some_and(|most| count > most) {
            Reason::Count
        } else if policy.bytes.is_some_and(|most| bytes > most) {
            Reason::Size
        } else {
            continue;
        };
        victims.push((run, size, reason));
    }
    Ok(victims)
}
