//! Ends of user functions in the *observer* engine, which reports them before the
//! function's variables are destroyed (`zend_observer_fcall_end` comes before
//! `i_free_compiled_variables`).
//!
//! Destructors that run then are calls by the function's caller, which also has
//! their time. But the memory that they free belongs to the function: what is freed
//! until the next event is taken from its row.

use crate::Reading;
use crate::call_table::{CallTable, SINK};

/// The user function that ended last, until the next event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndedCall {
    /// Its row; the sink if there is no such call.
    row: u32,
    /// PHP's memory at its reported end.
    memory: i64,
}

impl EndedCall {
    pub(crate) const NONE: Self = Self {
        row: SINK,
        memory: 0,
    };

    pub(crate) fn new(row: u32, memory: i64) -> Self {
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
