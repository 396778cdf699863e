//! What the program says of itself, and of both programs.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;

use crate::program::program;

fn said(arguments: &[&str]) -> String {
    let output = program().args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn usage_names_the_command_that_users_type() {
    for (command, usage) in [
        ("serve", "Usage: xhprof serve [OPTIONS]\n"),
        ("agent", "Usage: xhprof agent [OPTIONS]\n"),
        ("push", "Usage: xhprof push [OPTIONS] --to <URL> <FILE>..."),
        ("import", "Usage: xhprof import [OPTIONS] <FILE>..."),
        ("store", "Usage: xhprof store [OPTIONS] <COMMAND>"),
        (
            "simulate",
            "Usage: xhprof simulate [OPTIONS] --runs <NUMBER>",
        ),
        ("regressions", "Usage: xhprof regressions [OPTIONS] "),
    ] {
        for arguments in [[command, "--help"], ["help", command]] {
            let help = said(&arguments);
            assert!(help.contains(usage), "{help}");
            assert!(help.contains("Examples:\n  xhprof "), "{help}");
        }
    }
    let own = said(&["--help"]);
    assert!(own.contains("Usage: xhprof-server <COMMAND>\n"), "{own}");
    let wrong = program().args(["store", "verfy"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    let error = String::from_utf8(wrong.stderr).unwrap();
    assert!(error.contains("Usage: xhprof store"), "{error}");
}

#[test]
fn pages_and_completions_cover_both_programs() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().to_str().unwrap();
    said(&["man", "-o", pages]);
    let page = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for command in [
        "run", "report", "serve", "agent", "push", "import", "store", "simulate",
    ] {
        assert!(
            page(&format!("xhprof-{command}.1")).contains("Examples:"),
            "{command}"
        );
    }
    assert!(
        page("xhprof.1").contains("xhprof\\-serve(1)"),
        "{}",
        page("xhprof.1")
    );
    assert!(
        page("xhprof-server.1").starts_with(".ie"),
        "{}",
        page("xhprof-server.1")
    );
    let script = said(&["completions", "bash"]);
    for word in [
        "flamegraph",
        "--fold-recursion",
        "--queue-size",
        "--trigger-secret-file",
    ] {
        assert!(script.contains(word), "{word}");
    }
}

#[test]
fn a_rate_is_a_number_and_no_percentage() {
    let mut command = program();
    command.args(["push", "a", "--to", "http://127.0.0.1:1", "--rate", "1%"]);
    let output = command.output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        error.starts_with(
            "error: invalid value '1%' for '--rate <RATE>': use a number above 0, at most 1, such as 0.01\n"
        ),
        "{error}"
    );
}

#[test]
fn another_version_of_xhprof_is_refused() {
    let mut command = program();
    let output = command
        .env("XHPROF_STARTED_BY", "0.0.7")
        .args(["store", "stats"])
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        error.contains("xhprof 0.0.7 started xhprof-server") && error.contains("one version"),
        "{error}"
    );
}
