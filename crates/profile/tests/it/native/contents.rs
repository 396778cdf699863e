//! The contents of the fixtures, as `tests/reader/read_xhp.py` reads them: a reader
//! made from `docs/format.md` alone. `./x test --rest` compares the same files with
//! it.
//!
//! `UPDATE_FIXTURES=1` writes the files of the newest version; what is in them
//! is written by that reader: `tests/reader/check.py --update`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use profile::{Body, Cost, EventKind, Instant, Mode, Profile, SelfCost, SpanKind, Tree, WallUnit};
use serde_json::{Value, json};

use super::examples::event_files;
use super::read;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/native")
}

fn name(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "hex": hex })
        }
    }
}

fn cost(cost: &Cost) -> BTreeMap<String, Value> {
    let Cost {
        calls,
        wall,
        cpu,
        memory,
        peak,
    } = *cost;
    let all: [(&str, Value); 5] = [
        ("calls", calls.into()),
        ("wall", wall.into()),
        ("cpu", cpu.into()),
        ("memory", memory.into()),
        ("peak", peak.into()),
    ];
    all.map(|(name, value)| (name.to_owned(), value)).into()
}

fn own(own: &SelfCost) -> Value {
    json!({ "wall": own.wall, "cpu": own.cpu, "memory": own.memory, "peak": own.peak })
}

fn with(cost: BTreeMap<String, Value>, more: Value) -> Value {
    let Value::Object(mut object) = more else {
        panic!("no object");
    };
    object.extend(cost);
    object.into()
}

fn nodes(tree: &Tree) -> Value {
    let all = tree.nodes.iter().zip(tree.self_costs());
    let node = all.map(|(node, self_cost)| {
        let (parent, symbol) = (node.parent.0, node.symbol.0);
        with(
            cost(&node.cost),
            json!({ "parent": parent, "symbol": symbol, "self": own(&self_cost) }),
        )
    });
    node.collect()
}

fn instant(at: &Instant) -> [Value; 4] {
    [
        at.wall.into(),
        at.cpu.into(),
        at.memory.into(),
        at.peak.into(),
    ]
}

fn body(profile: &Profile) -> (&'static str, Value) {
    match &profile.body {
        Body::Edges(table) => {
            let edges = table.edges.iter().map(|edge| {
                let ends = [edge.caller, edge.callee].map(|end| json!([end.symbol.0, end.level]));
                with(
                    cost(&edge.cost),
                    json!({ "caller": ends[0], "callee": ends[1] }),
                )
            });
            let edges: Value = edges.collect();
            let edges = json!({ "root": cost(&table.root), "edges": edges });
            ("edges", edges)
        }
        Body::Tree(tree) => ("tree", json!({ "nodes": nodes(tree) })),
        Body::Samples(all) => {
            let stacks = all
                .stacks
                .iter()
                .map(|stack| json!([stack.parent.0, stack.symbol.0]));
            let samples = all
                .samples
                .iter()
                .map(|sample| json!([sample.at, sample.weight, sample.stack.0]));
            let (stacks, samples): (Value, Value) = (stacks.collect(), samples.collect());
            let mut body = json!({ "stacks": stacks, "samples": samples });
            let lined = &all.lined;
            if !lined.list.is_empty() {
                let stacks = lined.list.iter().map(|stack| {
                    let file = stack.file.map(|file| name(&lined.files[file.index()]));
                    json!([stack.parent.0, stack.stack.0, file, stack.line])
                });
                body["lined"] = stacks.collect();
                body["lines"] = all.samples.iter().map(|sample| sample.lined.0).collect();
            }
            ("samples", body)
        }
        Body::Events(all) => {
            let events = all.events.iter().map(|event| {
                let (kind, value) = match event.kind {
                    EventKind::Enter(symbol) => ("enter", symbol.0.into()),
                    EventKind::Leave => ("leave", Value::Null),
                    EventKind::Switch(fiber) => ("switch", fiber.into()),
                };
                let mut list = instant(&event.at).to_vec();
                list.extend([kind.into(), value]);
                Value::from(list)
            });
            let events: Value = events.collect();
            (
                "events",
                json!({ "events": events, "end": instant(&all.end) }),
            )
        }
    }
}

