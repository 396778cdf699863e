//! Writes entries and exits: recorded events, or those of a tree in its order,
//! each function's self time first.
//!
//! **Invariant:** every opened frame is closed, the last one first, and times
//! never decrease.

use std::io::{self, Write};

use profile::{Body, Events, Instant, Metric, NodeId, Profile, SymbolId, Tree};

use super::sampled::name_and_unit;
use crate::shared::nesting;

/// Writes a profile for the wall time, and one for the CPU time.
pub(super) fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    for metric in [Metric::Wall, Metric::Cpu] {
        if !metric.is_in(profile.metrics) {
            continue;
        }
        let (name, unit) = name_and_unit(metric, profile);
        let is_first = metric == Metric::Wall;
        if let Body::Events(events) = &profile.body {
            let end = signed(at(events.end, metric));
            super::begin(is_first, "evented", name, unit, end, out)?;
            write_events(events, metric, out)?;
        } else if let Some(tree) = profile.tree() {
            let own: Vec<u64> = tree
                .self_costs()
                .iter()
                .map(|own| metric.of_own(own, 0).max(0).unsigned_abs())
                .collect();
            let end = own.iter().fold(0, |sum: u64, own| sum.saturating_add(*own));
            super::begin(is_first, "evented", name, unit, signed(end), out)?;
            write_tree(&tree, &own, out)?;
        }
    }
    Ok(())
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn at(instant: Instant, metric: Metric) -> u64 {
    match metric {
        Metric::Cpu => instant.cpu,
        _ => instant.wall,
    }
}

/// Writes `O`s and `C`s.
struct List<'o> {
    out: &'o mut dyn Write,
    separator: &'static str,
    last: u64,
}

impl<'o> List<'o> {
    fn begin(out: &'o mut dyn Write) -> io::Result<Self> {
        out.write_all(b",\n\"events\":[")?;
        Ok(Self {
            out,
            separator: "\n",
            last: 0,
        })
    }

    fn add(&mut self, kind: char, symbol: SymbolId, at: u64) -> io::Result<()> {
        self.last = self.last.max(at);
        let separator = std::mem::replace(&mut self.separator, ",\n");
        write!(
            self.out,
            "{separator}{{\"type\":\"{kind}\",\"frame\":{},\"at\":{}}}",
            symbol.0, self.last
        )
    }

    fn end(self) -> io::Result<()> {
        self.out.write_all(b"]}")
    }
}

fn write_tree(tree: &Tree, own: &[u64], out: &mut dyn Write) -> io::Result<()> {
    let mut list = List::begin(out)?;
    let children = tree.children();
    let mut now = 0_u64;
    let mut walk = vec![(NodeId::ROOT, false)];
    while let Some((id, is_entered)) = walk.pop() {
        let node = &tree[id];
        if is_entered {
            list.add('C', node.symbol, now)?;
            continue;
        }
        list.add('O', node.symbol, now)?;
        now = now.saturating_add(own[id.index()]);
        walk.push((id, true));
        let inner = children.of(id).iter().rev();
        walk.extend(inner.map(|&child| (child, false)));
    }
    list.end()
}

/// The calls as they happened.
fn write_events(events: &Events, metric: Metric, out: &mut dyn Write) -> io::Result<()> {
    let mut list = List::begin(out)?;
    nesting::visit(events, |opens, symbol, instant| {
        list.add(if opens { 'O' } else { 'C' }, symbol, at(instant, metric))
    })?;
    list.end()
}
