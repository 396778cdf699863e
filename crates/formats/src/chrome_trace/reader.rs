//! Reads trace events: objects with `traceEvents`, and plain arrays, which may
//! be incomplete.

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;

use profile::{Budget, Meta, Profile};
use serde::Deserialize;
use serde_json::Value;

use super::NAME;
use super::ours::{Shape, XhprofFields};
use super::steps::{Call, Clock, Edge};
use super::threads::{Key, Threads};
use crate::ReadError;
use crate::shared::json::Json;
use crate::shared::names::Names;
use crate::shared::text::{lossy, set_file, split_title};

/// The fields of an event that are used. Any of them may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Event {
    ph: Value,
    name: Value,
    pid: Value,
    tid: Value,
    ts: Value,
    dur: Value,
    tts: Value,
    tdur: Value,
    args: Value,
}

pub(super) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let mut json = Json::new(input, NAME, budget).taking_cut();
    let mut trace = Trace::within(budget);
    let mut title = None;
    let mut creator = None;
    if json.next_kind()? == b'[' {
        json.array(|json| trace.event(json))?;
    } else {
        json.object(|json, key| match (key, json.next_kind()?) {
            ("traceEvents", b'[') => json.array(|json| trace.event(json)),
            ("xhprof", b'{') => trace.ours(json),
            ("otherData", b'{') => json.object(|json, key| {
                match key {
                    "title" => title = json.text()?,
                    "creator" => creator = json.text()?,
                    _ => json.skip()?,
                }
                Ok(())
            }),
            _ => json.skip(),
        })?;
    }
    json.finish()?;
    if trace.count == 0 {
        return Err(json.error("it contains no events"));
    }
    let (title, is_estimated) = split_title(title.as_deref().unwrap_or_default());
    let mut meta = Meta {
        title,
        is_estimated,
        creator,
        is_truncated: json.is_cut(),
        started_unix_us: (trace.ours.started_unix_us > 0).then_some(trace.ours.started_unix_us),
        ..Meta::default()
    };
    let ignored = trace.ignored.iter();
    meta.not_read = ignored
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let Trace {
        names,
        threads,
        ours,
        ..
    } = trace;
    threads
        .finish(names, &ours, meta)
        .ok_or_else(|| json.error("no event has a duration"))
}

/// The part of a trace that has been read.
#[derive(Debug)]
struct Trace {
    names: Names,
    threads: Threads,
    ours: XhprofFields,
    files: HashMap<String, (String, u32)>,
    count: u64,
    /// The number of skipped events of each kind.
    ignored: BTreeMap<&'static str, u64>,
}

impl Trace {
    fn within(budget: &Budget) -> Self {
        Self {
            names: Names::within(budget),
            threads: Threads::within(budget),
            ours: XhprofFields::default(),
            files: HashMap::new(),
            count: 0,
            ignored: BTreeMap::new(),
        }
    }

    fn event(&mut self, json: &mut Json<'_>) -> Result<(), ReadError> {
        if json.next_kind()? != b'{' {
            return json.skip();
        }
        let event: Event = json.value()?;
        self.count += 1;
        let phase = event.ph.as_str().unwrap_or_default();
        match phase {
            "B" | "E" => {
                let symbol = match &event.name {
                    Value::String(name) => Some(self.symbol(name, json)?),
                    _ if phase == "B" => Some(self.symbol("", json)?),
                    _ => None,
                };
                match clock(&event.ts, &event.tts) {
                    Some(at) => {
                        let opens = phase == "B";
                        let edge = Edge { at, symbol, opens };
                        json.push(&mut self.threads.thread(key(&event))?.edges, edge)?;
                    }
                    None => self.ignore("without a time"),
                }
            }
            "X" => {
                let symbol = self.symbol(event.name.as_str().unwrap_or_default(), json)?;
                let length = clock(&event.dur, &event.tdur)
                    .or_else(|| clock(&event.tdur, &event.tdur))
                    .unwrap_or_default();
                match clock(&event.ts, &event.tts) {
                    Some(from) => {
                        let call = Call::new(symbol, from, length);
                        json.push(&mut self.threads.thread(key(&event))?.calls, call)?;
                    }
                    None => self.ignore("without a time"),
                }
            }
            "M" => self.metadata(&event, json)?,
            "C" if self.ours.shape == Some(Shape::Events) => self.memory(&event, json)?,
            "C" => self.ignore("counters"),
            "b" | "e" | "n" | "S" | "T" | "p" | "F" => self.ignore("async events"),
            "s" | "t" | "f" => self.ignore("flow events"),
            "i" | "I" | "R" => self.ignore("instant events"),
            "P" => self.ignore("samples"),
            "N" | "O" | "D" => self.ignore("objects"),
            _ => self.ignore("other events"),
        }
        Ok(())
    }

