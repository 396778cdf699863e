//! A comparison as JSON: every cost, with means and standard deviations.

use profile::{Change, CostChanges, Metric, Statistic, SymbolId};
use serde_json::{Map, Value, json};

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

    fn change(&self, it: Change) -> Value {
        let change = json!({
            "base": it.base.mean,
            "new": it.new.mean,
            "change": it.absolute(),
            "relative": it.relative(),
        });
        if !self.has_spread() {
            return change;
        }
        let [base, new] = self.single();
        let spread = |statistic: Statistic, is_single: bool| match is_single {
            true => Value::Null,
            false => Value::from(statistic.spread),
        };
        let change = with(change, "base_spread", spread(it.base, base));
        let change = with(change, "new_spread", spread(it.new, new));
        with(change, "within_spread", it.is_within_spread().into())
    }
}
