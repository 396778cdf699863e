//! Measures the time and memory that pass while a profile is suspended, by clocks
//! that do not depend on the profiles' own.

use recorder::{Reading, TickRate};

use crate::settings::Flags;
use crate::{clock, zend};

/// The symbol that stands for the other profile in the suspended one.
pub(super) const NAME: &[u8] = b"[profiled by the program]";

/// The instant at which a profile was suspended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suspension {
    wall_ns: u64,
    cpu_ns: u64,
    memory: i64,
    peak: i64,
}

impl Suspension {
    /// The profile is suspended now.
    pub(super) fn begin(reads_memory: bool) -> Self {
        let (memory, peak) = if reads_memory { zend::memory() } else { (0, 0) };
        Self {
            wall_ns: clock::monotonic_ns(),
            cpu_ns: clock::cpu_ns(),
            memory,
            peak,
        }
    }

    /// The wall time since, in nanoseconds.
    pub(super) fn wall_ns(&self) -> u64 {
        clock::monotonic_ns().saturating_sub(self.wall_ns)
    }

    /// The CPU time since, in nanoseconds.
    pub(super) fn cpu_ns(&self) -> u64 {
        clock::cpu_ns().saturating_sub(self.cpu_ns)
    }

    /// What has passed since, in the units of a profile with these clocks.
    pub(super) fn until_now(&self, wall: TickRate, cpu: TickRate, flags: Flags) -> Reading {
        let mut time = Reading {
            wall: wall.ticks_in_nanoseconds(self.wall_ns()),
            ..Reading::default()
        };
        if flags.cpu {
            time.cpu = cpu.ticks_in_nanoseconds(self.cpu_ns());
        }
        if flags.memory {
            let (memory, peak) = zend::memory();
            time.memory = memory.wrapping_sub(self.memory);
            time.peak = peak.wrapping_sub(self.peak);
        }
        time
    }
}
