//! The report as JSON: the same numbers, unrounded, with their units in their
//! names.

use formats::flamegraph::moment;
use profile::{Metric, Metrics, Mode, Profile, SymbolId, WallUnit};
use serde_json::{Map, Value, json};
use view::paths::Shown;
use view::{Costs, FunctionRow, LineRow, NeighbourRow, Summary};

use super::functions::Functions;
use super::neighbours::{Beside, Direction};
use super::tree::Paths;

impl Functions<'_> {
    /// Adds the table of functions to a report.
    pub(super) fn add_to(&self, report: Value, name: &str) -> Value {
        let rows = self.rows.iter();
        let functions: Vec<Value> = rows.map(|row| function(self.profile, row)).collect();
        with(report, name, functions.into())
    }
}

impl Beside<'_> {
    /// Adds a function and its neighbours to a report.
    pub(super) fn add_to(&self, report: Value) -> Value {
        let profile = self.profile;
        let neighbours = self.neighbours.iter().map(|one| neighbour(profile, one));
        let neighbours: Vec<Value> = neighbours.collect();
        let report = with(report, "function", function(profile, &self.function));
        let name = match self.direction {
            Direction::Callers => "callers",
            Direction::Callees => "callees",
        };
        with(report, name, neighbours.into())
    }
}

impl Paths<'_> {
    /// Adds the paths to a report, parents before children.
    pub(super) fn add_to(&self, report: Value) -> Value {
        let paths = self.of.shown.iter().map(|node| path(self.profile, node));
        let paths: Vec<Value> = paths.collect();
        let name = if self.of.is_inverted {
            "inverted"
        } else {
            "tree"
        };
        with(report, name, paths.into())
    }
}

/// The version of the reports' JSON, which `docs/report.schema.json` describes.
/// It increases when a key is removed or changes its meaning, not with new
/// keys.
pub(crate) const VERSION: u32 = 1;

/// What every report begins with.
pub(crate) fn head(profile: &Profile, summary: &Summary, title: &str, metric: Metric) -> Value {
    let title = profile.meta.title.as_deref().unwrap_or(title);
    json!({
        "format": "xhprof-report",
        "version": VERSION,
        "title": title,
        "meta": meta(profile),
        "metric": metric.name(),
        "estimated": summary.is_estimated,
        "truncated": summary.is_truncated,
        "calls": summary.calls,
        "total": costs(profile, &summary.total),
    })
}

/// The metadata of the profile; unknown values are left out.
fn meta(profile: &Profile) -> Value {
    let meta = &profile.meta;
    let mode = match meta.mode {
        Mode::Unknown => None,
        Mode::Traced => Some("traced"),
        Mode::Sampled => Some("sampled"),
    };
    let is_counted = profile.metrics.wall_unit == WallUnit::Samples;
    let counts = is_counted.then(|| profile.counted());
    let tags = meta.tags.iter();
    let tags: Map<_, _> = tags
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    let known = [
        ("date", meta.started_unix_us.map(moment).map(Value::from)),
        ("started_unix_us", meta.started_unix_us.map(Value::from)),
        ("host", meta.host.as_deref().map(Value::from)),
        ("process", meta.process.map(Value::from)),
        ("sapi", meta.sapi.as_deref().map(Value::from)),
        ("php_version", meta.php_version.as_deref().map(Value::from)),
        ("creator", meta.creator.as_deref().map(Value::from)),
        ("mode", mode.map(Value::from)),
        ("interval_ns", meta.interval_ns.map(Value::from)),
        ("peak_memory_bytes", meta.peak_memory.map(Value::from)),
        ("counts", counts.map(Value::from)),
        (
            "not_read",
            (!meta.not_read.is_empty()).then(|| meta.not_read.clone().into()),
        ),
        ("tags", Some(tags.into())),
    ];
    let known = known.into_iter();
    let known = known.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(known.collect())
}

