//! Writes a profile for each cost, with shared tables.
//!
//! **Invariants:** entry 0 of every table means none; no entry is duplicated or
//! unused; a profile has one value type.

use std::collections::HashMap;
use std::io::Write;

use profile::{Metric, NodeId, Profile, SymbolId, Table, Tree};

use super::messages::{
    AnyValue, Function, InstrumentationScope, KeyValue, Line, Link, Location, Mapping, Resource,
    Sample, Stack, ValueType, field,
};
use crate::shared::fingerprint::fingerprint;
use crate::shared::indexed::{Functions, Strings};
use crate::shared::lined::{Frame, LinedStacks, plain_frames};
use crate::shared::proto::{begin, put, put_bytes};
use crate::shared::unit::Unit;
use crate::shared::{same_names, text, trace};
use crate::{WriteError, WriteOptions};

pub(super) fn write(
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let tree = profile.tree().ok_or(WriteError::NeedsStacks {
        format: super::NAME,
    })?;
    // Functions that the format cannot distinguish must not be duplicated.
    let symbols = profile.symbols.iter();
    let names: Vec<_> = symbols
        .map(|symbol| text::function(&symbol.name).into_owned().into_bytes())
        .collect();
    let tree = same_names::merged(&tree, &names);
    let canonical = same_names::canonical(&names);
    let lined = LinedStacks::of(profile, |symbol| canonical[symbol]);
    let mut document = Document::new(profile, options, &tree, lined.as_ref());
    document.add_profiles();
    Ok(document.write(out)?)
}

struct Document<'a> {
    profile: &'a Profile,
    options: &'a WriteOptions,
    tree: &'a Tree,
    lined: Option<&'a LinedStacks<'a>>,
    strings: Strings,
    frames: Vec<Frame<'a>>,
    /// The locations, which are frames.
    locations: Functions,
    /// The tables' stacks, encoded.
    stacks: Vec<u8>,
    /// The number of each node's stack, or of each stack with lines; 0 if it has none yet.
    stack_of: Table<NodeId, u32>,
    stack_count: u32,
    /// The profiles, encoded.
    profiles: Vec<Vec<u8>>,
}

impl<'a> Document<'a> {
    fn new(
        profile: &'a Profile,
        options: &'a WriteOptions,
        tree: &'a Tree,
        lined: Option<&'a LinedStacks<'a>>,
    ) -> Self {
        let frames = match lined {
            Some(lined) => lined.frames.clone(),
            None => plain_frames(profile),
        };
        let nodes = lined.map_or(tree.nodes.len(), |lined| lined.nodes.len());
        let mut stacks = Vec::new();
        put(field::STACK_TABLE, &Stack::default(), &mut stacks);
        Self {
            profile,
            options,
            tree,
            lined,
            strings: Strings::default(),
            locations: Functions::new(frames.len()),
            frames,
            stacks,
            stack_of: Table::new(0, nodes),
            stack_count: 0,
            profiles: Vec::new(),
        }
    }

    /// One profile for each metric, the requested one first.
    fn add_profiles(&mut self) {
        let wanted = self.options.metric;
        let rest = Metric::ALL.into_iter().filter(|&metric| metric != wanted);
        let own = self.tree.self_costs();
        let link_index = i32::from(trace::of(&self.profile.meta).is_some());
        for metric in std::iter::once(wanted).chain(rest) {
            if !metric.is_in(self.profile.metrics) {
                continue;
            }
            let (kind, unit) = match (metric, Unit::of(metric, self.profile)) {
                (Metric::Wall, Unit::Count) => (self.profile.counted(), "count"),
                (_, Unit::Nanoseconds) => (metric.name(), "nanoseconds"),
                (_, Unit::Bytes) => (metric.name(), "bytes"),
                (_, Unit::Count) => (metric.name(), "count"),
            };
            let value_type = ValueType {
                type_strindex: self.string(kind),
                unit_strindex: self.string(unit),
            };
            let mut encoded = Vec::new();
            put(field::SAMPLE_TYPE, &value_type, &mut encoded);
            let values: Vec<(NodeId, i64)> = match self.lined {
                Some(lined) if metric == Metric::Wall => {
                    let sums = lined.sums().into_iter();
                    sums.map(|(node, sum)| (NodeId(node), sum)).collect()
                }
                Some(_) => Vec::new(),
                None => {
                    let nodes = self.tree.numbered().zip(&own);
                    nodes
                        .map(|((id, node), own)| (id, metric.of_own(own, node.cost.calls)))
                        .collect()
                }
            };
            for (id, value) in values {
                if value != 0 {
                    let sample = Sample {
                        stack_index: self.stack(id),
                        link_index,
                        values: vec![value],
                    };
                    put(field::SAMPLES, &sample, &mut encoded);
                }
            }
            let started = self.profile.meta.started_unix_us.unwrap_or(0);
            let duration = match Unit::of(Metric::Wall, self.profile) {
                Unit::Nanoseconds => self.tree.root_cost().wall,
                _ => 0,
            };
            prost::encoding::fixed64::encode(
                field::TIME_UNIX_NANO,
                &started.saturating_mul(1000),
                &mut encoded,
            );
            prost::encoding::uint64::encode(field::DURATION_NANO, &duration, &mut encoded);
            put(field::PERIOD_TYPE, &value_type, &mut encoded);
            prost::encoding::int64::encode(field::PERIOD, &1, &mut encoded);
            // A hash of the content: the same profile gives the same bytes.
            let id = fingerprint(&encoded).to_be_bytes();
            prost::encoding::bytes::encode(field::PROFILE_ID, &id.to_vec(), &mut encoded);
            self.profiles.push(encoded);
        }
    }

