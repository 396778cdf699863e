//! Many profiles as one: costs of the same functions are added up.
//!
//! Functions are identified by name. The result holds only what all of them
//! hold: edges if one of them has only edges, else a tree; samples if all are
//! samples, each stack once and without times. Costs that one of them lacks are
//! left out, and so are metadata that differ. Spans are kept one by one, up to
//! the limit of a profile, with times since the beginning of their own profile.
//!
//! **Invariant:** merging is associative and commutative, up to the
//! [`canonical`](Profile::canonical) order.

use std::collections::HashMap;
use std::fmt;

use crate::edges::EdgeSum;
use crate::table::known_mut;
use crate::{
    Activation, Body, Budget, Cost, EdgeTable, LinedId, LinesBuilder, Meta, Metrics, Mode, NodeId,
    Profile, Samples, SamplesBuilder, Spans, SpansBuilder, Symbol, SymbolId, Table, Tree,
    TreeBuilder, WallUnit,
};

/// The tag with the number of merged profiles.
const RUNS: &str = "runs";

/// Why profiles cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// There are no profiles.
    Nothing,
    /// The profiles count different things: samples, time, instructions.
    Units {
        /// The [unit](Profile::unit) of the profiles so far.
        one: String,
        /// The unit of the profile that does not fit.
        other: String,
    },
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("there are no profiles to merge"),
            Self::Units { one, other } => write!(
                f,
                "one profile counts {one}, another {other}: they do not add up"
            ),
        }
    }
}

impl std::error::Error for MergeError {}

/// Merges profiles.
///
/// # Errors
///
/// [`MergeError`].
pub fn merge<'a>(profiles: impl IntoIterator<Item = &'a Profile>) -> Result<Profile, MergeError> {
    let mut merger = Merger::default();
    for profile in profiles {
        merger.add(profile)?;
    }
    merger.finish()
}

/// Merges profiles one by one, so that only one has to be in memory.
#[derive(Debug)]
pub struct Merger {
    symbols: Vec<Symbol>,
    by_name: HashMap<Box<[u8]>, SymbolId>,
    sum: Option<Sum>,
    spans: SpansBuilder,
    lines: LinesBuilder,
    runs: u64,
}

#[derive(Debug)]
struct Sum {
    /// See [`Profile::unit`].
    unit: String,
    shape: Shape,
    metrics: Metrics,
    meta: Meta,
}

#[derive(Debug)]
enum Shape {
    Samples(SampleSum),
    Tree(TreeBuilder),
    Edges(EdgeSum),
}

impl Default for Merger {
    fn default() -> Self {
        Self {
            symbols: Vec::new(),
            by_name: HashMap::new(),
            sum: None,
            spans: SpansBuilder::new(Spans::MOST),
            lines: LinesBuilder::within(&Budget::unlimited()),
            runs: 0,
        }
    }
}

impl Merger {
    /// Adds a profile.
    ///
    /// # Errors
    ///
    /// [`MergeError::Units`].
    pub fn add(&mut self, profile: &Profile) -> Result<(), MergeError> {
        if let Some(sum) = &self.sum
            && sum.unit != profile.unit()
        {
            return Err(MergeError::Units {
                one: sum.unit.clone(),
                other: profile.unit().to_owned(),
            });
        }
        let numbers = self.numbers(&profile.symbols);
        let number = |symbol| numbers[symbol];
        self.spans.add(&profile.spans, number);
        self.lines.add(&profile.lines, number);
        let shape = self.sum.as_mut().map(|sum| std::mem::take(&mut sum.shape));
        let shape = match (shape, &profile.body) {
            (None, Body::Samples(samples)) => {
                Shape::Samples(SampleSum::default().add(samples, number))
            }
            (Some(Shape::Samples(sum)), Body::Samples(samples)) => {
                Shape::Samples(sum.add(samples, number))
            }
            (Some(Shape::Edges(sum)), _) => Shape::Edges(add_edges(sum, &profile.edges(), number)),
            (shape, _) => match profile.tree() {
                Some(tree) => Shape::Tree(add_tree(
                    shape.map_or_else(TreeBuilder::new, Shape::into_tree),
                    &tree,
                    number,
                )),
                None => {
                    let sum = shape.map_or_else(EdgeSum::default, Shape::into_edges);
                    Shape::Edges(add_edges(sum, &profile.edges(), number))
                }
            },
        };
        let runs = profile.meta.tag(RUNS).and_then(|runs| runs.parse().ok());
        self.runs = self.runs.saturating_add(runs.unwrap_or(1));
        self.sum = Some(match self.sum.take() {
            None => Sum {
                unit: profile.unit().to_owned(),
                shape,
                metrics: profile.metrics,
                meta: profile.meta.clone(),
            },
            Some(sum) => Sum {
                unit: sum.unit,
                shape,
                metrics: common_metrics(sum.metrics, profile.metrics),
                meta: common_meta(sum.meta, &profile.meta),
            },
        });
        Ok(())
    }