/// A call path.
pub(super) fn path(profile: &Profile, node: &Shown) -> Value {
    let path = with(symbol(profile, node.symbol), "depth", node.depth.into());
    let (inclusive, own) = (Costs::inclusive(&node.inclusive), Costs::own(&node.own, 0));
    let path = with(path, "inclusive", costs(profile, &inclusive));
    with(path, "self", own_costs(profile, &own))
}

/// A caller or callee.
pub(super) fn neighbour(profile: &Profile, row: &NeighbourRow) -> Value {
    let symbol = symbol(profile, SymbolId(row.function));
    with(symbol, "inclusive", costs(profile, &row.costs))
}

/// A function.
pub(super) fn function(profile: &Profile, row: &FunctionRow) -> Value {
    let function = symbol(profile, SymbolId(row.function));
    let function = with(function, "inclusive", costs(profile, &row.inclusive));
    with(function, "self", own_costs(profile, &row.own))
}

/// A source line.
pub(crate) fn line(profile: &Profile, row: &LineRow<'_>) -> Value {
    let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
    let functions = row.functions.iter();
    let functions = functions.map(|symbol| text(profile.name(*symbol)));
    let callees = row.callees.iter().map(|(symbol, costs)| {
        // Samples know the time alone.
        let costs = measured(profile, costs, |metric| {
            metric == Metric::Wall || costs.calls > 0
        });
        with(self::symbol(profile, *symbol), "inclusive", costs)
    });
    json!({
        "file": row.file.map(text),
        "line": row.line,
        "functions": functions.collect::<Vec<_>>(),
        "inclusive": costs(profile, &row.inclusive),
        "self": own_costs(profile, &row.own),
        "callees": callees.collect::<Vec<_>>(),
    })
}

fn symbol(profile: &Profile, id: SymbolId) -> Value {
    let mut value = Map::new();
    let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
    value.insert("name".to_owned(), text(profile.name(id)));
    let symbol = profile.symbol(id);
    if let Some(file) = &symbol.file {
        value.insert("file".to_owned(), text(file));
    }
    if symbol.line > 0 {
        value.insert("line".to_owned(), symbol.line.into());
    }
    Value::Object(value)
}

/// The name of a cost with its unit.
pub(crate) fn key(metric: Metric, metrics: Metrics) -> &'static str {
    match metric {
        Metric::Wall => match metrics.wall_unit {
            WallUnit::Nanoseconds => "wall_ns",
            WallUnit::Samples => "samples",
        },
        Metric::Cpu => "cpu_ns",
        Metric::Memory => "memory_bytes",
        Metric::Peak => "peak_bytes",
        Metric::Calls => "calls",
    }
}

/// The same for a profile: `count` if it counts something other than samples.
fn key_in(metric: Metric, profile: &Profile) -> String {
    let key = key(metric, profile.metrics);
    let is_other = key == "samples" && profile.meta.counts.is_some();
    if is_other { "count" } else { key }.to_owned()
}

fn costs(profile: &Profile, costs: &Costs) -> Value {
    measured(profile, costs, |_| true)
}

fn own_costs(profile: &Profile, own: &Costs) -> Value {
    // Calls are those of the inclusive cost.
    measured(profile, own, |metric| metric != Metric::Calls)
}

/// The viewer's costs under names that have their units, without what was not
/// measured.
fn measured(profile: &Profile, costs: &Costs, is_wanted: impl Fn(Metric) -> bool) -> Value {
    let metrics = Metric::ALL.into_iter();
    let metrics = metrics.filter(|metric| metric.is_in(profile.metrics) && is_wanted(*metric));
    let costs = metrics.map(|metric| (key_in(metric, profile), costs.of(metric).into()));
    Value::Object(costs.collect())
}

/// `object` with one more key.
pub(crate) fn with(mut object: Value, key: &str, value: Value) -> Value {
    if let Value::Object(map) = &mut object {
        map.insert(key.to_owned(), value);
    }
    object
}
