//! Measures the profiler's cost per call, for `xhprof.compensate`.
//!
//! Once for a process and set of flags, nearly empty functions are called in a
//! loop: with a profile, and without hooks. The difference of the two loops is the
//! cost of a call. The profile itself shows how much of it lies between the two
//! readings. Each run is scaled to one pace of the processor, and the median of
//! the runs is used, so an interrupted run does no harm. The loops are long,
//! because the branch predictor needs hundreds of iterations.

use std::sync::Mutex;

use profile::{Edges, Metrics};
use recorder::{Pace, Shape};

use crate::clock::{self, MeasuredCosts, Parts};
use crate::engine::Callee;
use crate::session::{self, Recorded, Times};
use crate::settings::{self, ClockChoice, Flags};
use crate::symbols::NamingOptions;

/// How often the loops are run.
const RUNS: usize = 32;

/// A measurement, keyed by flags and clock.
type Cached = ((Flags, ClockChoice), MeasuredCosts);

static CACHED: Mutex<Vec<Cached>> = Mutex::new(Vec::new());

/// The costs to subtract in a profile with these flags, measured at the first use.
/// None if `xhprof.compensate` is off, nothing can be recorded, something is being
/// recorded already, or PHP cannot run code now.
pub(crate) fn costs(flags: Flags) -> Option<MeasuredCosts> {
    let is_possible = || session::engine_in_use().is_ok() && !session::is_running();
    if !settings::value(&settings::COMPENSATE) || !is_possible() {
        return None;
    }
    measured(flags)
}

fn measured(flags: Flags) -> Option<MeasuredCosts> {
    // The key includes `no_builtins`: without internal functions only user
    // functions are measured.
    let key = (flags, settings::value(&settings::CLOCK));
    if let Ok(known) = CACHED.lock()
        && let Some((_, measured)) = known.iter().find(|(known, _)| *known == key)
    {
        return Some(*measured);
    }
    let (pace, user) = measure(Callee::User, flags)?;
    let internal = if flags.no_builtins {
        Default::default()
    } else {
        let (its_pace, parts) = measure(Callee::Internal, flags)?;
        parts.map(|parts| Parts {
            inside: its_pace.scale(parts.inside, pace),
            outside: its_pace.scale(parts.outside, pace),
        })
    };
    let measured = MeasuredCosts {
        user,
        internal,
        pace,
    };
    if let Ok(mut known) = CACHED.lock() {
        known.push((key, measured));
    }
    Some(measured)
}

/// All measurements of this process, for `phpinfo()`.
pub(crate) fn cached() -> Vec<(Metrics, MeasuredCosts)> {
    let Ok(known) = CACHED.lock() else {
        return Vec::new();
    };
    let metrics = |flags: Flags| Metrics {
        cpu: flags.cpu,
        memory: flags.memory,
        ..Metrics::default()
    };
    known
        .iter()
        .map(|&((flags, _), measured)| (metrics(flags), measured))
        .collect()
}

fn measure(callee: Callee, flags: Flags) -> Option<(Pace, [Parts; 2])> {
    let mut runs = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        runs.push(one_run(callee, flags)?);
    }
    let pace = middle(runs.iter().map(|run| run.pace));
    let at_pace =
        |cost: fn(&OneRun) -> u64| middle(runs.iter().map(|run| run.pace.scale(cost(run), pace)));
    let bare = at_pace(|run| run.bare);
    let cost = at_pace(|run| run.profiled.saturating_sub(run.bare));
    // Without hooks, half of an empty call's time is its own, half its caller's.
    let parts = |between: u64| {
        let inside = between.saturating_sub(bare / 2).min(cost);
        Parts {
            inside,
            outside: cost - inside,
        }
    };
    Some((
        pace,
        [
            parts(at_pace(|run| run.wall)),
            parts(at_pace(|run| run.cpu)),
        ],
    ))
}

/// The times of one call, in picoseconds, at one pace.
struct OneRun {
    pace: Pace,
    /// Without hooks.
    bare: u64,
    /// With a profile.
    profiled: u64,
    /// As the profile recorded it.
    wall: u64,
    cpu: u64,
}

fn one_run(callee: Callee, flags: Flags) -> Option<OneRun> {
    let at_first = clock::pace();
    let bare = callee.without_hooks()?;
    let then = clock::pace();
    // With the hooks that subtract, and a cost of zero to subtract.
    let start = || {
        session::start_tracing(
            Shape::Edges,
            flags,
            NamingOptions::default(),
            Times::Exact(Some(MeasuredCosts::default())),
        );
    };
    let (profiled, recorded) = callee.with_hooks(start, session::stop)?;
    let pace = then.between(clock::pace());
    let Some(Recorded::Edges(traced)) = recorded else {
        return None;
    };
    let edge = traced.edges.iter().max_by_key(|edge| edge.cost.calls)?;
    let count = edge.cost.calls.max(1);
    Some(OneRun {
        pace,
        bare: at_first.between(then).scale(bare.per_call_ps(), pace),
        profiled: profiled.per_call_ps(),
        wall: edge.cost.wall * 1_000 / count,
        cpu: edge.cost.cpu * 1_000 / count,
    })
}

/// The median; the default value if there are no values.
fn middle<T: Ord + Default>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.into_iter().nth(RUNS / 2).unwrap_or_default()
}
