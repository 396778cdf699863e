//! What a function's run-time slot says: the symbol of its calls, tagged with the number of
//! the session that wrote it.
//!
//! So nothing is cleaned up when a profile ends: the next session has another number.

use recorder::SymbolId;

/// What to record for calls of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target(u32);

/// Set in a target of a function with a detail.
const DETAIL: u32 = 1 << 31;
/// Set in a target of a function each of whose calls must be inspected.
const UNUSUAL: u32 = 1 << 30;

impl Target {
    /// The function is not recorded; its callees become its caller's.
    pub(crate) const PASS: Self = Self(u32::MAX);

    /// The target of a function with that symbol.
    pub(super) fn of(symbol: SymbolId) -> Self {
        debug_assert!(Self::can_be(symbol));
        Self(symbol.0)
    }

    /// Whether a target can have that symbol: 2^30 of them can.
    pub(super) fn can_be(symbol: SymbolId) -> bool {
        symbol.0 & (DETAIL | UNUSUAL) == 0
    }

    /// The same target with [`DETAIL`] set.
    pub(super) fn with_detail(self) -> Self {
        Self(self.0 | DETAIL)
    }

    /// Reads a slot; none if this session has not filled it.
    #[inline(always)]
    pub(crate) fn from_slot(slot: u64, session: u32) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, reason = "a slot is two u32")]
        let (tag, target) = ((slot >> 32) as u32, slot as u32);
        (tag == session).then_some(Self(target))
    }

    /// The value for the slot. Never zero: sessions count from 1.
    pub(crate) fn to_slot(self, session: u32) -> u64 {
        u64::from(session) << 32 | u64::from(self.0)
    }

    /// The symbol to record, if any.
    #[inline(always)]
    pub(crate) fn symbol(self) -> Option<SymbolId> {
        (self != Self::PASS).then_some(SymbolId(self.0 & !(DETAIL | UNUSUAL)))
    }

    /// The value of a slot for symbol 0 in that session.
    pub(crate) fn first_slot(session: u32) -> u64 {
        Self(0).to_slot(session)
    }

    /// The difference of a slot and [`first_slot`](Self::first_slot): the number
    /// of the symbol to record. It is a number that no symbol has if the slot is
    /// of another session, or if one of the target's bits is set.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "64 bits, see `Call::slot`")]
    pub(crate) fn distance(slot: u64, first_slot: u64) -> usize {
        slot.wrapping_sub(first_slot) as usize
    }

    /// The same target with [`UNUSUAL`] set.
    pub(crate) fn unusual(self) -> Self {
        Self(self.0 | UNUSUAL)
    }

    /// Whether each call must be inspected, or nothing is recorded.
    #[cfg(property_hooks)]
    #[inline(always)]
    pub(crate) fn is_unusual(self) -> bool {
        self.0 & UNUSUAL != 0
    }

    /// Whether the function has a detail.
    #[inline(always)]
    pub(crate) fn wants_detail(self) -> bool {
        self.0 & DETAIL != 0
    }
}
