//! When things happened: calls in the order of time, and ranges of it.
//!
//! Known for call events and for samples with times. Built once a document;
//! afterwards a question costs what is visible.

mod memory;
mod range;
mod scale;
mod spans;
mod timeline;

pub(crate) use memory::memory;
pub use memory::{MemoryCurve, MemoryQuery};
pub use range::TimeRange;
pub use spans::SpanBoxes;
pub(crate) use timeline::timeline;
pub use timeline::{TimeBoxes, TimeRow, Timeline, TimelineQuery};
