//! The data of the report's script, as JSON.

use std::collections::HashMap;
use std::io::{self, Write};

use profile::{
    Body, Cost, EdgeTable, FlatTable, Metric, NumberMap, Profile, SelfCost, Symbol, SymbolId,
    critical_path,
};

use crate::WriteOptions;
use crate::flamegraph::{GraphSet, data};
use crate::shared::page::{list, numbers, text};
use crate::shared::text::lossy;

/// The maximum length of the critical path.
const MAX_STEPS: usize = 200;

/// The maximum number of pairs of caller and callee; the costliest are kept.
const MAX_EDGES: usize = 100_000;

/// The maximum number of span texts; those with the most time are kept.
const MAX_SPANS: usize = 1_000;

/// The data of a profile.
pub(super) struct Report<'r> {
    pub profile: &'r Profile,
    /// The calls between functions.
    pub edges: &'r EdgeTable,
    /// The cost of each function.
    pub flat: &'r FlatTable,
    pub base: Option<&'r Profile>,
    /// The first metric is the one that tables are sorted by.
    pub metrics: &'r [Metric],
    /// The flame graphs, if the profile has stacks.
    pub set: Option<&'r GraphSet<'r>>,
    /// Why there are no flame graphs.
    pub why_not: &'r str,
    /// The stacks are estimated.
    pub is_estimated: bool,
}

/// A function's inclusive and self cost.
type Costs = NumberMap<SymbolId, (Cost, SelfCost)>;

