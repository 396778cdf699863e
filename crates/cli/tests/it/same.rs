//! What `xhprof report --json` says is what the viewer's engine answers.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use view::{Answer, Document, FunctionRow, Question, Source};

/// Where recordings of all kinds and of all formats are.
const FOLDERS: [&str; 4] = [
    "../formats/tests/golden",
    "../profile/tests/native",
    "../../web/tests/shop/profiles",
    "tests/cmd/spans.in",
];

/// The names of costs in the report, and in the engine's answers.
const COSTS: [(&str, &str); 7] = [
    ("calls", "calls"),
    ("wall_ns", "wall"),
    ("samples", "wall"),
    ("count", "wall"),
    ("cpu_ns", "cpu"),
    ("memory_bytes", "memory"),
    ("peak_bytes", "peak"),
];

fn recordings() -> Vec<PathBuf> {
    let folders = FOLDERS.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let entries = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.is_file());
    files.sort();
    files
}

/// The program's report; none if it does not read the file.
fn report(file: &Path, options: &[&str]) -> Option<Value> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    program.args(["report", "--json", "--limit", "0"]);
    let output = program.args(options).arg(file).output().unwrap();
    serde_json::from_slice(&output.stdout).ok()
}

/// The costs that the report has, as the engine says them.
fn same_costs(reported: &Value, answered: &view::Costs, what: &str) {
    let answered = serde_json::to_value(answered).unwrap();
    let reported = reported.as_object().unwrap();
    assert!(!reported.is_empty(), "{what}: no cost");
    for (key, value) in reported {
        let (_, name) = COSTS.iter().find(|(name, _)| name == key).unwrap();
        assert_eq!(*value, answered[name], "{what}: {key}");
    }
}

/// Names that are no text have one or several signs for what cannot be shown.
fn plain(name: &str) -> String {
    let is_sign = |letter: char| letter.is_control() || letter == '\u{fffd}';
    let parts: Vec<_> = name
        .split(is_sign)
        .filter(|part| !part.is_empty())
        .collect();
    parts.join("\u{fffd}")
}

/// The report lists the same names in the same order.
fn same_order<'n>(reported: &Value, answered: impl Iterator<Item = &'n str>, what: &str) {
    let reported = reported.as_array().unwrap().iter();
    let reported: Vec<_> = reported
        .map(|row| plain(row["name"].as_str().unwrap()))
        .collect();
    let answered: Vec<_> = answered.map(plain).collect();
    assert_eq!(reported, answered, "{what}");
}

fn by_name<'v>(rows: &'v Value, key: &str) -> BTreeMap<String, Vec<&'v Value>> {
    let mut names = BTreeMap::<_, Vec<_>>::new();
    for row in rows[key].as_array().unwrap() {
        let name = plain(row["name"].as_str().unwrap());
        names.entry(name).or_default().push(row);
    }
    names
}

fn ask(document: &mut Document, question: Value) -> Answer {
    let question: Question = serde_json::from_value(question).unwrap();
    document.answer(&question).unwrap()
}

/// All functions, in the order of the report.
fn all_functions(document: &mut Document, metric: &Value) -> Vec<FunctionRow> {
    let sort = json!({ "by": "own", "metric": metric });
    let question = json!({ "ask": "functions", "rows": 1_000, "sort": sort });
    let Answer::Functions(table) = ask(document, question) else {
        panic!("another answer");
    };
    assert_eq!(
        table.rows.len(),
        table.matches as usize,
        "a test of small files"
    );
    table.rows
}

