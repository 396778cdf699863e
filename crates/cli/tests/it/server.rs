//! Commands of `xhprof-server`: `xhprof` starts it, or says what is missing.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::program::{program, program_at};
use crate::write_program::write_program;

/// Says how it was started, and ends with a code of its own.
const SERVER: &[u8] =
    b"#!/bin/sh\nfor word; do echo \"<$word>\"; done\necho \"by $XHPROF_STARTED_BY\"\nexit 7\n";

fn started(command: &mut Command, arguments: &[&str]) -> Output {
    command.args(arguments).output().unwrap()
}

fn text(output: &[u8]) -> &str {
    str::from_utf8(output).unwrap()
}

/// A folder with the program and a server beside it.
fn copy_beside_a_server(folder: &Path) -> Command {
    let copy = folder.join("xhprof");
    let mut cp = Command::new("cp");
    cp.arg(env!("CARGO_BIN_EXE_xhprof")).arg(&copy);
    assert!(cp.status().unwrap().success());
    write_program(&folder.join("xhprof-server"), SERVER);
    let mut command = program_at(&copy);
    command.env_remove("XHPROF_SERVER");
    command
}

#[test]
fn every_argument_and_the_exit_code_pass_through() {
    let folder = tempfile::tempdir().unwrap();
    let by = concat!("by ", env!("CARGO_PKG_VERSION"), "\n");
    for (arguments, words) in [
        (
            &["serve", "--store", "a b", "--help"][..],
            "<serve>\n<--store>\n<a b>\n<--help>\n",
        ),
        (&["store", "verify"], "<store>\n<verify>\n"),
        (&["help", "push"], "<help>\n<push>\n"),
        (
            &["regressions", "--store", "x", "--format", "json"],
            "<regressions>\n<--store>\n<x>\n<--format>\n<json>\n",
        ),
        (&["completions", "bash"], "<completions>\n<bash>\n"),
        (&["man"], "<man>\n"),
    ] {
        let output = started(&mut copy_beside_a_server(folder.path()), arguments);
        assert_eq!(text(&output.stdout), format!("{words}{by}"));
        assert_eq!(output.status.code(), Some(7), "{output:?}");
    }
}

#[test]
fn the_server_beside_the_program_comes_before_that_of_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = tempfile::tempdir().unwrap();
    write_program(
        &path.path().join("xhprof-server"),
        b"#!/bin/sh\necho path\n",
    );
    let mut command = copy_beside_a_server(folder.path());
    let output = started(command.env("PATH", path.path()), &["agent"]);
    assert!(text(&output.stdout).starts_with("<agent>"), "{output:?}");
    let mut command = copy_beside_a_server(folder.path());
    fs::remove_file(folder.path().join("xhprof-server")).unwrap();
    let output = started(command.env("PATH", path.path()), &["agent"]);
    assert_eq!(text(&output.stdout), "path\n", "{output:?}");
}

#[test]
fn without_a_server_one_sentence_says_what_brings_it() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["serve"][..],
        &["regressions", "--store", "x"],
        &["help", "agent"],
    ] {
        let mut command = copy_beside_a_server(folder.path());
        fs::remove_file(folder.path().join("xhprof-server")).unwrap();
        let output = started(command.env("PATH", folder.path()), arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains("needs the program xhprof-server"), "{error}");
        assert!(error.contains("`./x install`"), "{error}");
    }
    let mut command = program();
    let output = started(
        command.env("XHPROF_SERVER", "/nowhere/xhprof-server"),
        &["push"],
    );
    let error = text(&output.stderr);
    assert!(
        error.contains("XHPROF_SERVER is /nowhere/xhprof-server"),
        "{error}"
    );
}

/// A word that is nearly one of its commands is found, too.
#[test]
fn its_commands_are_suggested() {
    let output = started(&mut program(), &["serv"]);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("'serve'"), "{error}");
}