impl Report<'_> {
    pub(super) fn write(&self, options: &WriteOptions, out: &mut dyn Write) -> io::Result<()> {
        let (symbols, in_base) = self.symbols();
        out.write_all(b"{\"metrics\":")?;
        data::metrics(out, self.metrics, self.profile)?;
        out.write_all(b",\n\"functions\":")?;
        data::functions(out, &symbols)?;
        out.write_all(b",\n\"ramps\":")?;
        data::ramps(out)?;
        self.table(&in_base, out)?;
        self.edges(out)?;
        self.critical_path(out)?;
        self.spans(out)?;
        write!(out, ",\n\"guess\":{},\"whyNot\":", self.is_estimated)?;
        text(out, self.why_not)?;
        out.write_all(b",\n\"flame\":")?;
        match self.set {
            Some(set) => data::graphs(out, set, options)?,
            None => out.write_all(b"null")?,
        }
        out.write_all(b"}")
    }

    /// The functions of the profile and, after them, those that only the base
    /// has, numbered as in the flame graphs; and each one's row in the base.
    fn symbols(&self) -> (Vec<&Symbol>, Vec<SymbolId>) {
        let mut symbols: Vec<&Symbol> = self.profile.symbols.iter().collect();
        let mut numbers: HashMap<&[u8], SymbolId> = (0..)
            .zip(&symbols)
            .map(|(number, symbol)| (&*symbol.name, SymbolId(number)))
            .collect();
        let in_base = self.base.into_iter().flat_map(|base| &base.symbols);
        let in_base = in_base.map(|symbol| {
            *numbers.entry(&symbol.name).or_insert_with(|| {
                symbols.push(symbol);
                SymbolId(u32::try_from(symbols.len() - 1).unwrap_or(0))
            })
        });
        let in_base = in_base.collect();
        (symbols, in_base)
    }

    /// The function table, in columns, and the totals.
    fn table(&self, in_base: &[SymbolId], out: &mut dyn Write) -> io::Result<()> {
        let new: Costs = costs(self.flat, Some);
        let base_flat = self.base.map(FlatTable::new);
        let base: Option<Costs> = base_flat
            .as_ref()
            .map(|flat| costs(flat, |symbol| in_base.get(symbol.index()).copied()));
        let mut rows: Vec<SymbolId> = new.keys().copied().collect();
        rows.extend(base.iter().flat_map(|base| base.keys()));
        rows.sort_unstable();
        rows.dedup();
        out.write_all(b",\n\"total\":")?;
        self.total(self.profile, self.flat, out)?;
        if let (Some(base), Some(flat)) = (self.base, &base_flat) {
            out.write_all(b",\n\"baseTotal\":")?;
            self.total(base, flat, out)?;
        }
        out.write_all(b",\n\"table\":{\"fn\":")?;
        numbers(out, rows.iter().map(|symbol| symbol.0))?;
        out.write_all(b",\n\"new\":")?;
        self.columns(&rows, &new, out)?;
        if let Some(base) = &base {
            out.write_all(b",\n\"base\":")?;
            self.columns(&rows, base, out)?;
        }
        out.write_all(b"}")
    }

    fn total(&self, profile: &Profile, flat: &FlatTable, out: &mut dyn Write) -> io::Result<()> {
        let total = Cost {
            calls: profile.calls(),
            ..flat.total
        };
        numbers(out, self.metrics.iter().map(|metric| metric.of(&total)))
    }

    /// For each metric `[inclusive, own]`.
    fn columns(&self, rows: &[SymbolId], costs: &Costs, out: &mut dyn Write) -> io::Result<()> {
        list(out, self.metrics, |out, metric| {
            let of = |row: &SymbolId| costs.get(row).copied().unwrap_or_default();
            out.write_all(b"[")?;
            numbers(out, rows.iter().map(|row| metric.of(&of(row).0)))?;
            out.write_all(b",\n")?;
            let own = rows
                .iter()
                .map(of)
                .map(|(inclusive, own)| metric.of_own(&own, inclusive.calls));
            numbers(out, own)?;
            out.write_all(b"]")
        })
    }

    /// The callers and callees. A recursive call's cost is part of the outer
    /// call's and not counted again, as in the table.
    fn edges(&self, out: &mut dyn Write) -> io::Result<()> {
        let outermost = outermost_levels(self.edges, self.profile.symbols.len());
        let mut pairs: Vec<((SymbolId, SymbolId), Cost)> = Vec::new();
        for edge in &self.edges.edges {
            let (caller, callee) = (edge.caller, edge.callee);
            let is_outermost = outermost.get(callee.symbol.index()) == Some(&callee.level)
                && caller.symbol != callee.symbol;
            let cost = if is_outermost {
                edge.cost
            } else {
                Cost {
                    calls: edge.cost.calls,
                    ..Cost::default()
                }
            };
            pairs.push(((caller.symbol, callee.symbol), cost));
        }
        // All recursion levels of two functions are one pair.
        pairs.sort_unstable_by_key(|(ends, _)| *ends);
        pairs.dedup_by(|other, one| {
            let is_same = other.0 == one.0;
            if is_same {
                one.1 += other.1;
            }
            is_same
        });
        let left_out = pairs.len().saturating_sub(MAX_EDGES);
        if left_out > 0 {
            pairs.sort_by_key(|(_, cost)| std::cmp::Reverse(cost.wall));
            pairs.truncate(MAX_EDGES);
            pairs.sort_by_key(|(ends, _)| *ends);
        }
        write!(out, ",\n\"edges\":{{\"leftOut\":{left_out},\"from\":")?;
        numbers(out, pairs.iter().map(|((caller, _), _)| caller.0))?;
        out.write_all(b",\n\"to\":")?;
        numbers(out, pairs.iter().map(|((_, callee), _)| callee.0))?;
        out.write_all(b",\n\"costs\":")?;
        list(out, self.metrics, |out, metric| {
            numbers(out, pairs.iter().map(|(_, cost)| metric.of(cost)))
        })?;
        out.write_all(b"}")
    }

    /// Spans: `[kind, text, function, calls, time, longest, rows or −1, caller,
    /// other callers]`.
    fn spans(&self, out: &mut dyn Write) -> io::Result<()> {
        let spans = &self.profile.spans;
        if spans.is_empty() {
            return Ok(());
        }
        let (groups, left_out) = (spans.groups(), spans.left_out);
        let cut = groups.len().saturating_sub(MAX_SPANS);
        write!(
            out,
            ",\n\"spans\":{{\"leftOut\":{},\"leftOutTime\":{},\"cut\":{cut},\"groups\":",
            left_out.count, left_out.duration
        )?;
        list(out, groups.iter().take(MAX_SPANS), |out, group| {
            write!(out, "[\"{}\",", group.kind.name())?;
            text(out, &lossy(group.text))?;
            let caller = group.callers.first().map_or(0, |caller| caller.symbol.0);
            let numbers = [group.calls, group.total, group.max];
            write!(out, ",{}", group.symbol.0)?;
            for number in numbers {
                write!(out, ",{number}")?;
            }
            match group.rows {
                Some(rows) => write!(out, ",{rows}")?,
                None => write!(out, ",-1")?,
            }
            let others = group.callers.len().saturating_sub(1);
            write!(out, ",{caller},{others}]")
        })?;
        out.write_all(b"}")
    }

    fn critical_path(&self, out: &mut dyn Write) -> io::Result<()> {
        // The numbers of calls do not add up along a path.
        let mut metrics = self.metrics.iter().copied();
        let metric = metrics.find(|metric| *metric != Metric::Calls);
        let metric = metric.unwrap_or_default();
        let number = self
            .metrics
            .iter()
            .position(|other| *other == metric)
            .unwrap_or(0);
        write!(out, ",\n\"critical\":{{\"metric\":{number},\"steps\":")?;
        let steps = critical_path(self.profile, metric).into_iter();
        // An edge's cost is that of all calls between the two functions, on any
        // path: it is limited to the share of the step before it.
        let mut most = match self.profile.body {
            Body::Edges(_) => metric.of(&self.flat.total),
            Body::Tree(_) | Body::Samples(_) | Body::Events(_) => i64::MAX,
        };
        list(out, steps.take(MAX_STEPS), |out, step| {
            let inclusive = metric.of(&step.cost).min(most);
            if most != i64::MAX {
                most = inclusive;
            }
            write!(out, "[{},{inclusive},{}]", step.symbol.0, step.cost.calls)
        })?;
        out.write_all(b"}")
    }
}

fn costs(flat: &FlatTable, number: impl Fn(SymbolId) -> Option<SymbolId>) -> Costs {
    let rows = flat.rows.iter();
    rows.filter_map(|row| Some((number(row.symbol)?, (row.inclusive, row.own))))
        .collect()
}

/// The lowest level at which each symbol was called.
fn outermost_levels(table: &EdgeTable, symbols: usize) -> Vec<u32> {
    let mut levels = vec![u32::MAX; symbols];
    for edge in &table.edges {
        if let Some(level) = levels.get_mut(edge.callee.symbol.index()) {
            *level = edge.callee.level.min(*level);
        }
    }
    levels
}
