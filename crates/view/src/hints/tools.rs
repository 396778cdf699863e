//! Extensions that slow down every call while they are loaded.

use super::facts::Facts;
use super::{Evidence, Hint};

pub(super) const SLOW_EXTENSION: &str = "slow-extension";
/// The tag in which the extension records them: `xdebug 3.2.0 (develop)`.
const TAG: &str = "loaded";

/// One hint for all of them. Their share is not known: every time in the
/// profile has their cost in it.
pub(super) fn hints(facts: &Facts<'_>) -> Vec<Hint> {
    let Some(loaded) = facts.profile.meta.tag(TAG) else {
        return Vec::new();
    };
    let active: Vec<&str> = loaded
        .split(", ")
        .filter(|extension| !extension.is_empty() && !extension.ends_with("(off)"))
        .collect();
    if active.is_empty() {
        return Vec::new();
    }
    let active = active.join(", ");
    let text = "It slows down every call, so all times here are too large, those of small \
                functions most. Measure without it: XDEBUG_MODE=off, pcov.enabled=0, or do not \
                load it.";
    vec![Hint {
        id: SLOW_EXTENSION,
        title: "Xdebug or pcov was loaded".to_owned(),
        text: text.to_owned(),
        evidence: vec![Evidence::text("loaded", active.as_bytes())],
        function: None,
        share: None,
    }]
}
