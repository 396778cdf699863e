//! Reads NYTProf's records: the tree from the returns, and functions' positions
//! from the others.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use flate2::bufread::ZlibDecoder;
use profile::{Body, Budget, Meta, Metrics, Mode, Profile, Spans, SymbolId, allocated};

use super::forest::Forest;
use super::name;
use super::record::{MAGIC, tag, u32_head};
use crate::shared::symbols::Symbols;
use crate::shared::text;
use crate::{MAX_UNPACKED, ReadError, gzip};

/// The maximum length of a name or a line, in bytes: 1 MiB.
const MAX_STRING: u64 = 1 << 20;

pub(super) fn read(
    format: &'static str,
    input: &mut dyn BufRead,
    budget: &Budget,
) -> Result<Profile, ReadError> {
    let mut fields = Fields {
        format,
        input,
        offset: 0,
    };
    let header = fields.line()?;
    if !header.starts_with(MAGIC) {
        return Err(fields.broken("not a file of version 5"));
    }
    let mut parts = Parts::within(budget);
    let is_packed = parts.records(&mut fields, true)?;
    if is_packed {
        let offset = fields.offset;
        let unpacked = gzip::limited(ZlibDecoder::new(input), MAX_UNPACKED);
        let mut fields = Fields {
            format,
            input: &mut BufReader::new(unpacked),
            offset,
        };
        parts.records(&mut fields, false)?;
    }
    budget.check()?;
    Ok(parts.finish())
}

/// The input, field by field.
struct Fields<'i> {
    format: &'static str,
    input: &'i mut dyn BufRead,
    /// The number of unpacked bytes.
    offset: u64,
}

impl Fields<'_> {
    fn broken(&self, reason: impl Into<String>) -> ReadError {
        ReadError::Offset {
            format: self.format,
            offset: self.offset,
            reason: reason.into(),
        }
    }

    /// A record's tag; none at the end of the input.
    fn tag(&mut self) -> Result<Option<u8>, ReadError> {
        match self.fill::<1>(true)? {
            Some([tag]) => Ok(Some(tag)),
            None => Ok(None),
        }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        match self.fill(false)? {
            Some(bytes) => Ok(bytes),
            None => Err(self.broken("it ends early")),
        }
    }

    fn fill<const N: usize>(&mut self, may_end: bool) -> Result<Option<[u8; N]>, ReadError> {
        let mut bytes = [0; N];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => {
                self.offset += N as u64;
                Ok(Some(bytes))
            }
            Err(error) if may_end && error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// The error and its position, if the input is broken.
    fn failed(&self, error: io::Error) -> ReadError {
        match error.kind() {
            ErrorKind::UnexpectedEof => self.broken("it ends early"),
            // The decompressor's error for broken data.
            ErrorKind::InvalidInput => self.broken("it cannot be unpacked"),
            _ => error.into(),
        }
    }

    fn u32(&mut self) -> Result<u32, ReadError> {
        let [first] = self.bytes()?;
        let (more, mut number) = u32_head(first);
        for _ in 0..more {
            let [byte] = self.bytes()?;
            number = number << 8 | u32::from(byte);
        }
        Ok(number)
    }

    fn nv(&mut self) -> Result<f64, ReadError> {
        Ok(f64::from_le_bytes(self.bytes()?))
    }

    fn string(&mut self) -> Result<Vec<u8>, ReadError> {
        let [kind] = self.bytes()?;
        if kind != tag::STRING && kind != tag::STRING_UTF8 {
            return Err(self.broken("a name was expected"));
        }
        let length = u64::from(self.u32()?);
        if length > MAX_STRING {
            return Err(self.broken("a name that is too long"));
        }
        // Read without allocating first: the length in the file may be wrong.
        let mut string = Vec::new();
        let outcome = Read::take(&mut *self.input, length).read_to_end(&mut string);
        outcome.map_err(|error| self.failed(error))?;
        self.offset += string.len() as u64;
        if (string.len() as u64) < length {
            return Err(self.broken("it ends early"));
        }
        Ok(string)
    }

    /// The rest of a line, without its end.
    fn line(&mut self) -> Result<Vec<u8>, ReadError> {
        let mut line = Vec::new();
        let outcome = Read::take(&mut *self.input, MAX_STRING).read_until(b'\n', &mut line);
        outcome.map_err(|error| self.failed(error))?;
        self.offset += line.len() as u64;
        if line.pop() != Some(b'\n') {
            return Err(self.broken("a line without an end"));
        }
        Ok(line)
    }
}

