//! What the extension hands over: events as they were measured, in ticks.

use crate::{Event, EventKind, Metrics, SymbolId};

/// An event as it was measured.
pub trait RawEvent {
    /// What happened.
    fn kind(&self) -> EventKind;

    /// When, in ticks of the wall clock.
    fn wall(&self) -> u64;

    /// When, in ticks of the CPU time clock, if that is recorded.
    #[inline]
    fn cpu(&self) -> u64 {
        0
    }

    /// The memory in use, in bytes, if that is recorded.
    #[inline]
    fn memory(&self) -> i64 {
        0
    }

    /// The memory's peak, in bytes, if that is recorded.
    #[inline]
    fn peak(&self) -> i64 {
        0
    }
}

/// What happened, in 32 bits: an entry's symbol, an end, or a fiber's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct What(u32);

impl What {
    /// The function called last returned.
    pub const LEAVE: Self = Self(u32::MAX);

    const SWITCH: u32 = 1 << 31;

    /// A function was called. Symbols are numbered below 2³¹.
    #[must_use]
    #[inline]
    pub fn enter(symbol: SymbolId) -> Self {
        Self(symbol.0 & !Self::SWITCH)
    }

    /// Another fiber's stack goes on; 0 is the stack it all began on. Fibers
    /// are numbered below 2³¹ − 1.
    #[must_use]
    #[inline]
    pub fn switch(fiber: u32) -> Self {
        Self(Self::SWITCH | fiber)
    }

    /// The same, to be looked into.
    #[must_use]
    #[inline]
    pub fn kind(self) -> EventKind {
        if self == Self::LEAVE {
            EventKind::Leave
        } else if self.0 & Self::SWITCH == 0 {
            EventKind::Enter(SymbolId(self.0))
        } else {
            EventKind::Switch(self.0 & !Self::SWITCH)
        }
    }
}

/// An event of which only the wall time is known: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct WallEvent {
    /// What happened.
    pub what: What,
    /// When, in ticks.
    pub wall: u64,
}

impl RawEvent for WallEvent {
    #[inline]
    fn kind(&self) -> EventKind {
        self.what.kind()
    }

    #[inline]
    fn wall(&self) -> u64 {
        self.wall
    }
}

/// An event of which everything is known: 40 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct FullEvent {
    /// What happened.
    pub what: What,
    /// When.
    pub at: RawInstant,
}

impl RawEvent for FullEvent {
    #[inline]
    fn kind(&self) -> EventKind {
        self.what.kind()
    }

    #[inline]
    fn wall(&self) -> u64 {
        self.at.wall
    }

    #[inline]
    fn cpu(&self) -> u64 {
        self.at.cpu
    }

    #[inline]
    fn memory(&self) -> i64 {
        self.at.memory
    }

    #[inline]
    fn peak(&self) -> i64 {
        self.at.peak
    }
}

impl RawEvent for Event {
    #[inline]
    fn kind(&self) -> EventKind {
        self.kind
    }

    #[inline]
    fn wall(&self) -> u64 {
        self.at.wall
    }

    #[inline]
    fn cpu(&self) -> u64 {
        self.at.cpu
    }

    #[inline]
    fn memory(&self) -> i64 {
        self.at.memory
    }

    #[inline]
    fn peak(&self) -> i64 {
        self.at.peak
    }
}

/// What the clocks and the memory stood at, in their own units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct RawInstant {
    /// Ticks of the wall clock.
    pub wall: u64,
    /// Ticks of the CPU time clock.
    pub cpu: u64,
    /// Bytes in use.
    pub memory: i64,
    /// The peak of it, in bytes.
    pub peak: i64,
}

