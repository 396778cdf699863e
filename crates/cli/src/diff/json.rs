//! A comparison as JSON: every cost, with means and standard deviations.

use profile::{Change, CostChanges, Metric, SymbolId};
use serde_json::{Map, Value, json};
use view::ChangeOf;

use super::shown::Shown;
use crate::input;
use crate::report::json::{VERSION, key, with};

impl Shown<'_> {
    /// Everything that is shown, in the order of the tables.
    pub(super) fn json(&self) -> Value {
        let [base, new] = self.files.map(|files| {
            let titles = files.iter().map(|file| Value::from(input::title(file)));
            titles.collect::<Vec<_>>()
        });
        let functions = self.functions.iter().map(|function| {
            json!({
                "name": self.name(function.symbol),
                "self": self.costs(&function.own),
                "inclusive": self.costs(&function.inclusive),
            })
        });
        let edges = self.edges.iter().map(|edge| {
            json!({
                "caller": self.name(edge.caller),
                "callee": self.name(edge.callee),
                "inclusive": self.costs(&edge.cost),
            })
        });
        let counts = &self.counts;
        let noise = match self.single() {
            [true, true] => "unknown",
            [true, false] => "unknown in base",
            [false, true] => "unknown in new",
            [false, false] => "known",
        };
        json!({
            "format": "xhprof-diff",
            "version": VERSION,
            "base": base,
            "new": new,
            "noise": noise,
            "metric": self.metric.name(),
            "unit": self.unit,
            "total": self.costs(&self.diff.total),
            "counts": {
                "worse": counts.worse,
                "better": counts.better,
                "within_spread": counts.within_spread,
                "unchanged": counts.unchanged,
            },
            "functions": functions.collect::<Vec<_>>(),
            "edges": edges.collect::<Vec<_>>(),
        })
    }

    fn name(&self, symbol: SymbolId) -> Value {
        String::from_utf8_lossy(self.diff.name(symbol)).into()
    }

    fn costs(&self, changes: &CostChanges) -> Value {
        let metrics = self.diff.metrics;
        let measured = Metric::ALL
            .into_iter()
            .filter(|metric| metric.is_in(metrics));
        let costs = measured.map(|metric| {
            let mut change = self.change(changes.of(metric));
            // No percentage of a cost that may be negative.
            if metric.is_signed() {
                change = with(change, "relative", Value::Null);
            }
            let key = match key(metric, metrics) {
                "samples" if self.unit != "samples" => "count",
                key => key,
            };
            (key.to_owned(), change)
        });
        Value::Object(costs.collect::<Map<_, _>>())
    }

    /// The viewer's change under this format's names.
    fn change(&self, change: Change) -> Value {
        let change = ChangeOf::new(change);
        let value = json!({
            "base": change.base,
            "new": change.new,
            "change": change.difference,
            "relative": change.relative,
        });
        if !self.has_spread() {
            return value;
        }
        let [base, new] = self.single();
        let spread = |spread: f64, is_single: bool| match is_single {
            true => Value::Null,
            false => Value::from(spread),
        };
        let value = with(value, "base_spread", spread(change.base_spread, base));
        let value = with(value, "new_spread", spread(change.new_spread, new));
        with(value, "within_spread", change.within_spread.into())
    }
}
