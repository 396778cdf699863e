//! Reads a profile of any body, in memory proportional to the data.

use std::io::Read;

use super::called::CalledReader;
use super::edges::EdgeReader;
use super::events::EventsReader;
use super::head::{Head, SECOND_PROFILE};
use super::lined::LinedReader;
use super::meta::MetaReader;
use super::samples::SampleReader;
use super::section::{SectionReader, kind};
use super::spans::SpanReader;
use super::symbols::SymbolReader;
use super::tree::TreeReader;
use super::varint::Cursor;
use super::{Error, Limits};
use crate::{Body, Budget, Profile, Symbol, SymbolId};

/// Reads a whole file. The input need not be buffered.
/// Event files that end early (the program crashed, or still runs) are read up
/// to there, and [`Meta::is_truncated`](crate::Meta::is_truncated) is set.
/// Other files that end early are an error.
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
    let mut called = CalledReader::within(budget);
    let body = match head.body {
        kind::EDGES => {
            let mut reader = EdgeReader::default();
            parts.read(&mut sections, |kind, cursor, symbols| match kind {
                kind::EDGES => reader.take(cursor, symbols.len(), budget),
                kind::COSTS_OF_LINES => called.take(cursor, symbols.len()),
                _ => Ok(()),
            })?;
            reader.finish().map(Body::Edges)
        }
        kind::TREE => {
            let mut reader = TreeReader::default();
            parts.read(&mut sections, |kind, cursor, symbols| match kind {
                kind::TREE => reader.take(cursor, symbols.len(), limits.nodes, budget),
                kind::COSTS_OF_LINES => called.take(cursor, symbols.len()),
                _ => Ok(()),
            })?;
            reader.finish(parts.symbols.len(), budget)?.map(Body::Tree)
        }
        kind::STACKS => {
            let mut reader = SampleReader::within(budget);
            let mut lined = LinedReader::within(budget);
            parts.read(&mut sections, |kind, cursor, symbols| match kind {
                kind::STACKS => reader.take_stacks(cursor, symbols.len()),
                kind::SAMPLES => reader.take_samples(cursor),
                kind::LINES => lined.take(cursor, reader.samples_mut(), symbols),
                _ => Ok(()),
            })?;
            reader.finish(parts.symbols.len())?.map(Body::Samples)
        }
        _ => return Err(head.broken("a kind of profile not known here")),
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
    let lines = match &body {
        Body::Samples(samples) => samples.lines(&parts.symbols, budget),
        _ => called.finish(),
    };
    budget.check()?;
    Ok(Profile {
        symbols: parts.symbols,
        body,
        metrics: head.metrics,
        meta: parts.meta.meta,
        spans: parts.spans.spans,
        lines,
    })
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
    /// symbols so far.
    fn read<R: Read>(
        &mut self,
        sections: &mut SectionReader<R>,
        mut take: impl FnMut(u8, Cursor<'_>, &[Symbol]) -> Result<(), Error>,
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
                kind => take(kind, cursor, &self.symbols)?,
            }
        }
    }
}

fn are_unique(symbols: &[Symbol]) -> bool {
    let mut names = std::collections::HashSet::with_capacity(symbols.len());
    symbols.iter().all(|symbol| names.insert(&symbol.name))
}
