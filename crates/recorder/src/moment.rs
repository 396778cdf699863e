//! Queries about the innermost call, for spans: its entry time and its caller.
//!
//! Instants are ticks since the beginning of the profile, without pauses.

use crate::call_table::{Row, Shape};
use crate::{Reading, Recorder, SymbolId, Ticks};

impl Recorder {
    /// The entry time of the innermost call.
    #[must_use]
    pub fn entered(&self) -> Ticks {
        let top = self.frames.last();
        top.map_or(Ticks::ZERO, |frame| frame.start.wall.since(self.start.wall))
    }

    /// The caller of the innermost call.
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
                row.map_or(0, Row::callee)
            }
            Shape::Events => context,
        })
    }

    /// The instant of `now`; during a pause, the instant of its beginning.
    #[must_use]
    pub fn moment(&self, now: Reading) -> Ticks {
        let now = self.paused.unwrap_or(now);
        now.wall.since(self.start.wall)
    }
}
