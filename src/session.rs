//! One profile from its first call to its last: off, tracing or sampling.
//!
//! This module connects the engine's hooks with what they record. A session's
//! number is in every token and every run-time slot, which distinguishes it from
//! earlier sessions.

mod recorded;
mod sampling;
mod suspension;

pub(crate) use recorded::Recorded;
pub(crate) use sampling::start_sampling;
use suspension::Suspension;

use std::rc::Rc;

use profile::native::events::EventsOptions;
use profile::{Metrics, Profile};
use recorder::{Recorder, Shape};

use crate::clock::{self, Clock, CpuTime};
use crate::compensation::{self, Measured};
use crate::engine::sampling::Rate;
use crate::engine::{self, Engine, Hooks, Measure, State, SuspendedRecording, with_state};
use crate::log_throttled::{Problem, log_throttled};
use crate::output::{EventFile, FileOutcome};
use crate::settings::{self, EngineChoice, Flags};
use crate::symbols::{NamingOptions, Symbols, Target};
use crate::zend;

/// The settings of the profile that runs; none when off.
#[derive(Clone, Copy)]
struct Running {
    clock: Clock,
    flags: Flags,
    /// The profiler's cost per call, if it is subtracted.
    costs: Option<Measured>,
    /// When the profile began, in microseconds since the Unix epoch.
    started_us: u64,
    /// The sampling rate; none if the profile traces.
    rate: Option<Rate>,
    /// The profile stays paused: its clock could not be restarted.
    is_over: bool,
}

/// A suspended tracing profile.
#[derive(Clone, Copy)]
struct SuspendedSession {
    running: Running,
    was_paused: bool,
    suspension: Suspension,
}

