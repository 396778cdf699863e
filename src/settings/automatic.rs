//! The settings of automatic profiles: which requests are profiled, and which
//! profiles are kept.

use std::collections::HashSet;
use std::time::Duration;

use super::parse::{
    MAX_DURATION_MS, MAX_PER_MINUTE, auto_enable as parse_auto_enable, boolean, file_mode, list,
    number, share, size_or_zero,
};
use super::{AutoEnable, read};
use crate::zend::ini;

/// Whether requests are profiled from their first line.
pub(crate) fn auto_enable() -> AutoEnable {
    read(c"xhprof.auto_enable", parse_auto_enable, AutoEnable::Never)
}

/// Whether each request logs a line.
pub(crate) fn debug() -> bool {
    read(c"xhprof.debug", boolean, false)
}

/// The name of the trigger; empty for none.
pub(crate) fn trigger() -> String {
    text(c"xhprof.trigger")
}

/// The value that the trigger must have.
pub(crate) fn trigger_secret() -> Vec<u8> {
    ini::value(c"xhprof.trigger_secret")
}

/// Fraction of requests to profile, 0 to 1.
pub(crate) fn rate() -> f64 {
    read(c"xhprof.rate", share, 1.0)
}

/// Patterns of requests to profile; empty for all.
pub(crate) fn match_list() -> Vec<String> {
    list(&text(c"xhprof.match"))
}

/// Patterns of requests not to profile.
pub(crate) fn skip_list() -> Vec<String> {
    list(&text(c"xhprof.skip"))
}

/// How many profiles may begin in a minute; zero for no limit.
pub(crate) fn max_per_minute() -> u64 {
    let limit = |value: &str| number(value, 0, MAX_PER_MINUTE);
    read(c"xhprof.max_per_minute", limit, 0)
}

/// Profiles of shorter requests are not written.
pub(crate) fn min_duration() -> Duration {
    let milliseconds = |value: &str| number(value, 0, MAX_DURATION_MS);
    Duration::from_millis(read(c"xhprof.min_duration", milliseconds, 0))
}

/// Whether profiles of failed requests are written however short they were.
pub(crate) fn keep_errors() -> bool {
    read(c"xhprof.keep_errors", boolean, false)
}

/// The names of headers, cookies, query parameters and environment variables
/// whose values may be recorded.
pub(crate) fn capture() -> Vec<String> {
    list(&text(c"xhprof.capture"))
}

/// Patterns of the functions and files that every profile leaves out.
pub(crate) fn exclude() -> Vec<String> {
    list(&text(c"xhprof.exclude"))
}

/// The functions that automatic profiles leave out.
pub(crate) fn ignored_functions() -> HashSet<Box<[u8]>> {
    let names = list(&text(c"xhprof.ignored_functions"));
    names
        .into_iter()
        .map(|name| name.into_bytes().into())
        .collect()
}

/// The permissions of profile files.
pub(crate) fn file_permissions() -> u32 {
    read(c"xhprof.file_permissions", file_mode, 0o600)
}

/// The largest size of the output directory, in bytes; zero for no limit.
pub(crate) fn max_dir_size() -> u64 {
    read(c"xhprof.max_dir_size", size_or_zero, 0)
}

fn text(name: &std::ffi::CStr) -> String {
    read(name, |value| Some(value.to_owned()), String::new())
}
