//! The frame stack: the running calls, their start, and their callers.
//!
//! The engines call it at every entry and exit of a profiled function, so this
//! file, `callees.rs` and `call_table.rs` are the hot path: no I/O, no string,
//! no lock, no clock of their own, and no allocation once the tables have grown
//! to their size.
//!
//! **Exits are not guaranteed.** A fatal error (bailout) skips the exits of
//! frames. Each frame has a mark by which its engine can tell that it no longer
//! exists: the next entry drops such frames, and a return closes the frames
//! above the one that its [`Token`] names.

use crate::call_table::{CallTable, ROOT, Shape};
use crate::callees::{Callees, Place};
use crate::ended::EndedCall;
use crate::event_log::EventLog;
use crate::fiber::Fibers;
use crate::frames::{Frame, Frames};
use crate::{CallSite, Plan, Reading, SymbolId};

/// Identifies an entry until the call returns: its frame's mark.
///
/// Plain data without a destructor: a `longjmp` may skip the frame that holds
/// it. No two open calls have the same mark, and every entry drops the frames
/// that no longer exist. So a token of a dropped frame, or of an earlier
/// profile, matches none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token(usize);

/// The result of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// Recorded; hand the token to [`Recorder::leave`].
    Recorded(Token),
    /// The stack has its maximum depth. Nothing was pushed.
    TooDeep,
}

/// Records one profile.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) shape: Shape,
    pub(crate) max_depth: usize,
    pub(crate) frames: Frames,
    pub(crate) callees: Callees,
    pub(crate) table: CallTable,
    pub(crate) fibers: Fibers,
    /// The call whose variables are not destroyed yet, for [`Plan::ENDS_EARLY`].
    pub(crate) ended: EndedCall,
    pub(crate) start: Reading,
    pub(crate) truncated: bool,
    pub(crate) events: EventLog,
    /// The beginning of the pause, while paused.
    pub(crate) paused: Option<Reading>,
}

impl Token {
    #[inline(always)]
    pub(crate) fn new(mark: usize) -> Self {
        Self(mark)
    }
}

impl Recorder {
    /// The symbol of the root.
    pub const MAIN: SymbolId = SymbolId(0);
    /// The mark of the bottom of every stack, which always exists.
    pub const BASE_MARK: usize = Frame::BASE_MARK;
    /// The symbol for calls beyond a limit.
    pub const TRUNCATED: SymbolId = SymbolId(1);

    /// A recorder that records nothing: no symbol, no stack, no memory. So the
    /// hot path need not check whether there is one.
    #[must_use]
    pub const fn idle() -> Self {
        Self {
            shape: Shape::Edges,
            max_depth: 0,
            frames: Frames::none(),
            callees: Callees::new(),
            table: CallTable::none(),
            fibers: Fibers::none(),
            ended: EndedCall::NONE,
            start: Reading::ZERO,
            truncated: false,
            events: EventLog::none(),
            paused: None,
        }
    }

    /// This recorder, unless it is [`idle`](Self::idle).
    #[inline]
    pub fn running(&mut self) -> Option<&mut Self> {
        (!self.frames.is_empty()).then_some(self)
    }

    /// Creates a new symbol; they are numbered in order, from
    /// [`TRUNCATED`](Self::TRUNCATED) on.
    pub fn add_symbol(&mut self) -> SymbolId {
        let symbol = self.callees.symbols();
        if self.callees.add_symbol() {
            SymbolId(symbol)
        } else {
            Self::TRUNCATED
        }
    }

    pub(crate) fn root_context(&self) -> u32 {
        match self.shape {
            Shape::Edges | Shape::Events => 0,
            Shape::Tree => ROOT,
        }
    }

