//! Statements and addresses as parts of names, without what is private in them.
//!
//! A profile is shown to people who must not see a customer's data. So every
//! literal becomes `?`: that also makes one name of the thousand statements
//! that differ in an id only. Where it cannot be told whether something is a
//! literal, it is taken for one.

mod route;
mod sql;
mod url;

pub use route::route;
pub use sql::{Dialect, depends_on_dialect, statement, statement_with};
pub use url::{address, place};

/// Longest text kept, in bytes. Longer ones end in `…`.
pub const MAX_LEN: usize = 16 * 1024;

/// Cuts `text` to [`MAX_LEN`].
fn shorten(text: &mut Vec<u8>) {
    shorten_to(text, MAX_LEN);
}

/// Cuts `text` to that many bytes, between two characters; it ends in `…` then.
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
