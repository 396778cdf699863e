//! Writes NYTProf's records: the calls, then their sums by function and by
//! caller, from which the report makes its tables.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use profile::{Metric, NodeId, NumberMap, Profile, SymbolId, Table, Tree};

use super::name;
use super::record::{put_nv, put_string, put_u32, tag};
use crate::WriteOptions;
use crate::shared::unit::Unit;
use crate::shared::{same_names, text};

/// The maximum number of returns with one return for each call. With more
/// calls, each path returns once; the callers' counts stay correct.
const MAX_RETURNS: u64 = 1_000_000;

/// A line that both the statement and the function profiler saw.
const FILE_FLAGS: u32 = 0x0002 | 0x0004;

pub(super) fn write(
    profile: &Profile,
    tree: &Tree,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let names = name::all(profile);
    let tree = same_names::merged(tree, &names);
    let calls = tree.nodes.iter().map(|node| node.cost.calls);
    let calls = calls.fold(0, u64::saturating_add);
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let mut writer = Writer {
        names: &names,
        files: Files::new(profile, options),
        own: tree
            .self_costs()
            .iter()
            .map(|own| options.metric.of_own(own, 0))
            .collect(),
        inclusive: tree
            .nodes
            .iter()
            .map(|node| options.metric.of(&node.cost))
            .collect(),
        tree: &tree,
        metric: options.metric,
        returns_each: calls <= MAX_RETURNS,
        ticks_per_second: ticks_per_second(profile, options.metric),
        subs: NumberMap::default(),
        order: Vec::new(),
        record: Vec::new(),
    };
    writer.header(profile, options, &mut out)?;
    out.write_all(&[tag::COMPRESSED])?;
    let packed = ZlibEncoder::new(out, Compression::fast());
    let mut packed = BufWriter::with_capacity(1 << 16, packed);
    writer.records(profile, &mut packed)?;
    let packed = packed
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    packed.finish()?.flush()
}

/// A tick is a nanosecond, or a sample.
fn ticks_per_second(profile: &Profile, metric: Metric) -> u64 {
    match Unit::of(metric, profile) {
        Unit::Nanoseconds => 1_000_000_000,
        Unit::Bytes | Unit::Count => {
            let interval = profile.meta.interval_ns.unwrap_or(0);
            1_000_000_000_u64.checked_div(interval).unwrap_or(1).max(1)
        }
    }
}

struct Writer<'a> {
    names: &'a [Vec<u8>],
    files: Files,
    tree: &'a Tree,
    own: Table<NodeId, i64>,
    inclusive: Table<NodeId, i64>,
    metric: Metric,
    returns_each: bool,
    ticks_per_second: u64,
    /// The sums of calls, by caller and callee.
    subs: NumberMap<(SymbolId, SymbolId), Calls>,
    order: Vec<(SymbolId, SymbolId)>,
    record: Vec<u8>,
}

/// All calls of one function by another, in ticks.
#[derive(Debug, Clone, Copy, Default)]
struct Calls {
    count: u64,
    /// Of calls that are not inside of another call of the same function.
    inclusive: i64,
    exclusive: i64,
    /// Of calls that are.
    recursive: i64,
    /// The deepest of those.
    depth: u32,
}

/// The next step of a walk over the tree.
enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

