//! The lines that calls are made from, in a section before that of the calls.
//!
//! A function is mostly called from the line of its last call: that takes a byte, and so
//! does a line near it.
//!
//! **Invariant:** what a line is compared with depends only on the calls before it.

use super::RawEvent;
use crate::native::Error;
use crate::native::varint::{Cursor, put, put_bytes, unzigzag, zigzag};
use crate::{Budget, CallLine, EventKind, allocated};

/// The line of each function's last call, by the function's number in the file.
type Last = Vec<CallLine>;

/// Makes the payload of a section.
#[derive(Debug, Clone, Default)]
pub(super) struct LineWriter {
    last: Last,
    bytes: Vec<u8>,
}

impl LineWriter {
    /// The payload for calls among events. A function that is not among the first `symbols`
    /// counts as the first.
    pub(super) fn of_events(&mut self, events: &[RawEvent], symbols: usize) -> &[u8] {
        let calls = events.iter().filter_map(|event| match event.what.kind() {
            EventKind::Enter(symbol) if symbol.index() < symbols => {
                Some((symbol.index(), event.what.line()))
            }
            EventKind::Enter(_) => Some((0, event.what.line())),
            EventKind::Leave | EventKind::Switch(_) => None,
        });
        self.bytes.clear();
        put(&mut self.bytes, 0);
        put(&mut self.bytes, calls.clone().count() as u64);
        for (symbol, at) in calls {
            let Some(last) = last_of(&mut self.last, symbol) else {
                continue;
            };
            let step = zigzag(i64::from(at.line) - i64::from(last.line));
            put(&mut self.bytes, step << 1 | u64::from(at.file != last.file));
            if at.file != last.file {
                put(&mut self.bytes, u64::from(at.file));
            }
            *last = at;
        }
        &self.bytes
    }

    /// The payload for names of files.
    pub(super) fn of_files(&mut self, names: &[Box<[u8]>]) -> &[u8] {
        self.bytes.clear();
        put(&mut self.bytes, names.len() as u64);
        for name in names {
            put_bytes(&mut self.bytes, name);
        }
        put(&mut self.bytes, 0);
        &self.bytes
    }
}

/// The line of a function's last call; none for no function.
fn last_of(last: &mut Last, symbol: usize) -> Option<&mut CallLine> {
    if last.len() <= symbol {
        last.resize(symbol + 1, CallLine::UNKNOWN);
    }
    last.get_mut(symbol)
}

/// The noun in the budget's error message.
const LINES: &str = "source lines";

/// Reads sections.
#[derive(Debug)]
pub(super) struct LineReader {
    files: Vec<Box<[u8]>>,
    last: Last,
    /// There was a section.
    pub(super) is_used: bool,
    /// How many calls of the next section have lines, their bytes, and where these begin.
    calls: usize,
    bytes: Vec<u8>,
    offset: u64,
    budget: Budget,
}

impl LineReader {
    pub(super) fn within(budget: &Budget) -> Self {
        Self {
            files: Vec::new(),
            last: Last::new(),
            is_used: false,
            calls: 0,
            bytes: Vec::new(),
            offset: 0,
            budget: budget.clone(),
        }
    }

    /// The names of the files so far, by [`CallLine::file`] less one.
    pub(super) fn files(&self) -> &[Box<[u8]>] {
        &self.files
    }

    /// Reads the names of files, and keeps what belongs to the calls that follow.
    pub(super) fn take(&mut self, mut cursor: Cursor<'_>) -> Result<(), Error> {
        for _ in 0..cursor.count()? {
            let name = cursor.bytes()?;
            self.budget.take(allocated(name.len()), LINES)?;
            self.budget.room(&mut self.files, LINES)?;
            self.files.push(name.into());
        }
        if self.calls > 0 {
            return Err(cursor.broken("lines without their calls"));
        }
        self.is_used = true;
        self.calls = cursor.count()?;
        self.offset = cursor.offset();
        self.bytes.clear();
        self.bytes.extend_from_slice(cursor.rest());
        if self.calls == 0 {
            cursor.finish()?;
        }
        Ok(())
    }

    /// Whether the next calls have lines.
    pub(super) fn has_lines(&self) -> bool {
        self.calls > 0
    }

    /// The lines of calls, whose functions have these numbers in the file.
    pub(super) fn of_calls(&mut self, numbers: &[u32]) -> Result<Vec<CallLine>, Error> {
        let mut cursor = Cursor::new(&self.bytes, self.offset);
        if self.calls != numbers.len() {
            return Err(cursor.broken("not as many lines as calls"));
        }
        self.calls = 0;
        let mut lines = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some(last) = last_of(&mut self.last, *number as usize) else {
                continue;
            };
            let head = cursor.number()?;
            let line = i64::from(last.line).checked_add(unzigzag(head >> 1));
            let line = line.and_then(|line| u32::try_from(line).ok());
            last.line = line.ok_or_else(|| cursor.broken("a line of more than 32 bits"))?;
            if head & 1 == 1 {
                last.file = cursor.number_32()?;
                if last.file as usize > self.files.len() {
                    return Err(cursor.broken("no path has this number"));
                }
            }
            lines.push(*last);
        }
        cursor.finish()?;
        Ok(lines)
    }
}