/// The part that has been read.
struct Parts {
    symbols: Symbols,
    forest: Forest,
    files: HashMap<u32, Vec<u8>>,
    /// File and first line.
    places: Vec<(SymbolId, u32, u32)>,
    returns: u64,
    /// The number of calls, from the table of callers.
    calls: Option<u64>,
    /// Nanoseconds of all callees of the root.
    own: u64,
    ticks_per_second: f64,
    total_ticks: Option<f64>,
    /// Start and end times of processes, in seconds.
    started: Vec<f64>,
    ended: Vec<f64>,
    meta: Meta,
    budget: Budget,
}

impl Parts {
    fn within(budget: &Budget) -> Self {
        Self {
            symbols: Symbols::within(budget),
            forest: Forest::within(budget),
            files: HashMap::new(),
            places: Vec::new(),
            returns: 0,
            calls: None,
            own: 0,
            ticks_per_second: 1e6,
            total_ticks: None,
            started: Vec::new(),
            ended: Vec::new(),
            meta: Meta {
                mode: Mode::Traced,
                ..Meta::default()
            },
            budget: budget.clone(),
        }
    }

    /// Reads to the end, or to the compressed rest if that `may_be`.
    fn records(&mut self, fields: &mut Fields<'_>, may_be: bool) -> Result<bool, ReadError> {
        while let Some(tag) = fields.tag()? {
            self.budget.check()?;
            match tag {
                tag::COMMENT | tag::OPTION => drop(fields.line()?),
                tag::ATTRIBUTE => {
                    let line = fields.line()?;
                    self.attribute(&line)
                        .map_err(|problem| fields.broken(problem))?;
                }
                tag::COMPRESSED if may_be => return Ok(true),
                tag::PROCESS_START => {
                    self.meta.process = Some(fields.u32()?);
                    fields.u32()?;
                    self.budget.room(&mut self.started, "processes")?;
                    self.started.push(fields.nv()?);
                }
                tag::PROCESS_END => {
                    fields.u32()?;
                    self.budget.room(&mut self.ended, "processes")?;
                    self.ended.push(fields.nv()?);
                }
                tag::FILE => {
                    let id = fields.u32()?;
                    for _ in 0..5 {
                        fields.u32()?;
                    }
                    let name = fields.string()?;
                    self.budget.take(allocated(name.capacity()), "files")?;
                    self.budget.room_in_map(&mut self.files, "files")?;
                    self.files.insert(id, name);
                }
                tag::TIME_LINE => {
                    for _ in 0..3 {
                        fields.u32()?;
                    }
                }
                tag::TIME_BLOCK => {
                    for _ in 0..5 {
                        fields.u32()?;
                    }
                }
                tag::DISCOUNT => {}
                tag::SUB_ENTRY => {
                    fields.u32()?;
                    fields.u32()?;
                }
                tag::SUB_RETURN => self.sub_return(fields)?,
                tag::SUB_INFO => {
                    let file = fields.u32()?;
                    let name = fields.string()?;
                    let first = fields.u32()?;
                    fields.u32()?;
                    let symbol = self.symbols.id(name::ours(&name));
                    self.budget.room(&mut self.places, "functions")?;
                    self.places.push((symbol, file, first));
                }
                tag::SUB_CALLERS => {
                    fields.u32()?;
                    fields.u32()?;
                    fields.string()?;
                    let count = u64::from(fields.u32()?);
                    self.calls = Some(self.calls.unwrap_or(0).saturating_add(count));
                    for _ in 0..3 {
                        fields.nv()?;
                    }
                    fields.u32()?;
                    fields.string()?;
                }
                tag::SOURCE_LINE => {
                    fields.u32()?;
                    fields.u32()?;
                    fields.string()?;
                }
                _ => return Err(fields.broken(format!("a record of an unknown type, {tag:#04x}"))),
            }
        }
        Ok(false)
    }

