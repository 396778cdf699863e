//! The call graph for Graphviz: `dot -Tsvg`.
//!
//! Self cost sets the colours of functions. The critical path, the costliest
//! path from the root, is bold. Functions below the threshold are left out,
//! because a graph of all functions is unreadable.
//!
//! **Invariant:** an edge is drawn only between two drawn functions; no name
//! can end the string that contains it.

use std::collections::{HashMap, HashSet};
use std::io::{BufWriter, Write};

use profile::{FlatTable, Metric, Profile, Table, WallUnit, critical_path};

use crate::format::{Format, Holds, Writes};
use crate::markdown::time;
use crate::shared::graph::{Call, Function, Graph};
use crate::shared::text::lossy;
use crate::{WriteError, WriteOptions};

/// The call graph for Graphviz.
pub const DOT: Format = Format {
    id: "dot",
    name: "Graphviz",
    endings: &["dot", "gv"],
    warning: None,
    reads: None,
    writes: Some(Writes::new(Holds::Edges, write).with_threshold()),
};

/// An edge is left out below this fraction of the threshold.
const EDGES: i64 = 5;

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    let graph = Graph::new(profile, 1);
    let flat = FlatTable::new(profile);
    let writer = Writer {
        profile,
        metric: options.metric,
        total: options.metric.of(&graph.root),
        inclusive: inclusive(profile, &flat, &graph, options.metric),
        threshold: i64::from(options.threshold_ppm),
        graph,
    };
    let mut out = BufWriter::new(out);
    writer.write(options, &mut out)?;
    Ok(out.flush()?)
}

/// What each function cost with its callees, recursion counted once.
fn inclusive(
    profile: &Profile,
    flat: &FlatTable,
    graph: &Graph,
    metric: Metric,
) -> Vec<(u64, i64)> {
    let mut by_symbol = Table::new((0, 0), profile.symbols.len());
    for row in &flat.rows {
        by_symbol[row.symbol] = (row.inclusive.calls, metric.of(&row.inclusive));
    }
    let functions = graph.functions.iter();
    functions
        .map(|function| by_symbol[function.symbol])
        .collect()
}

struct Writer<'p> {
    profile: &'p Profile,
    graph: Graph,
    /// Calls and cost, by index in the graph.
    inclusive: Vec<(u64, i64)>,
    metric: Metric,
    total: i64,
    threshold: i64,
}

