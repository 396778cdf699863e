//! Events to bytes: one byte for most ends, one to three for most entries; what
//! else was measured goes behind them, see [`extras`](super::extras).
//!
//! **Invariants:** once its buffers have grown, nothing is allocated. What was
//! handed over is in the file as soon as the bytes are.

use super::extras::put_column;
use super::predict::{Predictor, RANKS, Run};
use super::raw::Unit;
use super::{EventsOptions, RawEvent, RawInstant};
use crate::native::costs::Columns;
use crate::native::meta::put_meta;
use crate::native::section::{SectionWriter, kind};
use crate::native::spans::SpanWriter;
use crate::native::symbols::SymbolWriter;
use crate::native::varint::{self, put, put_signed};
use crate::native::write::{metrics, put_symbols};
use crate::{EventKind, Meta, Spans, Symbol};

/// How many events go into one section.
pub(super) const A_SECTION: usize = 8192;

/// The longest event: its head, two numbers of 32 bits, one of 64.
const LONGEST: usize = 1 + 2 * 5 + varint::MAX;

/// An end is this bit and a step in time below [`LONG_LEAVE`].
pub(super) const LEAVE: u8 = 0x80;
pub(super) const LONG_LEAVE: u64 = 0x7F;
/// An entry is a guess in two bits and a step in time below [`LONG_ENTER`].
pub(super) const LONG_ENTER: u64 = 0x1F;
/// Where in an entry's first byte the guess is.
pub(super) const RANK_SHIFT: u32 = 5;

/// Makes bytes of events.
#[derive(Debug, Clone)]
pub struct EventsWriter {
    sections: SectionWriter,
    symbols: SymbolWriter,
    spans: SpanWriter,
    predictor: Predictor,
    clocks: Clocks,
    columns: Columns,
    /// As long as a section's events may get; only its beginning is ever touched.
    scratch: Vec<u8>,
    extras: Extras,
}

/// By how much the other costs changed from event to event.
#[derive(Debug, Clone, Default)]
struct Extras {
    /// The steps by which CPU time fell behind the wall clock.
    cpu: Vec<i64>,
    memory: Vec<i64>,
    peak: Vec<i64>,
}

/// Where the clocks stood at the last event, in steps since the beginning.
#[derive(Debug, Clone)]
struct Clocks {
    wall_shift: u32,
    cpu_shift: u32,
    /// Both clocks have the same ticks.
    is_one_clock: bool,
    /// The steps of both, see [`Unit`].
    wall_length: u64,
    cpu_length: u64,
    start: RawInstant,
    wall: u64,
    cpu: u64,
    /// By how many steps that is behind the wall clock.
    behind: i64,
    memory: i64,
    peak: i64,
}

