//! The output of `--json` fits `docs/report.schema.json`.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::Validator;
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    directory.join(name)
}

fn validator() -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/report.schema.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// The program's output, parsed as JSON.
fn json(command: &str, files: &[&str], options: &[&str]) -> Value {
    let mut program = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    program.arg(command).arg("--json").args(options);
    let output = program
        .args(files.iter().map(|file| fixture(file)))
        .output();
    let output = output.unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{files:?} {options:?}: {error}, {output:?}"))
}

/// Why the schema refuses the value; empty if it does not.
fn errors(validator: &Validator, value: &Value) -> String {
    // The error of the whole only says that no form fits.
    let errors = validator.iter_errors(value);
    errors.map(|error| error.to_string()).collect()
}

#[test]
fn every_view_of_every_kind_of_profile_is_as_the_schema_says() {
    let validator = validator();
    let views: [(&str, &[&str], &str); 18] = [
        ("views.in/tiny.xhp", &[], "functions"),
        ("views.in/tiny.xhprof", &["--metric", "memory"], "functions"),
        ("report.in/sampled.xhprof", &[], "functions"),
        ("report.in/xhgui.jsonl", &[], "functions"),
        ("report.in/valgrind.callgrind", &[], "functions"),
        ("views.in/tiny.xhp", &["--callers", "bar"], "callers"),
        ("views.in/tiny.xhp", &["--callees", "foo"], "callees"),
        ("views.in/tiny.xhp", &["--callees", "f*"], "matches"),
        ("annotate.in/run.xhp", &["--lines"], "lines"),
        ("report.in/valgrind.callgrind", &["--lines"], "lines"),
        ("views.in/tiny.xhp", &["--tree"], "tree"),
        ("views.in/tiny.xhp", &["--inverted"], "inverted"),
        ("views.in/tiny.xhp", &["--by", "package"], "functions"),
        ("spans.in/spans.xhp", &["--spans"], "spans"),
        ("spans.in/spans.xhp", &[], "spans_left_out"),
        ("hints.in/import.json", &[], "hints"),
        ("hints.in/import.json", &["--hints"], "hints"),
        ("views.in/tiny.xhp", &["--hints"], "hints"),
    ];
    for (file, options, key) in views {
        let value = json("report", &[file], options);
        assert_eq!(
            errors(&validator, &value),
            "",
            "{file} {options:?}: {value}"
        );
        assert_eq!(value["format"], "xhprof-report", "{file} {options:?}");
        assert_eq!(value["version"], 1, "{file} {options:?}");
        assert!(value.get(key).is_some(), "{file} {options:?}: {value}");
    }
}

#[test]
fn an_annotated_source_is_as_the_schema_says() {
    let validator = validator();
    let source = fixture("annotate.in");
    let options = ["Cart::total", "--source", source.to_str().unwrap()];
    let value = json("annotate", &["annotate.in/run.xhp"], &options);
    assert_eq!(errors(&validator, &value), "", "{value}");
    assert_eq!(value["has_source"], true, "{value}");
}

#[test]
fn comparisons_are_as_the_schema_says() {
    let validator = validator();
    let one: [&str; 2] = ["diff.in/a0.json", "diff.in/b0.json"];
    let several = [
        "diff.in/a0.json",
        "diff.in/a1.json",
        "--",
        "diff.in/b0.json",
    ];
    for files in [&one[..], &several[..]] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_xhprof"));
        program
            .current_dir(fixture(""))
            .args(["diff", "--json"])
            .args(files);
        let output = program.output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(errors(&validator, &value), "", "{files:?}: {value}");
        assert_eq!(
            (&value["format"], &value["version"]),
            (&"xhprof-diff".into(), &1.into())
        );
        // No share of a sum that may be below zero.
        assert!(value["total"]["memory_bytes"]["relative"].is_null());
        assert!(value["total"]["wall_ns"]["relative"].is_number());
    }
}

#[test]
fn the_schema_refuses_what_it_does_not_describe() {
    let validator = validator();
    let value = json("report", &["hints.in/import.json"], &[]);
    let broken: [fn(&mut Value); 8] = [
        |value| value["version"] = 2.into(),
        |value| value["functions"][0]["inclusive"]["wall_ns"] = "1".into(),
        |value| value["functions"][0]["self"]["wall_us"] = 1.into(),
        |value| value["unknown"] = 1.into(),
        |value| value["hints"][0]["share"] = 2.into(),
        |value| value["hints"][0]["evidence"][0]["unit"] = "us".into(),
        |value| value["meta"]["tags"] = 1.into(),
        |value| {
            value.as_object_mut().unwrap().remove("title");
        },
    ];
    for (number, breaks) in broken.iter().enumerate() {
        let mut value = value.clone();
        breaks(&mut value);
        assert!(!validator.is_valid(&value), "{number}");
    }
}
