//! Writes a whole profile, section by section.

use std::io::{self, Write};

use super::events::{EventsOptions, EventsWriter, RawEvent, RawInstant};
use super::meta::put_meta;
use super::section::{SectionWriter, kind};
use super::spans::SpanWriter;
use super::symbols::SymbolWriter;
use super::{edges, samples, tree};
use crate::{Body, Events, Metrics, Profile, Symbol, WallUnit};

/// The number of symbols in a section.
const SYMBOLS_A_SECTION: usize = 1024;

/// The initial buffer for small sections, in bytes.
const SMALL_SECTION: usize = 2048;

/// The number of events that are passed to the writer at once.
const EVENTS_AT_ONCE: usize = 4096;

/// Writes a profile. The output need not be buffered: it receives large blocks.
///
/// # Errors
///
/// Errors of `out`; [`InvalidInput`](io::ErrorKind::InvalidInput) if a name is
/// so long that no reader would accept the file.
pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let body = match &profile.body {
        Body::Edges(_) => kind::EDGES,
        Body::Tree(_) => kind::TREE,
        Body::Samples(_) => kind::STACKS,
        Body::Events(events) => return write_events(profile, events, out),
    };
    let mut buffer = Vec::with_capacity(SMALL_SECTION);
    let writer = SectionWriter::begin(&mut buffer);
    let mut output = Output {
        writer,
        buffer,
        out,
    };
    output.section(|writer, out| {
        writer.section(out, kind::PROFILE, |out| {
            out.extend_from_slice(&[body, metrics(profile.metrics)]);
        });
        writer.section(out, kind::META, |out| put_meta(out, &profile.meta));
    })?;
    let mut symbols = SymbolWriter::default();
    for chunk in profile.symbols.chunks(SYMBOLS_A_SECTION) {
        output.section(|writer, out| put_symbols(writer, &mut symbols, out, chunk))?;
    }
    match &profile.body {
        Body::Edges(table) => edges::write(table, &mut output)?,
        Body::Tree(nodes) => tree::write(nodes, &mut output)?,
        Body::Samples(all) => samples::write(all, &mut output)?,
        Body::Events(_) => {}
    }
    let mut spans = SpanWriter::default();
    output.section(|writer, out| spans.put(writer, out, &profile.spans))?;
    output.section(|writer, out| writer.section(out, kind::END, |_| ()))
}

/// Writes each section as soon as it is complete.
pub(super) struct Output<'a> {
    writer: SectionWriter,
    buffer: Vec<u8>,
    out: &'a mut dyn Write,
}

impl Output<'_> {
    /// Writes the section that `put` appends.
    pub(super) fn section(
        &mut self,
        put: impl FnOnce(&mut SectionWriter, &mut Vec<u8>),
    ) -> io::Result<()> {
        put(&mut self.writer, &mut self.buffer);
        if self.buffer.len() as u64 > super::read::LARGEST_SECTION {
            return Err(too_large());
        }
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

fn too_large() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "a name of more than a gigabyte",
    )
}

/// Appends a section with some of the symbols.
pub(super) fn put_symbols(
    writer: &mut SectionWriter,
    symbols: &mut SymbolWriter,
    out: &mut Vec<u8>,
    chunk: &[Symbol],
) {
    writer.section(out, kind::SYMBOLS, |out| symbols.put(out, chunk));
}

/// The measured costs, as bits.
pub(super) fn metrics(metrics: Metrics) -> u8 {
    u8::from(metrics.calls)
        | u8::from(metrics.wall_unit == WallUnit::Samples) << 1
        | u8::from(metrics.cpu) << 2
        | u8::from(metrics.memory) << 3
}

fn write_events(profile: &Profile, events: &Events, out: &mut dyn Write) -> io::Result<()> {
    let all = || {
        let instants = events.events.iter().map(|event| event.at);
        instants.chain([events.end])
    };
    let options = EventsOptions {
        has_cpu: all().any(|at| at.cpu != 0),
        has_memory: all().any(|at| at.memory != 0 || at.peak != 0),
        metrics: profile.metrics,
        ..EventsOptions::NANOSECONDS
    };
    let mut buffer = Vec::new();
    let start = RawInstant::default();
    let mut writer = EventsWriter::begin(&options, start, &profile.meta, &mut buffer);
    for symbols in profile.symbols.chunks(SYMBOLS_A_SECTION) {
        writer.symbols(symbols, &mut buffer);
        if buffer.len() as u64 > super::read::LARGEST_SECTION {
            return Err(too_large());
        }
        out.write_all(&buffer)?;
        buffer.clear();
    }
    let mut raw = Vec::with_capacity(EVENTS_AT_ONCE);
    for events in events.events.chunks(EVENTS_AT_ONCE) {
        raw.clear();
        raw.extend(events.iter().copied().map(RawEvent::from));
        writer.events(&raw, &mut buffer);
        out.write_all(&buffer)?;
        buffer.clear();
    }
    writer.spans(&profile.spans, &mut buffer);
    writer.end(events.end.into(), None, &mut buffer);
    out.write_all(&buffer)
}
