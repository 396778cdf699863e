//! The flame graph as an SVG: a picture for documents and pages.
//!
//! Every box is a `<g>` with its tooltip, its rectangle and as much of its name
//! as fits. A browser that opens the file itself zooms and searches, by a script that
//! is the same in each file; in an `<img>` the picture is still.
//!
//! **Invariant:** well-formed XML for any names; the file loads nothing, and runs that
//! script or nothing.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};

use profile::{Meta, Metric, Metrics, Profile};

use super::colours;
use super::graph::{Graph, Values};
use super::labels::fitting;
use super::stacks::Stacks;
use super::tooltip::{self, Shown};
use super::units::{amount, count, share, title as metric_title, unit};
use super::xml::Escaped;
use super::{Classes, GraphSet, Wanted, caption, classes};
use crate::{FlameColour, FlameDirection, WriteError, WriteOptions};

const STYLE: &str = include_str!("svg.css");
const SCRIPT: &str = include_str!("svg.js");

/// All lengths are pixels.
const WIDTH: u32 = 1200;
const MARGIN: u32 = 12;
const ROW: u32 = 18;
const HEADER: u32 = 66;
/// The height of the heading of one graph among several.
const HEADING: u32 = 34;
const LINE: u32 = 18;
/// A colour of the legend.
const STEP: u32 = 11;
/// The width of a letter of the 12-pixel font.
const LETTER: f64 = 7.0;
/// The number of letters of the title and of a note in a line.
const TITLE_LETTERS: usize = 120;
const NOTE_LETTERS: usize = 180;
/// The maximum number of boxes: a browser keeps all of them in memory.
const MAX_BOXES: usize = 12_000;
const MAX_LEVELS: u32 = 1_500;

