//! Reads OTLP profiles: first the tables, which are at the end of the file,
//! then the samples of each profile. All profiles are combined: resources
//! become separate subtrees, value types become costs of the same tree.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use profile::{
    Body, Budget, FileId, Lines, LinesBuilder, Meta, Metric, Mode, NodeId, Profile, SelfCost,
    Spans, SymbolId, TreeBuilder,
};

use super::NAME;
use super::messages::field;
use super::wire::{Value, fields, numbers};
use crate::ReadError;
use crate::pprof::types;
use crate::shared::symbols::Symbols;
use crate::shared::text::{lossy, set_file, split_title};

pub(super) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let bytes = crate::shared::whole::whole(input, budget)?;
    profile(&bytes, budget).map_err(|reason| ReadError::Offset {
        format: NAME,
        offset: bytes.len() as u64,
        reason: format!("{reason} (only files of release 1.11 are read)"),
    })
}

fn profile(bytes: &[u8], budget: &Budget) -> Result<Profile, String> {
    let mut tables = Tables::default();
    fields(bytes, |number, value| match number {
        number if number == u64::from(field::DICTIONARY) => tables.read(value.bytes()?, budget),
        _ => Ok(()),
    })?;
    // The value types decide which values are read.
    let mut types: Vec<(&[u8], &[u8])> = Vec::new();
    each_profile(bytes, |profile| {
        let kind = tables.value_type(profile)?;
        if !types.contains(&kind) && types.len() < MAX_TYPES {
            types.push(kind);
        }
        Ok(())
    })?;
    let (columns, metrics) = types::columns(&types, types.first().map_or(b"", |first| first.0));
    if columns.is_empty() {
        return Err("it has neither times nor memory, and counts no samples".to_owned());
    }
    let mut symbols = Symbols::within(budget);
    let stacks = tables.symbols(&mut symbols, budget)?;
    let mut builder = TreeBuilder::within(budget);
    let mut nodes: Vec<Option<NodeId>> = Vec::new();
    room(budget, &mut nodes, tables.stacks.len())?;
    nodes.resize(tables.stacks.len(), None);
    let mut costs: Vec<SelfCost> = Vec::new();
    room(budget, &mut costs, tables.stacks.len())?;
    costs.resize(tables.stacks.len(), SelfCost::default());
    let mut started = u64::MAX;
    each_profile(bytes, |profile| {
        let kind = tables.value_type(profile)?;
        let column = columns
            .iter()
            .find(|column| types.get(column.index) == Some(&kind));
        fields(profile, |number, value| {
            match (u32::try_from(number), column) {
                (Ok(field::SAMPLES), Some(column)) => {
                    let sample = Sample::read(value.bytes()?)?;
                    let node =
                        tables.node(sample.stack, &stacks, &mut nodes, &mut builder, budget)?;
                    let value = sample.value.saturating_mul(column.times);
                    builder.add_value(node, column.metric, value);
                    if let Some(cost) = costs.get_mut(sample.stack as usize) {
                        *cost += own_cost(column.metric, value);
                    }
                }
                (Ok(field::TIME_UNIX_NANO), _) => {
                    let time = value.number()?;
                    started = started.min(if time == 0 { u64::MAX } else { time });
                }
                _ => {}
            }
            Ok(())
        })
    })?;
    let root = builder.cost(NodeId::ROOT);
    if metrics.calls && root.calls == 0 {
        root.calls = 1;
    }
    let mut meta = resource(bytes)?;
    (meta.counts, meta.not_read) = types::names(&types, &columns, metrics);
    meta.started_unix_us = (started < u64::MAX).then_some(started / 1_000);
    if metrics.calls {
        meta.mode = Mode::Traced;
    }
    let lines = tables.lines(&stacks, &costs, budget)?;
    Ok(Profile {
        symbols: symbols.finish(),
        body: Body::Tree(builder.finish_signed_self_costs()),
        metrics,
        meta,
        spans: Spans::default(),
        lines,
    })
}

/// The maximum number of value types that are examined.
const MAX_TYPES: usize = 100;

