//! PHP's `serialize()` format, the part that profiles need: null, booleans,
//! integers, floats, strings and arrays.
//!
//! The extension writes its files with the writer; programs that open a file
//! use the reader. Values cannot be objects: the reader refuses every other
//! type by its first byte, so that a file contains only data.

mod error;
mod reader;
mod writer;

pub use error::ReadError;
pub use reader::{Limits, Reader, read};
pub(crate) use writer::write_decimal;
pub use writer::{
    write_array_end, write_array_start, write_int, write_key, write_string, write_value,
};

/// A PHP value, borrowing its strings from the input.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'a> {
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
pub enum Key<'a> {
    /// `i:5;`, which PHP also writes for the string `"5"`.
    Int(i64),
    /// `s:3:"abc";`
    String(&'a [u8]),
}
