//! `xhprof simulate`: the same runs into a folder, a store and a server.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::program::program;

const OPTIONS: [&str; 8] = [
    "simulate",
    "--runs",
    "120",
    "--paths",
    "20..200",
    "--end",
    "2026-11-22",
    "--threads=3",
];

/// Runs the command; returns its exit code, its output and its errors.
fn simulate(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = program().args(OPTIONS).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn simulated(arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.push("--format=json");
    let (code, out, error) = simulate(&all);
    assert_eq!(code, Some(0), "{error}");
    serde_json::from_str(&out).unwrap()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read(path).unwrap())
    });
    entries.collect()
}

/// A server that is killed with the test.
struct Server(Child, String);

impl Server {
    fn start(store: &Path) -> Self {
        let mut command = program();
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--store"])
            .arg(store)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        Self(child, line.trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_same_options_give_the_same_files_and_another_seed_gives_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, seed) in [("one", "1"), ("two", "1"), ("other", "2")] {
        let spool = path(name);
        let result = simulated(&["--spool", spool.to_str().unwrap(), "--seed", seed]);
        assert_eq!(result["runs"], 120);
    }
    let (one, other) = (files(&path("one")), files(&path("other")));
    assert_eq!(one.len(), 120);
    assert!(one == files(&path("two")), "the same options");
    assert!(one.keys().all(|name| name.ends_with(".xhp")));
    assert!(one.iter().all(|(name, bytes)| other[name] != *bytes));
}

#[test]
fn a_store_and_a_server_have_each_run_once_however_often_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let into = ["--store", store.to_str().unwrap()];
    let first = simulated(&into);
    assert_eq!(
        (&first["runs"], &first["already_there"]),
        (&120.into(), &0.into())
    );
    assert!(first["paths"].as_u64().unwrap() > 120 * 15);
    assert_eq!(simulated(&into)["already_there"], 120);
    let server = Server::start(&store);
    let again = simulated(&["--to", &server.1]);
    assert_eq!(
        (&again["runs"], &again["already_there"]),
        (&120.into(), &120.into())
    );
    let more = simulated(&["--to", &server.1, "--seed=3", "--per-second=400"]);
    assert_eq!(
        (&more["runs"], &more["already_there"]),
        (&120.into(), &0.into())
    );
    // 120 runs at 400 a second.
    assert!(more["seconds"].as_f64().unwrap() > 0.25);
}

#[test]
fn what_cannot_be_simulated_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let spool = folder.path().join("spool");
    let spool = spool.to_str().unwrap();
    for (arguments, code, expected) in [
        (&[][..], 2, "--to <URL>|--spool <DIR>|--store <DIR>"),
        (
            &["--spool", spool, "--store", spool],
            2,
            "cannot be used with",
        ),
        (
            &["--spool", spool, "--token-file", "x"],
            2,
            "cannot be used with",
        ),
        (
            &["--spool", spool, "--apps", "501"],
            1,
            "the number of applications must be from 1 to that of routes",
        ),
        (
            &["--to", "localhost:8470"],
            1,
            "--to localhost:8470: not an address; use one such as http://127.0.0.1:8470",
        ),
        (
            &["--spool", "/dev/null"],
            1,
            "cannot create the folder /dev/null",
        ),
        (
            &["--spool", spool, "--zipf", "a lot"],
            2,
            "invalid value 'a lot' for '--zipf <NUMBER>'",
        ),
    ] {
        let (status, out, error) = simulate(arguments);
        assert_eq!(
            (status, out.as_str()),
            (Some(code), ""),
            "{arguments:?}: {error}"
        );
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[test]
fn a_server_that_refuses_ends_the_simulation() {
    let server = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.server_addr());
    std::thread::spawn(move || {
        for request in server.incoming_requests() {
            let answer = tiny_http::Response::from_string("no such token").with_status_code(403);
            let _ = request.respond(answer);
        }
    });
    let (code, _, error) = simulate(&["--to", &address]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("after 0 runs were taken"), "{error}");
    assert!(error.contains("403 Forbidden: no such token"), "{error}");
}
