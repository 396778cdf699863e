//! What a program says of its request: `xhprof_tag()`, and what a request
//! brought along that `xhprof.capture` lists by name.
//!
//! **Invariant:** bounded, whatever program and request do; and a tag never
//! takes the place of what we say of the request ourselves.

use std::cell::RefCell;

use profile::Meta;

use crate::{inputs, settings};

/// How many tags a request gets.
const MAX_TAGS: usize = 64;
/// How long a tag's name may be, in bytes.
const MAX_KEY: usize = 64;
/// How much of a tag's value is kept, in bytes.
const MAX_VALUE: usize = 1024;

/// Names that are ours.
const OURS: [&str; 8] = [
    "exit_status",
    "failed",
    "http_host",
    "method",
    "path",
    "peak_memory",
    "script",
    "status",
];

thread_local! {
    static TAGS: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// Tags the request that runs; says why not, if not.
pub(crate) fn tag(key: &[u8], value: &[u8]) -> Result<(), String> {
    let is_letter = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-');
    let key = str::from_utf8(key)
        .ok()
        .filter(|key| (1..=MAX_KEY).contains(&key.len()) && key.as_bytes().iter().all(is_letter))
        .ok_or("a tag's key must be 1 to 64 letters, digits, _ and -")?;
    if OURS.contains(&key) {
        return Err(format!(
            "the tag \"{key}\" is set by xhprof itself; choose another key"
        ));
    }
    TAGS.with_borrow_mut(|tags| {
        let value = text(value);
        if let Some(known) = tags.iter_mut().find(|(known, _)| known == key) {
            known.1 = value;
        } else if tags.len() < MAX_TAGS {
            tags.push((key.to_owned(), value));
        } else {
            return Err(format!(
                "a profile has {MAX_TAGS} tags at most; \"{key}\" is not recorded"
            ));
        }
        Ok(())
    })
}

/// The next request has none of this one's.
pub(crate) fn forget() {
    TAGS.set(Vec::new());
}

/// Adds all of them.
pub(super) fn describe(meta: &mut Meta) {
    for name in settings::capture() {
        for (source, value) in inputs::named(&name) {
            // A dot is in none of the program's own.
            meta.set_tag(&format!("{}.{name}", source.word()), text(&value));
        }
    }
    TAGS.with_borrow(|tags| {
        for (key, value) in tags {
            meta.set_tag(key, value.as_str());
        }
    });
}

/// As text, cut off where it gets too long.
fn text(value: &[u8]) -> String {
    // What is no text takes more room as text, never less.
    let value = value.get(..MAX_VALUE).unwrap_or(value);
    let whole = match str::from_utf8(value) {
        // A letter that was cut in half goes.
        Err(error) if error.error_len().is_none() => value.get(..error.valid_up_to()),
        _ => Some(value),
    };
    let mut text = String::from_utf8_lossy(whole.unwrap_or_default()).into_owned();
    while text.len() > MAX_VALUE {
        text.pop();
    }
    text
}
