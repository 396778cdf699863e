//! One profile from its first call to its last: off, tracing or sampling.
//!
//! All that knows both the engine's hooks and what they record. A session's
//! number is in every token and every slot, so that whatever an earlier one
//! left behind is told apart.

use profile::{Body, EdgeTable, Meta, Metrics, Mode, Profile};
use recorder::{Recorder, Sampler, Shape};

use crate::clock::{self, Clock, CpuTime};
use crate::engine::sampling::{self, Rate};
use crate::engine::{self, Engine, Measure, State, with_state};
use crate::settings::{self, EngineChoice, Flags};
use crate::symbols::{Symbols, Wishes};
use crate::zend;

/// What a session recorded.
#[derive(Clone)]
pub(crate) enum Recorded {
    /// Calls and their costs.
    Trace(Box<Profile>),
    /// Stacks in time: a profile of samples, which knows when it began and the
    /// nominal interval.
    Samples(Box<Profile>),
}

/// The settings of the profile that runs; none when off.
#[derive(Clone, Copy)]
enum Running {
    Tracing {
        clock: Clock,
        flags: Flags,
    },
    Sampling {
        interval_us: u64,
        started_unix_us: u64,
    },
}

thread_local! {
    static RUNNING: std::cell::Cell<Option<Running>> = const { std::cell::Cell::new(None) };
}

/// Whether something is being recorded.
pub(crate) fn is_running() -> bool {
    RUNNING.get().is_some()
}

/// Whether the running session keeps the thread on its CPU.
pub(crate) fn is_pinned() -> bool {
    matches!(RUNNING.get(), Some(Running::Tracing { clock, .. }) if clock.is_pinned)
}

/// How the running session reads CPU time; none if there is none.
pub(crate) fn cpu_time() -> Option<CpuTime> {
    match RUNNING.get() {
        Some(Running::Tracing { clock, .. }) => Some(clock.cpu),
        _ => None,
    }
}

/// Begins to trace; does nothing if something is being recorded already.
pub(crate) fn start_tracing(flags: Flags, wishes: Wishes) {
    if is_running() {
        return;
    }
    let Some(engine) = usable_engine() else {
        return;
    };
    let clock = clock::start(settings::clock_choice(), settings::pin_cpu(), flags.cpu);
    let hooks = engine::hooks_for(
        engine,
        Measure {
            clock,
            cpu: flags.cpu,
            memory: flags.memory,
            tree: false,
            builtins: !flags.no_builtins,
        },
    );
    RUNNING.set(Some(Running::Tracing { clock, flags }));
    engine::install(hooks);
    let (max_depth, max_nodes) = (settings::max_depth(), settings::max_nodes());
    with_state(|state| {
        next_session(state);
        state.symbols = Some(Symbols::new(wishes));
        state.recorder = Some(Recorder::new(
            Shape::Edges,
            max_depth,
            max_nodes,
            hooks.read,
        ));
    });
}

/// Begins to sample; does nothing if something is being recorded already.
/// Needs no engine. Names get no details, whatever is wished.
pub(crate) fn start_sampling(wishes: Wishes) {
    if is_running() {
        return;
    }
    let interval_us = settings::sampling_interval_us();
    let rate = Rate {
        clock: settings::sampling_clock(),
        interval_ns: interval_us * 1_000,
    };
    let sampling = match sampling::start(rate) {
        Ok(sampling) => sampling,
        Err(error) => {
            zend::warning(&format!(
                "nothing is recorded: cannot start the sampling timer: {error}"
            ));
            return;
        }
    };
    RUNNING.set(Some(Running::Sampling {
        interval_us,
        started_unix_us: clock::unix_time_us(),
    }));
    engine::install_sampling();
    let (depth, max_nodes) = (settings::sampling_depth(), settings::max_nodes());
    with_state(|state| {
        next_session(state);
        let details = false;
        state.symbols = Some(Symbols::new(Wishes { details, ..wishes }));
        state.sampler = Some(Sampler::new(depth, max_nodes));
        state.sampling = Some(sampling);
    });
}

/// Ends the session and hands over what it recorded; none if there was none.
pub(crate) fn stop() -> Option<Recorded> {
    match RUNNING.take()? {
        Running::Tracing { clock, flags } => stop_tracing(clock, flags),
        Running::Sampling {
            interval_us,
            started_unix_us,
        } => stop_sampling(interval_us, started_unix_us),
    }
}

fn stop_tracing(clock: Clock, flags: Flags) -> Option<Recorded> {
    let (recorder, symbols) = with_state(|state| {
        let mut recorder = state.recorder.take();
        let finish = state.plan.finish;
        if let Some(recorder) = &mut recorder {
            finish(recorder);
        }
        (recorder, state.symbols.take())
    });
    engine::uninstall();
    clock::stop();
    let recorder = recorder?;
    let wall = clock.calibration.rate;
    let cpu = clock.cpu.rate(wall);
    let metrics = Metrics {
        cpu: flags.cpu,
        memory: flags.memory,
        ..Metrics::default()
    };
    Some(Recorded::Trace(Box::new(Profile {
        symbols: symbols.map(Symbols::into_names).unwrap_or_default(),
        body: Body::Edges(EdgeTable {
            edges: recorder.edges(wall, cpu),
            root: recorder.root_cost(wall, cpu),
        }),
        metrics,
        meta: Meta::default(),
    })))
}

fn stop_sampling(interval_us: u64, started_unix_us: u64) -> Option<Recorded> {
    let (sampler, symbols) = with_state(|state| {
        sampling::stop(state);
        (state.sampler.take(), state.symbols.take())
    });
    engine::uninstall_sampling();
    let sampler = sampler?;
    let meta = Meta {
        mode: Mode::Sampled,
        started_unix_us: Some(started_unix_us),
        interval_ns: Some(interval_us * 1_000),
        is_truncated: sampler.is_truncated(),
        ..Meta::default()
    };
    let metrics = Metrics {
        calls: false,
        ..Metrics::default()
    };
    Some(Recorded::Samples(Box::new(Profile {
        symbols: symbols.map(Symbols::into_names).unwrap_or_default(),
        body: Body::Samples(sampler.finish()),
        metrics,
        meta,
    })))
}

fn next_session(state: &mut State) -> u32 {
    // Never zero, which is what an untouched slot holds.
    state.session = state.session.checked_add(1).unwrap_or(1);
    state.session
}

/// The engine to record with; says why if there is none.
fn usable_engine() -> Option<Engine> {
    match engine_in_use() {
        Ok(engine) => Some(engine),
        Err(reason) => {
            zend::warning(&format!("nothing is recorded: {reason}"));
            None
        }
    }
}

/// The engine that records, or why there is none.
pub(crate) fn engine_in_use() -> Result<Engine, &'static str> {
    match engine::armed() {
        None => Err("xhprof.engine is off"),
        Some(Engine::Execute) if zend::is_jit_on() => Err(
            "opcache's JIT is on, and the execute engine would break the program under it; \
             set xhprof.engine=auto or opcache.jit=disable",
        ),
        Some(engine) => Ok(engine),
    }
}

/// The engine to arm when PHP starts; none for `off`.
pub(crate) fn engine_to_arm() -> Option<Engine> {
    match settings::engine_choice() {
        EngineChoice::Off => None,
        EngineChoice::Execute => Some(Engine::Execute),
        EngineChoice::Observer => Some(Engine::Observer),
        // Threads share the hooks of *execute*, see `engine::execute`.
        EngineChoice::Auto if zend::is_jit_configured() || cfg!(php_zts) => Some(Engine::Observer),
        EngineChoice::Auto => Some(Engine::Execute),
    }
}
