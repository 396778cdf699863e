//! One profile from its first call to its last: off, tracing or sampling.
//!
//! All that knows both the engine's hooks and what they record. A session's
//! number is in every token and every slot, so that whatever an earlier one
//! left behind is told apart.

use std::rc::Rc;

use profile::native::events::EventsOptions;
use profile::{Body, EdgeTable, Meta, Metrics, Mode, Profile};
use recorder::{Recorder, Sample, Sampler, Shape};

use crate::clock::{self, Clock, CpuTime};
use crate::engine::{self, Engine, Measure, State, with_state};
use crate::output::{EventFile, Fate};
use crate::settings::{self, ClockChoice, EngineChoice, Flags, PinCpu};
use crate::symbols::{Symbols, Wishes};
use crate::zend;

/// What a session recorded.
#[derive(Clone)]
pub(crate) enum Recorded {
    /// Calls and their costs.
    Trace(Box<Profile>),
    /// Stacks in time.
    Samples(Samples),
    /// Calls one by one, which are in a file already.
    Events,
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
    /// When it began, in microseconds since the Unix epoch.
    started_us: u64,
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

/// Begins to write each call into a file; `fate` says what goes wrong. Does
/// nothing if something is being recorded already.
pub(crate) fn start_events(flags: Flags, wishes: Wishes, fate: Rc<Fate>) {
    if !is_running() {
        start_tracing(Shape::Events, flags, wishes);
        if let Some(running) = RUNNING.get() {
            write_events(&running, fate);
        }
    }
}

fn write_events(running: &Running, fate: Rc<Fate>) {
    let wall = running.clock.calibration.rate;
    let options = EventsOptions {
        wall_hertz: wall.hertz(),
        cpu_hertz: running.clock.cpu.rate(wall).hertz(),
        has_cpu: running.flags.cpu,
        has_memory: running.flags.memory,
        is_exact: false,
        metrics: metrics(running.flags),
    };
    let limit = settings::max_file_size();
    with_state(|state| {
        if let (Some(recorder), Some(symbols)) = (&mut state.recorder, &state.symbols) {
            let start = recorder::instant(recorder.started());
            let names = symbols.shared_names();
            let file = EventFile::new(names, options, start, limit, fate);
            recorder.set_sink(Box::new(file));
        }
    });
}

/// In the child of a fork: calls that are written one by one go into a file of
/// its own.
pub(crate) fn follow_fork() {
    if is_running() {
        with_state(|state| {
            let now = (state.plan.read)();
            if let Some(recorder) = &mut state.recorder {
                recorder.begin_events_anew(now);
            }
        });
    }
}

/// Begins to trace calls in that shape; does nothing if something is being
/// recorded already.
pub(crate) fn start_tracing(shape: Shape, flags: Flags, wishes: Wishes) {
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
            shape,
            builtins: !flags.no_builtins,
        },
    );
    set_running(clock, flags);
    engine::install(hooks);
    let (max_depth, max_nodes) = (settings::max_depth(), settings::max_nodes());
    with_state(|state| {
        next_session(state);
        state.symbols = Some(Symbols::new(wishes));
        state.recorder = Some(Recorder::new(shape, max_depth, max_nodes, hooks.read));
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
    set_running(clock, flags);
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
        let mut recorder = state.recorder.take();
        let finish = state.plan.finish;
        if let Some(recorder) = &mut recorder {
            finish(recorder);
        }
        (recorder, state.sampler.take(), state.symbols.take())
    });
    engine::uninstall();
    clock::stop();
    let symbols = symbols.map(Symbols::into_names).unwrap_or_default();
    if let Some(mut sampler) = sampler {
        let samples = sampler.finish(clock::unix_time_us());
        return Some(Recorded::Samples(Samples { symbols, samples }));
    }
    let recorder = recorder?;
    let wall = running.clock.calibration.rate;
    let cpu = running.clock.cpu.rate(wall);
    if recorder.shape() == Shape::Events {
        return Some(Recorded::Events);
    }
    let body = match recorder.tree(wall, cpu) {
        Some(tree) => Body::Tree(tree),
        None => Body::Edges(EdgeTable {
            edges: recorder.edges(wall, cpu),
            root: recorder.root_cost(wall, cpu),
        }),
    };
    let meta = Meta {
        started_unix_us: Some(running.started_us),
        mode: Mode::Traced,
        is_truncated: recorder.is_truncated(),
        ..Meta::default()
    };
    Some(Recorded::Trace(Box::new(Profile {
        symbols,
        body,
        metrics: metrics(running.flags),
        meta,
    })))
}

fn metrics(flags: Flags) -> Metrics {
    Metrics {
        cpu: flags.cpu,
        memory: flags.memory,
        ..Metrics::default()
    }
}

fn set_running(clock: Clock, flags: Flags) {
    RUNNING.set(Some(Running {
        clock,
        flags,
        started_us: clock::unix_time_us(),
    }));
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
