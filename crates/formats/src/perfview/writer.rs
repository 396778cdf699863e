//! Writes PerfView's forms.

use std::io::{self, BufWriter, Write};

use profile::{Profile, SymbolId, Table};

use super::metric;
use super::name::{clean, escaped, quoted};
use crate::WriteOptions;
use crate::shared::text;
use crate::shared::timeline::{Slice, Timeline};
use crate::shared::unit::{Unit, milliseconds};

/// A profile as samples, ready to be written in any form.
pub(super) struct Document<'p> {
    profile: &'p Profile,
    timeline: Timeline<'p>,
    unit: Unit,
    notes: Option<String>,
}

impl<'p> Document<'p> {
    /// None if the profile has only edges.
    pub(super) fn new(profile: &'p Profile, options: &WriteOptions) -> Option<Self> {
        let timeline = Timeline::new(profile, options.metric)?;
        let unit = Unit::of(options.metric, profile);
        let title = text::title(profile, options).map(|title| clean(title.as_bytes()));
        Some(Self {
            profile,
            timeline,
            unit,
            notes: metric::notes(title.as_deref(), options.metric, unit),
        })
    }

    /// XML with stacks by index.
    pub(super) fn write_ids(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let nodes = &self.timeline.tree.nodes;
        out.write_all(
            b"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<StackWindow>\n <StackSource>\n",
        )?;
        // A table of symbols may be shared, so only those in a stack are
        // written.
        let mut frames: Table<SymbolId, Option<usize>> =
            Table::new(None, self.profile.symbols.len());
        let mut used: Vec<SymbolId> = Vec::new();
        for node in nodes {
            frames[node.symbol].get_or_insert_with(|| {
                used.push(node.symbol);
                used.len() - 1
            });
        }
        writeln!(out, "  <Frames Count=\"{}\">", used.len())?;
        for (id, &symbol) in used.iter().enumerate() {
            let name = escaped(&clean(self.profile.name(symbol)));
            writeln!(out, "   <Frame ID=\"{id}\">{name}</Frame>")?;
        }
        writeln!(out, "  </Frames>\n  <Stacks Count=\"{}\">", nodes.len())?;
        for (id, node) in nodes.iter().enumerate() {
            // Every function of a node has one.
            let frame = frames[node.symbol].unwrap_or_default();
            write!(out, "   <Stack ID=\"{id}\" CallerID=\"")?;
            match id {
                0 => out.write_all(b"-1")?,
                _ => write!(out, "{}", node.parent.0)?,
            }
            writeln!(out, "\" FrameID=\"{frame}\" />")?;
        }
        let slices = &self.timeline.slices;
        writeln!(out, "  </Stacks>\n  <Samples Count=\"{}\">", slices.len())?;
        for (id, slice) in slices.iter().enumerate() {
            let (time, stack) = (self.time(slice), slice.node.0);
            write!(
                out,
                "   <Sample ID=\"{id}\" Time=\"{time}\" StackID=\"{stack}\""
            )?;
            // PerfView leaves out default values. Only the first sample has the
            // default metric, which marks a file as written by this crate; in
            // other tools' files each sample counts once.
            if id == 0 || !metric::is_one(slice.value, self.unit) {
                write!(out, " Metric=\"{}\"", self.metric(slice))?;
            }
            out.write_all(b" />\n")?;
        }
        out.write_all(b"  </Samples>\n </StackSource>\n")?;
        self.write_view(&mut out)?;
        out.write_all(b"</StackWindow>\n")?;
        out.flush()
    }

    /// XML with stacks as text.
    pub(super) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let lines = self.names(|name| {
            let mut line = escaped(name);
            line.push('\n');
            line
        });
        out.write_all(b"<StackWindow>\n<StackSource>\n<Samples>\n")?;
        for slice in &self.timeline.slices {
            let (time, metric) = (self.time(slice), self.metric(slice));
            writeln!(out, "<Sample Time=\"{time}\" Metric=\"{metric}\">")?;
            for line in self.leaf_first(slice, &lines) {
                out.write_all(line.as_bytes())?;
            }
            out.write_all(b"</Sample>\n")?;
        }
        out.write_all(b"</Samples>\n</StackSource>\n")?;
        self.write_view(&mut out)?;
        out.write_all(b"</StackWindow>\n")?;
        out.flush()
    }

    /// JSON, one line for each sample.
    pub(super) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        let names = self.names(quoted);
        out.write_all(b"{\n")?;
        if let Some(notes) = &self.notes {
            writeln!(out, "\"Notes\":{},", quoted(notes))?;
        }
        out.write_all(b"\"StackSource\":{\"Samples\":[")?;
        let mut separator = "\n";
        for slice in &self.timeline.slices {
            let (time, metric) = (self.time(slice), self.metric(slice));
            write!(
                out,
                "{separator}{{\"Time\":{time},\"Metric\":{metric},\"Stack\":["
            )?;
            separator = "";
            for name in self.leaf_first(slice, &names) {
                out.write_all(separator.as_bytes())?;
                out.write_all(name.as_bytes())?;
                separator = ",";
            }
            out.write_all(b"]}")?;
            separator = ",\n";
        }
        out.write_all(b"\n]}}\n")?;
        out.flush()
    }

    /// How PerfView should display it: without grouped functions, and with
    /// notes.
    fn write_view(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(notes) = &self.notes else {
            return Ok(());
        };
        let scaling = match self.unit {
            Unit::Nanoseconds => "TimeMetric",
            Unit::Bytes | Unit::Count => "ScaleToData",
        };
        writeln!(
            out,
            " <StackWindowGuiState>\n  <FilterGuiState><GroupRegEx><Value></Value></GroupRegEx></FilterGuiState>\n  \
             <Notes>{}</Notes>\n  <ScalingPolicy>{scaling}</ScalingPolicy>\n </StackWindowGuiState>",
            escaped(notes)
        )
    }

    fn time(&self, slice: &Slice) -> String {
        milliseconds(i64::try_from(slice.at).unwrap_or(i64::MAX), 3)
    }

    fn metric(&self, slice: &Slice) -> String {
        metric::written(slice.value, self.unit)
    }

    /// Every symbol's converted name.
    fn names(&self, ready: impl Fn(&str) -> String) -> Vec<String> {
        let symbols = self.profile.symbols.iter();
        symbols.map(|symbol| ready(&clean(&symbol.name))).collect()
    }

    /// The names of a stack, from the innermost function to the root.
    fn leaf_first<'a>(
        &'a self,
        slice: &Slice,
        names: &'a [String],
    ) -> impl Iterator<Item = &'a str> {
        let frames = self.timeline.tree.frames(slice.node);
        frames.map(|(_, node)| names[node.symbol.index()].as_str())
    }
}
