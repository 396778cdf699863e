//! The *execute* engine: `zend_execute_ex` and `zend_execute_internal`.
//!
//! Pre-armed: at MINIT a pass-through goes into `zend_execute_internal`, and
//! user calls are compiled to look at `zend_execute_ex`. Both cost next to
//! nothing, and both are needed, because code compiled without them has call
//! instructions that never look at a hook; functions compiled before
//! `xhprof_enable()` would be missing. At enable the recording hooks go in, at
//! disable they come out.
//!
//! The installed functions jump through the thread's [`Hooks`], so that one
//! process can hold threads, and one thread profiles, of different plans.

use std::cell::Cell;
use std::ptr::fn_addr_eq;

use ext_php_rs::ffi::{zend_execute_data, zval};
use recorder::{Entered, FiberId, Reading, Recorder, SymbolId, Token};

use super::plan::Tracing;
use super::state::{State, state};
use super::{detail, guard};
use crate::clock;
use crate::symbols::Target;
use crate::zend::bindings::{self, ExecuteEx, ExecuteInternal};
use crate::zend::{Call, FunctionKind, stack};

/// What the installed hooks do for one thread: functions made for its plan.
#[derive(Clone, Copy)]
pub(crate) struct Hooks {
    /// For user functions.
    pub(super) user: ExecuteEx,
    /// For internal functions.
    pub(super) internal: ExecuteInternal,
    /// Reads the clocks.
    pub(crate) read: fn() -> Reading,
    /// [`Recorder::enter`] with this plan.
    pub(super) enter: fn(&mut Recorder, SymbolId, usize) -> Entered,
    /// [`Recorder::enter_truncated`] with this plan.
    pub(super) enter_truncated: fn(&mut Recorder, usize) -> Entered,
    /// [`Recorder::leave`] with this plan.
    pub(super) leave: fn(&mut Recorder, Token),
    /// [`Recorder::fiber_destroyed`] with this plan.
    pub(super) fiber_destroyed: fn(&mut Recorder, FiberId),
    /// [`Recorder::finish`] with this plan.
    pub(crate) finish: fn(&mut Recorder),
}

impl Hooks {
    /// Hooks that record nothing.
    pub(crate) const PASS: Self = Self {
        user: pass_user,
        internal: pass_internal,
        read: Reading::default,
        enter: |_, _, _| Entered::TooDeep,
        enter_truncated: |_, _| Entered::TooDeep,
        leave: |_, _| {},
        fiber_destroyed: |_, _| {},
        finish: |_| {},
    };
}

/// The hooks that were there before ours.
struct Previous {
    execute: Cell<ExecuteEx>,
    internal: Cell<Option<ExecuteInternal>>,
    /// What our pass-through found at MINIT.
    internal_at_start: Cell<Option<ExecuteInternal>>,
    /// Ours are in the chain. They stay in it while another extension's hook
    /// on top of them keeps them from being taken out.
    has_user: Cell<bool>,
    has_internal: Cell<bool>,
}

// SAFETY: written at MINIT, before there are threads, and by the first thread
// that starts to profile and the last one that ends; a pointer is written whole
// on every system we support.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous {
    execute: Cell::new(bindings::execute_ex),
    internal: Cell::new(None),
    internal_at_start: Cell::new(None),
    has_user: Cell::new(false),
    has_internal: Cell::new(false),
};

/// MINIT: puts the pass-through in.
pub(super) fn arm() {
    crate::zend::make_user_calls_visible();
    // SAFETY: MINIT runs before any thread; nobody reads the hooks meanwhile.
    unsafe {
        PREVIOUS
            .internal_at_start
            .set(bindings::zend_execute_internal);
        bindings::zend_execute_internal = Some(idle_internal);
    }
}

/// MSHUTDOWN: gives the pass-through's place back, unless somebody stands on it.
pub(super) fn disarm() {
    uninstall();
    // SAFETY: as in `arm`, at the other end of the process's life.
    unsafe {
        if is_internal(idle_internal) {
            bindings::zend_execute_internal = PREVIOUS.internal_at_start.get();
        }
    }
}

/// Puts the recording hooks in, on top of whatever is there.
pub(super) fn install() {
    // SAFETY: see `PREVIOUS`.
    unsafe {
        if !PREVIOUS.has_user.get() {
            PREVIOUS.execute.set(bindings::zend_execute_ex);
            PREVIOUS.has_user.set(true);
            bindings::zend_execute_ex = installed_user;
        }
        if !PREVIOUS.has_internal.get() {
            // Our own pass-through would only pass on; go where it goes.
            let below = if is_internal(idle_internal) {
                PREVIOUS.internal_at_start.get()
            } else {
                bindings::zend_execute_internal
            };
            PREVIOUS.internal.set(below);
            PREVIOUS.has_internal.set(true);
            bindings::zend_execute_internal = Some(installed_internal);
        }
    }
}

