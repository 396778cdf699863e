//! The inputs of a request, by name: headers, cookies, query parameters and
//! environment variables.
//!
//! They are read from the request itself, not from `$_COOKIE` and `$_GET`, which
//! depend on settings and which the program can change. Only inputs with a given
//! name are read; this module lists none.

use std::ffi::CString;
use std::os::unix::ffi::OsStringExt;

use crate::zend;

/// Where a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Environment,
    Header,
    Cookie,
    Query,
}

impl Source {
    /// The word for it in a profile's tags.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Environment => "env",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Query => "query",
        }
    }
}

/// All values of the inputs called `name`.
pub(crate) fn named(name: &str) -> Vec<(Source, Vec<u8>)> {
    let mut found = Vec::new();
    if zend::is_command_line() {
        found.extend(process_variable(name).map(|value| (Source::Environment, value)));
        return found;
    }
    let variable = |name: &str| zend::server_variable(&CString::new(name).ok()?);
    found.extend(
        variable(name)
            .or_else(|| process_variable(name))
            .map(|value| (Source::Environment, value)),
    );
    let header = format!("HTTP_{}", name.to_ascii_uppercase().replace('-', "_"));
    found.extend(variable(&header).map(|value| (Source::Header, value)));
    let cookies = zend::cookies().unwrap_or_default();
    found.extend(pairs(&cookies, b';', name, false).map(|value| (Source::Cookie, value)));
    let query = zend::query().unwrap_or_default();
    found.extend(pairs(&query, b'&', name, true).map(|value| (Source::Query, value)));
    found
}

/// A variable of the process's own environment.
pub(crate) fn process_variable(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(OsStringExt::into_vec)
}

/// The values of `name` in `name=value;name=value`, decoded.
fn pairs(
    text: &[u8],
    separator: u8,
    name: &str,
    plus_is_space: bool,
) -> impl Iterator<Item = Vec<u8>> {
    text.split(move |&byte| byte == separator)
        .filter_map(move |pair| {
            let mut sides = pair.splitn(2, |&byte| byte == b'=');
            let is_named = sides.next()?.trim_ascii() == name.as_bytes();
            let value = sides.next().unwrap_or_default();
            is_named.then(|| decoded(value, plus_is_space))
        })
}

/// `%41` is `A`.
fn decoded(text: &[u8], plus_is_space: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let code = after.get(..2).filter(|_| first == b'%');
        let code = code.and_then(|code| str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None if first == b'+' && plus_is_space => bytes.push(b' '),
            None => bytes.push(first),
        }
    }
    bytes
}
