//! Decides at the end of the request whether its profile is written.

use std::time::Duration;

use crate::{settings, zend};

/// Whether the profile of a request that took `took` is written, by
/// `xhprof.min_duration`. Those that fail are always written.
pub(super) fn should_keep(took: Duration) -> bool {
    took >= settings::value(&settings::MIN_DURATION) || has_failed()
}

/// Whether the request ended with an error, or with an HTTP status of 500 or more.
fn has_failed() -> bool {
    zend::request_failed() || zend::response_status() >= 500
}
