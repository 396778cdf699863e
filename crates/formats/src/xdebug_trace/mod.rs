//! Xdebug's traces (`*.xt`), in formats 0 (for people) and 1 (for programs):
//! every call, as a profile of events.
//!
//! Format 0 has the times of entries, in steps of 0.1 ms, and shows callers by
//! indentation. It has no exits: the time until the next line belongs to the
//! last call. Format 1 numbers every call and has exits in microseconds, so
//! that fibers can be recognized. Return values and assignments are skipped:
//! they are data of the program.
//!
//! **Invariant:** memory is proportional to the profile: a trace of more than a
//! million calls becomes a call tree while it is read.

mod calls;
mod computer;
mod human;

use std::io::BufRead;

use profile::{Budget, Meta, Metrics, Mode, Profile, Spans, WallUnit};

use self::calls::Calls;
use crate::ReadError;
use crate::format::{Detection, Format, Reads};
use crate::shared::lines::Lines;
use crate::shared::names::{INTERNAL_FILE, Names, of_xdebug};
use crate::shared::text::lossy;

/// Traces that Xdebug wrote.
pub const XDEBUG_TRACE: Format = Format {
    id: "xdebug-trace",
    name: NAME,
    endings: &[],
    warning: None,
    reads: Some(Reads { detect, read }),
    writes: None,
};

const NAME: &str = "Xdebug trace";

/// The first line of a trace, in either format.
const START: &[u8] = b"TRACE START [";
/// The line before it in format 1.
const VERSION: &[u8] = b"Version: ";
/// The beginning of format 2, an HTML table that cannot be read.
const HTML: &[u8] = b"<table ";
/// The attribute in its first tag. Some versions of Xdebug write others before it.
const HTML_CLASS: &[u8] = b"class='xdebug-trace'";
/// The longest first tag that is looked at.
const HTML_TAG_LIMIT: usize = 512;

fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    if detect_html(input.fill_buf()?.trim_ascii_start()) == Detection::Yes {
        return Err(ReadError::Refused {
            what: "Xdebug's trace as HTML (xdebug.trace_format=2)",
            advice: "record it with xdebug.trace_format=1",
        });
    }
    let mut lines = Lines::new(input, NAME);
    let mut reader = Reader::within(budget);
    let mut broken = None;
    while let Some(line) = lines.next()? {
        if let Some(error) = broken {
            return Err(error);
        }
        budget.check()?;
        if let Err(reason) = reader.line(line) {
            broken = Some(lines.error(reason));
        }
    }
    // The last line is incomplete if the program was killed.
    if let Some(error) = broken.filter(|_| !reader.is_started || reader.is_ended) {
        return Err(error);
    }
    reader.finish().map_err(|reason| lines.error(reason))
}

/// By the line `TRACE START […]`, after at most two other lines.
fn detect(head: &[u8]) -> Detection {
    let head = head.trim_ascii_start();
    match detect_html(head) {
        Detection::No => {}
        found => return found,
    }
    match Detection::by_first_bytes(head, VERSION) {
        Detection::Yes => {}
        Detection::NeedMore => return Detection::NeedMore,
        Detection::No => return Detection::by_first_bytes(head, START),
    }
    let Some(end) = head.iter().position(|&byte| byte == b'\n') else {
        return Detection::NeedMore;
    };
    Detection::by_first_bytes(head.get(end + 1..).unwrap_or_default(), b"File format: ")
}

fn detect_html(head: &[u8]) -> Detection {
    if !head.starts_with(HTML) {
        return Detection::by_first_bytes(head, HTML);
    }
    let tag = head.get(..HTML_TAG_LIMIT).unwrap_or(head);
    let (tag, is_whole) = match tag.iter().position(|&byte| byte == b'>') {
        Some(end) => (tag.get(..end).unwrap_or(tag), true),
        None => (tag, tag.len() == HTML_TAG_LIMIT),
    };
    let has_class = tag
        .windows(HTML_CLASS.len())
        .any(|window| window == HTML_CLASS);
    match (has_class, is_whole) {
        (true, _) => Detection::Yes,
        (false, true) => Detection::No,
        (false, false) => Detection::NeedMore,
    }
}

type Reason = &'static str;

/// One line of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Record<'l> {
    /// The entry of a function.
    Enter {
        /// The level; `{main}` is at 1.
        level: usize,
        /// The call's number, in format 1.
        number: Option<u64>,
        at: At,
        name: &'l [u8],
        /// One of PHP's own functions, if that is known.
        is_internal: bool,
        /// The file that `include` and its relatives load.
        file: &'l [u8],
    },
    /// The exit of the call with this number.
    Leave { number: u64, at: At },
    /// The exit of the call at this level.
    LeaveLevel { level: usize, at: At },
    /// The end of the trace.
    End(At),
    /// A return value or an assignment.
    Other,
}

/// The time, and the memory in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct At {
    wall_ns: u64,
    memory: i64,
}

#[derive(Debug)]
struct Reader {
    meta: Meta,
    is_numbered: bool,
    is_started: bool,
    is_ended: bool,
    names: Names,
    calls: Calls,
    name: Vec<u8>,
}

