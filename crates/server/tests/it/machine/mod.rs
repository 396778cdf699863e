//! A machine with an agent and a server, as processes, and the runs that go through them.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use profile::{Body, Cost, NodeId, Profile, Symbol, SymbolId, TreeBuilder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use store::RunId;
use tempfile::TempDir;

use crate::program::program;

/// How long the last runs may take to arrive.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A process that is killed with the test.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }

    pub(crate) fn terminate(&mut self) {
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
pub(crate) struct Machine {
    pub(crate) folder: TempDir,
    pub(crate) address: String,
    /// What the server gets as `--store`: a folder of the machine, unless it is replaced.
    pub(crate) store: OsString,
    /// The agents' `--batch-age`: they send at once, unless it is replaced.
    pub(crate) batch_age: &'static str,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("spool")).unwrap();
        // Free until the server takes it, and again after each kill.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let store = folder.path().join("store").into();
        Self {
            folder,
            address,
            store,
            batch_age: "0",
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
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

    pub(crate) fn server(&self) -> Process {
        let mut command = program();
        command.args(["serve", "--listen", &self.address, "--store"]);
        command.arg(&self.store);
        command.stdout(Stdio::piped()).stderr(self.log("serve.log"));
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let log = fs::read_to_string(self.path("serve.log")).unwrap();
        assert!(line.starts_with("http://"), "{line}{log}");
        Process(child)
    }

    /// An agent of the spool and the queue in the folders `place`; `.` is
    /// those of most tests.
    pub(crate) fn agent(&self, place: &str, arguments: &[&str]) -> Process {
        let mut command = self.agent_command_of(program(), place, arguments);
        Process(command.spawn().unwrap())
    }

    pub(crate) fn agent_command_of(
        &self,
        mut command: Command,
        place: &str,
        arguments: &[&str],
    ) -> Command {
        command.args(["agent", "--to", &format!("http://{}", self.address)]);
        command.args(["--batch-age", self.batch_age, "--nice", "0"]);
        command.args(arguments);
        // Relative paths, as people type them.
        command.current_dir(self.folder.path());
        for folder in ["spool", "queue"] {
            let option = format!("--{folder}");
            command.args([option, format!("{folder}/{place}")]);
        }
        command.stdout(Stdio::null()).stderr(self.log("agent.log"));
        command
    }

    /// Writes a run as the extension does: completely, then under its name.
    pub(crate) fn write(&self, place: &str, number: u64) -> RunId {
        let mut bytes = Vec::new();
        profile::native::write(&run(number), &mut bytes).unwrap();
        let spool = self.path("spool").join(place);
        let new = spool.join(format!(".{number}"));
        fs::write(&new, &bytes).unwrap();
        fs::rename(new, spool.join(format!("{number}.xhp"))).unwrap();
        RunId::of(&bytes)
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            match ureq::get(format!("http://{}{path}", self.address)).call() {
                // A node of the store was away, and has not fetched yet what it missed.
                Err(ureq::Error::StatusCode(503)) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_secs(1));
                }
                answer => {
                    let text = answer.unwrap().body_mut().read_to_string().unwrap();
                    return serde_json::from_str(&text).unwrap();
                }
            }
        }
    }

    pub(crate) fn runs(&self) -> u64 {
        self.get("/api/v1/stats")["runs"].as_u64().unwrap()
    }
}

/// Profiles and batches in a folder and those in it.
pub(crate) fn files(folder: &Path) -> usize {
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

/// A small profile of one of 20 routes. Each hour has 20,000 of them, and one of fifty is
/// late: it belongs to any of the first 48 hours. One of ten is of a slow request.
fn run(number: u64) -> Profile {
    let mut profile = Profile::empty();
    let route = char::from(b'a' + u8::try_from(number % 20).unwrap());
    profile.meta.title = Some(format!("GET /page/{route}"));
    let hour = match number % 50 {
        7 => number / 20 % 48,
        _ => number / 20_000,
    };
    profile.meta.started_unix_us = Some(1_793_491_200_000_000 + hour * 3_600_000_000 + number);
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
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }
}