impl Writer<'_> {
    fn write(&self, options: &WriteOptions, out: &mut dyn Write) -> std::io::Result<()> {
        let critical = self.critical_path();
        let is_drawn = self.drawn();
        let title = options
            .title
            .as_deref()
            .or(self.profile.meta.title.as_deref());
        let title = title.unwrap_or("xhprof");
        writeln!(out, "digraph \"{}\" {{", quoted(title.as_bytes()))?;
        let left_out = is_drawn.iter().filter(|drawn| !**drawn).count();
        let label = format!(
            "{}: {} of {} functions, {} in all",
            quoted(title.as_bytes()),
            is_drawn.len() - left_out,
            is_drawn.len(),
            self.amount(self.total)
        );
        writeln!(
            out,
            "  graph [label=\"{label}\", labelloc=t, fontname=\"sans-serif\"];"
        )?;
        writeln!(
            out,
            "  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];"
        )?;
        writeln!(
            out,
            "  edge [fontname=\"sans-serif\", fontsize=9, color=gray40];"
        )?;
        let on_path: HashSet<_> = critical.iter().copied().collect();
        let mut nodes_on_path: HashSet<_> = critical.iter().map(|edge| edge.1).collect();
        nodes_on_path.insert(0);
        for (place, function) in self.graph.functions.iter().enumerate() {
            if is_drawn[place] {
                self.node(place, function, nodes_on_path.contains(&place), out)?;
            }
        }
        for (place, function) in self.graph.functions.iter().enumerate() {
            if !is_drawn[place] {
                continue;
            }
            for call in &function.calls {
                let is_critical = on_path.contains(&(place, call.callee));
                let amount = self.metric.of(&call.cost).saturating_mul(EDGES);
                if is_drawn[call.callee] && (is_critical || self.is_enough(amount)) {
                    self.edge(place, call, is_critical, out)?;
                }
            }
        }
        writeln!(out, "}}")
    }

    /// The critical path, as indexes of caller and callee in the graph.
    fn critical_path(&self) -> Vec<(usize, usize)> {
        let functions = self.graph.functions.iter().enumerate();
        let places: HashMap<_, _> = functions
            .map(|(place, function)| (function.symbol, place))
            .collect();
        let steps = critical_path(self.profile, self.metric);
        let path: Vec<_> = steps
            .iter()
            .filter_map(|step| places.get(&step.symbol).copied())
            .collect();
        path.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    fn drawn(&self) -> Vec<bool> {
        let enough = |&(_, amount): &(u64, i64)| self.is_enough(amount);
        let mut drawn: Vec<_> = self.inclusive.iter().map(enough).collect();
        drawn[0] = true;
        drawn
    }

    fn is_enough(&self, amount: i64) -> bool {
        let amount = i128::from(amount.max(0)) * 1_000_000;
        amount >= i128::from(self.total) * i128::from(self.threshold)
    }

    fn node(
        &self,
        place: usize,
        function: &Function,
        is_critical: bool,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let (calls, inclusive) = self.inclusive[place];
        let own = self.metric.of_own(&function.own, calls);
        let share = FlatTable::percent(own, self.total).clamp(0.0, 100.0);
        let name = quoted(self.profile.name(function.symbol));
        let mut label = format!(
            "{name}\\n{}{}\\nself {}{}",
            self.amount(inclusive),
            self.share(FlatTable::percent(inclusive, self.total)),
            self.amount(own),
            self.share(share),
        );
        if self.profile.metrics.calls {
            label.push_str(&format!("\\n{calls}×"));
        }
        // From white to a red on which black text is readable.
        let saturation = (share / 50.0).min(1.0) * 0.65;
        let border = if is_critical {
            ", color=red3, penwidth=2.5"
        } else {
            ""
        };
        writeln!(
            out,
            "  f{place} [label=\"{label}\", tooltip=\"{name}\", \
             fillcolor=\"0.020 {saturation:.3} 1.000\"{border}];"
        )
    }

    fn edge(
        &self,
        caller: usize,
        call: &Call,
        is_critical: bool,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let Call { callee, cost } = call;
        let amount = self.metric.of(cost);
        let share = FlatTable::percent(amount, self.total).clamp(0.0, 100.0);
        let mut label = format!("{}{}", self.amount(amount), self.share(share));
        if self.profile.metrics.calls {
            label.push_str(&format!("\\n{}×", cost.calls));
        }
        let width = 1.0 + share / 25.0;
        let color = if is_critical {
            ", color=red3, fontcolor=red3"
        } else {
            ""
        };
        let weight = if is_critical { 100 } else { 1 };
        writeln!(
            out,
            "  f{caller} -> f{callee} [label=\"{label}\", penwidth={width:.2}, weight={weight}{color}];"
        )
    }

    /// ` (38.0%)`; nothing for a metric whose sums may be below zero.
    fn share(&self, percent: f64) -> String {
        if self.metric.is_signed() {
            return String::new();
        }
        format!(" ({percent:.1}%)")
    }

    fn amount(&self, amount: i64) -> String {
        match self.metric {
            Metric::Wall if self.profile.metrics.wall_unit == WallUnit::Samples => {
                format!("{amount} {}", quoted(self.profile.counted().as_bytes()))
            }
            Metric::Wall | Metric::Cpu => time(amount),
            Metric::Memory | Metric::Peak => format!("{amount} B"),
            Metric::Calls => format!("{amount} calls"),
        }
    }
}

/// Text inside of quotes. A backslash would begin an escape, and SVG forbids
/// control characters.
fn quoted(name: &[u8]) -> String {
    let mut quoted = String::new();
    for letter in lossy(name).chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            // Graphviz would copy them to its SVG, which would then be invalid
            // XML.
            '\u{fffe}' | '\u{ffff}' => quoted.push(char::REPLACEMENT_CHARACTER),
            letter if letter.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_ends_its_string() {
        assert_eq!(quoted("\u{fffe}".as_bytes()), "\u{fffd}");
        assert_eq!(quoted(b"A\\B \"x\"\x07\\"), "A\\\\B \\\"x\\\" \\\\");
    }
}
