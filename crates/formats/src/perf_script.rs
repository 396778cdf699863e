//! The output of `perf script` for Linux perf's samples, read only;
//! simpleperf's `report-sample` prints the same.
//!
//! A sample is a line with the command, its IDs, the time, the event and the
//! sample's period, then the stack with the innermost function first, then an
//! empty line. The command becomes the outermost function, as in flame graphs
//! of perf. Clock events count nanoseconds; others count events. Only the first
//! event is read; the profile names the others, and the unit of the counts.
//!
//! **Invariant:** an unknown line inside of a stack (source lines, branch
//! records) is skipped; an unknown line between samples is an error.

use std::collections::BTreeMap;
use std::io::BufRead;

use profile::{
    Body, Budget, Meta, Metrics, Mode, NodeId, Profile, Sample, SamplesBuilder, Spans, SymbolId,
    WallUnit,
};

use crate::ReadError;
use crate::format::{Detection, Format, Reads};
use crate::shared::lines::Lines;
use crate::shared::names::Names;
use crate::shared::text::lossy;

/// The output of `perf script`.
pub const PERF_SCRIPT: Format = Format {
    id: "perf-script",
    name: NAME,
    endings: &[],
    warning: None,
    reads: Some(Reads { detect, read }),
    writes: None,
};

const NAME: &str = "perf script";

/// The maximum number of events that are named.
const MAX_EVENTS: usize = 20;

fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let mut lines = Lines::new(input, NAME);
    let mut reader = Reader::within(budget);
    while let Some(line) = lines.next()? {
        budget.check()?;
        if let Err(reason) = reader.line(line) {
            return Err(lines.error(reason));
        }
    }
    reader.end_sample();
    reader.finish().map_err(|reason| lines.error(reason))
}

/// By the first sample, or the comments before it.
fn detect(head: &[u8]) -> Detection {
    let mut lines = head.split(|byte| *byte == b'\n');
    let mut first = None;
    for line in lines.by_ref() {
        if line.starts_with(b"# captured on") || line.starts_with(b"# perf version") {
            return Detection::Yes;
        }
        if !line.trim_ascii().is_empty() && !line.starts_with(b"#") {
            first = Header::parse(line);
            if first.is_none() {
                return Detection::No;
            }
            break;
        }
    }
    let Some(first) = first else {
        return Detection::No;
    };
    let is_frame = |line: &[u8]| Frame::parse(line).is_some();
    let next = lines.next().unwrap_or_default();
    if first.time.is_some() || is_frame(first.rest) || is_frame(next) {
        Detection::Yes
    } else {
        Detection::No
    }
}

/// The first line of a sample.
#[derive(Debug, PartialEq, Eq)]
struct Header<'l> {
    command: &'l [u8],
    /// In nanoseconds.
    time: Option<u64>,
    period: Option<u64>,
    event: &'l [u8],
    /// The text after the event: the place, without a stack; or a tracepoint's
    /// fields.
    rest: &'l [u8],
}

impl<'l> Header<'l> {
    /// `command pid/tid [cpu] flags time: period event: rest`. Not every output
    /// has all numbers.
    fn parse(line: &'l [u8]) -> Option<Self> {
        let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
        let line = line.trim_ascii();
        // The command may contain spaces: the first number after it is the
        // process ID, if the following fields fit.
        let mut at = 0;
        loop {
            let behind = line.get(at..)?;
            let space = behind.iter().position(u8::is_ascii_whitespace)?;
            let command = line.get(..at + space)?;
            let rest = line.get(at + space..)?.trim_ascii_start();
            let header = Self::numbers(command, rest);
            let fits = |header: &Self| !is_indented || header.time.is_some();
            if let Some(header) = header.filter(fits) {
                return Some(header);
            }
            at = line.len() - rest.len();
        }
    }

    fn numbers(command: &'l [u8], rest: &'l [u8]) -> Option<Self> {
        let (process, mut rest) = word(rest);
        let mut ids = process.split(|byte| *byte == b'/');
        let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        if command.is_empty() || !ids.all(is_number) {
            return None;
        }
        let (mut time, mut period) = (None, None);
        // The CPU, flags, the time, the period.
        for _ in 0..5 {
            let (token, behind) = word(rest);
            if let Some(event) = token.strip_suffix(b":") {
                if let Some(found) = seconds(event).filter(|_| time.is_none()) {
                    time = Some(found);
                } else {
                    let event = event.strip_suffix(b":").unwrap_or(event);
                    let is_name = event.first().is_some_and(|byte| !byte.is_ascii_digit());
                    return is_name.then_some(Self {
                        command,
                        time,
                        period,
                        event,
                        rest: behind,
                    });
                }
            } else if is_number(token) {
                period = number(token);
            } else if !(token.starts_with(b"[") && token.ends_with(b"]") || is_flags(token)) {
                return None;
            }
            rest = behind;
        }
        None
    }
}

