//! `xhprof serve` and `xhprof push` as processes.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::program;

/// A running server; it is ended with the test, and removes what is temporary.
struct Server {
    child: Child,
    address: String,
    folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // None if the test has ended it.
        if let Ok(None) = self.child.try_wait() {
            let pid = Pid::from_child(&self.child);
            kill_process(pid, Signal::TERM).unwrap();
            self.child.wait().unwrap();
        }
    }
}

fn started(command: Command, folder: TempDir) -> Server {
    let log = fs::File::create(folder.path().join("log")).unwrap();
    started_with_log(command, log, folder)
}

fn started_with_log(mut command: Command, log: fs::File, folder: TempDir) -> Server {
    command.stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let log = fs::read_to_string(folder.path().join("log"));
    assert!(line.starts_with("http://127.0.0.1:"), "{line}{log:?}");
    let address = line.trim().trim_end_matches('/').to_owned();
    Server {
        child,
        address,
        folder,
    }
}

fn server() -> Server {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let mut command = program();
    command.args(["serve", "--listen", "127.0.0.1:0", "--store"]);
    command.arg(store);
    started(command, folder)
}

impl Server {
    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    fn push(&self, arguments: &[&str]) -> Output {
        let mut command = program();
        command.current_dir(self.folder.path()).arg("push");
        let command = command.args(arguments).args(["--to", &self.address]);
        command.output().unwrap()
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.folder.path().join(name), content).unwrap();
    }

    fn runs(&self) -> u64 {
        let stats = ureq::get(format!("{}/api/v1/stats", self.address)).call();
        let text = stats.unwrap().body_mut().read_to_string().unwrap();
        let stats: Value = serde_json::from_str(&text).unwrap();
        stats["runs"].as_u64().unwrap()
    }

    /// The processes that read uploads.
    fn readers(&self) -> Vec<i32> {
        let task = format!("/proc/{0}/task", self.child.id());
        let threads = fs::read_dir(task).unwrap();
        let children = threads.map(|thread| {
            let children = thread.unwrap().path().join("children");
            fs::read_to_string(children).unwrap_or_default()
        });
        let children: String = children.collect();
        let pids = children.split_whitespace();
        pids.map(|pid| pid.parse().unwrap()).collect()
    }
}

fn classic(wall: u32) -> String {
    format!(r#"a:1:{{s:6:"main()";a:2:{{s:2:"ct";i:1;s:2:"wt";i:{wall};}}}}"#)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn push_says_where_each_file_is_and_that_one_was_there() {
    let server = server();
    server.write("a.xhprof", &classic(7));
    let first = server.push(&["a.xhprof"]);
    let line = text(&first.stdout);
    let address = line.trim().strip_prefix("a.xhprof: stored, ").unwrap();
    assert!(first.status.success() && first.stderr.is_empty());
    assert_eq!(ureq::get(address).call().unwrap().status(), 200);
    let again = server.push(&["a.xhprof"]);
    assert_eq!(
        text(&again.stdout),
        format!("a.xhprof: already there, {address}\n")
    );
    let quiet = server.push(&["a.xhprof", "--quiet"]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let json = server.push(&["a.xhprof", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["files"][0]["outcome"], "already there");
    assert_eq!(json["files"][0]["address"], address);
}

#[test]
fn push_sends_the_other_files_if_one_is_bad() {
    let server = server();
    server.write("a.xhprof", &classic(1));
    server.write("b.xhprof", "no profile");
    server.write("c.xhprof", &classic(2));
    let pushed = server.push(&["a.xhprof", "b.xhprof", "missing", "c.xhprof"]);
    assert_eq!(pushed.status.code(), Some(1));
    assert_eq!(text(&pushed.stdout).lines().count(), 2);
    let errors: Vec<&str> = text(&pushed.stderr).lines().collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("xhprof: error: b.xhprof: the server answered 422"));
    assert!(errors[1].starts_with("xhprof: error: missing: "));
    assert_eq!(server.runs(), 2);
    // In a directory it is left out, and no error.
    let folder = server.folder.path().join("runs");
    fs::create_dir(&folder).unwrap();
    for number in 0..25 {
        fs::write(folder.join(number.to_string()), classic(number)).unwrap();
    }
    fs::write(folder.join("readme"), "no profile").unwrap();
    let pushed = server.push(&["runs"]);
    assert_eq!(pushed.status.code(), Some(0), "{pushed:?}");
    let summary = format!("23 runs stored, 2 already there: {}/\n", server.address);
    assert_eq!(text(&pushed.stdout), summary);
    assert!(text(&pushed.stderr).starts_with("xhprof: left out runs/readme: "));
}

#[test]
fn push_ends_at_once_if_no_file_can_be_sent() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), classic(1)).unwrap();
    let push = |to: &str| {
        let mut command = program();
        command.current_dir(folder.path());
        command.args(["push", "a", "a", "a", "--to", to]);
        command.output().unwrap()
    };
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let away = push(&address);
    assert_eq!(away.status.code(), Some(1));
    let errors = text(&away.stderr);
    assert!(errors.contains("cannot reach") && errors.contains("2 more files not tried"));
    let wrong = push("localhost:1");
    assert!(text(&wrong.stderr).contains("not an address"), "{wrong:?}");
}

