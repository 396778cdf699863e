//! The line that a call is made from, for plans that record it.
//!
//! It is that of the recorded caller: if functions that are not recorded are in between,
//! the line that calls the first of them. Code at the top level of a file belongs to the
//! function that includes the file, or to `main()`, so its lines have a file.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use policy::naming::functions::recorded_path;
use recorder::{CallLine, Recorder, SymbolId};

use crate::naming::Target;
use crate::zend::per_thread::per_thread;
use crate::zend::{self, Call, Frame, FunctionKind};

/// How many frames up the recorded caller is searched; see
/// [`marks`](super::marks).
const MAX_SKIPPED_FRAMES: usize = 64;

/// How many files with code at their top level have lines.
const MAX_FILES: usize = 10_000;

/// What the table may take for each, besides the name.
const BYTES_A_FILE: usize = 4096;

per_thread! {
    /// The number of the active recording. Not in the thread's state, because sites of calls
    /// are also asked while that is lent.
    static SESSION: Cell<u32> = Cell::new(0);
}

thread_local! {
    /// The numbers of files, see [`CallLine::file`].
    static FILES: RefCell<BTreeMap<Box<[u8]>, u32>> = const { RefCell::new(BTreeMap::new()) };
}

/// The recording of that number is the active one now.
pub(in crate::engine) fn recording_changed(session: u32) {
    SESSION.get().set(session);
}

/// Forgets all files: no recording has lines.
pub(crate) fn forget_files() {
    FILES.take();
}

/// The files but the first so many, by [`CallLine::file`] less one.
pub(crate) fn files_from(known: usize) -> Vec<Box<[u8]>> {
    FILES.with_borrow(|numbers| {
        let files = numbers.iter();
        let mut files: Vec<_> = files
            .filter(|(_, number)| **number as usize > known)
            .collect();
        files.sort_unstable_by_key(|(_, number)| **number);
        files.into_iter().map(|(file, _)| file.clone()).collect()
    })
}

/// The line at which `caller`, one of the functions from `frame` on, runs.
pub(super) fn call_line(frame: Option<Frame<'_>>, caller: SymbolId) -> CallLine {
    let session = SESSION.get().get();
    let mut next = frame;
    for _ in 0..MAX_SKIPPED_FRAMES {
        let Some(frame) = next else { break };
        next = frame.caller();
        let Some(call) = Call::of(frame) else {
            continue;
        };
        let function = call.function();
        if function.kind() == FunctionKind::Internal || function.is_trampoline() {
            continue;
        }
        // SAFETY: a user function that runs has its run-time cache.
        let slot = unsafe { call.user_number() };
        let target = Target::from_slot(slot, session);
        if target == Some(Target::PASS) && !function.is_file() {
            continue;
        }
        let line = function.line_at(frame.opline_address()).unwrap_or(0);
        return match target.and_then(Target::symbol) {
            Some(symbol) if symbol == caller => CallLine { file: 0, line },
            // A file, or a function that was open before the profile began.
            None if function.is_file() || caller == Recorder::MAIN => {
                let file = function.file().and_then(file_number);
                file.map_or(CallLine::UNKNOWN, |file| CallLine { file, line })
            }
            _ => CallLine::UNKNOWN,
        };
    }
    CallLine::UNKNOWN
}

/// The number of a file, from 1; none if there are too many.
fn file_number(path: &[u8]) -> Option<u32> {
    let name = &*recorded_path(path);
    FILES.with_borrow_mut(|files| {
        if let Some(number) = files.get(name) {
            return Some(*number);
        }
        let number = u32::try_from(files.len() + 1).ok()?;
        if files.len() >= MAX_FILES || !zend::can_allocate(name.len() + BYTES_A_FILE) {
            return None;
        }
        files.insert(name.into(), number);
        Some(number)
    })
}
