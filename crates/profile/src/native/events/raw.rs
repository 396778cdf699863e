//! The extension's event buffer: events in ticks.

use crate::{Event, EventKind, Instant, Metrics, SymbolId};

/// The kind of an event in one word: an entry's symbol, an exit, or a fiber's
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct What(u64);

impl What {
    /// The innermost call returned.
    pub const LEAVE: Self = Self(u64::MAX);

    /// The highest bit marks every event that is not an entry.
    const SWITCH: u64 = 1 << 63;

    /// A function was called.
    #[must_use]
    #[inline]
    pub fn enter(symbol: SymbolId) -> Self {
        Self(u64::from(symbol.0))
    }

    /// Another fiber resumes; 0 is the initial stack.
    #[must_use]
    #[inline]
    pub fn switch(fiber: u32) -> Self {
        Self(Self::SWITCH | u64::from(fiber))
    }

    /// The same as an enum.
    #[must_use]
    #[inline]
    pub fn kind(self) -> EventKind {
        if self.0 & Self::SWITCH == 0 {
            EventKind::Enter(SymbolId(self.low()))
        } else if self == Self::LEAVE {
            EventKind::Leave
        } else {
            EventKind::Switch(self.low())
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a symbol or a fiber")]
    fn low(self) -> u32 {
        self.0 as u32
    }
}

impl From<EventKind> for What {
    fn from(kind: EventKind) -> Self {
        match kind {
            EventKind::Enter(symbol) => Self::enter(symbol),
            EventKind::Leave => Self::LEAVE,
            EventKind::Switch(fiber) => Self::switch(fiber),
        }
    }
}

/// An event as it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawEvent {
    /// The kind.
    pub what: What,
    /// The time and the memory. Fields that are not recorded are ignored.
    pub at: RawInstant,
}

impl From<Event> for RawEvent {
    fn from(event: Event) -> Self {
        Self {
            what: event.kind.into(),
            at: event.at.into(),
        }
    }
}

/// The values of the clocks and the memory, in their own units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RawInstant {
    /// Ticks of the wall clock.
    pub wall: u64,
    /// Ticks of the CPU time clock.
    pub cpu: u64,
    /// Bytes in use.
    pub memory: i64,
    /// The peak memory, in bytes.
    pub peak: i64,
}

impl From<Instant> for RawInstant {
    /// In ticks of a nanosecond.
    fn from(at: Instant) -> Self {
        Self {
            wall: at.wall,
            cpu: at.cpu,
            memory: at.memory,
            peak: at.peak,
        }
    }
}

/// The properties of a file's events.
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
    /// Every tick is written; else steps of up to 16 ns, which are precise
    /// enough for calls and take half the space.
    pub is_exact: bool,
    /// The metrics of the profile.
    pub metrics: Metrics,
}

impl EventsOptions {
    /// All costs of a profile in memory, to the nanosecond.
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

    /// Wall time only, with a clock of that frequency.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_survives_being_one_word() {
        for number in [0, 77, u32::MAX - 1, u32::MAX] {
            for kind in [
                EventKind::Enter(SymbolId(number)),
                EventKind::Switch(number),
                EventKind::Leave,
            ] {
                assert_eq!(What::from(kind).kind(), kind);
            }
        }
    }
}
