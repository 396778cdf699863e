//! The values of the clocks, in the steps of the file.

use super::raw::RawEvent;
use super::{EventsOptions, RawInstant};

/// The clocks and the memory at the last event, relative to the beginning.
#[derive(Debug, Clone)]
pub(super) struct Clocks {
    wall_unit: Unit,
    cpu_unit: Unit,
    /// Both clocks have the same tick rate.
    is_one_clock: bool,
    start: RawInstant,
    /// In steps.
    wall: u64,
    cpu: u64,
    /// The steps by which CPU time lags behind wall time.
    behind: i64,
}

impl Clocks {
    pub(super) fn new(options: &EventsOptions, start: RawInstant) -> Self {
        Self {
            wall_unit: Unit::new(options.wall_hertz, options.is_exact),
            cpu_unit: Unit::new(options.cpu_hertz, options.is_exact),
            is_one_clock: options.wall_hertz == options.cpu_hertz,
            start,
            wall: 0,
            cpu: 0,
            behind: 0,
        }
    }

    /// The wall clock and CPU time in steps.
    pub(super) fn units(&self) -> (Unit, Unit) {
        (self.wall_unit, self.cpu_unit)
    }

    /// The beginning, moved later by the time that is excluded from the
    /// profile.
    pub(super) fn start(&mut self) -> &mut RawInstant {
        &mut self.start
    }

    /// The steps at the end.
    pub(super) fn end(&self, at: RawInstant) -> (u64, u64) {
        let wall = self.wall_steps(at.wall).max(self.wall);
        (wall, self.cpu_steps(at.cpu).max(self.cpu))
    }

    /// Advances to each of the events; returns the steps between them.
    pub(super) fn go_on(&mut self, events: &[RawEvent], steps: &mut [u64]) {
        let mut before = self.wall;
        for (event, step) in events.iter().zip(steps) {
            let now = self.wall_steps(event.at.wall).max(before);
            *step = now - before;
            before = now;
        }
        self.wall = before;
    }

    #[inline]
    fn wall_steps(&self, ticks: u64) -> u64 {
        ticks.saturating_sub(self.start.wall) >> self.wall_unit.shift
    }

    #[inline]
    fn cpu_steps(&self, ticks: u64) -> u64 {
        ticks.saturating_sub(self.start.cpu) >> self.cpu_unit.shift
    }

    /// Whether the program runs all the time during these events, by a quick
    /// check: CPU time lags behind in none of them.
    pub(super) fn is_running(&self, events: &[RawEvent]) -> bool {
        let Some(first) = events.first() else {
            return true;
        };
        let apart = |event: &RawEvent| event.at.wall.wrapping_sub(event.at.cpu);
        self.is_one_clock
            && self.ticks_behind(first) == self.behind
            && events
                .iter()
                .fold(0, |changes, event| changes | apart(event) ^ apart(first))
                == 0
    }

    /// If both clocks are the same: the steps by which CPU time lags behind
    /// wall time.
    ///
    /// The difference of the ticks is taken before rounding: it stays constant
    /// while the program runs.
    #[inline]
    fn ticks_behind(&self, event: &RawEvent) -> i64 {
        let apart = |at: RawInstant| at.wall.wrapping_sub(at.cpu);
        let behind = apart(event.at).wrapping_sub(apart(self.start));
        // Negative if several threads ran.
        behind.cast_signed() >> self.cpu_unit.shift
    }

    /// [`go_on`](Self::go_on) for CPU time, after the call for the wall clock:
    /// the lag in steps at each event.
    pub(super) fn fall_behind(&mut self, events: &[RawEvent], steps: &[u64], behind: &mut [i64]) {
        let mut wall = self.wall.wrapping_sub(steps.iter().sum::<u64>());
        for ((event, step), behind) in events.iter().zip(steps).zip(behind) {
            wall = wall.wrapping_add(*step);
            let expected = expected_cpu(wall, self.wall_unit.length, self.cpu_unit.length);
            let now = if self.is_one_clock {
                expected.saturating_add_signed(self.ticks_behind(event).wrapping_neg())
            } else {
                self.cpu_steps(event.at.cpu)
            };
            self.cpu = now.max(self.cpu);
            self.behind = expected.wrapping_sub(self.cpu).cast_signed();
            *behind = self.behind;
        }
    }
}

/// CPU time in steps if the program had run all the time.
#[inline]
pub(super) fn expected_cpu(wall: u64, wall_length: u64, cpu_length: u64) -> u64 {
    if wall_length == cpu_length {
        return wall;
    }
    let cpu = u128::from(wall) * u128::from(wall_length) / u128::from(cpu_length.max(1));
    u64::try_from(cpu).unwrap_or(u64::MAX)
}

/// The step size of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    /// Ticks are shifted right by this many bits.
    pub(super) shift: u32,
    /// The duration of a step, in nanoseconds times 2³².
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

    /// The duration of this many steps in nanoseconds, rounded down.
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
}
