//! Titles and tags that the program sets, by `xhprof_tag()` and the options of
//! `xhprof_enable()`; and inputs of the request that `xhprof.capture` lists.
//!
//! A tag of the request is in all its profiles. A tag of a profile that the program
//! began is in that profile only. `policy::output::annotations` has the rules.

use std::cell::{Cell, RefCell};

use policy::naming::names;
use policy::output::annotations::{ROUTE, text};
use profile::Meta;

use super::loaded;
use crate::{inputs, settings};

pub(crate) use policy::output::annotations::{Annotations, MAX_TAGS};

/// The tags that the extension sets.
pub(crate) const OURS: [&str; 13] = [
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
    TRIGGER,
];

/// The tag for the chance with which a request was chosen. A program that chooses
/// requests itself sets it, too.
const RATE: &str = "rate";
/// The tag of a request that carried the trigger.
const TRIGGER: &str = "trigger";

/// How the request of an automatic profile was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Chosen {
    /// By `xhprof.rate`, with this chance.
    ByChance(f64),
    /// By the trigger.
    ByTrigger,
    /// Always.
    Surely,
}

thread_local! {
    /// Those of the request.
    static OF_REQUEST: RefCell<Annotations> = RefCell::default();
    /// Those of the profile that the program began; none if there is none.
    static OF_PROFILE: RefCell<Option<Annotations>> = const { RefCell::new(None) };
    /// How the automatic profile's request was chosen.
    static CHOSEN: Cell<Chosen> = const { Cell::new(Chosen::Surely) };
}

/// An automatic profile begins.
pub(crate) fn note_chosen(chosen: Chosen) {
    CHOSEN.set(chosen);
}

/// Tags the profile that the program began, or else the request. The error is a
/// message for the user.
pub(crate) fn tag(key: &[u8], value: &[u8]) -> Result<(), String> {
    let outcome = OF_PROFILE
        .with_borrow_mut(|annotations| Some(annotations.as_mut()?.tag(key, value, &OURS)));
    outcome.unwrap_or_else(|| {
        OF_REQUEST.with_borrow_mut(|annotations| annotations.tag(key, value, &OURS))
    })
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
    CHOSEN.set(Chosen::Surely);
    OF_REQUEST.set(Annotations::default());
}

/// The title that the program gave.
pub(super) fn title() -> Option<String> {
    OF_PROFILE.with_borrow(|annotations| Some(annotations.as_ref()?.title()?.to_owned()))
}

/// The route that the program has set: the tag `route`, or else its title.
pub(super) fn route() -> Option<String> {
    OF_PROFILE
        .with_borrow(|annotations| Some(annotations.as_ref()?.route()?.to_owned()))
        .or_else(title)
        .or_else(|| OF_REQUEST.with_borrow(|annotations| annotations.route().map(str::to_owned)))
}

/// Adds all tags to `meta`.
pub(super) fn describe(meta: &mut Meta) {
    for name in settings::value(&settings::CAPTURE) {
        for (source, value) in inputs::named(&name) {
            // The program's own tags contain no dot.
            meta.set_tag(&format!("{}.{name}", source.word()), text(&value));
        }
    }
    // A profile that the program began is there because the program began it.
    let is_automatic = OF_PROFILE.with_borrow(Option::is_none);
    match CHOSEN.get() {
        Chosen::ByChance(rate) if is_automatic && rate < 1.0 => {
            meta.set_tag(RATE, rate.to_string());
        }
        Chosen::ByTrigger if is_automatic => meta.set_tag(TRIGGER, "1"),
        _ => {}
    }
    let mut add = |annotations: &Annotations| {
        for (key, value) in annotations.tags() {
            meta.set_tag(key, value);
        }
    };
    OF_REQUEST.with_borrow(&mut add);
    OF_PROFILE.with_borrow(|annotations| annotations.as_ref().map(&mut add));
    if let Some(route) = route() {
        meta.set_tag(ROUTE, route);
    }
}
