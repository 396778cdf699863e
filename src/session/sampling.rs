//! Sampling sessions: begin, end, pause and suspension.

use std::cell::RefCell;

use profile::{Body, Meta, Metrics, Mode, Profile, Samples, Spans, Symbol};
use recorder::{Sampler, SlotGrid, TickRate};

use super::suspension::{self, Suspension};
use super::{RUNNING, Recorded, Running, is_running, next_session, set_running};
use crate::clock;
use crate::engine::sampling::{self, Rate};
use crate::engine::{self, State, with_state};
use crate::settings::{self, ClockChoice, Flags, PinCpu, SampledClock};
use crate::symbols::{Details, NamingOptions, Symbols};
use crate::zend;

/// A sampling session that is suspended while another profile runs.
struct SuspendedSession {
    running: Running,
    rate: Rate,
    sampler: Sampler,
    symbols: Symbols,
    session: u32,
    /// When the session began, by `CLOCK_MONOTONIC`.
    started: u64,
    was_paused: bool,
    suspension: Suspension,
}

thread_local! {
    static SUSPENDED: RefCell<Option<Box<SuspendedSession>>> = const { RefCell::new(None) };
}

/// Begins to sample; does nothing if something is being recorded already. Needs no
/// engine. `naming.details` is ignored. `for_array`: the samples become XHProf's
/// array, which has an entry for each time slot.
pub(crate) fn start_sampling(naming: NamingOptions, for_array: bool) {
    if is_running() {
        return;
    }
    if let Some(reason) = zend::interrupts_harm() {
        zend::warning(&format!("nothing is recorded: {reason}"));
        return;
    }
    let interval_us = settings::value(&settings::SAMPLING_INTERVAL);
    let mut rate = Rate {
        clock: settings::value(&settings::SAMPLING_CLOCK),
        interval_ns: interval_us * 1_000,
        slots: None,
    };
    let clock = clock::start(ClockChoice::Monotonic, PinCpu::Never, false);
    // The start of the samples' times, on two clocks that are read together.
    let started_us = set_running(clock, Flags::default(), None, Some(rate));
    let started = clock::monotonic_ns();
    if for_array {
        rate.slots = Some(SlotGrid::new(started_us, started, interval_us));
        let rate = Some(rate);
        RUNNING.set(RUNNING.get().map(|running| Running { rate, ..running }));
    }
    if !start_timer(rate, started) {
        RUNNING.set(None);
        return;
    }
    let (depth, max_nodes) = (
        settings::value(&settings::SAMPLING_DEPTH),
        settings::value(&settings::MAX_NODES),
    );
    with_state(|state| {
        next_session(state);
        let details = Details::None;
        state.symbols = Some(Symbols::new(
            NamingOptions { details, ..naming },
            TickRate::NANOSECONDS,
        ));
        state.sampler = Some(Sampler::new(depth, max_nodes));
    });
    engine::install_sampling();
}

/// Starts the timer of this thread; warns and returns false if that fails.
fn start_timer(rate: Rate, started: u64) -> bool {
    match sampling::start(rate, started) {
        Ok(sampling) => {
            with_state(|state| state.sampling = Some(sampling));
            true
        }
        Err(error) => {
            zend::warning(&format!(
                "nothing is recorded: cannot start the sampling timer: {error}"
            ));
            false
        }
    }
}

/// Ends the session and returns what it recorded.
pub(super) fn stop(rate: Rate, started_us: u64) -> Option<Recorded> {
    let (sampler, symbols) = end();
    let sampler = sampler?;
    let meta = meta(rate, started_us, &sampler);
    let symbols = symbols.map(Symbols::into_names).unwrap_or_default();
    let profile = profile(symbols, sampler.finish(), meta);
    Some(Recorded::Samples(Box::new(profile)))
}

