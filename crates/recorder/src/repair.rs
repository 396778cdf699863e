//! What happens rarely: frames that a jump left behind, and limits that were
//! met. Kept out of `recorder.rs`, so that the hot path is short to read.

use crate::call_table::{SINK, Shape};
use crate::recorder::Entered;
use crate::{CallSite, Plan, Reading, Recorder};

impl Recorder {
    /// Opens a frame of [`TRUNCATED`](Self::TRUNCATED) where a limit was met,
    /// to be charged with everything deeper. Leave it like any other.
    #[cold]
    pub fn enter_truncated<P: Plan>(
        &mut self,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Entered {
        self.truncated = true;
        let limit = std::mem::replace(&mut self.max_depth, usize::MAX);
        let entered = self.enter::<P>(Self::TRUNCATED, site, read);
        self.max_depth = limit;
        entered
    }

    /// The table is full: the first call past it goes to a `[truncated]` row
    /// beside its siblings, and what that calls goes nowhere.
    #[cold]
    pub(crate) fn truncated_row(&mut self, caller: u32, callee: u32) -> (u32, u32) {
        self.truncated = true;
        if self.shape == Shape::Edges {
            self.levels.close(callee);
        }
        // Its activation is always the outermost: [truncated] never nests.
        let truncated = Self::TRUNCATED.0;
        let is_inside = match self.shape {
            Shape::Edges => caller == truncated,
            Shape::Tree => self
                .table
                .rows
                .get(caller as usize)
                .is_some_and(|row| row.callee == truncated),
        };
        if is_inside {
            return (SINK, caller);
        }
        match self.table.row_past_limit(caller, truncated) {
            Some(row) if self.shape == Shape::Tree => (row, row),
            Some(row) => (row, truncated),
            None => (SINK, caller),
        }
    }

    /// Closes frames that a jump left behind.
    #[cold]
    #[inline(never)]
    pub(crate) fn drop_stale<P: Plan>(&mut self, site: &impl CallSite, now: Reading) {
        while self.frames.len() > 1
            && let Some(frame) = self.frames.pop_if(|top| top.is_stale(site))
        {
            self.close::<P>(frame, now);
        }
    }

    /// Closes frames above `depth`; false if the frame at `depth` is gone.
    #[cold]
    #[inline(never)]
    pub(crate) fn cut_back<P: Plan>(&mut self, depth: usize, now: Reading) -> bool {
        if self.frames.len() <= depth {
            return false;
        }
        while self.frames.len() > depth + 1
            && let Some(frame) = self.frames.pop()
        {
            self.close::<P>(frame, now);
        }
        true
    }
}
