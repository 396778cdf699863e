//! The calls that are open now, and where their costs go: the hot path of every entry
//! and exit.
//!
//! **Exits are not guaranteed.** A fatal error (bailout) skips the exits of
//! frames. Each frame has a mark by which its engine can tell that it no longer
//! exists: the next entry drops such frames, and a return closes the frames
//! above the one that its [`Token`] names.
//!
//! An entry and an exit each have a fast path here, and a slow path in `slow_path.rs`.

use super::frames::{Frame, Frames};
use super::site::CallSite;
use crate::events::EventLog;
use crate::table::{CallTable, Callees, FreedAtEnd, Place, Shape};
use crate::{CallLine, Plan, Reading, SymbolId};

/// Identifies an entry until the call returns: its frame's mark.
///
/// Plain data without a destructor: a `longjmp` may skip the frame that holds
/// it. No two open calls have the same mark, and every entry drops the frames
/// that no longer exist. So a token of a dropped frame, or of an earlier
/// profile, matches none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token(pub(super) usize);

impl Token {
    /// The token of the call whose frame has that mark.
    #[inline(always)]
    #[must_use]
    pub fn of_mark(mark: usize) -> Self {
        Self(mark)
    }
}

/// The open calls of the running stack, and the table or log that they end in.
#[derive(Debug)]
pub(crate) struct Calls {
    pub(crate) shape: Shape,
    pub(crate) max_depth: usize,
    pub(crate) frames: Frames,
    pub(crate) callees: Callees,
    pub(crate) table: CallTable,
    pub(crate) freed: FreedAtEnd,
    pub(crate) events: EventLog,
    /// A limit was reached.
    pub(crate) truncated: bool,
}

impl Calls {
    /// Notes a call of the symbol of that number. None, and nothing changes, if this is
    /// a case for [`enter_slowly`](Self::enter_slowly).
    #[inline(always)]
    pub(crate) fn enter<P: Plan>(
        &mut self,
        symbol: usize,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Option<Token> {
        self.enter_known::<P>(symbol, site, read, CallTable::find)
    }

    /// [`enter`](Self::enter), if `find` finds the row.
    #[inline(always)]
    pub(super) fn enter_known<P: Plan>(
        &mut self,
        symbol: usize,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
        find: impl Fn(&mut CallTable, u32, u32) -> Option<u32>,
    ) -> Option<Token> {
        let (top, slot) = self.frames.top_and_slot()?;
        if top.is_stale(site) {
            return None;
        }
        let next = self.callees.next.get_mut(symbol)?;
        #[expect(clippy::cast_possible_truncation, reason = "symbols are u32")]
        let symbol = symbol as u32;
        let mark = site.mark();
        if P::EVENTS {
            let from = Self::line_of_event::<P>(top.place, site);
            slot.become_event(mark, symbol);
            let now = read();
            // Only the start is needed: when the call was entered.
            slot.start.wall = now.wall;
            self.events.enter::<P>(SymbolId(symbol), from, now);
        } else {
            let caller = top.place.context;
            slot.place = if P::TREE {
                let mut caller = caller;
                if P::LINES {
                    let line = site.line(self.table.function(caller));
                    for key in CallTable::keys_of(line).into_iter().flatten() {
                        caller = find(&mut self.table, caller, key)?;
                    }
                }
                Place::of_path(find(&mut self.table, caller, symbol)?)
            } else {
                let activation = *next;
                let row = find(&mut self.table, caller, activation)?;
                *next = activation.wrapping_add(1);
                Place {
                    restore: activation,
                    row,
                    context: activation,
                    symbol,
                }
            };
            slot.mark = mark;
            slot.start.read::<P>(read);
            if P::ENDS_EARLY && P::MEMORY {
                self.freed.settle(slot.start, &mut self.table);
            }
        }
        self.frames.pushed();
        Some(Token(mark))
    }

    /// The line that a call is made from, for its event.
    #[inline(always)]
    pub(super) fn line_of_event<P: Plan>(caller: Place, site: &impl CallSite) -> CallLine {
        if P::EVENTS && P::LINES {
            site.line(SymbolId(caller.context))
        } else {
            CallLine::UNKNOWN
        }
    }

    /// Notes that a call returned that [`enter`](Self::enter) entered. False, and
    /// nothing changes, if this is a case for [`Recorder::leave_slowly`](crate::Recorder::leave_slowly).
    ///
    /// The clock is read only if there is such a call: that of an earlier profile may no
    /// longer exist.
    #[inline(always)]
    pub(crate) fn leave<P: Plan>(&mut self, token: Token, read: impl FnOnce() -> Reading) -> bool {
        let Some(top) = self.frames.last().filter(|top| top.mark == token.0) else {
            return false;
        };
        let now = read();
        if P::ENDS_EARLY && P::MEMORY {
            self.freed.settle(now, &mut self.table);
        }
        if P::EVENTS {
            self.events.leave::<P>(now);
        } else {
            let place = top.place;
            // The call that added the row makes it visible, by the slow path.
            if let Some(row) = self.table.rows.get_mut(place.row as usize) {
                row.add_call::<P>(now, top.start);
            }
            if !P::TREE
                && let Some(next) = self.callees.next.get_mut(place.symbol as usize)
            {
                *next = place.restore;
            }
        }
        self.frames.popped();
        true
    }

    /// Charges a frame that was popped, by whatever path it was pushed.
    #[inline]
    pub(crate) fn close<P: Plan>(&mut self, frame: Frame, now: Reading) {
        if P::EVENTS {
            return self.events.leave::<P>(now);
        }
        if !P::TREE {
            self.callees.close(frame.place.symbol, frame.place.restore);
        }
        self.table.add_call::<P>(frame.place.row, now, frame.start);
    }
}