    fn attribute(&mut self, line: &[u8]) -> Result<(), String> {
        let line = text::lossy(line);
        let Some((name, value)) = line.split_once('=') else {
            return Ok(());
        };
        match name {
            "nv_size" if value != "8" => return Err(format!("numbers of {value} bytes")),
            "ticks_per_sec" => {
                let number = value.parse().ok().filter(|&number: &f64| number >= 1.0);
                self.ticks_per_second = number.ok_or("ticks_per_sec is not a number")?;
            }
            "xhprof_total_ticks" => self.total_ticks = value.parse().ok(),
            "basetime" => {
                let seconds = value.parse().ok().filter(|&seconds: &u64| seconds > 0);
                self.meta.started_unix_us =
                    seconds.and_then(|seconds| seconds.checked_mul(1_000_000));
            }
            "application" => {
                let (title, is_estimated) = text::split_title(value);
                (self.meta.title, self.meta.is_estimated) = (title, is_estimated);
            }
            "perl_version" => {
                let version = value
                    .strip_prefix("PHP ")
                    .filter(|version| *version != "unknown");
                self.meta.php_version = version.map(str::to_owned);
            }
            _ => {}
        }
        Ok(())
    }

    fn sub_return(&mut self, fields: &mut Fields<'_>) -> Result<(), ReadError> {
        let depth = fields.u32()?;
        fields.nv()?;
        let own = fields.nv()?;
        let name = fields.string()?;
        if depth == 0 {
            return Err(fields.broken("a return from depth 0"));
        }
        let symbol = self.symbols.id(name::ours(&name));
        let own = nanoseconds(own / self.ticks_per_second);
        self.own = self.own.saturating_add(own);
        self.returns = self.returns.saturating_add(1);
        self.forest.returned(depth, symbol, own);
        Ok(())
    }

    fn finish(mut self) -> Profile {
        let total = match (self.total_ticks, &*self.started, &*self.ended) {
            (Some(ticks), ..) => nanoseconds(ticks / self.ticks_per_second),
            (None, [started], [ended]) => nanoseconds(ended - started),
            _ => 0,
        };
        // Each process writes its end as the last record.
        self.meta.is_truncated = self.ended.len() < self.started.len().max(1);
        let symbols = &mut self.symbols;
        let mut tree = self
            .forest
            .finish(total.saturating_sub(self.own), || symbols.id(b"(unknown)"));
        // A file from `xhprof` may have one return for many calls: then the
        // number of calls on each path is unknown.
        let knows_calls = self.calls.is_none_or(|calls| calls == self.returns);
        if !knows_calls {
            for node in &mut tree.nodes {
                node.cost.calls = 0;
            }
        }
        for (symbol, file, line) in self.places {
            let file = self.files.get(&file).map_or(b"".as_slice(), Vec::as_slice);
            if file != b"(unknown)" {
                self.symbols.set_file(symbol, file);
            }
            self.symbols.symbol(symbol).line = line;
        }
        Profile {
            symbols: self.symbols.finish(),
            body: Body::Tree(tree),
            metrics: Metrics {
                calls: knows_calls,
                ..Metrics::default()
            },
            meta: self.meta,
            spans: Spans::default(),
            lines: profile::Lines::default(),
        }
    }
}

/// A negative time comes from a subtracted overhead; it becomes zero.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates"
)]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}