/// The state of the kernel: `d..1.`, `....`.
fn is_flags(token: &[u8]) -> bool {
    token.len() >= 4 && token.len() <= 6 && token.contains(&b'.')
}

/// The first word, and the text after it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace);
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (word, rest.trim_ascii_start())
}

fn number(text: &[u8]) -> Option<u64> {
    str::from_utf8(text).ok()?.parse().ok()
}

/// `1234.567890` in nanoseconds.
fn seconds(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|byte| *byte == b'.')?;
    let (whole, fraction) = text.split_at(point);
    let fraction = fraction
        .get(1..)
        .filter(|text| (1..=9).contains(&text.len()))?;
    if !fraction.iter().chain(whole).all(u8::is_ascii_digit) {
        return None;
    }
    let scale = 10_u64.checked_pow(9 - u32::try_from(fraction.len()).ok()?)?;
    let whole = number(whole)?.checked_mul(1_000_000_000)?;
    whole.checked_add(number(fraction)? * scale)
}

/// A line of a stack.
#[derive(Debug, PartialEq, Eq)]
struct Frame<'l> {
    symbol: &'l [u8],
    /// The file of the code, if it is known.
    object: Option<&'l [u8]>,
}

impl<'l> Frame<'l> {
    /// `address symbol+offset (object)`; the offset is optional, and the address or the
    /// object: `perf script -F` chooses what is printed.
    fn parse(line: &'l [u8]) -> Option<Self> {
        let line = line.trim_ascii();
        let with_object = object(line);
        let (text, object) = with_object.unwrap_or((line, b""));
        let (address, behind) = word(text);
        let is_address = !address.is_empty() && address.iter().all(u8::is_ascii_hexdigit);
        if with_object.is_none() && (!is_address || behind.is_empty() || behind.starts_with(b"(")) {
            return None;
        }
        let symbol = if is_address { behind } else { text };
        let symbol = without_offset(symbol.trim_ascii());
        let is_known = object != b"inlined" && object != b"[unknown]" && !object.is_empty();
        Some(Self {
            symbol,
            object: is_known.then_some(object),
        })
    }

    /// The function's name; without a symbol, the object's name.
    fn name(&self) -> Vec<u8> {
        if !self.symbol.is_empty() && self.symbol != b"[unknown]" {
            return self.symbol.to_vec();
        }
        let object = self.object.unwrap_or(b"[unknown]");
        let name = object.rsplit(|byte| *byte == b'/').next().unwrap_or(object);
        if name.starts_with(b"[") {
            return name.to_vec();
        }
        [b"[", name, b"]"].concat()
    }
}

/// The text before the parentheses at the end, and the text in them. Objects
/// and symbols may contain parentheses: `(/memfd:x (deleted))`.
fn object(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = line.strip_suffix(b")")?;
    let mut depth = 1;
    for (place, byte) in inner.iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let (before, object) = inner.split_at(place);
            let is_apart = before.last().is_none_or(u8::is_ascii_whitespace);
            return is_apart.then_some((before, object.get(1..)?));
        }
    }
    None
}

/// `f+0x1a` without the offset.
fn without_offset(symbol: &[u8]) -> &[u8] {
    let Some(place) = symbol.windows(3).rposition(|part| part == b"+0x") else {
        return symbol;
    };
    let (name, offset) = symbol.split_at(place);
    let is_offset = offset.len() > 3 && offset.iter().skip(3).all(u8::is_ascii_hexdigit);
    if is_offset { name } else { symbol }
}

/// The part that has been read.
#[derive(Debug)]
struct Reader {
    names: Names,
    builder: SamplesBuilder,
    meta: Meta,
    /// The event that is read, with its modifiers: `cycles:ppp`.
    event: Option<Vec<u8>>,
    /// The number of samples of other events.
    others: BTreeMap<String, u64>,
    has_period: bool,
    first: Option<u64>,
    last: u64,
    /// The sample whose stack is being read, the innermost function first.
    open: Option<Sample>,
    stack: Vec<SymbolId>,
    /// The sample belongs to an event that is not read.
    is_passed: bool,
    budget: Budget,
}

