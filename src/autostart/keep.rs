//! Which profiles are worth a file: decided when the request ends.

use std::time::Duration;

use crate::{settings, zend};

/// Whether a request that took so long is written, by `xhprof.min_duration` and
/// `xhprof.keep_errors`.
pub(super) fn should_keep(took: Duration) -> bool {
    took >= settings::min_duration() || (settings::keep_errors() && has_failed())
}

/// Whether the request ended in an error, its own or its answer's.
fn has_failed() -> bool {
    zend::request_failed() || zend::response_status() >= 500
}
