//! What opening a file and asking the viewer's first questions takes:
//! `measure FILE`. Prints milliseconds, and the greatest memory on Linux.

#![allow(clippy::print_stdout, reason = "run by hand")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use view::{Document, Question, Source, TimeRange};

const QUESTIONS: &[(&str, &str)] = &[
    ("summary", r#"{"ask":"summary"}"#),
    ("functions", r#"{"ask":"functions"}"#),
    ("flame, as called", r#"{"ask":"flame","width":1400}"#),
    (
        "flame, left heavy",
        r#"{"ask":"flame","width":1400,"arrangement":{"by":"leftHeavy"}}"#,
    ),
    (
        "flame, with a search",
        r#"{"ask":"flame","width":1400,"search":"m7"}"#,
    ),
    ("search", r#"{"ask":"search","text":"m7"}"#),
    ("function", r#"{"ask":"function","function":1}"#),
    (
        "callers",
        r#"{"ask":"flame","width":1400,"arrangement":{"by":"callers","function":1}}"#,
    ),
    (
        "inverted",
        r#"{"ask":"flame","width":1400,"arrangement":{"by":"inverted"}}"#,
    ),
    ("graph", r#"{"ask":"graph"}"#),
    ("hints", r#"{"ask":"hints"}"#),
    ("timeline", r#"{"ask":"timeline","width":1400}"#),
];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: measure FILE")?;
    let bytes = std::fs::read(&path)?;
    println!("{:24}{:9.1} MB", "file", bytes.len() as f64 / 1e6);
    memory("before")?;
    let begin = Instant::now();
    let mut document = Document::open(&[Source {
        name: &path,
        bytes: &bytes,
    }])?;
    took("open", begin);
    memory("opened")?;
    for (name, question) in QUESTIONS {
        let question: Question = serde_json::from_str(question)?;
        let begin = Instant::now();
        let answer = document.answer(&question);
        took(name, begin);
        if let Err(error) = answer {
            println!("  {error}");
        }
    }
    memory("asked")?;
    let whole = 1_u64 << 62;
    for part in [10, 2] {
        let end = timeline_end(&mut document).unwrap_or(whole);
        let range = TimeRange {
            from: end / part,
            to: end / part * 2,
        };
        let begin = Instant::now();
        match document.in_range(range) {
            Ok(mut part) => {
                black_box(part.answer(&Question::Summary)?);
                took("range", begin);
            }
            Err(error) => println!("  {error}"),
        }
    }
    memory("end")
}

fn timeline_end(document: &mut Document) -> Option<u64> {
    let question = serde_json::from_str(r#"{"ask":"timeline","rows":0}"#).ok()?;
    match document.answer(&question).ok()? {
        view::Answer::Timeline(timeline) => Some(timeline.end),
        _ => None,
    }
}

fn took(name: &str, begin: Instant) {
    println!("{name:24}{:9.1} ms", begin.elapsed().as_secs_f64() * 1e3);
}

/// Prints the memory in use, and the greatest since the start.
fn memory(when: &str) -> Result<(), Box<dyn Error>> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return Ok(());
    };
    for (field, name) in [("VmRSS:", "in use"), ("VmHWM:", "at most")] {
        if let Some(line) = status.lines().find(|line| line.starts_with(field)) {
            let kb: f64 = line.split_whitespace().nth(1).unwrap_or("0").parse()?;
            println!("{:24}{:9.1} MB", format!("{name}, {when}"), kb / 1e3);
        }
    }
    Ok(())
}
