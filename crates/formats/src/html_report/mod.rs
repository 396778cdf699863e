//! The HTML report: one page with everything in a profile, to open, keep and
//! send.
//!
//! A summary, the flame graph, the critical path, the table of functions, and a
//! section for each function with its callers and callees, to which the boxes
//! of the flame graph link. Rust writes the head and the data; the script
//! builds the rest, when it is displayed.
//!
//! **Invariant:** the page is self-contained: it loads nothing and sends
//! nothing.

mod data;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use profile::{Body, EstimateLimits, FlatTable, Meta, Metric, Profile, Spans};

use crate::flamegraph::html::{SCRIPTS, STYLES, facts, wanted};
use crate::flamegraph::{
    GraphSet, Stacks, has_stacks, metric_amount, metric_percent, metric_title, metric_unit,
    shown_name, title,
};
use crate::format::{Format, Holds, Writes};
use crate::shared::page::{Page, escaped};
use crate::{WriteError, WriteOptions};

/// The report as one page of HTML.
pub const HTML_REPORT: Format = Format {
    id: "html",
    name: "HTML report",
    endings: &["html", "htm"],
    warning: None,
    reads: None,
    writes: Some(Writes {
        holds: Holds::StacksOrEdges,
        all_metrics: true,
        has_threshold: false,
        write,
    }),
};

/// For a profile of edges only, if estimating is off.
const NO_STACKS: &str = "This profile knows who called whom, but not whole stacks, which a flame graph is made of. \
                         --estimate estimates them.";
/// For a base of edges only, if estimating is off.
const NO_BASE_STACKS: &str = "The profile that this one is compared with knows who called whom, but not whole stacks, \
                              which a flame graph is made of. --estimate estimates them.";

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    let wanted = wanted(profile, options);
    // The profile of the flame graph, and its caption.
    let estimate = |of: &Profile| {
        let may = options.estimate && !has_stacks(of);
        may.then(|| of.estimated(EstimateLimits::default()))
    };
    let estimated = estimate(profile);
    let estimated_base = options.base.as_ref().and_then(estimate);
    let stacked = estimated.as_ref().unwrap_or(profile);
    let base = estimated_base.as_ref().or(options.base.as_ref());
    let why_not = if !has_stacks(stacked) {
        Some(NO_STACKS)
    } else if base.is_some_and(|base| !has_stacks(base)) {
        Some(NO_BASE_STACKS)
    } else {
        None
    };
    let set = match why_not {
        None => {
            let stacks = Stacks::new(stacked, base, "HTML report")?;
            Some(GraphSet::with_whole(stacks, options.flame.per, &wanted))
        }
        Some(_) => None,
    };
    let title = title(profile, options, "Profile");
    // Folded once, for the table and the sections.
    let folded = Profile {
        symbols: profile.symbols.clone(),
        body: Body::Edges(profile.edges().into_owned()),
        metrics: profile.metrics,
        meta: Meta::default(),
        spans: Spans::default(),
        lines: profile::Lines::default(),
    };
    let flat = FlatTable::new(&folded);
    let is_estimated = estimated.is_some() || estimated_base.is_some();
    let body = format!(
        "<header class=\"head\"><h1>{}</h1><p class=\"facts\">{}</p></header>\n\
         <nav class=\"parts\" id=\"parts\"></nav>\n<main id=\"report\">\n{}\n{}</main>\n\
         <footer class=\"foot\">Made by xhprof. This page is self-contained: it loads nothing and sends nothing.</footer>",
        escaped(&title),
        facts(profile),
        tags(profile),
        without_script(profile, &flat),
    );
    let page = Page {
        title: &title,
        styles: &[STYLES[0], STYLES[1], include_str!("report.css")],
        scripts: &[
            SCRIPTS[0],
            SCRIPTS[1],
            SCRIPTS[2],
            SCRIPTS[3],
            include_str!("table.js"),
            include_str!("sections.js"),
            include_str!("report.js"),
        ],
        body: &body,
    };
    page.write(out, |out| {
        data::Report {
            profile,
            edges: &folded.edges(),
            flat: &flat,
            base: options.base.as_ref(),
            metrics: &wanted.metrics,
            set: set.as_ref(),
            why_not: why_not.unwrap_or_default(),
            is_estimated,
        }
        .write(options, out)
    })?;
    Ok(())
}

/// Other metadata of the run.
fn tags(profile: &Profile) -> String {
    let peak = profile.meta.peak_memory.map(|bytes| {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        ("peak memory", metric_amount(bytes, "bytes"))
    });
    if profile.meta.tags.is_empty() && peak.is_none() {
        return String::new();
    }
    let mut html = "<dl class=\"tags\">".to_owned();
    let tags = profile.meta.tags.iter();
    let tags = tags.map(|(name, value)| (name.as_str(), value.as_str()));
    let peak = peak.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in tags.chain(peak) {
        let _ = write!(
            html,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            escaped(name),
            escaped(value)
        );
    }
    html + "</dl>\n"
}

/// The number of functions in the table for readers without scripts.
const ROWS_WITHOUT_SCRIPT: usize = 40;

/// The table, for readers without scripts.
fn without_script(profile: &Profile, table: &FlatTable) -> String {
    let metric = Metric::Wall;
    let unit = metric_unit(metric, profile.metrics);
    let total = metric.of(&table.total);
    let mut rows: Vec<_> = table.rows.iter().collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.own.wall), row.symbol));
    let mut html = format!(
        "<noscript><p>Flame graph, sorting and sections need JavaScript, which is off. \
         The functions that cost most by themselves:</p>\n<table class=\"table\"><thead><tr>\
         <th>function</th><th>calls</th><th>self</th><th>self</th><th>inclusive {}</th></tr></thead><tbody>\n",
        escaped(metric_title(metric, profile))
    );
    for row in rows.into_iter().take(ROWS_WITHOUT_SCRIPT) {
        let symbol = profile.symbols.get(row.symbol.index());
        let name = symbol.map_or(Cow::Borrowed("?"), shown_name);
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&name),
            row.inclusive.calls,
            metric_percent(row.own.wall, total),
            metric_amount(row.own.wall, unit),
            metric_amount(metric.of(&row.inclusive), unit),
        );
    }
    html + "</tbody></table></noscript>\n"
}
