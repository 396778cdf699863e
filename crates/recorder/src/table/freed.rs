//! Memory that variables free after their function's end was reported.
//!
//! The observer engine reports a user function's end (`zend_observer_fcall_end`) before
//! PHP destroys its variables (`i_free_compiled_variables`). Destructors that run then
//! are calls by the function's caller, which also has their time. But the memory belongs
//! to the function: what is freed until the next event is taken from its row.

use super::rows::{CallTable, SINK};
use crate::Reading;

/// The user function that ended last, until the next event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FreedAtEnd {
    /// Its row; the sink if there is no such call.
    row: u32,
    /// PHP's memory at its reported end.
    memory: i64,
}

impl FreedAtEnd {
    pub(crate) const NONE: Self = Self {
        row: SINK,
        memory: 0,
    };

    pub(crate) fn of(row: u32, memory: i64) -> Self {
        Self { row, memory }
    }

    /// The next event happens at `now`: what was freed since the end belongs to the
    /// function that ended.
    #[inline(always)]
    pub(crate) fn settle(&mut self, now: Reading, table: &mut CallTable) {
        let freed = self.memory.wrapping_sub(now.memory);
        if self.row != SINK
            && freed > 0
            && let Some(row) = table.rows.get_mut(self.row as usize)
        {
            row.cost.memory = row.cost.memory.wrapping_sub(freed);
        }
        self.row = SINK;
    }
}
