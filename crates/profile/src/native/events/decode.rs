//! Decodes events block by block: files of any length, in the memory of a block
//! and of the caller's result.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{BufReader, Read};

use super::clocks::{Unit, expected_cpu};
use super::encode::A_SECTION;
use super::extras::take_column;
use super::heads::{LEAVE, LONG_ENTER, LONG_LEAVE, RANK_SHIFT};
use super::lines::LineReader;
use super::predict::{Predictor, RANKS, Run};
use crate::called_events::CalledFold;
use crate::native::called::CalledReader;
use crate::native::costs::Columns;
use crate::native::head::{Head, SECOND_PROFILE};
use crate::native::meta::MetaReader;
use crate::native::section::{SectionReader, kind};
use crate::native::spans::SpanReader;
use crate::native::symbols::SymbolReader;
use crate::native::varint::Cursor;
use crate::native::{Error, Limits};
use crate::table::known_mut;
use crate::{
    Body, Budget, CallLine, Event, EventFold, EventKind, Events, Instant, Meta, Metrics, Profile,
    Spans, Symbol, SymbolId,
};

/// Reads the events of a file, block by block.
#[derive(Debug)]
pub struct EventsReader<R> {
    sections: SectionReader<R>,
    symbol_reader: SymbolReader,
    symbols: Symbols,
    meta: MetaReader,
    spans: SpanReader,
    limits: Limits,
    metrics: Metrics,
    decoder: Decoder,
    /// The costs of lines.
    called: CalledReader,
    /// The lines of calls, and the tree of these, if it is wanted and there are any.
    lines: LineReader,
    wants_lines: bool,
    lined: Option<CalledFold>,
    /// The end time in the file.
    end: Option<Instant>,
    is_over: bool,
    budget: Budget,
}

/// The symbols, and the index of each of the file's symbols: a program may have
/// two functions of one name, a profile has one.
#[derive(Debug, Default)]
struct Symbols {
    list: Vec<Symbol>,
    of_file: Vec<SymbolId>,
    by_name: HashMap<Box<[u8]>, SymbolId>,
}

impl Symbols {
    fn add(&mut self, symbol: Symbol) {
        let next = SymbolId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        let symbol_id = match self.by_name.entry(symbol.name.clone()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                self.list.push(symbol);
                *place.insert(next)
            }
        };
        self.of_file.push(symbol_id);
    }
}

impl<R: Read> EventsReader<BufReader<R>> {
    /// Reads the beginning of an event file. The input need not be buffered.
    ///
    /// # Errors
    ///
    /// [`Error`], also if the file holds something else than events.
    pub fn new(input: R, limits: &Limits) -> Result<Self, Error> {
        let input = BufReader::with_capacity(1 << 16, input);
        let budget = Budget::unlimited();
        let mut sections = SectionReader::new(input, limits.section, &budget)?;
        let head = Head::read(&mut sections)?;
        Self::after(sections, &head, limits, &budget)
    }
}

impl<R: Read> EventsReader<R> {
    /// Continues after the first section.
    pub(in crate::native) fn after(
        sections: SectionReader<R>,
        head: &Head,
        limits: &Limits,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let mut cursor = Cursor::new(&head.rest, head.offset);
        if head.body != kind::CALLS {
            return Err(cursor.broken("no call events"));
        }
        let columns = Columns::take_of_events(&mut cursor)?;
        let decoder = Decoder {
            predictor: Predictor::new(),
            steps: Steps {
                columns,
                wall_unit: cursor.number()?,
                cpu_unit: cursor.number()?,
                wall: 0,
                cpu: 0,
                behind: 0,
                last: Instant::default(),
            },
        };
        Ok(Self {
            sections,
            symbol_reader: SymbolReader::within(budget),
            symbols: Symbols::default(),
            meta: MetaReader::within(budget),
            spans: SpanReader::within(budget),
            limits: *limits,
            metrics: head.metrics,
            decoder,
            called: CalledReader::within(budget),
            lines: LineReader::within(budget),
            wants_lines: false,
            lined: None,
            end: None,
            is_over: false,
            budget: budget.clone(),
        })
    }

