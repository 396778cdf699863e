//! Encodes events section by section: kinds and times, see
//! [`heads`](super::heads), then the other costs, see
//! [`extras`](super::extras).
//!
//! **Invariants:** once the buffers have grown, nothing is allocated. Events
//! are in the file as soon as their bytes are.

use super::clocks::Clocks;
use super::extras::Column;
use super::heads::Bytes;
use super::lines::LineWriter;
use super::predict::Predictor;
use super::{EventsOptions, RawEvent, RawInstant};
use crate::native::called;
use crate::native::costs::Columns;
use crate::native::head::metrics;
use crate::native::meta::put_meta;
use crate::native::section::{SectionWriter, kind};
use crate::native::spans::SpanWriter;
use crate::native::symbols::SymbolWriter;
use crate::native::varint::{put, put_signed};
use crate::native::{MINOR, MINOR_WITHOUT_LINES};
use crate::table::part;
use crate::{Lines, Meta, Spans, Symbol};

/// The number of events in a section.
pub(super) const A_SECTION: usize = 8192;

/// The number of events that are processed together: one pass for each
/// property, on data that stays in the cache.
const GROUP: usize = u64::BITS as usize;

/// Encodes events.
#[derive(Debug, Clone)]
pub struct EventsWriter {
    sections: SectionWriter,
    symbols: SymbolWriter,
    spans: SpanWriter,
    predictor: Predictor,
    clocks: Clocks,
    columns: Columns,
    /// The columns of one section.
    bytes: Bytes,
    cpu: Column,
    memory: Column,
    peak: Column,
    /// Those of calls, if they are written, and the number of files that were.
    lines: Option<LineWriter>,
    files: usize,
}

impl EventsWriter {
    /// Starts a file: appends its first bytes to `out`.
    #[must_use]
    pub fn begin(
        options: &EventsOptions,
        start: RawInstant,
        meta: &Meta,
        out: &mut Vec<u8>,
    ) -> Self {
        let minor = if options.has_lines {
            MINOR
        } else {
            MINOR_WITHOUT_LINES
        };
        Self::begin_as(minor, options, start, meta, out)
    }

    /// The same, of a minor version.
    pub(in crate::native) fn begin_as(
        minor: u8,
        options: &EventsOptions,
        start: RawInstant,
        meta: &Meta,
        out: &mut Vec<u8>,
    ) -> Self {
        let clocks = Clocks::new(options, start);
        let (wall, cpu) = clocks.units();
        let mut columns = Columns::WALL;
        if options.has_cpu {
            columns |= Columns::CPU;
        }
        if options.has_memory {
            columns |= Columns::MEMORY;
        }
        if options.has_cpu || options.has_memory {
            columns |= Columns::APART;
        }
        let mut sections = SectionWriter::begin(out, minor);
        sections.section(out, kind::PROFILE, |out| {
            out.extend_from_slice(&[kind::CALLS, metrics(options.metrics), columns]);
            put(out, wall.length);
            put(out, cpu.length);
        });
        sections.section(out, kind::META, |out| put_meta(out, meta));
        Self {
            sections,
            symbols: SymbolWriter::default(),
            spans: SpanWriter::default(),
            predictor: Predictor::new(),
            clocks,
            columns: Columns(columns),
            bytes: Bytes::default(),
            cpu: Column::default(),
            memory: Column::after(start.memory),
            peak: Column::after(start.peak),
            lines: options.has_lines.then(LineWriter::default),
            files: 0,
        }
    }

    /// The number of symbols that were written.
    #[must_use]
    pub fn symbols_written(&self) -> usize {
        self.predictor.symbols()
    }

    /// Appends symbols, numbered in their order; the first of all is `main()`.
    /// Call it before the events that use them.
    pub fn symbols(&mut self, symbols: &[Symbol], out: &mut Vec<u8>) {
        if !symbols.is_empty() {
            self.symbols.section(&mut self.sections, out, symbols);
            self.predictor.add_symbols(symbols.len());
        }
    }

    /// The number of files that were written.
    #[must_use]
    pub fn files_written(&self) -> usize {
        self.files
    }

