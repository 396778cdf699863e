//! The sampling mode: a timer requests a sample, and PHP's thread takes it at the
//! next safe point.
//!
//! The timer's thread ([`clock::Timer`]) takes a [`snapshot`] of the innermost
//! frames, puts it into a [`mailbox`] and sets the engine's interrupt flag. PHP
//! checks the flag at calls, in loops and, since 8.4, after internal functions, and
//! calls the hooks in [`sampled`](super::sampled). At such a safe point PHP's frames
//! are consistent, and the [`stack`] is read.
//!
//! **Invariant:** nothing here calls into the engine.

mod mailbox;
mod snapshot;
mod stack;

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::settings::SampledClock;
use ext_php_rs::ffi::{zend_atomic_bool, zend_atomic_bool_store};
use profile::SymbolId;
use recorder::SlotGrid;

use self::mailbox::{Mailbox, TimedSnapshot};
use self::snapshot::FrameReader;
use self::stack::Stack;
pub(super) use self::stack::Targets;
use crate::clock::{self, Fired, Timer};
use crate::zend::KnownFunctions;

/// How to sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) clock: SampledClock,
    pub(crate) interval_ns: u64,
    /// The time slots of XHProf's array, if the samples are returned as one: then
    /// samples are taken when a slot begins.
    pub(crate) slots: Option<SlotGrid>,
}

/// The timer of a sampling recording, and what it has seen.
pub(crate) struct Session {
    rate: Rate,
    timer: Option<Timer>,
    /// Set in a forked child, which has no timer thread. It starts its own timer at
    /// its first safe point; a child that calls `exec` reaches none.
    is_forked: bool,
    mailbox: Arc<Mailbox>,
    /// See [`zend::first_frames`](crate::zend::first_frames).
    first_frames: Range<usize>,
    interrupt: Interrupt,
    /// `CLOCK_MONOTONIC`, in nanoseconds.
    started: u64,
    known: KnownFunctions,
    stack: Stack,
    taken: Vec<TimedSnapshot>,
    /// How long taking the samples took the last time, in nanoseconds.
    taking: u64,
}

impl Session {
    /// Resumes an automatic session, which began before any function.
    pub(crate) fn resumed(mut self) -> Self {
        self.stack.forget_base();
        self
    }

    /// A session whose timer starts now. Its samples have the time since `started`,
    /// on [`clock::monotonic_ns`].
    ///
    /// # Errors
    ///
    /// If there can be no timer.
    pub(super) fn start(
        rate: Rate,
        started: u64,
        first_frames: Range<usize>,
        interrupt: Interrupt,
    ) -> io::Result<Self> {
        let mut session = Self {
            rate,
            timer: None,
            is_forked: false,
            mailbox: Arc::new(Mailbox::new()),
            first_frames,
            interrupt,
            started,
            known: KnownFunctions::new(),
            stack: Stack::new(),
            taken: Vec::new(),
            taking: 0,
        };
        session.timer = Some(session.start_timer()?);
        Ok(session)
    }

    /// Whether the session is paused: it has no timer.
    pub(crate) fn is_paused(&self) -> bool {
        self.timer.is_none()
    }

    /// Ends the timer; false if there is none.
    pub(super) fn pause(&mut self) -> bool {
        let mut was_running = self.leave_parent();
        if let Some(timer) = self.timer.take() {
            timer.stop();
            was_running = true;
        }
        was_running
    }

    /// Starts the timer again after [`pause`](Self::pause): the time of the pause is
    /// in no sample. False if the session is not paused.
    ///
    /// # Errors
    ///
    /// If there can be no timer.
    pub(super) fn resume(&mut self) -> io::Result<bool> {
        self.restart_if_forked();
        let is_paused = self.is_paused();
        if is_paused {
            self.timer = Some(self.start_timer()?);
        }
        Ok(is_paused)
    }

