//! The first section: the kind of body, and the measured costs.

use std::io::Read;

use super::Error;
use super::section::{SectionReader, kind};
use crate::{Metrics, WallUnit};

/// The error for a second first section.
pub(super) const SECOND_PROFILE: &str = "a second section says what follows";

/// The measured costs, as bits.
pub(super) fn metrics(metrics: Metrics) -> u8 {
    u8::from(metrics.calls)
        | u8::from(metrics.wall_unit == WallUnit::Samples) << 1
        | u8::from(metrics.cpu) << 2
        | u8::from(metrics.memory) << 3
}

/// The first section.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) body: u8,
    pub(super) metrics: Metrics,
    /// The bits of the costs, and their offset.
    pub(super) rest: Vec<u8>,
    pub(super) offset: u64,
}

impl Head {
    pub(super) fn broken(&self, reason: &'static str) -> Error {
        Error::Broken {
            offset: self.offset,
            reason,
        }
    }

    /// Reads the first section.
    pub(super) fn read<R: Read>(sections: &mut SectionReader<R>) -> Result<Self, Error> {
        let first = sections.next()?;
        let mut cursor = sections.cursor();
        if first != kind::PROFILE {
            return Err(cursor.broken("the first section has to say what follows"));
        }
        let body = cursor.byte()?;
        let bits = cursor.byte()?;
        let offset = cursor.offset();
        let mut rest = Vec::new();
        while cursor.len() > 0 {
            rest.push(cursor.byte()?);
        }
        let has = |bit: u8| bits >> bit & 1 == 1;
        Ok(Self {
            body,
            metrics: Metrics {
                calls: has(0),
                wall_unit: if has(1) {
                    WallUnit::Samples
                } else {
                    WallUnit::Nanoseconds
                },
                cpu: has(2),
                memory: has(3),
            },
            rest,
            offset,
        })
    }
}
