//! The extension's event buffer: events in ticks.

use crate::{CallLine, Event, EventKind, Instant, Metrics, SymbolId};

/// The kind of an event in one word: an entry's symbol and line, an exit, or a fiber's
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

    /// The bits of an entry: the symbol has the lowest 32.
    const LINE_BITS: u32 = 17;
    const FILE_BITS: u32 = 14;

    /// A function was called from a line. A line or a file that is larger than its bits
    /// is not known.
    #[must_use]
    #[inline]
    pub fn enter_from(symbol: SymbolId, CallLine { file, line }: CallLine) -> Self {
        let is_known = line < 1 << Self::LINE_BITS && file < 1 << Self::FILE_BITS;
        let (file, line) = if is_known { (file, line) } else { (0, 0) };
        let from = u64::from(file) << Self::LINE_BITS | u64::from(line);
        Self(from << 32 | u64::from(symbol.0))
    }

    /// The line of a call; unknown for anything else.
    #[must_use]
    #[inline]
    pub fn line(self) -> CallLine {
        if self.0 & Self::SWITCH != 0 {
            return CallLine::UNKNOWN;
        }
        let from = Self(self.0 >> 32).low();
        CallLine {
            file: from >> Self::LINE_BITS,
            line: from & ((1 << Self::LINE_BITS) - 1),
        }
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
    /// Lines of calls are written.
    pub has_lines: bool,
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
        has_lines: false,
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
                assert_eq!(What::from(kind).line(), CallLine::UNKNOWN);
            }
        }
    }

    #[test]
    fn a_line_survives_beside_its_symbol_unless_it_is_too_large() {
        for symbol in [0, 77, u32::MAX].map(SymbolId) {
            for (file, line, is_known) in [
                (0, 1, true),
                (3, 77, true),
                ((1 << 14) - 1, (1 << 17) - 1, true),
                (1 << 14, 1, false),
                (1, 1 << 17, false),
                (u32::MAX, u32::MAX, false),
            ] {
                let at = CallLine { file, line };
                let what = What::enter_from(symbol, at);
                assert_eq!(what.kind(), EventKind::Enter(symbol));
                let expected = if is_known { at } else { CallLine::UNKNOWN };
                assert_eq!(what.line(), expected);
            }
        }
    }
}
