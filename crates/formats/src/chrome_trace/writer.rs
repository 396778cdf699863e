//! Writes entries and exits of one thread.

use std::io::{self, BufWriter, Write};

use profile::{Body, Events, Metric, NodeId, Profile, Samples, SymbolId, Tree, WallUnit};

use super::ours::Shape;
use crate::shared::timeline::sample_length;
use crate::shared::unit::{microseconds, needs_time_or_samples};
use crate::shared::{nesting, text};
use crate::{WriteError, WriteOptions};

pub(super) fn write(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let (shape, tree) = match &profile.body {
        Body::Events(_) => (Shape::Events, None),
        Body::Samples(_) => (Shape::Samples, None),
        Body::Tree(_) | Body::Edges(_) => (Shape::Tree, profile.tree()),
    };
    if matches!(profile.body, Body::Edges(_)) {
        return Err(WriteError::NeedsStacks {
            format: super::NAME,
        });
    }
    needs_time_or_samples(profile, super::NAME)?;
    let mut writer = Writer {
        profile,
        out: BufWriter::with_capacity(1 << 16, out),
        thread: profile.meta.process.unwrap_or(1),
        last: 0,
        last_cpu: 0,
    };
    writer.head(shape, options)?;
    match (&profile.body, tree) {
        (Body::Events(events), _) => writer.events(events)?,
        (Body::Samples(samples), _) => writer.samples(samples)?,
        (_, Some(tree)) => writer.tree(&tree)?,
        _ => {}
    }
    writer.out.write_all(b"\n]}\n")?;
    Ok(writer.out.flush()?)
}

struct Writer<'a, W: Write> {
    profile: &'a Profile,
    out: W,
    thread: u32,
    last: u64,
    last_cpu: u64,
}

