//! Provides whole stacks to the commands that need them.

use anyhow::{Result, bail};
use profile::{Body, EstimateLimits, Profile};

/// `profile` with stacks: estimated if it has none and the user allowed it.
/// `what` names the output that needs them: `the call tree`.
pub(crate) fn require(profile: Profile, may_estimate: bool, what: &str) -> Result<Profile> {
    if !matches!(profile.body, Body::Edges(_)) {
        return Ok(profile);
    }
    if !may_estimate {
        bail!(
            "{what} needs whole stacks, and this profile has only caller and callee pairs; \
             --estimate estimates the stacks"
        );
    }
    Ok(estimated(profile))
}

/// `profile` with stacks, estimated if it has none.
pub(crate) fn estimated(profile: Profile) -> Profile {
    match profile.body {
        Body::Edges(_) => profile.estimated(EstimateLimits::default()),
        _ => profile,
    }
}
