//! Opening files, asking by message, and errors.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use profile::{Body, Event, EventKind, Events, Instant, Profile, Symbol, SymbolId, native};
use view::{Answer, Document, Error, Question, Source, TimeRange, export_formats};

const STACKS: &[u8] = b"main();a;b 30\nmain();a;c 10\nmain();d 60\n";

const TIMES: &[u8] = include_bytes!("../../../formats/tests/golden/0001.tiny.xhprof");

fn open(bytes: &[u8]) -> Document {
    Document::open(&[Source {
        name: "stacks.collapsed",
        bytes,
    }])
    .unwrap()
}

fn ask(document: &mut Document, question: &str) -> serde_json::Value {
    let question: Question = serde_json::from_str(question).unwrap();
    serde_json::to_value(document.answer(&question).unwrap()).unwrap()
}

/// The bytes of a file in that format, or the error's cause.
fn exported(document: &mut Document, format: &str) -> Result<Vec<u8>, String> {
    let question = format!(r#"{{"ask":"export","format":"{format}","estimate":true}}"#);
    let question: Question = serde_json::from_str(&question).unwrap();
    match document.answer(&question) {
        Ok(Answer::Export(file)) => Ok(file.bytes),
        Ok(_) => panic!("not a file"),
        Err(error) => Err(std::error::Error::source(&error).unwrap().to_string()),
    }
}

#[test]
fn questions_and_answers_are_messages() {
    let mut document = open(STACKS);
    let summary = ask(&mut document, r#"{"ask":"summary"}"#);
    assert_eq!(summary["is"], "summary");
    assert_eq!(summary["title"], "stacks.collapsed");
    assert_eq!(summary["total"]["wall"], 100);
    assert_eq!(summary["hasStacks"], true);
    let table = ask(&mut document, r#"{"ask":"functions","rows":1}"#);
    assert_eq!(table["rows"][0]["name"], "d");
    assert_eq!(table["matches"], 5);
    let function = table["rows"][0]["function"].as_u64().unwrap();
    let page = ask(
        &mut document,
        &format!(r#"{{"ask":"function","function":{function}}}"#),
    );
    assert_eq!(page["callers"][0]["name"], "main()");
    let flame = ask(&mut document, r#"{"ask":"flame","width":100,"search":"A"}"#);
    assert_eq!(flame["depth"], 2);
    assert_eq!(flame["zoom"]["total"], 100);
    let found = flame["names"].as_array().unwrap().iter();
    let found: Vec<_> = found.filter(|name| name["found"] == true).collect();
    // "A" is in main(), too.
    assert_eq!(found.len(), 2);
    let path = ask(&mut document, r#"{"ask":"criticalPath"}"#);
    assert_eq!(path["steps"][1]["name"], "d");
    let search = ask(&mut document, r#"{"ask":"search","text":"b"}"#);
    assert_eq!(search["covered"], 30);
    assert_eq!(
        ask(&mut document, r#"{"ask":"spans"}"#)["groups"],
        serde_json::json!([])
    );
}

#[test]
fn several_files_are_added_up() {
    let source = |name| Source {
        name,
        bytes: STACKS,
    };
    let mut document = Document::open(&[source("one"), source("two")]).unwrap();
    assert_eq!(
        ask(&mut document, r#"{"ask":"summary"}"#)["total"]["wall"],
        200
    );
}

#[test]
fn what_cannot_be_opened_says_which_file_it_is() {
    let source = Source {
        name: "holiday.jpg",
        bytes: b"\xff\xd8\xff\xe0",
    };
    let error = Document::open(&[source]).unwrap_err();
    assert_eq!(error.code(), "unreadable");
    assert_eq!(error.to_string(), "cannot read holiday.jpg");
    assert!(matches!(Document::open(&[]), Err(Error::NothingToOpen)));
}

#[test]
fn callers_and_callees_alone_have_no_flame_graph_until_stacks_are_estimated() {
    let edges = br#"{"main()":{"ct":1,"wt":100},"main()==>a":{"ct":2,"wt":40}}"#;
    let mut document = open(edges);
    let question: Question = serde_json::from_str(r#"{"ask":"flame"}"#).unwrap();
    let error = document.answer(&question).unwrap_err();
    assert_eq!(error.code(), "needs-stacks");
    let mut estimated = document.estimated().unwrap();
    let Answer::Flame(flame) = estimated.answer(&question).unwrap() else {
        panic!("not a flame graph");
    };
    assert_eq!(flame.zoom.total, 100_000);
    assert_eq!(
        ask(&mut estimated, r#"{"ask":"summary"}"#)["isEstimated"],
        true
    );
}

#[test]
fn unknown_functions_paths_and_formats_are_errors_with_a_code() {
    let mut document = open(STACKS);
    let mut code = |question: &str| {
        let question: Question = serde_json::from_str(question).unwrap();
        document.answer(&question).unwrap_err().code()
    };
    assert_eq!(
        code(r#"{"ask":"function","function":99}"#),
        "unknown-function"
    );
    assert_eq!(code(r#"{"ask":"flame","zoom":[99]}"#), "unknown-node");
    assert_eq!(code(r#"{"ask":"export","format":"doc"}"#), "unknown-format");
    assert!(serde_json::from_str::<Question>(r#"{"ask":"flame","widht":1}"#).is_err());
}

#[test]
fn every_format_can_be_exported_and_the_document_goes_on() {
    let mut of_times = open(TIMES);
    for format in export_formats() {
        assert!(!exported(&mut of_times, format.id).unwrap().is_empty());
    }
    let mut document = open(STACKS);
    let before = ask(&mut document, r#"{"ask":"functions"}"#);
    for format in export_formats() {
        match exported(&mut document, format.id) {
            Ok(bytes) => assert!(!bytes.is_empty(), "{}", format.id),
            Err(error) => assert!(error.contains("this profile counts samples"), "{error}"),
        }
    }
    assert_eq!(ask(&mut document, r#"{"ask":"functions"}"#), before);
    let question = serde_json::from_str(r#"{"ask":"export","format":"native"}"#).unwrap();
    let Answer::Export(file) = document.answer(&question).unwrap() else {
        panic!("not a file");
    };
    let mut again = open(&file.bytes);
    assert_eq!(
        ask(&mut again, r#"{"ask":"flame"}"#),
        ask(&mut document, r#"{"ask":"flame"}"#)
    );
}

#[test]
fn a_comparison_shows_both_sides_of_every_box_and_what_is_gone() {
    let source = |name, bytes| Source { name, bytes };
    let base = [source("old", b"main();a;b 30\nmain();gone 20\n".as_slice())];
    let new = [source("new", b"main();a;b 50\nmain();a 5\n".as_slice())];
    let mut document = Document::compare(&base, &new).unwrap();
    let changes = ask(&mut document, r#"{"ask":"changes"}"#);
    assert_eq!(changes["total"]["difference"], 5.0);
    assert_eq!(changes["spreadIsKnown"], false);
    let rows = changes["rows"].as_array().unwrap().iter();
    let rows: Vec<_> = rows
        .map(|row| {
            (
                row["name"].as_str().unwrap(),
                row["own"]["difference"].as_f64().unwrap(),
            )
        })
        .collect();
    let main = ("main()", 0.0);
    assert_eq!(rows, [("b", 20.0), ("gone", -20.0), ("a", 5.0), main]);
    let flame = ask(&mut document, r#"{"ask":"flame","width":1000}"#);
    let of = |name: &str| {
        let names = flame["names"].as_array().unwrap();
        let number = names.iter().position(|one| one["name"] == name).unwrap();
        let boxes = &flame["boxes"];
        let place = boxes["name"].as_array().unwrap().iter();
        let place = place
            .clone()
            .position(|one| one == &serde_json::json!(number))
            .unwrap();
        let width =
            boxes["right"][place].as_f64().unwrap() - boxes["left"][place].as_f64().unwrap();
        (
            boxes["base"][place].clone(),
            boxes["value"][place].clone(),
            width > 0.0,
        )
    };
    use serde_json::json;
    assert_eq!(of("main()"), (json!(50), json!(55), true));
    assert_eq!(of("b"), (json!(30), json!(50), true));
    assert_eq!(of("gone"), (json!(20), json!(0), true));
}

#[test]
fn groups_are_compared_by_their_means_and_know_their_spread() {
    let source = |bytes| Source { name: "run", bytes };
    let base = [
        source(b"main();a 10\n".as_slice()),
        source(b"main();a 14\n"),
    ];
    let new = [
        source(b"main();a 11\n".as_slice()),
        source(b"main();a 15\n"),
    ];
    let mut document = Document::compare(&base, &new).unwrap();
    let changes = ask(&mut document, r#"{"ask":"changes"}"#);
    assert_eq!(changes["total"]["base"], 12.0);
    assert_eq!(changes["total"]["withinSpread"], true);
    assert_eq!(changes["spreadIsKnown"], true);
    assert_eq!(
        ask(&mut document, r#"{"ask":"summary"}"#)["total"]["wall"],
        13
    );
}

#[test]
fn the_graph_has_what_is_above_the_threshold_and_says_what_is_not() {
    let mut document = open(STACKS);
    let graph = ask(&mut document, r#"{"ask":"graph","threshold":35}"#);
    let nodes = graph["nodes"].as_array().unwrap().iter();
    let names: Vec<_> = nodes.map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["main()", "d", "a"]);
    assert_eq!(graph["omitted"], 2);
    assert_eq!(graph["edges"][0]["critical"], true);
    assert_eq!(graph["edges"][1]["critical"], false);
}

#[test]
fn a_part_of_the_width_has_the_same_boxes_as_the_whole() {
    let stacks: String = (0..200)
        .map(|at| format!("main();a{at};b{at} {}\n", at % 7 + 1))
        .collect();
    let mut document = open(stacks.as_bytes());
    let whole = ask(
        &mut document,
        r#"{"ask":"flame","width":8000,"minWidth":1}"#,
    );
    let part = ask(
        &mut document,
        r#"{"ask":"flame","width":1000,"minWidth":1,"view":{"from":0.5,"to":0.625}}"#,
    );
    let boxes = |flame: &serde_json::Value| -> Vec<(i64, f64, f64)> {
        let column = |name: &str| flame["boxes"][name].as_array().unwrap().clone();
        let rounded = |value: &serde_json::Value| value.as_f64().unwrap().round();
        let (left, right, row) = (column("left"), column("right"), column("row"));
        let places = left.iter().zip(&right).zip(&row);
        places
            .map(|((left, right), row)| (row.as_i64().unwrap(), rounded(left), rounded(right)))
            .collect()
    };
    // Those that are inside, without the edges.
    let inside = |(row, left, right): (i64, f64, f64), shift: f64| {
        let (left, right) = (left - shift, right - shift);
        (left > 1.0 && right < 999.0).then_some((row, left, right))
    };
    let of_whole: Vec<_> = boxes(&whole)
        .into_iter()
        .filter_map(|one| inside(one, 4000.0))
        .collect();
    let of_part: Vec<_> = boxes(&part)
        .into_iter()
        .filter_map(|one| inside(one, 0.0))
        .collect();
    assert_eq!(of_part, of_whole);
    assert!(of_part.len() > 20, "{of_part:?}");
    assert!(boxes(&part).len() < boxes(&whole).len() / 4);
    assert_eq!(part["view"]["from"], 0.5);
    let wrong = ask(
        &mut document,
        r#"{"ask":"flame","width":100,"view":{"from":2,"to":1}}"#,
    );
    assert_eq!(wrong["view"], serde_json::json!({"from": 0.0, "to": 1.0}));
}

/// A stack of ten million frames, as pprof has it.
fn too_deep() -> Vec<u8> {
    fn number(out: &mut Vec<u8>, mut number: usize) {
        while number > 0x7f {
            out.push(u8::try_from(number & 0x7f | 0x80).unwrap());
            number >>= 7;
        }
        out.push(u8::try_from(number).unwrap());
    }
    let mut sample = vec![0x0a];
    number(&mut sample, 10_000_000);
    sample.resize(sample.len() + 10_000_000, 1);
    sample.extend([0x12, 1, 1]);
    // Its type: the first and the second string.
    let mut file = vec![0x0a, 4, 8, 1, 0x10, 2, 0x12];
    number(&mut file, sample.len());
    file.extend(sample);
    file
}

#[test]
fn a_file_that_is_too_large_says_so_with_the_threshold_to_use() {
    let bytes = too_deep();
    let source = Source {
        name: "deep",
        bytes: &bytes,
    };
    let error = Document::open(&[source]).unwrap_err();
    assert_eq!(error.code(), "too-large");
    assert!(error.threshold().is_some_and(|percent| percent > 0.0));
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("call paths need more memory"), "{cause}");
    let broken = Source {
        name: "broken",
        bytes: b"\0",
    };
    assert_eq!(Document::open(&[broken]).unwrap_err().threshold(), None);
}

#[test]
fn more_events_than_a_report_keeps_are_still_in_the_order_of_time() {
    let enter = EventKind::Enter(SymbolId(1));
    let count = native::Limits::default().events as u64 + 2;
    let events = (0..count).map(|number| Event {
        at: Instant {
            wall: number,
            ..Instant::default()
        },
        kind: if number % 2 == 0 {
            enter
        } else {
            EventKind::Leave
        },
    });
    let mut profile = Profile::empty();
    profile.symbols = vec![Symbol::new(Symbol::MAIN), Symbol::new(*b"f")];
    profile.body = Body::Events(Events {
        events: events.collect(),
        end: Instant {
            wall: count,
            ..Instant::default()
        },
    });
    let mut bytes = Vec::new();
    native::write(&profile, &mut bytes).unwrap();
    let mut document = open(&bytes);
    let summary = ask(&mut document, r#"{"ask":"summary"}"#);
    assert_eq!(summary["hasTimes"], true);
    assert_eq!(summary["calls"], count / 2 + 1);
    let range = TimeRange { from: 10, to: 20 };
    let mut part = document.in_range(range).unwrap();
    let summary = ask(&mut part, r#"{"ask":"summary"}"#);
    assert_eq!(summary["total"]["wall"], 10);
}
