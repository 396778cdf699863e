//! Measures the profiler's cost per call, for `xhprof.compensate` and adaptive timing.
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
use crate::session::{self, AdaptiveTimes, Recorded, Times};
use crate::settings::{self, ClockChoice, Flags, Timing};
use crate::symbols::NamingOptions;

/// How often the loops are run.
const RUNS: usize = 32;
/// The same for adaptive timing, which begins more often, and has fewer timed calls.
const ADAPTIVE_RUNS: usize = 3;
/// An error that no row exceeds, so that nearly all calls stay untimed.
const ANY_ERROR: f64 = 1e9;

/// A measurement, keyed by flags, clock and timing.
type Cached = ((Flags, ClockChoice, Timing), MeasuredCosts);

static CACHED: Mutex<Vec<Cached>> = Mutex::new(Vec::new());

/// The costs to subtract in a profile with these flags, measured at the first use.
/// None if `xhprof.compensate` is off, nothing can be recorded, something is being
/// recorded already, or PHP cannot run code now.
pub(crate) fn costs(flags: Flags) -> Option<MeasuredCosts> {
    let is_possible = || session::engine_in_use().is_ok() && !session::is_running();
    if !settings::value(&settings::COMPENSATE) || !is_possible() {
        return None;
    }
    measured(flags, Timing::Exact)
}

/// How a profile with these flags times calls adaptively: the costs to subtract are
/// measured at the first use. They are zero where [`costs`] returns none.
pub(crate) fn adaptive(flags: Flags) -> AdaptiveTimes {
    let is_possible = session::engine_in_use().is_ok() && !session::is_running();
    let costs = is_possible.then(|| measured(flags, Timing::Adaptive));
    AdaptiveTimes::usual(costs.flatten().unwrap_or_default())
}

fn measured(flags: Flags, timing: Timing) -> Option<MeasuredCosts> {
    // The key includes `no_builtins`: without internal functions only user
    // functions are measured.
    let key = (flags, settings::value(&settings::CLOCK), timing);
    if let Ok(known) = CACHED.lock()
        && let Some((_, measured)) = known.iter().find(|(known, _)| *known == key)
    {
        return Some(*measured);
    }
    let user = measure(Callee::User, flags, timing)?;
    let pace = user.pace;
    let internal = if flags.no_builtins {
        OfCallee::default()
    } else {
        let its = measure(Callee::Internal, flags, timing)?;
        let scale = |cost| its.pace.scale(cost, pace);
        OfCallee {
            pace,
            parts: its.parts.map(|parts| Parts {
                inside: scale(parts.inside),
                outside: scale(parts.outside),
            }),
            untimed: scale(its.untimed),
            surprise: user.surprise,
        }
    };
    let measured = MeasuredCosts {
        user: user.parts,
        internal: internal.parts,
        untimed: [user.untimed, internal.untimed],
        surprise: user.surprise,
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
        .filter(|((_, _, timing), _)| *timing == Timing::Exact)
        .map(|&((flags, ..), measured)| (metrics(flags), measured))
        .collect()
}

/// What the calls of one kind cost, in picoseconds, at one pace.
#[derive(Default)]
struct OfCallee {
    pace: Pace,
    /// In wall time and in CPU time.
    parts: [Parts; 2],
    /// Of a call that adaptive timing does not time.
    untimed: u64,
    /// What a timed call takes longer where most are not timed.
    surprise: [u64; 2],
}

fn measure(callee: Callee, flags: Flags, timing: Timing) -> Option<OfCallee> {
    let count = match timing {
        Timing::Exact => RUNS,
        Timing::Adaptive => ADAPTIVE_RUNS,
    };
    let nothing = AdaptiveTimes::usual(MeasuredCosts::default());
    let timed = match timing {
        Timing::Exact => Times::Exact(Some(MeasuredCosts::default())),
        Timing::Adaptive => Times::Adaptive(AdaptiveTimes {
            short_ns: 0,
            ..nothing
        }),
    };
    let untimed = Times::Adaptive(AdaptiveTimes {
        error: ANY_ERROR,
        ..nothing
    });
    let (mut runs, mut untimed_runs) = (Vec::with_capacity(count), Vec::new());
    for _ in 0..count {
        runs.push(one_run(callee, flags, timed)?);
        if timing == Timing::Adaptive {
            untimed_runs.push(one_run(callee, flags, untimed)?);
        }
    }
    let pace = middle(runs.iter().map(|run| run.pace));
    let at_pace = |runs: &[OneRun], cost: fn(&OneRun) -> u64| {
        middle(runs.iter().map(|run| run.pace.scale(cost(run), pace)))
    };
    let clocks: [fn(&OneRun) -> u64; 2] = [|run| run.wall, |run| run.cpu];
    let added = |run: &OneRun| run.profiled.saturating_sub(run.bare);
    let bare = at_pace(&runs, |run| run.bare);
    // The least: what is subtracted too much from a caller of many short calls would be
    // all of its own time.
    let least = untimed_runs.iter();
    let least = least.map(|run| run.pace.scale(run.profiled, pace));
    let least = least.min().unwrap_or_default();
    let cost = at_pace(&runs, added);
    // Without hooks, half of an empty call's time is its own, half its caller's.
    let parts = |between: u64| {
        let inside = between.saturating_sub(bare / 2).min(cost);
        Parts {
            inside,
            outside: cost - inside,
        }
    };
    Some(OfCallee {
        pace,
        parts: clocks.map(|time| parts(at_pace(&runs, time))),
        untimed: least.saturating_sub(bare),
        surprise: clocks.map(|time| {
            let expected = at_pace(&runs, time);
            at_pace(&untimed_runs, time).saturating_sub(expected)
        }),
    })
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

fn one_run(callee: Callee, flags: Flags, times: Times) -> Option<OneRun> {
    let at_first = clock::pace();
    let bare = callee.without_hooks()?;
    let then = clock::pace();
    // With the hooks that subtract, and a cost of zero to subtract.
    let start = || session::start_tracing(Shape::Edges, flags, NamingOptions::default(), times);
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
    let middle = values.len() / 2;
    values.into_iter().nth(middle).unwrap_or_default()
}
