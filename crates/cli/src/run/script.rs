//! Checks before PHP starts whether the command can run, and suggests a correct
//! one if not.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use anyhow::{Result, bail};
use clap::{Args, Command};

use crate::args::RunArguments;
use crate::operand::permission_error;
use crate::php::Php;
use crate::suggest::suggestion;
use crate::words::{quoted, quoted_line};

/// How much of a script is searched for PHP code: 1 MiB.
const MAX_SCRIPT: u64 = 1 << 20;

/// Checks that the script exists and can be read.
pub(super) fn check(php: &Php) -> Result<()> {
    let Some(script) = php.script() else {
        return Ok(());
    };
    let path = Path::new(script);
    let name = path.display();
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            let inside = path.join("index.php");
            let inside = if inside.is_file() {
                inside
            } else {
                path.join("script.php")
            };
            bail!(
                "{name} is a directory: name the script in it, as in `xhprof run -- {}`",
                quoted(inside.as_os_str())
            )
        }
        // What is read of a pipe is missing for PHP.
        Ok(found) if !found.is_file() => Ok(()),
        Ok(_) => match File::open(path) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                bail!("cannot read the script {}", permission_error(path))
            }
            // PHP reports every other error.
            Err(_) => Ok(()),
            Ok(file) => match not_php(&beginning(file)) {
                Some(what) => bail!(
                    "{name} is {what}, not a PHP script: `xhprof run` only starts PHP programs"
                ),
                None => Ok(()),
            },
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // The shell would run a program that is not PHP.
            if let Some(program) = in_path(script) {
                bail!(
                    "{name} is {}, which is not a PHP script: `xhprof run` only starts PHP programs",
                    program.display()
                );
            }
            bail!("{}", not_found(path))
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            bail!("cannot read the script {}", permission_error(path))
        }
        Err(_) => Ok(()),
    }
}

fn beginning(file: File) -> Vec<u8> {
    let mut text = Vec::new();
    // PHP reports errors.
    let _ = file.take(MAX_SCRIPT).read_to_end(&mut text);
    text
}

/// What a file is whose bytes PHP would print: a program in machine code, or a script of
/// another interpreter. A script of the shell may have PHP code behind its first lines.
fn not_php(text: &[u8]) -> Option<String> {
    if text.starts_with(b"\x7fELF") {
        return Some("a program".to_owned());
    }
    let has_code = text.windows(2).any(|window| window == b"<?");
    if has_code || text.len() as u64 == MAX_SCRIPT {
        return None;
    }
    let line = text
        .strip_prefix(b"#!")?
        .split(|&byte| byte == b'\n')
        .next()?;
    let line = String::from_utf8_lossy(line);
    let mut names = line.split_whitespace().map(|word| {
        let name = word.rsplit('/').next();
        name.unwrap_or(word)
    });
    // What follows `env` are its options, variables and the interpreter.
    let is_interpreter =
        |name: &&str| *name != "env" && !name.starts_with('-') && !name.contains('=');
    let name = names.find(is_interpreter)?;
    (!name.contains("php")).then(|| format!("a script for {name}"))
}

fn not_found(path: &Path) -> String {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let here = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let scripts: Vec<String> = names.filter(|name| name.ends_with(".php")).collect();
    let nearest = suggestion(&name, scripts.iter().map(String::as_str));
    if directory.is_dir() {
        format!("there is no script {name} in {}{nearest}", here.display())
    } else {
        format!(
            "there is no script {}: no directory {}",
            path.display(),
            directory.display()
        )
    }
}

fn in_path(name: &OsStr) -> Option<std::path::PathBuf> {
    if name.as_encoded_bytes().contains(&b'/') {
        return None;
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&paths).map(|directory| directory.join(name));
    found.find(|path| path.is_file())
}

/// A message about options after the script that have the names of `xhprof`'s
/// own options. The script received them. The message suggests the same command
/// with `--` in front of it.
pub(super) fn misplaced(command: &[OsString], line: &[OsString]) -> Option<String> {
    let before = line.len().checked_sub(command.len() + 1);
    if before.and_then(|place| line.get(place)) == Some(&"--".into()) {
        return None;
    }
    let options = RunArguments::augment_args(Command::new("run"));
    let takes_value = |name: &str| {
        let mut options = options.get_arguments();
        let option = options.find(|option| option.get_long() == Some(name));
        option.map(|option| option.get_action().takes_values())
    };
    let (mut ours, mut theirs): (Vec<OsString>, Vec<OsString>) = Default::default();
    let mut words = command.iter().peekable();
    // The PHP binary and its options, and the script.
    let start = Php::of_command(command, OsStr::new("php"));
    let script = start.script()?;
    for word in words.by_ref() {
        theirs.push(word.clone());
        if word == script || Path::new(script).file_name() == Some(word) {
            break;
        }
    }
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        // The only option with a short form.
        let name = if text == "-o" { "--output" } else { &*text };
        let name = name.strip_prefix("--").unwrap_or_default();
        let name = name.split('=').next().unwrap_or_default();
        match takes_value(name) {
            Some(takes) => {
                ours.push(word.clone());
                if takes && !text.contains('=') {
                    ours.extend(words.next().cloned());
                }
            }
            None => theirs.push(word.clone()),
        }
    }
    if ours.is_empty() {
        return None;
    }
    let end = line.len().saturating_sub(command.len());
    let options = line.get(2..end).unwrap_or_default();
    Some(format!(
        "{} went to the script, as everything after it does; for xhprof: `xhprof run {} -- {}`",
        quoted_line(&ours),
        quoted_line(&[options, &ours].concat()),
        quoted_line(&theirs)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &str) -> Vec<OsString> {
        words.split_whitespace().map(OsString::from).collect()
    }

    fn said(line: &str, command: &str) -> Option<String> {
        misplaced(&words(command), &words(line))
    }

    #[test]
    fn our_options_after_the_script_are_told_of() {
        assert_eq!(
            said("xhprof run s.php --limit 1 x", "s.php --limit 1 x").unwrap(),
            "--limit 1 went to the script, as everything after it does; \
             for xhprof: `xhprof run --limit 1 -- s.php x`"
        );
        let with_php = said(
            "xhprof run php -n s.php --output=x",
            "php -n s.php --output=x",
        );
        assert!(
            with_php
                .unwrap()
                .ends_with("`xhprof run --output=x -- php -n s.php`")
        );
    }

    #[test]
    fn options_that_were_understood_stay() {
        let said = said("xhprof run --flags cpu s.php -o x", "s.php -o x");
        assert!(
            said.unwrap()
                .ends_with("`xhprof run --flags cpu -o x -- s.php`")
        );
    }

    #[test]
    fn the_scripts_own_options_are_its_own() {
        assert_eq!(said("xhprof run s.php --verbose", "s.php --verbose"), None);
        assert_eq!(
            said("xhprof run -- s.php --limit 1", "s.php --limit 1"),
            None
        );
        assert_eq!(said("xhprof run s.php -- x", "s.php -- x"), None);
    }
}
