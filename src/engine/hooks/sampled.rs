//! The hooks of the sampling mode, and its use of the state; and the interrupt hook of signals.
//!
//! No hook is required, so sampling works with `xhprof.engine=off`: PHP calls
//! [`interrupted`] (`ZEND_VM_INTERRUPT_CHECK`, `zend_interrupt_function`). Before PHP 8.4
//! it does not after internal functions (GH-14627). Where an engine is armed, its hook for internal functions shortens the way to the safe
//! point, and the compiler's hooks separate `load::…` from its caller.
//!
//! **Invariants:** the interrupt reads frames and writes our own memory, and does
//! not call into the engine. The previous interrupt hook is called once.

use std::io;
use std::ptr::fn_addr_eq;
use std::sync::atomic::Ordering;

use ext_php_rs::ffi::{zend_execute_data, zval};
use profile::{FileId, SymbolId};
use recorder::{SampledCall, SampledPlace};

use super::guard;
use crate::engine::sampling::{Interrupt, Rate, Session, Targets};
use crate::engine::state::{
    State,
    previous::{pass, pass_user},
    samples_wait, state, with_state,
};
use crate::engine::tracing::{ends, lookup, marks};
use crate::naming::Target;
use crate::zend::bindings::zend_interrupt_function;
use crate::zend::stack::address as stack_address;
use crate::zend::{self, Call, Function, HookPointer};

type InterruptFunction = unsafe extern "C" fn(*mut zend_execute_data);

/// The hook that was there before ours.
static PREVIOUS: HookPointer<Option<InterruptFunction>> = HookPointer::new(None);

/// MINIT: installs the interrupt hook, which costs nothing until an interrupt. Later is too
/// late: a JIT calls the hook that was there when it started (`zend_jit_interrupt_handler_stub`).
pub(crate) fn arm() {
    // SAFETY: MINIT runs before any thread and handles no interrupt.
    unsafe {
        PREVIOUS.set(zend_interrupt_function);
        zend_interrupt_function = Some(interrupted);
    }
}

/// MSHUTDOWN: takes the hook out, unless another extension hooked on top.
pub(crate) fn disarm() {
    // SAFETY: as in `arm`, at the other end of the process's life.
    unsafe {
        if let Some(hook) = zend_interrupt_function
            && fn_addr_eq(hook, interrupted as InterruptFunction)
        {
            zend_interrupt_function = PREVIOUS.get();
        }
    }
}

/// RINIT: notes where this thread's first frames will be.
pub(in crate::engine) fn request_starts() {
    with_state(|state| state.first_frames = zend::first_frames());
}

/// Starts a timer for a recording that began at `started`, on
/// [`clock::monotonic_ns`](crate::clock::monotonic_ns).
///
/// # Errors
///
/// If there can be no timer.
pub(crate) fn start(rate: Rate, started: u64) -> io::Result<Session> {
    let first_frames = with_state(|state| state.first_frames.clone());
    let interrupt = Interrupt::of_this_thread(samples_wait());
    Session::start(rate, started, first_frames, interrupt)
}

/// Ends the timer and takes the last samples; none if there is no session. Returns
/// whether it was paused.
pub(crate) fn stop(state: &mut State) -> Option<(Session, bool)> {
    let was_running = pause(state);
    let session = state.active.sampling_mut()?.session.take()?;
    Some((session, !was_running))
}

/// Ends the timer until [`resume`]; false if there is no timer.
pub(crate) fn pause(state: &mut State) -> bool {
    let session = |state: &mut State| Some(state.active.sampling_mut()?.session.as_mut()?.pause());
    let was_running = session(state);
    catch_up(state);
    was_running == Some(true)
}

/// Resumes a paused recording. False if nothing is paused.
///
/// # Errors
///
/// If there can be no timer.
pub(crate) fn resume(state: &mut State) -> io::Result<bool> {
    let sampling = state.active.sampling_mut();
    match sampling.and_then(|sampling| sampling.session.as_mut()) {
        Some(session) => session.resume(),
        None => Ok(false),
    }
}

