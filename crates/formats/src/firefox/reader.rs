//! Reads a processed profile: one thread becomes samples, several become one
//! tree. The threads that `xhprof` wrote, which are the costs of one program,
//! are combined again.

use std::io::BufRead;

use profile::{
    Body, Budget, LinedId, Meta, Metrics, Mode, NodeId, NumberMap, Profile, Sample, SamplesBuilder,
    SelfCost, Spans, TreeBuilder, WallUnit,
};

use super::NAME;
use super::tables::{Tables, column};
use super::writer;
use crate::ReadError;
use crate::shared::json::Json;
use crate::shared::line_names::LineNames;
use crate::shared::text::split_title;
use crate::shared::thread_label::ThreadLabel;

/// The browser's raw form, which only the viewer can process.
fn raw() -> ReadError {
    ReadError::Refused {
        what: "a raw Gecko profile",
        advice: "open it on profiler.firefox.com and save the processed profile",
    }
}

pub(super) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let mut json = Json::new(input, NAME, budget);
    let mut file = File::default();
    json.object(|json, key| file.key(json, key))?;
    json.finish()?;
    if !file.has_version
        && file
            .threads
            .iter()
            .all(|thread| thread.samples.stacks.is_empty())
    {
        return Err(raw());
    }
    file.profile(budget).map_err(|reason| json.error(reason))
}

/// The unit of the weights of a thread's samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Weight {
    #[default]
    Samples,
    Milliseconds,
    Bytes,
}

#[derive(Debug, Default)]
struct ThreadSamples {
    stacks: Vec<i32>,
    times: Vec<f64>,
    deltas: Vec<f64>,
    weights: Vec<f64>,
    weight: Weight,
}

#[derive(Debug, Default)]
struct Thread {
    name: String,
    id: String,
    process_name: String,
    process: String,
    samples: ThreadSamples,
    tables: Tables,
}

/// The part of a file that has been read.
#[derive(Debug, Default)]
struct File {
    has_version: bool,
    /// Milliseconds between two samples.
    interval: f64,
    /// Milliseconds since 1970.
    started: f64,
    product: Option<String>,
    creator: Option<String>,
    shared: Tables,
    threads: Vec<Thread>,
}

impl File {
    fn key(&mut self, json: &mut Json<'_>, key: &str) -> Result<(), ReadError> {
        match key {
            "meta" => json.object(|json, key| {
                match key {
                    "preprocessedProfileVersion" => {
                        self.has_version = true;
                        json.skip()?;
                    }
                    "interval" => self.interval = json.number()?.unwrap_or(0.0),
                    "startTime" => self.started = json.number()?.unwrap_or(0.0),
                    "product" => self.product = json.text()?,
                    "importedFrom" => self.creator = json.text()?,
                    _ => json.skip()?,
                }
                Ok(())
            }),
            "shared" => json.object(|json, key| {
                if !self.shared.read(json, key)? {
                    json.skip()?;
                }
                Ok(())
            }),
            "threads" => json.array(|json| {
                let mut thread = Thread::default();
                if json.next_kind()? != b'{' {
                    return Err(raw());
                }
                json.object(|json, key| thread.key(json, key))?;
                // Many threads have no samples at all.
                if thread.samples.stacks.is_empty() {
                    return Ok(());
                }
                json.push(&mut self.threads, thread)
            }),
            _ => json.skip(),
        }
    }

