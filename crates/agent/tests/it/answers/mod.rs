//! What the agent makes of the answers of a server, and of none.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod forward;
mod server;

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use agent::{Agent, Options, Target};
use server::{Action, Server, accepted, half_open, nothing};
use tempfile::TempDir;

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long an agent waits for a server that never answers.
const SHORT: Duration = Duration::from_secs(1);

fn tls(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tls")
        .join(name)
}

/// A spool and a queue.
struct Machine {
    folder: TempDir,
}

impl Machine {
    /// With as many files in the spool, whose contents are `run 0` and so on.
    fn new(files: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("spool")).unwrap();
        let machine = Self { folder };
        for number in 0..files {
            machine.write(&format!("run {number}"));
        }
        machine
    }

    fn spool(&self) -> PathBuf {
        self.folder.path().join("spool")
    }

    fn write(&self, content: &str) {
        let path = self.spool().join(content.replace(' ', "-") + ".xhp");
        fs::write(path, content).unwrap();
    }

    fn files(&self) -> usize {
        fs::read_dir(self.spool()).unwrap().count()
    }

    /// Batches in all queues.
    fn queued(&self) -> usize {
        let mut count = 0;
        let Ok(folders) = fs::read_dir(self.folder.path().join("queue")) else {
            return 0;
        };
        for folder in folders {
            let Ok(files) = fs::read_dir(folder.unwrap().path()) else {
                continue;
            };
            let names = files.map(|file| file.unwrap().file_name());
            let batches = names.filter(|name| name.to_string_lossy().ends_with(".batch"));
            count += batches.count();
        }
        count
    }

    fn options(&self, urls: &[&str]) -> Options {
        let target = |url: &&str| Target {
            url: (*url).to_owned(),
            token: Some("secret".to_owned()),
            ..Target::default()
        };
        let targets = urls.iter().map(target).collect();
        let queue = self.folder.path().join("queue");
        Options {
            batch_age: Duration::from_millis(10),
            first_wait: Duration::from_millis(20),
            timeout: PATIENCE,
            drain: PATIENCE,
            ..Options::new(vec![self.spool()], targets, queue)
        }
    }

    fn start(&self, urls: &[&str]) -> Agent {
        Agent::start(self.options(urls)).unwrap()
    }
}

/// Waits until something is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A counter of the agent.
fn counter(agent: &Agent, name: &str) -> u64 {
    let metrics = agent.metrics();
    let line = metrics.lines().find(|line| line.starts_with(name));
    let value = line.and_then(|line| line.rsplit(' ').next());
    value
        .unwrap_or_else(|| panic!("{name}: {metrics}"))
        .parse()
        .unwrap()
}

