//! Costs of calls: sums that saturate.
//!
//! Times are nanoseconds and sizes bytes, everywhere in this crate; a writer
//! converts them to its format's unit once. Sums saturate, because a file may
//! contain numbers whose sum overflows, and a saturated total is better than a
//! wrapped one.

use std::ops::AddAssign;

/// The number of calls, and their total cost, callees included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// The number of calls.
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

/// The self cost of a function, without its callees.
///
/// All fields are signed: a function can free memory, and another program's
/// file may charge callees more than their caller.
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
    /// Adds the cost of an incoming call.
    pub fn add(&mut self, inclusive: Cost) {
        self.wall = self.wall.saturating_add_unsigned(inclusive.wall);
        self.cpu = self.cpu.saturating_add_unsigned(inclusive.cpu);
        self.memory = self.memory.saturating_add(inclusive.memory);
        self.peak = self.peak.saturating_add(inclusive.peak);
    }

    /// Subtracts the cost of a callee.
    pub fn subtract(&mut self, inclusive: Cost) {
        self.wall = self.wall.saturating_sub_unsigned(inclusive.wall);
        self.cpu = self.cpu.saturating_sub_unsigned(inclusive.cpu);
        self.memory = self.memory.saturating_sub(inclusive.memory);
        self.peak = self.peak.saturating_sub(inclusive.peak);
    }
}

/// The unit of [`Cost::wall`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WallUnit {
    /// Nanoseconds of wall time.
    #[default]
    Nanoseconds,
    /// Samples.
    Samples,
}

/// The measured costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metrics {
    /// Calls; false for a sampled profile, or if the format has none.
    pub calls: bool,
    /// The unit of the wall time.
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