    /// Replaces the contents of `events` by the next events; returns false if
    /// there are none left.
    ///
    /// A truncated file has no more events at its end, and [`meta`](Self::meta)
    /// marks it as truncated.
    ///
    /// # Errors
    ///
    /// [`Error`], if the next block is damaged.
    pub fn next_block(&mut self, events: &mut Vec<Event>) -> Result<bool, Error> {
        events.clear();
        while !self.is_over {
            let kind = match self.sections.next() {
                // Without even `main()` there is no profile.
                Err(Error::Truncated { .. }) if !self.symbols.list.is_empty() => {
                    self.meta.meta.is_truncated = true;
                    self.is_over = true;
                    break;
                }
                kind => kind?,
            };
            let cursor = self.sections.cursor();
            match kind {
                kind::META => self.meta.take(cursor)?,
                kind::SYMBOLS => {
                    self.symbol_reader
                        .take(cursor, |symbol| self.symbols.add(symbol))?;
                    let known = self.decoder.predictor.symbols();
                    let new = self.symbols.of_file.len().saturating_sub(known);
                    self.decoder.predictor.add_symbols(new);
                }
                kind::PROFILE => return Err(cursor.broken(SECOND_PROFILE)),
                kind::CALLS | kind::LAST if self.end.is_some() => {
                    return Err(cursor.broken("the last instant is over"));
                }
                kind::CALLS => {
                    let mut numbers = self.lines.has_lines().then(Vec::new);
                    let symbols = &self.symbols.of_file;
                    self.decoder.decode(cursor, symbols, events, &mut numbers)?;
                    self.add_lines(events, numbers)?;
                    return Ok(true);
                }
                kind::LINES_OF_CALLS => self.lines.take(cursor)?,
                kind::COSTS_OF_LINES => {
                    self.called.take(cursor, self.symbols.list.len())?;
                }
                kind::SPANS => {
                    let symbols = &self.symbols.of_file;
                    let symbol = |number| symbols.get(usize::try_from(number).ok()?).copied();
                    self.spans.take(cursor, &self.limits, symbol)?;
                }
                kind::LAST => self.end = Some(self.decoder.end(cursor)?),
                kind::END => {
                    self.sections.finish()?;
                    if self.end.is_none() || self.symbols.list.is_empty() {
                        return Err(Error::Broken {
                            offset: self.sections.start(),
                            reason: "the end comes before anything else",
                        });
                    }
                    self.is_over = true;
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// Folds a block of events into the tree with lines. `numbers` has the file's symbol of
    /// each of its calls, if they have lines.
    fn add_lines(&mut self, events: &[Event], numbers: Option<Vec<u32>>) -> Result<(), Error> {
        let lines = match numbers {
            Some(numbers) => self.lines.of_calls(&numbers)?,
            None => Vec::new(),
        };
        if !(self.wants_lines && self.lines.is_used) {
            return Ok(());
        }
        let mut lines = lines.into_iter();
        let budget = &self.budget;
        let lined = self.lined.get_or_insert_with(|| CalledFold::within(budget));
        for event in events {
            let at = match event.kind {
                EventKind::Enter(_) => lines.next(),
                EventKind::Leave | EventKind::Switch(_) => None,
            };
            lined.add(*event, at.unwrap_or(CallLine::UNKNOWN));
        }
        if lined.nodes() > self.limits.nodes {
            return Err(self.too_many_paths());
        }
        Ok(self.budget.check()?)
    }

    fn too_many_paths(&self) -> Error {
        Error::TooLarge {
            offset: self.sections.start(),
            what: "paths",
        }
    }

    /// The symbols so far: all that the events so far use.
    #[must_use]
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols.list
    }

    /// The metadata so far.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta.meta
    }

    /// The spans so far.
    #[must_use]
    pub fn spans(&self) -> &Spans {
        &self.spans.spans
    }

    /// The measured costs.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.metrics
    }

    /// The end time: the last event's, until the end is read.
    #[must_use]
    pub fn end(&self) -> Instant {
        self.end.unwrap_or(self.decoder.steps.last)
    }

    /// Reads all events into a call tree, in memory proportional to the tree.
    ///
    /// # Errors
    ///
    /// [`Error`], also if the tree gets more than `limits.nodes` nodes.
    pub fn into_tree(self, limits: &Limits) -> Result<Profile, Error> {
        let fold = EventFold::within(&self.budget);
        self.fold(fold, Vec::new(), limits)
    }

    /// Reads all events: as events, or as a call tree if they are too many.
    pub(in crate::native) fn into_profile(mut self, limits: &Limits) -> Result<Profile, Error> {
        self.wants_lines = true;
        let (mut all, mut block) = (Vec::new(), Vec::new());
        let most = limits.events.max(self.budget.events());
        while self.next_block(&mut block)? {
            if block.len() > most.saturating_sub(all.len()) {
                self.budget.set_folded_events();
                let mut fold = EventFold::within(&self.budget);
                for event in all {
                    fold.add(event);
                }
                return self.fold(fold, block, limits);
            }
            (self.budget).room_for(&mut all, block.len(), "events")?;
            all.append(&mut block);
        }
        let end = self.end();
        self.profile(Body::Events(Events { events: all, end }))
    }

    fn fold(
        mut self,
        mut fold: EventFold,
        mut block: Vec<Event>,
        limits: &Limits,
    ) -> Result<Profile, Error> {
        loop {
            for event in &block {
                fold.add(*event);
            }
            self.budget.check()?;
            if fold.nodes() > limits.nodes {
                return Err(self.too_many_paths());
            }
            if !self.next_block(&mut block)? {
                let tree = fold.finish(self.end());
                return self.profile(Body::Tree(tree));
            }
        }
    }

    fn profile(self, body: Body) -> Result<Profile, Error> {
        let end = self.end();
        let lines = match self.lined {
            Some(lined) => {
                let (files, symbols) = (self.lines.files(), &self.symbols.list);
                let called = lined.finish(end);
                let lines = called.costs_of_lines(files, symbols, &self.budget);
                self.budget.drop_list(called.nodes);
                self.budget.check()?;
                lines
            }
            None => self.called.finish(),
        };
        Ok(Profile {
            symbols: self.symbols.list,
            body,
            metrics: self.metrics,
            meta: self.meta.meta,
            spans: self.spans.spans,
            lines,
        })
    }
}

/// The state after the previous events.
#[derive(Debug)]
struct Decoder {
    predictor: Predictor,
    steps: Steps,
}

impl Decoder {
    fn decode(
        &mut self,
        mut cursor: Cursor<'_>,
        symbols: &[SymbolId],
        events: &mut Vec<Event>,
        numbers: &mut Option<Vec<u32>>,
    ) -> Result<(), Error> {
        let count = cursor.count()?;
        if count > A_SECTION {
            return Err(cursor.broken("too many events in one block"));
        }
        events.reserve(count);
        let mut left = count;
        while left > 0 {
            let mut run = self.predictor.run(left);
            let mut switch = None;
            while left > 0 && switch.is_none() {
                let event = (self.steps).event(&mut cursor, &mut run, symbols, numbers)?;
                events.push(event);
                left -= 1;
                if let EventKind::Switch(fiber) = event.kind {
                    switch = Some(fiber);
                }
            }
            let end = run.end();
            self.predictor.after(end);
            if let Some(fiber) = switch {
                self.predictor.switch(fiber);
            }
        }
        if self.steps.columns.has(Columns::APART) {
            self.steps.extras(&mut cursor, events)?;
        }
        cursor.finish()
    }

