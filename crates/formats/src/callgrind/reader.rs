//! Reads Callgrind line by line: memory is proportional to the profile, not to
//! the file.
//!
//! **Invariant:** a file from Xdebug becomes a call tree if its blocks fit
//! together (see [`forest`](super::forest)), any other becomes edges.

use std::collections::HashMap;
use std::io::BufRead;

use profile::{
    Body, Budget, LineCost, Lines as LineCosts, LinesBuilder, Meta, Metrics, Mode, Profile, Spans,
    SymbolId, WallUnit, allocated,
};

use super::columns::{Columns, Costs, number};
use super::edges::Edges;
use super::forest::{Forest, Record};
use super::ids::{Ids, Written};
use crate::ReadError;
use crate::shared::lines::Lines;
use crate::shared::names::{INTERNAL_FILE, Names, UNKNOWN, of_xdebug};
use crate::shared::recursion;
use crate::shared::text::lossy;

/// Reads a whole file from any tool.
pub(super) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let mut lines = Lines::new(input, "Callgrind");
    let mut reader = Reader::within(budget);
    while let Some(line) = lines.next()? {
        if let Err(reason) = reader.line(line) {
            budget.check()?;
            return Err(lines.error(reason));
        }
    }
    budget.check()?;
    reader.finish().map_err(|reason| lines.error(reason))
}

/// The maximum number of `desc:` lines that are kept.
const MAX_TAGS: usize = 64;

/// A number in place of a file's name.
type FileId = u32;

#[derive(Debug)]
struct Reader {
    meta: Meta,
    is_xdebug: bool,
    /// Whether the last line was read: `summary:` of Xdebug, `totals:` of ours. Files of others may have neither.
    is_whole: bool,
    columns: Columns,
    position: Position,
    names: Names,
    files: Files,
    file_ids: Ids<FileId>,
    object_ids: Ids<FileId>,
    function_ids: Ids<SymbolId>,
    /// The file of the current function.
    file: Option<FileId>,
    /// The file of the next costs: another one for inlined code.
    line_file: Option<FileId>,
    object: Option<FileId>,
    function: Option<SymbolId>,
    /// The file of the callee, if given.
    call_file: Option<FileId>,
    call_object: Option<FileId>,
    callee: Option<SymbolId>,
    /// The number of calls that the next line is about.
    calls: Option<u64>,
    own: Costs,
    records: Vec<Record>,
    edges: Edges,
    forest: Option<Forest>,
    lines: LinesBuilder,
    budget: Budget,
}

type Reason = &'static str;

/// The reason if the budget has no memory for a line; the budget itself reports
/// the details.
const NO_MEMORY: Reason = "too much for the memory";

