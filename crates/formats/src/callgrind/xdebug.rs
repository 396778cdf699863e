//! Writes Callgrind as Xdebug 3 does: one block for each call, when it ends.
//!
//! From events, each call is a block; from a tree, each path is a block with
//! the number of its calls; from edges, each function. Negative costs become
//! zero, as in Xdebug.
//!
//! **Invariant:** a block's records refer to the last blocks before it that no
//! record refers to yet, in order (except with edges, whose order is unknown).

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use profile::{
    Body, Event, EventKind, Events, Instant, Metric, NodeId, Profile, Samples, Symbol, SymbolId,
    Table, Tree, TreeBuilder,
};

use super::UNIT_NS;
use super::writer::{file_of, known, line_of};
use crate::shared::graph::Graph;
use crate::shared::names::INTERNAL_FILE;
use crate::shared::rounding::Rounding;
use crate::shared::text::{lossy, one_line};
use crate::shared::unit::needs_time;
use crate::{WriteError, WriteOptions};

/// Writes the profile in Xdebug's dialect.
pub(super) fn write(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    needs_time(profile, super::CALLGRIND_XDEBUG.name)?;
    let mut writer = Writer {
        out: BufWriter::new(out),
        profile,
        // File number 1 is that of PHP's own functions, whenever it is first
        // used.
        files: HashMap::from([(INTERNAL_FILE, (1, false))]),
        functions: Table::new(None, profile.symbols.len()),
        next_function: 1,
    };
    writer.header(options)?;
    match &profile.body {
        Body::Events(events) => writer.events(events)?,
        Body::Edges(_) => writer.graph(&Graph::new(profile, UNIT_NS))?,
        Body::Samples(samples) if !samples.lined.list.is_empty() => {
            let (tree, callees) = by_call_line(samples);
            writer.tree(&tree, |_, number| callees[number.index()])?;
        }
        Body::Tree(_) | Body::Samples(_) => {
            if let Some(tree) = profile.tree() {
                let lines = only_lines(profile);
                writer.tree(&tree, |parent, symbol| {
                    (symbol, lines.get(&(parent, symbol)).copied().flatten())
                })?;
            }
        }
    }
    Ok(writer.out.flush()?)
}

/// A function, and the line that it is called from, if that is known and in the caller's file.
type Callee = (SymbolId, Option<u32>);

/// The line that a function calls another from, if that is one line, and in its own file.
fn only_lines(profile: &Profile) -> HashMap<(SymbolId, SymbolId), Option<u32>> {
    let mut lines: HashMap<_, Option<u32>> = HashMap::new();
    for calls in &profile.lines.calls {
        let own = profile.symbol(calls.caller).file.as_deref();
        let file = profile.lines.file(calls.file);
        let is_its = own.is_none() || file == own;
        lines
            .entry((calls.caller, calls.callee))
            .and_modify(|line| *line = None)
            .or_insert(is_its.then_some(calls.line));
    }
    lines
}

/// The samples as a tree whose nodes differ also by the lines of calls. Its symbols are numbers of
/// callees.
fn by_call_line(samples: &Samples) -> (Tree, Vec<Callee>) {
    let mut callees: Vec<Callee> = vec![(SymbolId::ROOT, None)];
    let mut numbers: HashMap<Callee, u32> = HashMap::new();
    let mut builder = TreeBuilder::new();
    for sample in &samples.samples {
        let path: Vec<Callee> = match samples.lined.get(sample.lined) {
            None => {
                let path = samples.path(sample.stack).into_iter();
                path.map(|symbol| (symbol, None)).collect()
            }
            Some(_) => {
                let frames = samples.lined.frames(sample.lined);
                let frames = frames.map(|(_, frame)| {
                    let is_there = frame.line > 0 && frame.file.is_none();
                    let line = is_there.then_some(frame.line);
                    (samples[frame.stack].symbol, line)
                });
                let mut path: Vec<_> = frames.collect();
                path.reverse();
                path
            }
        };
        let mut node = NodeId::ROOT;
        for pair in path.windows(2) {
            let [(_, line), (symbol, _)] = pair else {
                continue;
            };
            let next = u32::try_from(callees.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry((*symbol, *line)).or_insert_with(|| {
                callees.push((*symbol, *line));
                next
            });
            node = builder.child(node, SymbolId(number));
        }
        let weight = i64::try_from(sample.weight).unwrap_or(i64::MAX);
        builder.add_value(node, Metric::Wall, weight);
    }
    (builder.finish_signed_self_costs(), callees)
}

/// Time in 10 ns, memory in bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Costs {
    time: u64,
    memory: i64,
}

impl Costs {
    fn plus(self, other: Self) -> Self {
        Self {
            time: self.time.saturating_add(other.time),
            memory: self.memory.saturating_add(other.memory),
        }
    }

    /// Rounds a self cost; never a sum of others.
    fn of_own(symbol: SymbolId, wall_ns: i64, memory: i64, rounding: &mut Rounding) -> Self {
        Self {
            time: rounding.units(symbol, wall_ns),
            memory,
        }
    }
}

