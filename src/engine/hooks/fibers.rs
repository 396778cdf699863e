//! Fibers: each has a stack of its own, and the engine reports each switch.
//!
//! `zend_fiber_switch_context` reports it (`zend_observer_fiber_switch_notify`), without
//! any function observer: that costs nothing in a program without fibers.

use super::guard;
use crate::engine::state::with_state;
use crate::zend::bindings::{
    FiberContext, zend_observer_fiber_destroy_register, zend_observer_fiber_init_register,
    zend_observer_fiber_switch_register,
};

/// MINIT: registers the fiber observers.
pub(in crate::engine) fn arm() {
    // SAFETY: MINIT is when the engine takes these registrations.
    unsafe {
        zend_observer_fiber_init_register(created);
        zend_observer_fiber_switch_register(switched);
        zend_observer_fiber_destroy_register(destroyed);
    }
}

unsafe extern "C" fn created(fiber: *mut FiberContext) {
    with_state(|state| {
        if let Some(recorder) = state.active.recorder.running() {
            recorder.fiber_created(fiber as usize);
        }
        if let Some(suspended) = &mut state.suspended {
            suspended.recorder.fiber_created(fiber as usize);
        }
    });
}

unsafe extern "C" fn switched(from: *mut FiberContext, to: *mut FiberContext) {
    let (from, to) = (from as usize, to as usize);
    with_state(|state| {
        if state.active.running.is_none() {
            return;
        }
        let hooks = state.active.cold();
        if let Some(recorder) = state.active.recorder.running() {
            hooks.fiber_switched(recorder, from, to);
        }
        if let Some(suspended) = &mut state.suspended {
            let hooks = suspended.cold();
            hooks.fiber_switched(&mut suspended.recorder, from, to);
        }
        guard::switch(state, from, to);
    });
}

unsafe extern "C" fn destroyed(fiber: *mut FiberContext) {
    let fiber = fiber as usize;
    with_state(|state| {
        let hooks = state.active.cold();
        if let Some(recorder) = state.active.recorder.running() {
            hooks.fiber_destroyed(recorder, fiber);
        }
        if let Some(suspended) = &mut state.suspended {
            let hooks = suspended.cold();
            hooks.fiber_destroyed(&mut suspended.recorder, fiber);
        }
        state.guard.forget(fiber);
    });
}
