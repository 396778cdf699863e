//! Writes version 55: one thread for each cost.
//!
//! **Invariants:** a sample's weight is its stack's self cost; all columns of a
//! table have the length that it declares; samples are in the order of time.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use profile::{Body, Metric, Mode, NodeId, Profile, WallUnit};

use crate::shared::lined::{Frame, LinedStacks, plain_frames};
use crate::shared::text;
use crate::shared::timeline::{Slice, Timeline, sample_length};
use crate::shared::unit::{Unit, milliseconds};
use crate::{WriteError, WriteOptions};

/// The version of the format, `preprocessedProfileVersion`.
const VERSION: u32 = 55;

/// The names of the threads for each cost.
pub(super) const WALL: &str = "wall time";
pub(super) const SAMPLES: &str = "samples";
pub(super) const CPU: &str = "CPU time";
pub(super) const MEMORY: &str = "memory";

pub(super) fn write(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let mut separator = "";
    let lined = LinedStacks::of(profile, |symbol| symbol);
    write_meta(profile, options, &mut out)?;
    for metric in [Metric::Wall, Metric::Cpu, Metric::Memory] {
        if !metric.is_in(profile.metrics) {
            continue;
        }
        let timeline = Timeline::new(profile, metric).ok_or(WriteError::NeedsStacks {
            format: super::NAME,
        })?;
        out.write_all(separator.as_bytes())?;
        write_thread(profile, metric, &timeline, lined.as_ref(), &mut out)?;
        separator = ",\n";
    }
    out.write_all(b"]}\n")?;
    Ok(out.flush()?)
}

fn write_meta(profile: &Profile, options: &WriteOptions, out: &mut impl Write) -> io::Result<()> {
    let meta = &profile.meta;
    let title = text::title(profile, options);
    let sampled = (meta.mode == Mode::Sampled)
        .then_some(meta.interval_ns)
        .flatten();
    let interval = sampled.map_or(1_000_000, |interval| {
        i64::try_from(interval).unwrap_or(i64::MAX)
    });
    let started = i64::try_from(meta.started_unix_us.unwrap_or(0)).unwrap_or(0);
    write!(
        out,
        "{{\"meta\":{{\"interval\":{},\"startTime\":{},\"processType\":0,\"product\":",
        milliseconds(interval, 0),
        milliseconds(started.saturating_mul(1000), 0),
    )?;
    write_string(title.as_deref().unwrap_or("PHP"), out)?;
    write!(
        out,
        ",\"stackwalk\":1,\"version\":24,\"preprocessedProfileVersion\":{VERSION},\
         \"symbolicated\":true,\"categories\":["
    )?;
    for (index, (name, color)) in CATEGORIES.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        write!(
            out,
            "{separator}{{\"name\":\"{name}\",\"color\":\"{color}\",\"subcategories\":[\"Other\"]}}"
        )?;
    }
    out.write_all(b"],\"markerSchema\":[],\"importedFrom\":")?;
    write_string(meta.creator.as_deref().unwrap_or("xhprof"), out)?;
    out.write_all(b"},\n\"libs\":[],\n\"threads\":[")
}

/// The first category is the viewer's default, which must be grey.
const CATEGORIES: [(&str, &str); 3] = [("Other", "grey"), ("PHP", "blue"), ("internal", "orange")];
const PHP: usize = 1;
const INTERNAL: usize = 2;

fn write_thread(
    profile: &Profile,
    metric: Metric,
    timeline: &Timeline<'_>,
    lined: Option<&LinedStacks<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    let unit = Unit::of(metric, profile);
    let (name, weight_type) = match (metric, unit) {
        (Metric::Cpu, _) => (CPU, "tracing-ms"),
        (Metric::Memory, _) => (MEMORY, "bytes"),
        (_, Unit::Nanoseconds) => (WALL, "tracing-ms"),
        _ => (SAMPLES, "samples"),
    };
    let process = profile.meta.process.unwrap_or(1);
    writeln!(
        out,
        "{{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,\
         \"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"name\":\"{name}\",\
         \"isMainThread\":{},\"processName\":\"php\",\"pid\":\"{process}\",\"tid\":\"{name}\",",
        metric == Metric::Wall
    )?;

    let with_lines = lined.map(|lined| slices_with_lines(profile, lined));
    let slices = with_lines.as_ref().unwrap_or(&timeline.slices);
    out.write_all(b"\"samples\":{")?;
    write_column("stack", slices.iter().map(|slice| slice.node.0), out)?;
    let at = |at| milliseconds(i64::try_from(at).unwrap_or(i64::MAX), 0);
    write_column("time", slices.iter().map(|slice| at(slice.at)), out)?;
    if unit == Unit::Nanoseconds {
        write_column(
            "weight",
            slices.iter().map(|slice| milliseconds(slice.value, 0)),
            out,
        )?;
    } else {
        write_column("weight", slices.iter().map(|slice| slice.value), out)?;
    }
    writeln!(
        out,
        "\"weightType\":\"{weight_type}\",\"length\":{}}},",
        slices.len()
    )?;
    out.write_all(
        b"\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\
          \"category\":[],\"length\":0},\n",
    )?;

    let nodes: Vec<(Option<u32>, u32)> = match lined {
        Some(lined) => lined.nodes.clone(),
        None => {
            let nodes = timeline.tree.numbered();
            let below = |number: NodeId, parent: NodeId| (parent < number).then_some(parent.0);
            nodes
                .map(|(number, node)| (below(number, node.parent), node.symbol.0))
                .collect()
        }
    };
    out.write_all(b"\"stackTable\":{")?;
    write_column("frame", nodes.iter().map(|(_, frame)| *frame), out)?;
    write_column(
        "prefix",
        nodes.iter().map(|(below, _)| optional(*below)),
        out,
    )?;
    writeln!(out, "\"length\":{}}},", nodes.len())?;
    let frames = match lined {
        Some(lined) => lined.frames.clone(),
        None => plain_frames(profile),
    };
    write_functions(profile, &frames, out)
}

