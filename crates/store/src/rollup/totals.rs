//! The sums of the requests themselves.

use serde::{Deserialize, Serialize};

use super::{LOG_STEPS, Sign, Sketch, bounded, log_time};

/// The sums of the requests of a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) runs: u64,
    pub(crate) failed: u64,
    pub(crate) calls: u64,
    pub(crate) wall: u64,
    /// In steps of 1/64: [`ln_wall`](Self::ln_wall).
    pub(crate) ln_wall: u64,
    /// The runs that measured CPU time, and their CPU time.
    pub(crate) cpu_runs: u64,
    pub(crate) cpu: u64,
    /// The runs whose peak of memory is known, and the peaks.
    pub(crate) peak_runs: u64,
    pub(crate) peak: u64,
    pub(crate) memory: i64,
    pub(crate) walls: Sketch,
}

impl Totals {
    /// Those of one run.
    pub(crate) fn of(info: &crate::RunInfo, memory: i64) -> Self {
        Self {
            runs: 1,
            failed: u64::from(info.failed),
            calls: info.calls,
            wall: info.wall,
            ln_wall: log_time(info.wall),
            cpu_runs: u64::from(info.cpu.is_some()),
            cpu: info.cpu.unwrap_or(0),
            peak_runs: u64::from(info.peak.is_some()),
            peak: info.peak.unwrap_or(0),
            memory: bounded(memory),
            walls: Sketch::of(info.wall),
        }
    }

    /// Adds or subtracts others.
    pub(crate) fn merge(&mut self, other: &Self, sign: Sign) {
        self.merge_numbers(other, sign);
        self.walls.merge(&other.walls, sign);
    }

    /// The same without the sketch of the wall times.
    pub(crate) fn merge_numbers(&mut self, other: &Self, sign: Sign) {
        for (sum, more) in [
            (&mut self.runs, other.runs),
            (&mut self.failed, other.failed),
            (&mut self.calls, other.calls),
            (&mut self.wall, other.wall),
            (&mut self.ln_wall, other.ln_wall),
            (&mut self.cpu_runs, other.cpu_runs),
            (&mut self.cpu, other.cpu),
            (&mut self.peak_runs, other.peak_runs),
            (&mut self.peak, other.peak),
        ] {
            *sum = sign.count(*sum, more);
        }
        self.memory = sign.signed(self.memory, other.memory);
    }

    /// The sum of ln(1 + microseconds) of the wall times.
    #[expect(clippy::cast_precision_loss, reason = "a sum of logarithms")]
    pub(crate) fn ln_wall(&self) -> f64 {
        self.ln_wall as f64 / LOG_STEPS
    }
}
