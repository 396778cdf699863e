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

use crate::call_table::{CallTable, NONE, ROOT, Row, SINK, Shape};
use crate::fiber::Fibers;
use crate::{Plan, Reading, SymbolId};

/// One activation of a function on the stack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// What the engine tells its frames apart by: a C stack address, below
    /// which are all callees, or the address of PHP's own frame.
    pub(crate) mark: usize,
    /// Where its cost goes.
    pub(crate) row: u32,
    /// What its callees name as their caller: an activation, or a tree row.
    pub(crate) context: u32,
    pub(crate) start: Reading,
}

impl Frame {
    /// The bottom of a stack: never popped, its own cost goes nowhere.
    pub(crate) fn base(context: u32, start: Reading) -> Self {
        Self {
            mark: Recorder::BASE_MARK,
            row: SINK,
            context,
            start,
        }
    }
}

/// A symbol at one recursion level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub(crate) symbol: u32,
    pub(crate) level: u32,
    /// The activation one level deeper, once there has been one.
    deeper: u32,
}

/// Proof of an entry, to be handed back when the call returns.
///
/// Plain data without a destructor: a `longjmp` may skip whoever holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    session: u32,
    depth: u32,
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// Recorded; hand the token to [`Recorder::leave`].
    Recorded(Token),
    /// The stack is as deep as it may get. Nothing was pushed.
    TooDeep,
}

