//! The costs of one entry, parsed by name and in any number format.

use super::error::{RowsError, beginning};
use profile::{Cost, Metrics};

/// The metrics of one entry as they are in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct EntryCost {
    calls: Option<Number>,
    wall_us: Option<Number>,
    cpu_us: Option<Number>,
    memory: Option<Number>,
    peak: Option<Number>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Int(i64),
    /// Averages over several runs have fractions.
    Float(f64),
}

impl EntryCost {
    /// Sets the metric with XHProf's name `metric`; an unknown one is ignored.
    pub(crate) fn set_int(&mut self, metric: &[u8], value: i64) {
        self.set(metric, Number::Int(value));
    }

    /// Sets the metric with XHProf's name `metric`; an unknown one is ignored.
    pub(crate) fn set_float(&mut self, metric: &[u8], value: f64) {
        self.set(metric, Number::Float(value));
    }

    /// The same for a number that is written as a text, as some databases return it; other texts are ignored.
    pub(crate) fn set_text(&mut self, metric: &[u8], text: &[u8]) {
        let text = std::str::from_utf8(text).unwrap_or_default();
        if let Ok(value) = text.parse() {
            self.set_int(metric, value);
        } else if let Ok(value) = text.parse() {
            self.set_float(metric, value);
        }
    }

    fn set(&mut self, metric: &[u8], value: Number) {
        let slot = match metric {
            b"ct" => &mut self.calls,
            b"wt" => &mut self.wall_us,
            b"cpu" => &mut self.cpu_us,
            b"mu" => &mut self.memory,
            b"pmu" => &mut self.peak,
            _ => return,
        };
        *slot = Some(value);
    }

    /// Whether the entry has a wall time.
    pub(crate) fn has_wall(&self) -> bool {
        self.wall_us.is_some()
    }

    /// The metrics that the entry has.
    pub(super) fn metrics(&self) -> Metrics {
        Metrics {
            cpu: self.cpu_us.is_some(),
            memory: self.memory.is_some() || self.peak.is_some(),
            ..Metrics::default()
        }
    }

    /// The entry in nanoseconds and bytes; missing metrics are zero.
    ///
    /// A negative count or time becomes zero: an entry includes its callees, and
    /// the missing part is subtracted from its caller's self time, so that the
    /// total stays `main()`'s. Differences of two profiles have such entries.
    pub(super) fn cost(&self, key: &[u8]) -> Result<Cost, RowsError> {
        let count = |number: Option<Number>, scale: u32, metric| {
            let number = number.unwrap_or(Number::Int(0)).scaled(scale);
            number
                .map(|number| number.max(0).unsigned_abs())
                .ok_or(RowsError::Metric {
                    key: beginning(key),
                    metric,
                })
        };
        let bytes = |number: Option<Number>, metric| {
            number
                .unwrap_or(Number::Int(0))
                .scaled(1)
                .ok_or(RowsError::Metric {
                    key: beginning(key),
                    metric,
                })
        };
        Ok(Cost {
            calls: count(self.calls, 1, "ct")?,
            wall: count(self.wall_us, 1_000, "wt")?,
            cpu: count(self.cpu_us, 1_000, "cpu")?,
            memory: bytes(self.memory, "mu")?,
            peak: bytes(self.peak, "pmu")?,
        })
    }
}

impl Number {
    /// The number times `scale`, to the nearest integer.
    fn scaled(self, scale: u32) -> Option<i64> {
        match self {
            Self::Int(value) => Some(value.saturating_mul(i64::from(scale))),
            #[expect(clippy::cast_possible_truncation, reason = "saturates, and is finite")]
            Self::Float(value) => {
                let scaled = value * f64::from(scale);
                scaled.is_finite().then_some(scaled.round() as i64)
            }
        }
    }
}