/// Takes the recording hooks out, those that are still on top.
pub(super) fn uninstall() {
    // SAFETY: see `PREVIOUS`.
    unsafe {
        if PREVIOUS.has_user.get() && is_user(installed_user) {
            bindings::zend_execute_ex = PREVIOUS.execute.get();
            PREVIOUS.has_user.set(false);
        }
        if PREVIOUS.has_internal.get() && is_internal(installed_internal) {
            let was_idle = same(PREVIOUS.internal.get(), PREVIOUS.internal_at_start.get());
            bindings::zend_execute_internal = if was_idle {
                Some(idle_internal)
            } else {
                PREVIOUS.internal.get()
            };
            PREVIOUS.has_internal.set(false);
        }
    }
}

/// Lets user functions below this frame run without us, on no C stack.
/// False if another extension's hook recurses anyway.
pub(super) fn suspend_user_hook() -> bool {
    // SAFETY: see `PREVIOUS`; with ZTS other threads lose their hook for as
    // long, which is why the guard is not used there.
    unsafe {
        let is_ours = is_user(installed_user);
        let is_last = fn_addr_eq(PREVIOUS.execute.get(), bindings::execute_ex as ExecuteEx);
        if is_ours && is_last && cfg!(not(php_zts)) {
            bindings::zend_execute_ex = bindings::execute_ex;
            return true;
        }
        false
    }
}

/// Takes [`suspend_user_hook`] back.
pub(super) fn resume_user_hook() {
    // SAFETY: see `PREVIOUS`.
    unsafe {
        if PREVIOUS.has_user.get() && is_user(bindings::execute_ex) {
            bindings::zend_execute_ex = installed_user;
        }
    }
}

unsafe fn is_user(hook: ExecuteEx) -> bool {
    // SAFETY: reads a pointer that is always set.
    fn_addr_eq(unsafe { bindings::zend_execute_ex }, hook)
}

unsafe fn is_internal(hook: ExecuteInternal) -> bool {
    // SAFETY: reads a pointer.
    same(unsafe { bindings::zend_execute_internal }, Some(hook))
}

