//! The flame graph as a page of its own.

use std::io::Write;

use profile::Profile;

use super::{GraphSet, Stacks, Wanted, caption, data, measured};
use crate::shared::page::{Page, escaped};
use crate::{WriteError, WriteOptions};

/// The page draws only the visible ones, so there may be many.
pub(crate) const MAX_BOXES: usize = 60_000;
const MAX_LEVELS: u32 = 20_000;

pub(crate) const SCRIPTS: [&str; 4] = [
    include_str!("../shared/page.js"),
    include_str!("model.js"),
    include_str!("draw.js"),
    include_str!("flame.js"),
];
pub(crate) const STYLES: [&str; 2] = [
    include_str!("../shared/page.css"),
    include_str!("flame.css"),
];

/// The content of a page.
pub(crate) fn wanted(profile: &Profile, options: &WriteOptions) -> Wanted {
    Wanted {
        metrics: measured(profile, options.metric),
        boxes: MAX_BOXES,
        levels: MAX_LEVELS,
        least: 0.0,
    }
}

/// Writes `profile` as a page.
pub(super) fn write(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let stacks = Stacks::new(profile, options.base.as_ref(), "flame graph (HTML)")?;
    let wanted = wanted(profile, options);
    let set = GraphSet::with_whole(stacks, options.flame.per, &wanted);
    let title = caption::title(profile, options, "Flame graph");
    let body = format!(
        "<header class=\"head\"><h1>{}</h1><p class=\"facts\">{}</p></header>\n\
         <main><section id=\"flame\" class=\"flame full\"></section></main>\n\
         <noscript><p>This page draws with JavaScript, which is off. An SVG \
         (<code>--to flamegraph</code>) shows the same without.</p></noscript>",
        escaped(&title),
        facts(profile)
    );
    let page = Page {
        title: &title,
        styles: &STYLES,
        scripts: &[
            SCRIPTS[0],
            SCRIPTS[1],
            SCRIPTS[2],
            SCRIPTS[3],
            include_str!("alone.js"),
        ],
        body: &body,
    };
    page.write(out, |out| {
        out.write_all(b"{\"metrics\":")?;
        data::metrics(out, &wanted.metrics, profile)?;
        out.write_all(b",\n\"functions\":")?;
        data::functions(out, &set.stacks.symbols)?;
        out.write_all(b",\n\"ramps\":")?;
        data::ramps(out)?;
        out.write_all(b",\n\"flame\":")?;
        data::graphs(out, &set, options)?;
        out.write_all(b"}")
    })?;
    Ok(())
}

/// Date, host and program, as HTML.
pub(crate) fn facts(profile: &Profile) -> String {
    let meta = &profile.meta;
    let mut facts: Vec<String> = Vec::new();
    facts.extend(meta.started_unix_us.map(caption::moment));
    facts.extend(meta.host.as_ref().map(|host| escaped(host)));
    facts.extend(meta.process.map(|process| format!("process {process}")));
    facts.extend(
        meta.php_version
            .as_ref()
            .map(|version| format!("PHP {}", escaped(version))),
    );
    facts.extend(meta.sapi.as_ref().map(|sapi| escaped(sapi)));
    facts.extend(meta.creator.as_ref().map(|creator| escaped(creator)));
    facts.extend(meta.interval_ns.map(|interval| {
        let interval = i64::try_from(interval).unwrap_or(i64::MAX);
        format!("every {}", super::units::amount(interval, "ns"))
    }));
    let facts = facts.iter().map(|fact| format!("<span>{fact}</span>"));
    let badges = caption::warnings(meta).into_iter();
    let badges = badges.map(|warning| format!("<span class=\"badge\">{warning}</span>"));
    facts.chain(badges).collect()
}
