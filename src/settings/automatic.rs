//! What the settings say of automatic profiles: of which requests, and what
//! is kept.

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

/// Whether each request leaves a line in PHP's log.
pub(crate) fn debug() -> bool {
    read(c"xhprof.debug", boolean, false)
}

/// What must be in a request for it to be profiled; empty for nothing.
pub(crate) fn trigger() -> String {
    text(c"xhprof.trigger")
}

/// What the trigger must be.
pub(crate) fn trigger_secret() -> Vec<u8> {
    ini::value(c"xhprof.trigger_secret")
}

/// How many of all requests, of 1.
pub(crate) fn rate() -> f64 {
    read(c"xhprof.rate", share, 1.0)
}

/// Patterns of what is profiled; empty for everything.
pub(crate) fn match_list() -> Vec<String> {
    list(&text(c"xhprof.match"))
}

/// Patterns of what is not.
pub(crate) fn skip_list() -> Vec<String> {
    list(&text(c"xhprof.skip"))
}

/// How many profiles are begun in a minute; zero for any number.
pub(crate) fn max_per_minute() -> u64 {
    let limit = |value: &str| number(value, 0, MAX_PER_MINUTE);
    read(c"xhprof.max_per_minute", limit, 0)
}

/// What is shorter is not written.
pub(crate) fn min_duration() -> Duration {
    let milliseconds = |value: &str| number(value, 0, MAX_DURATION_MS);
    Duration::from_millis(read(c"xhprof.min_duration", milliseconds, 0))
}

/// Whether what failed is written however short it was.
pub(crate) fn keep_errors() -> bool {
    read(c"xhprof.keep_errors", boolean, false)
}

/// What may be recorded of a request's headers, cookies, query and environment.
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

/// Who may read a profile.
pub(crate) fn file_permissions() -> u32 {
    read(c"xhprof.file_permissions", file_mode, 0o600)
}

/// How much may be in the output directory, in bytes; zero for any amount.
pub(crate) fn max_dir_size() -> u64 {
    read(c"xhprof.max_dir_size", size_or_zero, 0)
}

fn text(name: &std::ffi::CStr) -> String {
    read(name, |value| Some(value.to_owned()), String::new())
}
