//! Costs in a native file: only columns with nonzero values.

use super::Error;
use super::varint::{Cursor, put, put_signed};
use crate::Cost;

/// The columns that are written: a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns(pub(super) u8);

impl Columns {
    pub(super) const CALLS: u8 = 1;
    pub(super) const WALL: u8 = 2;
    pub(super) const CPU: u8 = 4;
    pub(super) const MEMORY: u8 = 8;
    pub(super) const PEAK: u8 = 16;
    /// In call events: the other costs are separate columns after the events.
    pub(super) const APART: u8 = 32;

    /// The columns that are not zero everywhere.
    pub(super) fn of(costs: impl Iterator<Item = Cost>) -> Self {
        let mut columns = 0;
        for cost in costs {
            let bit = |is_there: bool, bit: u8| if is_there { bit } else { 0 };
            columns |= bit(cost.calls != 0, Self::CALLS)
                | bit(cost.wall != 0, Self::WALL)
                | bit(cost.cpu != 0, Self::CPU)
                | bit(cost.memory != 0, Self::MEMORY)
                | bit(cost.peak != 0, Self::PEAK);
        }
        Self(columns)
    }

    /// Reads the bits, if all of them are known.
    pub(super) fn take(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let columns = cursor.byte()?;
        if columns > 31 {
            return Err(cursor.broken("costs not known here"));
        }
        Ok(Self(columns))
    }

    /// The same for call events, which may also have [`APART`](Self::APART).
    pub(super) fn take_of_events(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        let columns = cursor.byte()?;
        if columns > 63 {
            return Err(cursor.broken("costs not known here"));
        }
        Ok(Self(columns))
    }

    pub(super) fn has(self, column: u8) -> bool {
        self.0 & column != 0
    }

    /// Appends a cost. Times are written as signed numbers, because a negative
    /// self cost of a node wraps around.
    pub(super) fn put(self, out: &mut Vec<u8>, cost: &Cost) {
        if self.has(Self::CALLS) {
            put(out, cost.calls);
        }
        if self.has(Self::WALL) {
            put_signed(out, cost.wall.cast_signed());
        }
        if self.has(Self::CPU) {
            put_signed(out, cost.cpu.cast_signed());
        }
        if self.has(Self::MEMORY) {
            put_signed(out, cost.memory);
        }
        if self.has(Self::PEAK) {
            put_signed(out, cost.peak);
        }
    }

    /// Reads a cost.
    pub(super) fn cost(self, cursor: &mut Cursor<'_>) -> Result<Cost, Error> {
        let mut cost = Cost::default();
        if self.has(Self::CALLS) {
            cost.calls = cursor.number()?;
        }
        if self.has(Self::WALL) {
            cost.wall = cursor.signed()?.cast_unsigned();
        }
        if self.has(Self::CPU) {
            cost.cpu = cursor.signed()?.cast_unsigned();
        }
        if self.has(Self::MEMORY) {
            cost.memory = cursor.signed()?;
        }
        if self.has(Self::PEAK) {
            cost.peak = cursor.signed()?;
        }
        Ok(cost)
    }
}

/// `whole` minus `part` without the calls, in wrapping arithmetic, so that it
/// can be undone for any numbers.
pub(super) fn without(whole: Cost, part: Cost) -> Cost {
    Cost {
        calls: whole.calls,
        wall: whole.wall.wrapping_sub(part.wall),
        cpu: whole.cpu.wrapping_sub(part.cpu),
        memory: whole.memory.wrapping_sub(part.memory),
        peak: whole.peak.wrapping_sub(part.peak),
    }
}

/// Reverts [`without`].
pub(super) fn with(rest: Cost, part: Cost) -> Cost {
    Cost {
        calls: rest.calls,
        wall: rest.wall.wrapping_add(part.wall),
        cpu: rest.cpu.wrapping_add(part.cpu),
        memory: rest.memory.wrapping_add(part.memory),
        peak: rest.peak.wrapping_add(part.peak),
    }
}
