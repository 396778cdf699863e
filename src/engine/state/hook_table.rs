//! The functions that a thread's hooks call, specialised for its profile's plan.
//!
//! Four are called for each call of PHP, and are plain pointers. The others are a
//! table: [`ColdHooks`], with an implementation for each plan, and for none ([`Off`]).

use ext_php_rs::ffi::zend_execute_data;
use recorder::{FiberId, Reading, Recorder, SymbolId, Token};

use super::previous::{pass_begin, pass_internal, pass_user};
use crate::zend::Call;
use crate::zend::bindings::{ExecuteEx, ExecuteInternal};

/// The functions for one plan, or for none.
#[derive(Clone, Copy)]
pub(crate) struct Hooks {
    /// User functions, in the execute engine.
    pub(in crate::engine) user: ExecuteEx,
    /// User functions, in the observer engine: their begin…
    pub(in crate::engine) begin: unsafe fn(*mut zend_execute_data),
    /// … and their end.
    pub(in crate::engine) end: unsafe fn(*mut zend_execute_data),
    /// Internal functions.
    pub(in crate::engine) internal: ExecuteInternal,
    /// What is off the hot path.
    pub(in crate::engine) cold: &'static dyn ColdHooks,
}

impl Hooks {
    /// Hooks that record nothing.
    pub(crate) const PASS: Self = Self {
        user: pass_user,
        begin: pass_begin,
        end: |_| {},
        internal: pass_internal,
        cold: &Off,
    };

    /// Reads the clocks.
    pub(crate) fn read(self) -> Reading {
        self.cold.read()
    }

    /// The hooks of the same plan while it is paused: they handle only ends of calls.
    pub(in crate::engine) fn paused(self) -> Self {
        Self {
            end: self.cold.paused_end(),
            cold: self.cold,
            ..Self::PASS
        }
    }
}

/// What a plan does off the hot path. The defaults are those of [`Off`].
pub(crate) trait ColdHooks: Sync {
    /// Reads the clocks.
    fn read(&self) -> Reading {
        Reading::default()
    }

    /// [`Recorder::enter_slowly`], for a call with a frame.
    fn enter(&self, _: &mut Recorder, _: SymbolId, _: Call<'_>) -> Option<Token> {
        None
    }

    /// The same for a compilation, which has no frame of its own.
    fn enter_now(&self, _: &mut Recorder, _: SymbolId) -> Option<Token> {
        None
    }

    /// [`Recorder::enter_truncated`].
    fn enter_truncated(&self, _: &mut Recorder, _: Call<'_>) -> Option<Token> {
        None
    }

    /// [`Recorder::leave_slowly`]: whether this profile has the call.
    fn leave(&self, _: &mut Recorder, _: Token) -> bool {
        false
    }

    /// [`Recorder::fiber_switched`].
    fn fiber_switched(&self, _: &mut Recorder, _from: FiberId, _to: FiberId) {}

    /// [`Recorder::fiber_destroyed`].
    fn fiber_destroyed(&self, _: &mut Recorder, _: FiberId) {}

    /// [`Recorder::finish`].
    fn finish(&self, _: &mut Recorder) {}

    /// [`Recorder::snapshot`].
    fn snapshot(&self, _: &Recorder) -> Option<Recorder> {
        None
    }

    /// [`Recorder::pause`].
    fn pause(&self, _: &mut Recorder) {}

    /// [`Recorder::resume`].
    fn resume(&self, _: &mut Recorder) {}

    /// [`Recorder::pass`].
    fn pass(&self, _: &mut Recorder, _: SymbolId, _time: Reading) {}

    /// The hook for the end of a user function while the plan is paused.
    fn paused_end(&self) -> unsafe fn(*mut zend_execute_data) {
        Hooks::PASS.end
    }
}

/// The table of no plan: nothing is recorded.
pub(in crate::engine) struct Off;

impl ColdHooks for Off {}
