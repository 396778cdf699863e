//! The classic XHProf rows: `caller==>callee` with integer costs.
//!
//! `xhprof_disable()` returns these rows, XHProf's files contain them, and many
//! tools read them. [`for_each_row`] walks over a profile as rows. The crate `formats`
//! reads them.
//!
//! **Invariant:** rows are in the order of the profile's edges, `main()` last.
//! A reader that subtracts outgoing from incoming rows never finds a negative
//! self time that rounding alone has caused.

mod json;
mod rounding;

pub use json::write_json;

use crate::php_serialize::{self, write_array_end, write_array_start, write_int, write_string};
use crate::settlement::Units;
use crate::symbol::symbol_in;
use crate::{Activation, Cost, EdgeTable, Edges, Metrics, Profile, Symbol};

/// The separator between caller and callee.
pub const SEPARATOR: &[u8] = b"==>";

/// One row's cost in XHProf's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassicCost {
    /// `ct`: calls.
    pub calls: u64,
    /// `wt`: wall time in microseconds.
    pub wall_us: u64,
    /// `cpu`: CPU time in microseconds, if measured.
    pub cpu_us: Option<u64>,
    /// `mu`: change of the memory in use in bytes, if measured.
    pub memory: Option<i64>,
    /// `pmu`: change of the memory's peak in bytes, if measured.
    pub peak: Option<i64>,
}

impl ClassicCost {
    fn new(cost: &Cost, rounded: Units, metrics: Metrics) -> Self {
        Self {
            calls: cost.calls,
            wall_us: rounded.wall,
            cpu_us: metrics.cpu.then_some(rounded.cpu),
            memory: metrics.memory.then_some(cost.memory),
            peak: metrics.memory.then_some(cost.peak),
        }
    }

    /// The measured costs with XHProf's names, in XHProf's order.
    pub fn metrics(&self) -> impl Iterator<Item = (&'static str, i64)> {
        [
            ("ct", Some(count(self.calls))),
            ("wt", Some(count(self.wall_us))),
            ("cpu", self.cpu_us.map(count)),
            ("mu", self.memory),
            ("pmu", self.peak),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }

    /// The same without names, followed by zeros for the missing costs.
    #[inline]
    #[must_use]
    pub fn values(&self) -> [i64; 5] {
        let mut values = [count(self.calls), count(self.wall_us), 0, 0, 0];
        let mut used = 2;
        for value in [self.cpu_us.map(count), self.memory, self.peak] {
            if let (Some(value), Some(place)) = (value, values.get_mut(used)) {
                *place = value;
                used += 1;
            }
        }
        values
    }
}

fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Calls `visit` with the key and the cost of every row, `main()` last.
pub fn for_each_row(profile: &Profile, visit: impl FnMut(&[u8], &ClassicCost)) {
    visit_rows(&profile.symbols, profile.metrics, &*profile.edges(), visit);
}

/// The same for edges outside of a profile, with its `symbols` and `metrics`.
pub fn visit_rows(
    symbols: &[Symbol],
    metrics: Metrics,
    edges: &impl Edges,
    mut visit: impl FnMut(&[u8], &ClassicCost),
) {
    let settlement = rounding::settle(symbols.len(), edges);
    let mut key = Vec::with_capacity(256);
    // Callees of one caller are often adjacent: its name is written once.
    let (mut caller, mut named) = (None, 0);
    for (edge, rounded) in settlement.edges(edges) {
        if caller != Some(edge.caller) {
            key.clear();
            write_activation(&mut key, symbols, edge.caller);
            key.extend_from_slice(SEPARATOR);
            (caller, named) = (Some(edge.caller), key.len());
        }
        key.truncate(named);
        write_activation(&mut key, symbols, edge.callee);
        visit(&key, &ClassicCost::new(&edge.cost, rounded, metrics));
    }
    let root = edges.root();
    visit(
        &symbol_in(symbols, EdgeTable::ROOT.symbol).name,
        &ClassicCost::new(&root, settlement.root(&root), metrics),
    );
}

/// Appends a profile as PHP's `serialize()` writes its classic array.
pub fn write_serialized(profile: &Profile, out: &mut Vec<u8>) {
    // Names differ too much in length for an estimate; the numbers take about
    // this much.
    let table = profile.edges();
    let rows = table.edges.len() + 1;
    out.reserve(rows * 128);
    write_array_start(out, rows);
    visit_rows(&profile.symbols, profile.metrics, &*table, |key, cost| {
        php_serialize::write_key(out, key);
        write_array_start(out, cost.metrics().count());
        for (name, value) in cost.metrics() {
            write_string(out, name.as_bytes());
            write_int(out, value);
        }
        write_array_end(out);
    });
    write_array_end(out);
}

fn write_activation(key: &mut Vec<u8>, symbols: &[Symbol], activation: Activation) {
    key.extend_from_slice(&symbol_in(symbols, activation.symbol).name);
    if activation.level > 0 {
        key.push(b'@');
        php_serialize::write_decimal(key, u64::from(activation.level));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Edge, SymbolId};

    fn activation(symbol: u32, level: u32) -> Activation {
        Activation {
            symbol: SymbolId(symbol),
            level,
        }
    }

    fn recursive() -> Profile {
        let cost = |calls, wall, memory| Cost {
            calls,
            wall,
            cpu: wall / 2,
            memory,
            peak: 0,
        };
        let edge = |caller, callee, cost| Edge {
            caller,
            callee,
            cost,
        };
        Profile {
            symbols: vec![Symbol::new(Symbol::MAIN), Symbol::new(*b"f")],
            body: Body::Edges(EdgeTable {
                edges: vec![
                    edge(activation(1, 0), activation(1, 1), cost(2, 1_499, -8)),
                    edge(activation(0, 0), activation(1, 0), cost(1, 2_500, 16)),
                ],
                root: cost(1, 9_999, 32),
            }),
            ..Profile::empty()
        }
    }

    fn serialized(profile: &Profile) -> String {
        let mut out = Vec::new();
        write_serialized(profile, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_have_levels_and_only_what_was_measured() {
        assert_eq!(
            serialized(&recursive()),
            "a:3:{s:7:\"f==>f@1\";a:2:{s:2:\"ct\";i:2;s:2:\"wt\";i:1;}\
             s:10:\"main()==>f\";a:2:{s:2:\"ct\";i:1;s:2:\"wt\";i:3;}\
             s:6:\"main()\";a:2:{s:2:\"ct\";i:1;s:2:\"wt\";i:10;}}"
        );
    }

    #[test]
    fn metrics_come_in_the_classic_order() {
        let mut profile = recursive();
        profile.metrics = Metrics {
            cpu: true,
            memory: true,
            ..Metrics::default()
        };
        let mut last = Vec::new();
        for_each_row(&profile, |_, cost| last = cost.metrics().collect());
        assert_eq!(
            last,
            [("ct", 1), ("wt", 10), ("cpu", 5), ("mu", 32), ("pmu", 0)]
        );
    }

    #[test]
    fn values_are_those_of_the_metrics() {
        for (cpu, memory) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut profile = recursive();
            profile.metrics = Metrics {
                cpu,
                memory,
                ..Metrics::default()
            };
            for_each_row(&profile, |_, cost| {
                let mut expected = [0; 5];
                for (place, (_, value)) in expected.iter_mut().zip(cost.metrics()) {
                    *place = value;
                }
                assert_eq!(cost.values(), expected);
            });
        }
    }
}
