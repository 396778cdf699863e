//! A base and a new profile, or groups of both: what changed.
//!
//! With several profiles on a side, costs are means of one profile, and a
//! change knows whether it is larger than what the profiles of one side differ
//! by. Functions and call paths are the same if they have the same names.

use std::collections::HashMap;

use profile::{
    Body, Change, Cost, Diff, EdgeTable, Metric, NodeId, Profile, Spans, SpansBuilder, Symbol,
    SymbolId, Tree, TreeBuilder, merge,
};
use serde::{Deserialize, Serialize};

use crate::comparison::{Comparison, SpansOfBoth};
use crate::document::read;
use crate::functions::SortBy;
use crate::names::{self, Origin};
use crate::pattern::Pattern;
use crate::{Document, Error, MetricName, Source};

/// Which rows of the table of changes to show.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ChangesQuery {
    /// Only functions whose name contains this text, in any case.
    pub filter: String,
    /// The metric that is compared.
    pub metric: MetricName,
    /// What comes first; changes of own cost, the largest first, if not given.
    /// Then changes within the spread of the profiles of one side come after all
    /// others, and tiny ones last.
    pub sort: Option<SortBy>,
    /// The first row to show, counted from zero.
    pub first: u32,
    /// How many rows, at most 1,000.
    pub rows: u32,
}

impl Default for ChangesQuery {
    fn default() -> Self {
        Self {
            filter: String::new(),
            metric: MetricName::Wall,
            sort: None,
            first: 0,
            rows: 100,
        }
    }
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// How many profiles the base is the mean of.
    pub base_runs: u32,
    /// How many profiles the new side is the mean of.
    pub new_runs: u32,
    /// The files of the base.
    pub base_files: Vec<String>,
    /// Whether the spread is known: it takes two profiles on each side.
    pub spread_is_known: bool,
    /// The whole profiles.
    pub total: ChangeOf,
    /// How many functions match.
    pub matches: u32,
    /// The first row's place among those that match.
    pub first: u32,
    /// The rows.
    pub rows: Vec<ChangeRow>,
}

/// A function on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChangeRow {
    /// Its number in this document; none if only the base has it.
    pub function: Option<u32>,
    /// Its name.
    pub name: String,
    /// Which part of the program it belongs to.
    pub origin: Origin,
    /// Its calls.
    pub calls: ChangeOf,
    /// Its cost without callees.
    pub own: ChangeOf,
    /// Its cost with callees.
    pub inclusive: ChangeOf,
}

/// One value on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChangeOf {
    /// Mean of the base.
    pub base: f64,
    /// Standard deviation of the base; zero for one profile.
    pub base_spread: f64,
    /// Mean of the new side.
    pub new: f64,
    /// Standard deviation of the new side; zero for one profile.
    pub new_spread: f64,
    /// New less base.
    pub difference: f64,
    /// The difference as a share of the base; none if the base is zero.
    pub relative: Option<f64>,
    /// Whether profiles of one side differ as much.
    pub within_spread: bool,
}

impl ChangeOf {
    /// A change as answers carry it.
    #[must_use]
    pub fn new(change: Change) -> Self {
        Self {
            base: change.base.mean,
            base_spread: change.base.spread,
            new: change.new.mean,
            new_spread: change.new.spread,
            difference: change.absolute(),
            relative: change.relative(),
            within_spread: change.is_within_spread(),
        }
    }
}

impl Document {
    /// Compares files: what changed from `base` to `new`. Several on a side are
    /// a group: their mean is compared.
    ///
    /// # Errors
    ///
    /// [`Error::NothingToOpen`] if a side is empty, [`Error::Read`],
    /// [`Error::Merge`].
    pub fn compare(base: &[Source<'_>], new: &[Source<'_>]) -> Result<Self, Error> {
        let read_all = |sources: &[Source<'_>]| {
            let profiles = sources.iter().map(read);
            profiles.collect::<Result<Vec<_>, _>>()
        };
        let names = |sources: &[Source<'_>]| {
            let names = sources.iter().map(|source| source.name.to_owned());
            names.collect()
        };
        document(&read_all(base)?, names(base), &read_all(new)?, names(new))
    }
}

