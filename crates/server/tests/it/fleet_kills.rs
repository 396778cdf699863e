//! No kill of an agent, a server or a node of ClickHouse loses a run, or stores it twice.
//!
//! Three variables of the environment change the test; `./x fleet-kills RUNS [up|one]` sets them:
//!
//! | variable | meaning | without it |
//! |---|---|---|
//! | `AGENT_RUNS` | how many runs are written | 2,000 |
//! | `AGENT_STORE` | the server's `--store`, a new database of ClickHouse | a folder |
//! | `AGENT_NODES` | the nodes that are killed, as `./x cluster kill` names them | none |

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use store::RunId;

use crate::machine::{Machine, PATIENCE, Random, files};

/// The number of agents, each with a spool and a queue of its own.
const AGENTS: usize = 4;

/// How many files may wait in the spools: PHP's limit is `xhprof.max_dir_size`.
const MAX_WAITING: usize = 2000;

/// How many batches may wait in the queues: kills are to fall into the whole time.
const MAX_BATCHES: usize = 500;

/// How many runs are listed at a time.
const PAGE: usize = 500;

/// The nodes of ClickHouse that are killed, at most one at a time.
struct Nodes {
    names: Vec<String>,
    /// Brings the node back that is away.
    away: Option<JoinHandle<()>>,
    kills: u64,
}

impl Nodes {
    fn new() -> Self {
        let names = env::var("AGENT_NODES").unwrap_or_default();
        Self {
            names: names.split_whitespace().map(str::to_owned).collect(),
            away: None,
            kills: 0,
        }
    }

    /// Kills a node, and starts it again up to four seconds later, while runs arrive.
    /// Does nothing while another one is away.
    fn kill(&mut self, random: &mut Random) {
        if self
            .away
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
        {
            return;
        }
        self.all_back();
        let name = self.names[one_of(self.names.len(), random)].clone();
        let rest = Duration::from_millis(random.below(4000));
        self.kills += 1;
        self.away = Some(std::thread::spawn(move || {
            cluster("kill", &name);
            std::thread::sleep(rest);
            cluster("start", &name);
        }));
    }

    /// Waits until no node is away.
    fn all_back(&mut self) {
        if let Some(thread) = self.away.take() {
            thread.join().unwrap();
        }
    }
}

/// A number below `count`.
fn one_of(count: usize, random: &mut Random) -> usize {
    usize::try_from(random.below(count as u64)).unwrap()
}

/// Runs `./x cluster ACTION NODE`.
fn cluster(action: &str, node: &str) {
    let x = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../x");
    let mut command = Command::new(x);
    command.args(["cluster", action, node]).stdin(Stdio::null());
    let output = command.stdout(Stdio::null()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{action} {node}: {told}");
}

/// Waits until at most so many files are in the spools, and so many batches in the queues.
fn wait(machine: &Machine, most_files: usize, most_batches: usize, end: Instant) {
    let waiting = || (files(&machine.path("spool")), files(&machine.path("queue")));
    loop {
        // A file is in a queue before it leaves its spool.
        let (files, batches) = waiting();
        if files <= most_files && batches <= most_batches {
            return;
        }
        let log = || fs::read_to_string(machine.path("agent.log")).unwrap();
        assert!(
            Instant::now() < end,
            "{files} files and {batches} batches wait: {}",
            log()
        );
        std::thread::sleep(Duration::from_millis(250));
    }
}

/// Asserts that the store has these runs, each once, and no other.
fn assert_stored_once(machine: &Machine, mut ids: BTreeSet<RunId>) {
    let count = ids.len() as u64;
    assert_eq!(machine.runs(), count);
    let dropped = machine.get("/api/v1/dropped");
    assert_eq!(dropped["dropped"], Value::Array(Vec::new()));
    let mut cursor = String::new();
    let mut listed = 0_u64;
    loop {
        let page = machine.get(&format!("/api/v1/runs?limit={PAGE}{cursor}"));
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
}

#[test]
fn no_kill_of_agents_server_or_nodes_loses_a_run_or_stores_it_twice() {
    let count: u64 = env::var("AGENT_RUNS").map_or(2000, |count| count.parse().unwrap());
    let mut machine = Machine::new();
    if let Some(store) = env::var_os("AGENT_STORE") {
        machine.store = store;
        // ClickHouse pays for each batch, not for each run.
        machine.batch_age = "2";
    }
    let mut nodes = Nodes::new();
    let mut random = Random(7);
    let mut ids = BTreeSet::new();
    let mut server = machine.server();
    let places: Vec<String> = (1..=AGENTS).map(|number| number.to_string()).collect();
    let mut agents = Vec::new();
    for place in &places {
        fs::create_dir(machine.path("spool").join(place)).unwrap();
        agents.push(machine.agent(place, &[]));
    }
    let (mut agent_kills, mut server_kills) = (0, 0);
    // Kills are spread over the runs, and fall anywhere.
    let every = (count / 40).clamp(1, 2000);
    let began = Instant::now();
    let end = began + PATIENCE + Duration::from_millis(count * 5);
    let kinds = if nodes.names.is_empty() { 2 } else { 3 };
    for number in 0..count {
        let place = &places[one_of(AGENTS, &mut random)];
        ids.insert(machine.write(place, number));
        if number.is_multiple_of(1000) {
            wait(&machine, MAX_WAITING, MAX_BATCHES, end);
        }
        if number > 0 && number.is_multiple_of(50_000) {
            let time = began.elapsed().as_secs();
            let nodes = nodes.kills;
            eprintln!(
                "{time} s: {number} runs written, {} batches wait; kills: agents {agent_kills}, \
                 server {server_kills}, nodes {nodes}",
                files(&machine.path("queue"))
            );
        }
        if random.below(every) == 0 {
            std::thread::sleep(Duration::from_millis(random.below(150)));
            match random.below(kinds) {
                0 => {
                    let number = one_of(AGENTS, &mut random);
                    agents[number].kill();
                    agents[number] = machine.agent(&places[number], &[]);
                    agent_kills += 1;
                }
                1 => {
                    server.kill();
                    std::thread::sleep(Duration::from_millis(random.below(100)));
                    // A server does not start without its only node.
                    if nodes.names.len() == 1 {
                        nodes.all_back();
                    }
                    server = machine.server();
                    server_kills += 1;
                }
                _ => nodes.kill(&mut random),
            }
        }
    }
    nodes.all_back();
    wait(&machine, 0, 0, end);
    for agent in &mut agents {
        agent.terminate();
    }
    let took = began.elapsed().as_secs();
    let kills = agent_kills + server_kills + nodes.kills;
    assert!(kills >= 10, "{kills} kills");
    assert_eq!(ids.len() as u64, count);
    assert_stored_once(&machine, ids);
    eprintln!(
        "{count} runs in {took} s, {agent_kills} kills of agents, {server_kills} of the server, {} \
         of nodes: each run is stored once",
        nodes.kills
    );
    drop(server);
}
