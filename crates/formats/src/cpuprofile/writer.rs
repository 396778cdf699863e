//! Writes a node for each path, and a sample for each interval in which one of
//! them was on top of the stack.

use std::io::{self, BufWriter, Write};

use profile::{Metric, NodeId, Profile, WallUnit};

use crate::shared::text;
use crate::shared::timeline::{Timeline, sample_length};
use crate::shared::unit::needs_time_or_samples;
use crate::{WriteError, WriteOptions};

/// V8's own root, the parent of `main()`.
const ROOT: u32 = 1;
/// The offset between a path's number and its node ID.
const FIRST: u32 = 2;

pub(super) fn write(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let format = super::NAME;
    let metric = options.metric;
    if !matches!(metric, Metric::Wall | Metric::Cpu) {
        return Err(WriteError::NotHeld { format, metric });
    }
    if metric == Metric::Wall {
        needs_time_or_samples(profile, format)?;
    }
    let timeline = Timeline::new(profile, metric).ok_or(WriteError::NeedsStacks { format })?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let is_counted = metric == Metric::Wall && profile.metrics.wall_unit == WallUnit::Samples;
    let length = if is_counted {
        sample_length(profile)
    } else {
        1
    };

    let slices = || timeline.slices.iter().filter(|slice| slice.value > 0);
    let mut hits = vec![0_u64; timeline.tree.nodes.len()];
    for slice in slices() {
        let hits = &mut hits[slice.node.index()];
        let count = if is_counted {
            slice.value.unsigned_abs()
        } else {
            1
        };
        *hits = hits.saturating_add(count);
    }
    out.write_all(b"{\"nodes\":[\n")?;
    write_nodes(profile, &timeline, &hits, &mut out)?;
    let start = profile.meta.started_unix_us.unwrap_or(0);
    out.write_all(b"\n],\n\"samples\":[")?;
    let mut separator = "";
    for slice in slices() {
        write!(out, "{separator}{}", slice.node.0.saturating_add(FIRST))?;
        separator = ",";
    }
    // The end: viewers differ in the duration of the last sample.
    write!(out, "{separator}{ROOT}],\n\"timeDeltas\":[")?;
    let (mut passed, mut last) = (0_u64, 0_u64);
    let mut separator = "";
    for slice in slices() {
        let now = microseconds(passed);
        write!(out, "{separator}{}", now - last)?;
        last = now;
        separator = ",";
        passed = passed.saturating_add(slice.value.unsigned_abs().saturating_mul(length));
    }
    write!(
        out,
        "{separator}{}],\n\"startTime\":{start},\"endTime\":{}",
        microseconds(passed) - last,
        start.saturating_add(microseconds(passed))
    )?;
    if is_counted {
        write!(out, ",\"xhprofSampleNs\":{length}")?;
    }
    if let Some(title) = text::title(profile, options) {
        out.write_all(b",\"title\":")?;
        string(&title, &mut out)?;
    }
    out.write_all(b"}\n")?;
    Ok(out.flush()?)
}

fn write_nodes(
    profile: &Profile,
    timeline: &Timeline<'_>,
    hits: &[u64],
    out: &mut impl Write,
) -> io::Result<()> {
    write!(
        out,
        "{{\"id\":{ROOT},\"callFrame\":{{\"functionName\":\"(root)\",\"scriptId\":\"0\",\"url\":\"\",\
         \"lineNumber\":-1,\"columnNumber\":-1}},\"hitCount\":0,\"children\":[{FIRST}]}}"
    )?;
    let children = timeline.tree.children();
    for ((number, node), hits) in (0_u32..).zip(&timeline.tree.nodes).zip(hits) {
        let symbol = profile.symbol(node.symbol);
        write!(
            out,
            ",\n{{\"id\":{},\"callFrame\":{{\"functionName\":",
            number.saturating_add(FIRST)
        )?;
        string(&text::function(&symbol.name), out)?;
        // Viewers merge functions with the same script and position.
        write!(
            out,
            ",\"scriptId\":\"{}\",\"url\":",
            node.symbol.0.saturating_add(1)
        )?;
        string(&text::file(symbol), out)?;
        let line = i64::from(symbol.line) - 1;
        let column = if line < 0 { -1 } else { 0 };
        write!(
            out,
            ",\"lineNumber\":{line},\"columnNumber\":{column}}},\"hitCount\":{hits},\"children\":["
        )?;
        let mut separator = "";
        for child in children.of(NodeId(number)) {
            write!(out, "{separator}{}", child.0.saturating_add(FIRST))?;
            separator = ",";
        }
        out.write_all(b"]}")?;
    }
    Ok(())
}

/// To the nearest microsecond.
fn microseconds(nanoseconds: u64) -> u64 {
    nanoseconds.saturating_add(500) / 1_000
}

fn string(text: &str, out: &mut impl Write) -> io::Result<()> {
    Ok(serde_json::to_writer(out, text)?)
}
