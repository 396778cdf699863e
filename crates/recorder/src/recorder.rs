//! The frame stack: who is running, since when, and on whose account.
//!
//! Called at every entry and exit of a profiled function, so this file and
//! `call_table.rs` are the hot path: no I/O, no string, no lock, no clock of
//! their own, and no allocation once the tables have grown to their size.
//!
//! **Leaving is not promised.** A fatal error jumps over our frames. Each frame
//! keeps a mark by which its engine can tell that it cannot be there any more:
//! the next entry drops such frames, and a return cuts back to the depth its
//! entry noted in a [`Token`].

use std::num::NonZeroU64;

use crate::call_table::{CallTable, NONE, ROOT, SINK, Shape};
use crate::callees::{Callees, Place};
use crate::fiber::Fibers;
use crate::{CallSite, Plan, Reading, SymbolId};

/// One activation of a function on the stack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// What the engine tells its frames apart by: a C stack address, below
    /// which are all callees, or the address of PHP's own frame.
    pub(crate) mark: usize,
    pub(crate) place: Place,
    pub(crate) start: Reading,
}

impl Frame {
    /// The bottom of a stack: never popped, its own cost goes nowhere.
    pub(crate) fn base(context: u32, start: Reading) -> Self {
        Self {
            mark: Recorder::BASE_MARK,
            place: Place {
                row: SINK,
                context,
                symbol: NONE,
                restore: NONE,
            },
            start,
        }
    }

    #[inline(always)]
    pub(crate) fn is_stale(&self, site: &impl CallSite) -> bool {
        site.is_stale(self.mark)
    }
}

/// Proof of an entry, to be handed back when the call returns.
///
/// Plain data without a destructor: a `longjmp` may skip whoever holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token(NonZeroU64);

impl Token {
    // One word, never zero: so that an `Entered` travels in a register.
    #[inline(always)]
    fn new(session: u32, depth: u32) -> Self {
        Self(NonZeroU64::MIN | (u64::from(session) << 32 | u64::from(depth) << 1))
    }

    #[inline(always)]
    fn session(self) -> u32 {
        (self.0.get() >> 32) as u32
    }

    #[inline(always)]
    fn depth(self) -> usize {
        (self.0.get() >> 1) as usize & MAX_DEPTH
    }
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// Recorded; hand the token to [`Recorder::leave`].
    Recorded(Token),
    /// The stack is as deep as it may get. Nothing was pushed.
    TooDeep,
}

/// The deepest stack that tokens can tell: all ones, to be a mask as well.
const MAX_DEPTH: usize = (1 << 31) - 1;

/// Records one profile.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) shape: Shape,
    session: u32,
    pub(crate) max_depth: usize,
    pub(crate) frames: Vec<Frame>,
    pub(crate) callees: Callees,
    pub(crate) table: CallTable,
    pub(crate) fibers: Fibers,
    /// When the topmost frame ended, if it has.
    pub(crate) ending: Option<Reading>,
    start: Reading,
    pub(crate) truncated: bool,
}

impl Recorder {
    /// The symbol of the root.
    pub const MAIN: SymbolId = SymbolId(0);
    /// The mark of the bottom of every stack, which is never stale.
    pub const BASE_MARK: usize = usize::MAX;
    /// The symbol that stands for calls past a limit.
    pub const TRUNCATED: SymbolId = SymbolId(1);

    /// Begins a profile; `main()` is open from the moment that `read` reads,
    /// which is the last thing that happens here.
    ///
    /// `session` tells this profile's tokens from those of earlier ones.
    /// `max_depth` bounds the recorded stack, `max_rows` the table.
    #[must_use]
    pub fn new(
        shape: Shape,
        session: u32,
        max_depth: usize,
        max_rows: usize,
        read: impl FnOnce() -> Reading,
    ) -> Self {
        let mut recorder = Self {
            shape,
            session,
            max_depth: max_depth.clamp(1, MAX_DEPTH),
            frames: Vec::with_capacity(256),
            callees: Callees::default(),
            table: CallTable::new(max_rows),
            fibers: Fibers::default(),
            ending: None,
            start: Reading::default(),
            truncated: false,
        };
        recorder.add_symbol();
        recorder.add_symbol();
        let base = Frame::base(recorder.root_context(), Reading::default());
        recorder.frames.push(base);
        recorder.start = read();
        recorder
    }

