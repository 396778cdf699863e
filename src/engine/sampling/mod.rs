//! The sampling mode: a timer requests a sample, and PHP's thread takes it at the
//! next safe point.
//!
//! The timer's thread ([`clock::Timer`]) takes a [`snapshot`] of the innermost
//! frames, puts it into a [`mailbox`] and sets the engine's interrupt flag. PHP
//! checks the flag at calls, in loops and, since 8.4, after internal functions,
//! and calls [`interrupted`]. Before 8.4 our hook for internal functions checks.
//! At this safe point PHP's frames are consistent, and the [`stack`] is read.
//!
//! No hook is required, so sampling works with `xhprof.engine=off`. Where an
//! engine is armed, its hook for internal functions shortens the way to the safe
//! point, and the compiler's hooks separate `load::…` from its caller.
//!
//! **Invariants:** the interrupt reads frames and writes our own memory, and does
//! not call into the engine. The previous interrupt hook is called once.

mod mailbox;
mod snapshot;
mod stack;

use std::cell::Cell;
use std::io;
use std::ops::Range;
use std::ptr::fn_addr_eq;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ext_php_rs::ffi::{zend_atomic_bool, zend_atomic_bool_store, zend_execute_data, zval};
use policy::settings::SampledClock;
use profile::SymbolId;
use recorder::SlotGrid;

use self::mailbox::{Mailbox, TimedSnapshot};
use self::snapshot::FrameReader;
use self::stack::Stack;
use super::execute::pass_user;
use super::internal::pass;
use super::state::{State, samples_wait, state, with_state};
use super::{guard, suspended};
use crate::clock::{self, Fired, Timer};
use crate::zend::bindings::zend_interrupt_function;
use crate::zend::stack::address as stack_address;
use crate::zend::{self, KnownFunctions};

/// How to sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) clock: SampledClock,
    pub(crate) interval_ns: u64,
    /// The time slots of XHProf's array, if the samples are returned as one: then
    /// samples are taken when a slot begins.
    pub(crate) slots: Option<SlotGrid>,
}

/// A sampling session of one thread.
pub(crate) struct Sampling {
    rate: Rate,
    timer: Option<Timer>,
    /// Set in a forked child, which has no timer thread. It starts its own timer at
    /// its first safe point; a child that calls `exec` reaches none.
    is_forked: bool,
    mailbox: Arc<Mailbox>,
    /// See [`State::first_frames`].
    first_frames: Range<usize>,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    started: u64,
    known: KnownFunctions,
    stack: Stack,
    taken: Vec<TimedSnapshot>,
    /// How long taking the samples took the last time, in nanoseconds.
    taking: u64,
}

impl Sampling {
    /// Resumes an automatic session, which began before any function.
    pub(crate) fn resumed(mut self) -> Self {
        self.stack.forget_base();
        self
    }

    /// Whether the session is paused: it has no timer.
    pub(crate) fn is_paused(&self) -> bool {
        self.timer.is_none()
    }

    /// When the session began, on [`clock::monotonic_ns`].
    pub(crate) fn started(&self) -> u64 {
        self.started
    }

    /// In a forked child, drops the parent's timer and mailbox; returns whether
    /// there was a timer.
    fn leave_parent(&mut self) -> bool {
        if !std::mem::take(&mut self.is_forked) {
            return false;
        }
        // The parent's timer thread may hold the lock, and never releases it here.
        let left_behind = std::mem::replace(&mut self.mailbox, Arc::new(Mailbox::new()));
        std::mem::forget(left_behind);
        let Some(timer) = self.timer.take() else {
            return false;
        };
        timer.forget();
        true
    }

    fn start_timer(&self) -> io::Result<Timer> {
        start_timer(self.rate, &self.mailbox, self.first_frames.clone())
    }

    /// In a forked child, starts a timer of its own, unless the session is paused.
    fn restart_if_forked(&mut self) {
        if self.leave_parent() {
            // If that fails, the child keeps the samples taken before the fork.
            self.timer = self.start_timer().ok();
        }
    }