    /// The sum of all profiles that were added.
    ///
    /// # Errors
    ///
    /// [`MergeError::Nothing`].
    pub fn finish(self) -> Result<Profile, MergeError> {
        let Some(Sum {
            shape,
            metrics,
            mut meta,
            ..
        }) = self.sum
        else {
            return Err(MergeError::Nothing);
        };
        let mut body = match shape {
            Shape::Samples(sum) => Body::Samples(sum.finish()),
            Shape::Tree(builder) => Body::Tree(builder.finish()),
            Shape::Edges(sum) => Body::Edges(sum.finish()),
        };
        let costs: Box<dyn Iterator<Item = &mut Cost>> = match &mut body {
            Body::Tree(tree) => Box::new(tree.nodes.iter_mut().map(|node| &mut node.cost)),
            Body::Edges(table) => {
                let costs = table.edges.iter_mut().map(|edge| &mut edge.cost);
                Box::new(costs.chain([&mut table.root]))
            }
            _ => Box::new(std::iter::empty()),
        };
        for cost in costs {
            if !metrics.cpu {
                cost.cpu = 0;
            }
            if !metrics.memory {
                (cost.memory, cost.peak) = (0, 0);
            }
        }
        if self.runs > 1 {
            meta.set_tag(RUNS, self.runs.to_string());
        }
        Ok(Profile {
            symbols: self.symbols,
            body,
            metrics,
            meta,
            spans: self.spans.finish(),
            lines: self.lines.finish(),
        })
    }

    /// The numbers of a profile's symbols in the sum.
    fn numbers(&mut self, symbols: &[Symbol]) -> Table<SymbolId, SymbolId> {
        let mut numbers = Table::with_capacity(symbols.len());
        for symbol in symbols {
            let next = SymbolId(u32::try_from(self.symbols.len()).unwrap_or(u32::MAX));
            // Roots are the same function under any name.
            let is_root = numbers.is_empty();
            let number = if is_root && next != SymbolId::ROOT {
                Some(SymbolId::ROOT)
            } else {
                self.by_name.get(&symbol.name).copied()
            };
            let number = number.unwrap_or_else(|| {
                self.by_name.insert(symbol.name.clone(), next);
                self.symbols.push(symbol.clone());
                next
            });
            if let Some(known) = known_mut(&mut self.symbols, number) {
                agree(known, symbol);
            }
            numbers.push(number);
        }
        numbers
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self::Edges(EdgeSum::default())
    }
}

impl Shape {
    fn into_tree(self) -> TreeBuilder {
        let same = |symbol| symbol;
        match self {
            Self::Tree(builder) => builder,
            Self::Samples(sum) => add_tree(TreeBuilder::new(), &sum.finish().to_tree(), same),
            // Edges stay edges: they cannot become a tree.
            Self::Edges(_) => TreeBuilder::new(),
        }
    }

    fn into_edges(self) -> EdgeSum {
        match self {
            Self::Edges(sum) => sum,
            other => {
                let edges = other.into_tree().finish().to_edges();
                add_edges(EdgeSum::default(), &edges, |symbol| symbol)
            }
        }
    }
}

fn add_tree(
    mut builder: TreeBuilder,
    tree: &Tree,
    number: impl Fn(SymbolId) -> SymbolId,
) -> TreeBuilder {
    let mut places = Table::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let is_root = places.is_empty();
        let place = if is_root {
            NodeId::ROOT
        } else {
            builder.child(places[node.parent], number(node.symbol))
        };
        places.push(place);
        *builder.cost(place) += node.cost;
    }
    builder
}

fn add_edges(
    mut sum: EdgeSum,
    table: &EdgeTable,
    number: impl Fn(SymbolId) -> SymbolId,
) -> EdgeSum {
    let end = |activation: Activation| Activation {
        symbol: number(activation.symbol),
        ..activation
    };
    sum.add_root(table.root);
    for edge in &table.edges {
        sum.add(end(edge.caller), end(edge.callee), edge.cost);
    }
    sum
}

/// Stacks with the weight of all samples of each.
#[derive(Debug, Default)]
struct SampleSum {
    builder: SamplesBuilder,
}

impl SampleSum {
    fn add(mut self, samples: &Samples, number: impl Fn(SymbolId) -> SymbolId) -> Self {
        let builder = &mut self.builder;
        let mut stacks = Table::with_capacity(samples.stacks.len());
        for stack in &samples.stacks {
            let is_root = stacks.is_empty();
            stacks.push(if is_root {
                NodeId::ROOT
            } else {
                builder.push(stacks[stack.parent], number(stack.symbol))
            });
        }
        let files = samples.lined.files.iter();
        let files: Vec<_> = files.map(|name| builder.line_file(name)).collect();
        let mut lined = Table::of(vec![LinedId::UNKNOWN]);
        for stack in &samples.lined.list {
            let file = stack.file.and_then(|file| *files.get(file.index())?);
            let caller: LinedId = lined[stack.parent];
            lined.push(builder.line(caller, stacks[stack.stack], file, stack.line));
        }
        for sample in &samples.samples {
            if sample.weight > 0 {
                builder.count(stacks[sample.stack], lined[sample.lined], sample.weight);
            }
        }
        self
    }

