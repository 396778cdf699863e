//! Samples in a native file: first the stacks as a tree, then the samples.

use super::Error;
use super::output::Output;
use super::section::kind;
use super::tree::{are_paths, place};
use super::varint::{Cursor, put, put_signed};
use crate::{Budget, LinedStacks, NodeId, Sample, Samples, StackNode};

/// The number of stacks or samples in a section.
pub(super) const A_SECTION: usize = 8192;

/// Writes all stacks and samples.
pub(super) fn write(samples: &Samples, output: &mut Output<'_>) -> std::io::Result<()> {
    let mut number = 0_usize;
    for stacks in samples.stacks.chunks(A_SECTION) {
        output.section(|writer, out| {
            writer.section(out, kind::STACKS, |out| {
                put(out, stacks.len() as u64);
                for stack in stacks {
                    put(out, number.wrapping_sub(stack.parent.index()) as u64);
                    put(out, u64::from(stack.symbol.0));
                    number += 1;
                }
            });
        })?;
    }
    let mut last = Sample::new(0, 0, NodeId::ROOT);
    for samples in samples.samples.chunks(A_SECTION) {
        output.section(|writer, out| {
            writer.section(out, kind::SAMPLES, |out| {
                put(out, samples.len() as u64);
                for sample in samples {
                    put_signed(out, sample.at.wrapping_sub(last.at).cast_signed());
                    put(out, sample.weight);
                    let step = i64::from(sample.stack.0) - i64::from(last.stack.0);
                    put_signed(out, step);
                    last = *sample;
                }
            });
        })?;
    }
    Ok(())
}

/// Reads stacks and samples from any number of sections.
#[derive(Debug)]
pub(super) struct SampleReader {
    samples: Samples,
    last: Sample,
    budget: Budget,
}

impl SampleReader {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            samples: Samples {
                stacks: Vec::new(),
                lined: LinedStacks::default(),
                samples: Vec::new(),
            },
            last: Sample::new(0, 0, NodeId::ROOT),
            budget: budget.clone(),
        }
    }

    /// Reads the payload of a section of stacks.
    pub(super) fn take_stacks(
        &mut self,
        mut cursor: Cursor<'_>,
        symbols: usize,
    ) -> Result<(), Error> {
        let stacks = &mut self.samples.stacks;
        for _ in 0..cursor.count()? {
            let (parent, symbol) = place(&mut cursor, stacks.len(), symbols)?;
            self.budget.room(stacks, "call paths")?;
            stacks.push(StackNode { parent, symbol });
        }
        cursor.finish()
    }

    /// Reads the payload of a section of samples.
    pub(super) fn take_samples(&mut self, mut cursor: Cursor<'_>) -> Result<(), Error> {
        for _ in 0..cursor.count()? {
            let at = self.last.at.wrapping_add(cursor.signed()?.cast_unsigned());
            let weight = cursor.number()?;
            let stack = i64::from(self.last.stack.0).checked_add(cursor.signed()?);
            let stack = stack.and_then(|stack| u32::try_from(stack).ok());
            let is_there = |stack: &u32| (*stack as usize) < self.samples.stacks.len();
            let stack = stack.filter(is_there);
            let stack = stack.ok_or_else(|| cursor.broken("no stack has this number"))?;
            self.last = Sample::new(at, weight, NodeId(stack));
            self.budget.room(&mut self.samples.samples, "samples")?;
            self.samples.samples.push(self.last);
        }
        cursor.finish()
    }

    /// The samples so far, for their lines.
    pub(super) fn samples_mut(&mut self) -> &mut Samples {
        &mut self.samples
    }

    /// All samples, if the stacks are valid paths.
    pub(super) fn finish(self, symbols: usize) -> Result<Option<Samples>, Error> {
        let stacks = &self.samples.stacks;
        let place = |stack: &StackNode| (stack.parent, stack.symbol);
        let are_right = !stacks.is_empty() && are_paths(stacks, place, symbols, &self.budget)?;
        Ok(are_right.then_some(self.samples))
    }
}
