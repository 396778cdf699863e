//! The data that one thread's hooks share with the session.
//!
//! The session uses it through [`with_state`], the hooks through [`state`]. **While
//! the session has it, the hooks do not**: [`hooks`] are then those that record
//! nothing.

pub(in crate::engine) mod bounds;
pub(in crate::engine) mod hook_table;
pub(in crate::engine) mod measure;
pub(in crate::engine) mod previous;
pub(in crate::engine) mod recording;
pub(in crate::engine) mod suspension;

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use self::bounds::Guard;
use self::hook_table::Hooks;
use self::recording::Recording;
use crate::zend::{self, per_thread::per_thread};

/// The state of one thread. While nothing is recorded, the hooks only call the
/// previous hooks, and the rest is empty.
pub(crate) struct State {
    /// The hooks for this state, see [`choose_hooks`](Self::choose_hooks).
    chosen: Hooks,
    /// What is being recorded.
    pub(crate) active: Recording,
    /// The automatic recording, while the script's own one runs.
    pub(crate) suspended: Option<Box<Recording>>,
    /// The highest number that any recording had.
    pub(in crate::engine) sessions: u32,
    /// See [`zend::first_frames`].
    pub(in crate::engine) first_frames: Range<usize>,
    pub(in crate::engine) guard: Guard,
    /// This extension calls PHP functions, which are not recorded.
    pub(in crate::engine) is_asking: bool,
    /// The VM may enter property hooks itself, because of code that ran while no
    /// profile did.
    #[cfg(property_hooks)]
    pub(in crate::engine) may_skip_hooks: bool,
    /// In a forked child that has not left its parent's recordings: the hooks that
    /// make it do so.
    pub(in crate::engine) forked: Option<Hooks>,
}

impl State {
    const fn new() -> Self {
        Self {
            chosen: Hooks::PASS,
            active: Recording::off(),
            suspended: None,
            sessions: 0,
            first_frames: 0..0,
            guard: Guard::new(),
            is_asking: false,
            #[cfg(property_hooks)]
            may_skip_hooks: false,
            forked: None,
        }
    }

    /// Chooses the hooks after a change of anything that they depend on.
    pub(in crate::engine) fn choose_hooks(&mut self) {
        self.chosen = if self.is_asking {
            Hooks::PASS
        } else {
            let exception = self.forked.or(self.guard.current.truncating);
            exception.unwrap_or_else(|| self.active.hooks())
        };
        let shared = SHARED.get();
        if !shared.is_lent.get() {
            shared.hooks.set(self.chosen);
        }
    }

    /// A number for a new recording: never zero, which is the value of an unused
    /// slot.
    pub(crate) fn next_session(&mut self) -> u32 {
        self.sessions = self.sessions.checked_add(1).unwrap_or(1);
        self.sessions
    }

    /// In a forked child: begins the recordings anew, if that has not been done.
    pub(in crate::engine) fn leave_parent(&mut self) {
        if self.forked.take().is_some() {
            zend::signals::note_process();
            self.active.leave_parent();
            if let Some(suspended) = &mut self.suspended {
                suspended.leave_parent();
            }
            self.choose_hooks();
        }
    }
}

/// What stands beside the state.
struct Shared {
    /// The functions that the installed hooks call in this thread now.
    hooks: Cell<Hooks>,
    /// [`with_state`] lends the state.
    is_lent: Cell<bool>,
    /// The timer's thread writes it.
    samples_wait: AtomicBool,
}

per_thread! {
    static SHARED: Shared = Shared {
        hooks: Cell::new(Hooks::PASS),
        is_lent: Cell::new(false),
        samples_wait: AtomicBool::new(false),
    };
}

#[cfg(not(php_zts))]
mod storage {
    use std::cell::UnsafeCell;

    use super::State;

    struct OneThread(UnsafeCell<State>);

    // SAFETY: a PHP without ZTS runs all requests in one thread.
    unsafe impl Sync for OneThread {}

    static STATE: OneThread = OneThread(UnsafeCell::new(State::new()));

    #[inline(always)]
    pub(in crate::engine) fn pointer() -> *mut State {
        STATE.0.get()
    }
}

#[cfg(php_zts)]
mod storage {
    use std::cell::UnsafeCell;

    use super::State;

    thread_local! {
        static STATE: UnsafeCell<State> = const { UnsafeCell::new(State::new()) };
    }

    #[inline(always)]
    pub(in crate::engine) fn pointer() -> *mut State {
        STATE.with(UnsafeCell::get)
    }
}

/// This thread's state, for the [`hooks`]. Valid for the life of the thread. A hook
/// that makes a reference of it must drop the reference before it calls into the
/// engine.
#[inline(always)]
pub(in crate::engine) fn state() -> *mut State {
    debug_assert!(!is_lent(), "a hook runs in `with_state`");
    storage::pointer()
}

/// The functions that the installed hooks call now. While the state is lent, they
/// are those that record nothing, and do not use it.
#[inline(always)]
pub(in crate::engine) fn hooks() -> Hooks {
    debug_assert!(!is_lent(), "PHP is called in `with_state`");
    SHARED.get().hooks.get()
}

/// Whether [`with_state`] lends the state now. A hook that [`hooks`] does not name
/// must not use it then.
pub(crate) fn is_lent() -> bool {
    SHARED.get().is_lent.get()
}

/// Whether samples are pending for this thread. It is not in the state, since the
/// timer's thread writes it, which ends before this one.
#[inline(always)]
pub(in crate::engine) fn samples_wait() -> &'static AtomicBool {
    &SHARED.get().samples_wait
}

/// Calls `act` with this thread's state.
///
/// - A call of this function within `act` ends the process.
/// - A call of PHP's functions within `act` is not recorded. In a debug build it is
///   an error, since a bailout would skip the end of `act`.
pub(crate) fn with_state<R>(act: impl FnOnce(&mut State) -> R) -> R {
    let shared = SHARED.get();
    if shared.is_lent.replace(true) {
        lent_twice();
    }
    shared.hooks.set(Hooks::PASS);
    // SAFETY: this thread's state. No other reference exists: the hooks drop theirs
    // before they call into the engine, `is_lent` shows those of this function, and
    // until it ends no hook makes one.
    let state = unsafe { &mut *storage::pointer() };
    state.leave_parent();
    let result = act(state);
    shared.hooks.set(state.chosen);
    shared.is_lent.set(false);
    result
}

/// RINIT and RSHUTDOWN: a bailout may have skipped the end of [`with_state`].
pub(crate) fn repair_after_bailout() {
    if SHARED.get().is_lent.replace(false) {
        with_state(State::choose_hooks);
    }
}

/// Ends the process: two references to the state would be undefined behaviour.
#[cold]
#[inline(never)]
fn lent_twice() -> ! {
    crate::zend::die("xhprof: the state of a thread was used within its use; please report this")
}