    fn finish(self) -> Samples {
        let mut samples = self.builder.finish();
        samples
            .samples
            .sort_by_key(|sample| (sample.stack, sample.lined));
        samples
    }
}

/// Makes a symbol the common one of both: where they differ, the lesser value,
/// so that the order of merging does not matter; known values have priority.
fn agree(symbol: &mut Symbol, other: &Symbol) {
    let place = |symbol: &Symbol| {
        (
            symbol.file.is_none(),
            symbol.file.clone(),
            symbol.line == 0,
            symbol.line,
        )
    };
    if place(other) < place(symbol) {
        symbol.file.clone_from(&other.file);
        symbol.line = other.line;
    }
    symbol.internal |= other.internal;
    if other.name < symbol.name {
        symbol.name.clone_from(&other.name);
    }
}

fn common_metrics(one: Metrics, other: Metrics) -> Metrics {
    Metrics {
        calls: one.calls && other.calls,
        wall_unit: match one.wall_unit {
            WallUnit::Samples => WallUnit::Samples,
            WallUnit::Nanoseconds => other.wall_unit,
        },
        cpu: one.cpu && other.cpu,
        memory: one.memory && other.memory,
    }
}

fn common_meta(one: Meta, other: &Meta) -> Meta {
    fn same<T: PartialEq>(one: Option<T>, other: Option<&T>) -> Option<T> {
        one.filter(|one| Some(one) == other)
    }
    let started = [one.started_unix_us, other.started_unix_us];
    Meta {
        title: same(one.title, other.title.as_ref()),
        started_unix_us: started.into_iter().flatten().min(),
        host: same(one.host, other.host.as_ref()),
        process: same(one.process, other.process.as_ref()),
        sapi: same(one.sapi, other.sapi.as_ref()),
        php_version: same(one.php_version, other.php_version.as_ref()),
        creator: same(one.creator, other.creator.as_ref()),
        mode: if one.mode == other.mode {
            one.mode
        } else {
            Mode::Unknown
        },
        interval_ns: same(one.interval_ns, other.interval_ns.as_ref()),
        counts: same(one.counts, other.counts.as_ref()),
        not_read: {
            let mut not_read = one.not_read;
            not_read.extend_from_slice(&other.not_read);
            not_read.sort();
            not_read.dedup();
            not_read
        },
        peak_memory: one.peak_memory.max(other.peak_memory),
        is_truncated: one.is_truncated || other.is_truncated,
        is_estimated: one.is_estimated || other.is_estimated,
        tags: {
            let tags = one.tags.into_iter();
            let is_same = |(name, value): &(String, String)| {
                name != RUNS && other.tag(name) == Some(value.as_str())
            };
            tags.filter(is_same).collect()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_say_of_themselves_stays() {
        let mut one = Profile::empty();
        one.meta.title = Some("GET /".to_owned());
        one.meta.host = Some("web1".to_owned());
        one.meta.started_unix_us = Some(9);
        one.meta.set_tag("status", "200");
        one.meta.set_tag("user", "a");
        let mut other = one.clone();
        other.meta.host = Some("web2".to_owned());
        other.meta.started_unix_us = Some(7);
        other.meta.set_tag("user", "b");
        let both = merge([&one, &other]).unwrap();
        assert_eq!(both.meta.title.as_deref(), Some("GET /"));
        assert_eq!(
            (both.meta.host.as_ref(), both.meta.started_unix_us),
            (None, Some(7))
        );
        let tags = [("status", "200"), ("runs", "2")];
        assert_eq!(
            both.meta.tags,
            tags.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        let three = merge([&both, &one]).unwrap();
        assert_eq!(three.meta.tag("runs"), Some("3"));
    }

    #[test]
    fn samples_and_times_do_not_add_up() {
        let mut sampled = Profile::empty();
        sampled.metrics.wall_unit = WallUnit::Samples;
        let mut counted = sampled.clone();
        counted.meta.counts = Some("Ir".to_owned());
        let reason = |one: &Profile, other: &Profile| merge([one, other]).unwrap_err().to_string();
        assert_eq!(
            reason(&sampled, &Profile::empty()),
            "one profile counts samples, another time: they do not add up"
        );
        assert_eq!(
            reason(&counted, &sampled),
            "one profile counts Ir, another samples: they do not add up"
        );
        assert_eq!(merge([&counted, &counted]).unwrap().unit(), "Ir");
        assert_eq!(merge([]), Err(MergeError::Nothing));
    }
}
