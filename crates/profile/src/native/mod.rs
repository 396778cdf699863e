//! The native file, `*.xhp`: all properties of a profile, in few bytes.
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
//! **Invariants:** the same profile gives the same bytes. Reading returns what
//! was written, or an error: only event files may end early, and are then
//! marked as truncated.

mod called;
mod costs;
mod crc;
mod edges;
mod error;
pub mod events;
mod head;
mod limits;
mod lined;
mod meta;
mod output;
mod read;
mod samples;
mod section;
mod spans;
mod summary;
mod symbols;
mod titled;
mod tree;
mod varint;
mod write;

pub use error::Error;
pub use limits::Limits;
pub use read::{read, read_within};
pub use summary::{Summary, summary};
pub use titled::copy_titled;
pub use write::write;

/// The magic number. It is not text, so that no program mistakes it for text,
/// and contains both line ends, so that a transfer that changes those is
/// detected.
pub const MAGIC: [u8; 8] = *b"\x89XHP\r\n\x1A\n";

/// The major version: readers of another one cannot read the file.
pub const MAJOR: u8 = 1;

/// The minor version: older readers skip its additions.
pub const MINOR: u8 = 6;

/// The minor version of edges and trees with costs of lines.
const MINOR_OF_COSTS_OF_LINES: u8 = 5;

/// The minor version of samples with lines.
const MINOR_OF_LINED_SAMPLES: u8 = 4;

/// The minor version of files without lines.
const MINOR_WITHOUT_LINES: u8 = 3;
