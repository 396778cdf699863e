//! `xhprof html` and `xhprof view`: what is in the page, and who gets it.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use profile::{Body, Event, EventKind, Events, Instant, Profile, Symbol, SymbolId, native};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

const STACKS: &str = "main();f 3000000\nmain();g 2000000\n";

fn stage() -> TempDir {
    let stage = tempfile::tempdir().unwrap();
    for name in ["a.txt", "b.txt", "c.txt"] {
        fs::write(stage.path().join(name), STACKS).unwrap();
    }
    stage
}

fn run(stage: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    command
        .current_dir(stage.path())
        .args(arguments)
        .output()
        .unwrap()
}

fn page(stage: &TempDir, arguments: &[&str]) -> String {
    let output = run(stage, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The files that a page opens: name, and whether it is a base.
fn embedded(page: &str) -> Vec<(&str, bool)> {
    let parts = page.split("data-part=\"profile\"").skip(1);
    let attributes = parts.map(|part| part.split('>').next().unwrap());
    attributes
        .map(|attributes| {
            let name = attributes.split("data-name=\"").nth(1).unwrap();
            (
                name.split('"').next().unwrap(),
                attributes.contains("data-base"),
            )
        })
        .collect()
}

#[test]
fn a_page_has_all_profiles_of_both_sides_in_it() {
    let stage = stage();
    let one = page(&stage, &["html", "a.txt", "-o", "-"]);
    assert_eq!(embedded(&one), [("a.txt", false)]);
    assert!(one.contains("<th scope=\"row\"><bdi>f</bdi></th>"), "{one}");
    assert!(one.len() < STACKS.len() + 1_150_000, "{}", one.len());

    fs::create_dir(stage.path().join("old")).unwrap();
    fs::write(stage.path().join("old/d.txt"), STACKS).unwrap();
    let several = page(
        &stage,
        &[
            "html", "a.txt", "b.txt", "--base", "c.txt", "--base", "old", "-o", "-",
        ],
    );
    assert_eq!(
        embedded(&several),
        [
            ("c.txt", true),
            ("d.txt", true),
            ("a.txt", false),
            ("b.txt", false)
        ]
    );
    assert!(several.contains("<title>a.txt, b.txt, compared with c.txt, d.txt</title>"));
}

#[test]
fn what_a_page_begins_with_is_said_by_options() {
    let stage = stage();
    let arguments = [
        "html",
        "a.txt",
        "--metric",
        "calls",
        "--estimate",
        "--title",
        "<\"x\">",
        "-o",
        "-",
    ];
    let page = page(&stage, &arguments);
    assert!(page.contains(
        "<div id=\"app\" data-metric=\"calls\" data-title=\"&lt;&quot;x&quot;&gt;\" data-estimate>"
    ));
}

/// The program folds so many events into a call tree; the engine in the page has their order.
#[test]
fn a_page_says_of_many_events_only_what_its_engine_says() {
    const PAIRS: u32 = 600_000;
    let stage = stage();
    let at = Instant::default();
    let kinds = (0..PAIRS).flat_map(|_| [EventKind::Enter(SymbolId(1)), EventKind::Leave]);
    let events = Events {
        events: kinds.map(|kind| Event { at, kind }).collect(),
        end: at,
    };
    let mut profile = Profile::empty();
    profile.symbols.push(Symbol::new(*b"f"));
    profile.body = Body::Events(events);
    let mut file = fs::File::create(stage.path().join("many.xhp")).unwrap();
    native::write(&profile, &mut file).unwrap();
    let has_answers =
        |file| page(&stage, &["html", file, "-o", "-"]).contains("data-part=\"answers\"");
    assert!(has_answers("a.txt"));
    assert!(!has_answers("many.xhp"));
}

#[test]
fn a_page_lets_only_its_own_script_run() {
    let stage = stage();
    let page = page(&stage, &["html", "a.txt", "-o", "-"]);
    let (_, policy) = page
        .split_once("Content-Security-Policy\" content=\"")
        .unwrap();
    let (policy, _) = policy.split_once('"').unwrap();
    for part in [
        "default-src 'none'",
        "connect-src 'none'",
        "script-src 'sha256-",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(
        !page.contains(" src=") && !page.contains("<link"),
        "it loads nothing"
    );
}

#[test]
fn what_is_no_profile_makes_no_page() {
    let stage = stage();
    fs::write(stage.path().join("broken.txt"), b"\0\x01\x02").unwrap();
    for arguments in [
        &["html", "broken.txt", "-o", "out.html"][..],
        &["view", "broken.txt"],
    ] {
        let output = run(&stage, arguments);
        assert_eq!(output.status.code(), Some(1));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.starts_with("xhprof: error: cannot read broken.txt: "),
            "{errors}"
        );
    }
    assert!(!stage.path().join("out.html").exists());
}

/// A viewer, the first line that it prints, and its output, which has to stay
/// open: the viewer writes on.
fn viewer(stage: &TempDir) -> (Child, String, BufReader<ChildStdout>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xhprof"));
    command
        .args(["view", "--no-browser", "a.txt"])
        .current_dir(stage.path());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    (child, line.trim_end().to_owned(), output)
}

/// The answer to a request, head and body.
fn get(address: &str, method: &str, path: &str, host: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn only_who_knows_the_secret_gets_the_page() {
    let stage = stage();
    let (mut child, url, _output) = viewer(&stage);
    let (address, path) = url
        .strip_prefix("http://")
        .unwrap()
        .split_once('/')
        .unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{url}");
    assert_eq!(path.len(), 33, "128 bits and a slash: {url}");
    let path = format!("/{path}");
    let own = format!("localhost:{}", address.split_once(':').unwrap().1);

    for host in [address, &own] {
        let page = get(address, "GET", &path, host);
        assert!(page.starts_with("HTTP/1.1 200"), "{page}");
        assert!(page.contains("frame-ancestors 'none'") && page.contains("</html>"));
    }
    for (method, path, host, status) in [
        ("GET", "/", address, "404"),
        ("GET", "/0123456789abcdef0123456789abcdef/", address, "404"),
        // A name of another site that leads here.
        ("GET", &*path, "example.com", "404"),
        ("POST", &*path, address, "405"),
    ] {
        let answer = get(address, method, path, host);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{answer}"
        );
        assert!(!answer.contains("<html"), "{answer}");
    }

    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Callgrind's format has files and lines.
const FILES: &str = "version: 1\npositions: line\nevents: Time_(ns)\n\
fl=/srv/app/src/a.php\nfn=A::run\n7 1000\n\nfl=/srv/app/b.php\nfn=B::all\n9 4000\n";

#[test]
fn sources_are_in_a_page_if_they_are_asked_for() {
    let stage = stage();
    fs::write(stage.path().join("cachegrind.out.1"), FILES).unwrap();
    fs::create_dir(stage.path().join("src")).unwrap();
    fs::write(stage.path().join("src/a.php"), "<?php // </script>").unwrap();
    fs::write(stage.path().join("src/c.php"), "<?php").unwrap();
    let without = page(&stage, &["html", "cachegrind.out.1", "-o", "-"]);
    assert!(!without.contains("data-part=\"sources\""));

    let output = run(
        &stage,
        &["html", "cachegrind.out.1", "--source", ".", "-o", "-"],
    );
    assert!(output.status.success(), "{output:?}");
    let html = String::from_utf8(output.stdout).unwrap();
    assert!(html.contains("data-part=\"sources\""));
    assert!(!html.contains("<?php"));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("sources: 1 of 2 files"), "{told}");
    assert!(told.contains("1 not below ."), "{told}");

    let none = run(&stage, &["html", "a.txt", "--source", "src", "-o", "-"]);
    assert!(!none.status.success());
    let told = String::from_utf8(none.stderr).unwrap();
    assert!(told.contains("does not say in which files"), "{told}");
    fs::create_dir(stage.path().join("empty")).unwrap();
    let none = run(
        &stage,
        &["html", "cachegrind.out.1", "--source", "empty", "-o", "-"],
    );
    assert!(!none.status.success());
    let told = String::from_utf8(none.stderr).unwrap();
    assert!(told.contains("/srv/app/b.php"), "{told}");
}
