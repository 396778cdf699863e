//! The slow paths of entry and exit: the first call by a caller, frames that a bailout
//! left behind, limits that were reached.

use super::calls::{Calls, Token};
use super::frames::{Frame, Frames};
use super::site::CallSite;
use crate::events::EventLog;
use crate::table::{
    CallTable, Callees, FreedAtEnd, NONE, Place, ROOT, Row, SINK, Shape, TRUNCATED,
    outermost_of_early,
};
use crate::{Plan, Reading, SymbolId};

impl Calls {
    /// No stack, no symbol and no memory.
    pub(crate) const fn none() -> Self {
        Self {
            shape: Shape::Edges,
            max_depth: 0,
            frames: Frames::none(),
            callees: Callees::new(),
            table: CallTable::none(),
            freed: FreedAtEnd::NONE,
            events: EventLog::none(),
            truncated: false,
        }
    }

    /// The calls of a profile that begins, in the memory of an earlier one.
    pub(crate) fn new_in(earlier: Self, shape: Shape, max_depth: usize, max_rows: usize) -> Self {
        let max_depth = max_depth.max(1);
        let mut calls = Self {
            shape,
            max_depth,
            table: CallTable::new_in(earlier.table, max_rows),
            callees: Callees::new_in(earlier.callees),
            ..Self::none()
        };
        // main() and [truncated].
        calls.add_symbol();
        calls.add_symbol();
        let base = Frame::base(calls.root_context(), Reading::default());
        calls.frames = Frames::new_in(earlier.frames, max_depth, base);
        calls
    }

    /// The memory of a profile that has ended, less what is too large to be kept.
    pub(crate) fn reusable(self) -> Self {
        Self {
            table: self.table.reusable(),
            callees: self.callees.reusable(),
            frames: self.frames.reusable(),
            ..Self::none()
        }
    }

    /// A copy, without the events.
    pub(crate) fn clone_without_events(&self) -> Self {
        Self {
            frames: self.frames.clone(),
            callees: self.callees.clone(),
            table: self.table.clone(),
            events: EventLog::none(),
            ..*self
        }
    }

    /// Creates a new symbol; [`TRUNCATED`] without memory for one.
    pub(crate) fn add_symbol(&mut self) -> SymbolId {
        let symbol = self.callees.symbols();
        if self.callees.add_symbol() {
            SymbolId(symbol)
        } else {
            TRUNCATED
        }
    }

    /// The caller's key of calls by the root.
    pub(crate) fn root_context(&self) -> u32 {
        match self.shape {
            Shape::Edges | Shape::Events => 0,
            Shape::Tree => ROOT,
        }
    }

    /// The symbol of the function whose calls have that context.
    pub(crate) fn symbol_of(&self, context: u32) -> SymbolId {
        SymbolId(match self.shape {
            Shape::Edges => self.callees.symbol_and_level(context).0,
            Shape::Tree => {
                let row = self.table.rows.get(context as usize);
                row.map_or(0, Row::callee)
            }
            Shape::Events => context,
        })
    }

