//! Maps a call to the symbol that is recorded for it.

use recorder::Recorder;

use super::state::State;
use crate::symbols::Target;
use crate::zend::{Call, Function, FunctionKind};

/// The fast path: the number of the symbol of an ordinary call. For an unusual
/// call or a new function it returns a number that no symbol has, or none; then
/// the caller must use [`target`].
#[inline(always)]
pub(super) unsafe fn plain(state: *mut State, call: Call<'_>, kind: FunctionKind) -> Option<usize> {
    // A trampoline has no run-time cache, or that of the function it replaces.
    if call.function().is_trampoline() {
        return None;
    }
    let slot = call.number(kind)?;
    // SAFETY: `state` is this thread's, and no reference to it is held here.
    Some(Target::distance(slot, unsafe { (*state).first_slot }))
}

/// What to record for a call, from the function's run-time slot. If the slot is
/// empty, the function is named and the slot filled.
#[inline(always)]
pub(super) unsafe fn target(state: *mut State, call: Call<'_>, kind: FunctionKind) -> Target {
    let function = call.function();
    if function.is_unusual() {
        if function.is_trampoline() {
            return match kind {
                // The trampoline calls `__call`, and that call is recorded.
                FunctionKind::User => Target::PASS,
                // SAFETY: as below.
                FunctionKind::Internal => unsafe { look_up(state, call, None) },
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
        look_up(state, call, slot)
    }
}

/// What to record for a call that is open already, with or without an engine.
///
/// # Safety
///
/// The call's frame must be open, with its variables set up.
pub(super) unsafe fn running(state: &mut State, call: Call<'_>) -> Target {
    let function = call.function();
    let kind = function.kind();
    if kind == FunctionKind::Internal && function.name().is_none() {
        // The first frame of a fiber.
        return Target::PASS;
    }
    if super::armed().is_some() {
        // SAFETY: the caller's call; the reference is not used during the call.
        return unsafe { target(state, call, kind) };
    }
    let is_stand_in = function.is_trampoline() && kind == FunctionKind::User;
    if is_stand_in || function.is_generator() && call.is_generator_creation() {
        return Target::PASS;
    }
    named(state, function)
}

/// What to record for calls of a function, without its run-time slot: for calls
/// that have no frame, or where no slots are reserved.
pub(super) fn named(state: &mut State, function: Function<'_>) -> Target {
    let Some(symbols) = state.symbols.as_mut() else {
        return Target::PASS;
    };
    let mut add_symbol = || match (state.recorder.running(), &mut state.sampler) {
        (Some(recorder), _) => recorder.add_symbol(),
        (None, Some(sampler)) => sampler.add_symbol(),
        (None, None) => Recorder::TRUNCATED,
    };
    symbols.target(function, function.kind(), &mut add_symbol)
}

#[cold]
#[inline(never)]
unsafe fn look_up(state: *mut State, call: Call<'_>, slot: Option<&mut u64>) -> Target {
    // SAFETY: the hooks hold no reference to the state here. Naming a function
    // reads engine data and does not call into the engine.
    let state = unsafe { &mut *state };
    if state.symbols.is_none() {
        return Target::PASS;
    }
    let mut target = named(state, call.function());
    if call.function().is_unusual() {
        target = target.unusual();
    }
    if let Some(slot) = slot.or_else(|| call.new_slot()) {
        *slot = target.to_slot(state.session);
    }
    target
}