thread_local! {
    /// The plan of the running profile while it is paused; else none.
    static PAUSED_PLAN: std::cell::Cell<Option<Hooks>> = const { std::cell::Cell::new(None) };
    static SUSPENDED: std::cell::Cell<Option<SuspendedSession>> = const { std::cell::Cell::new(None) };
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

/// Begins to write each call into a file, with errors in `file_outcome`. Does
/// nothing if something is being recorded already.
pub(crate) fn start_events(flags: Flags, naming: NamingOptions, file_outcome: Rc<FileOutcome>) {
    if !is_running() {
        start_tracing(Shape::Events, flags, naming);
        if let Some(running) = RUNNING.get() {
            write_events(&running, file_outcome);
        }
    }
}

fn write_events(running: &Running, file_outcome: Rc<FileOutcome>) {
    let wall = running.clock.calibration.rate;
    let options = EventsOptions {
        wall_hertz: wall.hertz(),
        cpu_hertz: running.clock.cpu.rate(wall).hertz(),
        has_cpu: running.flags.cpu,
        has_memory: running.flags.memory,
        is_exact: false,
        metrics: metrics(running.flags),
    };
    let limit = settings::value(&settings::MAX_EVENTS_SIZE);
    with_state(|state| {
        if let (Some(recorder), Some(symbols)) = (state.recorder.running(), &state.symbols) {
            let start = recorder::instant(recorder.started());
            let names = symbols.shared_names();
            let spans = symbols.spans().map(Rc::clone);
            let file = EventFile::new(names, spans, options, start, limit, file_outcome);
            recorder.set_sink(Box::new(file));
        }
    });
}

/// Pauses the profile until [`resume`]; false if nothing is being recorded, or if
/// the profile is paused already.
pub(crate) fn pause() -> bool {
    if sampling::pause() {
        return true;
    }
    let plan = with_state(|state| {
        let recorder = state
            .recorder
            .running()
            .filter(|recorder| !recorder.is_paused())?;
        (state.plan.pause)(recorder);
        if let Some(symbols) = &mut state.symbols {
            symbols.forget_prepared();
        }
        Some(state.plan)
    });
    let Some(plan) = plan else { return false };
    PAUSED_PLAN.set(Some(plan));
    engine::set_plan(plan.paused());
    true
}

/// Resumes the profile after [`pause`]; false if nothing is paused.
pub(crate) fn resume() -> bool {
    if RUNNING.get().is_some_and(|running| running.is_over) {
        return false;
    }
    if sampling::resume() {
        return true;
    }
    let Some(plan) = PAUSED_PLAN.take() else {
        return false;
    };
    engine::set_plan(plan);
    with_state(|state| (plan.resume)(&mut state.recorder));
    true
}

/// Suspends the running profile, so that another one can begin; false if that is
/// not possible.
pub(crate) fn suspend() -> bool {
    if sampling::suspend() {
        return true;
    }
    let was_paused = PAUSED_PLAN.get().is_some();
    if !was_paused && !pause() {
        return false;
    }
    let (Some(running), Some(plan)) = (RUNNING.take(), PAUSED_PLAN.take()) else {
        return false;
    };
    SUSPENDED.set(Some(SuspendedSession {
        running,
        was_paused,
        suspension: Suspension::begin(running.flags.memory),
    }));
    clock::stop();
    with_state(|state| {
        let recorder = std::mem::replace(&mut state.recorder, Recorder::idle());
        if let Some(symbols) = state.symbols.take() {
            state.suspended = Some(Box::new(SuspendedRecording {
                plan,
                recorder,
                symbols,
                session: state.session,
            }));
        }
        state.hooks = Hooks::PASS;
        state.plan = Hooks::PASS;
    });
    true
}

/// Resumes the suspended profile, when the other profile has ended. One call
/// stands for the time of the other profile.
pub(crate) fn resume_suspended() {
    if sampling::resume_suspended() {
        return;
    }
    let Some(SuspendedSession {
        mut running,
        was_paused,
        suspension,
    }) = SUSPENDED.take()
    else {
        return;
    };
    // Readings of different clocks cannot be compared.
    running.is_over = !clock::start_again(running.clock, running.flags.cpu);
    read_clocks(running.clock, running.flags, running.costs);
    let suspended = with_state(|state| state.suspended.take());
    let Some(suspended) = suspended else { return };
    let plan = suspended.plan;
    RUNNING.set(Some(running));
    PAUSED_PLAN.set(Some(plan));
    with_state(|state| {
        state.recorder = suspended.recorder;
        state.symbols = Some(suspended.symbols);
        state.session = suspended.session;
        state.first_slot = Target::first_slot(state.session);
    });
    engine::set_plan_again(plan.paused());
    if !was_paused {
        let wall = running.clock.calibration.rate;
        let time = suspension.until_now(wall, running.clock.cpu.rate(wall), running.flags);
        with_state(|state| {
            let recorder = &mut state.recorder;
            let symbols = state.symbols.as_mut();
            if let Some(symbol) = symbols.and_then(|symbols| {
                symbols.synthetic(suspension::NAME, &mut || recorder.add_symbol())
            }) {
                (plan.pass)(recorder, symbol, time);
            }
        });
    }
    if running.is_over {
        log_throttled(
            Problem::Clock,
            "the automatic profile ends where the script began one of its own: \
             its clock cannot be started again",
        );
    } else if !was_paused {
        resume();
    }
}

/// Called in a forked child: its call events go into a new file.
pub(crate) fn follow_fork() {
    if is_running() {
        with_state(|state| {
            let now = (state.plan.read)();
            state.recorder.begin_events_anew(now);
            forget_spans(state.symbols.as_ref());
            if let Some(suspended) = &mut state.suspended {
                suspended.recorder.begin_events_anew(now);
                forget_spans(Some(&suspended.symbols));
            }
        });
    }
}

fn forget_spans(symbols: Option<&Symbols>) {
    let spans = symbols.and_then(Symbols::spans);
    if let Some(mut spans) = spans.and_then(|spans| spans.try_borrow_mut().ok()) {
        spans.begin_anew();
    }
}

/// Begins to trace calls in that shape; does nothing if something is being
/// recorded already.
pub(crate) fn start_tracing(shape: Shape, flags: Flags, naming: NamingOptions) {
    if is_running() {
        return;
    }
    let costs = if settings::value(&settings::COMPENSATE) && engine_in_use().is_ok() {
        compensation::measured(flags)
    } else {
        None
    };
    start(shape, flags, naming, costs);
}

/// Begins to trace, and to subtract `costs`. The caller must not be recording.
pub(crate) fn start(shape: Shape, flags: Flags, naming: NamingOptions, costs: Option<Measured>) {
    let Some(engine) = usable_engine() else {
        return;
    };
    let clock = clock::start(
        settings::value(&settings::CLOCK),
        settings::value(&settings::PIN_CPU),
        flags.cpu,
    );
    let hooks = engine::hooks_for(
        engine,
        Measure {
            clock,
            cpu: flags.cpu,
            memory: flags.memory,
            shape,
            builtins: !flags.no_builtins,
            compensates: costs.is_some(),
        },
    );
    set_running(clock, flags, costs, None);
    read_clocks(clock, flags, costs);
    engine::install(hooks);
    let (max_depth, max_nodes) = (
        settings::value(&settings::MAX_DEPTH),
        settings::value(&settings::MAX_NODES),
    );
    with_state(|state| {
        next_session(state);
        state.symbols = Some(Symbols::new(naming, clock.calibration.rate));
        state.recorder = Recorder::new(shape, max_depth, max_nodes, hooks.read);
    });
}

/// Ends the session and returns what it recorded; none if there was none.
pub(crate) fn stop() -> Option<Recorded> {
    let running = RUNNING.take()?;
    if let Some(rate) = running.rate {
        return sampling::stop(rate, running.started_us);
    }
    PAUSED_PLAN.set(None);
    let (recorder, symbols) = with_state(|state| {
        let finish = state.plan.finish;
        engine::end_spans(state);
        if let Some(recorder) = state.recorder.running() {
            finish(recorder);
        }
        let recorder = std::mem::replace(&mut state.recorder, Recorder::idle());
        (recorder, state.symbols.take())
    });
    engine::uninstall();
    clock::stop();
    zend::memory::forget();
    let spans = symbols.as_ref().map(Symbols::spans_so_far);
    let symbols = symbols.map(Symbols::into_names).unwrap_or_default();
    Recorded::of(recorder, symbols, spans.unwrap_or_default(), &running)
}

/// The profile so far; none if nothing is being recorded, or if call events are
/// recorded, which are in a file already.
pub(crate) fn snapshot() -> Option<Profile> {
    let running = RUNNING.get()?;
    if let Some(rate) = running.rate {
        return sampling::snapshot(rate, running.started_us);
    }
    with_state(|state| {
        let recorder = state.recorder.running()?;
        if recorder.shape() == Shape::Events {
            return None;
        }
        let snapshot = (state.plan.snapshot)(recorder)?;
        let symbols = state.symbols.as_ref()?;
        let (names, spans) = (symbols.shared_names(), symbols.spans_so_far());
        let names = names.borrow().clone();
        Recorded::of(snapshot, names, spans, &running)?.into_profile()
    })
}

/// The data of `xhprof_status()`.
pub(crate) struct Status {
    /// The mode: `off`, `edges`, `tree`, `events` or `sample`.
    pub(crate) mode: &'static str,
    pub(crate) is_paused: bool,
    /// The number of functions that have been called.
    pub(crate) functions: usize,
    /// The number of recorded edges, call paths or sampled stacks.
    pub(crate) nodes: usize,
    /// The functions and files that were compared with patterns to leave out.
    pub(crate) compared: usize,
    pub(crate) is_truncated: bool,
}

/// The status of this thread's profile.
pub(crate) fn status() -> Status {
    with_state(|state| {
        let is_sampling_paused = sampling::is_paused(state);
        let recorder = state.recorder.running();
        let mode = match (&recorder, &state.sampler) {
            (Some(recorder), _) => match recorder.shape() {
                Shape::Edges => "edges",
                Shape::Tree => "tree",
                Shape::Events => "events",
            },
            (None, Some(_)) => "sample",
            (None, None) => "off",
        };
        let (is_paused, nodes, is_truncated) = match (recorder, &state.sampler) {
            (Some(recorder), _) => (
                recorder.is_paused(),
                recorder.nodes(),
                recorder.is_truncated(),
            ),
            (None, Some(sampler)) => (is_sampling_paused, sampler.stacks(), sampler.is_truncated()),
            (None, None) => (false, 0, false),
        };
        let names = state.symbols.as_ref().map(Symbols::shared_names);
        Status {
            mode,
            is_paused,
            // `main()` and `[truncated]` are no functions.
            functions: names.map_or(0, |names| names.borrow().len().saturating_sub(2)),
            nodes,
            compared: state.symbols.as_ref().map_or(0, Symbols::compared),
            is_truncated,
        }
    })
}

fn metrics(flags: Flags) -> Metrics {
    Metrics {
        cpu: flags.cpu,
        memory: flags.memory,
        ..Metrics::default()
    }
}

/// Prepares the clocks and counters that a profile with these flags reads.
fn read_clocks(clock: Clock, flags: Flags, costs: Option<Measured>) {
    if let Some(costs) = costs {
        let wall = clock.calibration.rate;
        clock::compensate(clock, costs.to_costs(wall, clock.cpu.rate(wall)));
    }
    if flags.memory {
        zend::memory::find();
    }
}

/// Sets the running profile; returns its start in microseconds since 1970.
fn set_running(clock: Clock, flags: Flags, costs: Option<Measured>, rate: Option<Rate>) -> u64 {
    let started_us = clock::unix_time_us();
    RUNNING.set(Some(Running {
        clock,
        flags,
        costs,
        started_us,
        rate,
        is_over: false,
    }));
    started_us
}

fn next_session(state: &mut State) -> u32 {
    // Never zero, which is the value of an unused slot.
    state.sessions = state.sessions.checked_add(1).unwrap_or(1);
    state.session = state.sessions;
    state.first_slot = Target::first_slot(state.session);
    state.session
}

/// The engine to record with; warns if there is none.
fn usable_engine() -> Option<Engine> {
    match engine_in_use() {
        Ok(engine) => Some(engine),
        Err(reason) => {
            zend::warning(&format!("nothing is recorded: {reason}"));
            None
        }
    }
}

/// Why nothing can be recorded in that mode; none if it can.
pub(crate) fn problem(mode: settings::Mode) -> Option<&'static str> {
    match mode {
        // Sampling needs no engine.
        settings::Mode::Sample => zend::interrupts_harm(),
        _ => engine_in_use().err(),
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
    match settings::value(&settings::ENGINE) {
        EngineChoice::Off => None,
        EngineChoice::Execute => Some(Engine::Execute),
        EngineChoice::Observer => Some(Engine::Observer),
        // Threads share the hooks of *execute*, see `engine::execute`.
        EngineChoice::Auto if zend::is_jit_configured() || cfg!(php_zts) => Some(Engine::Observer),
        EngineChoice::Auto => Some(Engine::Execute),
    }
}
