//! What one thread's hooks share with the session.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use recorder::{Recorder, Sampler};

use super::Hooks;
use super::guard::Guard;
use super::sampling::Sampling;
use crate::symbols::Symbols;

/// The state of one thread. While nothing is recorded, `hooks` pass every
/// call on and the rest is empty.
pub(crate) struct State {
    /// What the installed hooks do in this thread, now.
    pub(crate) hooks: Hooks,
    /// What they do for the running profile, unless the guard holds them back.
    pub(crate) plan: Hooks,
    /// The number of the running profile; see [`Symbols`].
    pub(crate) session: u32,
    /// [`Target::first_slot`](crate::symbols::Target::first_slot) of it.
    pub(crate) first_slot: u64,
    /// The highest number that any profile had.
    pub(crate) sessions: u32,
    /// The running profile, when tracing; else idle.
    pub(crate) recorder: Recorder,
    /// The running profile, when sampling…
    pub(crate) sampler: Option<Sampler>,
    /// … and what fills it.
    pub(crate) sampling: Option<Sampling>,
    /// See [`zend::first_frames`](crate::zend::first_frames).
    pub(super) first_frames: Range<usize>,
    /// The names of the running profile.
    pub(crate) symbols: Option<Symbols>,
    /// The profile that this one interrupts, if there is one.
    pub(crate) suspended: Option<Box<SuspendedRecording>>,
    /// The hooks, while something is asked and none records.
    pub(super) hooks_while_asking: Option<Hooks>,
    pub(super) guard: Guard,
}

/// A profile that is set aside while another one runs.
pub(crate) struct SuspendedRecording {
    pub(crate) plan: Hooks,
    pub(crate) recorder: Recorder,
    pub(crate) symbols: Symbols,
    pub(crate) session: u32,
}

impl State {
    const fn new() -> Self {
        Self {
            hooks: Hooks::PASS,
            plan: Hooks::PASS,
            session: 0,
            sessions: 0,
            first_slot: 0,
            recorder: Recorder::idle(),
            sampler: None,
            sampling: None,
            first_frames: 0..0,
            symbols: None,
            suspended: None,
            hooks_while_asking: None,
            guard: Guard::new(),
        }
    }
}

#[cfg(not(php_zts))]
mod storage {
    use std::cell::UnsafeCell;
    use std::sync::atomic::AtomicBool;

    use super::State;

    struct OneThread(UnsafeCell<State>);

    // SAFETY: a PHP without ZTS runs all requests in one thread.
    unsafe impl Sync for OneThread {}

    static STATE: OneThread = OneThread(UnsafeCell::new(State::new()));
    static SAMPLES_WAIT: AtomicBool = AtomicBool::new(false);

    #[inline(always)]
    pub(super) fn pointer() -> *mut State {
        STATE.0.get()
    }

    #[inline(always)]
    pub(super) fn samples_wait() -> *const AtomicBool {
        &raw const SAMPLES_WAIT
    }
}

#[cfg(php_zts)]
mod storage {
    use std::cell::UnsafeCell;
    use std::sync::atomic::AtomicBool;

    use super::State;

    thread_local! {
        static STATE: UnsafeCell<State> = const { UnsafeCell::new(State::new()) };
        static SAMPLES_WAIT: AtomicBool = const { AtomicBool::new(false) };
    }

    #[inline(always)]
    pub(super) fn pointer() -> *mut State {
        STATE.with(UnsafeCell::get)
    }

    #[inline(always)]
    pub(super) fn samples_wait() -> *const AtomicBool {
        SAMPLES_WAIT.with(std::ptr::from_ref)
    }
}

/// This thread's state. Valid for the life of the thread; whoever makes a
/// reference of it must drop it before calling into the engine.
#[inline(always)]
pub(super) fn state() -> *mut State {
    storage::pointer()
}

/// Whether the sampling mode's timer asks this thread for something. Valid for
/// the life of the thread; not in the state, since another thread writes it.
#[inline(always)]
pub(super) fn samples_wait() -> *const AtomicBool {
    storage::samples_wait()
}

/// Gives `act` this thread's state. It must not call into the engine, whose
/// hooks would want the state for themselves.
pub(crate) fn with_state<R>(act: impl FnOnce(&mut State) -> R) -> R {
    // SAFETY: nobody else holds a reference: the hooks drop theirs before they
    // call on, and `act` does not reach the engine.
    act(unsafe { &mut *state() })
}
