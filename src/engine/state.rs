//! The data that one thread's hooks share with the session.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use recorder::{Recorder, Sampler};

use super::Hooks;
use super::guard::Guard;
use super::sampling::Sampling;
use crate::symbols::Symbols;

/// The state of one thread. While nothing is recorded, `hooks` only call the
/// previous hooks, and the rest is empty.
pub(crate) struct State {
    /// The functions that the installed hooks call in this thread now.
    pub(crate) hooks: Hooks,
    /// The functions of the running profile. `hooks` differs from them while the
    /// guard truncates.
    pub(crate) plan: Hooks,
    /// The number of the running profile; see [`Symbols`].
    pub(crate) session: u32,
    /// [`Target::first_slot`](crate::symbols::Target::first_slot) of the session.
    pub(crate) first_slot: u64,
    /// The highest number that any profile had.
    pub(crate) sessions: u32,
    /// The running profile, when tracing; else idle.
    pub(crate) recorder: Recorder,
    /// The running profile, when sampling…
    pub(crate) sampler: Option<Sampler>,
    /// … and its timer and stack.
    pub(crate) sampling: Option<Sampling>,
    /// See [`zend::first_frames`](crate::zend::first_frames).
    pub(super) first_frames: Range<usize>,
    /// The names of the running profile.
    pub(crate) symbols: Option<Symbols>,
    /// The automatic profile, while the script's own one runs.
    pub(crate) suspended: Option<Box<SuspendedRecording>>,
    /// The hooks to restore, while this extension calls PHP functions.
    pub(super) hooks_while_asking: Option<Hooks>,
    pub(super) guard: Guard,
}

/// A tracing profile that is suspended while another one runs.
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

/// This thread's state. Valid for the life of the thread. A caller that makes a
/// reference of it must drop the reference before it calls into the engine.
#[inline(always)]
pub(super) fn state() -> *mut State {
    storage::pointer()
}

/// Whether samples are pending for this thread. Valid for the life of the thread.
/// It is not in the state, since the timer's thread writes it.
#[inline(always)]
pub(super) fn samples_wait() -> *const AtomicBool {
    storage::samples_wait()
}

/// Calls `act` with this thread's state. `act` must not call into the engine,
/// whose hooks use the state.
pub(crate) fn with_state<R>(act: impl FnOnce(&mut State) -> R) -> R {
    // SAFETY: no other reference exists: the hooks drop theirs before they call
    // into the engine, and `act` does not call into the engine.
    act(unsafe { &mut *state() })
}
