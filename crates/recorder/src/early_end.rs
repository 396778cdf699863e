//! Returns that are reported before the function's variables are destroyed: see
//! [`EndedCall`].

use crate::ended::EndedCall;
use crate::{Plan, Reading, Recorder};

impl Recorder {
    /// [`leave`](Self::leave) for a user function whose variables are destroyed after
    /// its end was reported. `mark` is that of its frame.
    #[inline]
    pub fn end_marked<P: Plan>(&mut self, mark: usize, read: impl FnOnce() -> Reading) -> bool {
        let Some(&top) = self.frames.last().filter(|top| top.mark == mark) else {
            return self.leave_skipped::<P>(mark, read);
        };
        let now = read();
        self.settle::<P>(now);
        self.frames.popped();
        self.close::<P>(top, now);
        if P::ENDS_EARLY && P::MEMORY && !P::EVENTS {
            self.ended = EndedCall::new(top.place.row, now.memory);
        }
        true
    }

    /// Notes an event at `now`, off the hot path.
    pub(crate) fn settle<P: Plan>(&mut self, now: Reading) {
        if P::ENDS_EARLY && P::MEMORY {
            self.ended.settle(now, &mut self.table);
        }
    }
}
