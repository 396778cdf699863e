//! Source files: what each file, each line and each function in it cost.
//!
//! Some formats contain costs of lines (Callgrind, pprof). Others say at most
//! in which line a function begins: then a file has functions, and no lines.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use profile::{LineCost, Metric, SelfCost, SymbolId};
use serde::{Deserialize, Serialize};

use crate::functions::{FunctionRow, function_row};
use crate::{Costs, Document, Error, MetricName, names};

/// Which file to show.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SourceQuery {
    /// The file's number, as [`SourceFile::file`] has it.
    pub file: Option<u32>,
    /// The file of this function instead.
    pub function: Option<u32>,
    /// The metric that sorts the files.
    pub metric: MetricName,
}

/// All files, and the costs in one of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Sources {
    /// Whether costs of lines are known. If not, only functions have costs.
    pub has_lines: bool,
    /// The cost of the profile, for shares.
    pub total: Costs,
    /// The files that are known, the costliest first; at most 2,000.
    pub files: Vec<SourceFile>,
    /// How many files are left out.
    pub omitted: u32,
    /// The file that was asked for; none if none was, or if its function has no
    /// file.
    pub shown: Option<SourceLines>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SourceFile {
    /// Its number in this document.
    pub file: u32,
    /// Its name.
    pub name: String,
    /// The template that it was compiled from, if a template engine named it by a hash.
    pub template: Option<String>,
    /// The cost of its lines, or of its functions, without callees.
    pub own: Costs,
    /// Its lines that have costs.
    pub lines: u32,
    /// Its functions.
    pub functions: u32,
}

/// What is in one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SourceLines {
    /// The file.
    pub file: SourceFile,
    /// The lines that have costs, from top to bottom.
    pub lines: Vec<SourceLine>,
    /// The functions that begin in the file, from top to bottom.
    pub functions: Vec<SourceFunction>,
    /// The names of the other functions that its lines were executed in.
    pub elsewhere: Vec<SourceName>,
    /// How many lines and functions are left out at the end.
    pub omitted: u32,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourceLine {
    /// The line, counted from one.
    pub line: u32,
    /// What it cost without the functions that it calls; it has no calls.
    pub own: Costs,
    /// The calls from this line, and their cost with all callees.
    pub callees: Costs,
    /// The function that the line was executed in, the first of several.
    pub function: u32,
}

/// A function that is not among those of the file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourceName {
    /// The function.
    pub function: u32,
    /// Its name.
    pub name: String,
}

/// A function in a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourceFunction {
    /// The line that it begins at; zero if unknown.
    pub line: u32,
    /// Its costs.
    pub row: FunctionRow,
}

/// The most files of an answer.
const MOST_FILES: usize = 2_000;

/// The most lines of a file, and as many functions.
const MOST_LINES: usize = 100_000;

pub(crate) fn sources(document: &Document, query: &SourceQuery) -> Result<Sources, Error> {
    let files = Files::new(document);
    let metric: Metric = query.metric.into();
    let wanted = match (query.file, query.function) {
        (Some(file), _) if (file as usize) < files.list.len() => Some(file),
        (Some(file), _) => return Err(Error::UnknownFile(file)),
        (None, Some(function)) => files.of_function(document.symbol(function)?),
        (None, None) => None,
    };
    let mut all: Vec<SourceFile> = (0..files.count()).map(|file| files.row(file)).collect();
    all.sort_by_key(|file| (Reverse(file.own.of(metric)), file.file));
    let omitted = all.len().saturating_sub(MOST_FILES);
    all.truncate(MOST_FILES);
    Ok(Sources {
        has_lines: files.has_lines(),
        total: document.whole(),
        files: all,
        omitted: count(omitted),
        shown: wanted.map(|file| files.shown(file)),
    })
}

/// The files of a document.
struct Files<'d> {
    document: &'d Document,
    list: Vec<File<'d>>,
    places: HashMap<&'d [u8], u32>,
}

struct File<'d> {
    name: &'d [u8],
    lines: &'d [LineCost],
    functions: Vec<SymbolId>,
}

impl<'d> Files<'d> {
    /// Files of functions first: a part of the document has the same ones.
    fn new(document: &'d Document) -> Self {
        let mut files = Self {
            document,
            list: Vec::new(),
            places: HashMap::new(),
        };
        let profile = document.profile();
        for (symbol, number) in profile.symbols.iter().zip(0..) {
            let id = SymbolId(number);
            if let Some(name) = symbol.file.as_deref()
                && document.index().row(id).is_some()
            {
                files.file(name).functions.push(id);
            }
        }
        for (name, number) in profile.lines.files.iter().zip(0..) {
            let lines = profile.lines.of_file(Some(profile::FileId(number)));
            files.file(name).lines = lines;
        }
        files
    }

