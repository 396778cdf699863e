//! From a call to what is to be recorded of it.

use recorder::Recorder;

use super::state::State;
use crate::symbols::Target;
use crate::zend::{Call, Function, FunctionKind};

/// The number of the symbol of a call of which nothing else has to be known. If
/// there is more to it, or if its function is new, that is a number which no
/// symbol has, or none; then ask [`target`].
#[inline(always)]
pub(super) unsafe fn plain(state: *mut State, call: Call<'_>, kind: FunctionKind) -> Option<usize> {
    // A stand-in has no slot of its own, or that of the function it stands for.
    if call.function().is_trampoline() {
        return None;
    }
    let slot = call.number(kind)?;
    // SAFETY: `state` is this thread's, and no reference to it is held here.
    Some(Target::distance(slot, unsafe { (*state).first_slot }))
}

/// What to record for a call: the number that the function's slot remembers,
/// or else a look at the function.
#[inline(always)]
pub(super) unsafe fn target(state: *mut State, call: Call<'_>, kind: FunctionKind) -> Target {
    let function = call.function();
    if function.is_unusual() {
        if function.is_trampoline() {
            return match kind {
                // `__call` itself follows, and is the call to record.
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

/// What to record for a call that is open already, in any engine or none.
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
        // SAFETY: the caller's call; the reference is not used meanwhile.
        return unsafe { target(state, call, kind) };
    }
    let is_stand_in = function.is_trampoline() && kind == FunctionKind::User;
    if is_stand_in || function.is_generator() && call.is_generator_creation() {
        return Target::PASS;
    }
    named(state, function)
}

/// What to record for calls of a function: for those that have no frame, or
/// where functions have no slots.
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
    // SAFETY: the hooks hold no reference to the state while they ask; naming
    // a function reads engine data and calls nothing.
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
