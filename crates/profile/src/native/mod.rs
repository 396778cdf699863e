//! The native file, `*.xhp`: everything a profile knows, in few bytes.
//!
//! `docs/format.md` describes it byte by byte. The extension writes it, and so
//! does everything that would not lose anything; [`write`](fn@write) and
//! [`read`](fn@read) take whole profiles, [`events`] those that are written as they go.
//!
//! ```
//! use profile::{Profile, native};
//!
//! let mut file = Vec::new();
//! native::write(&Profile::empty(), &mut file)?;
//! let read = native::read(file.as_slice(), &native::Limits::default()).unwrap();
//! assert_eq!(read, Profile::empty());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! **Invariants:** the same profile gives the same bytes. What was read is what
//! was written, or an error: only call events may end early, and say so then.

mod costs;
mod crc;
mod edges;
mod error;
pub mod events;
mod meta;
mod read;
mod samples;
mod section;
mod spans;
mod summary;
mod symbols;
mod tree;
mod varint;
mod write;

pub use error::Error;
pub use read::{Limits, read, read_within};
pub use summary::{Summary, summary};
pub use write::write;

/// What a native file begins with. Not text, so that nobody takes it for text;
/// with both line ends, so that a transfer that changes those is noticed.
pub const MAGIC: [u8; 8] = *b"\x89XHP\r\n\x1A\n";

/// The version that a reader has to know: another one, another format.
pub const MAJOR: u8 = 1;

/// The version that says what else there may be: older readers skip it.
pub const MINOR: u8 = 2;
