//! What becomes of the profile, and what is said where there is none.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use profile::{Body, Budget, Event, EventKind, Events, Instant, Profile, Symbol, SymbolId, native};

use super::{Stage, assert_reported, stderr};

#[test]
fn the_end_says_how_to_keep_and_to_open_the_profile() {
    let stage = Stage::new();
    for (arguments, expected) in [
        (
            &["--flags", "cpu", "--", "s.php"][..],
            "the profile is not kept: `xhprof run -o run.xhp --flags cpu -- s.php` keeps it",
        ),
        (
            &["-o", "run.xhp", "--", "s.php"],
            "wrote run.xhp (105 B): `xhprof view run.xhp` shows it in the browser, `xhprof report run.xhp` prints \
             this report again",
        ),
        (
            &["-o", "a b.html", "--", "s.php"],
            "B): open it in a browser",
        ),
        (&["-o", "x.csv", "--", "s.php"], "wrote x.csv ("),
        (
            &["s.php", "--limit", "1", "own"],
            "--limit 1 went to the script, as everything after it does; \
             for xhprof: `xhprof run --limit 1 -- s.php own`",
        ),
    ] {
        let output = stage.output("echo", arguments);
        let said = stderr(&output);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    let output = stage.output("echo", &["--", "s.php", "--limit", "1"]);
    assert!(!stderr(&output).contains("went to"), "{}", stderr(&output));
}

#[test]
fn all_events_are_kept_whatever_a_report_holds() {
    // More than a reader keeps for a report.
    const CALLS: u64 = 1 << 20;
    let stage = Stage::new();
    let events = (1..=CALLS).flat_map(|call| {
        [
            (EventKind::Enter(SymbolId(1)), 2 * call),
            (EventKind::Leave, 2 * call + 1),
        ]
    });
    let at = |wall| Instant {
        wall,
        ..Instant::default()
    };
    let events = events.map(|(kind, wall)| Event { kind, at: at(wall) });
    let recorded = Profile {
        symbols: vec![Symbol::new(Symbol::MAIN), Symbol::new(&b"f"[..])],
        body: Body::Events(Events {
            events: events.collect(),
            end: at(2 * CALLS + 2),
        }),
        ..Profile::empty()
    };
    let mut file = Vec::new();
    native::write(&recorded, &mut file).unwrap();
    fs::write(stage.path("prepared.xhp"), file).unwrap();
    let keep = |name: &str| {
        let arguments = ["--mode", "events", "-o", name, "--", "s.php"];
        let output = stage.output("prepared", &arguments);
        let said = stderr(&output);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("1,048,577 calls"), "{said}");
        assert!(!said.contains("note:"), "{said}");
        fs::read(stage.path(name)).unwrap()
    };
    let all_of = |file: &[u8]| {
        let budget = Budget::with_events(Budget::DEFAULT_LIMIT, usize::MAX);
        formats::read_within(file, &budget).unwrap()
    };
    let kept = all_of(&keep("run.xhp"));
    assert_eq!(kept.meta.title.as_deref(), Some("s.php"));
    assert!(kept.body == recorded.body);
    // Each event is a line of some sixty bytes there.
    assert!(keep("run.trace.json").len() as u64 > 2 * 40 * CALLS);
    // Converted in as little memory as a report needs, and in more.
    let convert = |limit: &str| {
        let arguments = ["run.xhp", "-o", "again.xhp", "--memory-limit", limit];
        let mut command = stage.program("echo");
        let output = command.arg("convert").args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let kept = fs::read(stage.path("again.xhp")).unwrap();
        let is_note = stderr(&output).contains("note: run.xhp has more events than fit into");
        (is_note, kept)
    };
    let (is_note, kept) = convert("1G");
    assert!(!is_note && all_of(&kept).body == recorded.body);
    let (is_note, kept) = convert("100M");
    assert!(is_note);
    let kept = formats::read(&kept[..]).unwrap();
    assert!(matches!(kept.body, Body::Tree(_)));
    assert_eq!(kept.calls(), CALLS + 1);
}

#[test]
fn a_program_without_a_profile_is_explained() {
    let stage = Stage::new();
    for (end, code, reason) in [
        ("nothing", 1, "`php -v`, a server without a request"),
        ("nothing-code", 5, "xhprof doctor"),
        ("segv", 128 + 11, "died of signal 11"),
        ("killed", 128 + 9, "was killed"),
    ] {
        let output = stage.output(end, &["--", "s.php"]);
        assert_eq!(output.status.code(), Some(code), "{end}");
        assert!(
            stderr(&output).contains(reason),
            "{end}: {}",
            stderr(&output)
        );
        assert_eq!(stderr(&output).lines().count(), 1, "{end}");
    }
}