/// The profile so far.
pub(super) fn snapshot(rate: Rate, started_us: u64) -> Option<Profile> {
    with_state(|state| {
        sampling::catch_up(state);
        let (sampler, symbols) = (state.sampler.as_ref()?, state.symbols.as_ref()?);
        let names = symbols.shared_names().borrow().clone();
        let meta = meta(rate, started_us, sampler);
        Some(profile(names, sampler.so_far(), meta))
    })
}

fn meta(rate: Rate, started_us: u64, sampler: &Sampler) -> Meta {
    let mut meta = Meta {
        started_unix_us: Some(started_us),
        mode: Mode::Sampled,
        interval_ns: Some(rate.interval_ns),
        is_truncated: sampler.is_truncated(),
        ..Meta::default()
    };
    if rate.clock == SampledClock::Cpu {
        meta.set_tag("sampling_clock", "cpu");
    }
    meta
}

fn profile(symbols: Vec<Symbol>, samples: Samples, meta: Meta) -> Profile {
    Profile {
        symbols,
        body: Body::Samples(samples),
        metrics: Metrics {
            calls: false,
            ..Metrics::default()
        },
        meta,
        spans: Spans::default(),
        lines: profile::Lines::default(),
    }
}

/// Pauses sampling until [`resume`]; false if nothing is being sampled, or if the
/// session is paused already.
pub(super) fn pause() -> bool {
    with_state(sampling::pause)
}

/// Resumes sampling after [`pause`]; false if nothing is paused.
pub(super) fn resume() -> bool {
    with_state(sampling::resume).unwrap_or_else(|error| {
        zend::warning(&format!("cannot go on: no sampling timer: {error}"));
        false
    })
}

/// Whether the session is paused.
pub(super) fn is_paused(state: &State) -> bool {
    let sampling = state.sampling.as_ref();
    sampling.is_some_and(sampling::Sampling::is_paused)
}

fn end() -> (Option<Sampler>, Option<Symbols>) {
    let recorded = with_state(|state| {
        sampling::stop(state);
        (state.sampler.take(), state.symbols.take())
    });
    engine::uninstall_sampling();
    recorded
}

/// Suspends the session, so that another profile can begin; false if nothing is
/// being sampled.
pub(super) fn suspend() -> bool {
    let Some((running, rate)) = RUNNING
        .get()
        .and_then(|running| Some((running, running.rate?)))
    else {
        return false;
    };
    let (session, started, was_paused) = with_state(|state| {
        let started = state.sampling.as_ref().map(sampling::Sampling::started);
        (state.session, started, is_paused(state))
    });
    let (Some(sampler), Some(symbols)) = end() else {
        return false;
    };
    RUNNING.set(None);
    SUSPENDED.set(Some(Box::new(SuspendedSession {
        running,
        rate,
        sampler,
        symbols,
        session,
        started: started.unwrap_or_else(clock::monotonic_ns),
        was_paused,
        suspension: Suspension::begin(false),
    })));
    true
}

/// Resumes the suspended session; false if there is none. One sample stands for
/// the time in between.
pub(super) fn resume_suspended() -> bool {
    let Some(suspended) = SUSPENDED.take() else {
        return false;
    };
    RUNNING.set(Some(suspended.running));
    start_timer(suspended.rate, suspended.started);
    with_state(|state| {
        // Only automatic profiles are suspended.
        state.sampling = state.sampling.take().map(sampling::Sampling::resumed);
        state.session = suspended.session;
        state.symbols = Some(suspended.symbols);
        state.sampler = Some(suspended.sampler);
        if suspended.was_paused {
            sampling::pause(state);
            return;
        }
        let (symbols, sampler) = (state.symbols.as_mut(), state.sampler.as_mut());
        if let (Some(symbols), Some(sampler)) = (symbols, sampler)
            && let Some(symbol) = symbols.synthetic(suspension::NAME, &mut || sampler.add_symbol())
        {
            let weight = match suspended.rate.clock {
                SampledClock::Wall => suspended.suspension.wall_ns(),
                SampledClock::Cpu => suspended.suspension.cpu_ns(),
            };
            sampling::add_passed(state, symbol, weight);
        }
    });
    engine::install_sampling();
    true
}
