//! One profile from its first call to its last: off, tracing or sampling.
//!
//! This module connects the engine's hooks with what they record. Everything that
//! belongs to a profile is one [`Recording`]; a session's number
//! distinguishes it from earlier ones.

#[cfg(debug_assertions)]
mod check;
mod engine_choice;
mod recorded;
mod sampling;
mod status;
mod sums;

pub(crate) use engine_choice::{engine_in_use, engine_to_arm, problem};
pub(crate) use recorded::Recorded;
pub(crate) use sampling::start_sampling;
pub(crate) use status::status;
pub(crate) use sums::sums_so_far;

use std::rc::Rc;

use profile::native::events::{EventsOptions, RawInstant};
use profile::{Metrics, Profile};
use recorder::{EventSink, Recorder, Shape};

use crate::clock::{self, Clock, CpuTime};
use crate::engine::{
    self, Measure, Mode, Recording, Running, State, Suspension, Tracing, with_state,
};
use crate::log_throttled::{Problem, log_throttled};
use crate::naming::{NamingOptions, SharedSpans, Symbols};
use crate::settings::{self, Flags};
use crate::zend;
use policy::naming::names::{NameLimits, SharedNames};

/// What the result of a profile takes for each row until it is written, at most: edges,
/// names, and the file's bytes.
const BYTES_A_ROW: usize = 1024;

/// Whether something is being recorded.
pub(crate) fn is_running() -> bool {
    with_state(|state| state.active.running.is_some())
}

fn clock_in_use() -> Option<Clock> {
    with_state(|state| Some(state.active.running.as_ref()?.clock))
}

/// Whether the running session keeps the thread on its CPU.
pub(crate) fn is_pinned() -> bool {
    clock_in_use().is_some_and(|clock| clock.is_pinned)
}

/// How the running session reads CPU time; none if there is none.
pub(crate) fn cpu_time() -> Option<CpuTime> {
    clock_in_use().map(|clock| clock.cpu)
}

/// What a sink of call events needs to know of the profile.
#[derive(Debug)]
pub(crate) struct EventSource {
    /// The functions' names, which grow while the profile runs.
    pub(crate) names: SharedNames,
    pub(crate) spans: Option<SharedSpans>,
    pub(crate) options: EventsOptions,
    /// The profile's beginning.
    pub(crate) start: RawInstant,
    /// The files of lines, but the first so many.
    pub(crate) files_of_lines: fn(usize) -> Vec<Box<[u8]>>,
}

/// Begins to pass each call to the sink that `make_sink` returns. Does nothing if
/// something is being recorded already.
pub(crate) fn start_events(
    flags: Flags,
    naming: NamingOptions,
    make_sink: impl FnOnce(EventSource) -> Box<dyn EventSink>,
) {
    if is_running() {
        return;
    }
    start_tracing(Shape::Events, flags, naming);
    // Outside of the state: a sink may ask PHP.
    if let Some(source) = with_state(|state| event_source(&mut state.active)) {
        let sink = make_sink(source);
        if !with_state(|state| state.active.recorder.set_sink(sink)) {
            discard();
            log_throttled(Problem::Memory, "nothing is recorded: no memory for it");
        }
    }
}

fn event_source(recording: &mut Recording) -> Option<EventSource> {
    let start = recorder::instant(recording.recorder.running()?.started());
    let running = recording.running.as_ref()?;
    let Mode::Tracing(Tracing { measure, .. }) = &running.mode else {
        return None;
    };
    let (wall, cpu) = measure.clock.rates();
    Some(EventSource {
        names: running.symbols.shared_names(),
        spans: running.symbols.spans().map(Rc::clone),
        options: EventsOptions {
            wall_hertz: wall.hertz(),
            cpu_hertz: cpu.hertz(),
            has_cpu: measure.cpu,
            has_memory: measure.memory,
            has_lines: measure.lines,
            is_exact: false,
            metrics: metrics(measure),
        },
        start,
        files_of_lines: engine::files_of_lines,
    })
}

/// Pauses the profile until [`resume`]; false if nothing is being recorded, or if
/// the profile is paused already.
pub(crate) fn pause() -> bool {
    with_state(|state| {
        if state.active.sampling().is_some() {
            return engine::sampled::pause(state);
        }
        pause_tracing(state)
    })
}

