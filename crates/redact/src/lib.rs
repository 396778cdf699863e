//! Redacts SQL statements, URLs and the paths of files.
//!
//! People see profiles who must not see a customer's data. So every literal
//! becomes `?`; that also makes one name of a thousand statements that differ
//! only in an ID. Text that may be a literal is treated as one.
//!
//! ```
//! let statement = redact::statement(b"SELECT a FROM t WHERE id = 7");
//! assert_eq!(statement, b"SELECT a FROM t WHERE id = ?");
//! assert_eq!(redact::route(b"/orders/17"), b"/orders/?");
//! ```
//!
//! The functions are [`statement_with`], for a [`Dialect`], [`address`], [`route`](fn@route) and
//! [`file`](fn@file).

#![forbid(unsafe_code)]

mod file;
mod route;
mod sql;
mod url;

pub use file::file;
pub use route::route;
pub use sql::{Dialect, depends_on_dialect, statement, statement_with};
pub use url::{address, place};

/// The maximum length of a text, in bytes. Longer ones end in `…`.
pub const MAX_LEN: usize = 16 * 1024;

/// Cuts `text` to [`MAX_LEN`].
fn shorten(text: &mut Vec<u8>) {
    shorten_to(text, MAX_LEN);
}

/// Cuts `text` to that many bytes, between two characters, and appends `…`.
pub fn shorten_to(text: &mut Vec<u8>, most: usize) {
    if text.len() <= most {
        return;
    }
    let is_inside = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
    let mut end = most;
    while end > most.saturating_sub(4) && text.get(end).copied().is_some_and(is_inside) {
        end -= 1;
    }
    text.truncate(end);
    text.extend_from_slice("…".as_bytes());
}