    /// Converts the snapshots in `taken` to samples.
    fn add_taken(&mut self, state: &mut State, inside: Option<SymbolId>) {
        let began = clock::monotonic_ns();
        self.stack.read();
        for timed in self.taken.drain(..) {
            let (known, snapshot) = (&mut self.known, &timed.snapshot);
            let stack = self.stack.find(state, known, snapshot, inside);
            if let Some(sampler) = &mut state.sampler {
                let at = timed.at.saturating_sub(self.started);
                sampler.add(stack, at, timed.weight);
            }
        }
        let taking = clock::monotonic_ns().saturating_sub(began);
        if let Some(timer) = &self.timer {
            // The lesser of two, so that one context switch does not count.
            timer.slow_down_to(SHARE * taking.min(self.taking));
        }
        self.taking = taking;
    }
}

/// Taking samples uses at most this fraction, 1/25, of the PHP thread's time: the
/// deeper the stack, the longer a sample takes.
const SHARE: u64 = 25;

type InterruptFunction = unsafe extern "C" fn(*mut zend_execute_data);

struct Previous(Cell<Option<InterruptFunction>>);

// SAFETY: written at MINIT, before there are threads.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous(Cell::new(None));

/// MINIT: installs the interrupt hook, which costs nothing until an interrupt.
pub(crate) fn arm() {
    // SAFETY: MINIT runs before any thread and handles no interrupt. The C
    // library unregisters the fork handler when it unloads this library.
    unsafe {
        PREVIOUS.0.set(zend_interrupt_function);
        zend_interrupt_function = Some(interrupted);
        libc::pthread_atfork(None, None, Some(forked));
    }
}

/// MSHUTDOWN: takes the hook out, unless another extension hooked on top.
pub(crate) fn disarm() {
    // SAFETY: as in `arm`, at the other end of the process's life.
    unsafe {
        if let Some(hook) = zend_interrupt_function
            && fn_addr_eq(hook, interrupted as InterruptFunction)
        {
            zend_interrupt_function = PREVIOUS.0.get();
        }
    }
}

/// RINIT: notes where this thread's first frames will be.
pub(super) fn request_starts() {
    with_state(|state| state.first_frames = zend::first_frames());
}

/// Starts the timer of this thread. The samples go to the sampler of the state,
/// with the time since `started`, on [`clock::monotonic_ns`].
pub(crate) fn start(rate: Rate, started: u64) -> io::Result<Sampling> {
    let mailbox = Arc::new(Mailbox::new());
    let first_frames = with_state(|state| state.first_frames.clone());
    Ok(Sampling {
        rate,
        timer: Some(start_timer(rate, &mailbox, first_frames.clone())?),
        is_forked: false,
        mailbox,
        first_frames,
        started,
        known: KnownFunctions::new(),
        stack: Stack::new(),
        taken: Vec::new(),
        taking: 0,
    })
}

/// Ends the timer of this thread and takes the last samples; does nothing if
/// there is no session.
pub(crate) fn stop(state: &mut State) {
    pause(state);
    state.sampling = None;
}

/// Ends the timer until [`resume`]; false if there is no timer.
pub(crate) fn pause(state: &mut State) -> bool {
    let Some(sampling) = &mut state.sampling else {
        return false;
    };
    let mut was_running = sampling.leave_parent();
    if let Some(timer) = sampling.timer.take() {
        timer.stop();
        was_running = true;
    }
    catch_up(state);
    was_running
}

/// Resumes a paused session: the time of the pause is in no sample. False if
/// nothing is paused.
///
/// # Errors
///
/// If there can be no timer.
pub(crate) fn resume(state: &mut State) -> io::Result<bool> {
    let Some(sampling) = &mut state.sampling else {
        return Ok(false);
    };
    sampling.restart_if_forked();
    let is_paused = sampling.is_paused();
    if is_paused {
        sampling.timer = Some(sampling.start_timer()?);
    }
    Ok(is_paused)
}

/// Adds a sample for a time in which nothing was sampled: a call of `symbol` by
/// the current function.
pub(crate) fn add_passed(state: &mut State, symbol: SymbolId, weight: u64) {
    let Some(mut sampling) = state.sampling.take() else {
        return;
    };
    sampling.stack.read();
    let snapshot = sampling.stack.snapshot();
    let known = &mut sampling.known;
    let stack = sampling.stack.find(state, known, &snapshot, Some(symbol));
    if let Some(sampler) = &mut state.sampler
        && weight > 0
    {
        let at = clock::monotonic_ns().saturating_sub(sampling.started);
        sampler.add(stack, at, weight);
    }
    state.sampling = Some(sampling);
}

