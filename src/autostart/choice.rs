//! Which requests are profiled: decided once, when one starts.
//!
//! Cheapest first: a request that chance leaves out has cost three settings
//! and one question to the kernel.

use super::patterns;
use super::trigger;
use crate::log_throttled::{Problem, log_throttled};
use crate::output::{self, Ledger};
use crate::settings::{self, AutoEnable};
use crate::zend::ini;
use crate::{inputs, zend};

/// Why a request is profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Somebody asked for this one, so it is written whatever comes of it.
    Asked,
    /// The settings are about all requests, and this is one of them.
    Rules,
}

/// Whether to profile the request that starts, and why.
pub(super) fn this_request() -> Option<Reason> {
    if zend::is_command_line() {
        let variable = inputs::process_variable("XHPROF");
        let word = variable.and_then(|value| String::from_utf8(value).ok());
        match word.and_then(|word| settings::boolean(&word)) {
            Some(true) => return Some(Reason::Asked),
            Some(false) => return None,
            None => {}
        }
    }
    let auto_enable = settings::auto_enable();
    if auto_enable == AutoEnable::Never {
        return None;
    }
    let reason = if trigger::is_pulled() {
        Reason::Asked
    } else if auto_enable == AutoEnable::Always
        && !ini::is_limit_wrong()
        && chance(settings::rate())
        && is_one_of_those()
    {
        Reason::Rules
    } else {
        return None;
    };
    has_room().then_some(reason)
}

/// True as often as `share` says, of 1.
fn chance(share: f64) -> bool {
    if share >= 1.0 {
        return true;
    }
    // 53 bits are what fits into an f64.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let number = |random: u64| (random >> 11) as f64 / (1_u64 << 53) as f64;
    share > 0.0 && zend::random().is_some_and(|random| number(random) < share)
}

/// By `xhprof.match` and `xhprof.skip`.
fn is_one_of_those() -> bool {
    let (wanted, unwanted) = (settings::match_list(), settings::skip_list());
    if wanted.is_empty() && unwanted.is_empty() {
        return true;
    }
    let subject = subject();
    (wanted.is_empty() || patterns::any_matches(&wanted, &subject))
        && !patterns::any_matches(&unwanted, &subject)
}

/// What patterns are about: `host/path`, or the script's path.
fn subject() -> Vec<u8> {
    if zend::is_command_line() {
        return zend::script_path().unwrap_or_default();
    }
    zend::fill_server_variables();
    let mut host = zend::http_host().unwrap_or_default();
    host.make_ascii_lowercase();
    // Without the port; not the colons of an IPv6 address in brackets.
    if let Some(colon) = host.iter().rposition(|&byte| byte == b':')
        && !host.iter().skip(colon).any(|&byte| byte == b']')
    {
        host.truncate(colon);
    }
    host.extend(zend::request_path().unwrap_or_default());
    host
}

/// By `xhprof.max_per_minute`.
fn has_room() -> bool {
    let limit = settings::max_per_minute();
    if limit == 0 {
        return true;
    }
    match Ledger::begin_profile(&output::directory(), limit) {
        Ok(is_allowed) => is_allowed,
        Err(error) => {
            log_throttled(Problem::Output, &format!("nothing is recorded: {error:#}"));
            false
        }
    }
}