    /// The index of a node's stack.
    fn stack(&mut self, node: NodeId) -> u32 {
        if self.stack_of[node] == 0 {
            let mut stack = Stack::default();
            let path: Vec<SymbolId> = match self.lined {
                Some(lined) => lined.path(node.0).map(SymbolId).collect(),
                None => self
                    .tree
                    .frames(node)
                    .map(|(_, frame)| frame.symbol)
                    .collect(),
            };
            for frame in path {
                let number = self.locations.number(frame);
                stack.location_indices.push(signed(number));
            }
            put(field::STACK_TABLE, &stack, &mut self.stacks);
            self.stack_count += 1;
            self.stack_of[node] = self.stack_count;
        }
        self.stack_of[node]
    }

    /// The number of a string.
    fn string(&mut self, text: &str) -> i32 {
        signed(self.strings.number(text))
    }

    fn write(mut self, out: &mut dyn Write) -> std::io::Result<()> {
        let title = text::title(self.profile, self.options);
        let host = self.profile.meta.host.clone();
        let mut attributes = vec![attribute("service.name", title.as_deref().unwrap_or("php"))];
        attributes.extend(host.map(|host| attribute("host.name", &host)));
        let resource = Resource { attributes };
        let scope = InstrumentationScope {
            name: "xhprof".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let tables = self.tables();
        let mut scoped = Vec::new();
        put(field::SCOPE, &scope, &mut scoped);
        let profiles: usize = self.profiles.iter().map(|profile| profile.len() + 11).sum();
        scoped.reserve(profiles);
        for profile in &self.profiles {
            put_bytes(field::PROFILES, profile, &mut scoped);
        }
        let mut of_resource = Vec::new();
        put(field::RESOURCE, &resource, &mut of_resource);
        put_bytes(field::SCOPE_PROFILES, &scoped, &mut of_resource);
        let mut head = Vec::new();
        put_bytes(field::RESOURCE_PROFILES, &of_resource, &mut head);
        begin(
            field::DICTIONARY,
            tables.len() + self.stacks.len(),
            &mut head,
        );
        out.write_all(&head)?;
        out.write_all(&tables)?;
        out.write_all(&self.stacks)
    }

    /// All tables but that of the stacks, encoded.
    fn tables(&mut self) -> Vec<u8> {
        let mut tables = Vec::new();
        let root = self.profile.symbols.first();
        let script = root.map(text::file).unwrap_or_default();
        let has_script = !script.is_empty();
        put(field::MAPPING_TABLE, &Mapping::default(), &mut tables);
        if has_script {
            let filename_strindex = self.string(&script);
            put(
                field::MAPPING_TABLE,
                &Mapping { filename_strindex },
                &mut tables,
            );
        }
        put(field::LOCATION_TABLE, &Location::default(), &mut tables);
        put(field::FUNCTION_TABLE, &Function::default(), &mut tables);
        let mut functions = HashMap::new();
        for frame in std::mem::take(&mut self.locations.used) {
            let Some(frame) = self.frames.get(frame.index()).copied() else {
                continue;
            };
            let next = i32::try_from(functions.len() + 1).unwrap_or(0);
            let function_index = *functions.entry((frame.symbol, frame.file)).or_insert(next);
            let location = Location {
                mapping_index: i32::from(has_script),
                lines: vec![Line {
                    function_index,
                    line: i64::from(frame.line),
                }],
            };
            put(field::LOCATION_TABLE, &location, &mut tables);
            if function_index != next {
                continue;
            }
            let symbol = self.profile.symbol(frame.symbol);
            let is_its_file = frame.file.is_none();
            let function = Function {
                name_strindex: self.string(&text::function(&symbol.name)),
                filename_strindex: self.string(&text::file_of(&frame, self.profile)),
                start_line: if is_its_file {
                    i64::from(symbol.line)
                } else {
                    0
                },
            };
            put(field::FUNCTION_TABLE, &function, &mut tables);
        }
        let link = Link {
            trace_id: vec![0; 16],
            span_id: vec![0; 8],
        };
        put(field::LINK_TABLE, &link, &mut tables);
        if let Some((trace, span)) = trace::of(&self.profile.meta) {
            let link = Link {
                trace_id: trace.to_vec(),
                span_id: span.to_vec(),
            };
            put(field::LINK_TABLE, &link, &mut tables);
        }
        for string in &self.strings.list {
            put_bytes(field::STRING_TABLE, string.as_bytes(), &mut tables);
        }
        put_bytes(field::ATTRIBUTE_TABLE, b"", &mut tables);
        tables
    }
}

/// Numbers of the tables: OTLP has signed ones.
fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(0)
}

fn attribute(key: &str, value: &str) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue {
            string_value: value.to_owned(),
        }),
    }
}