/// The document of a comparison: that of the new side, with the base's cost
/// beside each call path.
///
/// # Errors
///
/// [`Error::NothingToOpen`] if a side is empty; [`Error::Merge`].
pub(crate) fn document(
    base: &[Profile],
    base_files: Vec<String>,
    new: &[Profile],
    new_files: Vec<String>,
) -> Result<Document, Error> {
    let (Some(_), Some(first)) = (base.first(), new.first()) else {
        return Err(Error::NothingToOpen);
    };
    let count = |list: &[Profile]| u32::try_from(list.len()).unwrap_or(u32::MAX);
    let comparison = Comparison {
        diff: Diff::of_many(&refs(base), &refs(new)),
        base_runs: count(base),
        new_runs: count(new),
        base_files,
        spans: None,
    };
    let profile = match Union::new(base, new) {
        Some(union) => {
            let mut profile = union.new_profile(first);
            let spans = SpansOfBoth {
                base: union.spans(base),
                new: union.spans(new),
            };
            // Rules for repeated statements compare them with the calls of one run.
            if new.len() == 1 {
                profile.spans = spans.new.clone();
            }
            let mut document = Document::with_base(profile, union.base(), new_files);
            document.set_comparison(Comparison {
                spans: Some(spans),
                ..comparison
            });
            return Ok(document);
        }
        None => mean_of_edges(new)?,
    };
    let mut document = Document::new(profile, new_files);
    document.set_comparison(comparison);
    Ok(document)
}

fn refs(list: &[Profile]) -> Vec<&Profile> {
    list.iter().collect()
}

/// The call paths of both sides in one tree.
struct Union {
    symbols: Vec<Symbol>,
    new: Tree,
    base: Vec<Cost>,
}

impl Union {
    /// None if a profile holds callers and callees only.
    fn new(base: &[Profile], new: &[Profile]) -> Option<Self> {
        let mut names = HashMap::<Box<[u8]>, SymbolId>::new();
        let mut symbols: Vec<Symbol> = Vec::new();
        let mut builder = TreeBuilder::new();
        let mut own: [Vec<Sum>; 2] = [Vec::new(), Vec::new()];
        let sides = base.iter().map(|profile| (0, profile));
        for (side, profile) in sides.chain(new.iter().map(|profile| (1, profile))) {
            let tree = profile.tree()?;
            let numbers: Vec<SymbolId> = profile
                .symbols
                .iter()
                .enumerate()
                .map(|(index, symbol)| {
                    let next = SymbolId(u32::try_from(symbols.len()).unwrap_or(u32::MAX));
                    if index == 0 {
                        if symbols.is_empty() {
                            symbols.push(symbol.clone());
                            names.insert(symbol.name.clone(), SymbolId::ROOT);
                        }
                        return SymbolId::ROOT;
                    }
                    *names.entry(symbol.name.clone()).or_insert_with(|| {
                        symbols.push(symbol.clone());
                        next
                    })
                })
                .collect();
            let self_costs = tree.self_costs();
            let mut places = vec![NodeId::ROOT; tree.nodes.len()];
            for (number, node) in tree.numbered() {
                let index = number.index();
                if index > 0 {
                    let symbol = numbers[node.symbol.index()];
                    places[index] = builder.child(places[node.parent.index()], symbol);
                }
                for sums in &mut own {
                    sums.resize(builder.len(), Sum::default());
                }
                let sum = &mut own[side][places[index].index()];
                let self_cost = self_costs[number];
                let values = [
                    self_cost.wall,
                    self_cost.cpu,
                    self_cost.memory,
                    self_cost.peak,
                ];
                for (sum, value) in sum.costs.iter_mut().zip(values) {
                    *sum = sum.saturating_add(i128::from(value));
                }
                sum.calls = sum.calls.saturating_add(node.cost.calls);
            }
        }
        let shape = builder.finish();
        let side = |sums: &[Sum], runs: usize| {
            let mut nodes = shape.nodes.clone();
            for (node, sum) in nodes.iter_mut().zip(sums) {
                node.cost = sum.mean(runs);
            }
            add_up(&mut nodes, sums, runs);
            Tree { nodes }
        };
        let base_tree = side(&own[0], base.len());
        Some(Self {
            new: side(&own[1], new.len()),
            base: base_tree.nodes.iter().map(|node| node.cost).collect(),
            symbols,
        })
    }

    fn new_profile(&self, like: &Profile) -> Profile {
        Profile {
            symbols: self.symbols.clone(),
            body: Body::Tree(self.new.clone()),
            metrics: like.metrics,
            meta: like.meta.clone(),
            spans: Spans::default(),
            lines: profile::Lines::default(),
        }
    }

    /// The spans of several profiles, with the functions of both sides.
    fn spans(&self, profiles: &[Profile]) -> Spans {
        let numbers: HashMap<&[u8], SymbolId> = self
            .symbols
            .iter()
            .zip(0_u32..)
            .map(|(symbol, number)| (&*symbol.name, SymbolId(number)))
            .collect();
        let mut spans = SpansBuilder::new(Spans::MOST);
        for profile in profiles {
            spans.add(&profile.spans, |symbol| {
                let number = numbers.get(profile.name(symbol));
                number.copied().unwrap_or(SymbolId::ROOT)
            });
        }
        spans.finish()
    }

    fn base(self) -> Vec<Cost> {
        self.base
    }
}

/// Own costs of several profiles: wall, CPU, memory, peak.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    costs: [i128; 4],
    calls: u64,
}

