//! Statements and addresses as parts of names, without what is private in them.
//!
//! A profile is shown to people who must not see a customer's data. So every
//! literal becomes `?`: that also makes one name of the thousand statements
//! that differ in an id only. Where it cannot be told whether something is a
//! literal, it is taken for one.

mod sql;
mod url;

pub use sql::statement;
pub use url::address;

/// Longest text kept, in bytes. Longer ones end in `…`.
pub const MAX_LEN: usize = 16 * 1024;

/// Cuts `text` to [`MAX_LEN`], between two characters.
fn shorten(text: &mut Vec<u8>) {
    if text.len() <= MAX_LEN {
        return;
    }
    let is_inside = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
    let mut end = MAX_LEN;
    while end > MAX_LEN - 4 && text.get(end).copied().is_some_and(is_inside) {
        end -= 1;
    }
    text.truncate(end);
    text.extend_from_slice("…".as_bytes());
}
