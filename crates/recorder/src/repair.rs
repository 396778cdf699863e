//! The slow paths: frames that a bailout left behind, and limits that were
//! reached. Separate from `recorder.rs`, so that the hot path is short to read.

use crate::call_table::{NONE, SINK, Shape};
use crate::callees::{Place, outermost_of_early};
use crate::frames::Frame;
use crate::recorder::{Entered, Token};
use crate::{CallSite, Plan, Reading, Recorder, SymbolId};

impl Recorder {
    /// Opens a frame of [`TRUNCATED`](Self::TRUNCATED) at a limit, which is
    /// charged with all deeper calls. Close it like any other.
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

    /// Notes a call that is not on the fast path.
    #[inline(never)]
    pub(crate) fn enter_new<P: Plan>(
        &mut self,
        symbol: SymbolId,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Entered {
        if self.frames.last().is_none_or(|top| top.is_stale(site)) {
            self.drop_stale::<P>(site, read());
        }
        let depth = self.frames.len();
        let Some(top) = self.frames.last() else {
            return Entered::TooDeep;
        };
        if depth > self.max_depth {
            return Entered::TooDeep;
        }
        let top = *top;
        if !self.frames.has_room(top) {
            return Entered::TooDeep;
        }
        let caller = top.place.context;
        let place = self.find_place::<P>(caller, symbol.0);
        let mark = site.mark();
        self.frames.push(Frame {
            mark,
            place,
            start: Reading::default(),
        });
        // Last, after the stack may have grown.
        if let Some(top) = self.frames.last_mut() {
            top.start = read();
            if P::EVENTS {
                self.events.enter::<P>(symbol, top.start);
            }
            if P::ENDS_EARLY && P::MEMORY {
                self.ended.settle(top.start, &mut self.table);
            }
        }
        Entered::Recorded(Token::new(mark))
    }

    /// The place of a call of `symbol` by the innermost open function; none if
    /// the stack has its maximum depth.
    pub(crate) fn place_of_next<P: Plan>(&mut self, symbol: SymbolId) -> Option<Place> {
        let top = self.frames.last()?;
        let caller = top.place.context;
        (self.frames.len() <= self.max_depth).then(|| self.find_place::<P>(caller, symbol.0))
    }

    /// Notes the return of a call whose frame is not the topmost, or no longer
    /// exists.
    #[cold]
    #[inline(never)]
    pub(crate) fn leave_skipped<P: Plan>(
        &mut self,
        mark: usize,
        read: impl FnOnce() -> Reading,
    ) -> bool {
        // Its clock may have been removed with the profile in which it began.
        let is_there = |frame: &Frame| frame.mark == mark;
        if !self.frames.iter().skip(1).any(is_there) {
            return false;
        }
        if let Some(since) = self.paused {
            self.leave_paused::<P>(mark, since);
            return true;
        }
        let now = read();
        self.settle::<P>(now);
        let depth = self.frames.iter().rposition(is_there);
        if let Some(depth) = depth
            && self.cut_back::<P>(depth, now)
            && let Some(frame) = self.frames.pop()
        {
            self.close::<P>(frame, now);
        }
        true
    }

    /// Pops the topmost frame whose row does not exist, which never happens.
    #[cold]
    #[inline(never)]
    pub(crate) fn forget_top(&mut self) {
        self.frames.pop();
    }

    /// Finds the place of a call that differs from its callee's last one.
    fn find_place<P: Plan>(&mut self, caller: u32, symbol: u32) -> Place {
        if P::EVENTS {
            return Place::of_event(symbol);
        }
        if P::TREE {
            return match self.table.row(caller, symbol) {
                Some(row) => Place::of_path(row),
                None => self.truncated_place(caller),
            };
        }
        let Some((mut callee, restore)) = self.callees.open(symbol) else {
            return self.truncated_place(caller);
        };
        if callee == caller {
            // A fiber counts its own levels, from 0, and may begin with the
            // function that started it. An edge from a function to itself must
            // not result.
            if let Some((deeper, _)) = self.callees.open(symbol) {
                callee = deeper;
            }
        }
        match self.table.row(caller, callee) {
            Some(row) => Place {
                restore,
                row,
                context: callee,
                symbol,
            },
            None => {
                self.callees.close(symbol, restore);
                self.truncated_place(caller)
            }
        }
    }

    /// The table is full: the first call beyond the limit goes to a
    /// `[truncated]` row beside its siblings, and its callees are discarded.
    #[cold]
    fn truncated_place(&mut self, caller: u32) -> Place {
        self.truncated = true;
        let (truncated, is_inside) = match self.shape {
            // Its activation is always the outermost: [truncated] never nests.
            Shape::Edges | Shape::Events => {
                let truncated = outermost_of_early(Self::TRUNCATED.0);
                (truncated, caller == truncated)
            }
            Shape::Tree => {
                let row = self.table.rows.get(caller as usize);
                let truncated = Self::TRUNCATED.0;
                (truncated, row.is_some_and(|row| row.callee() == truncated))
            }
        };
        let row = if is_inside {
            None
        } else {
            self.table.row_past_limit(caller, truncated)
        };
        let (row, context) = match row {
            Some(row) if self.shape == Shape::Tree => (row, row),
            Some(row) => (row, truncated),
            None => (SINK, caller),
        };
        Place {
            restore: NONE,
            row,
            context,
            symbol: NONE,
        }
    }

    /// Closes frames that a bailout left behind.
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