    fn profile(mut self, budget: &Budget) -> Result<Profile, String> {
        for thread in &mut self.threads {
            thread.tables.take_strings(&self.shared);
        }
        self.threads
            .retain(|thread| !thread.samples.stacks.is_empty());
        let has = |weight| {
            self.threads
                .iter()
                .any(|thread| thread.samples.weight == weight)
        };
        let is_ours = self.threads.iter().all(Thread::is_ours);
        let is_ours_named = |name| is_ours && self.threads.iter().any(|thread| thread.name == name);
        // CPU time beside samples that `xhprof` counted is no wall time.
        let is_timed = has(Weight::Milliseconds) && !is_ours_named(writer::SAMPLES);
        let wall = if is_timed {
            Weight::Milliseconds
        } else {
            Weight::Samples
        };
        let has_wall = has(wall);
        let mut metrics = Metrics {
            calls: false,
            memory: has(Weight::Bytes),
            ..Metrics::default()
        };
        if !is_timed {
            metrics.wall_unit = WallUnit::Samples;
        }
        // What is only counted says nothing beside times, and foreign memory
        // nothing beside foreign time.
        let before = self.threads.len();
        self.threads.retain(|thread| {
            let weight = thread.samples.weight;
            weight == wall
                || is_ours && thread.name == writer::CPU
                || weight == Weight::Bytes && (is_ours || !has_wall)
        });
        let mut meta = self.meta();
        let dropped = before - self.threads.len();
        if dropped > 0 {
            meta.not_read = vec![format!("{dropped} threads in other units")];
        }
        metrics.memory &= is_ours || !has_wall;
        let mut names = LineNames::within(budget);
        let body = match self.threads.as_mut_slice() {
            [] => Body::Samples(SamplesBuilder::default().finish()),
            // Samples have no place for a weight below zero.
            [thread] if thread.samples.weight == wall && thread.samples.is_positive() => {
                meta.process = thread.process.parse().ok();
                samples(thread, &mut self.shared, &mut names, budget)?
            }
            threads => {
                metrics.cpu = is_ours && threads.iter().any(|thread| thread.name == writer::CPU);
                tree(threads, is_ours, &mut self.shared, &mut names, budget)?
            }
        };
        meta.mode = match body {
            Body::Samples(_) => Mode::Sampled,
            _ => Mode::Unknown,
        };
        let symbols = names.into_symbols();
        let lines = match &body {
            Body::Samples(samples) => samples.lines(&symbols, budget),
            _ => profile::Lines::default(),
        };
        Ok(Profile {
            symbols,
            body,
            metrics,
            meta,
            spans: Spans::default(),
            lines,
        })
    }

    fn meta(&self) -> Meta {
        let product = self.product.as_deref().unwrap_or_default();
        let (title, is_estimated) = split_title(product);
        let started = whole(self.started * 1_000.0);
        let interval = whole(self.interval * 1_000_000.0);
        Meta {
            title,
            is_estimated,
            creator: self.creator.clone(),
            started_unix_us: (started > 0).then_some(started),
            interval_ns: (interval > 0).then_some(interval),
            ..Meta::default()
        }
    }
}

impl Thread {
    fn key(&mut self, json: &mut Json<'_>, key: &str) -> Result<(), ReadError> {
        match key {
            "name" => self.name = json.text()?.unwrap_or_default(),
            "processName" => self.process_name = json.text()?.unwrap_or_default(),
            "pid" => self.process = id(json)?,
            "tid" => self.id = id(json)?,
            "samples" => self.samples.read(json)?,
            // The browser's raw form has a string table of its own.
            "stringTable" if json.next_kind()? == b'[' => return Err(raw()),
            _ => {
                if !self.tables.read(json, key)? {
                    json.skip()?;
                }
            }
        }
        Ok(())
    }

    /// Whether it is one of the threads that `xhprof` writes for costs.
    fn is_ours(&self) -> bool {
        let all = [writer::WALL, writer::SAMPLES, writer::CPU, writer::MEMORY];
        self.name == self.id && all.contains(&self.name.as_str())
    }
}

impl ThreadSamples {
    fn read(&mut self, json: &mut Json<'_>) -> Result<(), ReadError> {
        json.object(|json, key| {
            match key {
                "schema" => return Err(raw()),
                "stack" => column(json, &mut self.stacks)?,
                "time" => numbers(json, &mut self.times)?,
                "timeDeltas" => numbers(json, &mut self.deltas)?,
                "weight" => numbers(json, &mut self.weights)?,
                "weightType" => {
                    self.weight = match json.text()?.as_deref() {
                        None | Some("samples") => Weight::Samples,
                        Some("tracing-ms") => Weight::Milliseconds,
                        Some("bytes") => Weight::Bytes,
                        Some(other) => {
                            return Err(json.error(format!("a weight's type is {other:?}")));
                        }
                    };
                }
                _ => json.skip()?,
            }
            Ok(())
        })
    }

    /// Whether no weight is negative.
    fn is_positive(&self) -> bool {
        self.weights.iter().all(|&weight| weight >= 0.0)
    }

    /// Each sample's stack, time and weight, in this crate's units.
    fn list(&self, budget: &Budget) -> Result<Vec<(i32, u64, i64)>, String> {
        let count = self.stacks.len();
        let fits = |list: &[f64]| list.is_empty() || list.len() == count;
        if !(fits(&self.times) && fits(&self.deltas) && fits(&self.weights)) {
            return Err("not as many times or weights as samples".to_owned());
        }
        let scale = match self.weight {
            Weight::Milliseconds => 1e6,
            Weight::Samples | Weight::Bytes => 1.0,
        };
        let first = self.times.first().copied().unwrap_or(0.0);
        let mut passed = 0.0;
        let list = self.stacks.iter().enumerate().map(|(index, &stack)| {
            let time = match self.times.get(index) {
                Some(time) => time - first,
                None => {
                    // The first time is since the beginning of the profile.
                    let delta = self.deltas.get(index).copied().unwrap_or(0.0);
                    passed += if index == 0 { 0.0 } else { delta };
                    passed
                }
            };
            let weight = match self.weights.get(index) {
                Some(weight) => signed(weight * scale),
                None => 1,
            };
            (stack, whole(time * 1e6), weight)
        });
        let mut all = Vec::new();
        let room = budget.room_for(&mut all, count, "samples");
        room.map_err(|error| error.to_string())?;
        all.extend(list);
        Ok(all)
    }
}

