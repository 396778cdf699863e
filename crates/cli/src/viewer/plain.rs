//! What the page shows where JavaScript does not run: the totals, and the
//! costliest functions.

use std::fmt::Write;

use view::{Answer, Costs, Document, FunctionsQuery, MetricName, Question, SortBy, Summary, Unit};

use super::text::escaped;

/// How many functions are shown.
const ROWS: u32 = 200;

/// The summary and a table, as HTML.
pub(super) fn page(document: &mut Document) -> String {
    let mut html = String::new();
    let Ok(Answer::Summary(summary)) = document.answer(&Question::Summary) else {
        return html;
    };
    let _ = write!(
        html,
        "<h1><bdi>{}</bdi></h1>\n<p>{} functions. This page shows more where JavaScript may run: \
         flame graph, order of time, callers and callees, export.</p>\n",
        escaped(&summary.title),
        summary.functions
    );
    let query = FunctionsQuery {
        rows: ROWS,
        sort: SortBy::Own(MetricName::Wall),
        ..FunctionsQuery::default()
    };
    let Ok(Answer::Functions(table)) = document.answer(&Question::Functions(query)) else {
        return html;
    };
    let columns: Vec<MetricName> = summary.metrics.clone();
    html.push_str("<table>\n<thead><tr><th scope=\"col\">Function</th>");
    for column in &columns {
        let (name, unit) = heading(*column, &summary);
        let _ = write!(html, "<th scope=\"col\">{name}{unit}</th>");
        if *column != MetricName::Calls {
            let _ = write!(html, "<th scope=\"col\">own {name}{unit}</th>");
        }
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        let _ = write!(
            html,
            "<tr><th scope=\"row\"><bdi>{}</bdi></th>",
            escaped(&row.name)
        );
        for column in &columns {
            let _ = write!(html, "<td>{}</td>", cost(&row.inclusive, *column, &summary));
            if *column != MetricName::Calls {
                let _ = write!(html, "<td>{}</td>", cost(&row.own, *column, &summary));
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table>");
    if summary.functions > ROWS {
        let _ = write!(html, "\n<p>The {ROWS} costliest of them.</p>");
    }
    html
}

fn heading(metric: MetricName, summary: &Summary) -> (&'static str, &'static str) {
    match metric {
        MetricName::Calls => ("calls", ""),
        MetricName::Wall if summary.unit == Unit::Samples => ("samples", ""),
        MetricName::Wall => ("wall", " (ms)"),
        MetricName::Cpu => ("CPU", " (ms)"),
        MetricName::Memory => ("memory", " (bytes)"),
        MetricName::Peak => ("peak", " (bytes)"),
    }
}

fn cost(costs: &Costs, metric: MetricName, summary: &Summary) -> String {
    match metric {
        MetricName::Calls => costs.calls.to_string(),
        MetricName::Wall if summary.unit == Unit::Samples => costs.wall.to_string(),
        MetricName::Wall => milliseconds(costs.wall),
        MetricName::Cpu => milliseconds(costs.cpu),
        MetricName::Memory => costs.memory.to_string(),
        MetricName::Peak => costs.peak.to_string(),
    }
}

/// Rounded to the microsecond, without a floating point number.
fn milliseconds(nanoseconds: i64) -> String {
    let microseconds = nanoseconds.unsigned_abs().saturating_add(500) / 1_000;
    let sign = if nanoseconds < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", microseconds / 1_000, microseconds % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_to_the_microsecond() {
        assert_eq!(milliseconds(1_234_567), "1.235");
        assert_eq!(milliseconds(1_234_499), "1.234");
        assert_eq!(milliseconds(-5_000), "-0.005");
    }

    #[test]
    fn names_are_text() {
        let text = b"main();</noscript><script>f 2000000\nmain();g 3000000\n";
        let profile = formats::read(&text[..]).unwrap();
        let html = page(&mut Document::new(profile, vec!["<b>.txt".to_owned()]));
        assert!(html.contains("&lt;/noscript&gt;&lt;script&gt;f"), "{html}");
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    }
}