/// A block's record of a call that it made.
#[derive(Debug, Clone, Copy)]
struct Record {
    callee: SymbolId,
    calls: u64,
    costs: Costs,
    /// The line of the caller; none if it is not known.
    line: Option<u32>,
}

struct Writer<'p, 'o> {
    out: BufWriter<&'o mut dyn Write>,
    profile: &'p Profile,
    /// A file's number, and whether its name has been written.
    files: HashMap<&'p [u8], (u32, bool)>,
    functions: Table<SymbolId, Option<u32>>,
    next_function: u32,
}

impl Writer<'_, '_> {
    fn header(&mut self, options: &WriteOptions) -> io::Result<()> {
        let meta = &self.profile.meta;
        let original = meta
            .creator
            .as_deref()
            .filter(|text| text.starts_with("xdebug "));
        let creator = match (original, &meta.php_version) {
            (Some(original), _) => original.to_owned(),
            (None, Some(php)) => format!(
                "xdebug 3.2.0 (PHP {php}, written by xhprof {})",
                env!("CARGO_PKG_VERSION")
            ),
            (None, None) => format!("xdebug 3.2.0 (xhprof {})", env!("CARGO_PKG_VERSION")),
        };
        let title = options.title.as_deref().or(meta.title.as_deref());
        let title = lossy(title.unwrap_or("???").as_bytes());
        write!(
            self.out,
            "version: 1\ncreator: {}\ncmd: {title}\npart: 1\npositions: line\n\n\
             events: Time_(10ns) Memory_(bytes)\n\n",
            lossy(creator.as_bytes())
        )
    }

    fn summary(&mut self, time: u64, peak: i64, memory: i64) -> io::Result<()> {
        let memory = if peak > 0 { peak } else { memory.max(0) };
        write!(self.out, "summary: {time} {memory}\n\n")
    }

    fn block(&mut self, symbol: SymbolId, own: Costs, records: &[Record]) -> io::Result<()> {
        self.position(symbol, "")?;
        self.line(symbol, None, own)?;
        for record in records {
            self.position(record.callee, "c")?;
            writeln!(self.out, "calls={} 0 0", record.calls)?;
            self.line(symbol, record.line, record.costs)?;
        }
        self.out.write_all(b"\n")
    }

    /// A cost on a line; none is where the function begins.
    fn line(&mut self, symbol: SymbolId, line: Option<u32>, costs: Costs) -> io::Result<()> {
        let line = line.unwrap_or_else(|| line_of(self.profile, symbol));
        writeln!(self.out, "{line} {} {}", costs.time, costs.memory.max(0))
    }

    fn position(&mut self, symbol: SymbolId, prefix: &str) -> io::Result<()> {
        let symbol_row = self.profile.symbol(symbol);
        let file = file_of(symbol_row);
        let next = u32::try_from(self.files.len() + 1).unwrap_or(u32::MAX);
        let (number, is_written) = self.files.entry(file).or_insert((next, false));
        write!(self.out, "{prefix}fl=({number})")?;
        if !std::mem::replace(is_written, true) {
            self.out.write_all(b" ")?;
            self.out.write_all(&one_line(file))?;
        }
        write!(self.out, "\n{prefix}fn=")?;
        let place = &mut self.functions[symbol];
        if let Some(number) = place {
            return writeln!(self.out, "({number})");
        }
        write!(self.out, "({}) ", self.next_function)?;
        *place = Some(self.next_function);
        self.next_function += 1;
        let name = known(self.profile.name(symbol));
        let name: &[u8] = if name == Symbol::MAIN {
            b"{main}"
        } else {
            name
        };
        if symbol_row.internal {
            self.out.write_all(b"php::")?;
        }
        self.out.write_all(&one_line(name))?;
        self.out.write_all(b"\n")
    }

    /// One block for each path, callees before callers. `callee` says what a symbol of the tree means.
    /// `callee` returns what the symbol of a node is called by the symbol of its parent.
    fn tree(
        &mut self,
        tree: &Tree,
        callee: impl Fn(SymbolId, SymbolId) -> Callee,
    ) -> io::Result<()> {
        let own = tree.self_costs();
        let children = tree.children();
        let mut rounding = Rounding::new(UNIT_NS);
        let mut records: Vec<Record> = Vec::new();
        // Each with the index of its first record, once it is entered.
        let mut walk = vec![(NodeId::ROOT, None)];
        while let Some((id, entered)) = walk.pop() {
            let node = &tree[id];
            let Some(first) = entered else {
                walk.push((id, Some(records.len())));
                let inner = children.of(id).iter().rev();
                walk.extend(inner.map(|&child| (child, None)));
                continue;
            };
            let own = own[id];
            let (symbol, line) = callee(tree[node.parent].symbol, node.symbol);
            let own = Costs::of_own(symbol, own.wall, own.memory, &mut rounding);
            let made = records.split_off(first);
            let mut all = made.iter().fold(own, |sum, record| sum.plus(record.costs));
            all.memory = node.cost.memory;
            self.block(symbol, own, &made)?;
            if id == NodeId::ROOT {
                self.summary(all.time, node.cost.peak, node.cost.memory)?;
            }
            records.push(Record {
                callee: symbol,
                calls: node.cost.calls,
                costs: all,
                line,
            });
        }
        Ok(())
    }

