//! Rows for the lines that functions are called from: between the row of a caller in a
//! tree and those of its callees. They have no calls and no cost of their own.
//!
//! So a call with a line takes one more search of the same index, and frames, fibers and
//! limits need not know.

use super::rows::{CallTable, Row};
use crate::{CallLine, SymbolId};

/// Set in the key of such a row, instead of a callee: no symbol has this bit.
const IS_LINE: u32 = 1 << 31;
/// Set besides in the key of a row for a file, whose rows for lines are below it.
const IS_FILE: u32 = 1 << 30;
/// The rest of the key: the line, or the number of the file.
const NUMBER: u32 = IS_FILE - 1;

impl CallTable {
    /// The function of a row.
    #[inline(always)]
    pub(crate) fn function(&self, row: u32) -> SymbolId {
        SymbolId(self.rows.get(row as usize).map_or(0, Row::callee))
    }

    /// The keys of the rows between that of a caller and that of a call from a line.
    #[inline(always)]
    pub(crate) fn keys_of(CallLine { file, line }: CallLine) -> [Option<u32>; 2] {
        let is_known = line > 0 && line <= NUMBER && file <= NUMBER;
        [
            (is_known && file > 0).then_some(IS_LINE | IS_FILE | file),
            is_known.then_some(IS_LINE | line),
        ]
    }

    /// The parent of a call's row: that of the line, or of the caller if the line is not
    /// known. None when the table is full.
    pub(crate) fn line_row(&mut self, caller: u32, line: CallLine) -> Option<u32> {
        let mut keys = Self::keys_of(line).into_iter().flatten();
        keys.try_fold(caller, |parent, key| self.row(parent, key))
    }
}

impl Row {
    /// Whether it is one of these rows.
    pub(super) fn is_line(&self) -> bool {
        self.callee() & IS_LINE != 0
    }

    /// What the row adds to the line of the calls below it.
    pub(super) fn add_to(&self, mut at: CallLine) -> CallLine {
        let number = self.callee() & NUMBER;
        match self.callee() & IS_FILE {
            0 => at.line = number,
            _ => at.file = number,
        }
        at
    }
}
