//! Where the clocks stand, in the steps that they are written in.

use super::raw::RawEvent;
use super::{EventsOptions, RawInstant};

/// Where the clocks and the memory stood at the last event, since the
/// beginning.
#[derive(Debug, Clone)]
pub(super) struct Clocks {
    wall_unit: Unit,
    cpu_unit: Unit,
    /// Both clocks have the same ticks.
    is_one_clock: bool,
    start: RawInstant,
    /// Steps.
    wall: u64,
    cpu: u64,
    /// By how many steps that is behind the wall clock.
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

    /// The steps of the wall clock and of CPU time.
    pub(super) fn units(&self) -> (Unit, Unit) {
        (self.wall_unit, self.cpu_unit)
    }

    /// When it began, which is later than it was by what is not part of it.
    pub(super) fn start(&mut self) -> &mut RawInstant {
        &mut self.start
    }

    /// The steps at the end.
    pub(super) fn end(&self, at: RawInstant) -> (u64, u64) {
        let wall = self.wall_steps(at.wall).max(self.wall);
        (wall, self.cpu_steps(at.cpu).max(self.cpu))
    }

    /// Goes on to each of the events; the steps in time between them.
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

    /// Whether the program runs all the time in these events, as far as can be
    /// seen at once: CPU time falls behind in none of them.
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

    /// With one clock for both, the steps by which CPU time is behind the wall
    /// clock.
    ///
    /// The difference of the ticks is taken before it is rounded: as long as
    /// the program runs, it stays the same.
    #[inline]
    fn ticks_behind(&self, event: &RawEvent) -> i64 {
        let apart = |at: RawInstant| at.wall.wrapping_sub(at.cpu);
        let behind = apart(event.at).wrapping_sub(apart(self.start));
        // Less than nothing, if several threads ran.
        behind.cast_signed() >> self.cpu_unit.shift
    }

    /// [`go_on`](Self::go_on) for CPU time, which has been done for the wall
    /// clock: by how many steps it is behind that at each event.
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

/// The steps that CPU time would be at if the program had run all the time.
#[inline]
pub(super) fn expected_cpu(wall: u64, wall_length: u64, cpu_length: u64) -> u64 {
    if wall_length == cpu_length {
        return wall;
    }
    let cpu = u128::from(wall) * u128::from(wall_length) / u128::from(cpu_length.max(1));
    u64::try_from(cpu).unwrap_or(u64::MAX)
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
}