fn samples(
    thread: &mut Thread,
    shared: &mut Tables,
    names: &mut LineNames,
    budget: &Budget,
) -> Result<Body, String> {
    let list = thread.samples.list(budget)?;
    let tables = if thread.tables.has_stacks() {
        &mut thread.tables
    } else {
        shared
    };
    let mut builder = SamplesBuilder::within(budget);
    let mut places = NumberMap::default();
    let mut all = Vec::new();
    let room = budget.room_for(&mut all, list.len(), "samples");
    room.map_err(|error| error.to_string())?;
    let has_lines = tables.has_lines();
    let mut lined_places = NumberMap::default();
    for (stack, at, weight) in list {
        let push = |below, symbol| builder.push(below, symbol);
        let (node, lined) = match stack {
            ..0 => (NodeId::ROOT, LinedId::UNKNOWN),
            stack => {
                let node = tables.node(stack, NodeId::ROOT, &mut places, names, push)?;
                let lined = if has_lines {
                    tables.lined(stack, &places, &mut lined_places, &mut builder)?
                } else {
                    LinedId::UNKNOWN
                };
                (node, lined)
            }
        };
        let weight = weight.max(0).unsigned_abs();
        all.push(Sample {
            lined,
            ..Sample::new(at, weight, node)
        });
    }
    all.sort_by_key(|sample| sample.at);
    all.into_iter().for_each(|sample| builder.add(sample));
    Ok(Body::Samples(builder.finish()))
}

fn tree(
    threads: &mut [Thread],
    is_ours: bool,
    shared: &mut Tables,
    names: &mut LineNames,
    budget: &Budget,
) -> Result<Body, String> {
    let first = threads.first().map(|thread| thread.process.clone());
    let is_one_process = threads
        .iter()
        .all(|thread| Some(&thread.process) == first.as_ref());
    let mut builder = TreeBuilder::within(budget);
    for thread in threads {
        let list = thread.samples.list(budget)?;
        let base = if is_ours {
            NodeId::ROOT
        } else {
            let label = ThreadLabel {
                process: Some(&thread.process_name),
                process_id: &thread.process,
                thread: Some(&thread.name),
                thread_id: &thread.id,
            };
            let symbol = names.plain(&label.show(is_one_process));
            builder.child(NodeId::ROOT, symbol.ok_or("too many functions")?)
        };
        let tables = if thread.tables.has_stacks() {
            &mut thread.tables
        } else {
            &mut *shared
        };
        let mut places = NumberMap::default();
        for (stack, _, weight) in list {
            let push = |below, symbol| builder.child(below, symbol);
            let node = match stack {
                ..0 => base,
                stack => tables.node(stack, base, &mut places, names, push)?,
            };
            let mut own = SelfCost::default();
            if thread.samples.weight == Weight::Bytes {
                own.memory = weight;
            } else if is_ours && thread.name == writer::CPU {
                own.cpu = weight;
            } else {
                own.wall = weight;
            }
            builder.add_self(node, own);
        }
    }
    Ok(Body::Tree(builder.finish_signed_self_costs()))
}

/// A column of numbers; null is none.
fn numbers(json: &mut Json<'_>, list: &mut Vec<f64>) -> Result<(), ReadError> {
    if json.next_kind()? != b'[' {
        return json.skip();
    }
    json.array(|json| {
        let number = match json.next_kind()? {
            b'0'..=b'9' => json.float()?,
            _ => json.value::<Option<f64>>()?.unwrap_or(0.0),
        };
        json.push(list, number)
    })
}

/// A number or a text.
fn id(json: &mut Json<'_>) -> Result<String, ReadError> {
    Ok(match json.next_kind()? {
        b'"' => json.text()?.unwrap_or_default(),
        b'0'..=b'9' | b'-' => json.value::<serde_json::Number>()?.to_string(),
        _ => {
            json.skip()?;
            String::new()
        }
    })
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn signed(value: f64) -> i64 {
    value.round() as i64
}

fn whole(value: f64) -> u64 {
    signed(value).max(0).unsigned_abs()
}
