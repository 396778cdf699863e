//! Suggests a command if the first argument is a file instead of a command, or if a process is
//! named as other samplers want it.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use crate::export;
use crate::words::{quoted, quoted_line};

/// A message with the probable command for `line`, if its first argument is a
/// script, a PHP binary, a profile or a directory, or if it has `--pid`.
pub(crate) fn suggested_command(error: &Error, line: &[OsString]) -> Option<String> {
    without_pid(error, line).or_else(|| instead_of_file(error, line))
}

/// py-spy, phpspy, perf and strace want `--pid` or `-p`.
fn without_pid(error: &Error, line: &[OsString]) -> Option<String> {
    let option = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(option) => option,
        _ => return None,
    };
    let [_, command, rest @ ..] = line else {
        return None;
    };
    let has_processes = ["attach", "top", "dump"].iter().any(|name| command == name);
    if !has_processes || !["-p", "--pid"].contains(&option.as_str()) {
        return None;
    }
    let rest = rest.iter().filter(|word| *word != option.as_str());
    let rest = rest.map(|word| {
        let number = word.to_str().and_then(|word| word.strip_prefix(option));
        number.map_or_else(
            || word.clone(),
            |number| number.trim_start_matches('=').into(),
        )
    });
    let words: Vec<_> = [command.clone()].into_iter().chain(rest).collect();
    Some(format!(
        "processes need no {option}: `xhprof {}`",
        quoted_line(&words)
    ))
}

fn instead_of_file(error: &Error, line: &[OsString]) -> Option<String> {
    let is_no_command = error.kind() == ErrorKind::InvalidSubcommand
        || error.kind() == ErrorKind::UnknownArgument
            && error.get(ContextKind::InvalidArg).is_some();
    let [_, word, rest @ ..] = line else {
        return None;
    };
    if !is_no_command || word.as_encoded_bytes().starts_with(b"-") {
        return None;
    }
    let all = [std::slice::from_ref(word), rest].concat();
    let name = word.to_string_lossy();
    let path = Path::new(word);
    let is_script = name.ends_with(".php") || name.ends_with(".phar");
    let is_php = matches!(path.file_name(), Some(name) if name == "php");
    if path.is_dir() {
        return Some(format!(
            "{name} is a directory, not a command; to see the profiles in it: `xhprof list {}`",
            quoted(word)
        ));
    }
    if is_script || is_php || begins_as_script(path) {
        return Some(format!(
            "{name} is not a command of xhprof; to profile it: `xhprof run -- {}`",
            quoted_line(&all)
        ));
    }
    let is_profile = path.is_file() || export::for_file_name(&name).is_some() && name.contains('.');
    is_profile.then(|| {
        format!(
            "{name} is not a command of xhprof; to read the profile: `xhprof report {}`",
            quoted_line(&all)
        )
    })
}

fn begins_as_script(path: &Path) -> bool {
    let mut head = Vec::new();
    let file = fs::File::open(path);
    let read = file.and_then(|file| file.take(64).read_to_end(&mut head));
    let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    read.is_ok()
        && (first.starts_with(b"<?php")
            || first.starts_with(b"#!") && first.windows(3).any(|word| word == b"php"))
}