fn pause_tracing(state: &mut State) -> bool {
    let hooks = state.active.cold();
    let recorder = state.active.recorder.running();
    let Some(recorder) = recorder.filter(|recorder| !recorder.is_paused()) else {
        return false;
    };
    hooks.pause(recorder);
    if let Some(symbols) = state.active.symbols_mut() {
        symbols.prepared.clear();
    }
    engine::recording_changed(state);
    true
}

/// Resumes the profile after [`pause`]; false if nothing is paused.
pub(crate) fn resume() -> bool {
    let resumed = with_state(|state| {
        if state.active.sampling().is_some() {
            return engine::sampled::resume(state);
        }
        Ok(resume_tracing(state))
    });
    resumed.unwrap_or_else(|error| {
        zend::warning(&format!("cannot go on: no sampling timer: {error}"));
        false
    })
}

fn resume_tracing(state: &mut State) -> bool {
    let Some(Mode::Tracing(tracing)) = state.active.mode() else {
        return false;
    };
    let can_resume = !tracing.is_over && state.active.recorder.is_paused();
    if can_resume {
        let hooks = state.active.cold();
        hooks.resume(&mut state.active.recorder);
        engine::recording_changed(state);
    }
    can_resume
}

/// Suspends the running profile, so that another one can begin; false if that is
/// not possible.
pub(crate) fn suspend() -> bool {
    let suspended = with_state(|state| {
        let suspension = if state.active.sampling().is_some() {
            Suspension::begin(sampling::stop_timer(state), false)
        } else {
            let was_paused = state.active.recorder.is_paused();
            if !was_paused && !pause_tracing(state) {
                return None;
            }
            let Some(Mode::Tracing(tracing)) = state.active.mode() else {
                return None;
            };
            Suspension::begin(was_paused, tracing.measure.memory)
        };
        let running = state.active.running.as_mut()?;
        running.suspension = Some(suspension);
        let is_tracing = matches!(running.mode, Mode::Tracing(_));
        let recording = std::mem::replace(&mut state.active, Recording::off());
        state.suspended = Some(Box::new(recording));
        engine::recording_changed(state);
        Some(is_tracing)
    });
    match suspended {
        Some(true) => clock::stop(),
        Some(false) => engine::uninstall_sampling(),
        None => {}
    }
    suspended.is_some()
}

/// Resumes the suspended profile, when the other profile has ended. One call
/// stands for the time of the other profile.
pub(crate) fn resume_suspended() {
    let mode = with_state(|state| {
        let running = state.suspended.as_ref()?.running.as_ref()?;
        Some(match &running.mode {
            Mode::Tracing(tracing) => Some(tracing.measure),
            Mode::Sampling(_) => None,
        })
    });
    match mode {
        Some(Some(measure)) => resume_suspended_tracing(&measure),
        Some(None) => sampling::resume_suspended(),
        None => {}
    }
}

fn resume_suspended_tracing(measure: &Measure) {
    // Readings of different clocks cannot be compared.
    let is_over = !clock::start_again(measure.clock, measure.cpu);
    find_counters(measure);
    with_state(|state| {
        swap_back(state);
        if let Some(Mode::Tracing(tracing)) = state.active.mode_mut() {
            tracing.is_over = is_over;
        }
    });
    engine::install_again();
    let was_paused = with_state(|state| {
        let suspension = state.active.running.as_mut()?.suspension.take()?;
        if !suspension.was_paused {
            let time = suspension.until_now(measure);
            let hooks = state.active.cold();
            let symbol = state
                .active
                .naming(|symbols, add_symbol| symbols.synthetic(Suspension::NAME, add_symbol));
            if let Some(symbol) = symbol.flatten() {
                hooks.pass(&mut state.active.recorder, symbol, time);
            }
        }
        Some(suspension.was_paused)
    });
    if is_over {
        log_throttled(
            Problem::Clock,
            "the automatic profile ends where the script began one of its own: \
             its clock cannot be started again",
        );
    } else if was_paused == Some(false) {
        resume();
    }
}

/// Makes the suspended recording the active one.
fn swap_back(state: &mut State) {
    if let Some(suspended) = state.suspended.take() {
        state.active = *suspended;
        engine::recording_changed(state);
    }
}

