//! The inputs of a request, by name: headers, cookies, query parameters and
//! environment variables.
//!
//! They are read from the request itself, not from `$_COOKIE` and `$_GET`, which
//! depend on settings and which the program can change. Only inputs with a given
//! name are read; this module lists none.

use std::ffi::CString;
use std::os::unix::ffi::OsStringExt;

use policy::requests::inputs::{header_variable, values};

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

/// The environment variable `name`: the web server's of the request, or the process's.
pub(crate) fn environment(name: &str) -> Option<Vec<u8>> {
    let of_request = || zend::server_variable(&CString::new(name).ok()?);
    let of_request = (!zend::is_command_line()).then(of_request).flatten();
    of_request.or_else(|| process_variable(name))
}

/// All values of the inputs called `name`.
pub(crate) fn named(name: &str) -> Vec<(Source, Vec<u8>)> {
    let mut found = Vec::new();
    found.extend(environment(name).map(|value| (Source::Environment, value)));
    if zend::is_command_line() {
        return found;
    }
    let header = CString::new(header_variable(name)).ok();
    let header = header.and_then(|header| zend::server_variable(&header));
    found.extend(header.map(|value| (Source::Header, value)));
    let cookies = zend::cookies().unwrap_or_default();
    found.extend(values(&cookies, b';', name, false).map(|value| (Source::Cookie, value)));
    let query = zend::query().unwrap_or_default();
    found.extend(values(&query, b'&', name, true).map(|value| (Source::Query, value)));
    found
}

/// A variable of the process's own environment.
pub(crate) fn process_variable(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(OsStringExt::into_vec)
}