    fn file(&mut self, name: &'d [u8]) -> &mut File<'d> {
        let next = count(self.list.len());
        let place = *self.places.entry(name).or_insert(next);
        if place == next {
            self.list.push(File {
                name,
                lines: &[],
                functions: Vec::new(),
            });
        }
        &mut self.list[place as usize]
    }

    fn count(&self) -> u32 {
        count(self.list.len())
    }

    fn has_lines(&self) -> bool {
        !self.document.profile().lines.is_empty()
    }

    /// The file that a function is defined in, or else that of its first line.
    fn of_function(&self, symbol: SymbolId) -> Option<u32> {
        let profile = self.document.profile();
        let defined = profile.symbols[symbol.index()].file.as_deref();
        let name = defined.or_else(|| {
            let mut lines = profile.lines.list.iter();
            let line = lines.find(|line| line.symbol == symbol && line.file.is_some())?;
            profile.lines.file(line.file)
        });
        self.places.get(name?).copied()
    }

    fn row(&self, number: u32) -> SourceFile {
        let file = &self.list[number as usize];
        let mut own = SelfCost::default();
        if self.document.profile().lines.has_own() {
            for line in file.lines {
                own += line.own;
            }
        } else {
            let rows = file.functions.iter();
            for row in rows.filter_map(|symbol| self.document.index().row(*symbol)) {
                own += row.own;
            }
        }
        SourceFile {
            file: number,
            name: names::text(file.name),
            template: self.template(file).map(names::text),
            own: Costs::own(&own, 0),
            lines: count(file.lines.chunk_by(|a, b| a.line == b.line).count()),
            functions: count(file.functions.len()),
        }
    }

    /// The name of the template that the functions of a compiled file are of:
    /// `page.html.twig` of `twig::page.html.twig::block_body`.
    fn template(&self, file: &File<'d>) -> Option<&'d [u8]> {
        let profile = self.document.profile();
        file.functions.iter().find_map(|symbol| {
            let name = profile.name(*symbol).strip_prefix(b"twig::")?;
            let end = name.windows(2).position(|pair| pair == b"::");
            Some(end.and_then(|end| name.get(..end)).unwrap_or(name))
        })
    }

    /// The functions of lines that are not among those of the file: a file that is included
    /// belongs to the function that includes it, and a function may have lines and no cost.
    fn elsewhere(&self, lines: &[SourceLine], of_file: &[SymbolId]) -> Vec<SourceName> {
        let mut all: BTreeSet<u32> = lines.iter().map(|line| line.function).collect();
        for symbol in of_file {
            all.remove(&symbol.0);
        }
        let profile = self.document.profile();
        let names = all.into_iter().map(|function| SourceName {
            function,
            name: names::text(profile.name(SymbolId(function))),
        });
        names.collect()
    }

    fn shown(&self, number: u32) -> SourceLines {
        let file = &self.list[number as usize];
        let lines = file.lines.chunk_by(|a, b| a.line == b.line).map(line);
        let lines: Vec<_> = lines.take(MOST_LINES).collect();
        let mut functions: Vec<_> = file
            .functions
            .iter()
            .filter_map(|&symbol| {
                let row = self.document.index().row(symbol)?;
                Some(SourceFunction {
                    line: self.document.profile().symbols[symbol.index()].line,
                    row: function_row(self.document, row),
                })
            })
            .collect();
        functions.sort_by_key(|function| (function.line, function.row.function));
        let row = self.row(number);
        let over = |all: usize| all.saturating_sub(MOST_LINES);
        let omitted = over(row.lines as usize) + over(functions.len());
        functions.truncate(MOST_LINES);
        SourceLines {
            file: row,
            elsewhere: self.elsewhere(&lines, &file.functions),
            lines,
            functions,
            omitted: count(omitted),
        }
    }
}

/// The costs of one line, from all functions that it was executed in.
fn line(parts: &[LineCost]) -> SourceLine {
    let (mut own, mut callees, mut calls) = (SelfCost::default(), SelfCost::default(), 0_u64);
    for part in parts {
        own += part.own;
        callees += part.callees;
        calls = calls.saturating_add(part.calls);
    }
    SourceLine {
        line: parts.first().map_or(0, |part| part.line),
        own: Costs::own(&own, 0),
        callees: Costs::own(&callees, calls),
        function: parts.first().map_or(0, |part| part.symbol.0),
    }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
