//! `xhprof agent` as a process: what it does with files, and what it says.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::another_user::{USER, is_root, program_of_another_user};
use crate::machine::{Machine, PATIENCE, Process, Random, files};
use crate::program::program;

/// Files in the spool, and batches in the queue.
fn waiting(machine: &Machine) -> usize {
    files(&machine.path("spool")) + files(&machine.path("queue"))
}

#[test]
fn runs_that_a_full_queue_dropped_are_counted_at_the_server_across_kills() {
    const RUNS: u64 = 600;
    let machine = Machine::new();
    let mut random = Random(11);
    // Room for ten batches.
    let small = ["--queue-size", "40K"];
    let mut agent = machine.agent(".", &small);
    for number in 0..RUNS {
        machine.write(".", number);
        if random.below(40) == 0 {
            std::thread::sleep(Duration::from_millis(random.below(300)));
            agent.kill();
            agent = machine.agent(".", &small);
        }
    }
    let end = Instant::now() + PATIENCE;
    while files(&machine.path("spool")) > 0 {
        assert!(Instant::now() < end, "the spool stays");
        std::thread::sleep(Duration::from_millis(50));
    }
    let server = machine.server();
    agent.kill();
    let mut agent = machine.agent(".", &small);
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
    while waiting(&machine) > 0 || machine.runs() + dropped() != RUNS {
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
    let mut command = machine.agent_command_of(program(), ".", &["--metrics", "127.0.0.1:0"]);
    command.env("NOTIFY_SOCKET", machine.path("notify"));
    command
        .env("WATCHDOG_USEC", "300000")
        .env_remove("WATCHDOG_PID");
    let mut agent = Process(command.spawn().unwrap());
    assert_eq!(told().trim(), "READY=1");
    assert_eq!(told().trim(), "WATCHDOG=1");
    assert_eq!(told().trim(), "WATCHDOG=1");
    machine.write(".", 1);
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
    assert_eq!(waiting(&machine), 1);
}

#[test]
fn php_processes_are_sampled_without_the_extension() {
    let machine = Machine::new();
    let _server = machine.server();
    let script = machine.path("sampled-shop.php");
    fs::write(
        &script,
        "<?php function spin() { for (;;) { md5('x'); } } spin();",
    )
    .unwrap();
    let mut php = Command::new("php");
    let _php = Process(php.arg("-n").arg(script).spawn().unwrap());
    let log = || fs::read_to_string(machine.path("agent.log")).unwrap();
    let end = Instant::now() + PATIENCE;
    loop {
        // What was sampled is sent when the agent ends.
        let mut agent = machine.agent(".", &["--attach", "99"]);
        std::thread::sleep(Duration::from_millis(500));
        agent.terminate();
        let found = machine.get("/api/v1/runs?q=app:sampled-shop");
        if let Some(run) = found["runs"].as_array().unwrap().first() {
            assert_eq!(run["title"], "sampled-shop, 1 process", "{run}");
            break;
        }
        if log().contains("permission denied") {
            // This machine lets only root read other processes.
            break;
        }
        assert!(Instant::now() < end, "{}", log());
    }
}

#[test]
fn files_that_cannot_be_removed_are_sent_once() {
    let machine = Machine::new();
    for number in 0..3 {
        machine.write(".", number);
    }
    let server = machine.server();
    let mut command = machine.agent_command_of(program(), ".", &["--metrics", "127.0.0.1:0"]);
    // Root may remove everything, so the agent is another user then.
    if is_root() {
        let program = program_of_another_user(machine.folder.path());
        command = machine.agent_command_of(program, ".", &["--metrics", "127.0.0.1:0"]);
        fs::create_dir(machine.path("queue")).unwrap();
        set_mode(&machine.path("queue"), 0o700);
        chown(machine.path("queue"), Some(USER), Some(USER)).unwrap();
        set_mode(machine.folder.path(), 0o755);
    }
    set_mode(&machine.path("spool"), 0o555);
    let mut agent = Process(command.spawn().unwrap());
    let log = || fs::read_to_string(machine.path("agent.log")).unwrap();
    let end = Instant::now() + PATIENCE;
    while machine.runs() < 3 || !log().contains("cannot be removed") {
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
    // One line for all of them; and they are removed as soon as that is possible.
    assert_eq!(log().matches("cannot be removed").count(), 1);
    assert_eq!(files(&machine.path("spool")), 4);
    set_mode(&machine.path("spool"), 0o777);
    while files(&machine.path("spool")) > 0 {
        assert!(Instant::now() < end, "{}", log());
        std::thread::sleep(Duration::from_millis(50));
    }
    agent.terminate();
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
fn what_is_no_profile_is_kept_in_the_queue() {
    let machine = Machine::new();
    let server = machine.server();
    let mut agent = machine.agent(".", &[]);
    machine.write(".", 1);
    fs::write(machine.path("spool/letter.txt"), "Dear Ann").unwrap();
    let end = Instant::now() + PATIENCE;
    let letter = || {
        let entries = fs::read_dir(machine.path("queue/refused")).ok()?;
        let mut files = entries.map(|entry| entry.unwrap().path());
        files.find(|file| file.to_string_lossy().ends_with("-letter.txt"))
    };
    while machine.runs() < 1 || letter().is_none() {
        assert!(Instant::now() < end, "no run, or nothing is kept");
        std::thread::sleep(Duration::from_millis(50));
    }
    let letter = letter().unwrap();
    assert_eq!(fs::read_to_string(&letter).unwrap(), "Dear Ann");
    assert_eq!(
        letter.metadata().unwrap().permissions().mode() & 0o7777,
        0o600
    );
    agent.terminate();
    assert!(!machine.path("spool/letter.txt").exists());
    drop(server);
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
    let small = ["--spool", spool, "--queue", queue, "--to", "http://a"];
    let small = refused(&[&small[..], &["--queue-size", "31K"]].concat());
    assert!(small.contains("at least 32K"), "{small}");
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
