//! Measures the profiler's cost per call, for `xhprof.compensate`.
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
use crate::session::{self, Recorded};
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
    let user = measure(Callee::User, flags)?;
    let pace = user.pace;
    let internal = if flags.no_builtins {
        OfCallee::default()
    } else {
        let its = measure(Callee::Internal, flags)?;
        let scale = |cost| its.pace.scale(cost, pace);
        OfCallee {
            pace,
            parts: its.parts.map(|parts| Parts {
                inside: scale(parts.inside),
                outside: scale(parts.outside),
            }),
        }
    };
    let measured = MeasuredCosts {
        user: user.parts,
        internal: internal.parts,
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
        .map(|&((flags, ..), measured)| (metrics(flags), measured))
        .collect()
}

/// What the calls of one kind cost, in picoseconds, at one pace.
#[derive(Default)]
struct OfCallee {
    pace: Pace,
    /// In wall time and in CPU time.
    parts: [Parts; 2],
}

fn measure(callee: Callee, flags: Flags) -> Option<OfCallee> {
    let runs = (0..RUNS).map(|_| one_run(callee, flags));
    let runs: Vec<OneRun> = runs.collect::<Option<_>>()?;
    let pace = middle(runs.iter().map(|run| run.bare.pace));
    let bare = middle(runs.iter().map(|run| run.bare.at(pace)));
    let empty = middle(runs.iter().map(|run| run.empty.at(pace)));
    // Without hooks, half of an empty call's time is its own, half its caller's.
    let own = bare.saturating_sub(empty / 2);
    let of = |cost: fn(&Profiled) -> &AtPace| {
        middle(runs.iter().map(|run| cost(&run.profiled).at(pace)))
    };
    let cost = of(|profiled| &profiled.call).saturating_sub(bare);
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
        parts: clocks.map(|time| parts(of(time))),
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

/// The times of one call without hooks, of an empty one, and of one with a profile.
struct OneRun {
    bare: AtPace,
    empty: AtPace,
    profiled: Profiled,
}

fn one_run(callee: Callee, flags: Flags) -> Option<OneRun> {
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
    // With the hooks that subtract, and a cost of zero to subtract.
    let nothing = Some(MeasuredCosts::default());
    let start = || session::start_tracing(Shape::Edges, flags, NamingOptions::default(), nothing);
    let (call, warm, recorded) = callee.with_hooks(start, session::snapshot, session::stop)?;
    let pace = last.between(clock::pace());
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
    let profiled = Profiled {
        call: AtPace {
            pace,
            ps: call.per_call_ps(),
        },
        wall: each(all.wall, first.wall),
        cpu: each(all.cpu, first.cpu),
    };
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
