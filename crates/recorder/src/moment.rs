//! When and by whom: what is asked of a recorder about the call that has just
//! been entered, for spans.
//!
//! Instants are ticks since the profile began, in which it was not paused.

use crate::call_table::Shape;
use crate::{Reading, Recorder, SymbolId};

impl Recorder {
    /// When the call was entered that is on top of the stack.
    #[must_use]
    pub fn entered(&self) -> u64 {
        let top = self.frames.last();
        top.map_or(0, |frame| frame.start.wall.saturating_sub(self.start.wall))
    }

    /// Who called what is on top of the stack.
    #[must_use]
    pub fn caller(&self) -> SymbolId {
        let below = self.frames.len().checked_sub(2);
        let frame = below.and_then(|place| self.frames.get(place));
        let Some(frame) = frame else {
            return Self::MAIN;
        };
        let context = frame.place.context;
        SymbolId(match self.shape {
            Shape::Edges => self.callees.symbol_and_level(context).0,
            Shape::Tree => {
                let row = self.table.rows.get(context as usize);
                row.map_or(0, |row| row.callee)
            }
            Shape::Events => context,
        })
    }

    /// When `now` is; the beginning of the pause, if there is one.
    #[must_use]
    pub fn moment(&self, now: Reading) -> u64 {
        let now = self.paused.unwrap_or(now);
        now.wall.saturating_sub(self.start.wall)
    }
}
