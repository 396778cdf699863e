//! Profiles on demand: the memory through which `xhprof attach --trace` asks an idle process
//! for the profiles of its next requests.
//!
//! A server's process that loads the extension has one unnamed file in memory (`memfd_create(2)`)
//! of [`SIZE`] bytes. The kernel lets its user and root open it below `/proc/PID/fd`. Who asks holds
//! a lock of it (`flock(2)`) for as long as it waits: what was asked for is
//! dropped when no process holds the lock.
//!
//! Numbers are in the machine's byte order. Offsets are multiples of their sizes.

/// The name of the file, as `/proc/PID/fd` shows it: `/memfd:xhprof-remote (deleted)`.
pub const NAME: &str = "xhprof-remote";

/// The size of the file, which cannot be changed.
pub const SIZE: usize = 8192;

/// The first eight bytes: the name of this layout, and its version.
pub const MAGIC: [u8; 8] = *b"xhprof 1";

/// The process whose file it is, as it sees itself (`getpid`): a child inherits the descriptor.
pub const PROCESS: usize = 8;

/// How many requests are still to be profiled. Zero: nothing is asked for.
pub const WANTED: usize = 12;

/// Until when requests are begun, in microseconds since 1970.
pub const UNTIL_US: usize = 16;

/// The number of the one who asks, so that results for an earlier one are dropped.
pub const ASKER: usize = 24;

/// How many profiles this asker's request has begun.
pub const BEGUN: usize = 28;

/// How many results the asker has taken.
pub const TAKEN: usize = 32;

/// The results, in places of [`RESULT_SIZE`] bytes: the n-th profile's is in place n modulo
/// [`RESULTS`]. No profile is begun while its place is in use.
pub const RESULT: usize = 128;
/// How many results there is place for.
pub const RESULTS: u32 = 8;
/// The size of a place: [`NOTHING`], [`WRITTEN`] or [`FAILED`] as four bytes; the length of the text as four;
/// the text.
pub const RESULT_SIZE: usize = 1008;
/// The longest text.
pub const TEXT_SIZE: usize = RESULT_SIZE - 8;

/// There is no result yet.
pub const NOTHING: u32 = 0;
/// The profile was written; the text is its path.
pub const WRITTEN: u32 = 1;
/// There is no profile; the text is the reason.
pub const FAILED: u32 = 2;

/// Where a result stands.
#[must_use]
pub fn result(number: u32) -> usize {
    RESULT + (number % RESULTS) as usize * RESULT_SIZE
}

const _: () =
    assert!(RESULT + RESULTS as usize * RESULT_SIZE <= SIZE && RESULT_SIZE.is_multiple_of(8));
