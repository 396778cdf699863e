//! Flame graphs as JSON, for the script that draws them on a page.
//!
//! Columns instead of objects: a box is an index into lists of numbers. Widths
//! and inclusive costs are left out, because the script can sum them up.

use std::collections::HashMap;
use std::io::{self, Write};

use profile::{Metric, Profile, Symbol};

use super::graph::{Column, Graph, Values};
use super::{GraphSet, colours, tooltip, units};
use crate::shared::page::{list, numbers, text, texts};
use crate::shared::text::{lossy, shortened};
use crate::{FlameColour, FlameDirection, WriteOptions};

/// Writes the costs of the graphs: `[["wall","wall time","ns"],…]`.
pub(crate) fn metrics(out: &mut dyn Write, of: &[Metric], profile: &Profile) -> io::Result<()> {
    list(out, of, |out, &metric| {
        texts(
            out,
            [
                metric.name(),
                units::title(metric, profile),
                units::unit(metric, profile.metrics),
            ],
        )
    })
}

/// Writes the properties of functions, one column each.
pub(crate) fn functions(out: &mut dyn Write, symbols: &[&Symbol]) -> io::Result<()> {
    let mut files: Vec<&[u8]> = Vec::new();
    let mut numbers_of: HashMap<&[u8], usize> = HashMap::new();
    let mut file_of = Vec::with_capacity(symbols.len());
    for symbol in symbols {
        file_of.push(symbol.file.as_deref().map_or(-1_i64, |file| {
            let number = *numbers_of.entry(file).or_insert_with(|| {
                files.push(file);
                files.len() - 1
            });
            i64::try_from(number).unwrap_or(-1)
        }));
    }
    out.write_all(b"{\"names\":")?;
    texts(out, symbols.iter().map(|symbol| tooltip::name(symbol)))?;
    out.write_all(b",\n\"file\":")?;
    numbers(out, file_of)?;
    out.write_all(b",\n\"line\":")?;
    numbers(out, symbols.iter().map(|symbol| symbol.line))?;
    out.write_all(b",\n\"internal\":")?;
    numbers(out, symbols.iter().map(|symbol| u8::from(symbol.internal)))?;
    out.write_all(b",\n\"shade\":")?;
    numbers(out, symbols.iter().map(|symbol| colours::of_symbol(symbol)))?;
    out.write_all(b",\n\"files\":")?;
    texts(
        out,
        files
            .iter()
            .map(|file| shortened(&lossy(file), 300).into_owned()),
    )?;
    out.write_all(b"}")
}

/// Writes the ramps of all modes: `{"package":[[light…],[dark…]],…}`.
pub(crate) fn ramps(out: &mut dyn Write) -> io::Result<()> {
    for (number, mode) in FlameColour::ALL.into_iter().enumerate() {
        out.write_all(if number == 0 { b"{" } else { b",\n" })?;
        text(out, mode.name())?;
        out.write_all(b":")?;
        list(out, colours::ramp(mode), |out, ramp| texts(out, ramp))?;
    }
    out.write_all(b"}")
}

/// Writes a set of graphs.
pub(crate) fn graphs(
    out: &mut dyn Write,
    set: &GraphSet<'_>,
    options: &WriteOptions,
) -> io::Result<()> {
    let colour = options.flame.colour.unwrap_or(if options.base.is_some() {
        FlameColour::Difference
    } else {
        FlameColour::Package
    });
    let is_flame = options.flame.direction == FlameDirection::Flame;
    out.write_all(b"{\"colour\":")?;
    text(out, colour.name())?;
    write!(
        out,
        ",\"flame\":{is_flame},\"more\":{},\n\"graphs\":",
        set.left_out
    )?;
    list(out, &set.graphs, |out, item| graph(out, item, set))?;
    out.write_all(b"}")
}

fn graph(out: &mut dyn Write, graph: &Graph, set: &GraphSet<'_>) -> io::Result<()> {
    out.write_all(b"{\"label\":")?;
    text(out, graph.label.as_deref().unwrap_or_default())?;
    write!(out, ",\"leftOut\":{},\n\"depth\":", graph.left_out)?;
    numbers(out, graph.blocks.iter().map(|block| block.depth))?;
    out.write_all(b",\n\"fn\":")?;
    numbers(out, graph.blocks.iter().map(|block| block.symbol.0))?;
    out.write_all(b",\n\"new\":")?;
    list(out, &graph.columns, |out, column| values(out, &column.new))?;
    if graph.columns.iter().any(|column| column.base.is_some()) {
        out.write_all(b",\n\"base\":")?;
        let base = graph
            .columns
            .iter()
            .filter_map(|column: &Column| column.base.as_ref());
        list(out, base, values)?;
    }
    out.write_all(b",\n\"vanished\":")?;
    list(out, &graph.vanished, |out, gone| {
        write!(out, "[{},", gone.cost)?;
        let names = gone
            .path
            .iter()
            .filter_map(|symbol| set.stacks.symbols.get(symbol.index()));
        texts(out, names.map(|symbol| tooltip::name(symbol)))?;
        out.write_all(b"]")
    })?;
    out.write_all(b"}")
}

/// `[own, rest]`.
fn values(out: &mut dyn Write, values: &Values) -> io::Result<()> {
    list(out, [&values.own, &values.rest], |out, column| {
        numbers(out, column)
    })
}
