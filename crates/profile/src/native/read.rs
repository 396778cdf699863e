//! Reads a profile of any body, in memory proportional to the data.

use std::io::Read;

use super::Error;
use super::edges::EdgeReader;
use super::events::EventsReader;
use super::meta::MetaReader;
use super::samples::SampleReader;
use super::section::{SectionReader, kind};
use super::spans::SpanReader;
use super::symbols::SymbolReader;
use super::tree::TreeReader;
use super::varint::Cursor;
use crate::{Body, Budget, Metrics, Profile, Spans, Symbol, SymbolId, WallUnit};

/// The error for a second first section.
pub(super) const SECOND_PROFILE: &str = "a second section says what follows";

/// The maximum size of a section: 1 GiB.
pub(super) const LARGEST_SECTION: u64 = 1 << 30;

/// The limits of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a section, in bytes.
    pub section: u64,
    /// The maximum number of nodes of a call tree; 48 bytes of memory each.
    pub nodes: usize,
    /// The maximum number of call events that are kept, 40 bytes of memory
    /// each. More events become a call tree while they are read.
    pub events: usize,
    /// The maximum number of spans; 56 bytes of memory each.
    pub spans: usize,
}

impl Default for Limits {
    /// 64 million nodes; a million events, and as many spans.
    fn default() -> Self {
        Self {
            section: LARGEST_SECTION,
            nodes: 64 << 20,
            events: 1 << 20,
            spans: Spans::MOST,
        }
    }
}

/// Reads a whole file. The input need not be buffered.
/// Event files that end early (the program crashed, or still runs) are read up
/// to there, and [`Meta::is_truncated`](crate::Meta::is_truncated) is set.
/// Other files that end early are an error.
/// Everything else that ends early is an error.
///
/// # Errors
///
/// [`Error`], for a file that is not native, damaged, or over a limit.
pub fn read(input: impl Read, limits: &Limits) -> Result<Profile, Error> {
    read_within(input, limits, &Budget::unlimited())
}

/// The same, within the memory of a budget.
///
/// # Errors
///
/// Errors of [`read`], and [`Error::Memory`].
pub fn read_within(input: impl Read, limits: &Limits, budget: &Budget) -> Result<Profile, Error> {
    let input = std::io::BufReader::with_capacity(1 << 16, input);
    let mut sections = SectionReader::new(input, limits.section, budget)?;
    let head = Head::read(&mut sections)?;
    if head.body == kind::CALLS {
        return EventsReader::after(sections, &head, limits, budget)?.into_profile(limits);
    }
    let mut parts = Parts::new(limits, budget);
    let body = match head.body {
        kind::EDGES => {
            let mut reader = EdgeReader::default();
            parts.read(&mut sections, |kind, cursor, symbols| match kind {
                kind::EDGES => reader.take(cursor, symbols, budget),
                _ => Ok(()),
            })?;
            reader.finish().map(Body::Edges)
        }
        kind::TREE => {
            let mut reader = TreeReader::default();
            parts.read(&mut sections, |kind, cursor, symbols| match kind {
                kind::TREE => reader.take(cursor, symbols, limits.nodes, budget),
                _ => Ok(()),
            })?;
            reader.finish(parts.symbols.len(), budget)?.map(Body::Tree)
        }
        kind::STACKS => {
            let mut reader = SampleReader::within(budget);
            parts.read(&mut sections, |kind, cursor, symbols| match kind {
                kind::STACKS => reader.take_stacks(cursor, symbols),
                kind::SAMPLES => reader.take_samples(cursor),
                _ => Ok(()),
            })?;
            reader.finish(parts.symbols.len())?.map(Body::Samples)
        }
        _ => return Err(head.cursor_broken("a kind of profile not known here")),
    };
    let broken = |reason| Error::Broken {
        offset: sections.start(),
        reason,
    };
    let Some(body) = body else {
        return Err(broken("the calls are not there, or no tree"));
    };
    if !are_unique(&parts.symbols) {
        return Err(broken("two symbols have the same name"));
    }
    Ok(Profile {
        symbols: parts.symbols,
        body,
        metrics: head.metrics,
        meta: parts.meta.meta,
        spans: parts.spans.spans,
        lines: crate::Lines::default(),
    })
}

/// The first section.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) body: u8,
    pub(super) metrics: Metrics,
    /// The bits of the costs, and their offset.
    pub(super) rest: Vec<u8>,
    pub(super) offset: u64,
}

impl Head {
    fn cursor_broken(&self, reason: &'static str) -> Error {
        Error::Broken {
            offset: self.offset,
            reason,
        }
    }

    /// Reads the first section.
    pub(super) fn read<R: Read>(sections: &mut SectionReader<R>) -> Result<Self, Error> {
        let first = sections.next()?;
        let mut cursor = sections.cursor();
        if first != kind::PROFILE {
            return Err(cursor.broken("the first section has to say what follows"));
        }
        let body = cursor.byte()?;
        let bits = cursor.byte()?;
        let offset = cursor.offset();
        let mut rest = Vec::new();
        while cursor.len() > 0 {
            rest.push(cursor.byte()?);
        }
        let has = |bit: u8| bits >> bit & 1 == 1;
        Ok(Self {
            body,
            metrics: Metrics {
                calls: has(0),
                wall_unit: if has(1) {
                    WallUnit::Samples
                } else {
                    WallUnit::Nanoseconds
                },
                cpu: has(2),
                memory: has(3),
            },
            rest,
            offset,
        })
    }
}

/// The parts that every body is read with.
#[derive(Debug)]
struct Parts<'a> {
    symbols: Vec<Symbol>,
    meta: MetaReader,
    spans: SpanReader,
    limits: &'a Limits,
    budget: &'a Budget,
}

impl<'a> Parts<'a> {
    fn new(limits: &'a Limits, budget: &'a Budget) -> Self {
        Self {
            symbols: Vec::new(),
            meta: MetaReader::within(budget),
            spans: SpanReader::within(budget),
            limits,
            budget,
        }
    }

    /// Reads all sections; those of the body are passed to `take`, with the
    /// number of symbols so far.
    fn read<R: Read>(
        &mut self,
        sections: &mut SectionReader<R>,
        mut take: impl FnMut(u8, Cursor<'_>, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut reader = SymbolReader::within(self.budget);
        loop {
            let kind = sections.next()?;
            let cursor = sections.cursor();
            match kind {
                kind::END => return sections.finish(),
                kind::PROFILE => return Err(cursor.broken(SECOND_PROFILE)),
                kind::META => self.meta.take(cursor)?,
                kind::SYMBOLS => reader.take(cursor, |symbol| self.symbols.push(symbol))?,
                kind::SPANS => {
                    let symbols = self.symbols.len();
                    let is_there = |number: &u32| (*number as usize) < symbols;
                    let symbol = |number| u32::try_from(number).ok().filter(is_there);
                    let symbol = |number| symbol(number).map(SymbolId);
                    self.spans.take(cursor, self.limits, symbol)?;
                }
                kind => take(kind, cursor, self.symbols.len())?,
            }
        }
    }
}

/// A symbol's index, if there is such a symbol.
pub(super) fn symbol(cursor: &Cursor<'_>, number: u64, symbols: usize) -> Result<u32, Error> {
    let number = u32::try_from(number).ok();
    let number = number.filter(|&number| (number as usize) < symbols);
    number.ok_or_else(|| cursor.broken("no symbol has this number"))
}

fn are_unique(symbols: &[Symbol]) -> bool {
    let mut names = std::collections::HashSet::with_capacity(symbols.len());
    symbols.iter().all(|symbol| names.insert(&symbol.name))
}
