//! The garbage collector: a run of it takes milliseconds, and belongs to the call that
//! fills PHP's buffer of possible roots, often the same one in each run of a program.
//!
//! With adaptive timing that call may be untimed, or its caller may have made untimed
//! calls before. So the clocks are read when the collector begins and when it ends:
//! its time is not divided between them.

use std::ffi::c_int;
use std::ptr::fn_addr_eq;

use super::state::{is_lent, with_state};
use crate::zend::HookPointer;
use crate::zend::bindings::{self, CollectCycles};

/// The collector below ours.
static PREVIOUS: HookPointer<Option<CollectCycles>> = HookPointer::new(None);

/// MINIT: installs the hook.
pub(super) fn arm() {
    // SAFETY: MINIT runs before any thread.
    unsafe {
        PREVIOUS.set(bindings::gc_collect_cycles);
        bindings::gc_collect_cycles = Some(collect);
    }
}

/// MSHUTDOWN: takes the hook out, unless another extension hooked on top.
pub(super) fn disarm() {
    // SAFETY: as in `arm`.
    unsafe {
        if let (Some(current), Some(previous)) = (bindings::gc_collect_cycles, PREVIOUS.get())
            && fn_addr_eq(current, collect as CollectCycles)
        {
            bindings::gc_collect_cycles = Some(previous);
            PREVIOUS.set(None);
        }
    }
}

/// Runs the collector, which may run destructors.
unsafe extern "C" fn collect() -> c_int {
    note_instant();
    let Some(previous) = PREVIOUS.get() else {
        return 0;
    };
    // SAFETY: the hook that was there at MINIT; nothing is held across the call.
    let collected = unsafe { previous() };
    note_instant();
    collected
}

fn note_instant() {
    // The collector may run while something of ours is freed.
    if is_lent() {
        return;
    }
    with_state(|state| {
        let hooks = state.active.cold();
        if let Some(recorder) = state.active.recorder.running() {
            hooks.note_instant(recorder);
        }
    });
}