fn dropped(agent: &Agent, reason: &str) -> u64 {
    let metrics = agent.metrics();
    let lines = metrics
        .lines()
        .filter(|line| line.starts_with("xhprof_agent_dropped"));
    let mut lines = lines.filter(|line| line.contains(&format!("reason=\"{reason}\"")));
    lines
        .next()
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

fn contents(files: usize) -> Vec<String> {
    let mut contents: Vec<_> = (0..files).map(|number| format!("run {number}")).collect();
    contents.sort();
    contents
}

/// The server fails so for the first three batches, and stores the later ones.
/// What failed must be sent again as it was, and each run must come.
fn check_that_it_is_sent_again(action: fn() -> Action) {
    check_that_it_is_sent_again_after(PATIENCE, action);
}

fn check_that_it_is_sent_again_after(timeout: Duration, action: fn() -> Action) {
    let server = Server::new(move |asked| match asked.number {
        0..3 => action(),
        _ => Action::Store,
    });
    let machine = Machine::new(5);
    let options = Options {
        timeout,
        ..machine.options(&[&server.address])
    };
    let agent = Agent::start(options).unwrap();
    until("stored", || server.stored() == contents(5));
    until("acknowledged", || {
        machine.files() == 0 && machine.queued() == 0
    });
    assert!(counter(&agent, "xhprof_agent_failures_total") >= 3);
    assert_eq!(counter(&agent, "xhprof_agent_queued_runs"), 0);
    let batches = server.batches();
    // A slow machine may take the files in two batches.
    let (failed, stored): (Vec<_>, Vec<_>) = batches.iter().partition(|asked| asked.number < 3);
    for asked in failed.iter().filter(|asked| !asked.runs.is_empty()) {
        assert!(stored.iter().any(|later| later.body == asked.body));
    }
    for asked in batches.iter().filter(|asked| !asked.runs.is_empty()) {
        assert_eq!(asked.token.as_deref(), Some("secret"));
    }
    for reason in ["queue_full", "refused", "too_large", "damaged"] {
        assert_eq!(dropped(&agent, reason), 0, "{reason}");
    }
    agent.finish();
}

#[test]
fn what_the_server_has_leaves_the_disk() {
    let server = Server::new(|_| Action::Store);
    let machine = Machine::new(250);
    let agent = machine.start(&[&server.address]);
    until("stored", || server.stored() == contents(250));
    until("acknowledged", || machine.queued() == 0);
    // A batch may be sent before it is counted as taken.
    until("counted", || {
        counter(&agent, "xhprof_agent_taken_runs_total") == 250
    });
    assert_eq!(counter(&agent, "xhprof_agent_sent_runs_total"), 250);
    assert!(server.batches().iter().all(|asked| asked.runs.len() <= 100));
    machine.write("run late");
    until("the late one", || server.stored().len() == 251);
    agent.finish();
    assert_eq!(machine.queued(), 0);
}

#[test]
fn a_wrong_token_keeps_the_queue() {
    check_that_it_is_sent_again(|| Action::Answer(401, "", r#"{"error":"the token is wrong"}"#));
    check_that_it_is_sent_again(|| Action::Early(401));
    check_that_it_is_sent_again(|| Action::Answer(403, "", r#"{"error":"not the scope"}"#));
}

#[test]
fn a_full_disk_of_the_server_keeps_the_queue() {
    check_that_it_is_sent_again(|| Action::Answer(507, "", r#"{"error":"the disk is full"}"#));
}

#[test]
fn a_server_that_fails_keeps_the_queue() {
    check_that_it_is_sent_again(|| Action::Answer(500, "", "<h1>500</h1>"));
    check_that_it_is_sent_again(|| Action::Answer(503, "", ""));
}

#[test]
fn another_server_acknowledges_nothing() {
    // Pages of proxies: what they say is not about the runs.
    check_that_it_is_sent_again(|| Action::Answer(200, "", "<h1>Welcome</h1>"));
    check_that_it_is_sent_again(|| Action::Answer(200, "", r#"{"runs":[{"status":201}]}"#));
    check_that_it_is_sent_again(|| Action::Answer(400, "", "<h1>HTTPS, please</h1>"));
    check_that_it_is_sent_again(|| Action::Answer(404, "", ""));
    check_that_it_is_sent_again(|| Action::Answer(302, "Location: /login\r\n", ""));
}

#[test]
fn a_connection_that_is_cut_keeps_the_queue() {
    check_that_it_is_sent_again(|| Action::Close);
    check_that_it_is_sent_again(|| Action::StoreAndClose);
}

#[test]
fn a_server_that_says_nothing_or_never_ends_keeps_the_queue() {
    check_that_it_is_sent_again_after(SHORT, || Action::Silence);
    check_that_it_is_sent_again_after(SHORT, || Action::Drip);
}

#[test]
fn an_agent_that_is_asked_to_wait_waits() {
    fn wait_after(status: u16) {
        let server = Server::new(move |asked| match asked.number {
            0 => Action::Answer(status, "Retry-After: 2\r\n", r#"{"error":"slower"}"#),
            _ => Action::Store,
        });
        let machine = Machine::new(1);
        let begin = Instant::now();
        let agent = machine.start(&[&server.address]);
        until("stored", || server.stored() == contents(1));
        // The first wait would be 20 ms.
        assert!(begin.elapsed() >= Duration::from_secs(2), "{status}");
        agent.finish();
    }
    // A quota, and a server without memory for the batch.
    wait_after(429);
    wait_after(503);
}

#[test]
fn a_batch_that_is_too_large_is_halved_and_only_the_large_run_is_dropped() {
    let server = Server::new(|asked| match asked.runs.iter().any(|run| run == "run 3") {
        true => Action::Answer(413, "", "<h1>413</h1>"),
        false => Action::Store,
    });
    let machine = Machine::new(9);
    let agent = machine.start(&[&server.address]);
    until("the others", || server.stored().len() == 8);
    until("dropped", || dropped(&agent, "too_large") == 1);
    assert!(!server.stored().contains(&"run 3".to_owned()));
    until("acknowledged", || machine.queued() == 0);
    agent.finish();
}

#[test]
fn refused_runs_are_counted_and_reported() {
    let server = Server::new(|_| Action::StoreBut("run 4"));
    let machine = Machine::new(9);
    let agent = machine.start(&[&server.address]);
    until("the others", || server.stored().len() == 8);
    until("counted", || dropped(&agent, "refused") == 1);
    until("reported", || {
        let asked = server.asked();
        asked.iter().any(|asked| {
            let body = String::from_utf8_lossy(&asked.body);
            asked.path == "/api/v1/dropped" && body.contains(r#""reason":"refused","runs":1"#)
        })
    });
    until("acknowledged", || machine.queued() == 0);
    agent.finish();
}

#[test]
fn one_batch_that_the_server_fails_does_not_hold_the_others() {
    let server = Server::new(|asked| match asked.runs.iter().any(|run| run == "run 0") {
        true => Action::Answer(500, "", ""),
        false => Action::Store,
    });
    let machine = Machine::new(1);
    let agent = machine.start(&[&server.address]);
    until("failed", || !server.batches().is_empty());
    for number in 1..4 {
        machine.write(&format!("run {number}"));
        until("the next", || {
            server.stored().contains(&format!("run {number}"))
        });
    }
    until("only the one is left", || machine.queued() == 1);
    agent.finish();
}

#[test]
fn what_waits_is_sent_by_several_connections() {
    // Each batch is answered when three are there at once.
    let there = Arc::new((Mutex::new(0), Condvar::new()));
    let server = Server::new(move |_| {
        let (count, changed) = &*there;
        let mut count = count.lock().unwrap();
        *count += 1;
        changed.notify_all();
        let are_fewer = |count: &mut i32| *count < 3;
        let waited = changed.wait_timeout_while(count, PATIENCE, are_fewer);
        match waited.unwrap().1.timed_out() {
            true => Action::Close,
            false => Action::Store,
        }
    });
    let machine = Machine::new(250);
    let agent = machine.start(&[&server.address]);
    until("stored", || server.stored() == contents(250));
    until("acknowledged", || machine.queued() == 0);
    assert_eq!(counter(&agent, "xhprof_agent_failures_total"), 0);
    assert_eq!(counter(&agent, "xhprof_agent_sent_runs_total"), 250);
    agent.finish();
}

#[test]
fn one_dead_target_does_not_hold_the_others() {
    let server = Server::new(|_| Action::Store);
    let (silent, listener) = half_open();
    let kept = std::thread::spawn(move || [accepted(&listener), accepted(&listener)]);
    let dead = nothing();
    let machine = Machine::new(3);
    let options = Options {
        timeout: SHORT,
        ..machine.options(&[&dead, &silent, &server.address])
    };
    let agent = Agent::start(options).unwrap();
    until("stored", || server.stored() == contents(3));
    machine.write("run 3");
    until("the next", || server.stored() == contents(4));
    until("two attempts", || kept.is_finished());
    // Both others still have all batches.
    assert!(machine.queued() >= 4, "{}", machine.queued());
    let has_failed = |target: &str| {
        let metrics = agent.metrics();
        let mut failures = metrics
            .lines()
            .filter(|line| line.starts_with("xhprof_agent_failures") && line.contains(target));
        failures.any(|line| !line.ends_with(" 0"))
    };
    until("failures of both", || {
        has_failed(&dead) && has_failed(&silent)
    });
    agent.finish();
    // A target that comes back gets everything.
    let later = Server::new(|_| Action::Store);
    let address = dead.trim_start_matches("http://");
    let listener = std::net::TcpListener::bind(address).unwrap();
    let to = later.address.trim_start_matches("http://").to_owned();
    std::thread::spawn(move || relay(&listener, &to));
    let agent = machine.start(&[&dead]);
    until("what waited", || later.stored() == contents(4));
    agent.finish();
}

/// Passes connections on.
fn relay(listener: &std::net::TcpListener, to: &str) {
    for stream in listener.incoming().flatten() {
        let other = std::net::TcpStream::connect(to).unwrap();
        for (mut from, mut to) in [
            (stream.try_clone().unwrap(), other.try_clone().unwrap()),
            (other, stream),
        ] {
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(std::net::Shutdown::Write);
            });
        }
    }
}

#[test]
fn a_certificate_must_be_of_a_known_authority() {
    let server = Server::with_tls(|_| Action::Store);
    let machine = Machine::new(2);
    let agent = machine.start(&[&server.address]);
    until("failed", || {
        counter(&agent, "xhprof_agent_failures_total") >= 2
    });
    assert!(server.asked().is_empty());
    agent.finish();
    assert_eq!((machine.files(), machine.queued()), (0, 1));
    let trusting = Options {
        ca_file: Some(tls("cert.pem")),
        ..machine.options(&[&server.address])
    };
    let agent = Agent::start(trusting).unwrap();
    until("stored", || server.stored() == contents(2));
    agent.finish();
    let wrong = Options {
        ca_file: Some(tls("key.pem")),
        ..machine.options(&[&server.address])
    };
    let error = Agent::start(wrong).unwrap_err().to_string();
    assert!(error.contains("no certificate"), "{error}");
}

#[test]
fn a_server_without_tls_is_no_server_with_tls() {
    let server = Server::new(|_| Action::Store);
    let machine = Machine::new(1);
    let agent = machine.start(&[&server.address.replace("http:", "https:")]);
    until("failed", || {
        counter(&agent, "xhprof_agent_failures_total") >= 2
    });
    agent.finish();
    assert_eq!(machine.queued(), 1);
}

#[test]
fn what_is_left_at_the_end_is_sent_after_the_next_start() {
    let machine = Machine::new(3);
    let dead = nothing();
    let agent = machine.start(&[&dead]);
    until("taken", || machine.files() == 0);
    // Written shortly before the end: it is taken, too.
    machine.write("run 3");
    agent.finish();
    assert_eq!(machine.files(), 0);
    assert!(machine.queued() >= 1);
    let listener = std::net::TcpListener::bind(dead.trim_start_matches("http://")).unwrap();
    let server = Server::new(|_| Action::Store);
    let to = server.address.trim_start_matches("http://").to_owned();
    std::thread::spawn(move || relay(&listener, &to));
    let agent = machine.start(&[&dead]);
    agent.finish();
    assert_eq!(server.stored(), contents(4));
    assert_eq!(machine.queued(), 0);
}

#[test]
fn a_new_token_needs_no_restart() {
    let server = Server::new(|asked| match asked.token.as_deref() {
        Some("new") => Action::Store,
        _ => Action::Early(401),
    });
    let machine = Machine::new(1);
    let file = machine.folder.path().join("token");
    fs::write(&file, "old\n").unwrap();
    let mut options = machine.options(&[&server.address]);
    options.targets[0].token_file = Some(file.clone());
    let agent = Agent::start(options).unwrap();
    until("refused", || server.asked().len() >= 2);
    fs::write(&file, "new\n").unwrap();
    until("stored", || server.stored() == contents(1));
    agent.finish();
}

#[test]
fn a_queue_has_one_agent_and_files_that_only_its_owner_can_read() {
    use std::os::unix::fs::MetadataExt;
    let machine = Machine::new(1);
    let dead = nothing();
    let agent = machine.start(&[&dead]);
    let error = Agent::start(machine.options(&[&dead]))
        .unwrap_err()
        .to_string();
    assert!(error.contains("another agent uses"), "{error}");
    until("queued", || machine.queued() == 1);
    // A file that is written anew is there for a moment, beside the one that it replaces.
    let files = || {
        let mut folders = vec![machine.folder.path().join("queue")];
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let metadata = entry.metadata()?;
                if metadata.is_dir() {
                    assert_eq!(metadata.mode() & 0o777, 0o700);
                    folders.push(entry.path());
                } else {
                    assert_eq!(metadata.mode() & 0o777, 0o600, "{:?}", entry.path());
                    files += 1;
                }
            }
        }
        Ok::<_, std::io::Error>(files)
    };
    until(
        "the lock, the counters with their spare file, the batch",
        || files().is_ok_and(|files| files == 4),
    );
    agent.finish();
}

#[test]
fn a_full_queue_drops_runs_counts_them_and_says_so() {
    let machine = Machine::new(0);
    let dead = nothing();
    let options = Options {
        // Eight blocks.
        queue_bytes: 32 << 10,
        ..machine.options(&[&dead])
    };
    let agent = Agent::start(options.clone()).unwrap();
    for number in 0..13 {
        machine.write(&format!("run {number:02}"));
        until("taken", || machine.files() == 0);
    }
    until("dropped", || dropped(&agent, "queue_full") == 5);
    assert_eq!(machine.queued(), 8);
    agent.finish();
    let listener = std::net::TcpListener::bind(dead.trim_start_matches("http://")).unwrap();
    let server = Server::new(|_| Action::Store);
    let to = server.address.trim_start_matches("http://").to_owned();
    std::thread::spawn(move || relay(&listener, &to));
    let agent = Agent::start(options).unwrap();
    until("the latest", || {
        let latest: Vec<_> = (5..13).map(|number| format!("run {number:02}")).collect();
        server.stored() == latest
    });
    until("reported", || {
        let asked = server.asked();
        let mut bodies = asked
            .iter()
            .map(|asked| String::from_utf8_lossy(&asked.body));
        bodies.any(|body| body.contains(r#""reason":"queue_full","runs":5"#))
    });
    agent.finish();
}

#[test]
fn no_more_bytes_are_sent_than_the_bandwidth_allows() {
    let server = Server::new(|_| Action::Store);
    let machine = Machine::new(0);
    // Letters without a pattern: they take two thirds of a byte each.
    let mut random = 7_u64;
    let letters = (0..30_000).map(|_| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(b'A' + u8::try_from((random >> 33) % 26).unwrap())
    });
    let content: String = letters.collect();
    fs::write(machine.spool().join("a.xhp"), &content).unwrap();
    let options = Options {
        bandwidth: Some(20_000),
        ..machine.options(&[&server.address])
    };
    let begin = Instant::now();
    let agent = Agent::start(options).unwrap();
    until("stored", || server.stored() == [content.clone()]);
    let sent = server.batches()[0].body.len();
    assert!(sent > 15_000, "{sent}");
    assert!(begin.elapsed() > Duration::from_millis(600));
    assert_eq!(counter(&agent, "xhprof_agent_failures_total"), 0);
    agent.finish();
}

#[test]
fn links_in_the_spool_are_not_sent() {
    let server = Server::new(|_| Action::Store);
    let machine = Machine::new(1);
    let secret = machine.folder.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    std::os::unix::fs::symlink(&secret, machine.spool().join("link.xhp")).unwrap();
    let agent = machine.start(&[&server.address]);
    until("stored", || server.stored() == contents(1));
    agent.finish();
    assert_eq!(server.stored(), contents(1));
    assert_eq!(machine.files(), 1);
}
