//! The lines of samples in a native file: the stacks with lines as a tree, each
//! beside its stack, then which of them each sample has.

use super::Error;
use super::output::Output;
use super::samples::A_SECTION;
use super::section::kind;
use super::varint::{Cursor, put, put_bytes, put_signed};
use crate::table::known;
use crate::{Budget, FileId, LinedId, LinedStack, NodeId, Sample, Samples, Symbol, allocated};

/// The number of files in a section.
const FILES_A_SECTION: usize = 1024;

/// Writes all stacks with lines, if there are any.
pub(super) fn write(
    samples: &Samples,
    symbols: &[Symbol],
    output: &mut Output<'_>,
) -> std::io::Result<()> {
    let mut writer = LinedWriter {
        samples,
        symbols,
        number: 0,
        last: 0,
    };
    let mut files = samples.lined.files.as_slice();
    let mut stacks = samples.lined.list.as_slice();
    let mut rest = samples.samples.as_slice();
    while !stacks.is_empty() || !rest.is_empty() && !samples.lined.list.is_empty() {
        // A file comes before what refers to it, and so does a stack.
        let names = next_part(&mut files, FILES_A_SECTION, true);
        let list = next_part(&mut stacks, A_SECTION, files.is_empty());
        let ends = next_part(&mut rest, A_SECTION, stacks.is_empty());
        output.section(|section, out| {
            section.section(out, kind::LINES, |out| writer.put(names, list, ends, out));
        })?;
    }
    Ok(())
}

/// Takes at most `len` items from the beginning of a list, or none.
fn next_part<'a, T>(list: &mut &'a [T], len: usize, is_next: bool) -> &'a [T] {
    let len = if is_next { len.min(list.len()) } else { 0 };
    let (part, rest) = list.split_at_checked(len).unwrap_or_default();
    *list = rest;
    part
}

struct LinedWriter<'s> {
    samples: &'s Samples,
    symbols: &'s [Symbol],
    /// The number of the last stack, from 1.
    number: u64,
    /// The stack of the last sample.
    last: u32,
}

impl LinedWriter<'_> {
    /// Appends the payload of a section.
    fn put(
        &mut self,
        files: &[Box<[u8]>],
        stacks: &[LinedStack],
        samples: &[Sample],
        out: &mut Vec<u8>,
    ) {
        put(out, files.len() as u64);
        for file in files {
            put_bytes(out, file);
        }
        put(out, stacks.len() as u64);
        for stack in stacks {
            self.put_stack(stack, out);
        }
        put(out, samples.len() as u64);
        for sample in samples {
            put_signed(out, i64::from(sample.lined.0) - i64::from(self.last));
            self.last = sample.lined.0;
        }
    }

    fn put_stack(&mut self, stack: &LinedStack, out: &mut Vec<u8>) {
        self.number += 1;
        put(out, self.number.wrapping_sub(u64::from(stack.parent.0)));
        let caller = self.samples.lined.get(stack.parent);
        let caller = caller.map_or(0, |caller| caller.stack.0);
        let step = u64::from(stack.stack.0.wrapping_sub(caller));
        put(out, step << 1 | u64::from(stack.file.is_some()));
        if let Some(file) = stack.file {
            put(out, u64::from(file.0));
        }
        let begin = line_of(self.samples, self.symbols, stack.stack);
        put_signed(out, i64::from(stack.line) - i64::from(begin));
    }
}

/// The line that the innermost function of a stack begins at.
fn line_of(samples: &Samples, symbols: &[Symbol], stack: NodeId) -> u32 {
    known(symbols, samples[stack].symbol).map_or(0, |symbol| symbol.line)
}

/// Reads stacks with lines from any number of sections.
#[derive(Debug)]
pub(super) struct LinedReader {
    last: LinedId,
    /// How many samples have their lines.
    done: usize,
    budget: Budget,
}

/// The noun in the budget's error message.
const LINES: &str = "source lines";

impl LinedReader {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            last: LinedId::UNKNOWN,
            done: 0,
            budget: budget.clone(),
        }
    }

    /// Reads the payload of a section.
    pub(super) fn take(
        &mut self,
        mut cursor: Cursor<'_>,
        samples: &mut Samples,
        symbols: &[Symbol],
    ) -> Result<(), Error> {
        for _ in 0..cursor.count()? {
            let name = cursor.bytes()?;
            self.budget.take(allocated(name.len()), LINES)?;
            self.budget.room(&mut samples.lined.files, LINES)?;
            samples.lined.files.push(name.into());
        }
        for _ in 0..cursor.count()? {
            let stack = stack(&mut cursor, samples, symbols)?;
            self.budget.room(&mut samples.lined.list, LINES)?;
            samples.lined.list.push(stack);
        }
        for _ in 0..cursor.count()? {
            let lined = i64::from(self.last.0).checked_add(cursor.signed()?);
            let lined = lined.and_then(|lined| u32::try_from(lined).ok());
            let stack = lined.and_then(|lined| match lined {
                0 => Some(None),
                lined => samples
                    .lined
                    .get(LinedId(lined))
                    .map(|stack| Some(stack.stack)),
            });
            let (Some(lined), Some(stack)) = (lined, stack) else {
                return Err(cursor.broken("no stack with lines has this number"));
            };
            self.last = LinedId(lined);
            let Some(sample) = samples.samples.get_mut(self.done) else {
                return Err(cursor.broken("lines of a sample that is not there"));
            };
            if stack.is_some_and(|stack| stack != sample.stack) {
                return Err(cursor.broken("lines of another stack"));
            }
            sample.lined = self.last;
            self.done += 1;
        }
        cursor.finish()
    }
}

/// Reads one stack with lines.
fn stack(
    cursor: &mut Cursor<'_>,
    samples: &Samples,
    symbols: &[Symbol],
) -> Result<LinedStack, Error> {
    let up = cursor.number()?;
    let number = samples.lined.list.len() as u64 + 1;
    let parent = number.checked_sub(up).filter(|_| up > 0);
    let parent = parent.and_then(|parent| u32::try_from(parent).ok());
    let parent = parent.ok_or_else(|| cursor.broken("a parent has to come before its children"))?;
    let parent = LinedId(parent);
    let caller = samples.lined.get(parent).map(|caller| caller.stack);
    let head = cursor.number()?;
    let stack = u64::from(caller.unwrap_or_default().0).checked_add(head >> 1);
    let stack = stack.and_then(|stack| u32::try_from(stack).ok());
    let stack = stack.map(NodeId);
    let is_beside = |stack: &NodeId| match samples.stacks.get(stack.index()) {
        Some(below) if *stack != NodeId::ROOT => Some(below.parent) == caller,
        Some(_) => caller.is_none(),
        None => false,
    };
    let stack = stack.filter(is_beside);
    let stack = stack.ok_or_else(|| cursor.broken("lines beside no stack"))?;
    let file = if head & 1 == 1 {
        let file = cursor.number_32()?;
        let file = Some(FileId(file)).filter(|file| file.index() < samples.lined.files.len());
        Some(file.ok_or_else(|| cursor.broken("no path has this number"))?)
    } else {
        None
    };
    let begin = line_of(samples, symbols, stack);
    let line = i64::from(begin).checked_add(cursor.signed()?);
    let line = line.and_then(|line| u32::try_from(line).ok());
    let line = line.ok_or_else(|| cursor.broken("a number of more than 32 bits"))?;
    Ok(LinedStack {
        parent,
        stack,
        file,
        line,
    })
}
