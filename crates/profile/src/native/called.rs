//! The costs of lines in a native file of calls: those of [`Lines`], in its order.

use super::Error;
use super::costs::Columns;
use super::section::{SectionWriter, kind};
use super::varint::{Cursor, put as put_number, put_bytes, put_signed};
use crate::table::known;
use crate::{Budget, CallsFromLine, Cost, FileId, LineCost, Lines, SelfCost, SymbolId, allocated};

/// The number of files, of lines and of calls in a section.
const A_SECTION: usize = 4096;

/// Appends all lines, if there are any.
pub(super) fn put(lines: &Lines, writer: &mut SectionWriter, out: &mut Vec<u8>) {
    let mut section = |files: &[Box<[u8]>], list: &[LineCost], calls: &[CallsFromLine]| {
        writer.section(out, kind::COSTS_OF_LINES, |out| {
            put_number(out, files.len() as u64);
            for file in files {
                put_bytes(out, file);
            }
            put_lines(list, out);
            put_calls(calls, &lines.list, out);
        });
    };
    // What is referred to comes first.
    for files in lines.files.chunks(A_SECTION) {
        section(files, &[], &[]);
    }
    for list in lines.list.chunks(A_SECTION) {
        section(&[], list, &[]);
    }
    for calls in lines.calls.chunks(A_SECTION) {
        section(&[], &[], calls);
    }
}

fn put_lines(list: &[LineCost], out: &mut Vec<u8>) {
    let columns = [
        Columns::of(list.iter().map(|line| cost(0, line.own))),
        Columns::of(list.iter().map(|line| cost(line.calls, line.callees))),
        Columns::of(list.iter().map(|line| cost(0, line.builtin))),
    ];
    out.extend_from_slice(&columns.map(|columns| columns.0));
    put_number(out, list.len() as u64);
    let mut last = 0;
    for line in list {
        put_number(out, line.file.map_or(0, |file| u64::from(file.0) + 1));
        put_signed(out, i64::from(line.line) - i64::from(last));
        put_number(out, u64::from(line.symbol.0));
        let costs = [
            cost(0, line.own),
            cost(line.calls, line.callees),
            cost(0, line.builtin),
        ];
        for (columns, cost) in columns.iter().zip(&costs) {
            columns.put(out, cost);
        }
        last = line.line;
    }
}

fn put_calls(calls: &[CallsFromLine], all: &[LineCost], out: &mut Vec<u8>) {
    let columns = Columns::of(calls.iter().map(|calls| cost(calls.calls, calls.cost)));
    out.push(columns.0);
    put_number(out, calls.len() as u64);
    for calls in calls {
        let key = (calls.file, calls.line, calls.caller);
        let place = all.partition_point(|line| (line.file, line.line, line.symbol) < key);
        put_number(out, place as u64);
        put_number(out, u64::from(calls.callee.0));
        columns.put(out, &cost(calls.calls, calls.cost));
    }
}

/// A cost as [`Columns`] have it, which keep the sign of times.
fn cost(calls: u64, cost: SelfCost) -> Cost {
    Cost {
        calls,
        wall: cost.wall.cast_unsigned(),
        cpu: cost.cpu.cast_unsigned(),
        memory: cost.memory,
        peak: cost.peak,
    }
}

fn own(cost: Cost) -> SelfCost {
    SelfCost {
        wall: cost.wall.cast_signed(),
        cpu: cost.cpu.cast_signed(),
        memory: cost.memory,
        peak: cost.peak,
    }
}

/// The noun in the budget's error message.
const LINES: &str = "source lines";

/// Reads lines from any number of sections.
#[derive(Debug)]
pub(super) struct CalledReader {
    lines: Lines,
    budget: Budget,
}

impl CalledReader {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            lines: Lines::default(),
            budget: budget.clone(),
        }
    }

    /// The lines.
    pub(super) fn finish(self) -> Lines {
        self.lines
    }

    /// Reads the payload of a section.
    pub(super) fn take(&mut self, mut cursor: Cursor<'_>, symbols: usize) -> Result<(), Error> {
        for _ in 0..cursor.count()? {
            let name = cursor.bytes()?;
            self.budget.take(allocated(name.len()), LINES)?;
            self.budget.room(&mut self.lines.files, LINES)?;
            self.lines.files.push(name.into());
        }
        self.take_lines(&mut cursor, symbols)?;
        self.take_calls(&mut cursor, symbols)?;
        cursor.finish()
    }

    fn take_lines(&mut self, cursor: &mut Cursor<'_>, symbols: usize) -> Result<(), Error> {
        let [of_own, of_callees, of_builtin] = [
            Columns::take(cursor)?,
            Columns::take(cursor)?,
            Columns::take(cursor)?,
        ];
        let mut last = 0_u32;
        for _ in 0..cursor.count()? {
            let file = match cursor.number_32()?.checked_sub(1) {
                None => None,
                Some(file) if (file as usize) < self.lines.files.len() => Some(FileId(file)),
                Some(_) => return Err(cursor.broken("no path has this number")),
            };
            let line = i64::from(last).checked_add(cursor.signed()?);
            let line = line.and_then(|line| u32::try_from(line).ok());
            let line = line.filter(|line| *line > 0);
            last = line.ok_or_else(|| cursor.broken("lines are numbered from 1"))?;
            let symbol = symbol(cursor, symbols)?;
            let (costs, callees) = (of_own.cost(cursor)?, of_callees.cost(cursor)?);
            let line = LineCost {
                file,
                line: last,
                symbol,
                own: own(costs),
                calls: callees.calls,
                callees: own(callees),
                builtin: own(of_builtin.cost(cursor)?),
            };
            let key = |line: &LineCost| (line.file, line.line, line.symbol);
            if self
                .lines
                .list
                .last()
                .is_some_and(|last| key(last) >= key(&line))
            {
                return Err(cursor.broken("lines have to be in order"));
            }
            self.budget.room(&mut self.lines.list, LINES)?;
            self.lines.list.push(line);
        }
        Ok(())
    }

    fn take_calls(&mut self, cursor: &mut Cursor<'_>, symbols: usize) -> Result<(), Error> {
        let columns = Columns::take(cursor)?;
        for _ in 0..cursor.count()? {
            let place = cursor.number_32()?;
            let line = known(&self.lines.list, place);
            let line = *line.ok_or_else(|| cursor.broken("no line has this number"))?;
            let callee = symbol(cursor, symbols)?;
            let cost = columns.cost(cursor)?;
            let calls = CallsFromLine {
                file: line.file,
                line: line.line,
                caller: line.symbol,
                callee,
                calls: cost.calls,
                cost: own(cost),
            };
            let last = self.lines.calls.last();
            if last.is_some_and(|last| last.key() >= calls.key()) {
                return Err(cursor.broken("calls have to be in order"));
            }
            self.budget.room(&mut self.lines.calls, LINES)?;
            self.lines.calls.push(calls);
        }
        Ok(())
    }
}

fn symbol(cursor: &mut Cursor<'_>, symbols: usize) -> Result<SymbolId, Error> {
    let symbol = cursor.number()?;
    Ok(SymbolId(super::symbols::number(cursor, symbol, symbols)?))
}
