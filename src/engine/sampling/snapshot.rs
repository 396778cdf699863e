//! What runs at the instant when the timer fires, seen from its thread.
//!
//! A safe point comes some time after the timer: at the next call, at the end
//! of a loop's turn, when a function written in C returns. By then the function
//! that the timer met may have ended, and another one begun, which would be
//! charged with time that is not its own. So the timer's thread notes the
//! innermost frames at once: their addresses, and the addresses of their
//! functions. Nothing is believed of it before PHP's thread has found the same
//! frame on its stack, or the function in its tables.
//!
//! **Invariant:** no memory of PHP's thread is read here as one's own, since
//! PHP may have given it back to the system: the kernel copies what is there,
//! or refuses. That takes it 3 µs, and 15 at 100 Hz, when all of its code is
//! cold. The exceptions are the pointer to the current frame, which is part of
//! the thread's globals, and the page of its stack where most frames are, those
//! of fibers and generators aside: both stay for as long as there is a timer.

use std::mem::offset_of;
use std::ops::Range;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use ext_php_rs::ffi::zend_execute_data;

use crate::clock;

/// Where to look at a thread.
pub(super) struct FrameReader {
    /// The current frame's place in the thread's globals.
    current: *const AtomicPtr<zend_execute_data>,
    /// The addresses of what can be read as one's own.
    first_frames: Range<usize>,
    /// The process. The C library asks the kernel each time.
    process: libc::pid_t,
}

// SAFETY: see `FrameReader::of_this_thread`.
unsafe impl Send for FrameReader {}

/// A frame, and the function that ran in it. Zero: not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FrameAddresses {
    pub(super) frame: usize,
    pub(super) function: usize,
}

/// The innermost frames of one instant, the innermost first.
pub(super) type Snapshot = [FrameAddresses; FRAMES];

/// So many functions can end between two safe points without a frame that is
/// known to stay: those have no loop and call nothing written in C.
const FRAMES: usize = 12;
/// More than that seldom end, and are noted only if the kernel need not be asked.
const SURE: usize = 4;
/// A look takes some microseconds, unless its thread is kept waiting.
const AT_ONCE_NS: u64 = 50_000;

impl FrameReader {
    /// A view of the calling thread, for as long as its request lasts: whoever
    /// hands it to another thread must end that one first. `first_frames` are
    /// those of the request.
    pub(super) fn of_this_thread(first_frames: Range<usize>) -> Self {
        // SAFETY: this thread's globals; the address of a field.
        let place = unsafe {
            &raw mut (*ext_php_rs::ffi::ext_php_rs_executor_globals()).current_execute_data
        };
        Self {
            current: place.cast_const().cast(),
            first_frames,
            // SAFETY: asks for a number.
            process: unsafe { libc::getpid() },
        }
    }

    /// Looks, `now`. What took too long is not believed: while this thread is
    /// kept waiting between two frames the program goes on, and what it then sees
    /// has never been one stack. Nothing, if that happens again and again.
    pub(super) fn read(&self, mut now: u64) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for _ in 0..3 {
            let start = now;
            let seen = self.read_once();
            now = clock::monotonic_ns();
            if now.saturating_sub(start) > AT_ONCE_NS {
                continue;
            }
            snapshot = seen;
            // A frame without a caller is the program's own, or one that is
            // just being made: it gets its caller at last.
            if snapshot[0].frame == 0 || snapshot[1].frame != 0 {
                break;
            }
        }
        snapshot
    }

    fn read_once(&self) -> Snapshot {
        let mut snapshot = [FrameAddresses::default(); FRAMES];
        // SAFETY: the globals live, see `of_this_thread`. PHP's thread writes
        // pointers there whole, as every system we support does; what is read
        // is a number, and not followed.
        let mut frame = unsafe { (*self.current).load(Ordering::Relaxed) } as usize;
        let mut copy = None;
        for (depth, seen) in snapshot.iter_mut().enumerate() {
            if frame == 0 {
                break;
            }
            let Some((function, caller)) = self
                .first_frame(frame)
                .or_else(|| self.copied_frame(frame, &mut copy, depth < SURE))
            else {
                if depth < SURE {
                    seen.frame = frame;
                }
                break;
            };
            *seen = FrameAddresses { frame, function };
            frame = caller;
        }
        snapshot
    }

    /// The function and the caller's frame of the frame at an address, if it is
    /// one of the first.
    #[inline(always)]
    fn first_frame(&self, address: usize) -> Option<(usize, usize)> {
        let end = address.checked_add(FRAME)?;
        let is_first = address >= self.first_frames.start && end <= self.first_frames.end;
        if !is_first || !address.is_multiple_of(align_of::<zend_execute_data>()) {
            return None;
        }
        let field = |offset: usize| {
            // SAFETY: the page is there, see `of_this_thread`. Whatever stands
            // at the place, it is read as a number, whole, as above.
            unsafe { (*((address + offset) as *const AtomicUsize)).load(Ordering::Relaxed) }
        };
        Some((field(FUNCTION), field(CALLER)))
    }

    /// The same of a frame anywhere, out of a copy. Another copy is made only
    /// if it must be.
    #[cold]
    #[inline(never)]
    fn copied_frame(
        &self,
        address: usize,
        copy: &mut Option<Copy>,
        must: bool,
    ) -> Option<(usize, usize)> {
        let found = copy.as_ref().and_then(|copy| copy.find(address));
        if found.is_some() || !must {
            return found;
        }
        copy.insert(Copy::of(address, self.process)).find(address)
    }
}

