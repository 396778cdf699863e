//! Converts PHP's frames to the functions of a sample, and the lines that they execute.
//!
//! The names are those of tracing, by the same rules: ignored functions, code
//! without a name and trampolines are left out, and so is `main()`. The top level of a file is executed
//! by the function that includes it.
//!
//! **Invariant:** an instruction is read only if it is one of its function's: under the JIT, a frame
//! may have any address there.

use std::collections::hash_map::Entry;

use ext_php_rs::ffi::zend_execute_data;
use policy::naming::functions::recorded_path;
use profile::{FileId, NumberMap, SymbolId};
use recorder::{SampledCall, SampledPlace};

use super::snapshot::{FrameAddresses, SeenFrame, Snapshot};
use crate::naming::Target;
use crate::zend::{Call, Function, KnownFunctions};

/// What a recording does with the functions of a sample.
pub(in crate::engine) trait Targets {
    /// What to record for an open call.
    ///
    /// # Safety
    ///
    /// The call's frame must have its variables set up.
    unsafe fn of_open(&mut self, call: Call<'_>) -> Target;

    /// What to record for a function that is no longer on the stack.
    fn of_function(&mut self, function: Function<'_>) -> Target;

    /// The number of a file that functions execute; none if there are too many.
    fn add_file(&mut self, name: &[u8]) -> Option<FileId>;

    /// Stores a sample: what `main()` executes, its functions, the root first, its time and weight.
    fn add_sample(&mut self, main: SampledPlace, stack: &[SampledCall], at: u64, weight: u64);
}

/// The frames of PHP's stack, and their symbols.
#[derive(Debug)]
pub(super) struct Stack {
    /// The open frames, the innermost first.
    frames: Vec<usize>,
    /// The same, the outermost first…
    open: Vec<Open>,
    /// … and how many of them are unchanged since the last [`read`](Self::read).
    lasting: usize,
    /// The frames that were open when the profile began and still are, the
    /// outermost first: `main()` stands for them.
    base: Vec<FrameAddresses>,
    /// The frames that left `base` at the last [`read`](Self::read). Also no part
    /// of the profile.
    left: Vec<FrameAddresses>,
    /// The call of `xhprof_sample_enable()`: no part of the profile.
    beginning: Option<FrameAddresses>,
    /// The targets of functions that were found in the engine's tables.
    ended: NumberMap<usize, Target>,
    /// What `main()` executes in a sample, and its functions, the root first.
    main: SampledPlace,
    calls: Vec<SampledCall>,
    /// The numbers of files, by the addresses of their names, which last as long as the request.
    files: NumberMap<usize, Option<FileId>>,
}

/// A frame that is open.
#[derive(Debug)]
struct Open {
    seen: FrameAddresses,
    /// The frame's target, once known and if it cannot change. The outermost
    /// frames are the same for many samples, and reading their functions again
    /// would miss the cache.
    target: Option<Target>,
    /// The instruction that was executed when `line` was read.
    opline: usize,
    line: u32,
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
            main: SampledPlace::default(),
            calls: Vec::new(),
            files: NumberMap::default(),
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

    /// Reads the open frames. They stay valid until PHP runs on.
    pub(super) fn read(&mut self) {
        self.frames.clear();
        // SAFETY: PHP does not run until `frames` has been collected.
        let open = unsafe { Call::open() };
        self.frames.extend(open.map(|call| call.frame().address()));
        let now = self.frames.iter().rev();
        let pairs = self.open.iter().zip(now.clone());
        // SAFETY: the frames are open, and PHP does not run.
        let seen = |frame| unsafe { seen(frame) };
        let is_same = |&(then, now): &(&Open, &usize)| then.seen == seen(*now);
        self.lasting = pairs.take_while(is_same).count();
        self.open.truncate(self.lasting);
        let new = now.skip(self.lasting).map(|&frame| Open {
            seen: seen(frame),
            target: None,
            opline: 0,
            line: 0,
        });
        self.open.extend(new);
        let pairs = self.base.iter().zip(&self.open);
        let open = pairs.take_while(|(then, now)| **then == now.seen).count();
        self.left.clear();
        self.left.extend(self.base.drain(open..));
    }

    /// What `main()` executed when `snapshot` was taken, and the functions that were running, the root
    /// first.
    ///
    /// Frames that began since are left out, and frames that ended since are
    /// added. The innermost frame of the snapshot that is still open joins the
    /// two. `inside` is the compilation that the current frame performed, if any.
    ///
    /// # Safety
    ///
    /// PHP must not have run since [`read`](Self::read).
    pub(super) unsafe fn find(
        &mut self,
        names: &mut impl Targets,
        known: &mut KnownFunctions,
        snapshot: &Snapshot,
        inside: Option<SymbolId>,
    ) -> (SampledPlace, &[SampledCall]) {
        // SAFETY: the caller's promise.
        let (begun, ended) = unsafe { self.join(snapshot) };
        self.main = SampledPlace::default();
        self.calls.clear();
        let frames = self.open.len() - begun;
        for (index, open) in self.open.iter_mut().take(frames).enumerate() {
            let is_base = index < self.base.len();
            // Of those that `main()` stands for, the innermost says where it is.
            if is_base && index + 1 < self.base.len() || self.beginning == Some(open.seen) {
                continue;
            }
            // SAFETY: the frame lives, see `read`, and has a function.
            let call = unsafe { Call::new(open.seen.frame as *mut zend_execute_data) };
            let then = snapshot.get(ended.len() + frames - 1 - index);
            open.read_line(call, then);
            let line = open.line;
            if is_base {
                let file = file(&mut self.files, names, call.function());
                self.main = SampledPlace { file, line };
                continue;
            }
            let target = open.target.unwrap_or_else(|| {
                // SAFETY: the same frame, whose variables are set up.
                let target = unsafe { names.of_open(call) };
                open.target = Some(target).filter(|_| call.function().is_usual_and_lasts());
                target
            });
            match target.symbol() {
                Some(symbol) => {
                    let place = SampledPlace { file: None, line };
                    self.calls.push(SampledCall { symbol, place });
                }
                // The top level of a file: its caller executes it.
                None if call.function().is_file() => {
                    let file = file(&mut self.files, names, call.function());
                    let last = self.calls.last_mut().map(|call| &mut call.place);
                    *last.unwrap_or(&mut self.main) = SampledPlace { file, line };
                }
                None => {}
            }
        }
        for seen in ended.iter().rev() {
            let addresses = seen.addresses;
            if self.beginning == Some(addresses) || self.left.contains(&addresses) {
                continue;
            }
            let function = known.at(addresses.function);
            let target = match self.ended.entry(addresses.function) {
                Entry::Occupied(target) => *target.get(),
                Entry::Vacant(place) => match function {
                    Some(function) => *place.insert(names.of_function(function)),
                    // A closure is in no table: its time is charged to its caller.
                    None => continue,
                },
            };
            let line = function.and_then(|function| function.line_at(seen.opline));
            self.calls.extend(target.symbol().map(|symbol| SampledCall {
                symbol,
                place: SampledPlace {
                    file: None,
                    line: line.unwrap_or(0),
                },
            }));
        }
        if begun == 0 && ended.is_empty() {
            self.calls.extend(inside.map(SampledCall::of));
        }
        (self.main, &self.calls)
    }

    /// A snapshot of the current frame, after [`read`](Self::read).
    pub(super) fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        if let (Some(first), Some(&frame)) = (snapshot.first_mut(), self.frames.first()) {
            first.addresses.frame = frame;
        }
        snapshot
    }

    /// How many frames have begun since the snapshot, and which of the snapshot's
    /// frames have ended.
    ///
    /// # Safety
    ///
    /// As for [`find`](Self::find).
    unsafe fn join<'s>(&self, snapshot: &'s Snapshot) -> (usize, &'s [SeenFrame]) {
        let mut ended = 0;
        let seen = snapshot.iter().map(|seen| seen.addresses);
        for seen in seen.take_while(|seen| seen.frame != 0) {
            let place = self.frames.iter().position(|&frame| {
                // SAFETY: the caller's promise.
                let is_same = || seen == unsafe { self::seen(frame) };
                frame == seen.frame && (seen.function == 0 || is_same())
            });
            if let Some(begun) = place {
                return (begun, snapshot.get(..ended).unwrap_or(&[]));
            }
            ended += 1;
        }
        // All frames of the snapshot have ended. They ran below the unchanged
        // frames; any frames in between are not known.
        let begun = self.frames.len() - self.lasting;
        (begun, snapshot.get(..ended).unwrap_or(&[]))
    }
}

