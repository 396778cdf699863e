//! Reads pprof, field by field: samples before the functions they are of, as
//! most writers have them, or after.
//!
//! Only numbers are kept of a sample until the end of the file.

use std::io::{BufRead, Read};

use profile::{
    Body, Cost, Meta, Metric, Mode, NodeId, NumberHash, NumberMap, Profile, Spans, SymbolId,
    TreeBuilder,
};
use prost::Message;
use prost::encoding::WireType;

use super::messages::{Function, Location, Sample, ValueType, field};
use super::types;
use crate::paths::Paths;
use crate::symbols::Symbols;
use crate::{Detection, ReadError, text};

/// The longest field, in bytes: 64 MiB. A sample with its whole stack is one.
const MAX_FIELD: u64 = 64 << 20;

/// A field can only be a sample type, and its message is some numbers, or it is
/// a sample: too little for a magic number, so several fields have to fit.
pub(super) fn detect(head: &[u8]) -> Detection {
    let mut rest = head;
    let mut fields = 0;
    let mut has_types = false;
    while let [key, length, inner @ ..] = rest {
        let number = u32::from(key >> 3);
        if key & 7 != WireType::LengthDelimited as u8 || !(1..=6).contains(&number) {
            // Numbers come after what they are about.
            return if fields >= 2 && has_types && known_number(*key) {
                Detection::Yes
            } else {
                Detection::No
            };
        }
        let (length, inner) = match (length, inner) {
            (0..0x80, inner) => (usize::from(*length), inner),
            (low, [high @ 0..0x80, inner @ ..]) => {
                (usize::from(low & 0x7f) | usize::from(*high) << 7, inner)
            }
            _ => break,
        };
        let Some((message, next)) = inner.split_at_checked(length) else {
            break;
        };
        if !looks_like(number, message) {
            return Detection::No;
        }
        has_types |= number == field::SAMPLE_TYPE;
        fields += 1;
        rest = next;
        if fields == 8 {
            break;
        }
    }
    match (fields, has_types) {
        (2.., true) => Detection::Yes,
        // A profile may begin with its samples, but nobody's does.
        (1.., false) | (0, _) => Detection::No,
        _ => Detection::NeedMore,
    }
}

/// Whether a message can be that of a field.
fn looks_like(number: u32, message: &[u8]) -> bool {
    match number {
        field::SAMPLE_TYPE => {
            !message.is_empty() && message.len() <= 22 && ValueType::decode(message).is_ok()
        }
        field::SAMPLE => Sample::decode(message).is_ok(),
        field::LOCATION => Location::decode(message).is_ok(),
        field::FUNCTION => Function::decode(message).is_ok(),
        _ => true,
    }
}

/// Whether the key is one of a field of a number.
fn known_number(key: u8) -> bool {
    matches!(key >> 3, 7..=15) && matches!(key & 7, 0 | 2)
}

pub(super) fn read(format: &'static str, input: &mut dyn BufRead) -> Result<Profile, ReadError> {
    let mut input = Counted { input, offset: 0 };
    let mut parts = Parts::default();
    loop {
        let offset = input.offset;
        let broken = |reason: &str| ReadError::Offset {
            format,
            offset,
            reason: reason.to_owned(),
        };
        let Some(key) = input.varint().map_err(|it| it.or(&broken))? else {
            break;
        };
        let mut number = || match input.varint() {
            Ok(Some(number)) => Ok(number),
            Ok(None) => Err(broken("it ends early")),
            Err(error) => Err(error.or(&broken)),
        };
        let field = u32::try_from(key >> 3).map_err(|_| broken("no field has this number"))?;
        match key & 7 {
            0 => {
                let number = number()?;
                parts.add_number(field, number);
            }
            2 => {
                let length = number()?;
                if length > MAX_FIELD {
                    return Err(ReadError::TooLarge { limit: MAX_FIELD });
                }
                let message = input.bytes(length).map_err(|it| it.or(&broken))?;
                parts.add(field, message).map_err(|it| broken(&it))?;
            }
            1 => drop(input.bytes(8).map_err(|it| it.or(&broken))?),
            5 => drop(input.bytes(4).map_err(|it| it.or(&broken))?),
            _ => return Err(broken("a field of an unknown kind")),
        }
    }
    if input.offset == 0 {
        return Err(ReadError::Empty);
    }
    parts.finish().map_err(|reason| ReadError::Offset {
        format,
        offset: input.offset,
        reason,
    })
}

