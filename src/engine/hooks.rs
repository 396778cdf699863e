//! The functions that a thread's hooks call, specialised for its profile's plan.

use ext_php_rs::ffi::zend_execute_data;
use recorder::{Entered, FiberId, Reading, Recorder, SymbolId, Token};

use super::execute::pass_user;
use super::internal::pass_internal;
use super::observer;
use crate::zend::bindings::{ExecuteEx, ExecuteInternal};

/// Functions for one plan, or for none.
#[derive(Clone, Copy)]
pub(crate) struct Hooks {
    /// User functions, in the execute engine.
    pub(super) user: ExecuteEx,
    /// User functions, in the observer engine: their begin…
    pub(super) begin: unsafe fn(*mut zend_execute_data),
    /// … and their end.
    pub(super) end: unsafe fn(*mut zend_execute_data),
    /// Internal functions.
    pub(super) internal: ExecuteInternal,
    /// Reads the clocks.
    pub(crate) read: fn() -> Reading,
    /// [`Recorder::enter`] with this plan, for a call with a frame.
    pub(super) enter: fn(&mut Recorder, SymbolId, *mut zend_execute_data) -> Entered,
    /// The same for a compilation, which has no frame of its own.
    pub(super) enter_now: fn(&mut Recorder, SymbolId) -> Entered,
    /// [`Recorder::enter_truncated`] with this plan.
    pub(super) enter_truncated: fn(&mut Recorder, *mut zend_execute_data) -> Entered,
    /// [`Recorder::leave`] with this plan: whether this profile has the call.
    pub(super) leave: fn(&mut Recorder, Token) -> bool,
    /// [`Recorder::end_marked`] with this plan.
    pub(super) end_marked: fn(&mut Recorder, usize) -> bool,
    /// [`Recorder::fiber_switched`] with this plan.
    pub(super) fiber_switched: fn(&mut Recorder, FiberId, FiberId),
    /// [`Recorder::fiber_destroyed`] with this plan.
    pub(super) fiber_destroyed: fn(&mut Recorder, FiberId),
    /// [`Recorder::finish`] with this plan.
    pub(crate) finish: fn(&mut Recorder),
    /// [`Recorder::snapshot`] with this plan.
    pub(crate) snapshot: fn(&Recorder) -> Option<Recorder>,
    /// [`Recorder::pause`] with this plan.
    pub(crate) pause: fn(&mut Recorder),
    /// [`Recorder::resume`] with this plan.
    pub(crate) resume: fn(&mut Recorder),
    /// [`Recorder::pass`] with this plan.
    pub(crate) pass: fn(&mut Recorder, SymbolId, Reading),
    /// [`Recorder::end_marked_while_paused`] with this plan.
    pub(super) end_marked_while_paused: fn(&mut Recorder, usize) -> bool,
    /// [`Recorder::fiber_switched`] without reading a clock.
    pub(super) fiber_switched_while_paused: fn(&mut Recorder, FiberId, FiberId),
    /// [`Recorder::snapshot`] without reading a clock.
    pub(super) snapshot_while_paused: fn(&Recorder) -> Option<Recorder>,
    /// [`Recorder::finish`] without reading a clock.
    pub(crate) finish_while_paused: fn(&mut Recorder),
}

impl Hooks {
    /// Hooks that record nothing.
    pub(crate) const PASS: Self = Self {
        user: pass_user,
        begin: |_| {},
        end: |_| {},
        internal: pass_internal,
        read: Reading::default,
        enter: |_, _, _| Entered::TooDeep,
        enter_now: |_, _| Entered::TooDeep,
        enter_truncated: |_, _| Entered::TooDeep,
        leave: |_, _| false,
        end_marked: |_, _| false,
        fiber_switched: |_, _, _| {},
        fiber_destroyed: |_, _| {},
        finish: |_| {},
        snapshot: |_| None,
        pause: |_| {},
        resume: |_| {},
        pass: |_, _, _| {},
        end_marked_while_paused: |_, _| false,
        fiber_switched_while_paused: |_, _, _| {},
        snapshot_while_paused: |_| None,
        finish_while_paused: |_| {},
    };

    /// The hooks of a paused profile: they handle only ends of calls, and read no
    /// clock, which may have been stopped.
    pub(crate) fn paused(self) -> Self {
        Self {
            end: observer::paused_end,
            leave: self.leave,
            end_marked: self.end_marked_while_paused,
            fiber_switched: self.fiber_switched_while_paused,
            fiber_destroyed: self.fiber_destroyed,
            finish: self.finish_while_paused,
            snapshot: self.snapshot_while_paused,
            resume: self.resume,
            pass: self.pass,
            ..Self::PASS
        }
    }
}