/// The samples in the order of time; one after the other if their times are not known.
fn slices_with_lines(profile: &Profile, lined: &LinedStacks<'_>) -> Vec<Slice> {
    let Body::Samples(samples) = &profile.body else {
        return Vec::new();
    };
    let samples = &samples.samples;
    let has_times = samples.iter().any(|sample| sample.at != 0);
    let length = match profile.metrics.wall_unit {
        WallUnit::Nanoseconds => 1,
        WallUnit::Samples => sample_length(profile),
    };
    let mut passed = 0_u64;
    let slices = samples.iter().zip(&lined.of_samples).map(|(sample, node)| {
        let at = if has_times { sample.at } else { passed };
        passed = passed.saturating_add(sample.weight.saturating_mul(length));
        Slice {
            node: NodeId(*node),
            at,
            value: i64::try_from(sample.weight).unwrap_or(i64::MAX),
        }
    });
    let mut slices: Vec<Slice> = slices.filter(|slice| slice.value != 0).collect();
    slices.sort_by_key(|slice| slice.at);
    slices
}

/// A number, or null.
fn optional(number: Option<u32>) -> String {
    number.map_or_else(|| "null".to_owned(), |number| number.to_string())
}

/// A line, or null if it is not known.
fn line(line: u32) -> String {
    optional((line > 0).then_some(line))
}

/// Frames, functions and strings. Without lines there is one frame for each function.
fn write_functions(
    profile: &Profile,
    frames: &[Frame<'_>],
    out: &mut impl Write,
) -> io::Result<()> {
    // All symbols, and behind them those that execute another file.
    let mut functions = plain_frames(profile);
    let mut others = HashMap::new();
    let mut of_frames = Vec::with_capacity(frames.len());
    for frame in frames {
        let function = match frame.file {
            None => frame.symbol.index(),
            Some(file) => *others.entry((frame.symbol, file)).or_insert_with(|| {
                functions.push(Frame { line: 0, ..*frame });
                functions.len() - 1
            }),
        };
        of_frames.push(function);
    }
    let count = frames.len();
    let all = |value: &'static str| std::iter::repeat_n(value, count);
    out.write_all(b"\"frameTable\":{")?;
    write_column("address", all("-1"), out)?;
    write_column("inlineDepth", all("0"), out)?;
    let categories = frames.iter().map(|frame| {
        if profile.symbol(frame.symbol).internal {
            INTERNAL
        } else {
            PHP
        }
    });
    write_column("category", categories, out)?;
    write_column("subcategory", all("0"), out)?;
    write_column("func", of_frames.iter(), out)?;
    write_column("nativeSymbol", all("null"), out)?;
    write_column("innerWindowID", all("null"), out)?;
    write_column("line", frames.iter().map(|frame| line(frame.line)), out)?;
    write_column("column", all("null"), out)?;
    writeln!(out, "\"length\":{count}}},")?;

    let count = functions.len();
    let all = |value: &'static str| std::iter::repeat_n(value, count);

    let mut strings = Strings::default();
    let mut names = Vec::with_capacity(count);
    let mut files = Vec::with_capacity(count);
    for function in &functions {
        let symbol = profile.symbol(function.symbol);
        names.push(strings.id(text::function(&symbol.name).into_owned()));
        files.push(match text::file_of(function, profile) {
            file if file.is_empty() => "null".to_owned(),
            file => strings.id(file.into_owned()).to_string(),
        });
    }
    out.write_all(b"\"funcTable\":{")?;
    write_column("name", names.iter(), out)?;
    write_column("isJS", all("false"), out)?;
    write_column("relevantForJS", all("false"), out)?;
    write_column("resource", all("-1"), out)?;
    write_column("fileName", files.iter(), out)?;
    write_column(
        "lineNumber",
        functions.iter().map(|function| line(function.line)),
        out,
    )?;
    write_column("columnNumber", all("null"), out)?;
    writeln!(out, "\"length\":{count}}},")?;
    out.write_all(
        b"\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},\n\
          \"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\
          \"length\":0},\n\"stringArray\":[",
    )?;
    for (index, string) in strings.list.iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write_string(string, out)?;
    }
    out.write_all(b"]}")
}

fn write_column<T: std::fmt::Display>(
    name: &str,
    values: impl Iterator<Item = T>,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "\"{name}\":[")?;
    let mut separator = "";
    for value in values {
        write!(out, "{separator}{value}")?;
        separator = ",";
    }
    out.write_all(b"],\n")
}

fn write_string(string: &str, out: &mut impl Write) -> io::Result<()> {
    Ok(serde_json::to_writer(out, string)?)
}

/// The strings, by number, in the order of their first use.
#[derive(Default)]
struct Strings {
    list: Vec<String>,
    places: HashMap<String, usize>,
}

impl Strings {
    fn id(&mut self, string: String) -> usize {
        if let Some(&id) = self.places.get(&string) {
            return id;
        }
        let id = self.list.len();
        self.places.insert(string.clone(), id);
        self.list.push(string);
        id
    }
}