/// Adds a sample for a time in which nothing was sampled: a call of `symbol` by
/// the current function.
pub(crate) fn add_passed(state: &mut State, symbol: SymbolId, weight: u64) {
    with_session(state, |session, state| {
        session.add_passed(state, symbol, weight);
    });
}

/// Takes pending samples. The caller must be at a safe point.
pub(crate) fn catch_up(state: &mut State) {
    take(state, None);
}

#[cold]
#[inline(never)]
fn take(state: &mut State, inside: Option<SymbolId>) {
    with_session(state, |session, state| {
        if session.take() {
            session.add_taken(state, inside);
        }
    });
}

/// Calls `act` with the session, which is not in the state then.
fn with_session(state: &mut State, act: impl FnOnce(&mut Session, &mut State)) {
    let sampling = state.active.sampling_mut();
    if let Some(mut session) = sampling.and_then(|sampling| sampling.session.take()) {
        act(&mut session, state);
        if let Some(sampling) = state.active.sampling_mut() {
            sampling.session = Some(session);
        }
    }
}

impl Targets for State {
    unsafe fn of_open(&mut self, call: Call<'_>) -> Target {
        // SAFETY: the caller's promise.
        unsafe { lookup::running(self, call) }
    }

    fn of_function(&mut self, function: Function<'_>) -> Target {
        lookup::named(self, function)
    }

    fn add_file(&mut self, name: &[u8]) -> Option<FileId> {
        self.active.sampling_mut()?.sampler.add_file(name)
    }

    fn add_sample(&mut self, main: SampledPlace, stack: &[SampledCall], at: u64, weight: u64) {
        if let Some(sampling) = self.active.sampling_mut() {
            sampling.sampler.add(main, stack, at, weight);
        }
    }
}

/// The engine's interrupt, between two instructions.
unsafe extern "C" fn interrupted(data: *mut zend_execute_data) {
    with_state(|state| {
        if let Some(sampling) = state.active.sampling_mut()
            && let Some(session) = &mut sampling.session
        {
            session.restart_if_forked();
        }
    });
    safe_point(None);
    if let Some(previous) = PREVIOUS.get() {
        // SAFETY: passes on what the engine handed us.
        unsafe { previous(data) };
    }
    zend::signals::end_if_caught();
}

/// The hook for internal functions.
pub(in crate::engine) unsafe extern "C" fn internal(
    data: *mut zend_execute_data,
    result: *mut zval,
) {
    // SAFETY: passes on what the engine handed us; the function's frame is still
    // open afterwards.
    unsafe { pass(data, result) };
    safe_point(None);
}

/// The hook for user functions. It is called only while a tracing profile is
/// suspended, whose hook is still installed and must not overflow the C stack.
pub(in crate::engine) unsafe extern "C" fn user(data: *mut zend_execute_data) {
    let state = state();
    // SAFETY: passes on what the engine handed us, to this thread's guard.
    unsafe {
        if stack_address() < (*state).guard.limit() {
            guard::run_user_unsampled(state, data, stack_address());
        } else {
            pass_user(data);
        }
    }
}

/// The end of a user function, which may be a call of the suspended profile.
pub(in crate::engine) unsafe fn end(data: *mut zend_execute_data) {
    // SAFETY: as in `user`: the engine's frame has its function.
    unsafe { ends::end_suspended(&mut *state(), marks::token(Call::new(data))) };
}

/// Takes pending samples. `inside` is the compilation that the current frame has
/// performed since the last safe point, if any.
#[inline(always)]
pub(in crate::engine) fn safe_point(inside: Option<SymbolId>) {
    let waits = samples_wait();
    if waits.load(Ordering::Relaxed) {
        // Before the mailbox is read: a later snapshot sets the flag again.
        waits.store(false, Ordering::Relaxed);
        with_state(|state| take(state, inside));
    }
}
