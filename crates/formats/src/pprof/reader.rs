//! Reads pprof field by field: samples before their functions, as in most
//! files, or after.
//!
//! **Invariant:** equal samples are added up at once, so memory is proportional
//! to distinct stacks. Only the string table is kept as it is.

use std::io::BufRead;

use profile::{
    Body, Budget, Meta, Mode, NodeId, NumberMap, OverBudget, Profile, Spans, SymbolId, TreeBuilder,
    allocated,
};
use prost::Message as _;

use super::fields::{Input, Message, Value, count, varint};
use super::lines::lines;
use super::locations::Locations;
use super::messages::{Function, ValueType, field};
use super::stacks::{Place, StackId, Stacks};
use super::types;
use crate::ReadError;
use crate::shared::symbols::Symbols;
use crate::shared::text;

/// Bytes per function until the symbols are made: its entry in the map, and its
/// symbol.
const FUNCTION: usize = 48;

pub(super) fn read(
    format: &'static str,
    input: &mut dyn BufRead,
    budget: &Budget,
) -> Result<Profile, ReadError> {
    let mut input = Input::new(format, input, budget);
    let mut parts = Parts::within(budget);
    loop {
        // The position in the error is the beginning of the field.
        let outcome = match input.next()? {
            None => break,
            Some((field, Value::Number(number))) => {
                parts.add_number(field, number);
                Ok(())
            }
            Some((field::SAMPLE, Value::Bytes(message))) => match parts.sample(message) {
                Ok(()) => parts.again(input.repeats()),
                error => error,
            },
            Some((field, Value::Bytes(message))) => parts.add(field, message),
            Some((_, Value::Fixed)) => Ok(()),
        };
        if let Err(broken) = outcome {
            budget.check()?;
            return Err(input.broken(broken.0));
        }
    }
    if input.offset() == 0 {
        return Err(ReadError::Empty);
    }
    let outcome = parts.finish(budget);
    budget.check()?;
    outcome.map_err(|broken| ReadError::Offset {
        format,
        offset: input.offset(),
        reason: broken.0,
    })
}

/// The error in a message. If the budget has no memory for it, the budget
/// itself reports that.
struct Broken(String);

impl From<String> for Broken {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

impl From<&str> for Broken {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<OverBudget> for Broken {
    fn from(error: OverBudget) -> Self {
        Self(error.to_string())
    }
}

impl From<prost::DecodeError> for Broken {
    fn from(error: prost::DecodeError) -> Self {
        Self(error.to_string())
    }
}

/// The part of a profile that has been read.
#[derive(Debug)]
struct Parts {
    types: Vec<ValueType>,
    stacks: Stacks,
    locations: Locations,
    functions: NumberMap<u64, Function>,
    strings: Vec<Box<[u8]>>,
    comment: Option<u64>,
    default_type: u64,
    time_nanos: u64,
    /// The last sample, as bytes and as its result: many samples repeat.
    last: Vec<u8>,
    last_stack: StackId,
    values: Vec<i64>,
    /// The same values, multiplied by the number of repetitions.
    repeated: Vec<i64>,
    places: Vec<Place>,
    budget: Budget,
}

impl Parts {
    fn within(budget: &Budget) -> Self {
        Self {
            types: Vec::new(),
            stacks: Stacks::within(budget),
            locations: Locations::within(budget),
            functions: NumberMap::default(),
            strings: Vec::new(),
            comment: None,
            default_type: 0,
            time_nanos: 0,
            last: Vec::new(),
            last_stack: 0,
            values: Vec::new(),
            repeated: Vec::new(),
            places: Vec::new(),
            budget: budget.clone(),
        }
    }

    fn add_number(&mut self, number: u32, value: u64) {
        match number {
            field::TIME_NANOS => self.time_nanos = value,
            field::COMMENT => self.comment = self.comment.or(Some(value)),
            field::DEFAULT_SAMPLE_TYPE => self.default_type = value,
            _ => {}
        }
    }