    /// The number that this profile's tokens carry.
    #[must_use]
    pub fn session(&self) -> u32 {
        self.session
    }

    /// The shape it was made with.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether a limit cut anything off.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// How many frames are open above `main()` on the current stack.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    /// Makes a new symbol; they are numbered in order, from
    /// [`TRUNCATED`](Self::TRUNCATED) on.
    pub fn add_symbol(&mut self) -> SymbolId {
        let symbol = self.callees.symbols();
        self.callees.add_symbol();
        SymbolId(symbol)
    }

    pub(crate) fn root_context(&self) -> u32 {
        match self.shape {
            Shape::Edges => 0,
            Shape::Tree => ROOT,
        }
    }

    /// Notes that `symbol` was called.
    ///
    /// `read` is called last, so that what happens here is not charged to the
    /// callee.
    #[inline(always)]
    pub fn enter<P: Plan>(
        &mut self,
        symbol: SymbolId,
        site: &impl CallSite,
        read: impl Fn() -> Reading,
    ) -> Entered {
        let is_made_by_ended =
            P::ENDS_EARLY && self.ending.is_some() && self.settle_before_call::<P>(site, &read);
        if !is_made_by_ended && self.frames.last().is_none_or(|top| top.is_stale(site)) {
            self.drop_stale::<P>(site, &read);
        }
        let depth = self.frames.len();
        let Some(top) = self.frames.last() else {
            return Entered::TooDeep;
        };
        if depth > self.max_depth {
            return Entered::TooDeep;
        }
        let caller = top.place.context;
        let known = if P::TREE {
            self.callees.call_again::<true>(caller, symbol.0)
        } else {
            self.callees.call_again::<false>(caller, symbol.0)
        };
        let place = match known {
            Some(place) => place,
            None => self.find_place::<P>(caller, symbol.0),
        };
        self.frames.push(Frame {
            mark: site.mark(),
            place,
            start: read(),
        });
        #[expect(clippy::cast_possible_truncation, reason = "no more than MAX_DEPTH")]
        let depth = depth as u32;
        Entered::Recorded(Token::new(self.session, depth))
    }

    /// Notes that the call behind `token` returned.
    ///
    /// A token of an earlier profile, or of a frame that was dropped, is
    /// ignored; frames above it, whose exits were skipped, are closed too.
    #[inline(always)]
    pub fn leave<P: Plan>(&mut self, token: Token, read: impl FnOnce() -> Reading) {
        // Asked before the clock is read: the clock of an earlier profile may
        // no longer be there to be read.
        if token.session() != self.session {
            return;
        }
        let now = read();
        if P::ENDS_EARLY && self.ending.is_some() {
            self.settle_all::<P>(now);
        }
        let depth = token.depth();
        if self.frames.len() != depth + 1 && !self.cut_back::<P>(depth, now) {
            return;
        }
        if let Some(frame) = self.frames.pop() {
            self.close::<P>(frame, now);
        }
    }

    /// Charges a frame that was taken off the stack.
    #[inline(always)]
    pub(crate) fn close<P: Plan>(&mut self, frame: Frame, now: Reading) {
        let Place {
            row,
            symbol,
            restore,
            ..
        } = frame.place;
        self.table.add_call::<P>(row, now.since(frame.start));
        if !P::TREE {
            self.callees.close(symbol, restore);
        }
    }

    /// Ends the profile: every open frame is closed as if it returned now.
    pub fn finish<P: Plan>(&mut self, now: Reading) {
        self.settle_all::<P>(now);
        self.end_fibers::<P>(now);
        self.close_open::<P>(now);
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