/// What is in the events of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventsOptions {
    /// Ticks of the wall clock in a second.
    pub wall_hertz: u64,
    /// Ticks of the CPU time clock in a second.
    pub cpu_hertz: u64,
    /// CPU time is written.
    pub has_cpu: bool,
    /// Memory and its peak are written.
    pub has_memory: bool,
    /// Every tick is written; else steps of up to 16 ns, which is enough for
    /// calls and takes half the space.
    pub is_exact: bool,
    /// What the profile says was measured.
    pub metrics: Metrics,
}

impl EventsOptions {
    /// Everything that a profile in memory holds, to the nanosecond.
    pub const NANOSECONDS: Self = Self {
        wall_hertz: 1_000_000_000,
        cpu_hertz: 1_000_000_000,
        has_cpu: true,
        has_memory: true,
        is_exact: true,
        metrics: Metrics {
            calls: true,
            wall_unit: crate::WallUnit::Nanoseconds,
            cpu: true,
            memory: true,
        },
    };

    /// Wall time only, by a clock of that frequency.
    #[must_use]
    pub fn wall(hertz: u64) -> Self {
        Self {
            wall_hertz: hertz,
            has_cpu: false,
            has_memory: false,
            is_exact: false,
            metrics: Metrics::default(),
            ..Self::NANOSECONDS
        }
    }
}

/// The steps that a clock is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// Ticks are divided by two to this power.
    pub(super) shift: u32,
    /// How long a step is, in nanoseconds times 2³².
    pub(super) length: u64,
}

/// The longest step, in nanoseconds: shorter than nearly every call.
const LONGEST: u128 = 16;

impl Unit {
    pub(super) fn new(hertz: u64, is_exact: bool) -> Self {
        let length = |shift: u32| {
            let hertz = u128::from(hertz.max(1));
            ((1_000_000_000_u128 << (32 + shift)) + hertz / 2) / hertz
        };
        let mut shift = 0;
        while !is_exact && shift < 16 && length(shift + 1) <= LONGEST << 32 {
            shift += 1;
        }
        Self {
            shift,
            length: u64::try_from(length(shift)).unwrap_or(u64::MAX),
        }
    }

    /// The nanoseconds that so many steps last, rounded down.
    #[inline]
    pub(super) fn nanoseconds(length: u64, steps: u64) -> u64 {
        let product = u128::from(length) * u128::from(steps);
        u64::try_from(product >> 32).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_as_long_as_the_resolution_allows() {
        let shift = |hertz| Unit::new(hertz, false).shift;
        assert_eq!(shift(1_000_000_000), 4);
        assert_eq!(shift(2_000_000_000), 5);
        assert_eq!(shift(2_100_000_000), 5);
        assert_eq!(shift(3_999_999_999), 5);
        assert_eq!(shift(4_000_000_000), 6);
        assert_eq!(shift(24_000_000), 0);
        assert_eq!(shift(1), 0);
        assert_eq!(shift(0), 0);
        assert_eq!(Unit::new(1_000_000_000, true).length, 1 << 32);
        assert_eq!(Unit::nanoseconds(1 << 32, u64::MAX), u64::MAX);
    }

    #[test]
    fn a_day_is_right_to_a_few_microseconds() {
        let hertz = 2_100_123_457;
        let unit = Unit::new(hertz, false);
        let steps = (hertz * 86_400) >> unit.shift;
        let day = Unit::nanoseconds(unit.length, steps);
        assert!(day.abs_diff(86_400_000_000_000) < 5_000, "{day}");
    }

    #[test]
    fn what_happened_survives_32_bits() {
        for kind in [
            EventKind::Enter(SymbolId(0)),
            EventKind::Enter(SymbolId((1 << 31) - 1)),
        ] {
            let EventKind::Enter(symbol) = kind else {
                continue;
            };
            assert_eq!(What::enter(symbol).kind(), kind);
        }
        assert_eq!(What::LEAVE.kind(), EventKind::Leave);
        assert_eq!(What::switch(0).kind(), EventKind::Switch(0));
        assert_eq!(What::switch(77).kind(), EventKind::Switch(77));
    }
}