impl Reader {
    fn within(budget: &Budget) -> Self {
        Self {
            meta: Meta::default(),
            is_xdebug: false,
            is_whole: true,
            columns: Columns::default(),
            position: Position::default(),
            names: Names::within(budget),
            files: Files::within(budget),
            file_ids: Ids::within(budget),
            object_ids: Ids::within(budget),
            function_ids: Ids::within(budget),
            file: None,
            line_file: None,
            object: None,
            function: None,
            call_file: None,
            call_object: None,
            callee: None,
            calls: None,
            own: Costs::default(),
            records: Vec::new(),
            edges: Edges::within(budget),
            forest: None,
            lines: LinesBuilder::within(budget),
            budget: budget.clone(),
        }
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Reason> {
        match line {
            [b'0'..=b'9' | b'+' | b'-' | b'*', ..] => self.costs(line),
            [b'c', b'f', b'n', b'=', name @ ..] => {
                // Without a file of its own it is in that of the lines, which may be inlined.
                let file = self.call_file.or(self.line_file);
                let object = self.call_object.or(self.object);
                self.callee = Some(self.function(name, file, object)?);
                Ok(())
            }
            [b'c', b'f', b'l' | b'i', b'=', name @ ..] => {
                self.call_file = Some(file(&mut self.files, &mut self.file_ids, name)?);
                Ok(())
            }
            [b'c', b'a', b'l', b'l', b's', b'=', rest @ ..] => self.calls(rest),
            [b'f', b'n', b'=', name @ ..] => {
                self.end_block();
                self.function = Some(self.function(name, self.file, self.object)?);
                self.callee = None;
                self.line_file = self.file;
                Ok(())
            }
            [b'f', b'l', b'=', name @ ..] => {
                self.file = Some(file(&mut self.files, &mut self.file_ids, name)?);
                self.line_file = self.file;
                Ok(())
            }
            [] | [b'#', ..] => Ok(()),
            // The costs of code inlined from other files belong to the
            // function.
            [b'f', b'i' | b'e', b'=', name @ ..] => {
                self.line_file = Some(file(&mut self.files, &mut self.file_ids, name)?);
                Ok(())
            }
            // Jumps are not calls, but their lines may define names.
            [b'j', b'f', b'i', b'=', name @ ..] => {
                file(&mut self.files, &mut self.file_ids, name).map(|_| ())
            }
            [b'j', b'f', b'n', b'=', name @ ..] => {
                self.function(name, self.file, self.object).map(|_| ())
            }
            [b'o', b'b', b'=', name @ ..] => {
                self.object = Some(file(&mut self.files, &mut self.object_ids, name)?);
                Ok(())
            }
            [b'c', b'o', b'b', b'=', name @ ..] => {
                self.call_object = Some(file(&mut self.files, &mut self.object_ids, name)?);
                Ok(())
            }
            [b'r', b'c', b'a', b'l', b'l', b's', b'=', rest @ ..] => self.calls(rest),
            [b'j', b'u', b'm', b'p', b'=', ..] | [b'j', b'c', b'n', b'd', b'=', ..] => Ok(()),
            line => self.header(line),
        }
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Reason> {
        if line.starts_with(b"==== NEW PROFILING FILE") {
            self.end_block();
            self.function = None;
            return Ok(());
        }
        let line = line.trim_ascii();
        let Some(colon) = line.iter().position(|&byte| byte == b':') else {
            return if line.is_empty() {
                Ok(())
            } else {
                Err("neither a cost nor a name nor a header")
            };
        };
        let (key, value) = line.split_at_checked(colon).unwrap_or_default();
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let text = |value| Some(lossy(value).into_owned());
        match key {
            // A second header belongs to a run that the same tool appended to
            // the file.
            b"creator" if self.meta.creator.is_none() => {
                self.is_xdebug = value.starts_with(b"xdebug");
                self.is_whole = !self.is_xdebug && !value.starts_with(b"xhprof ");
                self.forest = self.is_xdebug.then(|| Forest::within(&self.budget));
                self.meta.php_version = php_version(value);
                self.meta.creator = text(value);
            }
            b"cmd" => self.meta.title = text(value),
            b"pid" => self.meta.process = lossy(value).parse().ok(),
            b"positions" => {
                let words = value.split(u8::is_ascii_whitespace);
                let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
                self.position.count = words.len().clamp(1, 4);
                self.position.is_plain = words == [b"line"];
                self.position.line_at = words.iter().position(|word| *word == b"line");
            }
            b"events" => {
                // Xdebug 2 wrote microseconds without saying so.
                self.columns = Columns::new(value, 1_000);
                if self.columns.is_empty() {
                    return Err("no events");
                }
            }
            b"summary" if self.is_xdebug => self.is_whole = true,
            b"totals" => self.is_whole = true,
            b"desc" if self.meta.tags.len() < MAX_TAGS => {
                let value = lossy(value);
                if let Some((key, value)) = value.split_once(": ") {
                    self.meta.set_tag(key, value);
                }
            }
            key if key.iter().any(|byte| matches!(byte, b'=' | b'/' | b'\\')) => {
                return Err("neither a cost nor a name nor a header");
            }
            _ => {}
        }
        Ok(())
    }

    fn function(
        &mut self,
        name: &[u8],
        file: Option<FileId>,
        object: Option<FileId>,
    ) -> Result<SymbolId, Reason> {
        let (id, name) = match Written::new(name) {
            Written::Referred(id) => {
                let symbol = self.function_ids.find(id);
                return symbol.ok_or("the function's number is not defined");
            }
            Written::Defined(id, name) => (Some(id), name),
            Written::Plain(name) => (None, name),
        };
        let file = self.files.name(file).or(self.files.name(object));
        let symbol = if self.is_xdebug {
            let name = of_xdebug(name, file == Some(INTERNAL_FILE));
            self.names.symbol(&name, file)
        } else {
            self.names.symbol(name, file)
        };
        let symbol = symbol.ok_or("more functions than can be numbered")?;
        if let Some(id) = id {
            self.function_ids.define(id, symbol);
        }
        self.budget.check().map_err(|_| NO_MEMORY)?;
        Ok(symbol)
    }

    fn calls(&mut self, rest: &[u8]) -> Result<(), Reason> {
        let (count, _) = number(rest).ok_or("the number of calls is not a number")?;
        if self.callee.is_none() {
            return Err("calls without a function");
        }
        if self.calls.is_some() {
            return Err("calls without a cost");
        }
        self.calls = Some(u64::try_from(count).map_err(|_| "the number of calls is negative")?);
        Ok(())
    }

    fn costs(&mut self, line: &[u8]) -> Result<(), Reason> {
        let Some(function) = self.function else {
            return Err("a cost without a function");
        };
        if self.columns.is_empty() {
            return Err("a cost before the events");
        }
        let plain = self.columns.plain(line);
        let costs = match plain.filter(|_| self.position.is_plain) {
            Some((line, costs)) => {
                self.position.line = line;
                costs
            }
            None => {
                let rest = self.position.read(line)?;
                self.columns.costs(rest)?
            }
        };
        let Some(calls) = self.calls.take() else {
            self.own.add(costs);
            self.edges.add_own(function, costs);
            self.names.set_line(function, self.position.line());
            self.add_to_line(function, None, costs);
            return Ok(());
        };
        let callee = self.callee.take().ok_or("calls without a function")?;
        self.call_file = None;
        self.call_object = None;
        self.edges.add_calls(function, callee, calls, costs);
        // Calls of the root are counted as its caller's own cost.
        let called = (callee != SymbolId::ROOT).then_some(calls);
        self.add_to_line(function, called, costs);
        self.budget.check().map_err(|_| NO_MEMORY)?;
        if self.forest.is_some() {
            let room = self.budget.room(&mut self.records, "calls");
            room.map_err(|_| NO_MEMORY)?;
            self.records.push(Record {
                callee,
                calls,
                memory: costs.memory,
            });
        }
        Ok(())
    }

    /// Adds a cost to the current line: its own, or that of calls.
    fn add_to_line(&mut self, function: SymbolId, calls: Option<u64>, costs: Costs) {
        let file = match self.line_file {
            Some(file) => self.files.of_lines(file, &mut self.lines),
            None => None,
        };
        let line = self.position.line();
        let Some(place) = self.lines.line(function, file, line) else {
            return;
        };
        match calls {
            Some(calls) => self.lines.add_calls(place, calls, costs.into()),
            None => self.lines.add_own(place, costs.into()),
        }
    }

    /// Ends a function's block, before the next one or at the end of the file.
    fn end_block(&mut self) {
        if let (Some(forest), Some(function)) = (&mut self.forest, self.function.take())
            && forest.add(function, self.own, &self.records).is_err()
        {
            self.forest = None;
        }
        self.records.clear();
        self.own = Costs::default();
    }

    fn finish(mut self) -> Result<Profile, Reason> {
        self.end_block();
        if self.calls.is_some() {
            return Err("the input ends before the cost of a call");
        }
        if self.columns.is_empty() {
            return Err("the input ends before the names of the events");
        }
        let mut metrics = self.columns.metrics();
        let tree = self.forest.take().filter(|_| !metrics.cpu);
        let tree = tree.and_then(|forest| forest.finish().ok());
        self.meta.counts = self.columns.counted.take();
        self.meta.not_read = std::mem::take(&mut self.columns.not_read);
        self.meta.mode = Mode::Traced;
        self.meta.is_truncated = !self.is_whole;
        let body = if let Some(tree) = tree {
            Body::Tree(tree)
        } else {
            metrics.calls = self.edges.has_calls();
            Body::Edges(self.edge_table(metrics))
        };
        let symbols = self.names.into_symbols();
        let mut lines = self.lines.finish();
        let begin = |symbol: SymbolId| symbols.get(symbol.index()).map(|symbol| symbol.line);
        let is_known = |line: &LineCost| begin(line.symbol).is_some_and(|begin| begin != line.line);
        if !lines.list.iter().any(is_known) {
            // The file says no more than where functions begin.
            lines = LineCosts::default();
        }
        Ok(Profile {
            symbols,
            body,
            metrics,
            meta: self.meta,
            spans: Spans::default(),
            lines,
        })
    }

    fn edge_table(&mut self, metrics: Metrics) -> profile::EdgeTable {
        let symbols = self.names.len();
        let unit_ns = match metrics.wall_unit {
            WallUnit::Nanoseconds => super::UNIT_NS,
            WallUnit::Samples => 0,
        };
        let mut table = std::mem::replace(&mut self.edges, Edges::within(&self.budget))
            .finish(symbols, unit_ns);
        if !self.is_xdebug {
            // Callers come first here, as in Valgrind's files; edges are in the
            // order in which they completed.
            table.edges.reverse();
        }
        recursion::mark(symbols, &mut table);
        table
    }
}

/// The position of costs, of which only the line is used.
#[derive(Debug)]
struct Position {
    /// How many numbers a position has.
    count: usize,
    line_at: Option<usize>,
    /// The position is the line only.
    is_plain: bool,
    line: i64,
}

impl Default for Position {
    fn default() -> Self {
        Self {
            count: 1,
            line_at: Some(0),
            is_plain: true,
            line: 0,
        }
    }
}

impl Position {
    /// Reads the position at the beginning of `line`; returns the rest.
    fn read<'l>(&mut self, line: &'l [u8]) -> Result<&'l [u8], Reason> {
        let mut rest = line;
        for place in 0..self.count {
            let spaces = rest
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t'))
                .count();
            rest = rest.get(spaces..).unwrap_or_default();
            let is_relative = matches!(rest.first(), Some(b'+' | b'-' | b'*'));
            let (value, after) = match rest {
                [b'*', after @ ..] => (0, after),
                [b'+', number_ @ ..] => number(number_).ok_or("a position is not a number")?,
                _ => number(rest).ok_or("a position is not a number")?,
            };
            rest = after;
            if Some(place) == self.line_at {
                let base = if is_relative { self.line } else { 0 };
                self.line = base.saturating_add(value);
            }
        }
        Ok(rest)
    }

