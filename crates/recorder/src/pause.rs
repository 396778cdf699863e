//! A profile that is set aside for a while: nothing is recorded, no time passes.
//!
//! Calls that were open may return meanwhile, and fibers may switch; both must
//! be known, or calls that are long over would be taken for open later. So a
//! paused recorder still hears of returns and switches, which all seem to
//! happen in the instant of the pause. A frame that no token fits lies on top
//! of the stack: it keeps every return off the hot path.
//!
//! **Invariant:** while a recorder is paused, that frame is the topmost of the
//! running stack, and of no other.

use crate::callees::Place;
use crate::fiber::FiberId;
use crate::recorder::Frame;
use crate::{CallSite, Plan, Reading, Recorder, SymbolId};

impl Recorder {
    /// The mark of the frame that lies on top while nothing is recorded: no
    /// call's, because calls have addresses.
    const PAUSE_MARK: usize = 2;

    /// Whether it is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// Stops recording until [`resume`](Self::resume). Calls must not be
    /// entered meanwhile.
    pub fn pause<P: Plan>(&mut self, now: Reading) {
        if self.paused.is_none() {
            self.settle_all::<P>(now);
            self.lay_on_top(now);
        }
    }

    /// Goes on recording: whatever passed since the pause passed for nobody.
    ///
    /// The clocks may have another origin by now, but must tick as before.
    pub fn resume<P: Plan>(&mut self, site: &impl CallSite, now: Reading) {
        let Some(since) = self.take_off() else { return };
        let pause = Reading {
            wall: now.wall.wrapping_sub(since.wall),
            cpu: now.cpu.wrapping_sub(since.cpu),
            memory: now.memory.wrapping_sub(since.memory),
            peak: now.peak.wrapping_sub(since.peak),
        };
        self.delay(pause);
        self.delay_fibers(pause);
        self.events.delay(pause);
        // Frames that were jumped over.
        self.drop_stale::<P>(site, now);
    }

    /// Records, while paused, a call of `symbol` that took `time` and made no
    /// call: what another profile recorded meanwhile. It is a callee of the
    /// innermost function that is still open, and the pause begins after it.
    pub fn pass<P: Plan>(&mut self, symbol: SymbolId, time: Reading, site: &impl CallSite) {
        let Some(since) = self.take_off() else { return };
        // Frames that were jumped over have no callees any more.
        self.drop_stale::<P>(site, since);
        let now = since.delayed_by(time);
        if let Some(place) = self.place_of_next::<P>(symbol) {
            if P::EVENTS {
                self.events.enter::<P>(symbol, since);
            }
            let frame = Frame {
                mark: Self::PAUSE_MARK,
                place,
                start: since,
            };
            self.close::<P>(frame, now);
        }
        self.lay_on_top(now);
    }

    /// Lets `act` see the stack without the frame on top.
    pub(crate) fn uncovered<R>(&mut self, act: impl FnOnce(&mut Self) -> R) -> R {
        let Some(since) = self.take_off() else {
            return act(self);
        };
        let result = act(self);
        self.lay_on_top(since);
        result
    }

    /// A call that was open when the pause began returns.
    pub(crate) fn leave_paused<P: Plan>(&mut self, mark: usize, since: Reading) {
        self.uncovered(|recorder| {
            let is_it = |frame: &Frame| frame.mark & !Self::GOES_ON == mark;
            let depth = recorder.frames.iter().rposition(is_it);
            if let Some(depth) = depth.filter(|&depth| depth > 0)
                && recorder.cut_back::<P>(depth, since)
                && let Some(frame) = recorder.frames.pop()
            {
                recorder.close::<P>(frame, since);
            }
        });
    }

    /// The thread switches fibers while nothing is recorded.
    pub(crate) fn switch_paused<P: Plan>(&mut self, from: FiberId, to: FiberId, since: Reading) {
        self.uncovered(|recorder| recorder.fiber_switched::<P>(from, to, since));
    }

    fn lay_on_top(&mut self, since: Reading) {
        self.paused = Some(since);
        self.frames.push(Frame {
            mark: Self::PAUSE_MARK,
            place: Place::NOWHERE,
            start: since,
        });
    }

    pub(crate) fn take_off(&mut self) -> Option<Reading> {
        let since = self.paused.take()?;
        self.frames.pop();
        Some(since)
    }
}
