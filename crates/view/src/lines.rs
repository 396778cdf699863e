//! Source lines for reports: what each cost, and what it calls.
//!
//! **Invariant:** the self cost of a line has that of PHP's own functions that it
//! calls, which have no lines. Without that, a line that sorts an array would cost
//! nothing.

use std::cmp::Reverse;
use std::collections::HashMap;

use profile::{Body, LineCost, SelfCost, SymbolId};

use crate::{Costs, Document};

/// A file and a line.
type Place<'d> = (Option<&'d [u8]>, u32);

/// A line that has a cost.
#[derive(Debug, Clone)]
pub struct LineRow<'d> {
    /// The file; none if it is not known.
    pub file: Option<&'d [u8]>,
    /// The line, counted from one.
    pub line: u32,
    /// What it cost by itself, and in functions without lines that it calls.
    pub own: Costs,
    /// The same with all callees, and the number of calls if they were counted.
    pub inclusive: Costs,
    /// The functions that the line was executed in.
    pub functions: Vec<SymbolId>,
    /// The functions that it calls with what these calls cost, and their number if they were
    /// counted; the costliest first. Empty if they are not known.
    pub callees: Vec<(SymbolId, Costs)>,
}

impl Document {
    /// All lines that have costs, by file and line.
    #[must_use]
    pub fn lines(&self) -> Vec<LineRow<'_>> {
        let profile = self.profile();
        let mut callees: HashMap<Place<'_>, Vec<(SymbolId, SelfCost, u64)>> = HashMap::new();
        for calls in &profile.lines.calls {
            let file = profile.lines.file(calls.file);
            let of = callees.entry((file, calls.line)).or_default();
            of.push((calls.callee, calls.cost, calls.calls));
        }
        if let Body::Samples(samples) = &profile.body {
            for call in samples.line_calls(&profile.symbols) {
                let of = callees.entry((call.file, call.line)).or_default();
                let cost = SelfCost {
                    wall: call.cost,
                    ..SelfCost::default()
                };
                of.push((call.callee, cost, 0));
            }
        }
        let lines = profile
            .lines
            .list
            .chunk_by(|one, other| (one.file, one.line) == (other.file, other.line));
        let rows = lines.filter_map(|parts| {
            let first = parts.first()?;
            let file = profile.lines.file(first.file);
            let callees = callees.remove(&(file, first.line)).unwrap_or_default();
            let callees = summed(callees);
            Some(row(parts, file, callees))
        });
        rows.filter(|row| row.inclusive != Costs::default())
            .collect()
    }
}

/// Each callee once: several functions may call it from the same line.
fn summed(mut callees: Vec<(SymbolId, SelfCost, u64)>) -> Vec<(SymbolId, Costs)> {
    callees.sort_by_key(|(symbol, ..)| *symbol);
    let each = callees.chunk_by(|(one, ..), (other, ..)| one == other);
    let each = each.filter_map(|parts| {
        let (mut cost, mut calls) = (SelfCost::default(), 0_u64);
        for (_, more, number) in parts {
            cost += *more;
            calls = calls.saturating_add(*number);
        }
        Some((parts.first()?.0, Costs::own(&cost, calls)))
    });
    let is_there = |(_, costs): &(SymbolId, Costs)| costs.wall > 0 || costs.calls > 0;
    let mut sums: Vec<_> = each.filter(is_there).collect();
    sums.sort_by_key(|(symbol, costs)| (Reverse(costs.wall), *symbol));
    sums
}

fn row<'d>(
    parts: &[LineCost],
    file: Option<&'d [u8]>,
    callees: Vec<(SymbolId, Costs)>,
) -> LineRow<'d> {
    let (mut own, mut inclusive, mut calls) = (SelfCost::default(), SelfCost::default(), 0_u64);
    for part in parts {
        own += part.own;
        own += part.builtin;
        inclusive += part.own;
        inclusive += part.callees;
        calls = calls.saturating_add(part.calls);
    }
    LineRow {
        file,
        line: parts.first().map_or(0, |part| part.line),
        own: Costs::own(&own, 0),
        inclusive: Costs::own(&inclusive, calls),
        functions: parts.iter().map(|part| part.symbol).collect(),
        callees,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use profile::{Budget, LinedId, NodeId, Profile, Sample, SamplesBuilder, Symbol};

    #[test]
    fn a_line_has_the_cost_of_internal_functions_and_its_callees() {
        let symbols = [&b"main()"[..], b"sum", b"md5"].map(Symbol::new);
        let mut builder = SamplesBuilder::default();
        let sum = builder.push(NodeId::ROOT, SymbolId(1));
        let md5 = builder.push(sum, SymbolId(2));
        let file = builder.line_file(b"/a.php");
        let main = builder.line(LinedId::UNKNOWN, NodeId::ROOT, file, 9);
        let of_sum = builder.line(main, sum, file, 3);
        let of_md5 = builder.line(of_sum, md5, None, 0);
        for (stack, lined, weight) in [(NodeId::ROOT, main, 1), (sum, of_sum, 2), (md5, of_md5, 4)]
        {
            builder.add(Sample {
                lined,
                ..Sample::new(0, weight, stack)
            });
        }
        let samples = builder.finish();
        let profile = Profile {
            lines: samples.lines(&symbols, &Budget::unlimited()),
            symbols: symbols.to_vec(),
            body: Body::Samples(samples),
            ..Profile::empty()
        };
        let document = Document::of_costs(profile, Vec::new());
        let lines = document.lines();
        let found = lines.iter().map(|row| {
            let costs = (row.own.wall, row.inclusive.wall);
            let callees = row.callees.iter();
            let callees = callees.map(|(symbol, costs)| (symbol.0, costs.wall, costs.calls));
            (row.line, costs, callees.collect::<Vec<_>>())
        });
        assert_eq!(
            found.collect::<Vec<_>>(),
            [(3, (6, 6), vec![(2, 4, 0)]), (9, (1, 7), vec![(1, 6, 0)]),]
        );
    }
}
