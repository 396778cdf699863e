//! Sampling sessions: begin, end, pause and suspension.

use profile::{Body, Meta, Metrics, Profile, Samples, Spans};
use recorder::{Recorder, Sampler, SlotGrid, TickRate};

use super::{Recorded, is_running, swap_back};
use crate::clock;
use crate::engine::{
    self, Mode, Rate, Recording, Running, Sampling, State, Suspension, sampled, with_state,
};
use crate::log_throttled::{Problem, log_throttled};
use crate::naming::{Details, NamingOptions, Symbols};
use crate::settings::{self, ClockChoice, SampledClock};
use crate::zend;
use policy::naming::names::{NameLimits, Names};

/// Begins to sample; does nothing if something is being recorded already. Needs no
/// engine. `naming.details` is ignored. `for_array`: the samples become XHProf's
/// array, which has an entry for each time slot.
///
/// # Errors
///
/// Why nothing can be sampled.
pub(crate) fn start_sampling(naming: NamingOptions, for_array: bool) -> Result<(), String> {
    if is_running() {
        return Ok(());
    }
    if let Some(reason) = zend::php_for_faults().interrupts_harm() {
        return Err(reason.to_owned());
    }
    let interval_us = settings::value(&settings::SAMPLING_INTERVAL);
    let clock = clock::start(ClockChoice::Monotonic, false);
    // The start of the samples' times, on two clocks that are read together.
    let (started_us, started) = (clock::unix_time_us(), clock::monotonic_ns());
    let slots = for_array.then(|| SlotGrid::new(started_us, started, interval_us));
    let rate = Rate {
        clock: settings::value(&settings::SAMPLING_CLOCK),
        interval_ns: interval_us * 1_000,
        slots,
    };
    let session = sampled::start(rate, started)
        .map_err(|error| format!("cannot start the sampling timer: {error}"))?;
    let (depth, max_nodes) = (
        settings::value(&settings::MAX_DEPTH),
        settings::value(&settings::MAX_NODES),
    );
    let details = Details::None;
    let running = Running {
        mode: Mode::Sampling(Box::new(Sampling {
            rate,
            sampler: Sampler::new(depth, max_nodes),
            session: Some(session),
            started,
        })),
        plan: engine::sampling_hooks(),
        symbols: Symbols::new(
            NamingOptions { details, ..naming },
            TickRate::NANOSECONDS,
            NameLimits {
                count: max_nodes,
                bytes: u64::MAX,
            },
        ),
        clock,
        started_us,
        suspension: None,
    };
    with_state(|state| {
        let session = state.next_session();
        state.active = Recording::new(session, Recorder::idle(), running);
        engine::recording_changed(state);
    });
    engine::install_sampling();
    Ok(())
}

/// Ends the timer and takes the last samples. Whether the session was paused.
pub(super) fn stop_timer(state: &mut State) -> bool {
    let session = sampled::stop(state);
    session.is_some_and(|(_, was_paused)| was_paused)
}

/// What the session recorded.
pub(super) fn recorded(sampling: Sampling, names: Names, started_us: u64) -> Recorded {
    let meta = meta(sampling.rate, started_us, &sampling.sampler);
    let profile = profile(names, sampling.sampler.finish(), meta);
    Recorded::Samples(Box::new(profile))
}

/// The profile so far.
pub(super) fn snapshot(state: &mut State) -> Option<Profile> {
    sampled::catch_up(state);
    let started_us = state.active.running.as_ref()?.started_us;
    let sampling = state.active.sampling()?;
    let names = state.active.symbols()?.names().clone();
    let meta = meta(sampling.rate, started_us, &sampling.sampler);
    Some(profile(names, sampling.sampler.so_far(), meta))
}

fn meta(rate: Rate, started_us: u64, sampler: &Sampler) -> Meta {
    let mut meta = Meta {
        started_unix_us: Some(started_us),
        mode: profile::Mode::Sampled,
        interval_ns: Some(rate.interval_ns),
        is_truncated: sampler.is_truncated(),
        ..Meta::default()
    };
    if rate.clock == SampledClock::Cpu {
        meta.set_tag("sampling_clock", "cpu");
    }
    meta
}

fn profile(names: Names, samples: Samples, mut meta: Meta) -> Profile {
    names.describe(&mut meta);
    Profile {
        symbols: names.into_symbols(),
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

/// Resumes the suspended session. One sample stands for the time in between.
pub(super) fn resume_suspended() {
    let timing = with_state(|state| {
        let sampling = state.suspended.as_ref()?.sampling()?;
        Some((sampling.rate, sampling.started))
    });
    let Some((rate, started)) = timing else {
        return;
    };
    let session = match sampled::start(rate, started) {
        // Only automatic profiles are suspended.
        Ok(session) => Some(session.resumed()),
        Err(error) => {
            log_throttled(
                Problem::Engine,
                &format!("the automatic profile ends: cannot start the sampling timer: {error}"),
            );
            None
        }
    };
    with_state(|state| {
        swap_back(state);
        if let Some(sampling) = state.active.sampling_mut() {
            sampling.session = session;
        }
        let running = state.active.running.as_mut();
        let Some(suspension) = running.and_then(|running| running.suspension.take()) else {
            return;
        };
        if suspension.was_paused {
            sampled::pause(state);
            return;
        }
        let symbol = state
            .active
            .naming(|symbols, add_symbol| symbols.synthetic(Suspension::NAME, add_symbol));
        if let Some(symbol) = symbol.flatten() {
            let weight = match rate.clock {
                SampledClock::Wall => suspension.wall_ns(),
                SampledClock::Cpu => suspension.cpu_ns(),
            };
            sampled::add_passed(state, symbol, weight);
        }
    });
    engine::install_sampling();
}
