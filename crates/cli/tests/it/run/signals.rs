//! How a run ends by a signal: the report comes all the same.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::Stage;

/// A run whose program has printed its first line, and waits.
struct Running {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
    first_line: String,
}

impl Running {
    fn start(stage: &Stage, end: &str) -> Self {
        let mut command = stage.run(end, &["--", "s.php"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut first_line = String::new();
        stdout.read_line(&mut first_line).unwrap();
        Self {
            child,
            stdout,
            first_line,
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn finish(mut self) -> (Option<i32>, String) {
        let mut stderr = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        (self.child.wait().unwrap().code(), stderr)
    }
}

#[test]
fn an_interrupt_ends_the_program_and_gives_the_report() {
    let stage = Stage::new();
    let running = Running::start(&stage, "interrupted");
    kill_process(running.pid(), Signal::INT).unwrap();
    let (code, stderr) = running.finish();
    assert_eq!(code, Some(128 + 2), "{stderr}");
    assert!(stderr.contains("100 µs wall"), "{stderr}");
    stage.assert_clean();
}

#[test]
fn an_interrupt_of_the_whole_group_gives_the_report_too() {
    let stage = Stage::new();
    let running = Running::start(&stage, "interrupted");
    kill_process_group(running.pid(), Signal::INT).unwrap();
    let (code, stderr) = running.finish();
    assert_eq!(code, Some(128 + 2), "{stderr}");
    stage.assert_clean();
}

#[test]
fn a_second_interrupt_kills() {
    let stage = Stage::new();
    let mut running = Running::start(&stage, "stubborn");
    let sleep: i32 = running.first_line.trim().parse().unwrap();
    kill_process(running.pid(), Signal::INT).unwrap();
    let mut line = String::new();
    running.stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "again\n");
    kill_process(running.pid(), Signal::INT).unwrap();
    let (code, stderr) = running.finish();
    kill_process(Pid::from_raw(sleep).unwrap(), Signal::KILL).unwrap();
    assert_eq!(code, Some(128 + 9), "{stderr}");
    assert!(stderr.contains("was killed"), "{stderr}");
    stage.assert_clean();
}

#[test]
fn a_request_to_terminate_is_passed_on() {
    let stage = Stage::new();
    let running = Running::start(&stage, "terminated");
    kill_process(running.pid(), Signal::TERM).unwrap();
    let (code, stderr) = running.finish();
    assert_eq!(code, Some(9), "{stderr}");
    assert!(stderr.contains("100 µs wall"), "{stderr}");
    stage.assert_clean();
}