impl EventsWriter {
    /// Begins a file, and appends its first bytes to `out`.
    #[must_use]
    pub fn begin(
        options: &EventsOptions,
        start: RawInstant,
        meta: &Meta,
        out: &mut Vec<u8>,
    ) -> Self {
        let wall = Unit::new(options.wall_hertz, options.is_exact);
        let cpu = Unit::new(options.cpu_hertz, options.is_exact);
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
        let mut sections = SectionWriter::begin(out);
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
            clocks: Clocks {
                wall_shift: wall.shift,
                cpu_shift: cpu.shift,
                is_one_clock: options.wall_hertz == options.cpu_hertz,
                wall_length: wall.length,
                cpu_length: cpu.length,
                start,
                wall: 0,
                cpu: 0,
                behind: 0,
                memory: 0,
                peak: 0,
            },
            columns: Columns(columns),
            scratch: vec![0; A_SECTION * LONGEST + 8],
            extras: Extras::default(),
        }
    }

    /// How many symbols were written.
    #[must_use]
    pub fn symbols_written(&self) -> usize {
        self.predictor.symbols()
    }

    /// Appends symbols, which are numbered in the order in which they come; the
    /// first of all is `main()`. To be called before the events that use them.
    pub fn symbols(&mut self, symbols: &[Symbol], out: &mut Vec<u8>) {
        if !symbols.is_empty() {
            put_symbols(&mut self.sections, &mut self.symbols, out, symbols);
            self.predictor.add_symbols(symbols.len());
        }
    }

    /// Appends events. One whose symbol was not written counts as a call of
    /// `main()`.
    pub fn events<E: RawEvent>(&mut self, events: &[E], out: &mut Vec<u8>) {
        let (cpu, memory) = (
            self.columns.has(Columns::CPU),
            self.columns.has(Columns::MEMORY),
        );
        for events in events.chunks(A_SECTION) {
            let length = match (cpu, memory) {
                (false, false) => self.encode::<E, false, false>(events),
                (true, false) => self.encode::<E, true, false>(events),
                (false, true) => self.encode::<E, false, true>(events),
                (true, true) => self.encode::<E, true, true>(events),
            };
            let bytes = self.scratch.get(..length).unwrap_or_default();
            let extras = &self.extras;
            self.sections.section(out, kind::CALLS, |out| {
                put(out, events.len() as u64);
                out.extend_from_slice(bytes);
                if cpu {
                    put_column(out, &extras.cpu);
                }
                if memory {
                    put_column(out, &extras.memory);
                    put_column(out, &extras.peak);
                }
            });
        }
    }

    /// Appends what is new of `spans`, which grow. To be called after
    /// [`symbols`](Self::symbols) with those that they name.
    pub fn spans(&mut self, spans: &Spans, out: &mut Vec<u8>) {
        self.spans.put(&mut self.sections, out, spans);
    }

    /// From now on, everything is said to have happened so much earlier: for a
    /// time that is not part of the profile. Its `memory` and `peak` count too.
    pub fn delay(&mut self, pause: RawInstant) {
        let start = &mut self.clocks.start;
        start.wall = start.wall.wrapping_add(pause.wall);
        start.cpu = start.cpu.wrapping_add(pause.cpu);
        start.memory = start.memory.wrapping_add(pause.memory);
        start.peak = start.peak.wrapping_add(pause.peak);
    }

    /// Appends what is known of the profile by now, in place of what was said
    /// of it before.
    pub fn meta(&mut self, meta: &Meta, out: &mut Vec<u8>) {
        self.sections
            .section(out, kind::META, |out| put_meta(out, meta));
    }

    /// Appends the end, with what is known only then.
    pub fn end(mut self, at: RawInstant, meta: Option<&Meta>, out: &mut Vec<u8>) {
        if let Some(meta) = meta {
            self.meta(meta, out);
        }
        let clocks = &self.clocks;
        self.sections.section(out, kind::LAST, |out| {
            put(out, clocks.wall_steps(at.wall).max(clocks.wall));
            put(out, clocks.cpu_steps(at.cpu).max(clocks.cpu));
            put_signed(out, at.memory.wrapping_sub(clocks.start.memory));
            put_signed(out, at.peak.wrapping_sub(clocks.start.peak));
        });
        self.sections.section(out, kind::END, |_| ());
    }

    /// Encodes up to [`A_SECTION`] events into `scratch`, and tells how long
    /// they are.
    fn encode<E: RawEvent, const CPU: bool, const MEMORY: bool>(&mut self, events: &[E]) -> usize {
        // In registers, as long as the loop runs.
        let mut clocks = self.clocks.clone();
        let extras = &mut self.extras;
        for column in [&mut extras.cpu, &mut extras.memory, &mut extras.peak] {
            column.clear();
        }
        let mut scratch = Scratch {
            bytes: &mut self.scratch,
            length: 0,
        };
        let mut events = events.iter();
        while !events.as_slice().is_empty() {
            let mut run = self.predictor.run(events.len());
            let switch = encode_run::<E, CPU, MEMORY>(
                &mut events,
                &mut clocks,
                &mut run,
                &mut scratch,
                extras,
            );
            let end = run.end();
            self.predictor.after(end);
            if let Some(fiber) = switch {
                self.predictor.switch(fiber);
            }
        }
        let length = scratch.length;
        self.clocks = clocks;
        length
    }
}

/// Encodes events up to and with the next switch of fibers, if there is one.
#[inline]
fn encode_run<E: RawEvent, const CPU: bool, const MEMORY: bool>(
    events: &mut std::slice::Iter<'_, E>,
    clocks: &mut Clocks,
    run: &mut Run<'_>,
    scratch: &mut Scratch<'_>,
    extras: &mut Extras,
) -> Option<u32> {
    for event in events {
        let wall = clocks.wall_steps(event.wall()).max(clocks.wall);
        let step = wall - clocks.wall;
        clocks.wall = wall;
        let mut switch = None;
        match event.kind() {
            EventKind::Leave => {
                run.leave();
                scratch.leave(step);
            }
            EventKind::Enter(symbol) => {
                let symbol = if run.knows(symbol.0) { symbol.0 } else { 0 };
                let rank = run.enter(symbol);
                scratch.enter(rank, u64::from(symbol) + 1, step);
            }
            EventKind::Switch(fiber) => {
                scratch.switch(fiber, step);
                switch = Some(fiber);
            }
        }
        if CPU {
            extras
                .cpu
                .push(clocks.fall_behind(event.wall(), event.cpu()));
        }
        if MEMORY {
            let memory = event.memory().wrapping_sub(clocks.start.memory);
            let peak = event.peak().wrapping_sub(clocks.start.peak);
            extras.memory.push(memory.wrapping_sub(clocks.memory));
            extras.peak.push(peak.wrapping_sub(clocks.peak));
            (clocks.memory, clocks.peak) = (memory, peak);
        }
        if switch.is_some() {
            return switch;
        }
    }
    None
}

impl Clocks {
    #[inline]
    fn wall_steps(&self, ticks: u64) -> u64 {
        ticks.saturating_sub(self.start.wall) >> self.wall_shift
    }

    #[inline]
    fn cpu_steps(&self, ticks: u64) -> u64 {
        ticks.saturating_sub(self.start.cpu) >> self.cpu_shift
    }