    fn end(&self, cursor: Cursor<'_>) -> Result<Instant, Error> {
        self.steps.end(cursor)
    }
}

/// The clocks, and the size of their steps.
#[derive(Debug)]
struct Steps {
    columns: Columns,
    wall_unit: u64,
    cpu_unit: u64,
    wall: u64,
    cpu: u64,
    /// The steps by which CPU time lags behind wall time.
    behind: i64,
    last: Instant,
}

impl Steps {
    #[inline]
    fn event(
        &mut self,
        cursor: &mut Cursor<'_>,
        run: &mut Run<'_>,
        symbols: &[SymbolId],
        numbers: &mut Option<Vec<u32>>,
    ) -> Result<Event, Error> {
        let head = cursor.byte()?;
        let (kind, step) = if head & LEAVE != 0 {
            run.leave();
            let step = step(cursor, u64::from(head & !LEAVE), LONG_LEAVE)?;
            (EventKind::Leave, step)
        } else {
            let rank = usize::from(head >> RANK_SHIFT);
            let kind = called(cursor, run, rank, symbols, numbers)?;
            let step = step(cursor, u64::from(head) & LONG_ENTER, LONG_ENTER)?;
            (kind, step)
        };
        self.wall = self.wall.saturating_add(step);
        self.last.wall = Unit::nanoseconds(self.wall_unit, self.wall);
        if self.columns.has(Columns::APART) {
            if self.columns.has(Columns::CPU) {
                // Until the lag is known.
                let (wall, cpu) = (self.wall_unit, self.cpu_unit);
                self.last.cpu = expected_cpu(self.wall, wall, cpu);
            }
            return Ok(Event {
                at: self.last,
                kind,
            });
        }
        if self.columns.has(Columns::CPU) {
            self.cpu = self.cpu.saturating_add(cursor.number()?);
            self.last.cpu = Unit::nanoseconds(self.cpu_unit, self.cpu);
        }
        if self.columns.has(Columns::MEMORY) {
            self.last.memory = self.last.memory.wrapping_add(cursor.signed()?);
            self.last.peak = self.last.peak.wrapping_add(cursor.signed()?);
        }
        Ok(Event {
            at: self.last,
            kind,
        })
    }

