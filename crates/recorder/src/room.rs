//! The beginning of a profile, in new memory or in that of an earlier one.

use crate::call_table::{CallTable, Shape};
use crate::callees::Callees;
use crate::frames::{Frame, Frames};
use crate::{Reading, Recorder};

/// Memory for a profile. What it was used for is overwritten.
///
/// A server's worker records one profile after another, and need not allocate and free the
/// tables of each.
#[derive(Debug)]
pub struct Room(Recorder);

impl Default for Room {
    /// None yet.
    fn default() -> Self {
        Self(Recorder::idle())
    }
}

impl Recorder {
    /// Begins a profile. `main()` is open from the reading of `read`, which is
    /// taken last.
    ///
    /// `max_depth` limits the recorded stack, `max_rows` the table.
    #[must_use]
    pub fn new(
        shape: Shape,
        max_depth: usize,
        max_rows: usize,
        read: impl FnOnce() -> Reading,
    ) -> Self {
        Self::new_in(Room::default(), shape, max_depth, max_rows, read)
    }

    /// [`new`](Self::new) in the memory of an earlier profile.
    #[must_use]
    pub fn new_in(
        room: Room,
        shape: Shape,
        max_depth: usize,
        max_rows: usize,
        read: impl FnOnce() -> Reading,
    ) -> Self {
        let max_depth = max_depth.max(1);
        let Room(earlier) = room;
        let mut recorder = Self {
            shape,
            max_depth,
            table: CallTable::new_in(earlier.table, max_rows),
            callees: Callees::new_in(earlier.callees),
            ..Self::idle()
        };
        recorder.add_symbol();
        recorder.add_symbol();
        let base = Frame::base(recorder.root_context(), Reading::default());
        recorder.frames = Frames::new_in(earlier.frames, max_depth, base);
        recorder.start = read();
        recorder
    }

    /// The memory of a profile that has ended, less what is too large to be kept.
    #[must_use]
    pub fn into_room(self) -> Room {
        Room(Self {
            table: self.table.reusable(),
            callees: self.callees.reusable(),
            frames: self.frames.reusable(),
            ..Self::idle()
        })
    }
}