    /// Notes that `symbol` was called.
    ///
    /// `read` is called last, so that this function's own time is not charged
    /// to the callee.
    #[inline]
    pub fn enter<P: Plan>(
        &mut self,
        symbol: SymbolId,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Entered {
        match self.again::<P, false>(symbol.index(), site, &read) {
            Some(token) => Entered::Recorded(token),
            None => self.enter_new::<P>(symbol, site, read),
        }
    }

    /// Notes that the symbol of that number was called, if the fast path
    /// applies: not the first call by this caller, no repair needed, room on the
    /// stack. Otherwise, or if no symbol has that number, nothing changes.
    ///
    /// Pass the token to [`leave_again`](Self::leave_again).
    #[inline(always)]
    pub fn enter_again<P: Plan>(
        &mut self,
        symbol: usize,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Option<Token> {
        self.again::<P, true>(symbol, site, read)
    }

    #[inline(always)]
    fn again<P: Plan, const IN_HOOK: bool>(
        &mut self,
        symbol: usize,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Option<Token> {
        let (top, slot) = self.frames.top_and_slot()?;
        if top.is_stale(site) {
            return None;
        }
        let mark = site.mark();
        if P::EVENTS {
            let symbol = self.callees.symbol(symbol)?;
            slot.become_event(mark, symbol);
            let now = read();
            // Only the start is needed: when the call was entered.
            slot.start.wall = now.wall;
            self.events.enter::<P>(SymbolId(symbol), now);
        } else {
            let caller = top.place.context;
            slot.place = if P::TREE {
                let callee = self.callees.symbol(symbol)?;
                Place::of_path(self.table.find::<IN_HOOK>(caller, callee)?)
            } else {
                let next = self.callees.next(symbol)?;
                let activation = *next;
                let row = self.table.find::<IN_HOOK>(caller, activation)?;
                *next = activation.wrapping_add(1);
                Place {
                    restore: activation,
                    row,
                    context: activation,
                    #[expect(clippy::cast_possible_truncation, reason = "symbols are u32")]
                    symbol: symbol as u32,
                }
            };
            slot.mark = mark;
            slot.start.read::<P>(read);
            if P::ENDS_EARLY && P::MEMORY {
                self.ended.settle(slot.start, &mut self.table);
            }
        }
        self.frames.pushed();
        Some(Token(mark))
    }

    /// Notes that the call behind `token` returned.
    ///
    /// Ignores a token of an earlier profile, or of a dropped frame, and
    /// returns false. Frames above it, whose exits a bailout skipped, are
    /// closed too.
    #[inline(always)]
    pub fn leave<P: Plan>(&mut self, token: Token, read: impl FnOnce() -> Reading) -> bool {
        // Checked before the clock is read: the clock of an earlier profile may
        // no longer exist.
        match self.frames.last() {
            Some(top) if top.mark == token.0 => {
                let now = read();
                if P::ENDS_EARLY && P::MEMORY {
                    self.ended.settle(now, &mut self.table);
                }
                let frame = *top;
                self.frames.popped();
                self.close::<P>(frame, now);
                true
            }
            _ => self.leave_skipped::<P>(token.0, read),
        }
    }

    /// [`leave`](Self::leave) for a token of
    /// [`enter_again`](Self::enter_again): the call that made the row makes it
    /// visible when it ends.
    #[inline(always)]
    pub fn leave_again<P: Plan>(&mut self, token: Token, read: impl FnOnce() -> Reading) -> bool {
        match self.frames.last() {
            Some(top) if top.mark == token.0 => {
                let now = read();
                if P::ENDS_EARLY && P::MEMORY {
                    self.ended.settle(now, &mut self.table);
                }
                if P::EVENTS {
                    self.events.leave::<P>(now);
                    self.frames.popped();
                    return true;
                }
                let place = &top.place;
                let Some(row) = self.table.rows.get_mut(place.row as usize) else {
                    self.forget_top();
                    return true;
                };
                row.add_call::<P>(now, top.start);
                if !P::TREE {
                    self.callees.close(place.symbol, place.restore);
                }
                self.frames.popped();
                true
            }
            _ => self.leave_skipped::<P>(token.0, read),
        }
    }

    /// Charges a frame that was popped.
    #[inline]
    pub(crate) fn close<P: Plan>(&mut self, frame: Frame, now: Reading) {
        let place = frame.place;
        if P::EVENTS {
            return self.events.leave::<P>(now);
        }
        if !P::TREE {
            self.callees.close(place.symbol, place.restore);
        }
        self.table.add_call::<P>(place.row, now, frame.start);
    }
}