/// Records one profile.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) shape: Shape,
    session: u32,
    max_depth: usize,
    pub(crate) frames: Vec<Frame>,
    pub(crate) levels: Vec<Level>,
    /// For each symbol, the activation that its next call will be.
    next: Vec<u32>,
    pub(crate) table: CallTable,
    pub(crate) fibers: Fibers,
    start: Reading,
    truncated: bool,
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
            max_depth: max_depth.clamp(1, u32::MAX as usize - 2),
            frames: Vec::with_capacity(256),
            levels: Vec::new(),
            next: Vec::new(),
            table: CallTable::new(max_rows),
            fibers: Fibers::default(),
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
        let symbol = u32::try_from(self.next.len()).unwrap_or(NONE);
        let activation = self.add_level(symbol, 0);
        self.next.push(activation);
        if self.shape == Shape::Tree {
            self.table.add_callee(symbol);
        }
        SymbolId(symbol)
    }

    fn add_level(&mut self, symbol: u32, level: u32) -> u32 {
        let activation = u32::try_from(self.levels.len()).unwrap_or(NONE);
        self.levels.push(Level {
            symbol,
            level,
            deeper: NONE,
        });
        if self.shape == Shape::Edges {
            self.table.add_callee(activation);
        }
        activation
    }

    pub(crate) fn root_context(&self) -> u32 {
        match self.shape {
            Shape::Edges => 0,
            Shape::Tree => ROOT,
        }
    }

    /// Notes that `symbol` was called.
    ///
    /// `mark` is kept with the frame. `is_stale` says of an open frame's mark
    /// whether that frame can no longer be there; such frames are closed first.
    /// `read` is called last, so that what happens here is not charged to the
    /// callee.
    #[inline]
    pub fn enter<P: Plan>(
        &mut self,
        symbol: SymbolId,
        mark: usize,
        is_stale: impl Fn(usize) -> bool,
        read: impl Fn() -> Reading,
    ) -> Entered {
        if self.frames.last().is_none_or(|top| is_stale(top.mark)) {
            self.drop_stale::<P>(&is_stale, read());
        }
        let depth = self.frames.len();
        let Some(top) = self.frames.last() else {
            return Entered::TooDeep;
        };
        if depth > self.max_depth {
            return Entered::TooDeep;
        }
        let caller = top.context;
        let callee = if P::TREE {
            symbol.0
        } else {
            let callee = self.open_activation(symbol.0);
            if callee == caller {
                // A fiber counts its own levels, from 0, and may begin with
                // the very function that started it. No edge leads to itself.
                self.open_activation(symbol.0)
            } else {
                callee
            }
        };
        let (row, context) = match self.table.row(caller, callee) {
            Some(row) => (row, if P::TREE { row } else { callee }),
            None => self.truncated_row(caller, callee),
        };
        self.frames.push(Frame {
            mark,
            row,
            context,
            start: read(),
        });
        #[expect(
            clippy::cast_possible_truncation,
            reason = "max_depth is below u32::MAX"
        )]
        let depth = depth as u32;
        Entered::Recorded(Token {
            session: self.session,
            depth,
        })
    }

    /// Notes that the call behind `token` returned.
    ///
    /// A token of an earlier profile, or of a frame that was dropped, is
    /// ignored; frames above it, whose exits were skipped, are closed too.
    #[inline]
    pub fn leave<P: Plan>(&mut self, token: Token, read: impl FnOnce() -> Reading) {
        let now = read();
        if token.session != self.session {
            return;
        }
        let depth = token.depth as usize;
        if self.frames.len() != depth + 1 && !self.cut_back::<P>(depth, now) {
            return;
        }
        if let Some(frame) = self.frames.pop() {
            self.close::<P>(frame, now);
        }
    }

    /// Opens a frame of [`TRUNCATED`](Self::TRUNCATED) where a limit was met,
    /// to be charged with everything deeper. Leave it like any other.
    #[cold]
    pub fn enter_truncated<P: Plan>(
        &mut self,
        mark: usize,
        is_stale: impl Fn(usize) -> bool,
        read: impl Fn() -> Reading,
    ) -> Entered {
        self.truncated = true;
        let limit = std::mem::replace(&mut self.max_depth, usize::MAX);
        let entered = self.enter::<P>(Self::TRUNCATED, mark, is_stale, read);
        self.max_depth = limit;
        entered
    }

    /// The activation that a call of `symbol` is, and one level more open.
    #[inline]
    fn open_activation(&mut self, symbol: u32) -> u32 {
        let Some(next) = self.next.get_mut(symbol as usize) else {
            return NONE;
        };
        let activation = *next;
        if let Some(level) = self.levels.get(activation as usize)
            && level.deeper != NONE
        {
            *next = level.deeper;
            return activation;
        }
        self.open_new_level(symbol, activation);
        activation
    }

    #[cold]
    fn open_new_level(&mut self, symbol: u32, activation: u32) {
        let level = self
            .levels
            .get(activation as usize)
            .map_or(0, |it| it.level);
        let deeper = self.add_level(symbol, level + 1);
        if let Some(it) = self.levels.get_mut(activation as usize) {
            it.deeper = deeper;
        }
        if let Some(next) = self.next.get_mut(symbol as usize) {
            *next = deeper;
        }
    }

    /// Puts the recursion level back to what it was before `activation`.
    #[inline]
    fn close_activation(&mut self, activation: u32) {
        if let Some(level) = self.levels.get(activation as usize)
            && let Some(next) = self.next.get_mut(level.symbol as usize)
        {
            *next = activation;
        }
    }

    #[inline]
    fn close<P: Plan>(&mut self, frame: Frame, now: Reading) {
        let Some(row) = self.table.add_call::<P>(frame.row, now.since(frame.start)) else {
            return;
        };
        if !P::TREE {
            let (caller, activation) = (row.parent, row.callee);
            self.close_activation(activation);
            if self.frames.len() == 1 {
                self.close_skipped_level(caller, activation);
            }
        }
    }

    /// Takes back the level that a fiber's first function skipped, if it did:
    /// only there is the caller the same function without being on the stack.
    #[inline]
    fn close_skipped_level(&mut self, caller: u32, activation: u32) {
        let symbol = |it: u32| self.levels.get(it as usize).map(|level| level.symbol);
        if symbol(caller) == symbol(activation) {
            self.close_activation(caller);
        }
    }

    /// The table is full: the first call past it goes to a `[truncated]` row
    /// beside its siblings, and what that calls goes nowhere.
    #[cold]
    fn truncated_row(&mut self, caller: u32, callee: u32) -> (u32, u32) {
        self.truncated = true;
        if self.shape == Shape::Edges {
            self.close_activation(callee);
        }
        // Its activation is always the outermost: [truncated] never nests.
        let truncated = Self::TRUNCATED.0;
        let is_inside = match self.shape {
            Shape::Edges => caller == truncated,
            Shape::Tree => self
                .table
                .rows
                .get(caller as usize)
                .is_some_and(|row| row.callee == truncated),
        };
        if is_inside {
            return (SINK, caller);
        }
        match self.table.row_past_limit(caller, truncated) {
            Some(row) if self.shape == Shape::Tree => (row, row),
            Some(row) => (row, truncated),
            None => (SINK, caller),
        }
    }

    /// Ends the profile: every open frame is closed as if it returned now.
    pub fn finish<P: Plan>(&mut self, now: Reading) {
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

    /// Closes frames that a jump left behind.
    #[cold]
    #[inline(never)]
    fn drop_stale<P: Plan>(&mut self, is_stale: &dyn Fn(usize) -> bool, now: Reading) {
        while self.frames.len() > 1
            && let Some(frame) = self.frames.pop_if(|top| is_stale(top.mark))
        {
            self.close::<P>(frame, now);
        }
    }

    /// Closes frames above `depth`; false if the frame at `depth` is gone.
    #[cold]
    #[inline(never)]
    fn cut_back<P: Plan>(&mut self, depth: usize, now: Reading) -> bool {
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

    /// Closes the frame entered last with `mark`, and those above it; for
    /// engines that cannot carry a [`Token`] from entry to exit.
    #[inline]
    pub fn leave_marked<P: Plan>(&mut self, mark: usize, read: impl FnOnce() -> Reading) {
        let now = read();
        if self.frames.len() > 1
            && let Some(frame) = self.frames.pop_if(|top| top.mark == mark)
        {
            self.close::<P>(frame, now);
            return;
        }
        let depth = self.frames.iter().rposition(|frame| frame.mark == mark);
        if let Some(depth) = depth
            && depth > 0
            && self.cut_back::<P>(depth, now)
            && let Some(frame) = self.frames.pop()
        {
            self.close::<P>(frame, now);
        }
    }

    /// Takes back the recursion levels of frames that stop running here.
    pub(crate) fn park_levels(&mut self, frames: &[Frame]) {
        if self.shape == Shape::Edges {
            for frame in frames.iter().skip(1).rev() {
                let callee = self
                    .table
                    .rows
                    .get(frame.row as usize)
                    .map(|row| row.callee);
                self.close_activation(callee.unwrap_or(NONE));
            }
            let first = frames
                .get(1)
                .and_then(|first| self.table.rows.get(first.row as usize));
            if let Some(&Row { parent, callee, .. }) = first {
                self.close_skipped_level(parent, callee);
            }
        }
    }

    /// Opens the recursion levels of frames that run on.
    pub(crate) fn unpark_levels(&mut self, frames: &[Frame]) {
        if self.shape == Shape::Edges {
            for frame in frames.iter().skip(1) {
                let level = self
                    .table
                    .rows
                    .get(frame.row as usize)
                    .and_then(|row| self.levels.get(row.callee as usize));
                if let Some(level) = level
                    && let Some(next) = self.next.get_mut(level.symbol as usize)
                {
                    *next = level.deeper;
                }
            }
        }
    }
}