fn meta(profile: &Profile) -> Value {
    let meta = &profile.meta;
    let mode = match meta.mode {
        Mode::Unknown => None,
        Mode::Traced => Some("traced"),
        Mode::Sampled => Some("sampled"),
    };
    let fields = [
        ("title", json!(meta.title)),
        ("started_unix_us", json!(meta.started_unix_us)),
        ("host", json!(meta.host)),
        ("process", json!(meta.process)),
        ("sapi", json!(meta.sapi)),
        ("php_version", json!(meta.php_version)),
        ("creator", json!(meta.creator)),
        ("mode", json!(mode)),
        ("interval_ns", json!(meta.interval_ns)),
        ("peak_memory", json!(meta.peak_memory)),
        ("counts", json!(meta.counts)),
        ("is_truncated", json!(meta.is_truncated.then_some(true))),
        ("is_estimated", json!(meta.is_estimated.then_some(true))),
        ("tags", json!(meta.tags)),
    ];
    let known = fields.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(
        known
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

/// All of a profile but the version, as the reader prints it.
fn contents(profile: &Profile) -> Value {
    let (kind, body) = body(profile);
    let metrics = profile.metrics;
    let wall = match metrics.wall_unit {
        WallUnit::Nanoseconds => "nanoseconds",
        WallUnit::Samples => "samples",
    };
    let symbols = profile.symbols.iter().map(|symbol| {
        let file = symbol.file.as_deref().map(name);
        json!({ "name": name(&symbol.name), "file": file, "line": symbol.line, "internal": symbol.internal })
    });
    let symbols: Value = symbols.collect();
    let all = &profile.spans;
    let spans = all.list.iter().map(|span| {
        let kind = match span.kind {
            SpanKind::Other(number) => number.into(),
            kind => Value::from(kind.name()),
        };
        let text = span.text.map(|text| name(&all.texts[text.index()]));
        json!({
            "kind": kind, "text": text, "symbol": span.symbol.0, "caller": span.caller.0,
            "start": span.start, "duration": span.duration, "rows": span.rows,
        })
    });
    let spans: Value = spans.collect();
    let mut contents = json!({
        "body": kind,
        "measured": { "calls": metrics.calls, "wall": wall, "cpu": metrics.cpu, "memory": metrics.memory },
        "meta": meta(profile),
        "symbols": symbols,
        "spans": spans,
        "left_out": { "count": all.left_out.count, "duration": all.left_out.duration },
    });
    if let (Value::Object(contents), Value::Object(body)) = (&mut contents, body) {
        contents.extend(body);
        contents.extend(costs_of_lines(profile));
    }
    contents
}

/// The lines of calls; none of samples, which are computed.
fn costs_of_lines(profile: &Profile) -> Vec<(String, Value)> {
    let lines = &profile.lines;
    if matches!(profile.body, Body::Samples(_)) || lines.is_empty() {
        return Vec::new();
    }
    let cost =
        |calls: u64, cost: &SelfCost| json!([calls, cost.wall, cost.cpu, cost.memory, cost.peak]);
    let list = lines.list.iter().map(|line| {
        json!([
            lines.file(line.file).map(name),
            line.line,
            line.symbol.0,
            cost(0, &line.own),
            cost(line.calls, &line.callees),
            cost(0, &line.builtin),
        ])
    });
    let calls = lines.calls.iter().map(|calls| {
        let key = (calls.file, calls.line, calls.caller);
        let line = lines
            .list
            .iter()
            .position(|line| (line.file, line.line, line.symbol) == key);
        json!([
            line.unwrap(),
            calls.callee.0,
            cost(calls.calls, &calls.cost)
        ])
    });
    vec![
        ("costs_of_lines".to_owned(), list.collect()),
        ("calls_from_lines".to_owned(), calls.collect()),
    ]
}

#[test]
fn every_fixture_has_what_the_reader_in_python_reads() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "xhp") {
            continue;
        }
        let profile = read(&std::fs::read(&path).unwrap()).unwrap();
        let text = std::fs::read_to_string(path.with_extension("json"));
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut expected: Value = serde_json::from_str(&text).unwrap();
        let object = expected.as_object_mut().unwrap();
        let version = object.remove("version").unwrap();
        let is_whole = object.remove("is_whole").unwrap() == true;
        assert!(is_whole || profile.meta.is_truncated, "{}", path.display());
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(
            file.starts_with(&format!("v{}.{}-", version[0], version[1])),
            "{file}"
        );
        assert_eq!(contents(&profile), expected, "{file}");
        count += 1;
    }
    assert!(count >= 20, "{count}");
}

/// Until the format gets a new version, it writes what it always wrote: files without lines
/// as version 1.3 did, lines of calls since version 1.6.
#[test]
fn event_files_are_written_as_their_versions_wrote_them() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    for (name, now) in event_files() {
        let path = folder().join(format!("v1.{}-{name}.xhp", now[9]));
        if update {
            std::fs::write(path, now).unwrap();
        } else {
            assert!(now == std::fs::read(path).unwrap(), "{name}");
        }
    }
}