impl Sum {
    /// Of one profile, own part only. Negative times are kept for [`add_up`].
    fn mean(&self, runs: usize) -> Cost {
        let runs_wide = i128::try_from(runs).unwrap_or(1).max(1);
        let signed =
            |place: usize| i64::try_from(self.costs[place] / runs_wide).unwrap_or(i64::MAX);
        Cost {
            calls: self.calls / u64::try_from(runs).unwrap_or(1).max(1),
            wall: 0,
            cpu: 0,
            memory: signed(2),
            peak: signed(3),
        }
    }
}

/// Makes inclusive costs of own ones. Times are added up signed, because a
/// foreign file may charge callees more than their caller.
fn add_up(nodes: &mut [profile::Node], sums: &[Sum], runs: usize) {
    let runs = i128::try_from(runs).unwrap_or(1).max(1);
    let mut times: Vec<[i128; 2]> = sums
        .iter()
        .map(|sum| [sum.costs[0] / runs, sum.costs[1] / runs])
        .collect();
    times.resize(nodes.len(), [0; 2]);
    for index in (0..nodes.len()).rev() {
        let unsigned = |value: i128| u64::try_from(value.max(0)).unwrap_or(u64::MAX);
        let [wall, cpu] = times[index];
        nodes[index].cost.wall = unsigned(wall);
        nodes[index].cost.cpu = unsigned(cpu);
        if index == 0 {
            break;
        }
        let parent = nodes[index].parent.index();
        times[parent][0] += wall;
        times[parent][1] += cpu;
        let Cost { memory, peak, .. } = nodes[index].cost;
        let parent = &mut nodes[parent].cost;
        parent.memory = parent.memory.saturating_add(memory);
        parent.peak = parent.peak.saturating_add(peak);
    }
}

fn mean_of_edges(profiles: &[Profile]) -> Result<Profile, Error> {
    let mut profile = merge(profiles).map_err(Error::Merge)?;
    let runs = u64::try_from(profiles.len()).unwrap_or(1).max(1);
    let signed = i64::try_from(runs).unwrap_or(i64::MAX);
    let mean = |cost: Cost| Cost {
        calls: cost.calls / runs,
        wall: cost.wall / runs,
        cpu: cost.cpu / runs,
        memory: cost.memory / signed,
        peak: cost.peak / signed,
    };
    let edges = profile.edges().into_owned();
    profile.body = Body::Edges(EdgeTable {
        root: mean(edges.root),
        edges: edges
            .edges
            .into_iter()
            .map(|edge| profile::Edge {
                cost: mean(edge.cost),
                ..edge
            })
            .collect(),
    });
    Ok(profile)
}

pub(crate) fn changes(document: &Document, query: &ChangesQuery) -> Result<Changes, Error> {
    let comparison = document.comparison().ok_or(Error::NeedsBase)?;
    let metric: Metric = query.metric.into();
    let diff = &comparison.diff;
    let pattern = Pattern::new(&query.filter);
    let mut rows: Vec<_> = diff
        .functions
        .iter()
        .filter(|row| pattern.matches(diff.name(row.symbol)))
        .collect();
    rows.sort_by(|a, b| diff.name(a.symbol).cmp(diff.name(b.symbol)));
    let by_size = |a: f64, b: f64| b.abs().total_cmp(&a.abs());
    match query.sort {
        Some(SortBy::Name) => {}
        Some(SortBy::Inclusive(of)) => rows.sort_by(|a, b| {
            let of: Metric = of.into();
            by_size(a.inclusive.of(of).absolute(), b.inclusive.of(of).absolute())
        }),
        Some(SortBy::Own(of) | SortBy::PerCall(of)) => rows.sort_by(|a, b| {
            let of: Metric = of.into();
            by_size(a.own.of(of).absolute(), b.own.of(of).absolute())
        }),
        None => {
            let impact = diff.impact(metric);
            rows.sort_by_cached_key(|row| impact(row));
        }
    }
    let numbers = document.numbers_by_name();
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let first = (query.first as usize).min(rows.len());
    let shown = rows.iter().skip(first).take(query.rows.min(1_000) as usize);
    Ok(Changes {
        base_runs: comparison.base_runs,
        new_runs: comparison.new_runs,
        base_files: comparison.base_files.clone(),
        spread_is_known: comparison.base_runs > 1 && comparison.new_runs > 1,
        total: ChangeOf::new(diff.total.of(metric)),
        matches: count(rows.len()),
        first: count(first),
        rows: shown
            .map(|row| {
                let symbol = &diff.symbols[row.symbol.index()];
                ChangeRow {
                    function: numbers.get(&*symbol.name).copied(),
                    name: names::text(&symbol.name),
                    origin: names::origin(symbol),
                    calls: ChangeOf::new(row.inclusive.of(Metric::Calls)),
                    own: ChangeOf::new(row.own.of(metric)),
                    inclusive: ChangeOf::new(row.inclusive.of(metric)),
                }
            })
            .collect(),
    })
}
