//! Measures the time and memory that pass while a recording is suspended, by
//! clocks that do not depend on the recordings' own.

use recorder::Reading;

use super::measure::Measure;
use crate::{clock, zend};

/// The instant at which a recording was suspended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suspension {
    /// The recording was paused before.
    pub(crate) was_paused: bool,
    wall_ns: u64,
    cpu_ns: u64,
    memory: i64,
    peak: i64,
}

impl Suspension {
    /// The symbol that stands for the other recording in the suspended one.
    pub(crate) const NAME: &[u8] = b"[profiled by the program]";

    /// A recording is suspended now.
    pub(crate) fn begin(was_paused: bool, reads_memory: bool) -> Self {
        let (memory, peak) = if reads_memory { zend::memory() } else { (0, 0) };
        Self {
            was_paused,
            wall_ns: clock::monotonic_ns(),
            cpu_ns: clock::cpu_ns(),
            memory,
            peak,
        }
    }

    /// The wall time since, in nanoseconds.
    pub(crate) fn wall_ns(&self) -> u64 {
        clock::monotonic_ns().saturating_sub(self.wall_ns)
    }

    /// The CPU time since, in nanoseconds.
    pub(crate) fn cpu_ns(&self) -> u64 {
        clock::cpu_ns().saturating_sub(self.cpu_ns)
    }

    /// What has passed since, in the units of a recording that measures this.
    pub(crate) fn until_now(&self, measure: &Measure) -> Reading {
        let (wall, cpu) = measure.clock.rates();
        let mut time = Reading {
            wall: wall.ticks_in_nanoseconds(self.wall_ns()),
            ..Reading::default()
        };
        if measure.cpu {
            time.cpu = cpu.ticks_in_nanoseconds(self.cpu_ns());
        }
        if measure.memory {
            let (memory, peak) = zend::memory();
            time.memory = memory.wrapping_sub(self.memory);
            time.peak = peak.wrapping_sub(self.peak);
        }
        time
    }
}
