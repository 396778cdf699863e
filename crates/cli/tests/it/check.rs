//! `xhprof check` with real profiles: what it prints, how it ends, and what
//! other programs make of its files.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::write_program::write_program;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cmd")
        .join(name)
}

fn check(directory: &TempDir, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    program
        .arg("check")
        .args(arguments)
        .current_dir(directory.path());
    program.env_remove("GITHUB_STEP_SUMMARY").output().unwrap()
}

fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(both).unwrap()
}

/// A directory with a profile that has spans, and a file of budgets.
fn prepared(budgets: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::copy(
        fixture("spans.in/spans.xhp"),
        directory.path().join("run.xhp"),
    )
    .unwrap();
    let list: Vec<String> = budgets
        .iter()
        .map(|budget| format!("      - '{budget}'\n"))
        .collect();
    let text = format!(
        "scenarios:\n  - name: page\n    profiles: run.xhp\n    budgets:\n{}",
        list.concat()
    );
    fs::write(directory.path().join("xhprof.yaml"), text).unwrap();
    directory
}

const BROKEN: [&str; 3] = ["edges <= 0", "calls <= 1", "calls(*) <= 1000000"];

#[test]
fn the_exit_code_says_how_it_ended() {
    for (budgets, code) in [
        (&["calls(*) <= 1000000"][..], 0),
        (&["calls <= 1", "wall <= base + noise"][..], 3),
        (&["wall <= base + noise"][..], 4),
        // The profile's recorder left some out.
        (&["spans.sql.count <= 20"][..], 4),
        (&["edges 5"][..], 1),
    ] {
        let directory = prepared(budgets);
        let output = check(&directory, &[]);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{budgets:?}: {}",
            said(&output)
        );
    }
    // The mark is below the column.
    let wrong = said(&check(&prepared(&["edges 5"]), &[]));
    assert!(wrong.contains("\n  edges 5\n        ^\n"), "{wrong}");
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(check(&directory, &[]).status.code(), Some(1));
    assert!(said(&check(&directory, &[])).contains("--init"));
    assert_eq!(
        check(&directory, &["--update", "run.xhp"]).status.code(),
        Some(2)
    );
}