/// Callers and callees of the first functions whose names tell them apart.
fn same_neighbours(
    document: &mut Document,
    file: &Path,
    functions: &[FunctionRow],
    metric: &Value,
) -> usize {
    let mut compared = 0;
    for row in functions.iter().take(5) {
        let question = json!({ "ask": "function", "function": row.function, "metric": metric });
        let Answer::Function(page) = ask(document, question) else {
            panic!("another answer");
        };
        for (option, key, answered) in [
            ("--callers", "callers", &page.callers),
            ("--callees", "callees", &page.callees),
        ] {
            let Some(reported) = report(file, &[option, &row.name]) else {
                continue;
            };
            // A name that several functions match, or that is a pattern.
            if reported.get(key).is_none() || reported["function"]["name"] != row.name {
                continue;
            }
            let what = format!("{} {option} {}", file.display(), row.name);
            let in_order = reported[key].clone();
            let reported = by_name(&reported, key);
            assert_eq!(
                reported.values().flatten().count(),
                answered.len(),
                "{what}"
            );
            same_order(&in_order, answered.iter().map(|row| &*row.name), &what);
            for neighbour in answered {
                let name = plain(&neighbour.name);
                if let [reported] = reported[&name][..] {
                    same_costs(&reported["inclusive"], &neighbour.costs, &what);
                    compared += 1;
                }
            }
        }
    }
    compared
}

fn same_spans(document: &mut Document, reported: &Value, what: &str) -> usize {
    let Answer::Spans(spans) = ask(document, json!({ "ask": "spans" })) else {
        panic!("another answer");
    };
    let Some(reported) = reported.get("spans") else {
        assert!(spans.groups.is_empty(), "{what}: spans");
        return 0;
    };
    let reported = reported.as_array().unwrap();
    assert_eq!(reported.len(), spans.groups.len(), "{what}: groups");
    for group in &spans.groups {
        let same = reported.iter().filter(|reported| {
            let is = |key: &str, text: &str| plain(reported[key].as_str().unwrap()) == plain(text);
            is("kind", group.kind)
                && is("text", &group.text)
                && is("function", &group.name)
                && reported["calls"] == group.calls
                && reported["total_ns"] == group.time
                && reported["max_ns"] == group.longest
                && reported["rows"] == json!(group.rows)
        });
        assert_eq!(same.count(), 1, "{what}: {group:?}");
    }
    reported.len()
}

#[test]
fn the_report_has_the_numbers_of_the_viewer() {
    let (mut files, mut neighbours, mut spans, mut hints) = (0, 0, 0, 0);
    for file in recordings() {
        let bytes = fs::read(&file).unwrap();
        let name = file.display().to_string();
        let source = Source {
            name: &name,
            bytes: &bytes,
        };
        let (opened, reported) = (Document::open(&[source]), report(&file, &[]));
        let (Ok(mut document), Some(reported)) = (opened, reported) else {
            continue;
        };
        files += 1;
        let Answer::Summary(summary) = ask(&mut document, json!({ "ask": "summary" })) else {
            panic!("another answer");
        };
        same_costs(&reported["total"], &summary.total, &name);
        assert_eq!(reported["calls"], summary.calls, "{name}");
        assert_eq!(reported["estimated"], summary.is_estimated, "{name}");
        assert_eq!(reported["truncated"], summary.is_truncated, "{name}");
        let functions = all_functions(&mut document, &reported["metric"]);
        let rows = by_name(&reported, "functions");
        assert_eq!(rows.values().flatten().count(), functions.len(), "{name}");
        let answered = functions.iter().map(|row| &*row.name);
        same_order(&reported["functions"], answered, &name);
        for row in &functions {
            if let [reported] = rows[&plain(&row.name)][..] {
                let what = format!("{name}: {}", row.name);
                same_costs(&reported["inclusive"], &row.inclusive, &what);
                same_costs(&reported["self"], &row.own, &what);
            }
        }
        neighbours += same_neighbours(&mut document, &file, &functions, &reported["metric"]);
        spans += same_spans(&mut document, &reported, &name);
        let Answer::Hints(found) = ask(&mut document, json!({ "ask": "hints" })) else {
            panic!("another answer");
        };
        let titles = |list: &Value| -> Vec<Value> {
            let list = list.as_array().unwrap().iter();
            list.map(|hint| json!([hint["id"], hint["title"], hint["share"]]))
                .collect()
        };
        let answered = serde_json::to_value(&found.hints).unwrap();
        assert_eq!(titles(&reported["hints"]), titles(&answered), "{name}");
        hints += found.hints.len();
    }
    // All kinds were there: nothing above was left out.
    assert!(files > 40, "{files} files");
    assert!(neighbours > 100, "{neighbours} neighbours");
    assert!(spans > 5, "{spans} groups of spans");
    assert!(hints > 2, "{hints} hints");
}

