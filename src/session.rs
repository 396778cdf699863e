//! One profile from its first call to its last: off, tracing or sampling.
//!
//! All that knows both the engine's hooks and what they record. A session's
//! number is in every token and every slot, so that whatever an earlier one
//! left behind is told apart.

use profile::{Body, EdgeTable, Meta, Metrics, Profile};
use recorder::{Recorder, Sample, Sampler, Shape};

use crate::clock::{self, Clock, CpuTime};
use crate::compensation::{self, Measured};
use crate::engine::{self, Engine, Measure, State, with_state};
use crate::settings::{self, ClockChoice, EngineChoice, Flags, PinCpu};
use crate::symbols::{Symbols, Target, Wishes};
use crate::zend;

/// What a session recorded.
#[derive(Clone)]
pub(crate) enum Recorded {
    /// Calls and their costs.
    Trace(Box<Profile>),
    /// Stacks in time.
    Samples(Samples),
}

/// The stacks of a sampling session.
#[derive(Clone)]
pub(crate) struct Samples {
    pub(crate) symbols: Vec<profile::Symbol>,
    pub(crate) samples: Vec<Sample>,
}

/// The settings of the profile that runs; none when off.
#[derive(Clone, Copy)]
struct Running {
    clock: Clock,
    flags: Flags,
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
    RUNNING.get().is_some_and(|running| running.clock.is_pinned)
}

/// How the running session reads CPU time; none if there is none.
pub(crate) fn cpu_time() -> Option<CpuTime> {
    RUNNING.get().map(|running| running.clock.cpu)
}

/// Begins to trace; does nothing if something is being recorded already.
pub(crate) fn start_tracing(flags: Flags, wishes: Wishes) {
    if is_running() {
        return;
    }
    let costs = if settings::compensate() && engine_in_use().is_ok() {
        compensation::measured(flags)
    } else {
        None
    };
    start(flags, wishes, costs);
}

/// Begins to trace, and to leave out what calls cost if that was measured.
/// Nothing else is being recorded.
pub(crate) fn start(flags: Flags, wishes: Wishes, costs: Option<Measured>) {
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
            compensates: costs.is_some(),
        },
    );
    if let Some(costs) = costs {
        let wall = clock.calibration.rate;
        clock::compensate(clock, costs.to_costs(wall, clock.cpu.rate(wall)));
    }
    RUNNING.set(Some(Running { clock, flags }));
    if flags.memory {
        zend::memory::find();
    }
    engine::install(hooks);
    let (max_depth, max_nodes) = (settings::max_depth(), settings::max_nodes());
    with_state(|state| {
        next_session(state);
        state.symbols = Some(Symbols::new(wishes));
        state.recorder = Recorder::new(Shape::Edges, max_depth, max_nodes, hooks.read);
    });
}

/// Begins to sample; does nothing if something is being recorded already.
pub(crate) fn start_sampling() {
    if is_running() {
        return;
    }
    let Some(engine) = usable_engine() else {
        return;
    };
    let clock = clock::start(ClockChoice::Monotonic, PinCpu::Never, false);
    let interval = settings::sampling_interval_us();
    let depth = settings::sampling_depth();
    let flags = Flags::default();
    RUNNING.set(Some(Running { clock, flags }));
    engine::install(engine::sampling_hooks(engine));
    with_state(|state| {
        let session = next_session(state);
        state.symbols = Some(Symbols::new(Wishes::default()));
        let now = clock::unix_time_us();
        state.sampler = Some(Sampler::new(session, interval, depth, now));
    });
}

/// Ends the session and hands over what it recorded; none if there was none.
pub(crate) fn stop() -> Option<Recorded> {
    let running = RUNNING.take()?;
    let (recorder, sampler, symbols) = with_state(|state| {
        let finish = state.plan.finish;
        if let Some(recorder) = state.recorder.running() {
            finish(recorder);
        }
        let recorder = std::mem::replace(&mut state.recorder, Recorder::idle());
        (recorder, state.sampler.take(), state.symbols.take())
    });
    engine::uninstall();
    clock::stop();
    zend::memory::forget();
    let symbols = symbols.map(Symbols::into_names).unwrap_or_default();
    if let Some(mut sampler) = sampler {
        let samples = sampler.finish(clock::unix_time_us());
        return Some(Recorded::Samples(Samples { symbols, samples }));
    }
    let wall = running.clock.calibration.rate;
    let cpu = running.clock.cpu.rate(wall);
    let metrics = Metrics {
        cpu: running.flags.cpu,
        memory: running.flags.memory,
        ..Metrics::default()
    };
    Some(Recorded::Trace(Box::new(Profile {
        symbols,
        body: Body::Edges(EdgeTable {
            edges: recorder.edges(wall, cpu),
            root: recorder.root_cost(wall, cpu),
        }),
        metrics,
        meta: Meta::default(),
    })))
}

fn next_session(state: &mut State) -> u32 {
    // Never zero, which is what an untouched slot holds.
    state.session = state.session.checked_add(1).unwrap_or(1);
    state.first_slot = Target::first_slot(state.session);
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
