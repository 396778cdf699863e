//! Writes a whole profile, section by section.

use std::io::{self, Write};

use super::events::{EventsOptions, EventsWriter, RawEvent, RawInstant};
use super::head::metrics;
use super::meta::put_meta;
use super::output::{Output, flush};
use super::section::kind;
use super::spans::SpanWriter;
use super::symbols::SymbolWriter;
use super::{
    MINOR, MINOR_OF_COSTS_OF_LINES, MINOR_OF_LINED_SAMPLES, MINOR_WITHOUT_LINES, called, edges,
    lined, samples, tree,
};
use crate::{Body, Events, Profile};

/// The number of symbols in a section.
const SYMBOLS_A_SECTION: usize = 1024;

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
    let minor = match &profile.body {
        Body::Samples(samples) if !samples.lined.list.is_empty() => MINOR_OF_LINED_SAMPLES,
        Body::Edges(_) | Body::Tree(_) if !profile.lines.is_empty() => MINOR_OF_COSTS_OF_LINES,
        _ => MINOR_WITHOUT_LINES,
    };
    let mut output = Output::begin(out, minor);
    output.section(|writer, out| {
        writer.section(out, kind::PROFILE, |out| {
            out.extend_from_slice(&[body, metrics(profile.metrics)]);
        });
        writer.section(out, kind::META, |out| put_meta(out, &profile.meta));
    })?;
    let mut symbols = SymbolWriter::default();
    for chunk in profile.symbols.chunks(SYMBOLS_A_SECTION) {
        output.section(|writer, out| symbols.section(writer, out, chunk))?;
    }
    match &profile.body {
        Body::Edges(table) => edges::write(table, &mut output)?,
        Body::Tree(nodes) => tree::write(nodes, &mut output)?,
        Body::Samples(all) => {
            samples::write(all, &mut output)?;
            lined::write(all, &profile.symbols, &mut output)?;
        }
        Body::Events(_) => {}
    }
    if !matches!(profile.body, Body::Samples(_)) {
        output.section(|writer, out| called::put(&profile.lines, writer, out))?;
    }
    let mut spans = SpanWriter::default();
    output.section(|writer, out| spans.put(writer, out, &profile.spans))?;
    output.section(|writer, out| writer.section(out, kind::END, |_| ()))
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
    let minor = if profile.lines.is_empty() {
        MINOR_WITHOUT_LINES
    } else {
        MINOR
    };
    let mut writer = EventsWriter::begin_as(minor, &options, start, &profile.meta, &mut buffer);
    for symbols in profile.symbols.chunks(SYMBOLS_A_SECTION) {
        writer.symbols(symbols, &mut buffer);
        flush(&mut buffer, out)?;
    }
    let mut raw = Vec::with_capacity(EVENTS_AT_ONCE);
    for events in events.events.chunks(EVENTS_AT_ONCE) {
        raw.clear();
        raw.extend(events.iter().copied().map(RawEvent::from));
        writer.events(&raw, &mut buffer);
        flush(&mut buffer, out)?;
    }
    writer.costs_of_lines(&profile.lines, &mut buffer);
    flush(&mut buffer, out)?;
    writer.spans(&profile.spans, &mut buffer);
    writer.end(events.end.into(), None, &mut buffer);
    out.write_all(&buffer)
}
