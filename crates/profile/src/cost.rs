//! What calls cost: sums that only ever grow by addition.
//!
//! Times are nanoseconds and sizes bytes, everywhere in this crate; a writer
//! converts them to its format's unit once. Sums saturate: a file may claim
//! numbers that do not fit, and a wrong total is better than a wrapped one.

use std::ops::AddAssign;

/// Calls, and what they cost together, callees included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// How many calls.
    pub calls: u64,
    /// Wall time in nanoseconds.
    pub wall: u64,
    /// CPU time in nanoseconds.
    pub cpu: u64,
    /// Change of the memory in use, in bytes.
    pub memory: i64,
    /// Change of the memory's peak, in bytes.
    pub peak: i64,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.wall = self.wall.saturating_add(other.wall);
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.memory = self.memory.saturating_add(other.memory);
        self.peak = self.peak.saturating_add(other.peak);
    }
}

/// What a function cost by itself, without its callees.
///
/// Signed, all of it: memory is given back, and a file written by something
/// else may charge callees more than their caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SelfCost {
    /// Wall time in nanoseconds.
    pub wall: i64,
    /// CPU time in nanoseconds.
    pub cpu: i64,
    /// Change of the memory in use, in bytes.
    pub memory: i64,
    /// Change of the memory's peak, in bytes.
    pub peak: i64,
}

impl AddAssign for SelfCost {
    fn add_assign(&mut self, other: Self) {
        self.wall = self.wall.saturating_add(other.wall);
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.memory = self.memory.saturating_add(other.memory);
        self.peak = self.peak.saturating_add(other.peak);
    }
}

impl SelfCost {
    /// Adds what came in with a call.
    pub(crate) fn add(&mut self, inclusive: Cost) {
        self.wall = self.wall.saturating_add_unsigned(inclusive.wall);
        self.cpu = self.cpu.saturating_add_unsigned(inclusive.cpu);
        self.memory = self.memory.saturating_add(inclusive.memory);
        self.peak = self.peak.saturating_add(inclusive.peak);
    }

    /// Takes off what a callee cost.
    pub(crate) fn subtract(&mut self, inclusive: Cost) {
        self.wall = self.wall.saturating_sub_unsigned(inclusive.wall);
        self.cpu = self.cpu.saturating_sub_unsigned(inclusive.cpu);
        self.memory = self.memory.saturating_sub(inclusive.memory);
        self.peak = self.peak.saturating_sub(inclusive.peak);
    }
}

/// What [`Cost::wall`] counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WallUnit {
    /// Nanoseconds of wall time.
    #[default]
    Nanoseconds,
    /// Samples: how often something was seen.
    Samples,
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metrics {
    /// Calls; false where a profile was sampled, or does not tell.
    pub calls: bool,
    /// What the wall time is given in.
    pub wall_unit: WallUnit,
    /// CPU time.
    pub cpu: bool,
    /// Memory in use and its peak.
    pub memory: bool,
}

impl Default for Metrics {
    /// Calls and wall time.
    fn default() -> Self {
        Self {
            calls: true,
            wall_unit: WallUnit::Nanoseconds,
            cpu: false,
            memory: false,
        }
    }
}
