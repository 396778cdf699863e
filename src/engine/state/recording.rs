//! One recording from its first call to its last: everything that belongs to it.
//!
//! Suspending a recording moves it to another place, and resuming moves it back.

use recorder::{Recorder, Sampler, SymbolId};

use super::measure::Measure;
use super::{
    hook_table::{ColdHooks, Hooks},
    suspension::Suspension,
};
use crate::clock::Clock;
use crate::engine::sampling::{Rate, Session};
use crate::naming::{SpanLog, Symbols, Target};

/// What is recorded; possibly nothing.
///
/// The recorder is not part of [`Mode`]: the hooks use it at each call, and an
/// idle one in its place saves them the test whether a recording traces.
pub(crate) struct Recording {
    /// Its number, see [`Symbols`].
    pub(crate) session: u32,
    /// [`Target::first_slot`] of the session.
    pub(in crate::engine) first_slot: u64,
    /// The calls, if the recording traces; else idle.
    pub(crate) recorder: Recorder,
    /// The rest; none if nothing is recorded.
    pub(crate) running: Option<Running>,
}

/// What every recording has.
pub(crate) struct Running {
    pub(crate) mode: Mode,
    /// Its hooks, unless it is paused.
    pub(crate) plan: Hooks,
    pub(crate) symbols: Symbols,
    pub(crate) clock: Clock,
    /// When it began, in microseconds since the Unix epoch.
    pub(crate) started_us: u64,
    /// Since when it is suspended, if it is.
    pub(crate) suspension: Option<Suspension>,
}

/// How calls are seen.
pub(crate) enum Mode {
    Tracing(Tracing),
    Sampling(Box<Sampling>),
}

/// What only a tracing recording has.
pub(crate) struct Tracing {
    pub(crate) measure: Measure,
    /// The recording stays paused: its clock could not be restarted.
    pub(crate) is_over: bool,
}

/// What only a sampling recording has.
pub(crate) struct Sampling {
    pub(crate) rate: Rate,
    pub(crate) sampler: Sampler,
    /// Its timer and stack; none while it is suspended, or if no timer could be
    /// started again.
    pub(crate) session: Option<Session>,
    /// When it began, by [`clock::monotonic_ns`](crate::clock::monotonic_ns).
    pub(crate) started: u64,
}

impl Recording {
    /// No recording.
    pub(crate) const fn off() -> Self {
        Self {
            session: 0,
            first_slot: 0,
            recorder: Recorder::idle(),
            running: None,
        }
    }

    /// A recording with that number. `recorder` is idle if it samples.
    pub(crate) fn new(session: u32, recorder: Recorder, running: Running) -> Self {
        Self {
            session,
            first_slot: Target::first_slot(session),
            recorder,
            running: Some(running),
        }
    }

    /// Its hooks now.
    pub(in crate::engine) fn hooks(&self) -> Hooks {
        match &self.running {
            Some(running) if self.recorder.is_paused() => running.plan.paused(),
            Some(running) => running.plan,
            None => Hooks::PASS,
        }
    }

    /// The part of its hooks that is off the hot path.
    pub(crate) fn cold(&self) -> &'static dyn ColdHooks {
        self.hooks().cold
    }

    /// Its names; none if nothing is recorded.
    pub(crate) fn symbols(&self) -> Option<&Symbols> {
        Some(&self.running.as_ref()?.symbols)
    }

    /// The same, to be changed.
    pub(crate) fn symbols_mut(&mut self) -> Option<&mut Symbols> {
        Some(&mut self.running.as_mut()?.symbols)
    }

    /// Its names, with the function that numbers a new one; none if nothing is
    /// recorded.
    pub(crate) fn naming<R>(
        &mut self,
        act: impl FnOnce(&mut Symbols, &mut dyn FnMut() -> SymbolId) -> R,
    ) -> Option<R> {
        let Self {
            recorder, running, ..
        } = self;
        let Running { symbols, mode, .. } = running.as_mut()?;
        Some(match mode {
            Mode::Tracing(_) => act(symbols, &mut || recorder.add_symbol()),
            Mode::Sampling(sampling) => act(symbols, &mut || sampling.sampler.add_symbol()),
        })
    }

    /// How calls are seen; none if nothing is recorded.
    pub(crate) fn mode(&self) -> Option<&Mode> {
        Some(&self.running.as_ref()?.mode)
    }

    /// The same, to be changed.
    pub(crate) fn mode_mut(&mut self) -> Option<&mut Mode> {
        Some(&mut self.running.as_mut()?.mode)
    }

    /// What only a sampling recording has.
    pub(crate) fn sampling(&self) -> Option<&Sampling> {
        match &self.running.as_ref()?.mode {
            Mode::Sampling(sampling) => Some(sampling),
            Mode::Tracing(_) => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn sampling_mut(&mut self) -> Option<&mut Sampling> {
        match &mut self.running.as_mut()?.mode {
            Mode::Sampling(sampling) => Some(sampling),
            Mode::Tracing(_) => None,
        }
    }

    /// Whether it records spans.
    pub(in crate::engine) fn has_spans(&self) -> bool {
        self.symbols()
            .is_some_and(|symbols| symbols.spans().is_some())
    }

    /// Calls `act` with the log of spans; none if there is none, or if the file of call
    /// events reads it now.
    pub(in crate::engine) fn with_spans<R>(
        &self,
        act: impl FnOnce(&mut SpanLog) -> R,
    ) -> Option<R> {
        let spans = self.symbols()?.spans()?;
        Some(act(&mut *spans.try_borrow_mut().ok()?))
    }

    /// In the child of a fork: what was recorded belongs to the parent.
    pub(in crate::engine) fn leave_parent(&mut self) {
        let now = self.cold().read();
        self.recorder.restart_events(now);
        self.with_spans(SpanLog::restart);
    }
}