/// Takes pending samples. The caller must be at a safe point.
pub(crate) fn catch_up(state: &mut State) {
    take(state, None);
}

fn start_timer(
    rate: Rate,
    mailbox: &Arc<Mailbox>,
    first_frames: Range<usize>,
) -> io::Result<Timer> {
    let mailbox = Arc::clone(mailbox);
    let reader = FrameReader::of_this_thread(first_frames);
    let interrupt = Interrupt::of_this_thread();
    Timer::start(
        rate.clock,
        rate.interval_ns,
        rate.slots,
        move |fired: Fired| {
            mailbox.put(fired, reader.read(fired.at));
            interrupt.set();
        },
    )
}

/// The engine's interrupt flag of one thread, and our own flag, which shows that
/// our timer set it.
#[derive(Clone, Copy)]
struct Interrupt {
    engine: *mut zend_atomic_bool,
    ours: *const AtomicBool,
}

// SAFETY: the flags are atomic, and any thread may set them. They are part of the
// thread's globals, which outlive the session's timer.
unsafe impl Send for Interrupt {}

impl Interrupt {
    fn of_this_thread() -> Self {
        Self {
            // SAFETY: this thread's globals; the address of a field.
            engine: unsafe {
                &raw mut (*ext_php_rs::ffi::ext_php_rs_executor_globals()).vm_interrupt
            },
            ours: samples_wait(),
        }
    }

    fn set(self) {
        // SAFETY: see `Send`.
        unsafe {
            (*self.ours).store(true, Ordering::Relaxed);
            zend_atomic_bool_store(self.engine, true);
        }
    }
}

/// Runs in the child at the fork. The state of the parent's timer thread is not
/// known, so the data that it shares is not touched.
extern "C" fn forked() {
    // SAFETY: PHP forks inside a function call, when no hook holds a reference.
    if let Some(sampling) = unsafe { (*state()).sampling.as_mut() } {
        sampling.is_forked = true;
        Interrupt::of_this_thread().set();
    }
}

fn restart_if_forked() {
    // SAFETY: as in `safe_point`.
    if let Some(sampling) = unsafe { (*state()).sampling.as_mut() } {
        sampling.restart_if_forked();
    }
}

/// The engine's interrupt, between two instructions.
unsafe extern "C" fn interrupted(data: *mut zend_execute_data) {
    restart_if_forked();
    safe_point(None);
    if let Some(previous) = PREVIOUS.0.get() {
        // SAFETY: passes on what the engine handed us.
        unsafe { previous(data) };
    }
}

/// The hook for internal functions.
pub(super) unsafe extern "C" fn internal(data: *mut zend_execute_data, result: *mut zval) {
    // SAFETY: passes on what the engine handed us; the function's frame is still
    // open afterwards.
    unsafe { pass(data, result) };
    safe_point(None);
}

/// The hook for user functions. It is called only while a tracing profile is
/// suspended, whose hook is still installed and must not overflow the C stack.
pub(super) unsafe extern "C" fn user(data: *mut zend_execute_data) {
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
pub(super) unsafe fn end(data: *mut zend_execute_data) {
    // SAFETY: as in `user`.
    unsafe { suspended::ended(state(), data) };
}

/// Takes pending samples. `inside` is the compilation that the current frame has
/// performed since the last safe point, if any.
#[inline(always)]
pub(super) fn safe_point(inside: Option<SymbolId>) {
    // SAFETY: this thread's.
    let waits = unsafe { &*samples_wait() };
    if waits.load(Ordering::Relaxed) {
        // Before the mailbox is read: a later snapshot sets the flag again.
        waits.store(false, Ordering::Relaxed);
        // SAFETY: safe points are where PHP calls us, when no hook holds a
        // reference, and what follows calls nothing back.
        take(unsafe { &mut *state() }, inside);
    }
}

#[cold]
#[inline(never)]
fn take(state: &mut State, inside: Option<SymbolId>) {
    let Some(mut sampling) = state.sampling.take() else {
        return;
    };
    sampling.mailbox.take(&mut sampling.taken);
    if !sampling.taken.is_empty() {
        sampling.add_taken(state, inside);
    }
    state.sampling = Some(sampling);
}