/// The input, and how far it has been read.
struct Counted<'i> {
    input: &'i mut dyn BufRead,
    offset: u64,
}

enum Broken {
    Io(std::io::Error),
    Reason(&'static str),
}

impl Broken {
    fn or(self, broken: &dyn Fn(&str) -> ReadError) -> ReadError {
        match self {
            Self::Io(error) => error.into(),
            Self::Reason(reason) => broken(reason),
        }
    }
}

impl Counted<'_> {
    /// A number; none where the input ends.
    fn varint(&mut self) -> Result<Option<u64>, Broken> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = match self.input.fill_buf().map_err(Broken::Io)?.first() {
                Some(&byte) => byte,
                None if shift == 0 => return Ok(None),
                None => return Err(Broken::Reason("it ends early")),
            };
            self.input.consume(1);
            self.offset += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(Some(number));
            }
        }
        Err(Broken::Reason("a number that is too long"))
    }

    /// As many bytes, read as they come: a length is only a claim.
    fn bytes(&mut self, length: u64) -> Result<Vec<u8>, Broken> {
        let mut bytes = Vec::new();
        let mut input = Read::take(&mut *self.input, length);
        let count = input.read_to_end(&mut bytes).map_err(Broken::Io)?;
        self.offset += count as u64;
        if (count as u64) < length {
            return Err(Broken::Reason("it ends early"));
        }
        Ok(bytes)
    }
}

/// What has been read of a profile.
#[derive(Debug, Default)]
struct Parts {
    types: Vec<ValueType>,
    /// Where in `ids` and `values` those of each sample end.
    samples: Vec<(usize, usize)>,
    ids: Vec<u64>,
    values: Vec<i64>,
    locations: NumberMap<u64, Vec<u64>>,
    functions: NumberMap<u64, Function>,
    strings: Vec<Box<[u8]>>,
    comments: Vec<u64>,
    time_nanos: u64,
}

impl Parts {
    fn add_number(&mut self, number: u32, value: u64) {
        match number {
            field::TIME_NANOS => self.time_nanos = value,
            field::COMMENT => self.comments.push(value),
            _ => {}
        }
    }