    /// Reads the columns after a section's events.
    fn extras(&mut self, cursor: &mut Cursor<'_>, events: &mut [Event]) -> Result<(), Error> {
        let count = events.len();
        let mut changes = vec![0_i64; count];
        let column = |cursor: &mut Cursor<'_>, changes: &mut Vec<i64>| {
            changes.fill(0);
            take_column(cursor, count, |place, change| {
                if let Some(it) = known_mut(changes, place) {
                    *it = change;
                }
            })
        };
        if self.columns.has(Columns::CPU) {
            column(cursor, &mut changes)?;
            for (event, change) in events.iter_mut().zip(&changes) {
                self.behind = self.behind.wrapping_add(*change);
                let cpu = i128::from(event.at.cpu) - i128::from(self.behind);
                let cpu = u64::try_from(cpu.max(0)).unwrap_or(u64::MAX);
                self.cpu = self.cpu.max(cpu);
                event.at.cpu = Unit::nanoseconds(self.cpu_unit, self.cpu);
            }
            self.last.cpu = events.last().map_or(self.last.cpu, |event| event.at.cpu);
        }
        if self.columns.has(Columns::MEMORY) {
            column(cursor, &mut changes)?;
            for (event, change) in events.iter_mut().zip(&changes) {
                self.last.memory = self.last.memory.wrapping_add(*change);
                event.at.memory = self.last.memory;
            }
            column(cursor, &mut changes)?;
            for (event, change) in events.iter_mut().zip(&changes) {
                self.last.peak = self.last.peak.wrapping_add(*change);
                event.at.peak = self.last.peak;
            }
        }
        Ok(())
    }

    fn end(&self, mut cursor: Cursor<'_>) -> Result<Instant, Error> {
        let end = Instant {
            wall: Unit::nanoseconds(self.wall_unit, cursor.number()?.max(self.wall)),
            cpu: Unit::nanoseconds(self.cpu_unit, cursor.number()?.max(self.cpu)),
            memory: cursor.signed()?,
            peak: cursor.signed()?,
        };
        cursor.finish()?;
        Ok(end)
    }
}

/// The callee, or the fiber that resumes. The number of a callee is added to `numbers`, if
/// they are wanted.
#[inline]
fn called(
    cursor: &mut Cursor<'_>,
    run: &mut Run<'_>,
    rank: usize,
    symbols: &[SymbolId],
    numbers: &mut Option<Vec<u32>>,
) -> Result<EventKind, Error> {
    let number = if rank < RANKS {
        let predicted = run.predicted(rank);
        predicted.ok_or_else(|| cursor.broken("a prediction without an earlier call"))?
    } else {
        match cursor.number_32()?.checked_sub(1) {
            Some(symbol) => symbol,
            None => return Ok(EventKind::Switch(cursor.number_32()?)),
        }
    };
    let symbol = symbols.get(number as usize).copied();
    let symbol = symbol.ok_or_else(|| cursor.broken("no symbol has this number"))?;
    run.enter(number, rank);
    if let Some(numbers) = numbers {
        numbers.push(number);
    }
    Ok(EventKind::Enter(symbol))
}

/// A time step: in the first byte, or longer.
#[inline]
fn step(cursor: &mut Cursor<'_>, short: u64, long: u64) -> Result<u64, Error> {
    if short < long {
        return Ok(short);
    }
    Ok(cursor.number()?.saturating_add(long))
}
