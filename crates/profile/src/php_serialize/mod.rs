//! PHP's `serialize()` format, as far as profiles need it: null, booleans,
//! integers, floats, strings and arrays.
//!
//! The extension writes its files with the writer; whoever opens a file uses
//! the reader. There is no way to name an object: the reader refuses anything
//! else by its first byte, so a file can hold data and nothing that acts.

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
    /// `i:5;`, which PHP makes of the string `"5"` too.
    Int(i64),
    /// `s:3:"abc";`
    String(&'a [u8]),
}