    fn add(&mut self, number: u32, message: Vec<u8>) -> Result<(), String> {
        let broken = |error: prost::DecodeError| error.to_string();
        match number {
            field::SAMPLE_TYPE => {
                let value = ValueType::decode(message.as_slice()).map_err(broken)?;
                self.types.push(value);
            }
            field::SAMPLE => {
                let sample = Sample::decode(message.as_slice()).map_err(broken)?;
                self.ids.extend_from_slice(&sample.location_id);
                self.values.extend_from_slice(&sample.value);
                self.samples.push((self.ids.len(), self.values.len()));
            }
            field::LOCATION => {
                let location = Location::decode(message.as_slice()).map_err(broken)?;
                let functions = location.line.iter().map(|line| line.function_id);
                let id = location.id;
                if id == 0 || self.locations.insert(id, functions.collect()).is_some() {
                    return Err(format!("location {id} is there twice, or is 0"));
                }
            }
            field::FUNCTION => {
                let function = Function::decode(message.as_slice()).map_err(broken)?;
                let id = function.id;
                if id == 0 || self.functions.insert(id, function).is_some() {
                    return Err(format!("function {id} is there twice, or is 0"));
                }
            }
            field::STRING_TABLE => self.strings.push(message.into()),
            field::COMMENT => {
                // Packed: several numbers in one field.
                let mut message = message.as_slice();
                while !message.is_empty() {
                    let number = prost::encoding::decode_varint(&mut message);
                    self.comments.push(number.map_err(broken)?);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn string(&self, number: i64) -> &[u8] {
        let index = usize::try_from(number).ok();
        let string = index.and_then(|index| self.strings.get(index));
        string.map_or(b"", |string| string)
    }

    fn finish(self) -> Result<Profile, String> {
        let types = self.types.iter();
        let types: Vec<_> = types
            .map(|it| (self.string(it.kind), self.string(it.unit)))
            .collect();
        if types.is_empty() {
            return Err("it does not say what its values are".to_owned());
        }
        let (columns, metrics) = types::columns(&types);
        if columns.is_empty() {
            return Err("it has neither times nor memory, and counts no samples".to_owned());
        }
        let mut symbols = Symbols::default();
        let functions = self.symbols(&mut symbols);
        let stacks = self.stacks(&mut symbols, &functions)?;

        let mut builder = TreeBuilder::new();
        let mut paths = Paths::default();
        let (mut id, mut value) = (0, 0);
        for &(ids_end, values_end) in &self.samples {
            let ids = self.ids.get(id..ids_end).unwrap_or_default();
            let values = self.values.get(value..values_end).unwrap_or_default();
            (id, value) = (ids_end, values_end);
            if values.len() != types.len() {
                return Err("a sample has more or fewer values than there are types".to_owned());
            }
            if let Some(id) = ids.iter().find(|id| !stacks.contains_key(id)) {
                return Err(format!("there is no location {id}"));
            }
            // Root first, that is backwards, in a location too.
            let stack = ids.iter().rev().filter_map(|id| stacks.get(id));
            let stack = stack.flat_map(|symbols| symbols.iter().rev().copied());
            let node = paths.node(stack, |caller, symbol| builder.child(caller, symbol));
            for column in &columns {
                let value = values.get(column.index).copied().unwrap_or(0);
                add(
                    builder.cost(node),
                    column.metric,
                    value.saturating_mul(column.times),
                );
            }
        }
        // `main()` was called, even if nobody says so.
        let root = builder.cost(NodeId::ROOT);
        if metrics.calls && root.calls == 0 {
            root.calls = 1;
        }
        let comment = self.comments.first().copied().unwrap_or(0);
        let comment = self.string(i64::try_from(comment).unwrap_or(0));
        let (title, is_estimated) = text::split_title(&text::lossy(comment));
        let meta = Meta {
            title,
            is_estimated,
            started_unix_us: (self.time_nanos > 0).then_some(self.time_nanos / 1000),
            mode: if metrics.calls {
                Mode::Traced
            } else {
                Mode::Unknown
            },
            ..Meta::default()
        };
        Ok(Profile {
            symbols: symbols.finish(),
            body: Body::Tree(builder.finish_signed_self_costs()),
            metrics,
            meta,
            spans: Spans::default(),
        })
    }

    /// The symbols of the functions, by their IDs.
    fn symbols(&self, symbols: &mut Symbols) -> NumberMap<u64, SymbolId> {
        let mut functions: Vec<_> = self.functions.values().collect();
        functions.sort_by_key(|function| function.id);
        let id = |function: &Function| {
            let names = [
                self.string(function.name),
                self.string(function.system_name),
            ];
            let name = names.into_iter().find(|name| !name.is_empty());
            let symbol = symbols.id(name.unwrap_or(b"(unknown)"));
            let file = self.string(function.filename);
            if let Some(symbol) = symbols.symbol(symbol)
                && symbol.file.is_none()
            {
                text::set_file(symbol, file);
                symbol.line = u32::try_from(function.start_line).unwrap_or(0);
            }
            (function.id, symbol)
        };
        functions.into_iter().map(id).collect()
    }

    /// The symbols of the locations, the innermost first, by their IDs.
    fn stacks(
        &self,
        symbols: &mut Symbols,
        functions: &NumberMap<u64, SymbolId>,
    ) -> Result<NumberMap<u64, Vec<SymbolId>>, String> {
        let mut stacks =
            NumberMap::with_capacity_and_hasher(self.locations.len(), NumberHash::default());
        for (&id, lines) in &self.locations {
            let mut stack = Vec::with_capacity(lines.len());
            for function in lines {
                let symbol = functions.get(function);
                stack.push(*symbol.ok_or_else(|| format!("there is no function {function}"))?);
            }
            if stack.is_empty() {
                // An address that nobody gave a name.
                stack.push(symbols.id(b"(unknown)"));
            }
            stacks.insert(id, stack);
        }
        Ok(stacks)
    }
}

/// Adds what a sample says. Times may be below zero: see
/// [`TreeBuilder::finish_signed_self_costs`].
fn add(cost: &mut Cost, metric: Metric, value: i64) {
    let signed = |sum: u64| sum.cast_signed().saturating_add(value).cast_unsigned();
    match metric {
        Metric::Calls => cost.calls = cost.calls.saturating_add_signed(value),
        Metric::Wall => cost.wall = signed(cost.wall),
        Metric::Cpu => cost.cpu = signed(cost.cpu),
        Metric::Memory => cost.memory = cost.memory.saturating_add(value),
        Metric::Peak => cost.peak = cost.peak.saturating_add(value),
    }
}
