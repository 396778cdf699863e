//! The slots of XHProf's sampled array: one for each multiple of the interval on
//! the wall clock between the beginning of a profile and its end.
//!
//! PECL XHProf examines the stack at each entry and exit, and assigns that
//! stack to all slots that have begun since. Here a timer takes the stack at
//! each slot's beginning. The array has as many entries either way.

use profile::{NodeId, Sample};

/// The beginnings of slots, on a clock in nanoseconds with another origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotGrid {
    /// The beginning of the profile.
    started: u64,
    /// The elapsed part of the slot at that time.
    phase: u64,
    interval: u64,
}

impl SlotGrid {
    /// The slots of a profile that began at `started_ns`, which was
    /// `started_unix_us` on the wall clock.
    #[must_use]
    pub fn new(started_unix_us: u64, started_ns: u64, interval_us: u64) -> Self {
        let interval_us = interval_us.max(1);
        Self {
            started: started_ns,
            phase: started_unix_us % interval_us * 1_000,
            interval: interval_us.saturating_mul(1_000),
        }
    }

    /// The beginning of the first slot after `time`.
    #[must_use]
    pub fn next_after(&self, time: u64) -> u64 {
        let passed = time.saturating_sub(self.started) + self.phase;
        let next = (passed / self.interval + 1).saturating_mul(self.interval);
        self.started.saturating_add(next - self.phase)
    }
}

/// The entries of XHProf's sampled array: for each slot of time that a sample
/// covers, the slot's start in microseconds since the epoch, and the stack.
///
/// A slot begins at a multiple of `interval_us`, and belongs to the first
/// sample after that: a sample covers its weight before it, back to the
/// previous sample.
pub fn slots(
    samples: &[Sample],
    started_unix_us: u64,
    interval_us: u64,
) -> impl Iterator<Item = (u64, NodeId)> {
    let interval_us = interval_us.max(1);
    let mut covered = started_unix_us;
    samples.iter().flat_map(move |sample| {
        let since = sample.at.saturating_sub(sample.weight) / 1_000;
        let from = covered.max(started_unix_us.saturating_add(since));
        let to = started_unix_us.saturating_add(sample.at / 1_000);
        covered = covered.max(to);
        let slots = from / interval_us + 1..to / interval_us + 1;
        slots.map(move |slot| (slot * interval_us, sample.stack))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: u64, weight: u64, stack: u32) -> Sample {
        let stack = NodeId(stack);
        Sample::new(at, weight, stack)
    }

    #[test]
    fn each_slot_goes_to_the_first_sample_after_its_start() {
        // Slots of 100 µs; the profile begins at 1,030 µs.
        let samples = [
            sample(90_000, 90_000, 1),
            sample(120_000, 30_000, 2),
            sample(400_000, 280_000, 3),
        ];
        let all: Vec<_> = slots(&samples, 1_030, 100).collect();
        let stack = NodeId;
        assert_eq!(
            all,
            [
                (1_100, stack(1)),
                (1_200, stack(3)),
                (1_300, stack(3)),
                (1_400, stack(3)),
            ]
        );
    }

    #[test]
    fn time_that_no_sample_stands_for_has_no_slot() {
        let samples = [sample(100_000, 100_000, 1), sample(900_000, 150_000, 2)];
        let all: Vec<_> = slots(&samples, 0, 100).collect();
        assert_eq!(all, [(100, NodeId(1)), (800, NodeId(2)), (900, NodeId(2))]);
    }

    #[test]
    fn slots_begin_at_multiples_of_the_interval_on_the_wall_clock() {
        // Slots of 400 ms; the profile begins 150 ms into one.
        let grid = SlotGrid::new(1_700_000_000_150_000, 5_000_000_000, 400_000);
        assert_eq!(grid.next_after(5_000_000_000), 5_250_000_000);
        assert_eq!(grid.next_after(5_249_999_999), 5_250_000_000);
        assert_eq!(grid.next_after(5_250_000_000), 5_650_000_000);
        assert_eq!(grid.next_after(9_000_000_000), 9_250_000_000);
        // A profile may begin with a slot, which belongs to the time before it.
        let grid = SlotGrid::new(800_000, 7, 400_000);
        assert_eq!(grid.next_after(7), 400_000_007);
        // Never a division by zero.
        assert_eq!(SlotGrid::new(5, 0, 0).next_after(0), 1_000);
    }

    /// `usleep(800000)` with slots of 400 ms: two of them begin, at any start
    /// time.
    #[test]
    fn a_sample_at_the_beginning_of_each_slot_makes_one_entry_for_each() {
        for began_us in (0..400_000).step_by(1_237) {
            let began_unix_us = 1_700_000_000_000_000 + began_us;
            let grid = SlotGrid::new(began_unix_us, 1 << 40, 400_000);
            let end = (1 << 40) + 800_020_000;
            let (mut samples, mut last) = (Vec::new(), 1 << 40);
            while grid.next_after(last) <= end {
                // A timer is late.
                let fired = (grid.next_after(last) + 70_000).min(end);
                samples.push(sample(fired - (1 << 40), fired - last, 1));
                last = fired;
            }
            let entries: Vec<u64> = slots(&samples, began_unix_us, 400_000)
                .map(|(slot, _)| slot)
                .collect();
            let multiples = (began_unix_us + 800_020) / 400_000 - began_unix_us / 400_000;
            assert_eq!(entries.len() as u64, multiples, "{began_us}");
            assert!(entries.len() >= 2);
            assert!(entries.iter().all(|slot| slot % 400_000 == 0));
        }
    }
}
