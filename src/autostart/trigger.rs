//! `xhprof.trigger`: a request asks to be profiled.
//!
//! **Invariant:** only a client that knows `xhprof.trigger_secret`, or has a ticket that was made
//! with it in the last minute, can make a server profile a request. The comparison takes constant time, and no secret
//! is logged.

use policy::requests::ticket;
use policy::requests::trigger::is_secret;

use crate::log_throttled::{Problem, log_throttled};
use crate::{clock, inputs, settings, zend};

/// The trigger in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// The request has no trigger, or the setting is empty.
    Absent,
    /// `xhprof.trigger_secret` is empty, so no trigger is valid.
    NoSecret,
    /// The trigger's value is not the secret.
    WrongSecret,
    /// The trigger's value is the secret, or a ticket.
    Right,
}

/// Looks for the trigger in this request. Logs that a secret was wrong.
pub(super) fn of_this_request() -> Trigger {
    let name = settings::value(&settings::TRIGGER);
    if name.is_empty() {
        return Trigger::Absent;
    }
    if zend::is_command_line() {
        let value = inputs::process_variable(&name).unwrap_or_default();
        return if value.is_empty() || value == b"0" {
            Trigger::Absent
        } else {
            Trigger::Right
        };
    }
    let secret = settings::value(&settings::TRIGGER_SECRET);
    if secret.is_empty() {
        log_throttled(
            Problem::NoSecret,
            "xhprof.trigger needs xhprof.trigger_secret on a server: without a secret \
             any client could start profiles; set a secret, and send it as the trigger's value",
        );
        return Trigger::NoSecret;
    }
    zend::fill_server_variables();
    let values = inputs::named(&name);
    let now = clock::unix_time_us() / 1_000_000;
    // All are compared, so that timing does not show which one is right.
    let is_right = values.iter().fold(false, |is_right, (_, value)| {
        is_right
            | is_secret(value, secret.as_bytes())
            | ticket::is_valid(value, secret.as_bytes(), now)
    });
    if is_right {
        return Trigger::Right;
    }
    let Some((source, _)) = values.iter().find(|(_, value)| !value.is_empty()) else {
        return Trigger::Absent;
    };
    log_throttled(
        Problem::WrongSecret,
        &format!(
            "a request has the trigger {name} ({}) with a wrong secret, \
             and is not profiled by it",
            source.word()
        ),
    );
    Trigger::WrongSecret
}