impl Reader {
    fn within(budget: &Budget) -> Self {
        Self {
            meta: Meta::default(),
            is_numbered: false,
            is_started: false,
            is_ended: false,
            names: Names::within(budget),
            calls: Calls::within(budget),
            name: Vec::new(),
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Reason> {
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with(START) {
            if self.is_started {
                return Err("another trace begins here: split the file");
            }
            self.is_started = true;
            return Ok(());
        }
        if !self.is_started {
            return self.header(line);
        }
        if line.starts_with(b"TRACE END") {
            self.is_ended = true;
            return Ok(());
        }
        if line.starts_with(VERSION) && self.is_ended {
            return Err("another trace begins here: split the file");
        }
        let record = if self.is_numbered {
            computer::record(line)?
        } else {
            human::record(line)?
        };
        match record {
            Record::Enter {
                level,
                number,
                at,
                name,
                is_internal,
                file,
            } => {
                self.name.clear();
                self.name.extend_from_slice(name);
                if !file.is_empty() {
                    self.name.extend_from_slice(b"::");
                    self.name.extend_from_slice(file);
                }
                let starts_fiber = is_internal && name == b"Fiber->start";
                let name = of_xdebug(&self.name, false);
                let file = is_internal.then_some(INTERNAL_FILE);
                let symbol = self.names.symbol(&name, file);
                let symbol = symbol.ok_or("more functions than can be numbered")?;
                self.calls.enter(level, number, at, symbol, starts_fiber)
            }
            Record::Leave { number, at } => {
                self.calls.leave(number, at);
                Ok(())
            }
            Record::LeaveLevel { level, at } => {
                self.calls.leave_level(level, at);
                Ok(())
            }
            Record::End(at) => {
                self.calls.end(at);
                Ok(())
            }
            Record::Other => Ok(()),
        }
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Reason> {
        if let Some(version) = line.strip_prefix(VERSION) {
            self.meta.creator = Some(format!("xdebug {}", lossy(version)));
            self.is_numbered = true;
            return Ok(());
        }
        if self.is_numbered && line.starts_with(b"File format: ") {
            return Ok(());
        }
        Err("not the beginning of a trace")
    }

    fn finish(mut self) -> Result<Profile, Reason> {
        if !self.is_started {
            return Err("the input ends before the trace begins");
        }
        self.meta.mode = Mode::Traced;
        self.meta.is_truncated = !self.is_ended;
        Ok(Profile {
            symbols: self.names.into_symbols(),
            body: self.calls.finish(),
            metrics: Metrics {
                calls: true,
                wall_unit: WallUnit::Nanoseconds,
                cpu: false,
                memory: true,
            },
            meta: self.meta,
            spans: Spans::default(),
            lines: profile::Lines::default(),
        })
    }
}

/// Seconds with a decimal point, as nanoseconds.
fn seconds(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = match point {
        Some(point) => (text.get(..point)?, text.get(point + 1..)?),
        None => (text, &b""[..]),
    };
    let mut nanoseconds = number(whole)?.checked_mul(1_000_000_000)?;
    let mut unit = 100_000_000;
    for &digit in fraction {
        if !digit.is_ascii_digit() {
            return None;
        }
        nanoseconds = nanoseconds.checked_add(u64::from(digit - b'0') * unit)?;
        unit /= 10;
    }
    Some(nanoseconds)
}

/// A number without further text.
fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |sum, &digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

fn at(wall: &[u8], memory: &[u8]) -> Result<At, Reason> {
    let wall_ns = seconds(wall).ok_or("the time is not a number of seconds")?;
    let memory = number(memory).and_then(|memory| i64::try_from(memory).ok());
    let memory = memory.ok_or("the memory is not a number of bytes")?;
    Ok(At { wall_ns, memory })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_recognized_by_their_first_lines() {
        for head in [
            "TRACE START [2026-11-21 08:02:16.818186]\n",
            "\nTRACE START [2026-11-21",
            "Version: 3.2.0\nFile format: 4\nTRACE START [",
        ] {
            assert_eq!(detect(head.as_bytes()), Detection::Yes, "{head}");
        }
        for head in ["", "TRACE ST", "Vers", "Version: 3.2.0", "Version: 3\nFile"] {
            assert_eq!(detect(head.as_bytes()), Detection::NeedMore, "{head}");
        }
        for head in [
            "TRACE END",
            "version: 1\ncreator: xdebug 3.2.0\n",
            "Version: 3.2.0\nevents: Time\n",
        ] {
            assert_eq!(detect(head.as_bytes()), Detection::No, "{head}");
        }
    }

    #[test]
    fn seconds_are_nanoseconds_whatever_their_digits() {
        assert_eq!(seconds(b"0.000271"), Some(271_000));
        assert_eq!(seconds(b"12.0003"), Some(12_000_300_000));
        assert_eq!(seconds(b"1"), Some(1_000_000_000));
        assert_eq!(seconds(b"0.0000000019"), Some(1));
        for text in [&b""[..], b".", b"1.x", b"-1", b"99999999999"] {
            assert_eq!(seconds(text), None, "{text:?}");
        }
    }
}