impl Reader {
    fn within(budget: &Budget) -> Self {
        Self {
            names: Names::within(budget),
            builder: SamplesBuilder::within(budget),
            meta: Meta::default(),
            event: None,
            others: BTreeMap::new(),
            has_period: false,
            first: None,
            last: 0,
            open: None,
            stack: Vec::new(),
            is_passed: false,
            budget: budget.clone(),
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        if line.starts_with(b"#") {
            self.comment(line);
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            self.end_sample();
            return Ok(());
        }
        if let Some(header) = Header::parse(line) {
            self.end_sample();
            return self.header(&header);
        }
        if !line.first().is_some_and(u8::is_ascii_whitespace) {
            return Err("neither a sample nor a line of its stack".to_owned());
        }
        if self.open.is_none() && !self.is_passed {
            return Err("a line of a stack without a sample before it".to_owned());
        }
        match Frame::parse(line) {
            Some(frame) if self.open.is_some() => self.frame(&frame),
            _ => Ok(()),
        }
    }

    /// The metadata that perf prints with `--header`.
    fn comment(&mut self, line: &[u8]) {
        let text = lossy(line.get(1..).unwrap_or_default());
        let Some((key, value)) = text.split_once(" : ") else {
            return;
        };
        let value = value.trim().to_owned();
        match key.trim() {
            "hostname" => self.meta.host = Some(value),
            "cmdline" => self.meta.title = Some(value),
            "perf version" => self.meta.creator = Some(format!("perf {value}")),
            _ => {}
        }
    }

    fn header(&mut self, header: &Header<'_>) -> Result<(), String> {
        if header.event.starts_with(b"PERF_RECORD_") {
            self.is_passed = true;
            return Ok(());
        }
        let event = self.event.get_or_insert_with(|| header.event.to_vec());
        self.is_passed = event != header.event;
        if self.is_passed {
            let name = lossy(header.event).into_owned();
            let is_known = self.others.contains_key(&name);
            if is_known || self.others.len() < MAX_EVENTS {
                *self.others.entry(name).or_default() += 1;
            }
            return Ok(());
        }
        self.has_period |= header.period.is_some();
        let time = header.time.unwrap_or(0);
        let first = *self.first.get_or_insert(time);
        // Samples of several processors may be slightly out of order.
        self.last = self.last.max(time.saturating_sub(first));
        let weight = header.period.unwrap_or(1);
        self.open = Some(Sample::new(self.last, weight, NodeId::ROOT));
        self.stack.clear();
        let command = self.symbol(header.command, None)?;
        if let Some(frame) = Frame::parse(header.rest) {
            self.frame(&frame)?;
        }
        let sample = self.builder.push(NodeId::ROOT, command);
        if let Some(open) = &mut self.open {
            open.stack = sample;
        }
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), String> {
        let symbol = self.symbol(&frame.name(), frame.object)?;
        let room = self.budget.room(&mut self.stack, "stacks");
        room.map_err(|error| error.to_string())?;
        self.stack.push(symbol);
        Ok(())
    }

    fn symbol(&mut self, name: &[u8], object: Option<&[u8]>) -> Result<SymbolId, String> {
        let symbol = self.names.symbol(lossy(name).as_bytes(), object);
        symbol.ok_or_else(|| "too many functions".to_owned())
    }

    fn end_sample(&mut self) {
        self.is_passed = false;
        let Some(mut sample) = self.open.take() else {
            return;
        };
        for symbol in self.stack.drain(..).rev() {
            sample.stack = self.builder.push(sample.stack, symbol);
        }
        self.builder.add(sample);
    }

    fn finish(mut self) -> Result<Profile, String> {
        let Some(event) = self.event else {
            return Err("it contains no samples".to_owned());
        };
        let name = event.split(|byte| *byte == b':').next().unwrap_or(&event);
        let is_time = self.has_period && (name == b"cpu-clock" || name == b"task-clock");
        if !is_time {
            self.meta.counts = Some(lossy(&event).into_owned());
        }
        if !self.others.is_empty() {
            let others = self.others.iter();
            let others = others.map(|(event, count)| format!("{count} samples of {event}"));
            self.meta.not_read = others.collect();
        }
        self.meta.mode = Mode::Sampled;
        Ok(Profile {
            symbols: self.names.into_symbols(),
            body: Body::Samples(self.builder.finish()),
            metrics: Metrics {
                calls: false,
                wall_unit: if is_time {
                    WallUnit::Nanoseconds
                } else {
                    WallUnit::Samples
                },
                ..Metrics::default()
            },
            meta: self.meta,
            spans: Spans::default(),
            lines: profile::Lines::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = (String, Option<u64>, Option<u64>, String, String);

    fn header(line: &str) -> Option<Found> {
        let header = Header::parse(line.as_bytes())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some((
            text(header.command),
            header.time,
            header.period,
            text(header.event),
            text(header.rest),
        ))
    }

    #[test]
    fn first_lines_are_read_in_all_their_forms() {
        let is = |command: &str, time, period, event: &str, rest: &str| {
            let text = str::to_owned;
            Some((text(command), time, period, text(event), text(rest)))
        };
        for (line, expected) in [
            (
                "php 22906  2388.481246:    1003009 cpu-clock: ",
                is(
                    "php",
                    Some(2_388_481_246_000),
                    Some(1_003_009),
                    "cpu-clock",
                    "",
                ),
            ),
            (
                "V8 WorkerThread 24636/25607 [000] 94564.109216123: cycles:ppp:",
                is(
                    "V8 WorkerThread",
                    Some(94_564_109_216_123),
                    None,
                    "cycles:ppp",
                    "",
                ),
            ),
            (
                "a 1 b 24636 [000] d..1. 9.5: 7 cycles: ffff f+0x1 (/x)",
                is(
                    "a 1 b",
                    Some(9_500_000_000),
                    Some(7),
                    "cycles",
                    "ffff f+0x1 (/x)",
                ),
            ),
            (
                "Gecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:",
                is(
                    "Gecko",
                    Some(115_539_936_601_000),
                    Some(1_000_000),
                    "task-clock:u",
                    "",
                ),
            ),
            (
                "swapper 0 [001] 1.5: sched:sched_switch: prev_comm=x (y)",
                is(
                    "swapper",
                    Some(1_500_000_000),
                    None,
                    "sched:sched_switch",
                    "prev_comm=x (y)",
                ),
            ),
            ("php 12 cycles:", is("php", None, None, "cycles", "")),
            (
                "            perf 12 1.000000: 1 cycles: ",
                is("perf", Some(1_000_000_000), Some(1), "cycles", ""),
            ),
            ("\tffffffff81 12 cycles: (x)", None),
            ("main();foo 12", None),
            ("php 12 [000]", None),
            ("php 12 1.5:", None),
        ] {
            assert_eq!(header(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_of_stacks_are_read_in_all_their_forms() {
        for (line, name, object) in [
            (
                "\tffffffff813d6a35 local_clock+0x5 ([kernel.kallsyms])",
                "local_clock",
                Some("[kernel.kallsyms]"),
            ),
            ("    7f819bb594e0 [unknown] ([unknown])", "[unknown]", None),
            (
                " 7f8 [unknown] (/usr/lib/libc.so.6)",
                "[libc.so.6]",
                Some("/usr/lib/libc.so.6"),
            ),
            (" 7f8 [unknown] ([vdso])", "[vdso]", Some("[vdso]")),
            (
                " 12 a::b(int, c<d> const&)+0x1f (/memfd:x (deleted))",
                "a::b(int, c<d> const&)",
                Some("/memfd:x (deleted)"),
            ),
            (
                "\tb Lock::unlock() (/system/libc.so)",
                "Lock::unlock()",
                Some("/system/libc.so"),
            ),
            ("\tf+0xZ (inlined)", "f+0xZ", None),
            ("\t 80c5 operator+ (inlined)", "operator+", None),
            // Without the object.
            ("\t ffffffff81 do_fault+0x4fc", "do_fault", None),
            ("\t 55d1 [unknown]", "[unknown]", None),
        ] {
            let frame = Frame::parse(line.as_bytes()).unwrap();
            assert_eq!(String::from_utf8_lossy(&frame.name()), name, "{line}");
            assert_eq!(frame.object, object.map(str::as_bytes), "{line}");
        }
        for line in ["\t  file.c:12", "\tf (x", "\tf()", "\t 55d1", ""] {
            assert!(Frame::parse(line.as_bytes()).is_none(), "{line}");
        }
    }
}
