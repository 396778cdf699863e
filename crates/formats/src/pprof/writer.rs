//! Writes pprof, sample by sample.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use profile::{Profile, SymbolId, Tree};
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use super::messages::{Function, Line, Location, Mapping, Sample, ValueType, field};
use super::types;
use crate::WriteOptions;
use crate::shared::text;

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
            kind: strings.id(kind),
            unit: strings.id(unit),
        };
        type_of.insert(metric, value);
        out.message(field::SAMPLE_TYPE, &value)?;
    }

    let mut locations = Locations::new(profile);
    let mut sample = Sample::default();
    for (index, (node, own)) in tree.nodes.iter().zip(tree.self_costs()).enumerate() {
        let values = types
            .iter()
            .map(|(metric, ..)| metric.of_own(&own, node.cost.calls));
        sample.value.clear();
        sample.value.extend(values);
        if sample.value.iter().all(|&value| value == 0) {
            continue;
        }
        sample.location_id.clear();
        let mut at = index;
        while let Some(node) = tree.nodes.get(at) {
            sample.location_id.push(locations.id(node.symbol));
            // Parents precede children, so this loop ends for any table.
            if node.parent.index() >= at {
                break;
            }
            at = node.parent.index();
        }
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
            filename: strings.id(script.unwrap_or("php")),
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
        },
    )?;
    let mut functions = Vec::with_capacity(locations.used.len());
    for (id, &symbol) in (1_u64..).zip(&locations.used) {
        let Some(symbol) = profile.symbols.get(symbol.index()) else {
            continue;
        };
        let line = i64::from(symbol.line);
        let line_of = Line {
            function_id: id,
            line,
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
        functions.push(Function {
            id,
            name: strings.id(&text::function(&symbol.name)),
            system_name: 0,
            filename: strings.id(&text::file(symbol)),
            start_line: line,
        });
    }
    for function in functions {
        out.message(field::FUNCTION, &function)?;
    }
    let comment = title.map(|title| strings.id(&title));
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
        encode_key(field, WireType::LengthDelimited, &mut self.buffer);
        encode_varint(message.encoded_len() as u64, &mut self.buffer);
        message.encode_raw(&mut self.buffer);
        self.out.write_all(&self.buffer)
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) -> io::Result<()> {
        self.buffer.clear();
        encode_key(field, WireType::LengthDelimited, &mut self.buffer);
        encode_varint(bytes.len() as u64, &mut self.buffer);
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

/// The strings, by index: in the order of their first use, the empty one first.
struct Strings {
    list: Vec<String>,
    places: HashMap<String, i64>,
}

impl Default for Strings {
    fn default() -> Self {
        Self {
            list: vec![String::new()],
            places: HashMap::from([(String::new(), 0)]),
        }
    }
}

impl Strings {
    fn id(&mut self, string: &str) -> i64 {
        if let Some(&id) = self.places.get(string) {
            return id;
        }
        let id = i64::try_from(self.list.len()).unwrap_or(0);
        self.places.insert(string.to_owned(), id);
        self.list.push(string.to_owned());
        id
    }
}

/// The functions in stacks, in the order of their first use.
struct Locations {
    ids: Vec<u64>,
    used: Vec<SymbolId>,
}

impl Locations {
    fn new(profile: &Profile) -> Self {
        Self {
            ids: vec![0; profile.symbols.len()],
            used: Vec::new(),
        }
    }

    /// A symbol's location and function, numbered from 1.
    fn id(&mut self, symbol: SymbolId) -> u64 {
        match self.ids.get_mut(symbol.index()) {
            Some(0) => {
                self.used.push(symbol);
                let id = self.used.len() as u64;
                if let Some(place) = self.ids.get_mut(symbol.index()) {
                    *place = id;
                }
                id
            }
            Some(id) => *id,
            None => self.id(SymbolId::ROOT),
        }
    }
}
