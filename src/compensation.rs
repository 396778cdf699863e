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
use crate::engine;
use crate::session::{self, Recorded};
use crate::settings::{self, ClockChoice, Flags};
use crate::symbols::NamingOptions;
use crate::zend;

/// How often each loop is run, and how many more calls the longer one makes.
const RUNS: usize = 32;
const CALLS: u64 = 1_500;

/// A long and a short loop of calls: the extra cost of a function's first call is
/// in both, so it cancels. The callee takes and returns a value, as most
/// functions do: without one, an observed call costs 2 to 3 ns more.
const USER: [&std::ffi::CStr; 2] = [
    c"(static function () { for ($x = $i = 0; $i < 1800; ++$i) $x = \\xhprof\\nothing($x); })();",
    c"(static function () { for ($x = $i = 0; $i < 300; ++$i) $x = \\xhprof\\nothing($x); })();",
];
/// The callee of [`USER`], declared only during the measurement. It is not a
/// closure: all closures have one name, so a call of one from another would be
/// recorded as recursion.
const NOTHING: &std::ffi::CStr = c"namespace xhprof; function nothing($x) { return $x; }";
const NOTHING_NAME: &str = "xhprof\\nothing";
const INTERNAL: [&std::ffi::CStr; 2] = [
    c"(static function () { $g = (static function () { yield; })(); $g->valid();
        for ($i = 0; $i < 1800; ++$i) $g->valid(); })();",
    c"(static function () { $g = (static function () { yield; })(); $g->valid();
        for ($i = 0; $i < 300; ++$i) $g->valid(); })();",
];

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
    let (pace, user) = measure(USER, flags)?;
    let internal = if flags.no_builtins {
        Default::default()
    } else {
        let (its_pace, parts) = measure(INTERNAL, flags)?;
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

fn measure([calls, none]: [&std::ffi::CStr; 2], flags: Flags) -> Option<(Pace, [Parts; 2])> {
    let mut runs = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        runs.push(one_run([calls, none], flags)?);
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

fn one_run([calls, none]: [&std::ffi::CStr; 2], flags: Flags) -> Option<OneRun> {
    let per_call = |(with, without): (u64, u64)| with.saturating_sub(without) * 1_000 / CALLS;
    let at_first = clock::pace();
    let bare = engine::without_hooks(|| declared(|| run(calls).zip(run(none))))?;
    let then = clock::pace();
    let (profiled, recorded) = declared(|| {
        // With the hooks that subtract, and a cost of zero to subtract.
        session::start_tracing(
            Shape::Edges,
            flags,
            NamingOptions::default(),
            Some(MeasuredCosts::default()),
        );
        let times = run(calls).zip(run(none));
        Some((times, session::stop()))
    })?;
    let pace = then.between(clock::pace());
    let Some(Recorded::Edges(traced)) = recorded else {
        return None;
    };
    let edge = traced.edges.iter().max_by_key(|edge| edge.cost.calls)?;
    let count = edge.cost.calls.max(1);
    Some(OneRun {
        pace,
        bare: at_first.between(then).scale(per_call(bare), pace),
        profiled: per_call(profiled?),
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

/// Declares the function that the loops call, runs `act`, and removes the
/// function. It is compiled for the hooks that are installed now.
fn declared<R>(act: impl FnOnce() -> Option<R>) -> Option<R> {
    let result = if zend::evaluate(NOTHING) { act() } else { None };
    zend::forget_function(NOTHING_NAME);
    result
}

/// The time to compile and run `code`, in nanoseconds; none if that failed.
fn run(code: &std::ffi::CStr) -> Option<u64> {
    let start = clock::monotonic_ns();
    zend::evaluate(code).then(|| clock::monotonic_ns().saturating_sub(start))
}
