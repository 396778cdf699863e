//! Readings at a function's entry and exit, in the units of their sources.

use super::ticks::Ticks;

/// One reading of the clocks and of PHP's memory.
///
/// `memory` and `peak` are bytes. Fields that the profile does not record stay
/// zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// The wall clock.
    pub wall: Ticks,
    /// The CPU-time clock.
    pub cpu: Ticks,
    /// Bytes that PHP has in use.
    pub memory: i64,
    /// The highest `memory` so far.
    pub peak: i64,
}

impl Reading {
    /// All fields zero.
    pub(crate) const ZERO: Self = Self {
        wall: Ticks::ZERO,
        cpu: Ticks::ZERO,
        memory: 0,
        peak: 0,
    };

    /// The cost between `earlier` and this reading.
    ///
    /// A clock that stepped back gives zero instead of centuries. Memory is
    /// signed, because PHP also frees memory.
    #[inline]
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            wall: self.wall.since(earlier.wall),
            cpu: self.cpu.since(earlier.cpu),
            memory: self.memory.wrapping_sub(earlier.memory),
            peak: self.peak.wrapping_sub(earlier.peak),
        }
    }

    /// Takes a reading of the fields in the plan; the other fields keep their
    /// values, and are not used.
    #[inline(always)]
    pub(crate) fn read<P: Plan>(&mut self, read: impl Fn() -> Self) {
        let now = read();
        self.wall = now.wall;
        if P::CPU {
            self.cpu = now.cpu;
        }
        if P::MEMORY {
            self.memory = now.memory;
            self.peak = now.peak;
        }
    }

    /// Moves this reading forward by the length of `pause`: a frame starts
    /// later by the time in which it did not run.
    pub(crate) fn delayed_by(self, pause: Self) -> Self {
        Self {
            wall: self.wall.wrapping_add(pause.wall),
            cpu: self.cpu.wrapping_add(pause.cpu),
            memory: self.memory.wrapping_add(pause.memory),
            peak: self.peak.wrapping_add(pause.peak),
        }
    }
}

/// The recorded costs, fixed at compile time, so that each combination has its
/// own hot path.
pub trait Plan {
    /// CPU time is read.
    const CPU: bool;
    /// Memory and its peak are read.
    const MEMORY: bool;
    /// Calls are keyed by their whole path ([`Shape::Tree`](crate::Shape)),
    /// else by caller and callee. Must match the recorder's shape.
    const TREE: bool;
    /// Each call is an event ([`Shape::Events`](crate::Shape)). Requires
    /// `TREE`.
    const EVENTS: bool = false;
    /// Calls are keyed by the caller's line, too ([`CallSite::line`](crate::CallSite)).
    /// Requires `TREE`.
    const LINES: bool = false;
    /// The engine reports a user function's end before its variables are
    /// destroyed, by [`Recorder::leave_early`](crate::Recorder::leave_early).
    const ENDS_EARLY: bool = false;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_steps_back_costs_nothing() {
        let later = Reading {
            wall: Ticks(5),
            ..Reading::default()
        };
        let earlier = Reading {
            wall: Ticks(9),
            ..Reading::default()
        };
        assert_eq!(later.since(earlier).wall, Ticks::ZERO);
    }

    #[test]
    fn memory_that_is_given_back_is_negative() {
        let later = Reading {
            memory: 10,
            ..Reading::default()
        };
        let earlier = Reading {
            memory: 30,
            ..Reading::default()
        };
        assert_eq!(later.since(earlier).memory, -20);
    }
}
