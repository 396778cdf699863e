//! `xhprof agent` and `xhprof serve` as processes that are killed.
//!
//! `./x fleet-kills 1000000` takes as many runs as that; by default there are 2,000.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod another_user;
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use profile::{Body, Cost, NodeId, Profile, Symbol, SymbolId, TreeBuilder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use store::RunId;
use tempfile::TempDir;

use another_user::{USER, is_root, program_of_another_user};
use program::program;

/// How long the last runs may take to arrive.
const PATIENCE: Duration = Duration::from_secs(120);

/// How many files may wait in the spool: PHP's limit is `xhprof.max_dir_size`.
const MOST_WAITING: usize = 5000;

/// A process that is killed with the test.
struct Process(Child);

impl Process {
    fn kill(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }

    fn terminate(&mut self) {
        let pid = Pid::from_child(&self.0);
        kill_process(pid, Signal::TERM).unwrap();
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            self.kill();
        }
    }
}

/// A spool, a queue, a store, and an address.
struct Machine {
    folder: TempDir,
    address: String,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("spool")).unwrap();
        // Free until the server takes it, and again after each kill.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        Self { folder, address }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn log(&self, name: &str) -> fs::File {
        let path = self.path(name);
        fs::File::options()
            .create(true)
            .append(true)
            .open(path)
            .unwrap()
    }

    fn server(&self) -> Process {
        let mut command = program();
        command.args(["serve", "--listen", &self.address, "--store"]);
        command.arg(self.path("store"));
        command.stdout(Stdio::piped()).stderr(self.log("serve.log"));
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let log = fs::read_to_string(self.path("serve.log")).unwrap();
        assert!(line.starts_with("http://"), "{line}{log}");
        Process(child)
    }

    fn agent(&self, arguments: &[&str]) -> Process {
        Process(self.agent_command(arguments).spawn().unwrap())
    }

    fn agent_command(&self, arguments: &[&str]) -> Command {
        self.agent_command_of(program(), arguments)
    }

    fn agent_command_of(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.args(["agent", "--to", &format!("http://{}", self.address)]);
        command
            .args(["--batch-age", "0", "--nice", "0"])
            .args(arguments);
        // Relative paths, as people type them.
        command.current_dir(self.folder.path());
        command.args(["--spool", "spool", "--queue", "queue"]);
        command.stdout(Stdio::null()).stderr(self.log("agent.log"));
        command
    }

    /// Writes a run as the extension does: completely, then under its name.
    fn write(&self, number: u64) -> RunId {
        let mut bytes = Vec::new();
        profile::native::write(&run(number), &mut bytes).unwrap();
        let new = self.path("spool").join(format!(".{number}"));
        fs::write(&new, &bytes).unwrap();
        fs::rename(new, self.path("spool").join(format!("{number}.xhp"))).unwrap();
        RunId::of(&bytes)
    }

    fn get(&self, path: &str) -> Value {
        let answer = ureq::get(format!("http://{}{path}", self.address)).call();
        let text = answer.unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn runs(&self) -> u64 {
        self.get("/api/v1/stats")["runs"].as_u64().unwrap()
    }

    /// Waits until at most so many files are in the spool; with 0, until nothing waits
    /// in the queue either.
    fn wait(&self, most: usize, end: Instant) {
        let waiting = || match most {
            0 => self.waiting(),
            _ => files(&self.path("spool")),
        };
        while waiting() > most {
            let log = || fs::read_to_string(self.path("agent.log")).unwrap();
            assert!(Instant::now() < end, "{} wait: {}", waiting(), log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Files in the spool, and batches in the queue.
    fn waiting(&self) -> usize {
        files(&self.path("spool")) + files(&self.path("queue"))
    }
}

/// Profiles and batches in a folder and those in it.
fn files(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let mut count = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count += files(&path);
        } else {
            let ending = path.extension().and_then(|ending| ending.to_str());
            count += usize::from(matches!(ending, Some("xhp" | "batch")));
        }
    }
    count
}

/// A small profile; one of ten is of a slow request.
fn run(number: u64) -> Profile {
    let mut profile = Profile::empty();
    profile.meta.title = Some(format!("GET /page/{}", number % 7));
    profile.meta.started_unix_us = Some(1_793_491_200_000_000 + number * 1000);
    profile.meta.set_tag("app", "shop");
    profile.meta.set_tag("number", number.to_string());
    profile.symbols.push(Symbol::new(&b"work"[..]));
    let mut tree = TreeBuilder::new();
    let cost = |wall| Cost {
        calls: 1,
        wall,
        ..Cost::default()
    };
    let slow = if number.is_multiple_of(10) {
        2_000_000_000
    } else {
        0
    };
    *tree.cost(NodeId::ROOT) += cost(1000 + slow);
    let work = tree.child(NodeId::ROOT, SymbolId(1));
    *tree.cost(work) += cost(number + 1);
    profile.body = Body::Tree(tree.finish_self_costs());
    profile
}

/// Numbers without a pattern, the same in each run of the test.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

#[test]
fn no_kill_of_agent_or_server_loses_a_run_or_stores_it_twice() {
    let count: u64 = std::env::var("AGENT_RUNS").map_or(2000, |count| count.parse().unwrap());
    let machine = Machine::new();
    let mut random = Random(7);
    let mut ids = BTreeSet::new();
    let (mut server, mut agent) = (machine.server(), machine.agent(&[]));
    let mut kills = (0, 0);
    // Kills are spread over the runs, and fall anywhere.
    let every = (count / 40).clamp(1, 2000);
    let began = Instant::now();
    let end = began + PATIENCE + Duration::from_millis(count * 5);
    for number in 0..count {
        ids.insert(machine.write(number));
        if number.is_multiple_of(1000) {
            machine.wait(MOST_WAITING, end);
        }
        if number > 0 && number.is_multiple_of(50_000) {
            let (stored, time) = (machine.runs(), began.elapsed().as_secs());
            eprintln!("{time} s: {number} runs written, {stored} stored, {kills:?} kills");
        }
        if random.below(every) == 0 {
            std::thread::sleep(Duration::from_millis(random.below(150)));
            if random.below(2) == 0 {
                agent.kill();
                agent = machine.agent(&[]);
                kills.0 += 1;
            } else {
                server.kill();
                std::thread::sleep(Duration::from_millis(random.below(100)));
                server = machine.server();
                kills.1 += 1;
            }
        }
    }
    machine.wait(0, end);
    agent.terminate();
    let took = began.elapsed();
    assert!(kills.0 + kills.1 >= 10, "{kills:?}");
    assert_eq!(ids.len() as u64, count);
    assert_eq!(machine.runs(), count);
    let dropped = machine.get("/api/v1/dropped");
    assert_eq!(dropped["dropped"], Value::Array(Vec::new()));
    // Every one, and no other.
    let mut cursor = String::new();
    let mut listed = 0_u64;
    loop {
        let page = machine.get(&format!("/api/v1/runs?limit=500{cursor}"));
        for run in page["runs"].as_array().unwrap() {
            let id: RunId = run["id"].as_str().unwrap().parse().unwrap();
            assert!(
                ids.remove(&id),
                "run {id} is there twice, or was never written"
            );
            listed += 1;
        }
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!((listed, ids.len()), (count, 0));
    eprintln!(
        "{count} runs in {} s, {} kills of the agent and {} of the server: each run is stored once",
        took.as_secs(),
        kills.0,
        kills.1
    );
    drop(server);
}

#[test]
fn runs_that_a_full_queue_dropped_are_counted_at_the_server_across_kills() {
    const RUNS: u64 = 600;
    let machine = Machine::new();
    let mut random = Random(11);
    // Room for ten batches.
    let small = ["--queue-size", "40K"];
    let mut agent = machine.agent(&small);
    for number in 0..RUNS {
        machine.write(number);
        if random.below(40) == 0 {
            std::thread::sleep(Duration::from_millis(random.below(300)));
            agent.kill();
            agent = machine.agent(&small);
        }
    }
    let end = Instant::now() + PATIENCE;
    while files(&machine.path("spool")) > 0 {
        assert!(Instant::now() < end, "the spool stays");
        std::thread::sleep(Duration::from_millis(50));
    }
    let server = machine.server();
    agent.kill();
    let mut agent = machine.agent(&small);
    let dropped = || {
        let rows = machine.get("/api/v1/dropped");
        let rows = rows["dropped"].as_array().unwrap().iter();
        rows.map(|row| {
            assert_eq!(
                (&row["app"], &row["reason"]),
                (&"shop".into(), &"queue_full".into())
            );
            row["runs"].as_u64().unwrap()
        })
        .sum::<u64>()
    };
    while machine.waiting() > 0 || machine.runs() + dropped() != RUNS {
        let (runs, dropped) = (machine.runs(), dropped());
        assert!(Instant::now() < end, "{runs} and {dropped}");
        std::thread::sleep(Duration::from_millis(100));
    }
    agent.terminate();
    assert!(dropped() > 0);
    // Slow runs are the last that are dropped, so more of them than of others
    // came, in proportion.
    let slow = machine.get("/api/v1/runs?limit=500&q=wall:%3E1s");
    let slow = slow["runs"].as_array().unwrap().len() as u64;
    assert!(
        slow * RUNS > machine.runs() * (RUNS / 10),
        "{slow} of {}",
        machine.runs()
    );
    drop(server);
}

#[test]
fn an_agent_tells_systemd_what_it_does_and_prometheus_how_much() {
    let machine = Machine::new();
    let socket = UnixDatagram::bind(machine.path("notify")).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let told = || {
        let mut message = [0; 100];
        let length = socket.recv(&mut message).unwrap();
        String::from_utf8(message[..length].to_vec()).unwrap()
    };
    let mut command = machine.agent_command(&["--metrics", "127.0.0.1:0"]);
    command.env("NOTIFY_SOCKET", machine.path("notify"));
    command
        .env("WATCHDOG_USEC", "300000")
        .env_remove("WATCHDOG_PID");
    let mut agent = Process(command.spawn().unwrap());
    assert_eq!(told().trim(), "READY=1");
    assert_eq!(told().trim(), "WATCHDOG=1");
    assert_eq!(told().trim(), "WATCHDOG=1");
    machine.write(1);
    let log = fs::read_to_string(machine.path("agent.log")).unwrap();
    let address = log.split("address=").nth(1).unwrap();
    let address = address.split_whitespace().next().unwrap();
    let metrics = || {
        let answer = ureq::get(format!("http://{address}/metrics")).call();
        answer.unwrap().body_mut().read_to_string().unwrap()
    };
    let end = Instant::now() + PATIENCE;
    let queued = format!(
        "xhprof_agent_queued_runs{{target=\"http://{}\"}} 1",
        machine.address
    );
    while !metrics().contains(&queued) {
        assert!(Instant::now() < end, "{}", metrics());
        std::thread::sleep(Duration::from_millis(50));
    }
    let other = ureq::get(format!("http://{address}/")).call();
    assert!(matches!(other, Err(ureq::Error::StatusCode(404))));
    // No server is there: the run stays in the queue.
    agent.terminate();
    let last = std::iter::repeat_with(told).find(|message| !message.starts_with("WATCHDOG"));
    assert_eq!(last.unwrap().trim(), "STOPPING=1");
    assert_eq!(machine.waiting(), 1);
}

#[test]
fn files_that_cannot_be_removed_are_sent_once() {
    let machine = Machine::new();
    for number in 0..3 {
        machine.write(number);
    }
    let server = machine.server();
    let mut command = machine.agent_command(&["--metrics", "127.0.0.1:0"]);
    // Root may remove everything, so the agent is another user then.
    if is_root() {
        let program = program_of_another_user(machine.folder.path());
        command = machine.agent_command_of(program, &["--metrics", "127.0.0.1:0"]);
        fs::create_dir(machine.path("queue")).unwrap();
        set_mode(&machine.path("queue"), 0o700);
        chown(machine.path("queue"), Some(USER), Some(USER)).unwrap();
        set_mode(machine.folder.path(), 0o755);
    }
    set_mode(&machine.path("spool"), 0o555);
    let mut agent = Process(command.spawn().unwrap());
    let log = || fs::read_to_string(machine.path("agent.log")).unwrap();
    let end = Instant::now() + PATIENCE;
    while machine.runs() < 3 || log().matches("cannot be removed").count() < 3 {
        assert!(Instant::now() < end, "{}", log());
        std::thread::sleep(Duration::from_millis(50));
    }
    // Another look finds them, and does not take them again.
    let late = machine.path("spool").join("late.xhp");
    set_mode(&machine.path("spool"), 0o755);
    fs::write(&late, "no profile").unwrap();
    set_mode(&machine.path("spool"), 0o555);
    while !log().contains("a run was refused") {
        assert!(Instant::now() < end, "{}", log());
        std::thread::sleep(Duration::from_millis(50));
    }
    agent.terminate();
    set_mode(&machine.path("spool"), 0o755);
    let answer = ureq::get(format!("http://{}/metrics", machine.address)).call();
    let metrics = answer.unwrap().body_mut().read_to_string().unwrap();
    assert!(metrics.contains("xhprof_runs_known_total 0"), "{metrics}");
    assert_eq!(machine.runs(), 3);
    drop(server);
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn an_agent_names_what_is_wrong() {
    let machine = Machine::new();
    let refused = |arguments: &[&str]| {
        let mut command = program();
        let output = command.arg("agent").args(arguments).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let spool = machine.path("spool");
    let spool = spool.to_str().unwrap();
    let queue = machine.path("queue");
    let queue = queue.to_str().unwrap();
    let missing = refused(&["--spool", "/missing", "--to", "http://a", "--queue", queue]);
    assert!(missing.contains("cannot watch /missing"), "{missing}");
    let address = refused(&["--spool", spool, "--to", "profiles", "--queue", queue]);
    assert!(address.contains("profiles: not an address"), "{address}");
    let same = refused(&["--spool", spool, "--to", "http://a", "--queue", spool]);
    assert!(same.contains("use two folders"), "{same}");
    let to = [
        "--spool", spool, "--queue", queue, "--to", "http://a", "--to", "http://b",
    ];
    let tokens = [
        "--token-file",
        "1",
        "--token-file",
        "2",
        "--token-file",
        "3",
    ];
    let tokens = refused(&[&to[..], &tokens].concat());
    assert!(tokens.contains("--token-file is given 3 times"), "{tokens}");
    let open = [
        "--spool",
        spool,
        "--queue",
        queue,
        "--to",
        "http://a",
        "--metrics",
        "0.0.0.0:0",
    ];
    let open = refused(&open);
    assert!(open.contains("loopback"), "{open}");
}
