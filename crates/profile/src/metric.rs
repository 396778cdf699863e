//! Selects one of the costs.

use crate::{Cost, Metrics, SelfCost};

/// One of the costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Wall time, or samples.
    #[default]
    Wall,
    /// CPU time.
    Cpu,
    /// Change of the memory in use.
    Memory,
    /// Change of the memory's peak.
    Peak,
    /// Calls.
    Calls,
}

impl Metric {
    /// All of them, in the order in which tools show them.
    pub const ALL: [Self; 5] = [Self::Wall, Self::Cpu, Self::Memory, Self::Peak, Self::Calls];

    /// Its part of an inclusive cost: nanoseconds, bytes, calls.
    #[must_use]
    pub fn of(self, cost: &Cost) -> i64 {
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        match self {
            Self::Wall => signed(cost.wall),
            Self::Cpu => signed(cost.cpu),
            Self::Memory => cost.memory,
            Self::Peak => cost.peak,
            Self::Calls => signed(cost.calls),
        }
    }

    /// Its part of a self cost. Self costs contain no calls: the argument
    /// `calls` is returned for them.
    #[must_use]
    pub fn of_own(self, own: &SelfCost, calls: u64) -> i64 {
        match self {
            Self::Wall => own.wall,
            Self::Cpu => own.cpu,
            Self::Memory => own.memory,
            Self::Peak => own.peak,
            Self::Calls => i64::try_from(calls).unwrap_or(i64::MAX),
        }
    }

    /// Whether it was measured.
    #[must_use]
    pub fn is_in(self, metrics: Metrics) -> bool {
        match self {
            Self::Wall => true,
            Self::Cpu => metrics.cpu,
            Self::Memory | Self::Peak => metrics.memory,
            Self::Calls => metrics.calls,
        }
    }

    /// Whether it can be negative: then a sum can hide large parts of both signs,
    /// and a percentage of it is meaningless.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Memory | Self::Peak)
    }

    /// The name on the command line: `wall`, `cpu`, `memory`, `peak`, `calls`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Peak => "peak",
            Self::Calls => "calls",
        }
    }
}
