//! The profile as a whole: what is asked of it and done with it, off the hot path.

use crate::call_table::{ROOT, Shape};
use crate::event_log::{EventLog, EventSink};
use crate::{Plan, Reading, Recorder, SymbolId};

impl Recorder {
    /// The reading at the beginning of the profile.
    #[must_use]
    pub fn started(&self) -> Reading {
        self.start
    }

    /// Passes events to `sink` from now on, for [`Shape::Events`]; false without memory
    /// for them.
    #[must_use]
    pub fn set_sink(&mut self, sink: Box<dyn EventSink>) -> bool {
        let log = EventLog::for_sink(sink);
        let has_memory = log.is_some();
        self.events = log.unwrap_or(EventLog::none());
        has_memory
    }

    /// Drops the events, also those that the sink has: the profile is not wanted.
    pub fn discard_events(&mut self) {
        self.events.discard();
    }

    /// In the child of a fork: the recorded calls belong to the parent, and the
    /// open calls begin now.
    pub fn begin_events_anew(&mut self, now: Reading) {
        if self.shape == Shape::Events {
            let now = self.paused.unwrap_or(now);
            self.uncovered(|recorder| {
                let open = recorder.frames.iter().skip(1);
                let symbols = open.map(|frame| SymbolId(frame.place.context));
                recorder.events.begin_anew(symbols, now);
                recorder.start = now;
            });
        }
    }

    /// A snapshot: the profile as if it ended now, without ending it; without
    /// events.
    #[must_use]
    pub fn snapshot<P: Plan>(&self, now: Reading) -> Self {
        let mut snapshot = Self {
            shape: self.shape,
            max_depth: self.max_depth,
            frames: self.frames.clone(),
            callees: self.callees.clone(),
            table: self.table.clone(),
            fibers: self.fibers.clone(),
            ended: self.ended,
            start: self.start,
            truncated: self.truncated,
            events: EventLog::none(),
            paused: self.paused,
        };
        snapshot.finish::<P>(now);
        snapshot
    }

    /// The number of edges, or paths, so far.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.table.rows.len().saturating_sub(ROOT as usize)
    }

    /// The shape that the recorder was created with.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the recording reached a limit.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The number of open frames above `main()` on the current stack.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// Ends the profile: closes every open frame as if it returned now.
    pub fn finish<P: Plan>(&mut self, now: Reading) {
        let now = self.take_off().unwrap_or(now);
        self.settle::<P>(now);
        self.end_fibers::<P>(now);
        self.close_open::<P>(now);
        if P::EVENTS {
            self.events.finish(now);
        }
        let total = now.since(self.start);
        if let Some(root) = self.table.rows.get_mut(ROOT as usize) {
            root.calls = 1;
            root.cost = total;
        }
    }

    /// Closes every frame of the running stack.
    pub(crate) fn close_open<P: Plan>(&mut self, now: Reading) {
        while self.frames.len() > 1
            && let Some(frame) = self.frames.pop()
        {
            self.close::<P>(frame, now);
        }
    }
}
