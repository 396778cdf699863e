//! The data that one thread's hooks share with the session.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::bounds::Guard;
use super::hooks::Hooks;
use super::recording::Recording;

/// The state of one thread. While nothing is recorded, `hooks` only call the
/// previous hooks, and the rest is empty.
pub(crate) struct State {
    /// The functions that the installed hooks call in this thread now. Only
    /// [`choose_hooks`](Self::choose_hooks) sets them.
    pub(super) hooks: Hooks,
    /// What is being recorded.
    pub(crate) active: Recording,
    /// The automatic recording, while the script's own one runs.
    pub(crate) suspended: Option<Box<Recording>>,
    /// The highest number that any recording had.
    pub(super) sessions: u32,
    /// See [`zend::first_frames`](crate::zend::first_frames).
    pub(super) first_frames: Range<usize>,
    pub(super) guard: Guard,
    /// This extension calls PHP functions, which are not recorded.
    pub(super) is_asking: bool,
    /// In a forked child that has not left its parent's recordings: the hooks that
    /// make it do so.
    pub(super) forked: Option<Hooks>,
    /// [`with_state`] lends the state.
    is_lent: bool,
}

impl State {
    const fn new() -> Self {
        Self {
            hooks: Hooks::PASS,
            active: Recording::off(),
            suspended: None,
            sessions: 0,
            first_frames: 0..0,
            guard: Guard::new(),
            is_asking: false,
            forked: None,
            is_lent: false,
        }
    }

    /// Chooses the hooks after a change of anything that they depend on.
    pub(super) fn choose_hooks(&mut self) {
        self.hooks = if self.is_asking {
            Hooks::PASS
        } else {
            let exception = self.forked.or(self.guard.current.truncating);
            exception.unwrap_or_else(|| self.active.hooks())
        };
    }

    /// A number for a new recording: never zero, which is the value of an unused
    /// slot.
    pub(crate) fn next_session(&mut self) -> u32 {
        self.sessions = self.sessions.checked_add(1).unwrap_or(1);
        self.sessions
    }

    /// In a forked child: begins the recordings anew, if that has not been done.
    pub(super) fn leave_parent(&mut self) {
        if self.forked.take().is_some() {
            self.active.leave_parent();
            if let Some(suspended) = &mut self.suspended {
                suspended.leave_parent();
            }
            self.choose_hooks();
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
    pub(super) fn samples_wait() -> &'static AtomicBool {
        &SAMPLES_WAIT
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
    pub(super) fn samples_wait() -> &'static AtomicBool {
        let flag: *const AtomicBool = SAMPLES_WAIT.with(std::ptr::from_ref);
        // SAFETY: the thread-local has no destructor, so it lives as long as the
        // thread, and the timer's thread ends before.
        unsafe { &*flag }
    }
}

/// This thread's state, for the hooks. Valid for the life of the thread. A hook that
/// makes a reference of it must drop the reference before it calls into the engine.
#[inline(always)]
pub(super) fn state() -> *mut State {
    let state = storage::pointer();
    // SAFETY: this thread's state, which always exists.
    debug_assert!(unsafe { !(*state).is_lent }, "a hook runs in `with_state`");
    state
}

/// Whether samples are pending for this thread. It is not in the state, since the timer's thread writes it.
#[inline(always)]
pub(super) fn samples_wait() -> &'static AtomicBool {
    storage::samples_wait()
}

/// Calls `act` with this thread's state. A call of this function within `act` ends
/// the process. Nor does `act` call into the engine, whose hooks use the state: in a
/// debug build they check it, too.
pub(crate) fn with_state<R>(act: impl FnOnce(&mut State) -> R) -> R {
    let state = storage::pointer();
    // SAFETY: this thread's state. No other reference exists: the hooks drop theirs
    // before they call into the engine, and `is_lent` shows those of this function.
    unsafe {
        if (*state).is_lent {
            lent_twice();
        }
        (*state).is_lent = true;
        (*state).leave_parent();
        let result = act(&mut *state);
        (*state).is_lent = false;
        result
    }
}

/// RINIT: a bailout may have skipped the end of [`with_state`].
pub(super) fn request_starts() {
    // SAFETY: this thread's state; no hook runs between requests.
    unsafe { (*storage::pointer()).is_lent = false };
}

/// Ends the process: two references to the state would be undefined behaviour.
#[cold]
#[inline(never)]
fn lent_twice() -> ! {
    crate::zend::die("xhprof: the state of a thread was used within its use; please report this")
}
