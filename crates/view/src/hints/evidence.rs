//! The numbers and names that a hint was found by.

use profile::{SymbolId, WallUnit};
use serde::Serialize;

use super::facts::Facts;
use crate::names;
use crate::text::printable;
use crate::units::{counted, percent, signed_count, size, time};

/// So many characters of a statement or name are shown.
const MOST_CHARACTERS: usize = 200;

/// One number or name that a hint was found by.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Evidence {
    /// What it is: `statement`, `calls`, `time`.
    pub label: &'static str,
    /// The number or the text.
    pub value: EvidenceValue,
    /// How to show it.
    pub unit: EvidenceUnit,
    /// The number of the function that the text names.
    pub function: Option<u32>,
}

/// A number or a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum EvidenceValue {
    /// A whole number.
    Whole(#[cfg_attr(feature = "typescript", ts(type = "number"))] i64),
    /// A share, 0 to 1.
    Share(f64),
    /// A name, statement or version.
    Text(String),
}

/// How to show a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum EvidenceUnit {
    /// As text.
    Text,
    /// A plain number.
    Count,
    /// Nanoseconds.
    Ns,
    /// Samples.
    Samples,
    /// Bytes.
    Bytes,
    /// A share, 0 to 1.
    Share,
}

impl Evidence {
    /// `time: 1.71 ms`.
    #[must_use]
    pub fn said(&self) -> String {
        let value = match (&self.value, self.unit) {
            (EvidenceValue::Text(text), _) => printable(text.as_bytes()),
            (EvidenceValue::Share(share), _) => percent(share * 100.0),
            (EvidenceValue::Whole(value), EvidenceUnit::Ns) => time(*value),
            (EvidenceValue::Whole(value), EvidenceUnit::Bytes) => size(*value),
            (EvidenceValue::Whole(value), EvidenceUnit::Samples) => {
                counted(value.unsigned_abs(), "sample")
            }
            (EvidenceValue::Whole(value), _) => signed_count(*value),
        };
        format!("{}: {}", self.label, value.trim_end())
    }

    pub(super) fn text(label: &'static str, text: &[u8]) -> Self {
        Self {
            label,
            value: EvidenceValue::Text(names::short_text(text, MOST_CHARACTERS)),
            unit: EvidenceUnit::Text,
            function: None,
        }
    }

    pub(super) fn function(label: &'static str, facts: &Facts<'_>, symbol: SymbolId) -> Self {
        Self {
            function: Some(symbol.0),
            ..Self::text(label, facts.name(symbol))
        }
    }

    pub(super) fn count(label: &'static str, count: u64) -> Self {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        Self::whole(label, count, EvidenceUnit::Count)
    }

    /// Wall time, or the samples that stand for it.
    pub(super) fn time(label: &'static str, facts: &Facts<'_>, time: i64) -> Self {
        let unit = match facts.profile.metrics.wall_unit {
            WallUnit::Nanoseconds => EvidenceUnit::Ns,
            WallUnit::Samples => EvidenceUnit::Samples,
        };
        Self::whole(label, time, unit)
    }

    pub(super) fn bytes(label: &'static str, bytes: i64) -> Self {
        Self::whole(label, bytes, EvidenceUnit::Bytes)
    }

    pub(super) fn share(label: &'static str, share: f64) -> Self {
        Self {
            label,
            value: EvidenceValue::Share(share),
            unit: EvidenceUnit::Share,
            function: None,
        }
    }

    fn whole(label: &'static str, value: i64, unit: EvidenceUnit) -> Self {
        Self {
            label,
            value: EvidenceValue::Whole(value),
            unit,
            function: None,
        }
    }
}
