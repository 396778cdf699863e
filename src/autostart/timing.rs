//! The header `Server-Timing` of an answer to a request with the trigger: what browsers show
//! beside it in their network panel.
//!
//! It has sums alone: no name, text or address. What comes after the headers is not in it.

use std::fmt::{self, Write};
use std::time::Duration;

use crate::zend::response::Line;
use crate::{session, zend};

/// Writes the header for a profile that has run for so long.
pub(super) fn write(line: &mut Line, total: Duration) -> fmt::Result {
    write!(
        line,
        "Server-Timing: total;dur={};desc=\"until the headers\"",
        Ms(total)
    )?;
    let sums = session::sums_so_far();
    for (name, sum, one, many) in [
        ("sql", sums.sql, "statement", "statements"),
        ("http", sums.http, "request", "requests"),
        ("cache", sums.cache, "command", "commands"),
        ("templates", sums.templates, "rendered", "rendered"),
        ("compile", sums.compile, "file", "files"),
    ] {
        if sum.count > 0 {
            let unit = if sum.count == 1 { one } else { many };
            let time = Ms(Duration::from_nanos(sum.duration));
            write!(line, ", {name};dur={time};desc=\"{} {unit}\"", sum.count)?;
        }
    }
    let (_, peak) = zend::memory();
    // In tenths of a megabyte, as a whole number: no rounding of a float in a header.
    let tenths = peak / 100_000;
    write!(
        line,
        ", memory;desc=\"{}.{} MB at most\"",
        tenths / 10,
        tenths % 10
    )
}

/// Milliseconds with their microseconds.
struct Ms(Duration);

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        write!(f, "{}.{:03}", micros / 1000, micros % 1000)
    }
}
