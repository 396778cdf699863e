//! Writes Callgrind: one block for each function, callers before callees.
//!
//! **Invariant:** names are numbered in order, one number for each pair of
//! function and file; every line has all columns; no cost is negative.

use std::io::{self, BufWriter, Write};

use profile::{Cost, Profile, SelfCost, Symbol, SymbolId, Table, WallUnit};

use super::parts::{LineParts, Part};
use super::{Style, UNIT_NS};
use crate::shared::graph::{Function, Graph};
use crate::shared::names::{INTERNAL_FILE, UNKNOWN};
use crate::shared::text::{lossy, one_line};
use crate::{WriteError, WriteOptions};

/// Writes the profile in one of Valgrind's styles.
pub(super) fn write(
    profile: &Profile,
    options: &WriteOptions,
    style: Style,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let unit_ns = match profile.metrics.wall_unit {
        WallUnit::Nanoseconds => UNIT_NS,
        WallUnit::Samples => 1,
    };
    let graph = Graph::new(profile, unit_ns);
    let columns = Columns::new(profile, &graph);
    let mut writer = Writer {
        out: BufWriter::new(out),
        profile,
        style,
        columns,
        files: Numbers::default(),
        functions: Table::new(None, profile.symbols.len()),
        next_function: 1,
        previous_line: None,
        parts: LineParts::new(profile, unit_ns),
        file: None,
    };
    writer.all(&graph, options)?;
    Ok(writer.out.flush()?)
}

/// The costs that are written.
#[derive(Debug, Clone)]
struct Columns {
    /// The event that replaces wall time.
    counted: Option<String>,
    cpu: bool,
    memory: bool,
    peak: bool,
}

/// The costs of one line.
type Costs = [u64; 4];

impl Columns {
    fn new(profile: &Profile, graph: &Graph) -> Self {
        let metrics = profile.metrics;
        // Xdebug's files have no peak memory, so a column of zeros is left out.
        let mut functions = graph.functions.iter();
        let has_peak = graph.root.peak != 0 || functions.any(|function| function.own.peak != 0);
        Self {
            counted: (metrics.wall_unit == WallUnit::Samples).then(|| event(profile)),
            cpu: metrics.cpu,
            memory: metrics.memory,
            peak: metrics.memory && has_peak,
        }
    }

    fn events(&self) -> String {
        // Counts are written as they are, and CPU time beside them in nanoseconds.
        let (first, cpu) = match &self.counted {
            Some(counted) => (&**counted, " Cpu_(ns)"),
            None => ("Time_(10ns)", " Cpu_(10ns)"),
        };
        let mut events = first.to_owned();
        for (is_there, name) in [
            (self.cpu, cpu),
            (self.memory, " Memory_(bytes)"),
            (self.peak, " PeakMemory_(bytes)"),
        ] {
            if is_there {
                events.push_str(name);
            }
        }
        events
    }

    /// As text, a space before each.
    fn write(&self, costs: Costs, out: &mut dyn Write) -> io::Result<()> {
        let [wall, cpu, memory, peak] = costs;
        write!(out, " {wall}")?;
        for (is_there, value) in [(self.cpu, cpu), (self.memory, memory), (self.peak, peak)] {
            if is_there {
                write!(out, " {value}")?;
            }
        }
        Ok(())
    }
}

/// The name of a counted event: one word.
fn event(profile: &Profile) -> String {
    let counted = match &profile.meta.counts {
        Some(counted) => lossy(counted.as_bytes()).into_owned(),
        None => "Samples".to_owned(),
    };
    let is_of_word = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let word = |letter| if is_of_word(letter) { letter } else { '_' };
    counted.chars().map(word).collect()
}

/// The costs that the format can hold: negative memory becomes zero.
fn own_costs(own: SelfCost) -> Costs {
    [own.wall, own.cpu, own.memory, own.peak].map(|value| value.max(0).unsigned_abs())
}

fn inclusive_costs(cost: Cost) -> Costs {
    let size = |bytes: i64| bytes.max(0).unsigned_abs();
    [cost.wall, cost.cpu, size(cost.memory), size(cost.peak)]
}

/// Numbers for names, in the order of their first use.
#[derive(Debug, Default)]
struct Numbers<'p>(std::collections::HashMap<&'p [u8], u32>);

impl<'p> Numbers<'p> {
    /// The number, and whether the name is new.
    fn number(&mut self, name: &'p [u8]) -> (u32, bool) {
        let next = u32::try_from(self.0.len() + 1).unwrap_or(u32::MAX);
        let number = *self.0.entry(name).or_insert(next);
        (number, number == next)
    }
}

struct Writer<'p, 'o> {
    out: BufWriter<&'o mut dyn Write>,
    profile: &'p Profile,
    style: Style,
    columns: Columns,
    files: Numbers<'p>,
    functions: Table<SymbolId, Option<u32>>,
    next_function: u32,
    /// The line that relative line numbers refer to.
    previous_line: Option<u32>,
    parts: LineParts<'p>,
    /// The file of the lines, if it is not that of the function.
    file: Option<&'p [u8]>,
}

