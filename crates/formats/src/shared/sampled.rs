//! XHProf's sampled array: the time and the stack of each sample.
//!
//! Both encodings of the array, PHP's and JSON, write these entries. A sample
//! with a weight becomes that many entries.
//!
//! **Invariant:** no two entries have the same time, because the time is their
//! key.

use profile::classic::SEPARATOR;
use profile::{Body, NumberMap, Profile, Samples, SymbolId, WallUnit};

use super::unit::{needs_time, needs_time_or_samples};
use crate::WriteError;

/// The maximum number of entries that are written: in a file a sample may have
/// any weight.
const MAX_ENTRIES: u64 = 1 << 24;

/// Classic sampling's interval, in microseconds.
const INTERVAL_US: u64 = 100_000;

/// A profile that is written as samples.
pub(crate) struct Sampled<'p> {
    profile: &'p Profile,
    samples: &'p Samples,
    length: usize,
}

impl<'p> Sampled<'p> {
    /// The profile as samples, if it holds samples that are counted. Samples
    /// with a duration are written to the array of costs; other counts cannot
    /// be written.
    pub(crate) fn of(
        profile: &'p Profile,
        format: &'static str,
    ) -> Result<Option<Self>, WriteError> {
        if profile.metrics.wall_unit == WallUnit::Nanoseconds {
            return Ok(None);
        }
        needs_time_or_samples(profile, format)?;
        let Body::Samples(samples) = &profile.body else {
            needs_time(profile, format)?;
            return Ok(None);
        };
        let length = usize::try_from(samples.weight()).ok();
        match length.filter(|_| samples.weight() <= MAX_ENTRIES) {
            Some(length) => Ok(Some(Self {
                profile,
                samples,
                length,
            })),
            None => Err(WriteError::TooManySamples {
                format,
                limit: MAX_ENTRIES,
            }),
        }
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Calls `visit` with the time and the stack of each entry.
    pub(crate) fn for_each(
        &self,
        mut visit: impl FnMut(&[u8], &[u8]) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let meta = &self.profile.meta;
        let started = meta.started_unix_us.unwrap_or(0);
        let has_times = self.samples.samples.iter().any(|sample| sample.at > 0);
        let interval = meta
            .interval_ns
            .map_or(INTERVAL_US, |ns| (ns / 1_000).max(1));
        let mut next = started;
        let mut stack = Vec::new();
        for sample in &self.samples.samples {
            self.write_stack(&self.samples.path(sample.stack), &mut stack);
            if has_times {
                next = next.max(started.saturating_add(sample.at / 1_000));
            }
            for _ in 0..sample.weight {
                let time = format!("{}.{:06}", next / 1_000_000, next % 1_000_000);
                visit(time.as_bytes(), &stack)?;
                next = next.saturating_add(if has_times { 1 } else { interval });
            }
        }
        Ok(())
    }

    /// Writes `main()==>a==>b==>a@1`.
    fn write_stack(&self, path: &[SymbolId], stack: &mut Vec<u8>) {
        stack.clear();
        let mut open: NumberMap<SymbolId, u32> = NumberMap::default();
        for (depth, &symbol) in path.iter().enumerate() {
            if depth > 0 {
                stack.extend_from_slice(SEPARATOR);
            }
            stack.extend_from_slice(self.profile.name(symbol));
            let level = open.entry(symbol).or_insert(0);
            if *level > 0 {
                stack.extend_from_slice(format!("@{level}").as_bytes());
            }
            *level += 1;
        }
    }
}
