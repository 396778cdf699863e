//! Writes pprof, sample by sample.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use profile::{Metric, Profile, SymbolId, Tree};
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use super::messages::{Function, Line, Location, Mapping, Sample, ValueType, field};
use super::types;
use crate::WriteOptions;
use crate::shared::indexed::{Functions, Strings};
use crate::shared::lined::{LinedStacks, plain_frames};
use crate::shared::{proto, text};

pub(super) fn write(
    profile: &Profile,
    tree: &Tree,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    // Without a name and a date in the header, so that the same profile gives
    // the same bytes.
    let out = GzEncoder::new(out, Compression::fast());
    let mut out = Fields {
        out: BufWriter::with_capacity(1 << 16, out),
        buffer: Vec::new(),
    };
    let mut strings = Strings::default();
    let types = types::written(profile.metrics, profile.counted());
    let mut type_of = HashMap::new();
    for &(metric, kind, unit) in &types {
        let value = ValueType {
            kind: string(&mut strings, kind),
            unit: string(&mut strings, unit),
        };
        type_of.insert(metric, value);
        out.message(field::SAMPLE_TYPE, &value)?;
    }

    let lined = LinedStacks::of(profile, |symbol| symbol);
    let frames = match &lined {
        Some(lined) => lined.frames.clone(),
        None => plain_frames(profile),
    };
    let mut locations = Functions::new(frames.len());
    let mut sample = Sample::default();
    for (stack, weight) in lined.iter().flat_map(LinedStacks::sums) {
        let values = types.iter().map(|(metric, ..)| match metric {
            Metric::Wall => weight,
            _ => 0,
        });
        sample.value.clear();
        sample.value.extend(values);
        sample.location_id.clear();
        let path = lined.iter().flat_map(|lined| lined.path(stack));
        let places = path.map(|frame| u64::from(locations.number(SymbolId(frame))));
        sample.location_id.extend(places);
        out.message(field::SAMPLE, &sample)?;
    }
    let nodes = tree.numbered().zip(tree.self_costs());
    for ((id, node), own) in nodes.filter(|_| lined.is_none()) {
        let values = types
            .iter()
            .map(|(metric, ..)| metric.of_own(&own, node.cost.calls));
        sample.value.clear();
        sample.value.extend(values);
        if sample.value.iter().all(|&value| value == 0) {
            continue;
        }
        sample.location_id.clear();
        let path = tree.frames(id);
        let places = path.map(|(_, frame)| u64::from(locations.number(frame.symbol)));
        sample.location_id.extend(places);
        out.message(field::SAMPLE, &sample)?;
    }

    let title = text::title(profile, options);
    let root = profile
        .symbols
        .first()
        .and_then(|root| root.file.as_deref());
    let script = root.map(text::lossy);
    let script = script.as_deref().or(title.as_deref());
    out.message(
        field::MAPPING,
        &Mapping {
            id: 1,
            filename: string(&mut strings, script.unwrap_or("php")),
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
        },
    )?;
    let mut messages = Vec::new();
    let mut functions = HashMap::new();
    for (id, frame) in (1_u64..).zip(&locations.used) {
        let Some(frame) = frames.get(frame.index()) else {
            continue;
        };
        let next = messages.len() as u64 + 1;
        let function_id = *functions.entry((frame.symbol, frame.file)).or_insert(next);
        let line_of = Line {
            function_id,
            line: i64::from(frame.line),
        };
        out.message(
            field::LOCATION,
            &Location {
                id,
                mapping_id: 1,
                address: 0,
                line: vec![line_of],
            },
        )?;
        if function_id == next {
            let symbol = profile.symbol(frame.symbol);
            let is_its_file = frame.file.is_none();
            messages.push(Function {
                id: function_id,
                name: string(&mut strings, &text::function(&symbol.name)),
                system_name: 0,
                filename: string(&mut strings, &text::file_of(frame, profile)),
                start_line: if is_its_file {
                    i64::from(symbol.line)
                } else {
                    0
                },
            });
        }
    }
    for function in messages {
        out.message(field::FUNCTION, &function)?;
    }
    let comment = title.map(|title| string(&mut strings, &title));
    for string in &strings.list {
        out.bytes(field::STRING_TABLE, string.as_bytes())?;
    }
    let started = profile.meta.started_unix_us.unwrap_or(0);
    out.number(field::TIME_NANOS, started.saturating_mul(1000))?;
    let wall = types
        .iter()
        .find(|(metric, ..)| *metric == profile::Metric::Wall);
    if let Some((metric, _, unit)) = wall {
        if *unit == "nanoseconds" {
            out.number(field::DURATION_NANOS, tree.root_cost().wall)?;
        }
        if let Some(value) = type_of.get(metric) {
            out.message(field::PERIOD_TYPE, value)?;
            out.number(field::PERIOD, 1)?;
            if let Some(comment) = comment {
                out.number(field::COMMENT, comment.unsigned_abs())?;
            }
            // Without it, tools show the last type.
            let default = type_of.get(&shown(profile, options)).unwrap_or(value);
            out.number(field::DEFAULT_SAMPLE_TYPE, default.kind.unsigned_abs())?;
        }
    }
    let out = out
        .out
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    out.finish()?.flush()
}

/// The number of a string.
fn string(strings: &mut Strings, text: &str) -> i64 {
    i64::from(strings.number(text))
}

/// The requested metric, if the profile has it.
fn shown(profile: &Profile, options: &WriteOptions) -> profile::Metric {
    if options.metric.is_in(profile.metrics) {
        options.metric
    } else {
        profile::Metric::Wall
    }
}

/// A profile's fields, one after the other.
struct Fields<W> {
    out: W,
    buffer: Vec<u8>,
}

impl<W: Write> Fields<W> {
    fn message(&mut self, field: u32, message: &impl Message) -> io::Result<()> {
        self.buffer.clear();
        proto::put(field, message, &mut self.buffer);
        self.out.write_all(&self.buffer)
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) -> io::Result<()> {
        self.buffer.clear();
        proto::begin(field, bytes.len(), &mut self.buffer);
        self.out.write_all(&self.buffer)?;
        self.out.write_all(bytes)
    }

    /// Zero is the default value, and is left out.
    fn number(&mut self, field: u32, number: u64) -> io::Result<()> {
        if number == 0 {
            return Ok(());
        }
        self.buffer.clear();
        encode_key(field, WireType::Varint, &mut self.buffer);
        encode_varint(number, &mut self.buffer);
        self.out.write_all(&self.buffer)
    }
}