/// Calls `visit` with each profile of a file.
fn each_profile<'b>(
    bytes: &'b [u8],
    mut visit: impl FnMut(&'b [u8]) -> Result<(), String>,
) -> Result<(), String> {
    let is = |number: u64, wanted: u32| number == u64::from(wanted);
    fields(bytes, |number, value| {
        if !is(number, field::RESOURCE_PROFILES) {
            return Ok(());
        }
        fields(value.bytes()?, |number, value| {
            if !is(number, field::SCOPE_PROFILES) {
                return Ok(());
            }
            fields(value.bytes()?, |number, value| {
                if is(number, field::PROFILES) {
                    visit(value.bytes()?)?;
                }
                Ok(())
            })
        })
    })
}

/// A sample: the index of its stack, and the sum of its values.
struct Sample {
    stack: u32,
    value: i64,
}

impl Sample {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut stack = 0;
        let mut sum = None;
        let mut times = 0_i64;
        fields(bytes, |number, value| {
            match number {
                1 => stack = value.index()?,
                4 => numbers(value, |value| {
                    let sum = sum.get_or_insert(0_i64);
                    *sum = sum.saturating_add(value.cast_signed());
                    Ok(())
                })?,
                5 => {
                    let count = match value {
                        Value::Bytes(bytes) => bytes.len() / 8,
                        Value::Number(_) => 1,
                    };
                    times = times.saturating_add(i64::try_from(count).unwrap_or(i64::MAX));
                }
                _ => {}
            }
            Ok(())
        })?;
        // Without values, each timestamp counts as one.
        let value = sum.unwrap_or(times);
        Ok(Self { stack, value })
    }
}

/// A function in a location, and the line that it executes.
#[derive(Debug, Clone, Copy)]
struct Frame {
    symbol: SymbolId,
    /// Its number in the table.
    function: u32,
    line: u32,
}

/// The tables: slices of the file, by index.
#[derive(Debug, Default)]
struct Tables<'b> {
    mappings: Vec<&'b [u8]>,
    locations: Vec<&'b [u8]>,
    functions: Vec<&'b [u8]>,
    strings: Vec<&'b [u8]>,
    stacks: Vec<&'b [u8]>,
}

impl<'b> Tables<'b> {
    fn read(&mut self, dictionary: &'b [u8], budget: &Budget) -> Result<(), String> {
        fields(dictionary, |number, value| {
            let list = match u32::try_from(number) {
                Ok(field::MAPPING_TABLE) => &mut self.mappings,
                Ok(field::LOCATION_TABLE) => &mut self.locations,
                Ok(field::FUNCTION_TABLE) => &mut self.functions,
                Ok(field::STRING_TABLE) => &mut self.strings,
                Ok(field::STACK_TABLE) => &mut self.stacks,
                _ => return Ok(()),
            };
            room(budget, list, 1)?;
            list.push(value.bytes()?);
            Ok(())
        })
    }

