//! What commands read and write: streams, files, pages, completions; and that
//! docs/formats.md knows every format.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use formats::{FORMATS, Format};
use profile::{Mode, Profile, native};

/// A profile with stacks, and one with edges only.
const STACKS: &str = "views.in/tiny.xhp";
const EDGES: &str = "views.in/tiny.xhprof";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cmd")
        .join(name)
}

fn xhprof() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    command.env("COLUMNS", "100").stdin(Stdio::null());
    // Whether there is one is not to change what is printed.
    command.env("XHPROF_SERVER", "/nowhere/xhprof-server");
    command
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    let mut others = errors
        .lines()
        .filter(|line| !line.starts_with("xhprof: wrote "));
    assert_eq!(others.next(), None, "a pipe sees no progress");
    output
}

#[test]
fn every_reader_takes_standard_input() {
    for arguments in [
        &["report", "-"][..],
        &["report", "-", "--tree"],
        &["grep", "bar", "-"],
        &["convert", "-", "--to", "xhprof", "-o", "-"],
        &["merge", "-", "--to", "native", "-o", "-"],
        &["flamegraph", "-", "-o", "-"],
        &["html", "-", "-o", "-"],
        &["diff", "-", "few.json"],
    ] {
        let stdin = File::open(fixture(STACKS)).unwrap();
        let mut command = xhprof();
        command.current_dir(fixture("diff.in")).args(arguments);
        let output = succeed(command.stdin(stdin));
        assert!(!output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_pipe_of_commands_loses_nothing() {
    let first = succeed(
        xhprof()
            .args(["convert", "--to", "native", "-o", "-"])
            .arg(fixture(EDGES)),
    );
    let mut second = xhprof();
    second.args(["convert", "-", "--to", "xhprof", "-o", "-"]);
    second.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut second = second.spawn().unwrap();
    second
        .stdin
        .take()
        .unwrap()
        .write_all(&first.stdout)
        .unwrap();
    let output = second.wait_with_output().unwrap();
    assert_eq!(output.stdout, fs::read(fixture(EDGES)).unwrap());
}

#[test]
fn files_are_private_and_whole_or_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let picture = directory.path().join("run.svg");
    let flamegraph = |input: &str| {
        let mut command = xhprof();
        command.arg("flamegraph").arg(fixture(input));
        command.arg("-o").arg(&picture);
        command
    };
    let refused = flamegraph(EDGES).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    succeed(&mut flamegraph(STACKS));
    let mode = fs::metadata(&picture).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = fs::read(&picture).unwrap();
    assert_eq!(flamegraph(EDGES).status().unwrap().code(), Some(1));
    assert_eq!(fs::read(&picture).unwrap(), before);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let mut command = xhprof();
    command.args(["flamegraph", "-o", "-"]).arg(fixture(STACKS));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn an_error_of_standard_output_says_so() {
    let profile = fixture(STACKS);
    let profile = profile.to_str().unwrap();
    for arguments in [
        &["report", profile][..],
        &["report", "--json", profile],
        &["view", "--no-browser", profile],
        &[
            "init",
            "--dry-run",
            "--php",
            "/nowhere/php",
            "--profiles",
            "/nowhere",
        ],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let mut command = xhprof();
        command.args(arguments);
        let output = command.stdout(full.unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            errors.starts_with("xhprof: error: cannot write to standard output: "),
            "{errors}"
        );
    }
}

#[test]
fn times_of_samples_and_of_calls_are_not_compared_in_silence() {
    let directory = tempfile::tempdir().unwrap();
    for (name, mode) in [("sampled.xhp", Mode::Sampled), ("traced.xhp", Mode::Traced)] {
        let mut recorded = Profile::empty();
        recorded.meta.mode = mode;
        let mut file = Vec::new();
        native::write(&recorded, &mut file).unwrap();
        fs::write(directory.path().join(name), file).unwrap();
    }
    for (base, new, is_told) in [
        ("sampled.xhp", "traced.xhp", true),
        ("traced.xhp", "sampled.xhp", true),
        ("traced.xhp", "traced.xhp", false),
        ("sampled.xhp", "sampled.xhp", false),
    ] {
        let mut command = xhprof();
        command.args(["diff", base, new]).current_dir(&directory);
        let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
        let note = "xhprof: note: sampled profiles are compared with traced ones; ";
        assert_eq!(said.starts_with(note), is_told, "{base} {new}: {said}");
    }
}

#[test]
fn reports_have_no_escapes_in_pipes_and_are_never_cut() {
    for arguments in [
        &["report", STACKS, "--tree", "--min", "0"][..],
        &["report", STACKS, "--inverted", "--min", "0"],
        &["report", STACKS, "--metric", "memory"],
        &["report", STACKS, "--pager"],
        &["report", STACKS, "--callers", "bar"],
        &["diff", "diff.in/tiny.json", "diff.in/few.json"],
    ] {
        let text = |width: u32| {
            let mut command = xhprof();
            command.current_dir(fixture("")).args(arguments);
            let output = succeed(command.env("COLUMNS", width.to_string()));
            String::from_utf8(output.stdout).unwrap()
        };
        let narrow = text(20);
        assert!(!narrow.contains('\x1b'), "{narrow}");
        // A pipe has no width: names and columns are those of a wide terminal.
        assert_eq!(narrow, text(200), "{arguments:?}");
        // An ellipsis precedes the note about left out rows; no name has one.
        let cut = narrow
            .lines()
            .find(|line| line.trim_start_matches('…').contains('…'));
        assert_eq!(cut, None, "{arguments:?}: {narrow}");
    }
}

#[test]
fn a_profile_of_sizes_is_shown_by_its_sizes() {
    let directory = tempfile::tempdir().unwrap();
    let profile = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
        "shared":{"frames":[{"name":"load"},{"name":"parse"}]},
        "profiles":[{"type":"sampled","name":"x","unit":"bytes","startValue":0,"endValue":400,
        "samples":[[0],[0,1]],"weights":[100,300]}]}"#;
    fs::write(directory.path().join("heap.json"), profile).unwrap();
    for (arguments, expected) in [
        (&["report", "heap.json"][..], "300 B     300 B"),
        (&["grep", "parse", "heap.json"], "main();load;parse 300\n"),
        (
            &["convert", "heap.json", "--to", "collapsed", "-o", "-"],
            "main();load;parse 300\n",
        ),
        (
            &["flamegraph", "heap.json", "-o", "-"],
            "<title>parse (300 B)",
        ),
        (&["diff", "heap.json", "heap.json"], "by self memory"),
    ] {
        let output = succeed(xhprof().current_dir(&directory).args(arguments));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn there_is_a_page_for_each_command_and_it_names_the_exit_codes() {
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("man1");
    succeed(xhprof().args(["man", "-o"]).arg(&pages));
    let help = succeed(xhprof().arg("--help")).stdout;
    let help = String::from_utf8(help).unwrap();
    let (_, groups) = help.split_once("\nRecord:\n").unwrap();
    let (groups, _) = groups.split_once("\nAlso: ").unwrap();
    let (before, of_server) = groups.split_once("\nTeam").unwrap();
    let (_, after) = of_server.split_once("\n\n").unwrap();
    for line in before.lines().chain(after.lines()) {
        if let Some(command) = line.strip_prefix("  ") {
            let command = command.split_whitespace().next().unwrap();
            let page = fs::read_to_string(pages.join(format!("xhprof-{command}.1"))).unwrap();
            assert!(page.contains("Examples:"), "{command}");
        }
    }
    let page = fs::read_to_string(pages.join("xhprof.1")).unwrap();
    assert!(page.contains("Exit codes:"));
    let mode = fs::metadata(pages.join("xhprof.1"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o644);
}

#[test]
fn completions_are_a_script_that_bash_takes() {
    let script = succeed(xhprof().args(["completions", "bash"])).stdout;
    let mut bash = Command::new("bash");
    bash.arg("-n").stdin(Stdio::piped());
    let mut bash = bash.spawn().unwrap();
    bash.stdin.take().unwrap().write_all(&script).unwrap();
    assert!(bash.wait().unwrap().success());
    let script = String::from_utf8(script).unwrap();
    for word in ["flamegraph", "--fold-recursion", "--estimate"] {
        assert!(script.contains(word), "{word}");
    }
}

/// The table of docs/formats.md is the program's list of formats.
#[test]
fn the_documentation_knows_every_format() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let readme = fs::read_to_string(readme).unwrap();
    let (_, table) = readme.split_once("<!-- formats -->\n").unwrap();
    let (table, _) = table.split_once("<!-- /formats -->").unwrap();
    let mut expected = "| format | | read | written | whole stacks | file name ends in |\n\
                        |---|---|---|---|---|---|\n"
        .to_owned();
    for format in FORMATS {
        expected.push_str(&row(format));
    }
    assert!(
        table == expected,
        "put this between the marks <!-- formats --> of docs/formats.md:\n\n{expected}"
    );
}

fn row(format: &Format) -> String {
    let yes = |is: bool| if is { "yes" } else { "" };
    let needs_stacks = format.needs_stacks();
    let endings: Vec<_> = format
        .endings
        .iter()
        .map(|ending| format!("`.{ending}`"))
        .collect();
    let cells = [
        format!("`{}`", format.id),
        format.name.to_owned(),
        yes(format.reads.is_some()).to_owned(),
        yes(format.writes.is_some()).to_owned(),
        if needs_stacks { "needed" } else { "" }.to_owned(),
        endings.join(" "),
    ];
    format!("| {} |\n", cells.join(" | "))
        .replace("|  |", "| |")
        .replace("|  |", "| |")
}

#[test]
fn compare_is_another_word_for_diff() {
    let of = |word| {
        let mut command = xhprof();
        command.args([word, "a0.json", "b0.json"]);
        succeed(command.current_dir(fixture("diff.in"))).stdout
    };
    assert_eq!(of("compare"), of("diff"));
}