impl<'p> Writer<'p, '_> {
    fn all(&mut self, graph: &Graph, options: &WriteOptions) -> io::Result<()> {
        let mut total: Costs = [0; 4];
        for function in &graph.functions {
            for (sum, own) in total.iter_mut().zip(own_costs(function.own)) {
                *sum = sum.saturating_add(own);
            }
        }
        self.header(graph, options, total)?;
        for function in &graph.functions {
            self.function(function, graph)?;
        }
        self.out.write_all(b"totals:")?;
        self.columns.write(total, &mut self.out)?;
        self.out.write_all(b"\n")
    }

    fn header(&mut self, graph: &Graph, options: &WriteOptions, total: Costs) -> io::Result<()> {
        let meta = &self.profile.meta;
        let text = |text: &str| lossy(text.as_bytes()).into_owned();
        let ours = concat!("xhprof ", env!("CARGO_PKG_VERSION"));
        let creator = meta
            .creator
            .as_deref()
            .filter(|text| !text.starts_with("xdebug"));
        let creator = text(creator.unwrap_or(ours));
        write!(
            self.out,
            "# callgrind format\nversion: 1\ncreator: {creator}\n"
        )?;
        let title = options.title.as_deref().or(meta.title.as_deref());
        if let Some(title) = title {
            // KCachegrind searches the first two kilobytes for the following
            // header.
            let title: String = text(title).chars().take(400).collect();
            writeln!(self.out, "cmd: {title}")?;
        }
        if let Some(process) = meta.process {
            writeln!(self.out, "pid: {process}")?;
        }
        self.out.write_all(b"part: 1\n")?;
        let is_negative = |function: &Function| function.own.memory < 0;
        if self.columns.memory && graph.functions.iter().any(is_negative) {
            self.out
                .write_all(b"desc: Note: freed memory is written as 0\n")?;
        }
        for (name, value) in &meta.tags {
            writeln!(
                self.out,
                "desc: {}: {}",
                text(name).replace(':', " "),
                text(value)
            )?;
        }
        write!(
            self.out,
            "positions: line\nevents: {}\nsummary:",
            self.columns.events()
        )?;
        self.columns.write(total, &mut self.out)?;
        self.out.write_all(b"\n\n")
    }

    fn function(&mut self, function: &Function, graph: &Graph) -> io::Result<()> {
        let symbol = function.symbol;
        self.position(symbol, "")?;
        self.file = None;
        for part in self.parts.own(symbol, own_costs(function.own)) {
            self.in_file(symbol, part.file)?;
            self.line(symbol, &part)?;
        }
        for call in &function.calls {
            let callee = graph.functions[call.callee].symbol;
            let parts =
                self.parts
                    .calls(symbol, callee, inclusive_costs(call.cost), call.cost.calls);
            for part in parts {
                self.in_file(symbol, part.file)?;
                self.position(callee, "c")?;
                let line = line_of(self.profile, callee);
                writeln!(self.out, "calls={} {line}", part.calls)?;
                self.line(symbol, &part)?;
            }
        }
        self.out.write_all(b"\n")
    }

    /// `fe=` if the lines that follow are in another file than those before.
    fn in_file(&mut self, symbol: SymbolId, file: Option<&'p [u8]>) -> io::Result<()> {
        if self.file == file {
            return Ok(());
        }
        self.file = file;
        self.out.write_all(b"fe=")?;
        self.file(file.map_or_else(|| file_of(self.profile.symbol(symbol)), known))?;
        self.out.write_all(b"\n")
    }

    fn file(&mut self, file: &'p [u8]) -> io::Result<()> {
        if self.style == Style::Plain {
            return plain(file, &mut self.out);
        }
        let (number, is_new) = self.files.number(file);
        write!(self.out, "({number})")?;
        if is_new {
            self.out.write_all(b" ")?;
            self.out.write_all(&one_line(file))?;
        }
        Ok(())
    }

    /// `fl=` and `fn=`, or `cfl=` and `cfn=`.
    fn position(&mut self, symbol: SymbolId, prefix: &str) -> io::Result<()> {
        write!(self.out, "{prefix}fl=")?;
        self.file(file_of(self.profile.symbol(symbol)))?;
        write!(self.out, "\n{prefix}fn=")?;
        let name = known(self.profile.name(symbol));
        if self.style == Style::Plain {
            plain(name, &mut self.out)?;
            return self.out.write_all(b"\n");
        }
        let Some(number) = self.functions[symbol] else {
            let number = self.next_function;
            self.next_function += 1;
            self.functions[symbol] = Some(number);
            write!(self.out, "({number}) ")?;
            self.out.write_all(&one_line(name))?;
            return self.out.write_all(b"\n");
        };
        writeln!(self.out, "({number})")
    }

    /// A line of costs.
    fn line(&mut self, symbol: SymbolId, part: &Part<'_>) -> io::Result<()> {
        let line = part.line.unwrap_or_else(|| line_of(self.profile, symbol));
        let previous = self
            .previous_line
            .filter(|_| self.style == Style::Subpositions);
        match previous {
            None => write!(self.out, "{line}")?,
            Some(previous) if previous == line => self.out.write_all(b"*")?,
            Some(previous) if previous < line => write!(self.out, "+{}", line - previous)?,
            Some(previous) => write!(self.out, "-{}", previous - line)?,
        }
        self.previous_line = Some(line);
        self.columns.write(part.costs, &mut self.out)?;
        self.out.write_all(b"\n")
    }
}

/// Lines are counted from 1, and an unknown line is written as 1.
pub(super) fn line_of(profile: &Profile, symbol: SymbolId) -> u32 {
    profile.symbol(symbol).line.max(1)
}

/// The file as it is written to the format.
pub(super) fn file_of(symbol: &Symbol) -> &[u8] {
    match &symbol.file {
        _ if symbol.internal => INTERNAL_FILE,
        Some(file) => known(file),
        None => UNKNOWN,
    }
}

/// An empty name is written as unknown.
pub(super) fn known(name: &[u8]) -> &[u8] {
    if name.trim_ascii().is_empty() {
        UNKNOWN
    } else {
        name
    }
}

/// A full name, changed if it looks like a compressed one.
fn plain(name: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let name = one_line(name);
    if let [b'(', digit, ..] = *name
        && digit.is_ascii_digit()
    {
        out.write_all(b"( ")?;
        return out.write_all(&name[1..]);
    }
    out.write_all(&name)
}