    /// The steps by which CPU time fell behind the wall clock since the last
    /// event, whose own step is known already.
    ///
    /// With one clock for both, the difference of the ticks is taken before it
    /// is rounded: as long as the program runs, it stays the same.
    #[inline]
    fn fall_behind(&mut self, wall: u64, cpu: u64) -> i64 {
        let expected = expected_cpu(self.wall, self.wall_length, self.cpu_length);
        let cpu_now = if self.is_one_clock {
            let since = |now: u64, start: u64| now.saturating_sub(start);
            let behind = since(wall, self.start.wall).wrapping_sub(since(cpu, self.start.cpu));
            // Less than nothing, if several threads ran.
            let behind = behind.cast_signed() >> self.cpu_shift;
            expected.saturating_add_signed(behind.wrapping_neg())
        } else {
            self.cpu_steps(cpu)
        };
        let cpu_now = cpu_now.max(self.cpu);
        let behind = expected.wrapping_sub(cpu_now).cast_signed();
        self.cpu = cpu_now;
        let change = behind.wrapping_sub(self.behind);
        self.behind = behind;
        change
    }
}

/// The steps that CPU time would be at if the program had run all the time.
#[inline]
pub(super) fn expected_cpu(wall: u64, wall_length: u64, cpu_length: u64) -> u64 {
    if wall_length == cpu_length {
        return wall;
    }
    let cpu = u128::from(wall) * u128::from(wall_length) / u128::from(cpu_length.max(1));
    u64::try_from(cpu).unwrap_or(u64::MAX)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "two bits")]
fn rank_bits(rank: usize) -> u8 {
    (rank as u8 & 3) << RANK_SHIFT
}

/// As much of a step in time as fits into an event's first byte.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 127")]
fn short(step: u64, long: u64) -> u8 {
    step.min(long) as u8
}

/// Bytes that are long enough for every event of a section.
struct Scratch<'a> {
    bytes: &'a mut [u8],
    length: usize,
}

/// What two bytes of a number hold: nearly every step, and most symbols.
const TWO: u64 = 1 << 14;

/// A number below [`TWO`] as its two bytes, and how many of them there should
/// be. Without a branch: which it is, is anybody's guess in most programs.
#[inline]
fn two_bytes(value: u64) -> (u64, usize) {
    let is_two = value > 0x7F;
    let bytes = value & 0x7F | (value & 0x3F80) << 1 | u64::from(is_two) << 7;
    (bytes, 1 + usize::from(is_two))
}

impl Scratch<'_> {
    /// Appends an end.
    #[inline]
    fn leave(&mut self, step: u64) {
        let head = LEAVE | short(step, LONG_LEAVE);
        let is_long = step >= LONG_LEAVE;
        let rest = step.wrapping_sub(LONG_LEAVE);
        if step >= TWO {
            return self.large(head, None, Some(rest));
        }
        let (bytes, count) = two_bytes(rest & (TWO - 1));
        self.bytes(u64::from(head) | bytes << 8);
        self.length += 1 + if is_long { count } else { 0 };
    }

    /// Appends an entry: of the guess of that rank, or, if that is none, of
    /// that number.
    #[inline]
    fn enter(&mut self, rank: usize, symbol: u64, step: u64) {
        let head = rank_bits(rank) | short(step, LONG_ENTER);
        let is_long = step >= LONG_ENTER;
        let rest = step.wrapping_sub(LONG_ENTER);
        let is_unknown = rank == RANKS;
        if step >= TWO || symbol >= TWO {
            return self.large(head, is_unknown.then_some(symbol), is_long.then_some(rest));
        }
        let (symbol, symbol_count) = two_bytes(symbol);
        let (symbol, symbol_count) = if is_unknown {
            (symbol, symbol_count)
        } else {
            (0, 0)
        };
        let (rest, count) = two_bytes(rest & (TWO - 1));
        self.bytes(u64::from(head) | (symbol | rest << (8 * symbol_count)) << 8);
        self.length += 1 + symbol_count + if is_long { count } else { 0 };
    }

    /// A head and numbers of any length.
    #[cold]
    #[inline(never)]
    fn large(&mut self, head: u8, symbol: Option<u64>, rest: Option<u64>) {
        self.byte(head);
        for number in [symbol, rest].into_iter().flatten() {
            self.number(number);
        }
    }

    #[cold]
    #[inline(never)]
    fn switch(&mut self, fiber: u32, step: u64) {
        self.byte(rank_bits(RANKS) | short(step, LONG_ENTER));
        self.byte(0);
        self.number(u64::from(fiber));
        if step >= LONG_ENTER {
            self.number(step - LONG_ENTER);
        }
    }

    /// Writes eight bytes, to keep as many of them as there should be.
    #[inline]
    fn bytes(&mut self, bytes: u64) {
        let place = self.bytes.get_mut(self.length..);
        if let Some(place) = place.and_then(<[u8]>::first_chunk_mut) {
            *place = bytes.to_le_bytes();
        }
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
        }
        self.length += 1;
    }

    #[inline]
    fn number(&mut self, value: u64) {
        if value >= TWO {
            return self.long_number(value);
        }
        let (bytes, count) = two_bytes(value);
        self.bytes(bytes);
        self.length += count;
    }

    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "masked to seven bits")]
    fn long_number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte((value & 0x7F) as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }
}
