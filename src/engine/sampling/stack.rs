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
    /// The outermost of them, and which it was the last time.
    bottom: *mut zend_execute_data,
    last_bottom: *mut zend_execute_data,
    /// The frames that were open when the profile began, as far as they still
    /// are, the outermost first: `main()` stands for them.
    base: Vec<Seen>,
    /// The functions of a sample, the root first.
    symbols: Vec<SymbolId>,
}

impl Stack {
    /// A profile begins now.
    pub(super) fn new() -> Self {
        let mut stack = Self {
            frames: Vec::new(),
            bottom: std::ptr::null_mut(),
            last_bottom: std::ptr::null_mut(),
            base: Vec::new(),
            symbols: Vec::new(),
        };
        stack.read();
        // The innermost one is the call that begins it.
        let outer = stack.frames.iter().skip(1).rev();
        stack.base = outer.map(|&frame| seen(frame)).collect();
        stack
    }

    /// Notes which frames there are. They stay for as long as nothing runs.
    pub(super) fn read(&mut self) {
        self.frames.clear();
        self.frames.extend(zend::open_frames());
        let bottom = self.frames.last().copied().unwrap_or(std::ptr::null_mut());
        self.last_bottom = std::mem::replace(&mut self.bottom, bottom);
        let pairs = self.base.iter().zip(self.frames.iter().rev());
        let open = pairs.take_while(|&(base, &frame)| *base == seen(frame));
        self.base.truncate(open.count());
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
            // SAFETY: the frame lives, see `read`, and has a function.
            let target = unsafe { lookup::running(state, Call::new(frame)) };
            self.symbols.extend(target.symbol());
        }
        for seen in ended.iter().rev() {
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
        for (level, seen) in sight.iter().enumerate() {
            if seen.frame == 0 {
                // A whole stack that has nothing in common with this one: no
                // code was running, or it belonged to another part of the
                // request. If it was the same part, a frame was just being
                // made, and what stood in it was no caller.
                let is_whole = level == 0 || self.bottom != self.last_bottom;
                let begun = if is_whole { self.frames.len() } else { 0 };
                let ended = if is_whole { level } else { 0 };
                return (begun, sight.get(..ended).unwrap_or(&[]));
            }
            let place = self.frames.iter().position(|&frame| {
                frame as usize == seen.frame && (seen.function == 0 || *seen == self::seen(frame))
            });
            if let Some(place) = place {
                return (place, sight.get(..level).unwrap_or(&[]));
            }
        }
        // More has ended than was seen.
        (0, &[])
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
