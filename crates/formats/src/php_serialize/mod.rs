//! PHP's `serialize()` format, the part that profiles need: null, booleans,
//! integers, floats, strings and arrays.
//!
//! Values cannot be objects: the reader refuses every other type by its first byte, so
//! that a file contains only data. `profile::php_serialize` writes it.

mod error;
mod reader;

pub use error::SerializeError;
pub(crate) use reader::{Limits, Reader};

/// A PHP value, borrowing its strings from the input.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    /// `N;`
    Null,
    /// `b:1;`
    Bool(bool),
    /// `i:-5;`
    Int(i64),
    /// `d:0.5;`
    Float(f64),
    /// `s:3:"abc";` — bytes, not text.
    String(&'a [u8]),
    /// `a:1:{…}` — ordered.
    Array(Vec<(Key<'a>, Value<'a>)>),
}

/// The key of an array's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    /// `i:5;`, which PHP also writes for the string `"5"`.
    Int(i64),
    /// `s:3:"abc";`
    String(&'a [u8]),
}
