//! The innermost frames at the instant when the timer expires, read from the
//! timer's thread.
//!
//! A safe point comes later than the timer: at the next call, at the end of a
//! loop iteration, or when an internal function returns. By then the function may
//! have ended and another one begun, which would be charged with the time. So the
//! timer's thread saves the addresses of the innermost frames and of their
//! functions at once. PHP's thread uses an address only after it has found the
//! frame on its stack, or the function in the engine's tables.
//!
//! **Invariant:** this thread does not dereference pointers into PHP's memory,
//! which PHP may have unmapped: `process_vm_readv` copies it, or fails. That takes
//! 3 µs, and 15 at 100 Hz with cold caches. There are two exceptions, which live
//! as long as the timer: `current_execute_data` in the thread's globals, and the
//! first page of its VM stack, where most frames are, except those of fibers and
//! generators.

use std::mem::offset_of;
use std::ops::Range;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use ext_php_rs::ffi::zend_execute_data;

use crate::clock;

/// Reads the frames of another thread.
pub(super) struct FrameReader {
    /// `current_execute_data` in the thread's globals.
    current: *const AtomicPtr<zend_execute_data>,
    /// The addresses that can be dereferenced.
    first_frames: Range<usize>,
    /// The process id, kept because `getpid` is a system call.
    process: libc::pid_t,
}

// SAFETY: see `FrameReader::of_this_thread`.
unsafe impl Send for FrameReader {}

/// The addresses of a frame and of its function. Zero: not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FrameAddresses {
    pub(super) frame: usize,
    pub(super) function: usize,
}

/// A frame and the address of its instruction, which PHP writes down at calls: in the innermost frame it
/// lags behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SeenFrame {
    pub(super) addresses: FrameAddresses,
    pub(super) opline: usize,
}

/// The innermost frames at one instant, the innermost first.
pub(super) type Snapshot = [SeenFrame; FRAMES];

/// The frames of a snapshot. Few functions end between two safe points: only
/// functions without loops and calls of internal functions can.
const FRAMES: usize = 12;
/// The frames that are copied by the kernel if necessary. Deeper ones are read
/// only without a system call: more than 4 functions rarely end at once.
const SURE: usize = 4;
/// A snapshot takes some microseconds; a longer one was interrupted.
const AT_ONCE_NS: u64 = 50_000;

impl FrameReader {
    /// A reader for the calling thread's frames. The caller must end the thread
    /// that uses the reader before the request ends. `first_frames` are those of
    /// the request.
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

    /// Takes a snapshot at `now`. One that took too long is discarded: PHP's thread
    /// continues while this one is switched out, so its frames were never one
    /// stack. Empty if that happens three times.
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
            // A frame without a caller is the outermost one, or one under
            // construction: PHP sets its caller last.
            let [first, second, ..] = &snapshot;
            if first.addresses.frame == 0 || second.addresses.frame != 0 {
                break;
            }
        }
        snapshot
    }

    fn read_once(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        // SAFETY: the globals live, see `of_this_thread`. PHP's thread writes
        // pointers there atomically, as every system we support does. The value
        // is not dereferenced.
        let mut frame = unsafe { (*self.current).load(Ordering::Relaxed) } as usize;
        let mut copy = None;
        for (depth, seen) in snapshot.iter_mut().enumerate() {
            if frame == 0 {
                break;
            }
            let Some(Fields {
                opline,
                function,
                caller,
            }) = self
                .first_frame(frame)
                .or_else(|| self.copied_frame(frame, &mut copy, depth < SURE))
            else {
                if depth < SURE {
                    seen.addresses.frame = frame;
                }
                break;
            };
            *seen = SeenFrame {
                addresses: FrameAddresses { frame, function },
                opline,
            };
            frame = caller;
        }
        snapshot
    }

    /// The fields of the frame at an address, if it is in `first_frames`.
    #[inline(always)]
    fn first_frame(&self, address: usize) -> Option<Fields> {
        let end = address.checked_add(FRAME)?;
        let is_first = address >= self.first_frames.start && end <= self.first_frames.end;
        if !is_first || !address.is_multiple_of(align_of::<zend_execute_data>()) {
            return None;
        }
        let field = |offset: usize| {
            // SAFETY: the page is mapped, see `of_this_thread`. Any value there is
            // read atomically as a number, as above.
            unsafe { (*((address + offset) as *const AtomicUsize)).load(Ordering::Relaxed) }
        };
        Some(Fields {
            opline: field(OPLINE),
            function: field(FUNCTION),
            caller: field(CALLER),
        })
    }

    /// The same for a frame anywhere, from a copy. A new copy is made only if
    /// `must` is set.
    #[cold]
    #[inline(never)]
    fn copied_frame(&self, address: usize, copy: &mut Option<Copy>, must: bool) -> Option<Fields> {
        let found = copy.as_ref().and_then(|copy| copy.find(address));
        if found.is_some() || !must {
            return found;
        }
        copy.insert(Copy::of(address, self.process)).find(address)
    }
}

