//! Fibers: each has a stack of its own, and the engine reports each switch.
//!
//! The observer API for fibers works without any function observer, and costs
//! nothing in a program without fibers.

use super::guard;
use super::state::{State, state};
use crate::zend::bindings::{
    FiberContext, zend_observer_fiber_destroy_register, zend_observer_fiber_init_register,
    zend_observer_fiber_switch_register,
};

/// MINIT: registers the fiber observers.
pub(super) fn arm() {
    // SAFETY: MINIT is when the engine takes these registrations.
    unsafe {
        zend_observer_fiber_init_register(created);
        zend_observer_fiber_switch_register(switched);
        zend_observer_fiber_destroy_register(destroyed);
    }
}

/// The state, if a profile is running.
fn running() -> Option<&'static mut State> {
    // SAFETY: the engine calls the callbacks below between two PHP functions,
    // when no hook holds a reference, and they do not call into the engine.
    let state = unsafe { &mut *state() };
    state.symbols.is_some().then_some(state)
}

unsafe extern "C" fn created(fiber: *mut FiberContext) {
    let Some(state) = running() else { return };
    if let Some(recorder) = state.recorder.running() {
        recorder.fiber_created(fiber as usize);
    }
    if let Some(suspended) = &mut state.suspended {
        suspended.recorder.fiber_created(fiber as usize);
    }
}

unsafe extern "C" fn switched(from: *mut FiberContext, to: *mut FiberContext) {
    let (from, to) = (from as usize, to as usize);
    let Some(state) = running() else { return };
    if let Some(recorder) = state.recorder.running() {
        (state.plan.fiber_switched)(recorder, from, to);
    }
    if let Some(suspended) = &mut state.suspended {
        (suspended.plan.fiber_switched_while_paused)(&mut suspended.recorder, from, to);
    }
    guard::switch(state, from, to);
}

unsafe extern "C" fn destroyed(fiber: *mut FiberContext) {
    let fiber = fiber as usize;
    let Some(state) = running() else { return };
    if let Some(recorder) = state.recorder.running() {
        (state.plan.fiber_destroyed)(recorder, fiber);
    }
    if let Some(suspended) = &mut state.suspended {
        (suspended.plan.fiber_destroyed)(&mut suspended.recorder, fiber);
    }
    guard::forget(state, fiber);
}