    fn line(&self) -> u32 {
        u32::try_from(self.line).unwrap_or(0)
    }
}

/// Names of files and objects, each stored once.
#[derive(Debug)]
struct Files {
    names: Vec<Box<[u8]>>,
    places: HashMap<Box<[u8]>, FileId>,
    /// The number of each file in the table of lines, once it was looked up.
    of_lines: Vec<Option<Option<profile::FileId>>>,
    budget: Budget,
}

/// The noun in the budget's error message.
const FILES: &str = "names of files";

impl Files {
    fn within(budget: &Budget) -> Self {
        Self {
            names: Vec::new(),
            places: HashMap::new(),
            of_lines: Vec::new(),
            budget: budget.clone(),
        }
    }

    /// The file's number in a table of lines; none if there is no such file in
    /// reality.
    fn of_lines(&mut self, file: FileId, lines: &mut LinesBuilder) -> Option<profile::FileId> {
        let index = usize::try_from(file).ok()?;
        if let Some(known) = self.of_lines.get(index).copied().flatten() {
            return known;
        }
        let name = self.name(Some(file)).filter(|name| *name != INTERNAL_FILE);
        let number = name.and_then(|name| lines.file(name));
        if self.of_lines.len() < self.names.len() {
            self.of_lines.resize(self.names.len(), None);
        }
        if let Some(place) = self.of_lines.get_mut(index) {
            *place = Some(number);
        }
        number
    }

