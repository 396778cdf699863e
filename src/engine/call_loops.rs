//! Loops of short calls, for `compensation`: the time of a call with the
//! hooks, and without them.
//!
//! All PHP code that runs without hooks is in this file, because such code must not
//! outlive the loop, see [`without_hooks`](super::without_hooks).

use std::ffi::CStr;

use super::state::with_state;
use super::without_hooks::without_hooks;
use crate::{clock, zend};

/// What a loop calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A user function, which takes a value, computes and returns one, as most
    /// functions do: the processor does a part of that work while the hooks run. Of
    /// a function that only returns its argument, a call costs 1.4 ns more than of
    /// the mean of 15 small functions; without an argument, 1.8 ns (of 18).
    User,
    /// A user function that does nothing: what a call takes by itself, and its
    /// caller for it.
    Empty,
    /// An internal function.
    Internal,
}

/// How many more calls the long loop makes than the short one.
pub(crate) const CALLS: u64 = 1_500;

/// The callees of the loops of user functions, declared only while they run. They are
/// not closures: all closures have one name, so a call of one from another would be
/// recorded as recursion.
const CALLEES: &CStr = c"namespace xhprof; function nothing($x) { return $x; }
    function step($x) { return ($x * 1103515245 + 12345) & 0x7fffffff; }";
const CALLEES_NAMES: [&str; 2] = ["xhprof\\nothing", "xhprof\\step"];

/// The times of two loops of calls, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoopTimes {
    long: u64,
    short: u64,
}

impl LoopTimes {
    /// The time of one call, in picoseconds. What both loops do once cancels: the
    /// extra cost of a function's first call.
    pub(crate) fn per_call_ps(self) -> u64 {
        self.long.saturating_sub(self.short) * 1_000 / CALLS
    }
}

impl Callee {
    /// A long and a short loop of calls.
    fn loops(self) -> [&'static CStr; 2] {
        match self {
            Self::User => [
                c"(static function () { for ($x = $i = 0; $i < 1800; ++$i) $x = \\xhprof\\step($x); })();",
                c"(static function () { for ($x = $i = 0; $i < 300; ++$i) $x = \\xhprof\\step($x); })();",
            ],
            Self::Empty => [
                c"(static function () { for ($x = $i = 0; $i < 1800; ++$i) $x = \\xhprof\\nothing($x); })();",
                c"(static function () { for ($x = $i = 0; $i < 300; ++$i) $x = \\xhprof\\nothing($x); })();",
            ],
            Self::Internal => [
                c"(static function () { $g = (static function () { yield; })(); $g->valid();
                    for ($i = 0; $i < 1800; ++$i) $g->valid(); })();",
                c"(static function () { $g = (static function () { yield; })(); $g->valid();
                    for ($i = 0; $i < 300; ++$i) $g->valid(); })();",
            ],
        }
    }

    /// Runs the loops with the hooks that are installed now, between `before` and
    /// `after`; none if PHP cannot run code now. A short loop runs before the others,
    /// and then `warm`: what is recorded from there on has no first calls.
    pub(crate) fn with_hooks<W, R>(
        self,
        before: impl FnOnce(),
        warm: impl FnOnce() -> W,
        after: impl FnOnce() -> R,
    ) -> Option<(LoopTimes, W, R)> {
        declared(|| {
            before();
            let [_, short] = self.loops();
            let first = time_of(short);
            let warm = warm();
            let times = self.run();
            let result = after();
            first?;
            Some((times?, warm, result))
        })
    }

    /// Runs the loops without hooks; none if something is recorded, or if PHP
    /// cannot run code now.
    pub(crate) fn without_hooks(self) -> Option<LoopTimes> {
        let is_idle =
            |state: &mut super::State| state.active.running.is_none() && state.suspended.is_none();
        if !with_state(is_idle) {
            return None;
        }
        // SAFETY: nothing is recorded. The code is that of this file: `declared`
        // removes the function, and PHP frees the closures at the end of each loop.
        unsafe { without_hooks(|| declared(|| self.run())) }
    }

    fn run(self) -> Option<LoopTimes> {
        let [long, short] = self.loops();
        Some(LoopTimes {
            long: time_of(long)?,
            short: time_of(short)?,
        })
    }
}

/// Declares the functions that the loops call, runs `act`, and removes them. They are
/// compiled for the hooks that are installed now.
fn declared<R>(act: impl FnOnce() -> Option<R>) -> Option<R> {
    let result = if zend::evaluate(CALLEES) { act() } else { None };
    for name in CALLEES_NAMES {
        zend::forget_function(name);
    }
    result
}

/// The time to compile and run `code`, in nanoseconds; none if that failed.
fn time_of(code: &CStr) -> Option<u64> {
    let start = clock::monotonic_ns();
    zend::evaluate(code).then(|| clock::monotonic_ns().saturating_sub(start))
}