    /// One block for each function; `main()` is the last one.
    fn graph(&mut self, graph: &Graph) -> io::Result<()> {
        for function in graph.functions.iter().rev() {
            let costs = |wall: u64, memory| Costs { time: wall, memory };
            let records: Vec<_> = function
                .calls
                .iter()
                .map(|call| Record {
                    callee: graph.functions[call.callee].symbol,
                    calls: call.cost.calls,
                    costs: costs(call.cost.wall, call.cost.memory),
                    line: None,
                })
                .collect();
            let own = costs(function.own.wall.max(0).unsigned_abs(), function.own.memory);
            self.block(function.symbol, own, &records)?;
        }
        self.summary(graph.root.wall, graph.root.peak, graph.root.memory)
    }

    /// One block for each call.
    fn events(&mut self, events: &Events) -> io::Result<()> {
        let mut calls = OpenCalls::new();
        for event in &events.events {
            if let Some(done) = calls.add(*event) {
                self.block(done.symbol, done.own, &done.records)?;
            }
        }
        while let Some(done) = calls.close(events.end) {
            self.block(done.symbol, done.own, &done.records)?;
            if done.symbol == SymbolId::ROOT {
                let time = done.all().time;
                self.summary(time, events.end.peak, events.end.memory)?;
            }
        }
        Ok(())
    }
}

/// A call that has not ended.
#[derive(Debug)]
struct Call {
    symbol: SymbolId,
    wall_ns: i64,
    memory: i64,
    records: Vec<Record>,
    /// Its self cost, once it has ended.
    own: Costs,
}

impl Call {
    fn new(symbol: SymbolId) -> Self {
        Self {
            symbol,
            wall_ns: 0,
            memory: 0,
            records: Vec::new(),
            own: Costs::default(),
        }
    }

    fn end(&mut self, rounding: &mut Rounding) {
        self.own = Costs::of_own(self.symbol, self.wall_ns, self.memory, rounding);
    }

    fn all(&self) -> Costs {
        let records = self.records.iter();
        records.fold(self.own, |sum, record| sum.plus(record.costs))
    }
}

/// The open calls of every fiber. Time is charged to the innermost call. The
/// first call of a fiber is written as a call from `main()`, because the
/// function that started the fiber may end first.
#[derive(Debug)]
struct OpenCalls {
    root: Call,
    stacks: HashMap<u32, Vec<Call>>,
    current: u32,
    last: Instant,
    rounding: Rounding,
}

impl OpenCalls {
    fn new() -> Self {
        Self {
            root: Call::new(SymbolId::ROOT),
            stacks: HashMap::from([(0, Vec::new())]),
            current: 0,
            last: Instant::default(),
            rounding: Rounding::new(UNIT_NS),
        }
    }

    fn top(&mut self) -> &mut Call {
        let stack = self.stacks.get_mut(&self.current);
        stack
            .and_then(|stack| stack.last_mut())
            .unwrap_or(&mut self.root)
    }

    fn charge(&mut self, at: Instant) {
        let last = std::mem::replace(&mut self.last, at);
        let top = self.top();
        let passed = at.wall.saturating_sub(last.wall);
        top.wall_ns = top.wall_ns.saturating_add_unsigned(passed);
        let memory = at.memory.saturating_sub(last.memory);
        top.memory = top.memory.saturating_add(memory);
    }

    /// The call that ended, if one did.
    fn add(&mut self, event: Event) -> Option<Call> {
        self.charge(event.at);
        match event.kind {
            EventKind::Enter(symbol) => {
                let stack = self.stacks.entry(self.current).or_default();
                stack.push(Call::new(symbol));
                None
            }
            EventKind::Leave => self.leave(),
            EventKind::Switch(number) => {
                self.stacks.entry(number).or_default();
                self.current = number;
                None
            }
        }
    }

    fn leave(&mut self) -> Option<Call> {
        let mut call = self.stacks.get_mut(&self.current)?.pop()?;
        call.end(&mut self.rounding);
        let record = Record {
            callee: call.symbol,
            calls: 1,
            costs: call.all(),
            line: None,
        };
        self.top().records.push(record);
        Some(call)
    }

    /// The next call to close at the end; the root is the last.
    fn close(&mut self, end: Instant) -> Option<Call> {
        self.charge(end);
        loop {
            if let Some(call) = self.leave() {
                return Some(call);
            }
            self.stacks.remove(&self.current);
            match self.stacks.keys().min() {
                Some(&number) => self.current = number,
                None => break,
            }
        }
        if self.current == u32::MAX {
            return None;
        }
        self.current = u32::MAX;
        let mut root = std::mem::replace(&mut self.root, Call::new(SymbolId::ROOT));
        root.end(&mut self.rounding);
        Some(root)
    }
}
