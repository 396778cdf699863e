//! The results of a check, in the languages of people and of CI systems.

pub(super) mod github;
pub(super) mod gitlab;
pub(super) mod junit;
pub(super) mod markdown;
pub(super) mod sarif;
pub(super) mod text;

#[cfg(test)]
pub(super) mod sample;