#[test]
fn a_reader_that_dies_ends_neither_the_server_nor_later_uploads() {
    let server = server();
    server.write("a.xhprof", &classic(1));
    server.write("b.xhprof", &classic(2));
    assert!(server.push(&["a.xhprof"]).status.success());
    let readers = server.readers();
    assert!(!readers.is_empty(), "{}", server.log());
    for reader in readers {
        kill_process(Pid::from_raw(reader).unwrap(), Signal::ABORT).unwrap();
    }
    let end = Instant::now() + Duration::from_secs(10);
    while !server.push(&["b.xhprof"]).status.success() {
        assert!(Instant::now() < end, "{}", server.log());
    }
    assert_eq!(server.runs(), 2);
}

#[test]
fn the_readers_end_with_the_server() {
    let mut server = server();
    server.write("a.xhprof", &classic(1));
    assert!(server.push(&["a.xhprof"]).status.success());
    let readers = server.readers();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let end = Instant::now() + Duration::from_secs(10);
    for reader in readers {
        let stat = format!("/proc/{reader}/stat");
        let is_there = || fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        while is_there() {
            assert!(Instant::now() < end, "the reader {reader} is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_second_server_on_the_store_says_so() {
    let server = server();
    let mut second = program();
    second.args(["serve", "--listen", "127.0.0.1:0", "--store"]);
    let second = second.arg(server.folder.path().join("store")).output();
    let second = second.unwrap();
    assert_eq!(second.status.code(), Some(1));
    let error = text(&second.stderr);
    assert!(error.contains("another process has the store"), "{error}");
    assert_eq!(server.runs(), 0);
}

#[test]
fn the_demo_needs_no_store_and_takes_none() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("mine");
    let mut command = program();
    command.env("XHPROF_STORE", &mine);
    command.args(["serve", "--demo", "--listen", "127.0.0.1:0"]);
    let server = started(command, folder);
    assert!(ureq::get(&server.address).call().unwrap().status() == 200);
    assert!(!mine.exists());
    let mut both = program();
    both.args(["serve", "--demo", "--store", "x"]);
    assert_eq!(both.output().unwrap().status.code(), Some(2));
}

#[test]
fn the_environment_names_the_store() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("1.x.xhprof"), classic(1)).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = program();
        command
            .current_dir(folder.path())
            .env("XHPROF_STORE", "mine");
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    run(&["import", "1.x.xhprof"]);
    let stats: Value = serde_json::from_slice(&run(&["store", "stats"])).unwrap();
    assert_eq!(stats["runs"], 1);
    assert!(Path::new(&folder.path().join("mine/store.sqlite")).is_file());
}

#[test]
fn an_address_of_clickhouse_that_cannot_be_used_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "hidden\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o644)).unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let node = free.local_addr().unwrap();
    drop(free);
    let error = |arguments: &[&str], store: &str| {
        let output = program().args(arguments).args(["--store", store]).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1), "{store}");
        text(&output.stderr).to_owned()
    };
    for (store, part) in [
        (format!("clickhouse://{node}/x"), "connection refused"),
        (format!("clickhouse://{node}"), "the database is missing"),
        (format!("clickhouse://me:hidden@{node}/x"), "password_file"),
        (
            format!("clickhouse://{node}/x?password_file={}", secret.display()),
            "others may read it",
        ),
    ] {
        let error = error(&["serve", "--listen", "127.0.0.1:0"], &store);
        assert!(error.contains(part) && !error.contains("hidden"), "{error}");
    }
    let error = error(&["store", "compact"], &format!("clickhouse://{node}/x"));
    assert!(error.contains("docs/store-clickhouse.md"), "{error}");
}