    fn add(&mut self, name: &[u8]) -> Option<FileId> {
        if let Some(&id) = self.places.get(name) {
            return Some(id);
        }
        let id = FileId::try_from(self.names.len()).ok()?;
        self.budget.take(2 * allocated(name.len()), FILES).ok()?;
        self.budget.room(&mut self.names, FILES).ok()?;
        self.budget.room_in_map(&mut self.places, FILES).ok()?;
        self.names.push(name.into());
        self.places.insert(name.into(), id);
        Some(id)
    }

    /// The name, unless it stands for an unknown file.
    fn name(&self, id: Option<FileId>) -> Option<&[u8]> {
        let name = self.names.get(usize::try_from(id?).ok()?)?;
        Some(&**name).filter(|name| !name.is_empty() && *name != UNKNOWN)
    }
}

fn file(files: &mut Files, ids: &mut Ids<FileId>, text: &[u8]) -> Result<FileId, Reason> {
    let too_many = "more files than can be numbered";
    match Written::new(text) {
        Written::Referred(id) => ids.find(id).ok_or("the file's number is not defined"),
        Written::Plain(name) => files.add(name).ok_or(too_many),
        Written::Defined(id, name) => {
            let file = files.add(name).ok_or(too_many)?;
            ids.define(id, file);
            Ok(file)
        }
    }
}

/// The version in `xdebug 3.2.0 (PHP 8.2.35)`.
fn php_version(creator: &[u8]) -> Option<String> {
    let creator = lossy(creator);
    let (_, version) = creator.split_once("PHP ")?;
    let version = version.split([')', ' ', ',']).next()?;
    Some(version.to_owned())
}