/// What is read of a frame.
struct Fields {
    opline: usize,
    function: usize,
    caller: usize,
}

/// A copy of a frame and of the memory before it, which mostly holds its callers'
/// frames. It holds bytes, not frames: the engine's values have destructors.
struct Copy {
    /// The address of the frame.
    address: usize,
    bytes: [u8; BEFORE + FRAME],
    /// The index of the first copied byte.
    start: usize,
}

const FRAME: usize = size_of::<zend_execute_data>();
const OPLINE: usize = offset_of!(zend_execute_data, opline);
const FUNCTION: usize = offset_of!(zend_execute_data, func);
const CALLER: usize = offset_of!(zend_execute_data, prev_execute_data);
/// How many bytes before the frame are copied: half a dozen frames of a large
/// program. Each further system call takes longer than this copy.
const BEFORE: usize = 6 << 10;
/// Where the copy starts: shorter copies are tried if the memory before the frame
/// is not mapped.
const STARTS: [usize; 3] = [0, BEFORE - (1 << 10), BEFORE];

impl Copy {
    /// Copies the frame at `address`; the copy is empty if that fails.
    fn of(address: usize, process: libc::pid_t) -> Self {
        let mut copy = Self {
            address,
            bytes: [0; BEFORE + FRAME],
            start: BEFORE + FRAME,
        };
        // One copy is a third cheaper than two, but the memory before the frame
        // may not be mapped.
        for start in STARTS {
            if copy.start > start && address > BEFORE && copy.fill(start, process) {
                copy.start = start;
            }
        }
        copy
    }

    /// Copies the bytes from index `start` on; false if that fails.
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
        // SAFETY: the kernel writes only to that local array, and checks the
        // remote address.
        let copied = unsafe {
            libc::process_vm_readv(process, &raw const local, 1, &raw const remote, 1, 0)
        };
        usize::try_from(copied).is_ok_and(|copied| copied == bytes.len())
    }

    #[cfg(not(target_os = "linux"))]
    fn fill(&mut self, _start: usize, _process: libc::pid_t) -> bool {
        false
    }

    /// The fields of the frame at an address, if it is in the copy.
    fn find(&self, address: usize) -> Option<Fields> {
        let offset = address.checked_add(BEFORE)?.checked_sub(self.address)?;
        if offset < self.start {
            return None;
        }
        let frame = self.bytes.get(offset..offset.checked_add(FRAME)?)?;
        let field = |offset: usize| {
            let bytes = frame.get(offset..offset + size_of::<usize>())?;
            bytes.try_into().ok().map(usize::from_ne_bytes)
        };
        Some(Fields {
            opline: field(OPLINE)?,
            function: field(FUNCTION)?,
            caller: field(CALLER)?,
        })
    }
}