fn same(one: Option<ExecuteInternal>, other: Option<ExecuteInternal>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => fn_addr_eq(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

unsafe extern "C" fn installed_user(data: *mut zend_execute_data) {
    // SAFETY: the hooks of the state take what the engine hands to a hook.
    unsafe { ((*state()).hooks.user)(data) }
}

unsafe extern "C" fn installed_internal(data: *mut zend_execute_data, result: *mut zval) {
    // SAFETY: as in `installed_user`.
    unsafe { ((*state()).hooks.internal)(data, result) }
}

unsafe extern "C" fn idle_internal(data: *mut zend_execute_data, result: *mut zval) {
    // SAFETY: passes on what the engine handed us.
    unsafe { call_internal(PREVIOUS.internal_at_start.get(), data, result) }
}

pub(super) unsafe extern "C" fn pass_user(data: *mut zend_execute_data) {
    // SAFETY: passes on what the engine handed us.
    unsafe { (PREVIOUS.execute.get())(data) }
}

pub(super) unsafe extern "C" fn pass_internal(data: *mut zend_execute_data, result: *mut zval) {
    // SAFETY: passes on what the engine handed us.
    unsafe { call_internal(PREVIOUS.internal.get(), data, result) }
}

#[inline(always)]
unsafe fn call_internal(
    previous: Option<ExecuteInternal>,
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    // SAFETY: without a previous hook the engine's own way is to call the
    // handler of the frame's function, which is internal here.
    unsafe {
        match previous {
            Some(previous) => previous(data, result),
            None => match (*(*data).func).internal_function.handler {
                Some(handler) => handler(data, result),
                None => bindings::execute_internal(data, result),
            },
        }
    }
}

/// What to record for a call: the number that the function's slot remembers,
/// or else a look at the function.
#[inline(always)]
unsafe fn target(state: *mut State, call: Call<'_>, kind: FunctionKind) -> Target {
    let function = call.function();
    if function.is_unusual() {
        if function.is_trampoline() {
            return match kind {
                // `__call` itself follows, and is the call to record.
                FunctionKind::User => Target::PASS,
                // SAFETY: as below.
                FunctionKind::Internal => unsafe { look_up(state, call, kind, None) },
            };
        }
        if function.is_generator() && call.is_generator_creation() {
            return Target::PASS;
        }
    }
    let slot = call.slot(kind);
    // SAFETY: `state` is this thread's, and no reference to it is held here.
    unsafe {
        if let Some(slot) = &slot
            && let Some(target) = Target::from_slot(**slot, (*state).session)
        {
            return target;
        }
        look_up(state, call, kind, slot)
    }
}

#[cold]
#[inline(never)]
unsafe fn look_up(
    state: *mut State,
    call: Call<'_>,
    kind: FunctionKind,
    slot: Option<&mut u64>,
) -> Target {
    // SAFETY: the hooks hold no reference to the state while they ask; naming
    // a function reads engine data and calls nothing.
    let state = unsafe { &mut *state };
    let Some(symbols) = state.symbols.as_mut() else {
        return Target::PASS;
    };
    let mut add_symbol = || match (&mut state.recorder, &mut state.sampler) {
        (Some(recorder), _) => recorder.add_symbol(),
        (None, Some(sampler)) => sampler.add_symbol(),
        (None, None) => Recorder::TRUNCATED,
    };
    let target = symbols.target(call.function(), kind, &mut add_symbol);
    if let Some(slot) = slot {
        *slot = target.to_slot(state.session);
    }
    target
}

/// The hook for user functions, for one plan.
pub(super) unsafe extern "C" fn user<T: Tracing>(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: the engine hands a hook a frame with its function; `state` is
    // this thread's, and references to it end before anything is called. What
    // lives across the call is plain data.
    unsafe {
        let target = target(state, Call::new(data), FunctionKind::User);
        let Some(symbol) = target.symbol() else {
            return pass_user(data);
        };
        let here = stack::address();
        if here < (*state).guard.limit() {
            return guard::run_user(state, data, symbol, here);
        }
        let Some(recorder) = (*state).recorder.as_mut() else {
            return pass_user(data);
        };
        match recorder.enter::<T>(symbol, here, T::read_at_entry) {
            Entered::Recorded(token) => {
                pass_user(data);
                if let Some(recorder) = (*state).recorder.as_mut() {
                    recorder.leave::<T>(token, T::read_at_exit);
                }
            }
            Entered::TooDeep => guard::run_user_unseen(state, data, here),
        }
    }
}

/// The hook for internal functions, for one plan.
pub(super) unsafe extern "C" fn internal<T: Tracing>(
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    let state = state();
    // SAFETY: as in `user`.
    unsafe {
        let call = Call::new(data);
        let target = target(state, call, FunctionKind::Internal);
        let Some(mut symbol) = target.symbol() else {
            return pass_internal(data, result);
        };
        if target.wants_detail() {
            symbol = detail::symbol(state, call, symbol);
        }
        let here = stack::address();
        let Some(recorder) = (*state).recorder.as_mut() else {
            return pass_internal(data, result);
        };
        match recorder.enter::<T>(symbol, here, T::read_at_entry) {
            Entered::Recorded(token) => {
                pass_internal(data, result);
                if let Some(recorder) = (*state).recorder.as_mut() {
                    recorder.leave::<T>(token, T::read_at_exit);
                }
            }
            Entered::TooDeep => guard::run_internal_unseen(state, data, result, here),
        }
    }
}

/// The hook for user functions in sampling mode.
pub(super) unsafe extern "C" fn sampled_user(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: as in `user`.
    unsafe {
        let target = target(state, Call::new(data), FunctionKind::User);
        let here = stack::address();
        if here < (*state).guard.limit() && target.symbol().is_some() {
            return guard::run_user_unsampled(state, data, here);
        }
        match begin_sampled(state, target, here) {
            Some((session, depth)) => {
                pass_user(data);
                end_sampled(state, session, depth);
            }
            None => pass_user(data),
        }
    }
}

/// The hook for internal functions in sampling mode.
pub(super) unsafe extern "C" fn sampled_internal(data: *mut zend_execute_data, result: *mut zval) {
    let state = state();
    // SAFETY: as in `user`.
    unsafe {
        let target = target(state, Call::new(data), FunctionKind::Internal);
        match begin_sampled(state, target, stack::address()) {
            Some((session, depth)) => {
                pass_internal(data, result);
                end_sampled(state, session, depth);
            }
            None => pass_internal(data, result),
        }
    }
}

unsafe fn begin_sampled(state: *mut State, target: Target, here: usize) -> Option<(u32, usize)> {
    // SAFETY: this thread's state; the reference ends with this function.
    let sampler = unsafe { (*state).sampler.as_mut() }?;
    let depth = sampler.enter(target.symbol()?, here, clock::unix_time_us());
    Some((sampler.session(), depth))
}

unsafe fn end_sampled(state: *mut State, session: u32, depth: usize) {
    // SAFETY: as in `begin_sampled`.
    if let Some(sampler) = unsafe { (*state).sampler.as_mut() }
        && sampler.session() == session
    {
        sampler.leave(depth, clock::unix_time_us());
    }
}