/// The number of a function's file.
fn file(
    files: &mut NumberMap<usize, Option<FileId>>,
    names: &mut impl Targets,
    function: Function<'_>,
) -> Option<FileId> {
    let name = function.file()?;
    *files
        .entry(name.as_ptr().addr())
        .or_insert_with(|| names.add_file(&recorded_path(name)))
}

impl Open {
    /// Finds the line that the frame executed when `then` was seen, if that is this frame, else the one that
    /// it executes now.
    fn read_line(&mut self, call: Call<'_>, then: Option<&SeenFrame>) {
        let now = call.frame().opline_address();
        let then = then.filter(|then| then.addresses == self.seen && then.opline != 0);
        let opline = then.map_or(now, |then| then.opline);
        // The address of a closure may have become that of another function.
        if opline == self.opline && self.target.is_some() {
            return;
        }
        let line = |opline| call.function().line_at(opline);
        self.line = line(opline).or_else(|| line(now)).unwrap_or(0);
        self.opline = opline;
    }
}

/// A frame, by its addresses.
///
/// # Safety
///
/// The frame must be open.
unsafe fn seen(frame: usize) -> FrameAddresses {
    let data = frame as *mut zend_execute_data;
    FrameAddresses {
        frame,
        // SAFETY: the caller's frame.
        function: unsafe { (*data).func } as usize,
    }
}