#[test]
fn a_comparison_has_the_numbers_of_the_viewer() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/shop/profiles");
    for runs in [1, 2] {
        let side = |side: &str| -> Vec<PathBuf> {
            let files = (1..=runs).map(|run| folder.join(format!("{side}-{run}.xhp")));
            files.collect()
        };
        let sides = [side("old"), side("new")];
        let bytes = sides
            .each_ref()
            .map(|side| -> Vec<_> { side.iter().map(|file| fs::read(file).unwrap()).collect() });
        let [base, new] = bytes.each_ref().map(|side| -> Vec<_> {
            let sources = side.iter().map(|bytes| Source { name: "", bytes });
            sources.collect()
        });
        let mut document = Document::compare(&base, &new).unwrap();
        for metric in ["wall", "calls"] {
            let mut program = Command::new(env!("CARGO_BIN_EXE_xhprof"));
            program.args(["diff", "--json", "--limit", "0", "--metric", metric]);
            program.args(&sides[0]).arg("--").args(&sides[1]);
            let output = program.output().unwrap();
            let reported: Value = serde_json::from_slice(&output.stdout).unwrap();
            let question = json!({ "ask": "changes", "metric": metric, "rows": 1_000 });
            let Answer::Changes(changes) = ask(&mut document, question) else {
                panic!("another answer");
            };
            let (key, _) = COSTS.iter().find(|(_, name)| *name == metric).unwrap();
            same_change(&reported["total"][key], &changes.total);
            let rows = by_name(&reported, "functions");
            let mut compared = 0;
            for row in &changes.rows {
                let what = format!("{metric}: {}", row.name);
                let Some([reported]) = rows.get(&plain(&row.name)).map(|rows| &rows[..]) else {
                    // What did not change is not in the report.
                    assert_eq!(row.own.difference, 0.0, "{what}");
                    continue;
                };
                compared += 1;
                same_change(&reported["self"][key], &row.own);
                same_change(&reported["inclusive"][key], &row.inclusive);
                same_change(&reported["inclusive"]["calls"], &row.calls);
            }
            assert_eq!(compared, rows.len(), "{metric}");
            // In the same order, but for functions that changed by the same.
            let impact = |change: &Value| change.as_f64().map(f64::abs);
            let reported = reported["functions"].as_array().unwrap().iter();
            let reported: Vec<_> = reported
                .map(|row| impact(&row["self"][key]["change"]))
                .collect();
            let answered = changes
                .rows
                .iter()
                .map(|row| Some(row.own.difference.abs()));
            let answered: Vec<_> = answered.take(reported.len()).collect();
            assert_eq!(reported, answered, "{metric}");
        }
    }
}

/// A change that the report has, as the engine says it.
fn same_change(reported: &Value, answered: &view::ChangeOf) {
    assert_eq!(reported["base"], answered.base);
    assert_eq!(reported["new"], answered.new);
    assert_eq!(reported["change"], answered.difference);
    assert_eq!(reported["relative"], json!(answered.relative));
    if let Some(within) = reported.get("within_spread") {
        assert_eq!(*within, answered.within_spread);
        assert_eq!(reported["base_spread"], answered.base_spread);
        assert_eq!(reported["new_spread"], answered.new_spread);
    }
}
