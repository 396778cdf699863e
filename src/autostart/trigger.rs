//! `xhprof.trigger`: a request asks to be profiled.
//!
//! **Invariant:** from outside, only a sender that knows `xhprof.trigger_secret`
//! can make a server work more. Comparing takes as long for a wrong secret as
//! for the right one, and neither is ever logged.

use std::hint::black_box;

use crate::log_throttled::{Problem, log_throttled};
use crate::{inputs, settings, zend};

/// What a request has of the trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Nothing, or the setting has no name.
    Suspension,
    /// No request can have it: there is no secret.
    NoSecret,
    /// Its name, with another value than the secret.
    WrongSecret,
    /// Its name and the secret.
    Right,
}

/// What this request has of the trigger. A wrong secret is logged.
pub(super) fn of_this_request() -> Trigger {
    let name = settings::trigger();
    if name.is_empty() {
        return Trigger::Suspension;
    }
    if zend::is_command_line() {
        let value = inputs::process_variable(&name).unwrap_or_default();
        return if value.is_empty() || value == b"0" {
            Trigger::Suspension
        } else {
            Trigger::Right
        };
    }
    let secret = settings::trigger_secret();
    if secret.is_empty() {
        log_throttled(
            Problem::NoSecret,
            "xhprof.trigger does nothing here without xhprof.trigger_secret: \
             anybody could pull it; set a secret, and send it as the trigger's value",
        );
        return Trigger::NoSecret;
    }
    zend::fill_server_variables();
    let values = inputs::named(&name);
    // All of them, so that which one is right does not show either.
    let is_right = values.iter().fold(false, |is_right, (_, value)| {
        is_right | is_same(value, &secret)
    });
    if is_right {
        return Trigger::Right;
    }
    let Some((source, _)) = values.iter().find(|(_, value)| !value.is_empty()) else {
        return Trigger::Suspension;
    };
    log_throttled(
        Problem::WrongSecret,
        &format!(
            "a request has the trigger {name} ({}) with a wrong secret, \
             and is not profiled for that",
            source.word()
        ),
    );
    Trigger::WrongSecret
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
