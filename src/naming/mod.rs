//! The names of a profile's functions, files and spans.
//!
//! A function's name is written once per profile, when its first call looks for its
//! [`Target`]. `name_cache` has the names of the thread's last profile.

mod name_cache;
mod options;
mod prepared;
mod spans;
mod symbols;
mod target;

pub(crate) use options::{Details, NamingOptions};
pub(crate) use prepared::Prepared;
pub(crate) use spans::{MAX_TEXT_LENGTH, SharedSpans, SpanId, SpanLog};
pub(crate) use symbols::{Symbols, keep_names};
pub(crate) use target::Target;