#[test]
fn what_cannot_be_saved_stays_where_php_wrote_it() {
    let stage = Stage::new();
    let run = |end: &str, arguments: &[&str], expected: &str| {
        let output = stage.run(end, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains(expected), "{said}");
        let (_, kept) = said.split_once("what PHP wrote is kept in ").unwrap();
        let kept = Path::new(kept.trim_end());
        let files: Vec<_> = fs::read_dir(kept).unwrap().collect();
        assert_eq!(files.len(), 1, "{said}");
        fs::remove_dir_all(kept).unwrap();
        stage.assert_clean();
    };
    run(
        "broken",
        &["--", "s.php"],
        "a profile is not saved: cannot read what PHP wrote: not a profile",
    );
    // Sentry takes no calls of more than 30 s.
    let recorded = Profile {
        symbols: vec![Symbol::new(Symbol::MAIN)],
        body: Body::Events(Events {
            events: Vec::new(),
            end: Instant {
                wall: 31_000_000_000,
                ..Instant::default()
            },
        }),
        ..Profile::empty()
    };
    let mut file = Vec::new();
    native::write(&recorded, &mut file).unwrap();
    fs::write(stage.path("prepared.xhp"), file).unwrap();
    // The report is printed all the same.
    for expected in [
        "31.0 s wall",
        "a profile is not saved: cannot write run.sentry.json: Sentry profile: more than 30 s",
    ] {
        run(
            "prepared",
            &["-o", "run.sentry.json", "--", "s.php"],
            expected,
        );
    }
    assert!(!stage.path("run.sentry.json").exists());
}

#[test]
fn the_profile_is_kept_in_the_format_that_its_name_says() {
    let stage = Stage::new();
    let array = "a:2:{s:10:\"main()==>a\";";
    let json = r#"{"main()==>a":{"ct":3,"wt":40},"main()":{"ct":1,"wt":100}}"#;
    let native = "\u{FFFD}XHP\r\n\u{1A}\n";
    for (arguments, name, begins) in [
        (&["-o", "run.xhp"][..], "run.xhp", native),
        (&["-o", "run"], "run", native),
        (&["-o", "run.xhprof"], "run.xhprof", array),
        (&["-o", "run.json"], "run.json", json),
        (&["--to=xhprof-json", "-orun.x"], "run.x", json),
    ] {
        let output = stage.output("code", &[arguments, &["--", "s.php"]].concat());
        assert_reported(&output);
        let path = stage.path(name);
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let content = fs::read(&path).unwrap();
        let content = String::from_utf8_lossy(&content);
        assert!(content.starts_with(begins), "{name}: {content}");
    }
}

#[test]
fn a_name_of_no_format_is_refused_before_the_program_runs() {
    let stage = Stage::new();
    let output = stage.output("code", &["-o", "run.what", "--", "s.php"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("--to FORMAT"),
        "{}",
        stderr(&output)
    );
    assert!(!stage.path("arguments").exists());
}

#[test]
fn a_link_is_refused_before_the_program_runs() {
    let stage = Stage::new();
    symlink(stage.path("target"), stage.path("link")).unwrap();
    let output = stage.output("code", &["-o", "link", "--", "s.php"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("symbolic link"),
        "{}",
        stderr(&output)
    );
    assert!(!stage.path("arguments").exists() && !stage.path("target").exists());
}

#[test]
fn forked_processes_are_kept_beside() {
    let stage = Stage::new();
    let output = stage.output("forked", &["--", "s.php"]);
    assert!(stderr(&output).contains("forked processes wrote 2 more, which it keeps too"));
    let output = stage.output("forked", &["-orun", "--to=xhprof", "--", "s.php"]);
    assert!(stderr(&output).contains("  a\n"), "{}", stderr(&output));
    for (name, function) in [("run", "=>a"), ("run.4711", "=>b"), ("run.4712", "=>c")] {
        let file = fs::read_to_string(stage.path(name)).unwrap();
        assert!(file.contains(function), "{name}: {file}");
    }
    // `php -S` serves all requests in one process.
    let output = stage.output("requests", &["--", "s.php"]);
    assert!(stderr(&output).contains("further requests wrote 1 more, which it keeps too"));
}

#[test]
fn a_php_behind_a_wrapper_is_found() {
    let stage = Stage::new();
    let output = stage.output("wrapped", &["--", "s.php"]);
    assert_eq!(output.status.code(), Some(0));
    assert_reported(&output);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/report.in/tiny.xhprof");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    let mut child = command
        .arg("report")
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Closed before the program can have printed: it waits for its input.
    drop(child.stdout.take());
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &fs::read(golden).unwrap())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}