/// Writes `profile` as an SVG.
pub(super) fn write(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    // Narrower than a tenth of a pixel, a box is invisible.
    let least = 0.1 / f64::from(WIDTH - 2 * MARGIN);
    let wanted = Wanted {
        metrics: match options.metric {
            Metric::Calls => vec![Metric::Calls],
            metric if profile.metrics.calls => vec![metric, Metric::Calls],
            metric => vec![metric],
        },
        boxes: MAX_BOXES,
        levels: MAX_LEVELS,
        least,
    };
    let stacks = Stacks::new(profile, options.base.as_ref(), "flame graph (SVG)")?;
    let set = GraphSet::new(stacks, options.flame.per, &wanted);
    let picture = Picture {
        meta: &profile.meta,
        metrics: profile.metrics,
        stacks: &set.stacks,
        classes: Classes::new(set.stacks.symbols.iter().copied()),
        options,
        total: total(&set.stacks, options.metric),
        colour: options.flame.colour.unwrap_or(if options.base.is_some() {
            FlameColour::Difference
        } else {
            FlameColour::Package
        }),
    };
    let mut body = Vec::new();
    let mut used = BTreeSet::new();
    let mut top = HEADER;
    for graph in &set.graphs {
        top = picture.graph(graph, top, &mut used, &mut body)?;
    }
    let notes = picture.notes(&set.graphs, set.left_out);
    let legend = picture.legend();
    let classes = picture.classes_of(&set.graphs);
    used.extend(0..legend);
    used.extend(classes.iter().map(|(_, place)| *place));
    let height = top + LINE * (1 + u32::try_from(notes.len()).unwrap_or(0));
    picture.begin(out, profile, height, &used)?;
    out.write_all(&body)?;
    for (number, note) in (1..).zip(notes) {
        let y = top + LINE * number;
        let mut x = MARGIN;
        // The meaning of the colours comes first, beside them.
        if number == 1 && legend > 0 {
            write!(out, r#"<g class="legend">"#)?;
            for place in 0..legend {
                write!(
                    out,
                    r#"<g class="c{place}"><rect x="{x}" y="{}" width="{STEP}" height="{STEP}"/></g>"#,
                    y - STEP + 1
                )?;
                x += STEP;
            }
            writeln!(out, "</g>")?;
            x += STEP;
        }
        if number == 1 && !classes.is_empty() {
            class_legend(out, &classes, y)?;
            continue;
        }
        writeln!(
            out,
            r#"<text class="note" x="{x}" y="{y}">{}</text>"#,
            Escaped(&note)
        )?;
    }
    if !options.flame.is_still {
        writeln!(out, "<script><![CDATA[\n{SCRIPT}]]></script>")?;
    }
    out.write_all(b"</svg>\n")?;
    Ok(())
}

/// Names of classes beside their colours, as many as fit.
fn class_legend(out: &mut dyn Write, classes: &[(String, usize)], y: u32) -> io::Result<()> {
    write!(out, r#"<g class="legend">"#)?;
    let mut x = MARGIN;
    for (name, place) in classes {
        let letters = u32::try_from(name.chars().count()).unwrap_or(u32::MAX);
        let width = letters.saturating_mul(7).saturating_add(2 * STEP + 8);
        if x + width > WIDTH - MARGIN {
            break;
        }
        write!(
            out,
            r#"<g class="c{place}"><rect x="{x}" y="{}" width="{STEP}" height="{STEP}"/></g><text class="note" x="{}" y="{y}">{}</text>"#,
            y - STEP + 1,
            x + STEP + 4,
            Escaped(name)
        )?;
        x += width;
    }
    writeln!(out, "</g>")
}

/// The total cost: the sum of all calls, or the root's cost.
fn total(stacks: &Stacks<'_>, metric: Metric) -> i64 {
    let nodes = stacks.tree.nodes.iter();
    match metric {
        Metric::Calls => {
            let calls = nodes.map(|node| metric.of(&node.cost));
            calls.fold(0, i64::saturating_add)
        }
        _ => metric.of(&stacks.tree.root_cost()),
    }
}

struct Picture<'p> {
    meta: &'p Meta,
    metrics: Metrics,
    stacks: &'p Stacks<'p>,
    classes: Classes,
    options: &'p WriteOptions,
    colour: FlameColour,
    /// The total cost of the program.
    total: i64,
}

impl Picture<'_> {
    fn begin(
        &self,
        out: &mut dyn Write,
        profile: &Profile,
        height: u32,
        used: &BTreeSet<usize>,
    ) -> io::Result<()> {
        let title = caption::title(profile, self.options, "Flame graph");
        writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
        writeln!(
            out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="100%" viewBox="0 0 {WIDTH} {height}" preserveAspectRatio="xMidYMin meet">"#
        )?;
        writeln!(out, "<title>{}</title>", Escaped(&title))?;
        writeln!(out, "<style>\n{STYLE}{}</style>", self.palette(used))?;
        writeln!(out, r#"<rect class="page" width="100%" height="100%"/>"#)?;
        let subtitle = self.subtitle(profile);
        writeln!(
            out,
            r#"<text class="title" x="{MARGIN}" y="30">{}</text><text class="note" x="{MARGIN}" y="50">{}</text>"#,
            Escaped(&crate::shared::text::shortened(&title, TITLE_LETTERS)),
            Escaped(&crate::shared::text::shortened(&subtitle, NOTE_LETTERS))
        )
    }

    fn subtitle(&self, profile: &Profile) -> String {
        let metric = self.options.metric;
        let mut parts = vec![format!(
            "{}: {}",
            metric_title(metric, profile),
            amount(self.total, unit(metric, self.metrics))
        )];
        let calls = i64::try_from(profile.calls()).unwrap_or(i64::MAX);
        if self.metrics.calls && calls > 0 && metric != Metric::Calls {
            parts.push(format!("{} calls", count(calls)));
        }
        parts.extend(self.meta.started_unix_us.map(caption::moment));
        parts.extend(self.meta.host.clone());
        parts.extend(
            self.meta
                .php_version
                .as_ref()
                .map(|version| format!("PHP {version}")),
        );
        parts.extend(caption::warnings(self.meta).into_iter().map(str::to_owned));
        parts.join("  ·  ")
    }

    /// A CSS class for each colour in use.
    fn palette(&self, used: &BTreeSet<usize>) -> String {
        let [light, dark] = colours::ramp(self.colour);
        let mut css = String::new();
        let rules = |ramp: &[&str], css: &mut String| {
            for &place in used {
                let Some(colour) = ramp.get(place) else {
                    continue;
                };
                let text = colours::text_on(colour);
                let _ = writeln!(
                    css,
                    ".c{place} rect{{fill:{colour}}}.c{place} text{{fill:{text}}}"
                );
            }
        };
        rules(light, &mut css);
        css += "@media (prefers-color-scheme: dark) {\n";
        rules(dark, &mut css);
        css += "}\n";
        css
    }

    /// Writes one graph below `top`; returns the position of its end.
    fn graph(
        &self,
        graph: &Graph,
        top: u32,
        used: &mut BTreeSet<usize>,
        out: &mut Vec<u8>,
    ) -> io::Result<u32> {
        let mut top = top;
        if let Some(label) = &graph.label {
            let y = top + HEADING - 12;
            let widths = graph.widths();
            let cost = widths.map_or(0, |widths| Shown::of(widths, 0).inclusive);
            let part = share(self.options.metric, cost, self.total);
            writeln!(
                out,
                r#"<text class="heading" x="{MARGIN}" y="{y}">{}<tspan class="note" dx="12">{}{}</tspan></text>"#,
                Escaped(label),
                amount(cost, unit(self.options.metric, self.metrics)),
                part.map(|part| format!(" ({part})")).unwrap_or_default()
            )?;
            top += HEADING;
        }
        let height = graph.levels * ROW;
        writeln!(out, r#"<g class="graph">"#)?;
        if let Some(column) = graph.widths() {
            let palette = Shades::new(self, graph);
            let places = Places::new(graph, &column.new);
            for (number, block) in graph.blocks.iter().enumerate() {
                let (x, width) = places.of(number);
                // Stacks that only the base called have no width.
                if width == 0 {
                    continue;
                }
                let y = match self.options.flame.direction {
                    FlameDirection::Icicle => top + block.depth * ROW,
                    FlameDirection::Flame => top + height - (block.depth + 1) * ROW,
                };
                // The first box of a group is the group itself.
                let group = graph.label.as_ref().filter(|_| number == 0);
                let function = self.stacks.symbols[block.symbol.index()];
                let symbol = group.is_none().then_some(function);
                let name = group.map_or_else(|| tooltip::name(function), Into::into);
                let place = palette.of(number, block, group.is_some());
                used.insert(place);
                let lines = tooltip::lines(graph, number, &name, symbol, self.metrics);
                write!(
                    out,
                    r#"<g class="c{place}{}"><title>{}</title><rect x="{}" y="{y}" width="{}" height="{}"/>"#,
                    if width >= 300 { " w" } else { "" },
                    Escaped(&lines),
                    Hundredths(x + u64::from(MARGIN) * 100),
                    Hundredths(width),
                    ROW - 1,
                )?;
                if let Some(label) = fitting(&name, room(width)) {
                    write!(
                        out,
                        r#"<text x="{}" y="{}">{}</text>"#,
                        Hundredths(x + u64::from(MARGIN) * 100 + 400),
                        y + 13,
                        Escaped(&label)
                    )?;
                }
                out.extend_from_slice(b"</g>\n");
            }
        }
        writeln!(out, "</g>")?;
        Ok(top + height)
    }

    /// The classes of code that have a box, that with the most boxes first, each with its
    /// colour; none if the colours say something else.
    fn classes_of(&self, graphs: &[Graph]) -> Vec<(String, usize)> {
        if self.colour != FlameColour::Package {
            return Vec::new();
        }
        let mut boxes = vec![0_usize; self.classes.count() as usize];
        for block in graphs.iter().flat_map(|graph| &graph.blocks) {
            boxes[self.classes.of(block.symbol) as usize] += 1;
        }
        let mut shown: Vec<(u32, usize)> = (0..).zip(boxes).collect();
        shown.retain(|(_, boxes)| *boxes > 0);
        shown.sort_by_key(|(class, boxes)| (std::cmp::Reverse(*boxes), *class));
        let named = shown.into_iter().map(|(class, _)| {
            let title = self.classes.title(class);
            let title = crate::shared::text::shortened(&title, 30).into_owned();
            (title, self.classes.colour_of_class(class))
        });
        named.collect()
    }

    /// The number of colours in the legend.
    fn legend(&self) -> usize {
        match self.colour {
            FlameColour::Package => 0,
            colour => colours::ramp(colour)[0].len(),
        }
    }

    /// The legend and notes below the graphs.
    fn notes(&self, graphs: &[Graph], more_graphs: usize) -> Vec<String> {
        let mut notes = vec![
            match self.colour {
                FlameColour::Package => "Colours: whose code it is.",
                FlameColour::Own => "Colours: redder boxes have a higher self cost.",
                FlameColour::Calls => {
                    "Colours: cool (blue) for few long calls, warm (orange) for many short ones. \
                     The middle is the average time of a call, callees included."
                },
                FlameColour::Difference => {
                    "Colours: red has a higher self cost than before, blue a lower. Widths are the new costs."
                }
            }
            .to_owned(),
        ];
        if matches!(self.options.metric, Metric::Memory | Metric::Peak) {
            let note =
                "Freed memory has no width: the width of a box is the memory that it allocated.";
            notes.push(note.to_owned());
        }
        let left_out = graphs.iter().map(|graph| graph.left_out).sum::<usize>();
        if left_out > 0 {
            let number = count(i64::try_from(left_out).unwrap_or(i64::MAX));
            notes.push(format!(
                "{number} boxes that are too small to be visible are left out."
            ));
        }
        if more_graphs > 0 {
            notes.push(format!(
                "{more_graphs} more graphs, with lower costs, are left out."
            ));
        }
        let unit = unit(self.options.metric, self.metrics);
        let vanished = graphs.iter().flat_map(|graph| &graph.vanished);
        for (number, gone) in vanished.enumerate() {
            if number == 0 {
                notes.push("Not called any more:".to_owned());
            }
            let names = gone
                .path
                .iter()
                .map(|symbol| self.stacks.symbols[symbol.index()]);
            let names: Vec<_> = names.map(|symbol| tooltip::name(symbol)).collect();
            let path = names.join(" → ");
            let skipped = path.chars().count().saturating_sub(150);
            let tail: String = path.chars().skip(skipped).collect();
            let dots = if skipped > 0 { "…" } else { "" };
            notes.push(format!("−{}  {dots}{tail}", amount(gone.cost, unit)));
        }
        notes
    }
}

/// The positions of boxes, in hundredths of a pixel.
struct Places {
    starts: Vec<u64>,
    widths: Vec<u64>,
}

impl Places {
    fn new(graph: &Graph, values: &Values) -> Self {
        let total = values.weight.first().copied().unwrap_or(0);
        let scale = |weight: u64| {
            let full = u128::from((WIDTH - 2 * MARGIN) * 100);
            let length = u128::from(weight) * full / u128::from(total.max(1));
            u64::try_from(length).unwrap_or(0)
        };
        let mut starts = Vec::with_capacity(graph.blocks.len());
        let mut widths = Vec::with_capacity(graph.blocks.len());
        // The left edge of the next box of each depth.
        let mut next: Vec<u64> = Vec::new();
        for (block, &weight) in graph.blocks.iter().zip(&values.weight) {
            let depth = block.depth as usize;
            next.truncate(depth + 1);
            let start = next.get(depth).copied().unwrap_or(0);
            next.resize(depth, start);
            next.push(start.saturating_add(weight));
            // The left edge of its first callee.
            next.push(start);
            // Both edges are rounded, so that neighbours touch.
            starts.push(scale(start));
            widths.push(scale(start.saturating_add(weight)) - scale(start));
        }
        if total == 0
            && let Some(root) = widths.first_mut()
        {
            *root = u64::from(WIDTH - 2 * MARGIN) * 100;
        }
        Self { starts, widths }
    }

    fn of(&self, number: usize) -> (u64, u64) {
        (self.starts[number], self.widths[number])
    }
}

/// The number of letters that a box has room for.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a few hundred letters"
)]
fn room(width: u64) -> usize {
    ((width as f64 / 100.0 - 6.0) / LETTER).max(0.0) as usize
}

