//! Maps a call to the symbol that is recorded for it.

use crate::engine::state::State;
use crate::naming::Target;
use crate::zend::{self, Call, Function, FunctionKind, Slot};

/// The fast path: the number of the symbol of an ordinary call of a user function.
/// For an unusual call or a new function it returns a number that no symbol has, or
/// none; then the caller must use [`target`].
///
/// # Safety
///
/// The function must be a user function, and `state` this thread's, to which no
/// reference is held.
#[inline(always)]
pub(in crate::engine) unsafe fn plain_user(state: *mut State, call: Call<'_>) -> Option<usize> {
    // A trampoline has no run-time cache, or that of the function it replaces
    // (`zend_get_call_trampoline_func`).
    if call.function().is_trampoline() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe {
        Some(Target::distance(
            call.user_number(),
            (*state).active.first_slot,
        ))
    }
}

/// The same for an internal function.
///
/// # Safety
///
/// As for [`plain_user`], but the function must be an internal one.
#[inline(always)]
pub(in crate::engine) unsafe fn plain_internal(state: *mut State, call: Call<'_>) -> Option<usize> {
    if call.function().is_trampoline() {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let slot = call.slot(FunctionKind::Internal)?.get();
        Some(Target::distance(slot, (*state).active.first_slot))
    }
}

/// What to record for a call, from the function's run-time slot. If the slot is
/// empty, the function is named and the slot filled.
///
/// # Safety
///
/// `kind` must be the function's, and `state` this thread's, to which no reference
/// is held.
#[inline(always)]
pub(in crate::engine) unsafe fn target(
    state: *mut State,
    call: Call<'_>,
    kind: FunctionKind,
) -> Target {
    let function = call.function();
    if function.is_unusual() {
        if function.is_trampoline() {
            return match kind {
                // The trampoline calls `__call` (`ZEND_CALL_TRAMPOLINE`), and that call is
                // recorded.
                FunctionKind::User => Target::PASS,
                // SAFETY: as below.
                FunctionKind::Internal => unsafe { look_up(state, call, None) },
            };
        }
        if function.is_generator() && call.is_generator_creation() {
            return Target::PASS;
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        let slot = call.slot(kind);
        if let Some(slot) = &slot
            && let Some(target) = Target::from_slot(slot.get(), (*state).active.session)
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
pub(in crate::engine) unsafe fn running(state: &mut State, call: Call<'_>) -> Target {
    let function = call.function();
    let kind = function.kind();
    if kind == FunctionKind::Internal && function.name().is_none() {
        // The first frame of a fiber.
        return Target::PASS;
    }
    if crate::engine::armed().is_some() {
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
pub(in crate::engine) fn named(state: &mut State, function: Function<'_>) -> Target {
    let target = state
        .active
        .naming(|symbols, add_symbol| symbols.target(function, add_symbol));
    target.unwrap_or(Target::PASS)
}

#[cold]
#[inline(never)]
unsafe fn look_up(state: *mut State, call: Call<'_>, slot: Option<Slot<'_>>) -> Target {
    // SAFETY: the hooks hold no reference to the state here. Naming a function
    // reads engine data and does not call into the engine.
    let state = unsafe { &mut *state };
    // Without memory the profile gets no more names.
    if state.active.running.is_none() || zend::is_exhausted() {
        return Target::PASS;
    }
    let mut target = named(state, call.function());
    if call.function().is_unusual() {
        target = target.unusual();
    }
    #[cfg(property_hooks)]
    if call.function().kind() == FunctionKind::User {
        target = with_property_hooks(state, call, target);
    }
    if let Some(slot) = slot.or_else(|| call.new_slot()) {
        slot.set(target.to_slot(state.active.session));
    }
    target
}

/// What a function's first call in a profile must do for the property hooks that it
/// reads, or that it is; see [`zend::property_hooks`].
#[cfg(property_hooks)]
fn with_property_hooks(state: &State, call: Call<'_>, target: Target) -> Target {
    if state.may_skip_hooks && !call.function().is_trampoline() {
        // SAFETY: a call of a user function that begins has its run-time cache.
        unsafe { zend::property_hooks::forget_hooks(call) };
    }
    let is_observed = crate::engine::armed() == Some(crate::engine::Engine::Observer);
    if is_observed && call.function().is_property_hook() {
        return target.unusual();
    }
    target
}
