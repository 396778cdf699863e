//! Titles and tags that the program sets, by `xhprof_tag()` and the options of
//! `xhprof_enable()`; and inputs of the request that `xhprof.capture` lists.
//!
//! A tag of the request is in all its profiles. A tag of a profile that the program
//! began is in that profile only.
//!
//! **Invariant:** number and length are bounded. A program's tag cannot replace a
//! tag that the extension sets.

use std::cell::RefCell;

use profile::Meta;

use super::loaded;
use crate::{inputs, names, settings};

/// How many tags a request or a profile may have.
pub(crate) const MAX_TAGS: usize = 64;
/// How long a tag's name may be, in bytes.
const MAX_KEY: usize = 64;
/// How much of a tag's value is kept, in bytes.
const MAX_VALUE: usize = 1024;
/// The tag for the route.
const ROUTE: &str = "route";

/// The tags that the extension sets.
const OURS: [&str; 12] = [
    "exit_status",
    "failed",
    "http_host",
    loaded::LOADED,
    "method",
    names::LEFT_OUT,
    names::SHORTENED,
    loaded::OPCACHE,
    "path",
    "peak_memory",
    "script",
    "status",
];

/// The title and the tags that a program has set.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    title: Option<String>,
    tags: Vec<(String, String)>,
}

thread_local! {
    /// Those of the request.
    static OF_REQUEST: RefCell<Annotations> = RefCell::default();
    /// Those of the profile that the program began; none if there is none.
    static OF_PROFILE: RefCell<Option<Annotations>> = const { RefCell::new(None) };
}

impl Annotations {
    /// Sets the title; an empty one removes it.
    pub(crate) fn title(&mut self, title: &[u8]) {
        self.title = Some(text(title)).filter(|title| !title.is_empty());
    }

    /// Sets a tag; the error is a message for the user.
    pub(crate) fn tag(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let key = str::from_utf8(key)
            .ok()
            .filter(|key| {
                (1..=MAX_KEY).contains(&key.len()) && key.as_bytes().iter().all(is_letter)
            })
            .ok_or("a tag's key must be 1 to 64 letters, digits, _ and -")?;
        if OURS.contains(&key) {
            return Err(format!(
                "the tag \"{key}\" is set by xhprof itself; choose another key"
            ));
        }
        let value = text(value);
        if let Some(known) = self.tags.iter_mut().find(|(known, _)| known == key) {
            known.1 = value;
        } else if self.tags.len() < MAX_TAGS {
            self.tags.push((key.to_owned(), value));
        } else {
            return Err(format!(
                "a profile has {MAX_TAGS} tags at most; \"{key}\" is not recorded"
            ));
        }
        Ok(())
    }

    fn route(&self) -> Option<String> {
        let route = self.tags.iter().find(|(key, _)| key == ROUTE);
        let route = route.map(|(_, value)| value.clone());
        route.filter(|route| !route.is_empty())
    }
}

/// Tags the profile that the program began, or else the request. The error is a
/// message for the user.
pub(crate) fn tag(key: &[u8], value: &[u8]) -> Result<(), String> {
    let outcome =
        OF_PROFILE.with_borrow_mut(|annotations| Some(annotations.as_mut()?.tag(key, value)));
    outcome.unwrap_or_else(|| OF_REQUEST.with_borrow_mut(|annotations| annotations.tag(key, value)))
}

/// The program begins a profile with these annotations.
pub(crate) fn begin(annotations: Annotations) {
    OF_PROFILE.set(Some(annotations));
}

/// The profile that the program began has ended.
pub(crate) fn end() {
    OF_PROFILE.set(None);
}

/// RSHUTDOWN: removes all annotations.
pub(crate) fn forget() {
    end();
    OF_REQUEST.set(Annotations::default());
}

/// The title that the program gave.
pub(super) fn title() -> Option<String> {
    OF_PROFILE.with_borrow(|annotations| annotations.as_ref()?.title.clone())
}

/// The route that the program has set: the tag `route`, or else its title.
pub(super) fn route() -> Option<String> {
    OF_PROFILE
        .with_borrow(|annotations| annotations.as_ref()?.route())
        .or_else(title)
        .or_else(|| OF_REQUEST.with_borrow(Annotations::route))
}

/// Adds all tags to `meta`.
pub(super) fn describe(meta: &mut Meta) {
    for name in settings::value(&settings::CAPTURE) {
        for (source, value) in inputs::named(&name) {
            // The program's own tags contain no dot.
            meta.set_tag(&format!("{}.{name}", source.word()), text(&value));
        }
    }
    let mut add = |annotations: &Annotations| {
        for (key, value) in &annotations.tags {
            meta.set_tag(key, value.as_str());
        }
    };
    OF_REQUEST.with_borrow(&mut add);
    OF_PROFILE.with_borrow(|annotations| annotations.as_ref().map(&mut add));
    if let Some(route) = route() {
        meta.set_tag(ROUTE, route);
    }
}

/// The value as UTF-8, truncated to [`MAX_VALUE`].
fn text(value: &[u8]) -> String {
    // Replacing invalid bytes makes the text longer, never shorter.
    let value = value.get(..MAX_VALUE).unwrap_or(value);
    let whole = match str::from_utf8(value) {
        // Drops a character that was cut.
        Err(error) if error.error_len().is_none() => value.get(..error.valid_up_to()),
        _ => Some(value),
    };
    let mut text = String::from_utf8_lossy(whole.unwrap_or_default()).into_owned();
    while text.len() > MAX_VALUE {
        text.pop();
    }
    text
}