    fn ignore(&mut self, kind: &'static str) {
        *self.ignored.entry(kind).or_default() += 1;
    }

    fn symbol(&mut self, name: &str, json: &Json<'_>) -> Result<profile::SymbolId, ReadError> {
        let name = match name {
            "{main}" => "main()",
            name => name,
        };
        let line = lossy(name.as_bytes());
        let symbol = self.names.symbol(line.as_bytes(), None);
        let symbol = symbol.ok_or_else(|| json.error("too many functions"))?;
        if let Some((file, line)) = self.files.remove(name) {
            self.names.edit(symbol, |symbol| {
                set_file(symbol, file.as_bytes());
                symbol.line = line;
            });
        }
        Ok(symbol)
    }

    /// Names of processes and threads.
    fn metadata(&mut self, event: &Event, json: &Json<'_>) -> Result<(), ReadError> {
        let Some(name) = event.args.get("name").and_then(Value::as_str) else {
            return Ok(());
        };
        json.keep(name)?;
        let name = lossy(name.as_bytes()).into_owned();
        let key = key(event);
        match event.name.as_str() {
            Some("process_name") => {
                self.threads.processes.insert(key.process, name);
            }
            Some("thread_name") => {
                self.threads.thread(key)?.name = Some(name);
            }
            _ => {}
        }
        Ok(())
    }

    fn memory(&mut self, event: &Event, json: &Json<'_>) -> Result<(), ReadError> {
        let value = event.args.get("bytes").and_then(Value::as_i64);
        let Some(value) = value else { return Ok(()) };
        let is_peak = event.name.as_str() == Some("peak memory");
        let thread = self.threads.thread(key(event))?;
        let place = thread.edges.len();
        json.push(&mut thread.memory, (place, is_peak, value))
    }

    fn ours(&mut self, json: &mut Json<'_>) -> Result<(), ReadError> {
        json.object(|json, key| {
            let ours = &mut self.ours;
            match key {
                "shape" => {
                    let name = json.text()?;
                    let all = [Shape::Events, Shape::Tree, Shape::Samples];
                    ours.shape = all
                        .into_iter()
                        .find(|shape| name.as_deref() == Some(shape.name()));
                }
                "startedUnixUs" => ours.started_unix_us = json.value()?,
                "sampleNs" => ours.sample_ns = Some(json.value::<u64>()?.max(1)),
                "hasCalls" => ours.has_calls = json.value()?,
                "hasMemory" => ours.has_memory = json.value()?,
                "costs" => {
                    return json.array(|json| {
                        let cost = json.integer()?;
                        json.push(&mut self.ours.costs, cost)
                    });
                }
                "functions" => {
                    return json.object(|json, name| {
                        let place: (String, u32) = json.value()?;
                        json.keep(name)?;
                        json.keep(&place.0)?;
                        self.files.insert(name.to_owned(), place);
                        Ok(())
                    });
                }
                _ => json.skip()?,
            }
            Ok(())
        })
    }
}

/// The thread of an event. Both IDs may be text, too.
fn key(event: &Event) -> Key {
    let text = |value: &Value| match value {
        Value::String(text) => lossy(text.as_bytes()).into_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    Key {
        process: text(&event.pid),
        thread: text(&event.tid),
    }
}

/// Both clocks; none without the first.
fn clock(wall: &Value, cpu: &Value) -> Option<Clock> {
    Some(Clock {
        wall: nanoseconds(wall)?,
        cpu: nanoseconds(cpu),
    })
}

/// Microseconds with a fraction, also in quotes, as nanoseconds.
#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn nanoseconds(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Some(whole.saturating_mul(1_000)),
            None => Some((number.as_f64()? * 1_000.0).round() as i64),
        },
        Value::String(text) => Some((text.trim().parse::<f64>().ok()? * 1_000.0).round() as i64),
        _ => None,
    }
}