    fn add(&mut self, number: u32, message: &[u8]) -> Result<(), Broken> {
        match number {
            field::LOCATION => self.locations.define(message)?,
            field::SAMPLE_TYPE => {
                self.budget.room(&mut self.types, "types of values")?;
                self.types.push(ValueType::decode(message)?);
            }
            field::FUNCTION => {
                let function = Function::decode(message)?;
                let id = function.id;
                self.budget.take(FUNCTION, "functions")?;
                self.budget.room_in_map(&mut self.functions, "functions")?;
                if id == 0 || self.functions.insert(id, function).is_some() {
                    return Err(format!("function {id} occurs twice, or is 0").into());
                }
            }
            field::STRING_TABLE => {
                self.budget.room(&mut self.strings, "strings")?;
                if !message.is_empty() {
                    self.budget.take(allocated(message.len()), "strings")?;
                }
                self.strings.push(message.into());
            }
            field::COMMENT => {
                // Packed: several numbers in one field.
                let mut message = message;
                if self.comment.is_none() && !message.is_empty() {
                    self.comment = varint(&mut message);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn sample(&mut self, message: &[u8]) -> Result<(), Broken> {
        if self.stacks.width().is_none() || self.last != message {
            self.last_stack = self.stack_and_values(message)?;
            self.last.clear();
            self.budget
                .room_for(&mut self.last, message.len(), "samples")?;
            self.last.extend_from_slice(message);
        }
        if !self.stacks.add(self.last_stack, &self.values)? {
            return Err("a sample has more or fewer values than there are types".into());
        }
        Ok(())
    }

    /// Adds the last sample this many times again.
    fn again(&mut self, times: u64) -> Result<(), Broken> {
        if times > 0 {
            let times = i64::try_from(times).unwrap_or(i64::MAX);
            let values = self.values.iter().map(|value| value.saturating_mul(times));
            self.repeated.clear();
            self.budget
                .room_for(&mut self.repeated, self.values.len(), "values")?;
            self.repeated.extend(values);
            self.stacks.add(self.last_stack, &self.repeated)?;
        }
        Ok(())
    }

    /// The stack of a sample; its values are in `values` afterwards.
    fn stack_and_values(&mut self, message: &[u8]) -> Result<StackId, Broken> {
        self.values.clear();
        self.places.clear();
        for field in Message(message) {
            match field? {
                (1, Value::Number(id)) => self.location(id)?,
                (1, Value::Bytes(mut ids)) => {
                    // Checked before allocating, because a frame may be one
                    // byte.
                    let frames = count(ids);
                    self.stacks.expect(self.places.len() + frames)?;
                    self.budget
                        .room_for(&mut self.places, frames, "call paths")?;
                    while !ids.is_empty() {
                        let id = varint(&mut ids).ok_or("a location is not a number")?;
                        self.location(id)?;
                    }
                }
                (2, Value::Number(value)) => self.value(value)?,
                (2, Value::Bytes(mut values)) => {
                    while !values.is_empty() {
                        let value = varint(&mut values).ok_or("a value is not a number")?;
                        self.value(value)?;
                    }
                }
                _ => {}
            }
        }
        // The innermost function comes first.
        Ok(self.stacks.stack(self.places.iter().rev().copied())?)
    }

    fn location(&mut self, id: u64) -> Result<(), OverBudget> {
        let place = self.locations.place(id)?;
        self.budget.room(&mut self.places, "call paths")?;
        self.places.push(place);
        Ok(())
    }

    fn value(&mut self, value: u64) -> Result<(), OverBudget> {
        self.budget.room(&mut self.values, "values")?;
        self.values.push(value.cast_signed());
        Ok(())
    }

    fn string(&self, number: i64) -> &[u8] {
        let index = usize::try_from(number).ok();
        let string = index.and_then(|index| self.strings.get(index));
        string.map_or(b"", |string| string)
    }

    fn finish(mut self, budget: &Budget) -> Result<Profile, Broken> {
        budget.drop_list(std::mem::take(&mut self.last));
        budget.drop_list(std::mem::take(&mut self.places));
        let types = self.types.iter();
        let types: Vec<_> = types
            .map(|value_type| (self.string(value_type.kind), self.string(value_type.unit)))
            .collect();
        if types.is_empty() {
            return Err("it has no value types".into());
        }
        if self
            .stacks
            .width()
            .is_some_and(|width| width != types.len())
        {
            return Err("a sample has more or fewer values than there are types".into());
        }
        let default = self.string(i64::try_from(self.default_type).unwrap_or(0));
        let (columns, metrics) = types::columns(&types, default);
        if columns.is_empty() {
            return Err("it has neither times nor memory, and counts nothing".into());
        }
        let (counts, not_read) = types::names(&types, &columns, metrics);
        let mut symbols = Symbols::within(budget);
        let functions = self.symbols(&mut symbols);
        self.locations.resolve(&functions, &mut symbols)?;

        let stacks = std::mem::replace(&mut self.stacks, Stacks::within(budget));
        let lines = lines(
            &stacks,
            &self.locations,
            &self.functions,
            &columns,
            |number| self.string(number),
            budget,
        );
        let mut builder = TreeBuilder::within(budget);
        let mut nodes: Vec<NodeId> = Vec::new();
        stacks.for_each(|_, below, place, sums| {
            let mut node = NodeId::ROOT;
            if let Some(place) = place {
                node = nodes[below as usize];
                // Root first, so in reverse order, also inside of a location.
                for &symbol in self.locations.symbols(place)?.iter().rev() {
                    // A `main()` at the bottom of a stack is the root.
                    if node != NodeId::ROOT || below != 0 || symbol != SymbolId::ROOT {
                        node = builder.child(node, symbol);
                    }
                }
                budget.check()?;
            }
            budget.room(&mut nodes, "call paths")?;
            nodes.push(node);
            for column in &columns {
                let value = sums.get(column.index).copied().unwrap_or(0);
                let value = value.saturating_mul(column.times);
                builder.add_value(node, column.metric, value);
            }
            Ok::<(), Broken>(())
        })?;
        budget.drop_list(nodes);
        // `main()` was called, even if the file has no calls of it.
        let root = builder.cost(NodeId::ROOT);
        if metrics.calls && root.calls == 0 {
            root.calls = 1;
        }
        let comment = self.string(i64::try_from(self.comment.unwrap_or(0)).unwrap_or(0));
        let (title, is_estimated) = text::split_title(&text::lossy(comment));
        let meta = Meta {
            title,
            is_estimated,
            counts,
            not_read,
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
            lines,
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
            let id = symbols.id(name.unwrap_or(b"(unknown)"));
            let file = self.string(function.filename);
            if symbols.symbol(id).file.is_none() {
                symbols.set_file(id, file);
                symbols.symbol(id).line = u32::try_from(function.start_line).unwrap_or(0);
            }
            (function.id, id)
        };
        functions.into_iter().map(id).collect()
    }
}