    /// Runs in the child of a fork. The state of the parent's timer thread is not
    /// known, so the data that it shares is not touched.
    pub(super) fn note_fork(&mut self) {
        self.is_forked = true;
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
        let mailbox = Arc::clone(&self.mailbox);
        let reader = FrameReader::of_this_thread(self.first_frames.clone());
        let interrupt = self.interrupt;
        let Rate {
            clock,
            interval_ns,
            slots,
        } = self.rate;
        Timer::start(clock, interval_ns, slots, move |fired: Fired| {
            mailbox.put(fired, reader.read(fired.at));
            interrupt.set();
        })
    }

    /// In a forked child, starts a timer of its own, unless the session is paused.
    pub(super) fn restart_if_forked(&mut self) {
        if self.leave_parent() {
            // If that fails, the child keeps the samples taken before the fork.
            self.timer = self.start_timer().ok();
        }
    }

    /// Takes the snapshots that wait. False if there are none.
    pub(super) fn take(&mut self) -> bool {
        self.mailbox.take(&mut self.taken);
        !self.taken.is_empty()
    }

    /// Converts the snapshots that were taken to samples. The caller must be at a
    /// safe point. `inside` is the compilation that the current frame has performed
    /// since the last one, if any.
    pub(super) fn add_taken(&mut self, names: &mut impl Targets, inside: Option<SymbolId>) {
        let began = clock::monotonic_ns();
        self.stack.read();
        for timed in self.taken.drain(..) {
            let (known, snapshot) = (&mut self.known, &timed.snapshot);
            // SAFETY: the stack was read above; nothing here runs PHP.
            let (main, calls) = unsafe { self.stack.find(names, known, snapshot, inside) };
            let at = timed.at.saturating_sub(self.started);
            names.add_sample(main, calls, at, timed.weight);
        }
        let taking = clock::monotonic_ns().saturating_sub(began);
        if let Some(timer) = &self.timer {
            // The lesser of two, so that one context switch does not count.
            timer.slow_down_to(SHARE * taking.min(self.taking));
        }
        self.taking = taking;
    }

    /// Adds a sample for a time in which nothing was sampled: a call of `symbol` by
    /// the current function.
    pub(super) fn add_passed(&mut self, names: &mut impl Targets, symbol: SymbolId, weight: u64) {
        self.stack.read();
        let snapshot = self.stack.snapshot();
        let known = &mut self.known;
        // SAFETY: as in `add_taken`.
        let (main, calls) = unsafe { self.stack.find(names, known, &snapshot, Some(symbol)) };
        if weight > 0 {
            let at = clock::monotonic_ns().saturating_sub(self.started);
            names.add_sample(main, calls, at, weight);
        }
    }
}

/// Taking samples uses at most this fraction, 1/25, of the PHP thread's time: the
/// deeper the stack, the longer a sample takes.
const SHARE: u64 = 25;

/// The engine's interrupt flag of one thread, and our own flag, which shows that
/// our timer set it.
#[derive(Clone, Copy)]
pub(super) struct Interrupt {
    engine: *mut zend_atomic_bool,
    ours: &'static AtomicBool,
}

// SAFETY: the flags are atomic, and any thread may set them. They are part of the
// thread's globals, which outlive the session's timer.
unsafe impl Send for Interrupt {}

impl Interrupt {
    /// That of this thread. `ours` lives as long as the thread.
    pub(super) fn of_this_thread(ours: &'static AtomicBool) -> Self {
        Self {
            // SAFETY: this thread's globals; the address of a field.
            engine: unsafe {
                &raw mut (*ext_php_rs::ffi::ext_php_rs_executor_globals()).vm_interrupt
            },
            ours,
        }
    }

    /// Sets both flags.
    pub(super) fn set(self) {
        self.ours.store(true, Ordering::Relaxed);
        // SAFETY: see `Send`.
        unsafe { zend_atomic_bool_store(self.engine, true) };
    }
}
