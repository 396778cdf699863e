//! Runs as a table, from which two can be chosen.

use store::{RunId, RunInfo};

use super::html::{Table, condition, encoded, escaped, route};
use super::units::{date_us, number, time};
use crate::bytes::bytes;

/// What surrounds a table of runs.
pub(super) struct RunTable<'a> {
    /// What the table is called.
    pub(super) label: &'a str,
    /// The address that its headings sort: `/?q=…`.
    pub(super) address: &'a str,
    /// Whether new runs appear at its top.
    pub(super) is_live: bool,
}

impl RunTable<'_> {
    /// The table, with a button that compares two runs.
    pub(super) fn html(&self, runs: &[RunInfo]) -> String {
        let sorted = |sort: &str, name: &str| {
            format!(
                "<a href=\"{}&amp;sort={sort}\">{name}</a>",
                escaped(self.address)
            )
        };
        let mut table = Table::new(
            self.label,
            &[
                ("pick", "<span class=\"hidden\">Choose</span>"),
                ("left", &sorted("started", "Started (UTC)")),
                ("name", "Route"),
                ("few", "Status"),
                ("", &sorted("wall", "Wall")),
                ("few", &sorted("cpu", "CPU")),
                ("few", &sorted("peak", "Peak")),
                ("few", &sorted("sql", "SQL")),
                ("few", &sorted("calls", "Calls")),
                ("left few", "Release"),
                ("left few", "Host"),
                ("left few", "Tags"),
            ],
        );
        for run in runs {
            row(&mut table, run);
        }
        let live = if self.is_live { " data-live" } else { "" };
        format!(
            "<form class=\"runs\" action=\"/compare\"{live}>{}<p class=\"bar\">\
             <button>Compare the two chosen runs</button> <span role=\"status\"></span></p></form>",
            table.finish()
        )
    }
}

fn row(table: &mut Table, run: &RunInfo) {
    let started = date_us(run.started_us);
    let wall = if run.unit == "time" {
        time(run.wall)
    } else {
        format!("{} {}", number(run.wall), escaped(&run.unit))
    };
    let class = if run.failed { " class=\"failed\"" } else { "" };
    table.row(
        &format!("{class} data-run=\"{}\"", run.id),
        [
            format!(
                "<input type=\"checkbox\" name=\"run\" value=\"{}\" aria-label=\"Choose {} of {started}\">",
                run.id,
                escaped(&run.route)
            ),
            format!("<a href=\"/run/{}\">{started}</a>", run.id),
            route(&run.app, &run.route),
            escaped(&run.status),
            wall,
            run.cpu.map_or_else(String::new, time),
            run.peak.map_or_else(String::new, bytes),
            number(run.sql),
            number(run.calls),
            escaped(&run.release),
            escaped(&run.host),
            tags(run),
        ],
    );
}

/// The label and the tags, each as a filter.
fn tags(run: &RunInfo) -> String {
    let tag = |filter: &str, text: &str| {
        format!(
            "<a class=\"tag\" href=\"/?q={}\">{}</a>",
            encoded(filter),
            escaped(text)
        )
    };
    let label = (!run.label.is_empty()).then(|| {
        let filter = condition("label", &run.label);
        tag(&filter, &run.label)
    });
    let tags = run.tags.iter().map(|(name, value)| {
        let filter = condition(&format!("tag.{name}"), value);
        tag(&filter, &format!("{name}: {value}"))
    });
    label.into_iter().chain(tags).collect::<Vec<_>>().join(" ")
}

/// The address of two runs in the viewer.
pub(super) fn comparison(base: RunId, new: RunId) -> String {
    format!("/compare/runs?base={base}&new={new}")
}