#[test]
fn files_and_exit_code_do_not_depend_on_who_reads_the_text() {
    let directory = prepared(&BROKEN);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut program = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    program
        .args(["check", "--junit", "j.xml"])
        .current_dir(directory.path());
    let output = program.stdout(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(directory.path().join("j.xml").exists());
}

#[test]
fn every_output_is_written_for_the_owner_only_and_can_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let directory = prepared(&BROKEN);
    let files = [
        "--junit",
        "j.xml",
        "--sarif",
        "s.json",
        "--gitlab",
        "g.json",
        "--markdown",
        "m.md",
    ];
    let output = check(
        &directory,
        &[&files[..], &["--github", "--artifacts", "kept"]].concat(),
    );
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    for name in [
        "j.xml",
        "s.json",
        "g.json",
        "m.md",
        "kept/page/run-1.xhp",
        "kept/page/profile.html",
    ] {
        let mode = fs::metadata(directory.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let junit = quick_junit::Report::deserialize_from_str(&read("j.xml")).unwrap();
    assert_eq!(junit.test_suites.len(), 1);
    let sarif: Value = serde_json::from_str(&read("s.json")).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 2);
    let issues: Value = serde_json::from_str(&read("g.json")).unwrap();
    assert_eq!(issues.as_array().unwrap().len(), 2);
    assert!(
        read("m.md").contains("| ❌ | page | `calls <= 1` |"),
        "{}",
        read("m.md")
    );
    assert_eq!(
        said(&output).matches("\n::error ").count(),
        2,
        "{}",
        said(&output)
    );
}

#[test]
fn a_summary_is_added_to_what_the_job_has() {
    let directory = prepared(&BROKEN);
    let summary = directory.path().join("summary.md");
    fs::write(&summary, "before\n").unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    program
        .args(["check", "--github"])
        .current_dir(directory.path());
    program
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .unwrap();
    let text = fs::read_to_string(&summary).unwrap();
    assert!(
        text.starts_with("before\n### Performance budgets are broken\n"),
        "{text}"
    );
}

#[test]
fn update_raises_the_limits_that_are_broken() {
    let directory = prepared(&BROKEN);
    let output = check(&directory, &["--update"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = fs::read_to_string(directory.path().join("xhprof.yaml")).unwrap();
    assert!(
        text.contains("'calls(*) <= 1000000'") && !text.contains("calls <= 1'"),
        "{text}"
    );
    let output = check(&directory, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // A limit that is no number stays broken.
    let directory = prepared(&["calls <= 1 + 1"]);
    let output = check(&directory, &["--update"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
}

#[test]
fn a_first_file_allows_what_there_is() {
    let directory = prepared(&BROKEN);
    let init = ["--init", "--config", "new.yaml", "run.xhp"];
    let output = check(&directory, &init);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let output = check(&directory, &["--config", "new.yaml"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // It never replaces a file.
    assert_eq!(check(&directory, &init).status.code(), Some(1));
}

#[test]
fn profiles_and_budgets_of_the_command_line_need_no_file() {
    let directory = prepared(&BROKEN);
    fs::remove_file(directory.path().join("xhprof.yaml")).unwrap();
    let output = check(
        &directory,
        &["run.xhp", "--budget", "calls <= base", "--base", "run.xhp"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let output = check(&directory, &["run.xhp", "--budget", "calls <="]);
    let expected = "--budget: expected a number or a name";
    assert!(said(&output).contains(expected), "{}", said(&output));
    assert!(said(&check(&directory, &["run.xhp"])).contains("need a --budget"));
}

#[test]
fn saved_profiles_are_the_base_of_a_later_check() {
    let directory = prepared(&["calls <= base", "edges == base"]);
    assert_eq!(
        check(&directory, &["--save", "base"]).status.code(),
        Some(4)
    );
    let output = check(&directory, &["--base", "base"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn what_grew_since_the_base_comes_first() {
    let directory = tempfile::tempdir().unwrap();
    let profile = |name: &str, find: u32| {
        let rows = format!(
            r#"{{"main()==>often":{{"ct":900,"wt":9000,"mu":1}},"main()==>find":{{"ct":{find},"wt":{find}00,"mu":1}},"main()":{{"ct":1,"wt":99000,"mu":9}}}}"#
        );
        fs::write(directory.path().join(name), rows).unwrap();
    };
    profile("old.json", 1);
    profile("new.json", 26);
    let first = |budget: &str| {
        let arguments = ["new.json", "--base", "old.json", "--budget", budget];
        let output = check(&directory, &arguments);
        assert_eq!(output.status.code(), Some(3), "{}", said(&output));
        let text = said(&output);
        text.lines().nth(3).unwrap().trim().to_owned()
    };
    assert_eq!(first("calls <= base"), "26× find by main(), 1 in the base");
    assert_eq!(first("calls <= 5"), "900× often by main()");
    assert_eq!(
        first("incl.wall(*) <= base"),
        "2.60 ms by find, 100 µs in the base"
    );
    // `--base` takes both.
    let arguments = [
        "--budget",
        "calls <= base",
        "--base",
        "old.json",
        "new.json",
    ];
    let output = check(&directory, &arguments);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("; PROFILES come before --base"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_program_that_fails_is_shown_with_its_own_words_alone() {
    let stage = crate::run::Stage::new();
    let mut check = stage.program("failing");
    check.args(["check", "--budget", "edges <= 1", "--"]);
    let php = stage.path("php").into_os_string().into_string().unwrap();
    let output = check.args([&php, "s.php"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = said(&output);
    let (_, shown) = said.split_once("exit code 7:\n").unwrap();
    let shown: Vec<&str> = shown.lines().take_while(|line| !line.is_empty()).collect();
    assert_eq!(shown, ["    from the program"], "{said}");

    let mut init = stage.program("failing");
    init.args(["check", "--init", "--", &php, "s.php"]);
    let output = init.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.ends_with("exit code 7:\n    from the program\n"),
        "{said}"
    );
}

#[test]
fn a_scenario_that_cannot_run_is_an_error_and_is_torn_down() {
    let directory = tempfile::tempdir().unwrap();
    let text = "scenarios:\n  - name: a\n    profiles: x.xhp\n    set_up: 'echo no database >&2; echo today >&2; exit 3'\n    tear_down: touch torn\n    budgets: [edges <= 1]\n";
    fs::write(directory.path().join("xhprof.yaml"), text).unwrap();
    let output = check(&directory, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("exit code 3:\n    no database\n    today\n"),
        "{}",
        said(&output)
    );
    assert!(directory.path().join("torn").exists());
}

#[test]
fn what_tear_down_ends_has_ended_when_the_check_ends_35() {
    let directory = tempfile::tempdir().unwrap();
    let set_up = "(trap 'sleep 0.5; touch ended; exit' TERM; touch ready; while :; do sleep 0.01; done) >/dev/null 2>&1 & \
        echo $! >pid; until [ -e ready ]; do sleep 0.01; done";
    let text = format!(
        "scenarios:\n  - name: a\n    profiles: none.xhp\n    set_up: \"{set_up}\"\n    tear_down: kill $(cat pid)\n    budgets: [edges <= 1]\n"
    );
    fs::write(directory.path().join("xhprof.yaml"), text).unwrap();
    let output = check(&directory, &[]);
    assert!(directory.path().join("ended").exists(), "{}", said(&output));
}

/// The YAML of `docs/ci.md` and of the shop.
fn documented() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs/ci.md")).unwrap();
    let blocks = page
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let mut files: Vec<String> = blocks.map(str::to_owned).collect();
    files.push(fs::read_to_string(root.join("examples/shop/xhprof.yaml")).unwrap());
    files
}

#[test]
fn what_is_documented_is_read() {
    let files = documented();
    assert!(files.len() >= 4, "{}", files.len());
    for text in files {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("build")).unwrap();
        fs::write(directory.path().join("build/a.xhp"), "").unwrap();
        fs::write(directory.path().join("xhprof.yaml"), &text).unwrap();
        // Nothing runs, but the whole file is read.
        let output = check(&directory, &["--only", "no such scenario"]);
        assert!(
            said(&output).contains("no scenario has"),
            "{}\n{text}",
            said(&output)
        );
    }
}

/// A directory whose scenario is a request of HTTPS, with the profile that it gets.
fn with_a_request() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("profiles")).unwrap();
    fs::create_dir(directory.path().join("bin")).unwrap();
    fs::copy(
        fixture("spans.in/spans.xhp"),
        directory.path().join("profiles/7.page.0123abcd4567.xhp"),
    )
    .unwrap();
    let text = "scenarios:\n  - name: page\n    request:\n      url: https://app.test/page\n      \
                trigger: XHPROF\n      profiles: profiles\n    budgets:\n      - calls <= 1000000\n";
    fs::write(directory.path().join("xhprof.yaml"), text).unwrap();
    directory
}

fn check_with_path(directory: &TempDir, path: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    program.arg("check").current_dir(directory.path());
    program.env_remove("GITHUB_STEP_SUMMARY");
    program
        .env("PATH", path)
        .env("XHPROF_SECRET", "not \"for\" all");
    program.output().unwrap()
}

#[test]
fn https_is_spoken_by_curl_whose_command_line_has_no_secret() {
    let directory = with_a_request();
    let curl = b"#!/bin/sh\necho \"$*\" > words\ncat > options\n\
        printf 'HTTP/2 200 \\r\\nx-xhprof-run: 0123abcd4567\\r\\n\\r\\n'\n";
    write_program(&directory.path().join("bin/curl"), curl);
    let path = format!("{}:/usr/bin:/bin", directory.path().join("bin").display());
    let output = check_with_path(&directory, &path);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    assert_eq!(read("words"), "--disable --config -\n");
    let options = read("options");
    let lines: Vec<&str> = options.lines().collect();
    for line in [
        "url = \"https://app.test/page\"",
        "proto = \"=https\"",
        "request = \"GET\"",
        "header = \"Cookie: XHPROF=not%20%22for%22%20all\"",
    ] {
        assert!(lines.contains(&line), "{line}: {options}");
    }
}

#[test]
fn without_curl_or_an_answer_the_error_says_so() {
    let directory = with_a_request();
    let bin = directory.path().join("bin");
    let output = check_with_path(&directory, bin.to_str().unwrap());
    let error = said(&output);
    assert_ne!(output.status.code(), Some(0), "{error}");
    assert!(error.contains("needs the command curl"), "{error}");
    write_program(
        &bin.join("curl"),
        b"#!/bin/sh\necho 'curl: (60) bad certificate' >&2\nexit 60\n",
    );
    let error = said(&check_with_path(&directory, bin.to_str().unwrap()));
    assert!(
        error.contains("no answer: curl: (60) bad certificate"),
        "{error}"
    );
}