#[test]
fn policies_are_set_printed_and_applied_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..5 {
        let name = format!("{number}.x.xhprof");
        fs::write(folder.path().join(name), classic(number)).unwrap();
    }
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.current_dir(folder.path()).args(arguments);
        command.args(["--store", "store"]).output().unwrap()
    };
    let output = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for number in 0..5 {
        output(&["import", &format!("{number}.x.xhprof"), "--app", "shop"]);
    }
    let set = [
        "--app",
        "shop",
        "--runs",
        "2",
        "--notable",
        "0",
        "--bytes",
        "1G",
    ];
    let set = output(&[&["store", "policy"], &set[..]].concat());
    let policy: Value = serde_json::from_str(&set).unwrap();
    assert_eq!(policy["runs"], 2);
    assert_eq!(policy["bytes"], 1 << 30);
    assert_eq!(policy["days"], 30);
    let changed = output(&["store", "policy", "--app", "shop", "--days", "none"]);
    let policy: Value = serde_json::from_str(&changed).unwrap();
    assert_eq!(
        (&policy["runs"], &policy["days"]),
        (&2.into(), &Value::Null)
    );
    assert!(output(&["store", "retain", "--dry-run"]).starts_with("shop: 3 runs would go, "));
    assert!(output(&["store", "retain"]).starts_with("shop: 3 runs removed, "));
    let stats: Value = serde_json::from_str(&output(&["store", "stats"])).unwrap();
    assert_eq!(stats["runs"], 2);
    let all: Value =
        serde_json::from_str(&output(&["store", "policy", "--app", "shop", "--reset"])).unwrap();
    assert_eq!(all["runs"], Value::Null);
    assert_eq!(
        run(&["store", "policy", "--days", "0"]).status.code(),
        Some(2)
    );
    assert_eq!(
        run(&["store", "retain", "--app", "no"]).status.code(),
        Some(1)
    );
}

#[test]
fn a_log_on_a_full_disk_stops_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command.args(["serve", "--listen", "127.0.0.1:0", "--store"]);
    command.arg(folder.path().join("store"));
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let server = started_with_log(command, full, folder);
    let agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .new_agent();
    // A refused upload is a line in the log.
    let url = format!("{}/api/v1/runs", server.address);
    for _ in 0..3 {
        let answer = agent.post(&url).send("no profile");
        assert_eq!(answer.unwrap().status(), 422);
    }
}

#[test]
fn a_webhook_gets_the_regressions_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let shop = simulate::Shop::new(simulate::Options {
        runs: 12_000,
        days: 21,
        end_unix_us: u64::try_from(now.unwrap().as_micros()).unwrap(),
        ..simulate::Options::default()
    });
    let store = store::SqliteStore::open(&path).unwrap();
    let is_one = |run: &profile::Profile| run.meta.tag("route") == Some("/product/{id}");
    for profile in shop.runs().filter(is_one) {
        let received = profile.meta.started_unix_us.unwrap();
        let run = store::NewRun { profile, received };
        store::Runs::put(&store, run).unwrap();
    }
    drop(store);
    let receiver = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let headers = folder.path().join("headers");
    fs::write(&headers, "X-Secret: s3cret\n").unwrap();
    let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(&headers, owner_only).unwrap();
    let mut command = program();
    command.args(["serve", "--listen", "127.0.0.1:0", "--store"]);
    command.arg(path).arg("--webhook-headers").arg(headers);
    // An address with a secret is no argument, which lists of processes show.
    let url = format!("http://{}/hook", receiver.server_addr());
    command.env("XHPROF_WEBHOOK", url);
    let server = started(command, folder);
    let mut request = receiver.recv().unwrap();
    let is_secret =
        |header: &tiny_http::Header| header.field.equiv("X-Secret") && header.value == "s3cret";
    assert!(request.headers().iter().any(is_secret), "{request:?}");
    let body: Value = serde_json::from_reader(request.as_reader()).unwrap();
    request.respond(tiny_http::Response::empty(204)).unwrap();
    assert_eq!(
        (&body["event"], &body["version"]),
        (&"regression".into(), &1.into())
    );
    let text = body["text"].as_str().unwrap();
    let function = body["finding"]["function"].as_str().unwrap();
    let last = function.rsplit('\\').next().unwrap();
    assert!(text.starts_with("### ") && text.contains(last), "{text}");
    assert!(text.contains("Runs to open: "), "{text}");
    assert_eq!(body["id"].as_str().unwrap().len(), 32);
    drop(server);
}
