//! Source files and lines, and what joined boxes hold.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use serde_json::{Value, json};
use view::{Document, Question, Source};

/// A file of lines: `f` calls `g` twice in line 12, and code of `inc.h` was
/// inlined into it.
const CALLGRIND: &[u8] = b"events: Ir
fl=/app/a.php
fn=main
1 5
cfn=f
calls=1 10
2 100
fn=f
10 10
11 20
fi=/app/inc.h
3 7
fe=/app/a.php
cfn=g
calls=2 20
12 63
fn=g
21 63
";

fn open(bytes: &[u8]) -> Document {
    let source = Source {
        name: "test",
        bytes,
    };
    Document::open(&[source]).unwrap()
}

fn ask(document: &mut Document, question: Value) -> Value {
    let question: Question = serde_json::from_value(question).unwrap();
    serde_json::to_value(document.answer(&question).unwrap()).unwrap()
}

/// Line, own cost, calls, cost of the callees.
fn lines(answer: &Value) -> Vec<(u64, i64, u64, i64)> {
    let lines = answer["shown"]["lines"].as_array().unwrap().iter();
    let number = |value: &Value| value.as_u64().unwrap();
    lines
        .map(|line| {
            (
                number(&line["line"]),
                line["own"]["wall"].as_i64().unwrap(),
                number(&line["callees"]["calls"]),
                line["callees"]["wall"].as_i64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn lines_have_own_costs_and_those_of_their_calls() {
    let mut document = open(CALLGRIND);
    assert_eq!(
        ask(&mut document, json!({"ask": "summary"}))["hasLines"],
        true
    );
    let all = ask(&mut document, json!({"ask": "sources"}));
    assert_eq!(all["hasLines"], true);
    assert_eq!(all["shown"], Value::Null);
    assert_eq!(all["files"][0]["name"], "/app/a.php");
    assert_eq!(all["files"][0]["own"]["wall"], 98);
    assert_eq!(all["files"][1]["name"], "/app/inc.h");
    assert_eq!(all["files"][1]["own"]["wall"], 7);
    let file = &all["files"][0]["file"];
    let shown = ask(&mut document, json!({"ask": "sources", "file": file}));
    assert_eq!(
        lines(&shown),
        [
            (1, 5, 0, 0),
            (2, 0, 1, 100),
            (10, 10, 0, 0),
            (11, 20, 0, 0),
            (12, 0, 2, 63),
            (21, 63, 0, 0)
        ]
    );
    let names = shown["shown"]["functions"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|function| &function["row"]["name"]).collect();
    assert_eq!(names, ["main", "f", "g"]);
    let file = &all["files"][1]["file"];
    let shown = ask(&mut document, json!({"ask": "sources", "file": file}));
    assert_eq!(lines(&shown), [(3, 7, 0, 0)]);
    // It is no function of that file, and has a name all the same.
    let line = &shown["shown"]["lines"][0];
    let of_line = &shown["shown"]["elsewhere"][0];
    assert_eq!(of_line["function"], line["function"]);
    assert_eq!(of_line["name"], "f");
}

#[test]
fn a_functions_file_is_found_and_unknown_files_are_errors() {
    let mut document = open(CALLGRIND);
    let found = ask(&mut document, json!({"ask": "search", "text": "g"}));
    let function = &found["rows"][0]["function"];
    let shown = ask(
        &mut document,
        json!({"ask": "sources", "function": function}),
    );
    assert_eq!(shown["shown"]["file"]["name"], "/app/a.php");
    let question = serde_json::from_value(json!({"ask": "sources", "file": 9})).unwrap();
    let error = document.answer(&question).unwrap_err();
    assert_eq!(error.code(), "unknown-file");
}

#[test]
fn files_added_up_keep_their_lines() {
    let source = |name| Source {
        name,
        bytes: CALLGRIND,
    };
    let mut document = Document::open(&[source("a"), source("b")]).unwrap();
    let all = ask(&mut document, json!({"ask": "sources", "file": 0}));
    assert_eq!(lines(&all)[4], (12, 0, 4, 126));
}

#[test]
fn lines_of_pprof_are_charged_once_a_stack_and_their_own_costs_are_the_profiles() {
    let bytes = include_bytes!("../../../formats/tests/golden/go-cpu.pb.gz");
    let mut document = open(bytes);
    let all = ask(&mut document, json!({"ask": "sources"}));
    assert_eq!(all["hasLines"], true);
    let total = all["total"]["wall"].as_i64().unwrap();
    let files = all["files"].as_array().unwrap().clone();
    let own: i64 = files
        .iter()
        .map(|file| file["own"]["wall"].as_i64().unwrap())
        .sum();
    assert_eq!(own, total);
    for file in &files {
        let answer = ask(
            &mut document,
            json!({"ask": "sources", "file": file["file"]}),
        );
        for (line, own, _, callees) in lines(&answer) {
            assert!(own + callees <= total, "line {line} of {}", file["name"]);
        }
    }
}

#[test]
fn a_profile_without_lines_has_functions_in_files() {
    let bytes = b"version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\nevents: Time_(10ns)\n\nfl=/a.php\nfn={main}\n0 5\n";
    let mut document = open(bytes);
    let all = ask(&mut document, json!({"ask": "sources", "file": 0}));
    assert_eq!(all["hasLines"], false);
    assert_eq!(lines(&all), []);
    assert_eq!(all["shown"]["functions"][0]["row"]["own"]["wall"], 50);
    assert_eq!(all["files"][0]["own"]["wall"], 50);
}

#[test]
fn a_joined_box_says_what_it_holds() {
    let mut text = String::new();
    for number in 0..50 {
        text.push_str(&format!("main();all;tiny{number} {}\n", number + 1));
    }
    text.push_str("main();all;wide 100000\n");
    let mut document = open(text.as_bytes());
    for by in ["called", "leftHeavy"] {
        let arrangement = json!({"by": by});
        let flame = ask(
            &mut document,
            json!({"ask": "flame", "arrangement": arrangement, "width": 400.0}),
        );
        let boxes = &flame["boxes"];
        let names = boxes["name"].as_array().unwrap();
        let joined = names.iter().position(|name| name == -1).unwrap();
        assert_eq!(boxes["joined"][joined], 50);
        let index = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let parent = index(&boxes["parent"][joined]);
        let function = &flame["names"][index(&boxes["name"][parent])];
        let question = json!({"ask": "joined", "arrangement": arrangement,
            "path": [function["function"]], "first": boxes["first"][joined],
            "count": boxes["joined"][joined], "most": 3});
        let answer = ask(&mut document, question);
        assert_eq!(answer["value"], boxes["value"][joined]);
        assert_eq!(answer["value"], 51 * 25);
        assert_eq!(answer["rows"][0]["name"], "tiny49");
        assert_eq!(answer["rows"][0]["value"], 50);
        assert_eq!(answer["omitted"], 47);
        // The path of the question and the row's function can be zoomed into.
        let zoom = json!([function["function"], answer["rows"][0]["function"]]);
        let flame = ask(
            &mut document,
            json!({"ask": "flame", "arrangement": arrangement, "zoom": zoom}),
        );
        assert_eq!(flame["zoom"]["value"], 50);
    }
}