/// Begins to trace calls in that shape. Does nothing if something is being recorded
/// already.
pub(crate) fn start_tracing(shape: Shape, flags: Flags, naming: NamingOptions) {
    if is_running() {
        return;
    }
    if zend::is_exhausted() {
        return log_throttled(Problem::Memory, "nothing is recorded: no memory for it");
    }
    let engine = match engine_in_use() {
        Ok(engine) => engine,
        Err(reason) => return zend::warning(&format!("nothing is recorded: {reason}")),
    };
    let measure = Measure {
        clock: clock::start(settings::value(&settings::CLOCK), flags.cpu),
        cpu: flags.cpu,
        memory: flags.memory,
        shape,
        lines: flags.lines && shape != Shape::Edges,
        builtins: !flags.no_builtins,
    };
    let plan = engine::hooks_for(engine, measure);
    let max_depth = settings::value(&settings::MAX_DEPTH);
    let max_nodes = settings::value(&settings::MAX_NODES);
    let limits = NameLimits {
        // Each function that is recorded has a row.
        count: max_nodes,
        bytes: match shape {
            Shape::Events => settings::value(&settings::MAX_EVENTS_SIZE),
            Shape::Edges | Shape::Tree => u64::MAX,
        },
    };
    let running = Running {
        mode: Mode::Tracing(Tracing {
            measure,
            is_over: false,
        }),
        plan,
        symbols: Symbols::new(naming, measure.clock.calibration.rate, limits),
        clock: measure.clock,
        started_us: clock::unix_time_us(),
        suspension: None,
    };
    let tables = recorded::take_tables();
    find_counters(&measure);
    engine::install();
    with_state(|state| {
        let session = state.next_session();
        let read = || plan.read();
        let recorder = Recorder::new_in(tables, shape, max_depth, max_nodes, read);
        state.active = Recording::new(session, recorder, running);
        engine::recording_changed(state);
    });
}

/// Whether a recording is suspended.
pub(crate) fn is_suspended() -> bool {
    with_state(|state| state.suspended.is_some())
}

/// Ends the session, and drops what it recorded.
pub(crate) fn discard() {
    with_state(|state| state.active.recorder.discard_events());
    stop();
}

/// Ends the session and returns what it recorded; none if there was none.
pub(crate) fn stop() -> Option<Recorded> {
    let recording = with_state(|state| {
        state.active.running.as_ref()?;
        if state.active.sampling().is_some() {
            sampling::stop_timer(state);
        } else {
            engine::end_spans(state);
            let hooks = state.active.cold();
            hooks.finish(&mut state.active.recorder);
        }
        let recording = std::mem::replace(&mut state.active, Recording::off());
        engine::recording_changed(state);
        Some(recording)
    })?;
    let Recording {
        recorder, running, ..
    } = recording;
    let running = running?;
    match running.mode {
        Mode::Tracing(tracing) => {
            engine::uninstall();
            clock::stop();
            zend::memory::forget();
            if !zend::can_allocate(recorder.nodes() * BYTES_A_ROW) {
                // Writing to the log needs memory, too.
                drop((recorder, running.symbols));
                log_throttled(Problem::Memory, "the profile is lost: no memory for it");
                return None;
            }
            let spans = running.symbols.spans_so_far();
            let names = running.symbols.take_names();
            let recorded = Recorded::of(recorder, names, spans, &tracing, running.started_us);
            if !is_suspended() {
                engine::forget_lines();
            }
            #[cfg(debug_assertions)]
            recorded.iter().for_each(check::check);
            recorded
        }
        Mode::Sampling(sampling) => {
            engine::uninstall_sampling();
            let names = running.symbols.take_names();
            Some(sampling::recorded(*sampling, names, running.started_us))
        }
    }
}

/// The profile so far; none if nothing is being recorded, or if call events are
/// recorded, which are in a file already.
pub(crate) fn snapshot() -> Option<Profile> {
    with_state(|state| {
        if state.active.sampling().is_some() {
            return sampling::snapshot(state);
        }
        let hooks = state.active.cold();
        let recorder = state.active.recorder.running()?;
        if recorder.shape() == Shape::Events {
            return None;
        }
        let snapshot = hooks.snapshot(recorder)?;
        let running = state.active.running.as_ref()?;
        let Mode::Tracing(tracing) = &running.mode else {
            return None;
        };
        let names = running.symbols.names().clone();
        let spans = running.symbols.spans_so_far();
        Recorded::of(snapshot, names, spans, tracing, running.started_us)?.into_profile()
    })
}

fn metrics(measure: &Measure) -> Metrics {
    Metrics {
        cpu: measure.cpu,
        memory: measure.memory,
        ..Metrics::default()
    }
}

/// Finds the counters of memory that a profile reads.
fn find_counters(measure: &Measure) {
    if measure.memory {
        zend::memory::find();
    }
}
