//! When things happened: calls in the order of time, and ranges of it.
//!
//! Known for call events and for samples with times. Built once a document;
//! afterwards a question costs what is visible.

mod lanes;
mod range;
mod spans;
mod timeline;

pub(crate) use lanes::{Call, Lanes, Row};
pub use range::TimeRange;
pub(crate) use range::{TopNodes, in_range};
pub(crate) use timeline::timeline;
pub use timeline::{SpanBoxes, TimeBoxes, TimeRow, Timeline, TimelineQuery};