impl Writer<'_> {
    /// The header in plain text.
    fn header(
        &self,
        profile: &Profile,
        options: &WriteOptions,
        out: &mut impl Write,
    ) -> io::Result<()> {
        out.write_all(b"NYTProf 5 0\n")?;
        if let Some(title) = text::title(profile, options) {
            writeln!(out, "#{title}")?;
        }
        let started = profile.meta.started_unix_us.unwrap_or(0) / 1_000_000;
        let root = self.tree.root_cost();
        let version = profile.meta.php_version.as_deref().unwrap_or("unknown");
        let version = text::lossy(version.as_bytes());
        writeln!(out, ":basetime={started}")?;
        writeln!(out, ":application={}", self.files.application)?;
        writeln!(out, ":perl_version=PHP {version}")?;
        writeln!(
            out,
            ":nv_size=8\n:xs_version=6.12\n:PL_perldb=0\n:clock_id=1"
        )?;
        writeln!(out, ":ticks_per_sec={}", self.ticks_per_second)?;
        // For this crate's reader: the tools do not know the root's self cost.
        writeln!(out, ":xhprof_total_ticks={}", self.metric.of(&root))?;
        out.write_all(b"!calls=2\n!subs=1\n!stmts=0\n!slowops=2\n")
    }

    fn records(&mut self, profile: &Profile, out: &mut impl Write) -> io::Result<()> {
        let process = profile.meta.process.unwrap_or(1);
        let started = seconds(profile.meta.started_unix_us.unwrap_or(0), 1_000_000);
        self.record.push(tag::PROCESS_START);
        put_u32(process, &mut self.record);
        put_u32(0, &mut self.record);
        put_nv(started, &mut self.record);
        for (id, file) in (1..).zip(&self.files.list) {
            self.record.push(tag::FILE);
            for number in [id, 0, 0, FILE_FLAGS, 0, 0] {
                put_u32(number, &mut self.record);
            }
            put_string(file, &mut self.record);
        }
        self.flush(out)?;
        self.calls(profile, out)?;
        self.sub_infos(profile, out)?;
        self.sub_callers(profile, out)?;
        self.record.extend(b":cumulative_overhead_ticks=0\n");
        self.record.push(tag::PROCESS_END);
        put_u32(process, &mut self.record);
        let total = self.inclusive.first().copied().unwrap_or(0);
        let total = seconds(total.max(0).unsigned_abs(), self.ticks_per_second);
        // A double has a resolution of a quarter of a microsecond for today's
        // date. The report takes the difference, which must not be below the
        // sum of the calls.
        let mut ended = started + total;
        if ended - started < total {
            ended = ended.next_up();
        }
        put_nv(ended, &mut self.record);
        self.flush(out)
    }

    /// Every call: its entry, its callees, its return.
    fn calls(&mut self, profile: &Profile, out: &mut impl Write) -> io::Result<()> {
        let children = self.tree.children();
        let mut open: Table<SymbolId, u32> = Table::new(0, self.names.len());
        open[SymbolId::ROOT] = 1;
        let mut depth = 0;
        let push = |walk: &mut Vec<Step>, node| {
            walk.extend(
                children
                    .of(node)
                    .iter()
                    .rev()
                    .map(|&child| Step::Enter(child)),
            );
        };
        let mut walk = Vec::new();
        push(&mut walk, NodeId::ROOT);
        while let Some(step) = walk.pop() {
            match step {
                Step::Enter(id) => {
                    let node = &self.tree[id];
                    depth += 1;
                    let caller = self.symbol(node.parent);
                    self.entry(profile, caller);
                    let open = &mut open[node.symbol];
                    self.count(id, caller, *open);
                    *open += 1;
                    walk.push(Step::Leave(id));
                    push(&mut walk, id);
                }
                Step::Leave(id) => {
                    open[self.symbol(id)] -= 1;
                    self.leave(profile, id, depth);
                    depth -= 1;
                    if self.record.len() > 1 << 15 {
                        self.flush(out)?;
                    }
                }
            }
        }
        self.flush(out)
    }

    fn entry(&mut self, profile: &Profile, caller: SymbolId) {
        let (file, line) = self.files.place(profile, caller);
        self.record.push(tag::SUB_ENTRY);
        put_u32(file, &mut self.record);
        put_u32(line.max(1), &mut self.record);
    }

    /// The return, and a return without cost for each further call.
    fn leave(&mut self, profile: &Profile, id: NodeId, depth: u32) {
        let node = self.tree[id];
        let (calls, symbol) = (node.cost.calls, node.symbol);
        let caller = self.symbol(node.parent);
        self.sub_return(depth, self.inclusive[id], self.own[id], symbol);
        if self.returns_each {
            for _ in 1..calls {
                self.entry(profile, caller);
                self.sub_return(depth, 0, 0, symbol);
            }
        }
    }

    fn sub_return(&mut self, depth: u32, inclusive: i64, own: i64, symbol: SymbolId) {
        self.record.push(tag::SUB_RETURN);
        put_u32(depth, &mut self.record);
        put_nv(ticks(inclusive), &mut self.record);
        put_nv(ticks(own), &mut self.record);
        put_string(&self.names[symbol.index()], &mut self.record);
    }

    /// Adds a path's calls to those of the same two functions.
    fn count(&mut self, id: NodeId, caller: SymbolId, level: u32) {
        let key = (caller, self.symbol(id));
        let order = &mut self.order;
        let sub = self.subs.entry(key).or_insert_with(|| {
            order.push(key);
            Calls::default()
        });
        let inclusive = self.inclusive[id];
        sub.count = sub.count.saturating_add(self.tree[id].cost.calls);
        sub.exclusive = sub.exclusive.saturating_add(self.own[id]);
        if level == 0 {
            sub.inclusive = sub.inclusive.saturating_add(inclusive);
        } else {
            sub.recursive = sub.recursive.saturating_add(inclusive);
            sub.depth = sub.depth.max(level);
        }
    }

    /// The position of each function.
    fn sub_infos(&mut self, profile: &Profile, out: &mut impl Write) -> io::Result<()> {
        let mut used = Table::new(false, self.names.len());
        used[SymbolId::ROOT] = true;
        for &(caller, callee) in &self.order {
            used[caller] = true;
            used[callee] = true;
        }
        for ((number, name), _) in (0..).zip(self.names).zip(used).filter(|(_, used)| *used) {
            let (file, line) = self.files.place(profile, SymbolId(number));
            self.record.push(tag::SUB_INFO);
            put_u32(file, &mut self.record);
            put_string(name, &mut self.record);
            // The last line is unknown.
            put_u32(line, &mut self.record);
            put_u32(line, &mut self.record);
        }
        self.flush(out)
    }

    /// The cost of each function, by caller.
    fn sub_callers(&mut self, profile: &Profile, out: &mut impl Write) -> io::Result<()> {
        for (caller, callee) in std::mem::take(&mut self.order) {
            let calls = self.subs[&(caller, callee)];
            let (file, line) = self.files.place(profile, caller);
            let name = |symbol: SymbolId| &self.names[symbol.index()];
            self.record.push(tag::SUB_CALLERS);
            put_u32(file, &mut self.record);
            put_u32(line.max(1), &mut self.record);
            put_string(name(caller), &mut self.record);
            let count = u32::try_from(calls.count).unwrap_or(u32::MAX);
            put_u32(count, &mut self.record);
            for of in [calls.inclusive, calls.exclusive, calls.recursive] {
                let seconds = seconds(of.unsigned_abs(), self.ticks_per_second);
                put_nv(if of < 0 { -seconds } else { seconds }, &mut self.record);
            }
            put_u32(calls.depth, &mut self.record);
            put_string(name(callee), &mut self.record);
        }
        self.flush(out)
    }

    fn symbol(&self, id: NodeId) -> SymbolId {
        self.tree[id].symbol
    }

    fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.record)?;
        self.record.clear();
        Ok(())
    }
}