impl<W: Write> Writer<'_, W> {
    /// Everything before the events.
    fn head(&mut self, shape: Shape, options: &WriteOptions) -> io::Result<()> {
        let profile = self.profile;
        let title = text::title(profile, options);
        write!(
            self.out,
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"creator\":"
        )?;
        let creator = concat!("xhprof ", env!("CARGO_PKG_VERSION"));
        string(creator, &mut self.out)?;
        if let Some(title) = &title {
            self.out.write_all(b",\"title\":")?;
            string(title, &mut self.out)?;
        }
        write!(
            self.out,
            "}},\n\"xhprof\":{{\"shape\":\"{}\",\"startedUnixUs\":{},\"hasCalls\":{},\"hasMemory\":{},",
            shape.name(),
            profile.meta.started_unix_us.unwrap_or(0),
            profile.metrics.calls,
            profile.metrics.memory,
        )?;
        if profile.metrics.wall_unit == WallUnit::Samples {
            write!(self.out, "\"sampleNs\":{},", sample_length(profile))?;
        }
        self.functions()?;
        if let (Shape::Tree, Body::Tree(tree)) = (shape, &profile.body) {
            self.costs(tree)?;
        }
        let name = title.as_deref().unwrap_or("php");
        let thread = self.thread;
        for (kind, name) in [("process_name", name), ("thread_name", "main")] {
            let separator = if kind == "process_name" {
                "},\n\"traceEvents\":[\n"
            } else {
                ",\n"
            };
            write!(
                self.out,
                "{separator}{{\"ph\":\"M\",\"cat\":\"__metadata\",\"ts\":0,\"name\":\"{kind}\",\"pid\":{thread},\"tid\":{thread},\
                 \"args\":{{\"name\":"
            )?;
            string(name, &mut self.out)?;
            self.out.write_all(b"}}")?;
        }
        Ok(())
    }

    /// The files and lines of the functions.
    fn functions(&mut self) -> io::Result<()> {
        self.out.write_all(b"\"functions\":{")?;
        let mut separator = "\n";
        for symbol in &self.profile.symbols {
            let file = text::file(symbol);
            if file.is_empty() && symbol.line == 0 {
                continue;
            }
            self.out.write_all(separator.as_bytes())?;
            separator = ",\n";
            string(&text::function(&symbol.name), &mut self.out)?;
            self.out.write_all(b":[")?;
            string(&file, &mut self.out)?;
            write!(self.out, ",{}]", symbol.line)?;
        }
        self.out.write_all(b"}")
    }

    /// The costs of nodes besides time, in the order of their entries: calls,
    /// memory and peak, without callees.
    fn costs(&mut self, tree: &Tree) -> io::Result<()> {
        let own = tree.self_costs();
        let has_memory = self.profile.metrics.memory;
        self.out.write_all(b",\n\"costs\":[")?;
        let mut separator = "";
        let children = tree.children();
        let mut walk = vec![NodeId::ROOT];
        while let Some(node) = walk.pop() {
            walk.extend(children.of(node).iter().rev());
            write!(self.out, "{separator}{}", tree[node].cost.calls)?;
            if has_memory {
                write!(self.out, ",{},{}", own[node].memory, own[node].peak)?;
            }
            separator = ",";
        }
        self.out.write_all(b"]")
    }

    fn events(&mut self, events: &Events) -> io::Result<()> {
        let has_memory = self.profile.metrics.memory;
        let mut last = (0, 0);
        nesting::visit(events, |opens, symbol, at| {
            if has_memory && at.memory != last.0 {
                self.counter("memory", at.memory, at.wall)?;
            }
            if has_memory && at.peak != last.1 {
                self.counter("peak memory", at.peak, at.wall)?;
            }
            last = (at.memory, at.peak);
            self.event(opens, symbol, at.wall, at.cpu)
        })
    }

    fn samples(&mut self, samples: &Samples) -> io::Result<()> {
        let length = match self.profile.metrics.wall_unit {
            WallUnit::Nanoseconds => 1,
            WallUnit::Samples => sample_length(self.profile),
        };
        let mut open: Vec<NodeId> = Vec::new();
        let mut path = Vec::new();
        let mut now = 0;
        for sample in samples.samples.iter().filter(|sample| sample.weight > 0) {
            if sample.at > now {
                // A gap between samples stays empty.
                self.close(samples, &mut open, 0, now)?;
                now = sample.at;
            }
            path.clear();
            path.extend(samples.frames(sample.stack).map(|(stack, _)| stack));
            path.reverse();
            let pairs = open.iter().zip(&path);
            let same = pairs.take_while(|(one, other)| one == other).count();
            self.close(samples, &mut open, same, now)?;
            for &stack in path.iter().skip(same) {
                self.event(true, samples[stack].symbol, now, 0)?;
                open.push(stack);
            }
            now = now.saturating_add(sample.weight.saturating_mul(length));
        }
        self.close(samples, &mut open, 0, now)
    }

    fn close(
        &mut self,
        samples: &Samples,
        open: &mut Vec<NodeId>,
        keep: usize,
        now: u64,
    ) -> io::Result<()> {
        while open.len() > keep
            && let Some(stack) = open.pop()
        {
            self.event(false, samples[stack].symbol, now, 0)?;
        }
        Ok(())
    }

    /// The self time of each function first, then the times of its callees.
    fn tree(&mut self, tree: &Tree) -> io::Result<()> {
        let length = match self.profile.metrics.wall_unit {
            WallUnit::Nanoseconds => 1,
            WallUnit::Samples => sample_length(self.profile),
        };
        let own = tree.self_costs();
        let children = tree.children();
        let (mut wall, mut cpu) = (0_u64, 0_u64);
        let mut walk = vec![(NodeId::ROOT, false)];
        while let Some((id, is_entered)) = walk.pop() {
            let (node, own) = (&tree[id], own[id]);
            self.event(!is_entered, node.symbol, wall, cpu)?;
            if !is_entered {
                let positive = |value: i64| value.max(0).unsigned_abs();
                wall = wall.saturating_add(positive(own.wall).saturating_mul(length));
                cpu = cpu.saturating_add(positive(own.cpu));
                walk.push((id, true));
                let inner = children.of(id).iter().rev();
                walk.extend(inner.map(|&child| (child, false)));
            }
        }
        Ok(())
    }

    fn event(&mut self, opens: bool, symbol: SymbolId, wall: u64, cpu: u64) -> io::Result<()> {
        self.last = self.last.max(wall);
        self.last_cpu = self.last_cpu.max(cpu);
        let symbol = self.profile.symbol(symbol);
        let phase = if opens { 'B' } else { 'E' };
        let category = if symbol.internal { "internal" } else { "php" };
        write!(
            self.out,
            ",\n{{\"ph\":\"{phase}\",\"cat\":\"{category}\",\"name\":"
        )?;
        string(&text::function(&symbol.name), &mut self.out)?;
        let thread = self.thread;
        let at = microseconds(self.last);
        write!(self.out, ",\"pid\":{thread},\"tid\":{thread},\"ts\":{at}")?;
        if Metric::Cpu.is_in(self.profile.metrics) {
            write!(self.out, ",\"tts\":{}", microseconds(self.last_cpu))?;
        }
        self.out.write_all(b"}")
    }

    fn counter(&mut self, name: &str, value: i64, wall: u64) -> io::Result<()> {
        let thread = self.thread;
        let at = microseconds(self.last.max(wall));
        write!(
            self.out,
            ",\n{{\"ph\":\"C\",\"cat\":\"php\",\"name\":\"{name}\",\"pid\":{thread},\"tid\":{thread},\"ts\":{at},\
             \"args\":{{\"bytes\":{value}}}}}"
        )
    }
}

fn string(text: &str, out: &mut impl Write) -> io::Result<()> {
    Ok(serde_json::to_writer(out, text)?)
}
