//! Whole stacks, for what is made of them.

use anyhow::{Result, bail};
use profile::{Body, EstimateLimits, Profile};

/// `profile` with stacks: guessed if it has none and may have. `what` needs
/// them: `the call tree`.
pub(crate) fn wanted(profile: Profile, may_guess: bool, what: &str) -> Result<Profile> {
    if !matches!(profile.body, Body::Edges(_)) {
        return Ok(profile);
    }
    if !may_guess {
        bail!(
            "{what} needs whole stacks, and this profile knows only who called whom; \
             --estimate guesses the stacks"
        );
    }
    Ok(guessed(profile))
}

/// `profile` with stacks, guessed if it has none.
pub(crate) fn guessed(profile: Profile) -> Profile {
    match profile.body {
        Body::Edges(_) => profile.estimated(EstimateLimits::default()),
        _ => profile,
    }
}
