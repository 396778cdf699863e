//! Costs as answers carry them: signed, one field a metric.

use profile::{Cost, Metric, SelfCost};
use serde::{Deserialize, Serialize};

/// A metric's name in questions: `wall`, `cpu`, `memory`, `peak`, `calls`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum MetricName {
    /// Wall time in nanoseconds, or what [`Unit`](crate::Unit) says.
    #[default]
    Wall,
    /// CPU time in nanoseconds.
    Cpu,
    /// Change of the memory in use, in bytes.
    Memory,
    /// Change of the memory's peak, in bytes.
    Peak,
    /// Number of calls.
    Calls,
}

impl From<MetricName> for Metric {
    fn from(name: MetricName) -> Self {
        match name {
            MetricName::Wall => Self::Wall,
            MetricName::Cpu => Self::Cpu,
            MetricName::Memory => Self::Memory,
            MetricName::Peak => Self::Peak,
            MetricName::Calls => Self::Calls,
        }
    }
}

impl From<Metric> for MetricName {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Wall => Self::Wall,
            Metric::Cpu => Self::Cpu,
            Metric::Memory => Self::Memory,
            Metric::Peak => Self::Peak,
            Metric::Calls => Self::Calls,
        }
    }
}

/// What something cost. A metric that was not measured is zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Costs {
    /// Number of calls.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub calls: u64,
    /// Wall time in nanoseconds, or what [`Unit`](crate::Unit) says.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub wall: i64,
    /// CPU time in nanoseconds.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub cpu: i64,
    /// Change of the memory in use, in bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub memory: i64,
    /// Change of the memory's peak, in bytes.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub peak: i64,
}

impl Costs {
    /// An inclusive cost.
    #[must_use]
    pub fn inclusive(cost: &Cost) -> Self {
        Self {
            calls: cost.calls,
            wall: Metric::Wall.of(cost),
            cpu: Metric::Cpu.of(cost),
            memory: cost.memory,
            peak: cost.peak,
        }
    }

    /// A self cost; `calls` are those of the function.
    #[must_use]
    pub fn own(own: &SelfCost, calls: u64) -> Self {
        Self {
            calls,
            wall: own.wall,
            cpu: own.cpu,
            memory: own.memory,
            peak: own.peak,
        }
    }

    /// The value of one metric.
    #[must_use]
    pub fn of(&self, metric: Metric) -> i64 {
        match metric {
            Metric::Wall => self.wall,
            Metric::Cpu => self.cpu,
            Metric::Memory => self.memory,
            Metric::Peak => self.peak,
            Metric::Calls => i64::try_from(self.calls).unwrap_or(i64::MAX),
        }
    }
}