    fn string(&self, index: u32) -> Result<&'b [u8], String> {
        get(&self.strings, index, "string")
    }

    /// The name and the unit of a profile's values.
    fn value_type(&self, profile: &'b [u8]) -> Result<(&'b [u8], &'b [u8]), String> {
        let (mut kind, mut unit) = (0, 0);
        fields(profile, |number, value| {
            if number == u64::from(field::SAMPLE_TYPE) {
                fields(value.bytes()?, |number, value| {
                    match number {
                        1 => kind = value.index()?,
                        2 => unit = value.index()?,
                        _ => {}
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        Ok((self.string(kind)?, self.string(unit)?))
    }

    /// The frames of each location, the innermost first.
    fn symbols(&self, symbols: &mut Symbols, budget: &Budget) -> Result<Vec<Vec<Frame>>, String> {
        let mut functions = Vec::new();
        room(budget, &mut functions, self.functions.len())?;
        for function in &self.functions {
            functions.push(self.function(function, symbols)?);
        }
        let mut locations = Vec::new();
        room(budget, &mut locations, self.locations.len())?;
        for location in &self.locations {
            let mut lines = Vec::new();
            let mut mapping = 0;
            fields(location, |number, value| {
                match number {
                    1 => mapping = value.index()?,
                    3 => {
                        let (mut function, mut line) = (0, 0);
                        fields(value.bytes()?, |number, value| {
                            match number {
                                1 => function = value.index()?,
                                2 => line = value.number()?,
                                _ => {}
                            }
                            Ok(())
                        })?;
                        room(budget, &mut lines, 1)?;
                        lines.push(Frame {
                            symbol: get(&functions, function, "function")?,
                            function,
                            line: u32::try_from(line).unwrap_or(0),
                        });
                    }
                    _ => {}
                }
                Ok(())
            })?;
            if lines.is_empty() {
                lines.push(Frame {
                    symbol: symbols.id(&self.unknown(mapping)?),
                    function: 0,
                    line: 0,
                });
            }
            locations.push(lines);
        }
        Ok(locations)
    }

    fn function(&self, function: &'b [u8], symbols: &mut Symbols) -> Result<SymbolId, String> {
        let (mut name, mut system, mut file, mut line) = (0, 0, 0, 0);
        fields(function, |number, value| {
            match number {
                1 => name = value.index()?,
                2 => system = value.index()?,
                3 => file = value.index()?,
                4 => line = value.number()?,
                _ => {}
            }
            Ok(())
        })?;
        let names = [self.string(name)?, self.string(system)?];
        let name = names.into_iter().find(|name| !name.is_empty());
        let Some(name) = name else {
            // Entry 0 means none; a function for it would be visible.
            return Ok(symbols.id(b"(unknown)"));
        };
        let id = symbols.id(lossy(name).as_bytes());
        let file = self.string(file)?;
        let symbol = symbols.symbol(id);
        if symbol.file.is_none() {
            set_file(symbol, file);
            symbol.line = u32::try_from(line).unwrap_or(0);
        }
        Ok(id)
    }

    /// The name of an address without a symbol: its file.
    fn unknown(&self, mapping: u32) -> Result<Vec<u8>, String> {
        let mut file = 0;
        if let Some(mapping) = self.mappings.get(mapping as usize) {
            fields(mapping, |number, value| {
                if number == 4 {
                    file = value.index()?;
                }
                Ok(())
            })?;
        }
        let path = self.string(file)?;
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        Ok(if name.is_empty() {
            b"(unknown)".to_vec()
        } else {
            [b"[", name, b"]"].concat()
        })
    }

    /// The frames of a stack, the innermost first.
    fn path(
        &self,
        stack: u32,
        locations: &[Vec<Frame>],
        budget: &Budget,
    ) -> Result<Vec<Frame>, String> {
        let mut path: Vec<Frame> = Vec::new();
        fields(get(&self.stacks, stack, "stack")?, |number, value| {
            if number != 1 {
                return Ok(());
            }
            numbers(value, |location| {
                let index = u32::try_from(location).unwrap_or(u32::MAX);
                let lines = usize::try_from(location).ok();
                let lines = lines.and_then(|location| locations.get(location));
                let lines = lines.ok_or_else(|| format!("there is no location {index}"))?;
                room(budget, &mut path, lines.len())?;
                path.extend(lines);
                Ok(())
            })
        })?;
        Ok(path)
    }

    /// The file of a function, and the line that it begins at.
    fn place(&self, function: u32) -> Result<(&'b [u8], u32), String> {
        let (mut file, mut line) = (0, 0);
        fields(
            get(&self.functions, function, "function")?,
            |number, value| {
                match number {
                    3 => file = value.index()?,
                    4 => line = value.number()?,
                    _ => {}
                }
                Ok(())
            },
        )?;
        Ok((self.string(file)?, u32::try_from(line).unwrap_or(0)))
    }

    /// The costs of all lines, from those of each stack; empty if the file says no more than where
    /// functions begin. A line that is in a stack several times is charged once.
    fn lines(
        &self,
        locations: &[Vec<Frame>],
        costs: &[SelfCost],
        budget: &Budget,
    ) -> Result<Lines, String> {
        let mut is_known = false;
        for frame in locations.iter().flatten().filter(|frame| frame.line > 0) {
            is_known |= self.place(frame.function)?.1 != frame.line;
        }
        if !is_known {
            return Ok(Lines::default());
        }
        let mut builder = LinesBuilder::within(budget);
        let mut files: HashMap<u32, Option<FileId>> = HashMap::new();
        for (stack, cost) in (0..).zip(costs) {
            if *cost == SelfCost::default() {
                continue;
            }
            let mut charged = HashSet::new();
            let mut innermost = None;
            for (depth, frame) in self.path(stack, locations, budget)?.iter().enumerate() {
                let file = match files.get(&frame.function) {
                    Some(file) => *file,
                    None => {
                        let name = self.place(frame.function)?.0;
                        let file = (!name.is_empty()).then(|| builder.file(name)).flatten();
                        files.insert(frame.function, file);
                        file
                    }
                };
                let Some(place) = builder.line(frame.symbol, file, frame.line) else {
                    continue;
                };
                if !charged.insert(place.index()) {
                    continue;
                }
                if depth == 0 {
                    builder.add_own(place, *cost);
                } else {
                    builder.add_calls(place, 0, *cost);
                    if innermost.is_none() {
                        builder.add_builtin(place, *cost);
                    }
                }
                innermost.get_or_insert(place);
            }
        }
        Ok(builder.finish())
    }

    /// The node of a stack; `nodes` holds the nodes found before.
    fn node(
        &self,
        stack: u32,
        locations: &[Vec<Frame>],
        nodes: &mut [Option<NodeId>],
        builder: &mut TreeBuilder,
        budget: &Budget,
    ) -> Result<NodeId, String> {
        if let Some(&Some(node)) = nodes.get(stack as usize) {
            return Ok(node);
        }
        let path = self.path(stack, locations, budget)?;
        let mut node = NodeId::ROOT;
        for (depth, &Frame { symbol, .. }) in path.iter().rev().enumerate() {
            // A `main()` at the bottom of a stack is the root.
            if depth > 0 || symbol != SymbolId::ROOT {
                node = builder.child(node, symbol);
            }
        }
        if let Some(place) = nodes.get_mut(stack as usize) {
            *place = Some(node);
        }
        budget.drop_list(path);
        budget.check().map_err(|error| error.to_string())?;
        Ok(node)
    }
}

/// A value as the self cost of a stack.
fn own_cost(metric: Metric, value: i64) -> SelfCost {
    let mut own = SelfCost::default();
    match metric {
        Metric::Wall => own.wall = value,
        Metric::Cpu => own.cpu = value,
        Metric::Memory => own.memory = value,
        Metric::Peak => own.peak = value,
        Metric::Calls => {}
    }
    own
}

/// Makes room for `more` in `list`.
fn room<T>(budget: &Budget, list: &mut Vec<T>, more: usize) -> Result<(), String> {
    let room = budget.room_for(list, more, "tables");
    room.map_err(|error| error.to_string())
}

fn get<T: Copy>(list: &[T], index: u32, what: &str) -> Result<T, String> {
    let value = list.get(index as usize).copied();
    value.ok_or_else(|| format!("there is no {what} {index}"))
}

/// The properties of the first resource and its scope.
fn resource(bytes: &[u8]) -> Result<Meta, String> {
    let mut meta = Meta::default();
    fields(bytes, |number, value| {
        if number != u64::from(field::RESOURCE_PROFILES) {
            return Ok(());
        }
        fields(value.bytes()?, |number, value| {
            match u32::try_from(number) {
                Ok(field::RESOURCE) => fields(value.bytes()?, |number, value| {
                    if number == 1 {
                        attribute(value.bytes()?, &mut meta)?;
                    }
                    Ok(())
                }),
                Ok(field::SCOPE_PROFILES) if meta.creator.is_none() => {
                    fields(value.bytes()?, |number, value| {
                        if number == u64::from(field::SCOPE) {
                            let texts = texts(value.bytes()?)?;
                            let [name, version] = texts.map(|text| lossy(text).into_owned());
                            let creator = format!("{name} {version}");
                            meta.creator = Some(creator.trim().to_owned());
                        }
                        Ok(())
                    })
                }
                _ => Ok(()),
            }
        })
    })?;
    meta.creator = meta.creator.filter(|creator| !creator.is_empty());
    Ok(meta)
}

/// The first two texts of a message.
fn texts(message: &[u8]) -> Result<[&[u8]; 2], String> {
    let mut texts: [&[u8]; 2] = [b"", b""];
    fields(message, |number, value| {
        match (number, value) {
            (1, Value::Bytes(text)) => texts[0] = text,
            (2, Value::Bytes(text)) => texts[1] = text,
            _ => {}
        }
        Ok(())
    })?;
    Ok(texts)
}

fn attribute(message: &[u8], meta: &mut Meta) -> Result<(), String> {
    let [key, value] = texts(message)?;
    let [text, _] = texts(value)?;
    let text = lossy(text).into_owned();
    match key {
        b"service.name" if meta.title.is_none() => {
            (meta.title, meta.is_estimated) = split_title(&text);
        }
        b"host.name" if meta.host.is_none() => meta.host = Some(text),
        _ => {}
    }
    Ok(())
}
