//! `xhprof.trigger`: somebody asks for a profile of this request.
//!
//! **Invariant:** from outside, only who knows `xhprof.trigger_secret` can make
//! a server work more. Comparing takes as long for a wrong secret as for the
//! right one.

use std::hint::black_box;

use crate::log_throttled::{Problem, log_throttled};
use crate::{inputs, settings, zend};

/// Whether this request asks to be profiled, and may.
pub(super) fn is_pulled() -> bool {
    let name = settings::trigger();
    if name.is_empty() {
        return false;
    }
    if zend::is_command_line() {
        let value = inputs::process_variable(&name).unwrap_or_default();
        return !value.is_empty() && value != b"0";
    }
    let secret = settings::trigger_secret();
    if secret.is_empty() {
        log_throttled(
            Problem::NoSecret,
            "xhprof.trigger does nothing here without xhprof.trigger_secret: \
             anybody could pull it; set a secret, and send it as the trigger's value",
        );
        return false;
    }
    zend::fill_server_variables();
    let values = inputs::named(&name);
    // All of them, so that which one is right does not show either.
    values.iter().fold(false, |is_right, (_, value)| {
        is_right | is_same(value, &secret)
    })
}

/// Whether both are the same, in a time that depends on the length of `given`
/// only.
fn is_same(given: &[u8], secret: &[u8]) -> bool {
    let mut difference = u8::from(given.len() != secret.len());
    for (index, byte) in given.iter().enumerate() {
        let other = secret.get(index % secret.len().max(1)).unwrap_or(&0);
        difference = black_box(difference | (byte ^ other));
    }
    black_box(difference) == 0
}