/// A copy of a frame, and of what stands before it: the frames of its callers,
/// most times. Bytes, and no frames: the engine's values have destructors.
struct Copy {
    /// The address of the frame.
    address: usize,
    bytes: [u8; BEFORE + FRAME],
    /// Where in them the first byte is that was copied.
    start: usize,
}

const FRAME: usize = size_of::<zend_execute_data>();
const FUNCTION: usize = offset_of!(zend_execute_data, func);
const CALLER: usize = offset_of!(zend_execute_data, prev_execute_data);
/// Half a dozen frames of a large program: each further copy takes the kernel
/// longer than all of this.
const BEFORE: usize = 6 << 10;
/// Where there is not as much before the frame, as at the beginning of memory.
const STARTS: [usize; 3] = [0, BEFORE - (1 << 10), BEFORE];

impl Copy {
    /// Of what is at the address, if anything is.
    fn of(address: usize, process: libc::pid_t) -> Self {
        let mut copy = Self {
            address,
            bytes: [0; BEFORE + FRAME],
            start: BEFORE + FRAME,
        };
        // All in one piece is a third cheaper than the frame by itself and the
        // rest; but before it there may be nothing.
        for start in STARTS {
            if copy.start > start && address > BEFORE && copy.fill(start, process) {
                copy.start = start;
            }
        }
        copy
    }

    /// Whether the bytes from `start` could be copied.
    #[cfg(target_os = "linux")]
    fn fill(&mut self, start: usize, process: libc::pid_t) -> bool {
        let address = self.address - BEFORE + start;
        let Some(bytes) = self.bytes.get_mut(start..) else {
            return false;
        };
        let local = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: bytes.len(),
        };
        let remote = libc::iovec {
            iov_base: address as *mut libc::c_void,
            iov_len: bytes.len(),
        };
        // SAFETY: the kernel writes to that array of ours and nowhere else; it
        // may be asked for any address.
        let copied = unsafe {
            libc::process_vm_readv(process, &raw const local, 1, &raw const remote, 1, 0)
        };
        usize::try_from(copied).is_ok_and(|copied| copied == bytes.len())
    }

    #[cfg(not(target_os = "linux"))]
    fn fill(&mut self, _start: usize, _process: libc::pid_t) -> bool {
        false
    }

    /// The function and the caller's frame of the frame at an address, if it was
    /// copied.
    fn find(&self, address: usize) -> Option<(usize, usize)> {
        let offset = address.checked_add(BEFORE)?.checked_sub(self.address)?;
        if offset < self.start {
            return None;
        }
        let frame = self.bytes.get(offset..offset.checked_add(FRAME)?)?;
        let field = |offset: usize| {
            let bytes = frame.get(offset..offset + size_of::<usize>())?;
            bytes.try_into().ok().map(usize::from_ne_bytes)
        };
        Some((field(FUNCTION)?, field(CALLER)?))
    }
}
