//! Pauses a profile: nothing is recorded, and no time passes.
//!
//! During a pause, open calls may return and fibers may switch. The recorder
//! must know of both, or it would later treat ended calls as open. So a paused
//! recorder still receives returns and switches, all at the instant at which
//! the pause began. A frame that matches no token lies on top of the stack: it
//! keeps every return off the hot path.
//!
//! **Invariant:** during a pause, that frame is the topmost of the running stack, and
//! of no other.

use super::calls::Calls;
use super::frames::Frame;
use crate::Reading;
use crate::table::Place;

/// Since when the profile is paused, if it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pause {
    pub(crate) since: Option<Reading>,
}

impl Pause {
    /// No pause.
    pub(crate) const NONE: Self = Self { since: None };

    /// The mark of the frame on top during a pause. No call has it: the marks of calls
    /// are a program's addresses with flags, and those are in the lower half of all
    /// numbers. The recorder's own marks, this one and that of the bottom, are at the end
    /// of the upper half.
    const MARK: usize = Frame::BASE_MARK - 1;

    /// Begins a pause.
    pub(crate) fn begin(&mut self, calls: &mut Calls, since: Reading) {
        self.since = Some(since);
        calls.frames.push(Frame {
            mark: Self::MARK,
            place: Place::NOWHERE,
            start: since,
        });
    }

    /// Ends the pause; none if there is none.
    pub(crate) fn end(&mut self, calls: &mut Calls) -> Option<Reading> {
        let since = self.since.take()?;
        calls.frames.pop();
        Some(since)
    }
}
