//! The report for programs: the same numbers, whole, with their units in their
//! names.

use profile::{Cost, FlatRow, FlatTable, Metric, Metrics, Profile, SelfCost, SymbolId, WallUnit};
use serde_json::{Map, Value, json};

use super::functions::Functions;
use super::neighbours::{Beside, Direction};
use super::tree::Paths;

impl Functions<'_> {
    /// The table of functions.
    pub(super) fn json(&self, title: &str) -> Value {
        let rows = self.flat.rows.iter();
        let functions: Vec<Value> = rows.map(|row| function(self.profile, row)).collect();
        with(
            head(self.profile, title, self.metric),
            "functions",
            functions.into(),
        )
    }
}

impl Beside<'_> {
    /// A function and its neighbours.
    pub(super) fn json(&self, title: &str) -> Value {
        let profile = self.profile;
        let neighbours = self.neighbours.iter().map(|it| {
            let symbol = symbol(profile, it.symbol);
            with(symbol, "inclusive", costs(profile.metrics, &it.cost))
        });
        let neighbours: Vec<Value> = neighbours.collect();
        let head = head(profile, title, self.metric);
        let head = with(head, "function", function(profile, &self.function));
        let name = match self.direction {
            Direction::Callers => "callers",
            Direction::Callees => "callees",
        };
        with(head, name, neighbours.into())
    }
}

impl Paths<'_> {
    /// The paths, parents before children.
    pub(super) fn json(&self, title: &str) -> Value {
        let profile = self.profile;
        let paths = self.shown.iter().map(|node| {
            let path = with(symbol(profile, node.symbol), "depth", node.depth.into());
            let path = with(path, "inclusive", costs(profile.metrics, &node.inclusive));
            with(path, "self", own_costs(profile.metrics, &node.own))
        });
        let paths: Vec<Value> = paths.collect();
        let name = if self.is_inverted { "inverted" } else { "tree" };
        with(head(profile, title, self.metric), name, paths.into())
    }
}

pub(super) fn head(profile: &Profile, title: &str, metric: Metric) -> Value {
    let title = profile.meta.title.as_deref().unwrap_or(title);
    json!({
        "title": title,
        "metric": metric.name(),
        "estimated": profile.meta.is_estimated,
        "truncated": profile.meta.is_truncated,
        "calls": profile.calls(),
        "total": costs(profile.metrics, &FlatTable::new(profile).total),
    })
}

fn function(profile: &Profile, row: &FlatRow) -> Value {
    let function = symbol(profile, row.symbol);
    let function = with(
        function,
        "inclusive",
        costs(profile.metrics, &row.inclusive),
    );
    with(function, "self", own_costs(profile.metrics, &row.own))
}

fn symbol(profile: &Profile, id: SymbolId) -> Value {
    let mut value = Map::new();
    let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
    value.insert("name".to_owned(), text(profile.name(id)));
    if let Some(symbol) = profile.symbols.get(id.index()) {
        if let Some(file) = &symbol.file {
            value.insert("file".to_owned(), text(file));
        }
        if symbol.line > 0 {
            value.insert("line".to_owned(), symbol.line.into());
        }
    }
    Value::Object(value)
}

/// What a cost is called where its unit has to be in the name.
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

fn costs(metrics: Metrics, cost: &Cost) -> Value {
    let measured = Metric::ALL.into_iter().filter(|it| it.is_in(metrics));
    let costs = measured.map(|it| (key(it, metrics).to_owned(), it.of(cost).into()));
    Value::Object(costs.collect())
}

fn own_costs(metrics: Metrics, own: &SelfCost) -> Value {
    let measured = Metric::ALL.into_iter().filter(|it| it.is_in(metrics));
    let measured = measured.filter(|it| *it != Metric::Calls);
    let costs = measured.map(|it| (key(it, metrics).to_owned(), it.of_own(own, 0).into()));
    Value::Object(costs.collect())
}

/// `object` with one thing more.
pub(crate) fn with(mut object: Value, key: &str, value: Value) -> Value {
    if let Value::Object(map) = &mut object {
        map.insert(key.to_owned(), value);
    }
    object
}
