//! Decides at RINIT whether the request is profiled.
//!
//! The cheapest checks come first: for a request that `xhprof.rate` leaves out,
//! three settings are read and one system call is made.

use policy::requests::trigger::{LeftOut, Subject, is_chosen};

use super::decision::{Decision, Reason, Rule};
use super::remote;
use super::trigger::{self, Trigger};
use crate::log_throttled::{Problem, log_throttled};
use crate::output::{self, Ledger};
use crate::settings::{self, AutoEnable, Flags, Mode};
use crate::zend::ini;
use crate::{inputs, zend};

/// Whether to profile this request, and by which rule.
pub(super) fn this_request() -> Decision {
    match reason() {
        Ok(reason) => Decision::Profiled(reason),
        Err(rule) => Decision::NotProfiled(rule),
    }
}

fn reason() -> Result<Reason, Rule> {
    let auto_enable = settings::value(&settings::AUTO_ENABLE);
    if zend::is_command_line() {
        let variable = inputs::process_variable("XHPROF");
        let word = variable.and_then(|value| String::from_utf8(value).ok());
        match word.and_then(|word| settings::boolean(&word)) {
            Some(true) => return Ok(Reason::Environment),
            Some(false) => return Err(Rule::Environment),
            None => {}
        }
    } else if auto_enable != AutoEnable::Never
        && let Some(asked) = remote::take()
    {
        return Ok(Reason::Remote(asked));
    }
    if matches!(auto_enable, AutoEnable::Off | AutoEnable::Never) {
        return Err(Rule::Off);
    }
    let trigger = trigger::of_this_request();
    let reason = match (trigger, auto_enable) {
        (Trigger::Right, _) => Reason::Trigger,
        (Trigger::Absent, AutoEnable::Trigger) => return Err(Rule::NoTrigger),
        (Trigger::NoSecret, AutoEnable::Trigger) => return Err(Rule::NoSecret),
        (Trigger::WrongSecret, AutoEnable::Trigger) => return Err(Rule::WrongSecret),
        _ => {
            by_rules()?;
            Reason::Rules
        }
    };
    is_within_max_per_minute()?;
    Ok(reason)
}

/// The rules for requests without a trigger.
fn by_rules() -> Result<(), Rule> {
    if ini::has_invalid_limit() {
        return Err(Rule::InvalidLimit);
    }
    if !chance(settings::value(&settings::RATE)) {
        return Err(Rule::Rate);
    }
    by_patterns()
}

/// The mode of the profile: one that was asked for has every call.
pub(super) fn mode(reason: Reason) -> Mode {
    match (reason, settings::value(&settings::MODE)) {
        (Reason::Remote(_), Mode::Sample) => Mode::Tree,
        (_, mode) => mode,
    }
}

/// What the profile records: on the command line, with `XHPROF=1`, the words of
/// `XHPROF_FLAGS` if there are any.
pub(super) fn flags(reason: Reason) -> Flags {
    let variable = inputs::process_variable("XHPROF_FLAGS");
    let variable = variable.filter(|words| reason == Reason::Environment && !words.is_empty());
    let Some(words) = variable else {
        return settings::value(&settings::FLAGS);
    };
    let flags = str::from_utf8(&words).ok().and_then(Flags::from_words);
    flags.unwrap_or_else(|| {
        log_throttled(
            Problem::Output,
            &format!(
                "XHPROF_FLAGS must be {}; using {}",
                settings::FLAGS.parser.expected(),
                settings::FLAGS.name()
            ),
        );
        settings::value(&settings::FLAGS)
    })
}

/// True with the probability `share`.
fn chance(share: f64) -> bool {
    if share >= 1.0 {
        return true;
    }
    share > 0.0 && zend::random().is_some_and(|random| is_chosen(random, share))
}

/// By `xhprof.match`.
fn by_patterns() -> Result<(), Rule> {
    let patterns = settings::value(&settings::MATCH);
    if patterns.is_empty() {
        return Ok(());
    }
    match subject().left_out_by(&patterns) {
        None => Ok(()),
        Some(LeftOut::NoMatch) => Err(Rule::Match),
        Some(LeftOut::By(pattern)) => Err(Rule::LeftOut(pattern.to_owned())),
    }
}

/// The request or script that patterns are compared with.
fn subject() -> Subject {
    if zend::is_command_line() {
        return Subject::script(zend::script_path().unwrap_or_default());
    }
    zend::fill_server_variables();
    let (host, path) = (zend::http_host(), zend::request_path());
    Subject::request(&host.unwrap_or_default(), &path.unwrap_or_default())
}

/// By `xhprof.max_per_minute`.
fn is_within_max_per_minute() -> Result<(), Rule> {
    let limit = settings::value(&settings::MAX_PER_MINUTE);
    if limit == 0 {
        return Ok(());
    }
    match Ledger::begin_profile(&output::directory(), limit) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Rule::MaxPerMinute),
        Err(error) => {
            let problem = format!("{error:#}");
            log_throttled(Problem::Output, &format!("nothing is recorded: {problem}"));
            Err(Rule::Problem(problem))
        }
    }
}
