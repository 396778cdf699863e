//! From PHP's frames to the functions of a sample.
//!
//! Names are those of tracing, by the same rules: what is ignored, has no name
//! or is a stand-in leaves no trace, and `main()` is not written.

use std::collections::hash_map::Entry;

use ext_php_rs::ffi::zend_execute_data;
use profile::{NumberMap, SymbolId};

use super::snapshot::{FrameAddresses, Snapshot};
use crate::engine::lookup;
use crate::engine::state::State;
use crate::symbols::Target;
use crate::zend::{self, Call, KnownFunctions};

/// The frames of PHP's stack, and what they come to.
#[derive(Debug)]
pub(super) struct Stack {
    /// The frames of this moment, the innermost first.
    frames: Vec<*mut zend_execute_data>,
    /// The same, the outermost first…
    open: Vec<Open>,
    /// … and how many of them have been there ever since the last time.
    lasting: usize,
    /// The frames that were open when the profile began, as far as they still
    /// are, the outermost first: `main()` stands for them.
    base: Vec<FrameAddresses>,
    /// Those of them that have ended since the last time: still no part of it.
    left: Vec<FrameAddresses>,
    /// The call that began it: no part of the profile.
    beginning: Option<FrameAddresses>,
    /// What functions come to that were found in the engine's tables.
    ended: NumberMap<usize, Target>,
    /// The functions of a sample, the root first.
    symbols: Vec<SymbolId>,
}

/// A frame that is open.
#[derive(Debug)]
struct Open {
    seen: FrameAddresses,
    /// What it comes to, if that was asked and cannot change: the functions at
    /// the bottom of the stack are the same for many samples, and to look at
    /// each takes memory that nobody else has touched meanwhile.
    target: Option<Target>,
}

impl Stack {
    /// A profile begins now.
    pub(super) fn new() -> Self {
        let mut stack = Self {
            frames: Vec::new(),
            open: Vec::new(),
            lasting: 0,
            base: Vec::new(),
            left: Vec::new(),
            beginning: None,
            ended: NumberMap::default(),
            symbols: Vec::new(),
        };
        stack.read();
        stack.base.extend(stack.open.iter().map(|open| open.seen));
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
        let now = self.frames.iter().rev();
        let pairs = self.open.iter().zip(now.clone());
        let is_same = |&(then, now): &(&Open, &*mut zend_execute_data)| then.seen == seen(*now);
        self.lasting = pairs.take_while(is_same).count();
        self.open.truncate(self.lasting);
        let new = now.skip(self.lasting).map(|&frame| Open {
            seen: seen(frame),
            target: None,
        });
        self.open.extend(new);
        let pairs = self.base.iter().zip(&self.open);
        let open = pairs.take_while(|(then, now)| **then == now.seen).count();
        self.left.clear();
        self.left.extend(self.base.drain(open..));
    }

    /// The functions that were running when `snapshot` was caught, the root first.
    ///
    /// What has begun since is left out, and what has ended since comes back:
    /// the innermost frame of the snapshot that is still there joins the two.
    /// `inside` is what the current frame was doing all the time, if that is
    /// no function.
    pub(super) fn find(
        &mut self,
        state: &mut State,
        known: &mut KnownFunctions,
        snapshot: &Snapshot,
        inside: Option<SymbolId>,
    ) -> &[SymbolId] {
        let (begun, ended) = self.join(snapshot);
        self.symbols.clear();
        let frames = self.open.len() - begun;
        for open in self.open.iter_mut().take(frames).skip(self.base.len()) {
            if self.beginning == Some(open.seen) {
                continue;
            }
            let target = open.target.unwrap_or_else(|| {
                // SAFETY: the frame lives, see `read`, and has a function.
                let call = unsafe { Call::new(open.seen.frame as *mut zend_execute_data) };
                // SAFETY: the same frame, whose variables are set up.
                let target = unsafe { lookup::running(state, call) };
                open.target = Some(target).filter(|_| call.function().is_usual_and_lasts());
                target
            });
            self.symbols.extend(target.symbol());
        }
        for seen in ended.iter().rev() {
            if self.beginning == Some(*seen) || self.left.contains(seen) {
                continue;
            }
            let target = match self.ended.entry(seen.function) {
                Entry::Occupied(target) => *target.get(),
                Entry::Vacant(place) => match known.at(seen.function) {
                    Some(function) => *place.insert(lookup::named(state, function)),
                    // A closure is not known, and its time its caller's.
                    None => continue,
                },
            };
            self.symbols.extend(target.symbol());
        }
        if begun == 0 && ended.is_empty() {
            self.symbols.extend(inside);
        }
        &self.symbols
    }

    /// The snapshot of who looks now, after [`read`](Self::read).
    pub(super) fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        if let (Some(first), Some(&frame)) = (snapshot.first_mut(), self.frames.first()) {
            first.frame = frame as usize;
        }
        snapshot
    }

    /// How many frames have begun since the snapshot, and which of its frames
    /// have ended.
    fn join<'s>(&self, snapshot: &'s Snapshot) -> (usize, &'s [FrameAddresses]) {
        let mut ended = 0;
        for seen in snapshot.iter().take_while(|seen| seen.frame != 0) {
            let place = self.frames.iter().position(|&frame| {
                frame as usize == seen.frame && (seen.function == 0 || *seen == self::seen(frame))
            });
            if let Some(begun) = place {
                return (begun, snapshot.get(..ended).unwrap_or(&[]));
            }
            ended += 1;
        }
        // All that was seen has ended. It ran inside of what has been there
        // all the time; what may have been between is not known.
        let begun = self.frames.len() - self.lasting;
        (begun, snapshot.get(..ended).unwrap_or(&[]))
    }
}

/// A live frame, by its addresses.
fn seen(frame: *mut zend_execute_data) -> FrameAddresses {
    FrameAddresses {
        frame: frame as usize,
        // SAFETY: callers have it from `read`, and nothing has run since.
        function: unsafe { (*frame).func } as usize,
    }
}
