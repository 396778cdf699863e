//! Measures the profiler's cost per call, for `xhprof.compensate` and adaptive timing.
//!
//! Once for a process and set of flags, short functions are called in a
//! loop: with a profile, and without hooks. The difference of the two loops is the
//! cost of a call. The profile itself shows how much of it lies between the two
//! readings. Each run is scaled to one pace of the processor, and the median of
//! the runs is used, so an interrupted run does no harm. The loops are long,
//! because the branch predictor needs hundreds of iterations.

use std::sync::Mutex;

use profile::{Cost, Edges, Metrics};
use recorder::{Pace, Shape};

use crate::clock::{self, MeasuredCosts, Parts};
use crate::engine::Callee;
use crate::session::{self, AdaptiveTimes, Recorded, Times};
use crate::settings::{self, ClockChoice, Flags, Timing};
use crate::symbols::NamingOptions;

/// How often the loops are run.
const RUNS: usize = 32;
/// The same for adaptive timing, which begins more often, and has fewer timed calls.
const ADAPTIVE_RUNS: usize = 5;
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
    let nothing = AdaptiveTimes::usual(MeasuredCosts::default());
    // With the hooks that subtract, and a cost of zero to subtract.
    let (count, ways) = match timing {
        Timing::Exact => (RUNS, vec![Times::Exact(Some(MeasuredCosts::default()))]),
        Timing::Adaptive => {
            // No error is allowed, so all calls are timed.
            let timed = AdaptiveTimes {
                error: 0.0,
                ..nothing
            };
            let untimed = AdaptiveTimes {
                error: ANY_ERROR,
                ..nothing
            };
            let ways = [timed, untimed].map(Times::Adaptive);
            (ADAPTIVE_RUNS, ways.to_vec())
        }
    };
    let runs = (0..count).map(|_| one_run(callee, flags, &ways));
    let runs: Vec<OneRun> = runs.collect::<Option<_>>()?;
    let pace = middle(runs.iter().map(|run| run.bare.pace));
    let bare = middle(runs.iter().map(|run| run.bare.at(pace)));
    let empty = middle(runs.iter().map(|run| run.empty.at(pace)));
    // Without hooks, half of an empty call's time is its own, half its caller's.
    let own = bare.saturating_sub(empty / 2);
    let of_way = |way: usize, cost: fn(&Profiled) -> &AtPace| {
        let profiled = runs.iter().filter_map(|run| run.profiled.get(way));
        middle(profiled.map(|profiled| cost(profiled).at(pace)))
    };
    let [timed, untimed] = [0, 1];
    let cost = of_way(timed, |profiled| &profiled.call).saturating_sub(bare);
    let parts = |between: u64| {
        let inside = between.saturating_sub(own).min(cost);
        Parts {
            inside,
            outside: cost - inside,
        }
    };
    let clocks: [fn(&Profiled) -> &AtPace; 2] = [|it| &it.wall, |it| &it.cpu];
    Some(OfCallee {
        pace,
        parts: clocks.map(|time| parts(of_way(timed, time))),
        untimed: of_way(untimed, |profiled| &profiled.call).saturating_sub(bare),
        surprise: clocks.map(|time| of_way(untimed, time).saturating_sub(of_way(timed, time))),
    })
}

/// A time per call, in picoseconds, and the pace at which it was measured.
#[derive(Clone, Copy)]
struct AtPace {
    pace: Pace,
    ps: u64,
}

impl AtPace {
    /// The time at another pace.
    fn at(&self, pace: Pace) -> u64 {
        self.pace.scale(self.ps, pace)
    }
}

/// The times of one call with a profile.
struct Profiled {
    call: AtPace,
    /// As the profile recorded it.
    wall: AtPace,
    cpu: AtPace,
}

/// The times of one call without hooks, of an empty one, and of one with each kind of
/// profile.
struct OneRun {
    bare: AtPace,
    empty: AtPace,
    profiled: Vec<Profiled>,
}

fn one_run(callee: Callee, flags: Flags, ways: &[Times]) -> Option<OneRun> {
    let mut last = clock::pace();
    let mut without_hooks = |callee: Callee| {
        let ps = callee.without_hooks()?.per_call_ps();
        let then = clock::pace();
        let pace = last.between(then);
        last = then;
        Some(AtPace { pace, ps })
    };
    let bare = without_hooks(callee)?;
    let empty = match callee {
        Callee::User => without_hooks(Callee::Empty)?,
        // The internal function does as good as nothing.
        Callee::Empty | Callee::Internal => bare,
    };
    let mut profiled = Vec::with_capacity(ways.len());
    for &times in ways {
        let start = || session::start_tracing(Shape::Edges, flags, NamingOptions::default(), times);
        let (call, warm, recorded) = callee.with_hooks(start, session::snapshot, session::stop)?;
        let then = clock::pace();
        let pace = last.between(then);
        last = then;
        let Some(Recorded::Edges(traced)) = recorded else {
            return None;
        };
        let first = most_called(&*warm?.edges())?;
        let all = most_called(&traced.edges)?;
        let count = all.calls.saturating_sub(first.calls).max(1);
        let each = |all: u64, first: u64| AtPace {
            pace,
            ps: all.saturating_sub(first) * 1_000 / count,
        };
        profiled.push(Profiled {
            call: AtPace {
                pace,
                ps: call.per_call_ps(),
            },
            wall: each(all.wall, first.wall),
            cpu: each(all.cpu, first.cpu),
        });
    }
    Some(OneRun {
        bare,
        empty,
        profiled,
    })
}

/// The cost of the edge with most calls: those of the loops.
fn most_called(edges: &impl Edges) -> Option<Cost> {
    let costs = edges.iter().map(|edge| edge.cost);
    costs.max_by_key(|cost| cost.calls)
}

/// The median; the default value if there are no values.
fn middle<T: Ord + Default>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    let middle = values.len() / 2;
    values.into_iter().nth(middle).unwrap_or_default()
}