/// The files, numbered from 1, and the file of each symbol.
struct Files {
    list: Vec<Vec<u8>>,
    of: Table<SymbolId, u32>,
    application: String,
}

impl Files {
    fn new(profile: &Profile, options: &WriteOptions) -> Self {
        let root = profile.symbols.first();
        let title = text::title(profile, options);
        let script = match root.and_then(|root| root.file.as_deref()) {
            Some(file) => file.to_vec(),
            None => title
                .clone()
                .unwrap_or_else(|| "php".to_owned())
                .into_bytes(),
        };
        let application = title.unwrap_or_else(|| text::lossy(&script).into_owned());
        let mut files = Self {
            list: Vec::new(),
            of: Table::with_capacity(profile.symbols.len()),
            application,
        };
        let mut places = HashMap::new();
        for (index, symbol) in profile.symbols.iter().enumerate() {
            let file: &[u8] = match &symbol.file {
                _ if index == 0 => &script,
                Some(file) if !file.is_empty() => file,
                _ if symbol.internal => text::INTERNAL.as_bytes(),
                _ => b"(unknown)",
            };
            let list = &mut files.list;
            let id = *places.entry(name::file(file)).or_insert_with_key(|file| {
                list.push(file.clone());
                u32::try_from(list.len()).unwrap_or(u32::MAX)
            });
            files.of.push(id);
        }
        files
    }

    /// A symbol's file and first line.
    fn place(&self, profile: &Profile, symbol: SymbolId) -> (u32, u32) {
        (self.of[symbol], profile.symbol(symbol).line)
    }
}

#[expect(clippy::cast_precision_loss, reason = "the format has doubles")]
fn ticks(of: i64) -> f64 {
    of as f64
}

#[expect(clippy::cast_precision_loss, reason = "the format has doubles")]
fn seconds(of: u64, per_second: u64) -> f64 {
    of as f64 / per_second as f64
}
