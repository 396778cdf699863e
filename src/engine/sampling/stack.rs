//! From PHP's frames to the functions of a sample.
//!
//! Names are those of tracing, by the same rules: what is ignored, has no name
//! or is a stand-in leaves no trace, and `main()` is not written.

use ext_php_rs::ffi::zend_execute_data;
use profile::SymbolId;

use super::sight::{Seen, Sight};
use crate::engine::lookup;
use crate::engine::state::State;
use crate::symbols::Target;
use crate::zend::{self, Call, KnownFunctions};

/// The frames of PHP's stack, and what they come to.
#[derive(Debug)]
pub(super) struct Stack {
    /// The frames of this moment, the innermost first.
    frames: Vec<*mut zend_execute_data>,
    /// The same of the last time, the outermost first…
    before: Vec<Seen>,
    /// … and how many of them have been there all the time since.
    lasting: usize,
    /// The frames that were open when the profile began, as far as they still
    /// are, the outermost first: `main()` stands for them.
    base: Vec<Seen>,
    /// Those of them that have ended since the last time: still no part of it.
    left: Vec<Seen>,
    /// The call that began it: no part of the profile.
    beginning: Option<Seen>,
    /// The functions of a sample, the root first.
    symbols: Vec<SymbolId>,
}

impl Stack {
    /// A profile begins now.
    pub(super) fn new() -> Self {
        let mut stack = Self {
            frames: Vec::new(),
            before: Vec::new(),
            lasting: 0,
            base: Vec::new(),
            left: Vec::new(),
            beginning: None,
            symbols: Vec::new(),
        };
        stack.read();
        stack.base.clone_from(&stack.before);
        stack.beginning = stack.base.pop();
        stack
    }

    /// The profile began before any function: all that are open are in it.
    pub(super) fn forget_base(&mut self) {
        self.base.clear();
    }

    /// Notes which frames there are. They stay for as long as nothing runs.
    pub(super) fn read(&mut self) {
        self.frames.clear();
        self.frames.extend(zend::open_frames());
        self.lasting = self.still_open(&self.before);
        let open = self.still_open(&self.base);
        self.left.clear();
        self.left.extend(self.base.drain(open..));
        self.before.clear();
        let frames = self.frames.iter().rev();
        self.before.extend(frames.map(|&frame| seen(frame)));
    }

    /// How many of these frames, the outermost first, are open now.
    fn still_open(&self, frames: &[Seen]) -> usize {
        let pairs = frames.iter().zip(self.frames.iter().rev());
        pairs.take_while(|&(then, &now)| *then == seen(now)).count()
    }

    /// The functions that were running when `sight` was caught, the root first.
    ///
    /// What has begun since is left out, and what has ended since comes back:
    /// the innermost frame of the sight that is still there joins the two.
    /// `inside` is what the current frame was doing all the time, if that is
    /// no function.
    pub(super) fn find(
        &mut self,
        state: &mut State,
        known: &mut KnownFunctions,
        sight: &Sight,
        inside: Option<SymbolId>,
    ) -> &[SymbolId] {
        let (begun, ended) = self.join(sight);
        self.symbols.clear();
        let lasting = self.frames.get(begun..).unwrap_or_default();
        for &frame in lasting.iter().rev().skip(self.base.len()) {
            if self.beginning == Some(seen(frame)) {
                continue;
            }
            // SAFETY: the frame lives, see `read`, and has a function.
            let target = unsafe { lookup::running(state, Call::new(frame)) };
            self.symbols.extend(target.symbol());
        }
        for seen in ended.iter().rev() {
            if self.beginning == Some(*seen) || self.left.contains(seen) {
                continue;
            }
            // A closure is not known, and its time its caller's.
            let function = known.at(seen.function);
            let target = function.map(|function| lookup::named(state, function));
            self.symbols.extend(target.and_then(Target::symbol));
        }
        if begun == 0 && ended.is_empty() {
            self.symbols.extend(inside);
        }
        &self.symbols
    }

    /// How many frames have begun since the sight, and which of its frames
    /// have ended.
    fn join<'s>(&self, sight: &'s Sight) -> (usize, &'s [Seen]) {
        let mut ended = 0;
        for seen in sight.iter().take_while(|seen| seen.frame != 0) {
            let place = self.frames.iter().position(|&frame| {
                frame as usize == seen.frame && (seen.function == 0 || *seen == self::seen(frame))
            });
            if let Some(begun) = place {
                return (begun, sight.get(..ended).unwrap_or(&[]));
            }
            ended += 1;
        }
        // All that was seen has ended. It ran inside of what has been there
        // all the time; what may have been between is not known.
        let begun = self.frames.len() - self.lasting;
        (begun, sight.get(..ended).unwrap_or(&[]))
    }
}

/// A live frame, by its addresses.
fn seen(frame: *mut zend_execute_data) -> Seen {
    Seen {
        frame: frame as usize,
        // SAFETY: callers have it from `read`, and nothing has run since.
        function: unsafe { (*frame).func } as usize,
    }
}