/// The colours of one graph's boxes.
struct Shades<'p> {
    picture: &'p Picture<'p>,
    graph: &'p Graph,
    largest: i64,
    all_calls: i64,
}

impl<'p> Shades<'p> {
    fn new(picture: &'p Picture<'p>, graph: &'p Graph) -> Self {
        let largest = graph.widths().map_or(0, |column| {
            let all = (0..graph.blocks.len()).map(|number| Shown::of(column, number));
            let sizes = all.map(|shown| match picture.colour {
                FlameColour::Difference => {
                    let size = shown.difference().unsigned_abs();
                    i64::try_from(size).unwrap_or(i64::MAX)
                }
                _ => shown.own,
            });
            sizes.max().unwrap_or(0)
        });
        let all_calls = calls(graph, |values| values.inclusive.first().copied());
        Self {
            picture,
            graph,
            largest,
            all_calls,
        }
    }

    fn of(&self, number: usize, block: &super::graph::Block, is_label: bool) -> usize {
        let Some(column) = self.graph.widths() else {
            return 0;
        };
        let shown = Shown::of(column, number);
        match self.picture.colour {
            FlameColour::Package if is_label => {
                self.picture.classes.colour_of_class(classes::OTHER)
            }
            FlameColour::Package => {
                let symbol = self.picture.stacks.symbols[block.symbol.index()];
                self.picture.classes.colour(block.symbol, symbol)
            }
            FlameColour::Own => colours::of_own(shown.own, self.largest),
            FlameColour::Calls => {
                let weight = |number: usize| column.new.weight[number];
                let calls = calls(self.graph, |values| values.own.get(number).copied());
                colours::of_calls(calls, weight(number), self.all_calls, weight(0))
            }
            FlameColour::Difference => colours::of_difference(shown.difference(), self.largest),
        }
    }
}

fn calls(graph: &Graph, of: impl Fn(&Values) -> Option<i64>) -> i64 {
    let mut columns = graph.columns.iter();
    let calls = columns.find(|column| column.metric == Metric::Calls);
    calls.and_then(|calls| of(&calls.new)).unwrap_or(0)
}

/// A length in pixels: `12.5`.
struct Hundredths(u64);

impl std::fmt::Display for Hundredths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, part) = (self.0 / 100, self.0 % 100);
        match part {
            0 => write!(f, "{whole}"),
            part if part % 10 == 0 => write!(f, "{whole}.{}", part / 10),
            part => write!(f, "{whole}.{part:02}"),
        }
    }
}