    /// Appends names of files, for [`CallLine::file`](crate::CallLine::file), numbered in
    /// their order from 1. Call it before the events that use them.
    pub fn files(&mut self, names: &[Box<[u8]>], out: &mut Vec<u8>) {
        if let (Some(lines), false) = (&mut self.lines, names.is_empty()) {
            let bytes = lines.of_files(names);
            self.sections.section(out, kind::LINES_OF_CALLS, |out| {
                out.extend_from_slice(bytes);
            });
            self.files += names.len();
        }
    }

    /// Appends events. An event with an unknown symbol counts as a call of
    /// `main()`.
    pub fn events(&mut self, events: &[RawEvent], out: &mut Vec<u8>) {
        for events in events.chunks(A_SECTION) {
            let symbols = self.predictor.symbols();
            if let Some(lines) = &mut self.lines {
                let bytes = lines.of_events(events, symbols);
                self.sections.section(out, kind::LINES_OF_CALLS, |out| {
                    out.extend_from_slice(bytes);
                });
            }
            self.encode(events);
            let bytes = self.bytes.written();
            self.sections.section(out, kind::CALLS, |out| {
                put(out, events.len() as u64);
                out.extend_from_slice(bytes);
            });
        }
    }

    /// Appends the new part of `spans`, which only grow. Call it after
    /// [`symbols`](Self::symbols) with the symbols that they name.
    pub fn spans(&mut self, spans: &Spans, out: &mut Vec<u8>) {
        self.spans.put(&mut self.sections, out, spans);
    }

    /// Appends what lines cost, where that is known in place of the lines of calls.
    pub(in crate::native) fn costs_of_lines(&mut self, lines: &Lines, out: &mut Vec<u8>) {
        called::put(lines, &mut self.sections, out);
    }

    /// Excludes a period from the profile: all later times are earlier by it.
    /// Its `memory` and `peak` are excluded too.
    pub fn delay(&mut self, pause: RawInstant) {
        let start = self.clocks.start();
        start.wall = start.wall.wrapping_add(pause.wall);
        start.cpu = start.cpu.wrapping_add(pause.cpu);
        start.memory = start.memory.wrapping_add(pause.memory);
        start.peak = start.peak.wrapping_add(pause.peak);
        self.memory.delay(pause.memory);
        self.peak.delay(pause.peak);
    }

    /// Appends the current metadata, which replaces the earlier ones.
    pub fn meta(&mut self, meta: &Meta, out: &mut Vec<u8>) {
        self.sections
            .section(out, kind::META, |out| put_meta(out, meta));
    }

    /// Appends the end, with the metadata that are known only then.
    pub fn end(mut self, at: RawInstant, meta: Option<&Meta>, out: &mut Vec<u8>) {
        if let Some(meta) = meta {
            self.meta(meta, out);
        }
        let (wall, cpu) = self.clocks.end(at);
        let start = *self.clocks.start();
        self.sections.section(out, kind::LAST, |out| {
            put(out, wall);
            put(out, cpu);
            put_signed(out, at.memory.wrapping_sub(start.memory));
            put_signed(out, at.peak.wrapping_sub(start.peak));
        });
        self.sections.section(out, kind::END, |_| ());
    }

    /// Encodes the events of a section.
    fn encode(&mut self, events: &[RawEvent]) {
        self.bytes.clear();
        let (mut steps, mut behind) = ([0; GROUP], [0; GROUP]);
        for events in events.chunks(GROUP) {
            self.clocks.go_on(events, &mut steps);
            let steps = part(&steps, ..events.len());
            self.bytes.put_events(events, steps, &mut self.predictor);
            if self.columns.has(Columns::CPU) {
                if self.clocks.is_running(events) {
                    self.cpu.add_unchanged();
                } else {
                    self.clocks.fall_behind(events, steps, &mut behind);
                    let behind = part(&behind, ..events.len());
                    self.cpu.add(behind, |behind| *behind);
                }
            }
            if self.columns.has(Columns::MEMORY) {
                self.memory.add(events, |event| event.at.memory);
                self.peak.add(events, |event| event.at.peak);
            }
        }
        if self.columns.has(Columns::CPU) {
            self.cpu.put(events.len(), &mut self.bytes);
        }
        if self.columns.has(Columns::MEMORY) {
            self.memory.put(events.len(), &mut self.bytes);
            self.peak.put(events.len(), &mut self.bytes);
        }
    }
}