    /// Notes any call; none if the stack has its maximum depth.
    #[inline(never)]
    pub(crate) fn enter_slowly<P: Plan>(
        &mut self,
        symbol: SymbolId,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Option<Token> {
        // Most calls are here because another row has the first slot of the index.
        let known = self.enter_known::<P>(symbol.index(), site, &read, CallTable::search);
        if known.is_some() {
            return known;
        }
        if self.frames.last().is_none_or(|top| top.is_stale(site)) {
            self.drop_stale::<P>(site, read());
        }
        let caller = self.frames.last()?.place;
        let place = self.place_of_next::<P>(symbol, site)?;
        let from = Self::line_of_event::<P>(caller, site);
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
                self.events.enter::<P>(symbol, from, top.start);
            }
            if P::ENDS_EARLY && P::MEMORY {
                self.freed.settle(top.start, &mut self.table);
            }
        }
        Some(Token(mark))
    }

    /// Notes a call of [`TRUNCATED`], which is charged with all deeper calls.
    #[cold]
    pub(crate) fn enter_truncated<P: Plan>(
        &mut self,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Option<Token> {
        self.truncated = true;
        let limit = std::mem::replace(&mut self.max_depth, usize::MAX);
        let entered = self.enter_slowly::<P>(TRUNCATED, site, read);
        self.max_depth = limit;
        entered
    }

    /// Notes that the innermost call returned, however it was entered; false if it is
    /// not the token's. `has_variables`: PHP destroys them after this, see
    /// [`FreedAtEnd`].
    #[inline]
    pub(crate) fn leave_top<P: Plan>(
        &mut self,
        token: Token,
        has_variables: bool,
        read: impl Fn() -> Reading,
    ) -> bool {
        let Some(&top) = self.frames.last().filter(|top| top.mark == token.0) else {
            return false;
        };
        let now = read();
        self.settle::<P>(now);
        self.frames.popped();
        self.close::<P>(top, now);
        if has_variables && P::ENDS_EARLY && P::MEMORY && !P::EVENTS {
            self.freed = FreedAtEnd::of(top.place.row, now.memory);
        }
        true
    }

    /// Whether the call is open.
    pub(crate) fn is_open(&self, token: Token) -> bool {
        let mut frames = self.frames.iter().skip(1);
        frames.any(|frame| frame.mark == token.0)
    }

    /// Closes the frame of an open call, and those above it.
    pub(crate) fn close_down_to<P: Plan>(&mut self, token: Token, now: Reading) {
        while let Some(frame) = self.frames.pop() {
            self.close::<P>(frame, now);
            if frame.mark == token.0 {
                return;
            }
        }
    }

    /// Closes all frames of the running stack.
    pub(crate) fn close_all<P: Plan>(&mut self, now: Reading) {
        while let Some(frame) = self.frames.pop() {
            self.close::<P>(frame, now);
        }
    }

    /// Closes frames that a bailout left behind.
    #[cold]
    #[inline(never)]
    pub(crate) fn drop_stale<P: Plan>(&mut self, site: &impl CallSite, now: Reading) {
        while let Some(frame) = self.frames.pop_if(|top| top.is_stale(site)) {
            self.close::<P>(frame, now);
        }
    }

    /// Notes an event at `now`.
    pub(crate) fn settle<P: Plan>(&mut self, now: Reading) {
        if P::ENDS_EARLY && P::MEMORY {
            self.freed.settle(now, &mut self.table);
        }
    }

    /// The place of a call of `symbol` by the innermost open function; none if
    /// the stack has its maximum depth, or there is no memory.
    pub(crate) fn place_of_next<P: Plan>(
        &mut self,
        symbol: SymbolId,
        site: &impl CallSite,
    ) -> Option<Place> {
        let top = *self.frames.last()?;
        let can_push = self.frames.len() <= self.max_depth && self.frames.reserve(top);
        can_push.then(|| self.find_place::<P>(top.place.context, symbol.0, site))
    }

    fn find_place<P: Plan>(&mut self, caller: u32, symbol: u32, site: &impl CallSite) -> Place {
        if P::EVENTS {
            return Place::of_event(symbol);
        }
        if P::TREE {
            let line = if P::LINES {
                let line = site.line(self.table.function(caller));
                self.table.line_row(caller, line)
            } else {
                Some(caller)
            };
            return match line.and_then(|line| self.table.row(line, symbol)) {
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
        // In edges its activation is always the outermost: [truncated] never nests.
        let truncated = match self.shape {
            Shape::Edges | Shape::Events => outermost_of_early(TRUNCATED.0),
            Shape::Tree => TRUNCATED.0,
        };
        let is_inside = self.symbol_of(caller) == TRUNCATED;
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
}
