//! The functions that explain a change, as a table; noise is folded.

use regressions::significance::Confidence;
use store::FunctionChange;

use super::html::{Table, function};
use super::units::{difference, rate, signed, span};

/// The most rows of each table.
const MAX_ROWS: usize = 50;

/// The share of a run's time below which a change matters to no reader, however
/// sure it is.
const MIN_SHARE: f64 = 0.001;

/// What a table explains.
pub(super) struct Changes<'a> {
    /// Its name: `mean`.
    pub(super) of: &'a str,
    /// The functions, those with the largest changes first.
    pub(super) rows: &'a [FunctionChange],
    /// How sure the change of each is.
    pub(super) confidences: &'a [Confidence],
    /// The whole before and after, in nanoseconds a run.
    pub(super) whole: [f64; 2],
    /// The filter of the functions' pages.
    pub(super) filter: &'a str,
}

impl Changes<'_> {
    /// The change of the whole, in nanoseconds a run.
    fn change(&self) -> f64 {
        self.whole[1] - self.whole[0]
    }
}

fn words(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Sure => "sure",
        Confidence::Likely => "likely",
        Confidence::Noise => "within noise",
        Confidence::Unknown => "too few runs",
    }
}

/// The functions whose change is sure or likely, and matters; the others folded.
pub(super) fn table(changes: &Changes<'_>) -> String {
    let judged = changes.rows.iter().zip(changes.confidences.iter().copied());
    let least = MIN_SHARE * changes.whole[0].max(changes.whole[1]);
    let is_told = |(row, confidence): &(&FunctionChange, Confidence)| {
        matches!(confidence, Confidence::Sure | Confidence::Likely)
            && (row.own_after - row.own_before).abs() >= least
    };
    let (told, rest): (Vec<_>, Vec<_>) = judged.partition(is_told);
    let mut html = if told.is_empty() {
        "<p>No function changed more than noise does.</p>".to_owned()
    } else {
        rows("that changed", &told, changes)
    };
    if !rest.is_empty() {
        let sum: f64 = rest
            .iter()
            .map(|(row, _)| row.own_after - row.own_before)
            .sum();
        html.push_str(&format!(
            "<details><summary>{} functions within noise, below 0.1 % of the time or with too few runs: {} a run together</summary>{}</details>",
            rest.len(),
            difference(sum),
            rows("that explain nothing", &rest, changes)
        ));
    }
    html
}

fn rows(label: &str, rows: &[(&FunctionChange, Confidence)], changes: &Changes<'_>) -> String {
    let mut table = Table::new(
        &format!("Functions {label}, of the {}", changes.of),
        &[
            ("name", "Function"),
            ("", "Change"),
            ("left", "How sure"),
            ("few bars", "Part of the change"),
            ("few", "Before"),
            ("few", "After"),
            ("few", "By calls"),
            ("few", "By cost"),
            ("few", "Calls before"),
            ("few", "after"),
        ],
    );
    let shown = rows.iter().take(MAX_ROWS);
    let largest = shown.map(|(row, _)| (row.own_after - row.own_before).abs());
    let largest = largest.fold(0.0, f64::max);
    for (row, confidence) in rows.iter().take(MAX_ROWS) {
        let change = row.own_after - row.own_before;
        let class = match confidence {
            Confidence::Sure if change > 0.0 => "sure more",
            Confidence::Sure => "sure less",
            Confidence::Likely => "likely",
            Confidence::Noise | Confidence::Unknown => "dim",
        };
        table.row(
            "",
            [
                function(&row.name, changes.filter),
                difference(change),
                format!("<span class=\"{class}\">{}</span>", words(*confidence)),
                bar(change, largest, changes.change()),
                span(row.own_before),
                span(row.own_after),
                difference(row.by_calls),
                difference(change - row.by_calls),
                rate(row.calls_before),
                rate(row.calls_after),
            ],
        );
    }
    let mut html = table.finish();
    if rows.len() > MAX_ROWS {
        html.push_str(&format!(
            "<p class=\"dim\">And {} more.</p>",
            rows.len() - MAX_ROWS
        ));
    }
    html
}

/// A bar to the right for more time, to the left for less, and its share.
fn bar(change: f64, largest: f64, whole: f64) -> String {
    let width = if largest > 0.0 {
        48.0 * change.abs() / largest
    } else {
        0.0
    };
    let (class, x) = if change > 0.0 {
        ("more", 50.0)
    } else {
        ("less", 50.0 - width)
    };
    // A share of a change that is nearly nothing says nothing.
    let share = if whole.abs() > 0.2 * largest {
        signed(100.0 * change / whole, 0) + " %"
    } else {
        String::new()
    };
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 12\" aria-hidden=\"true\"><path d=\"M50 0V12\"/>\
         <rect class=\"{class}\" x=\"{x:.1}\" y=\"2\" width=\"{width:.1}\" height=\"8\"/></svg> {share}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_folded_and_names_are_text() {
        let row = |name: &str, change: f64| FunctionChange {
            name: name.to_owned(),
            own_before: 1e6,
            own_after: 1e6 * change.exp(),
            calls_before: 1.0,
            calls_after: 1.0,
            ln_change: Some(change),
            z: Some(change / 0.01),
            ..FunctionChange::default()
        };
        let html = table(&Changes {
            of: "mean",
            rows: &[
                row("<slow>", 0.5),
                row("same", 0.01),
                FunctionChange {
                    own_before: 1e3,
                    own_after: 2e3,
                    ..row("tiny", 0.7)
                },
            ],
            confidences: &[Confidence::Sure, Confidence::Noise, Confidence::Sure],
            whole: [2e6, 2.66e6],
            filter: "",
        });
        let (told, folded) = html.split_once("<details>").unwrap();
        assert!(told.contains("&lt;slow&gt;") && told.contains(">sure<") && !told.contains("same"));
        assert!(folded.contains("same") && folded.contains("within noise"));
        assert!(folded.contains("tiny") && !told.contains("tiny"));
    }
}
