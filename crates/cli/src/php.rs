//! A PHP binary to run, with its own options.
//!
//! Which `php.ini` PHP reads depends on those options, so every question to PHP
//! is asked with them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use settings::{AutoEnable, Setting};

/// A PHP binary and what its command line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Php {
    pub(crate) binary: OsString,
    /// Options that select settings: `-n`, `-c`, `-d`.
    settings: Vec<OsString>,
    /// Everything after the binary: options, script, and its arguments.
    pub(crate) arguments: Vec<OsString>,
}

impl Php {
    /// A binary without arguments.
    pub(crate) fn new(binary: &OsStr) -> Self {
        Self {
            binary: binary.to_owned(),
            settings: Vec::new(),
            arguments: Vec::new(),
        }
    }

    /// The command that the user gave: `php … script.php`, or a script that
    /// `default` runs.
    pub(crate) fn of_command(command: &[OsString], default: &OsStr) -> Self {
        match command {
            [first, rest @ ..] if is_php(first) => Self {
                binary: first.clone(),
                settings: setting_options(rest),
                arguments: rest.to_vec(),
            },
            [script, rest @ ..] => {
                let script = find_script(script);
                let options = options_of_script(Path::new(&script));
                Self {
                    settings: setting_options(&options),
                    arguments: [&options, &[script][..], rest].concat(),
                    ..Self::new(default)
                }
            }
            [] => Self::new(default),
        }
    }

    /// The output of PHP, on both streams, when started with its own settings
    /// and `arguments`. Every question to PHP uses this function, so that none
    /// of them writes a profile, whatever php.ini and the environment say.
    pub(crate) fn ask(&self, arguments: &[OsString]) -> Result<String> {
        let binary = Path::new(&self.binary);
        // A name without a slash is looked up in PATH, even beside a folder of that name.
        if binary.file_name() != Some(&self.binary) && binary.is_dir() {
            bail!(
                "{} is a directory: name the PHP in it, as in --php {}",
                binary.display(),
                binary.join("php").display()
            );
        }
        let output = without_triggers(&mut Command::new(&self.binary))
            .args(&self.settings)
            .args(setting(&settings::AUTO_ENABLE, &AutoEnable::Off))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot run {}", binary.display()))?;
        let bytes = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The script that PHP is to run; none if the options replace it (`-r
    /// CODE`, `-S ADDRESS`, `-v`), or if it comes from standard input.
    pub(crate) fn script(&self) -> Option<&OsStr> {
        let mut arguments = self.arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_bytes() {
                b"-f" | b"-F" | b"--file" | b"--process-file" => {
                    return arguments.next().map(|script| &**script);
                }
                b"--" | b"-" => return None,
                option if !option.starts_with(b"-") => return Some(argument),
                option if is_instead_of_script(option) => return None,
                b"-c" | b"-d" | b"-z" | b"--php-ini" | b"--define" | b"--zend-extension" => {
                    arguments.next();
                }
                _ => {}
            }
        }
        None
    }

    /// The kind of PHP program, by the binary's name.
    pub(crate) fn sapi(&self) -> Sapi {
        let name = Path::new(&self.binary).file_name().unwrap_or_default();
        let has = |part: &[u8]| {
            let mut windows = name.as_bytes().windows(part.len());
            windows.any(|window| window == part)
        };
        if has(b"-fpm") {
            Sapi::Fpm
        } else if has(b"-cgi") {
            Sapi::Cgi
        } else {
            Sapi::CommandLine
        }
    }
}

/// The kinds of PHP program that answer different questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sapi {
    /// `php`: every question.
    CommandLine,
    /// `php-cgi`: `-i` and scripts.
    Cgi,
    /// `php-fpm`: `-i`, `-m` and `-tt`; it runs no script.
    Fpm,
}

/// Whether an option of PHP's replaces the script.
fn is_instead_of_script(option: &[u8]) -> bool {
    let long: [&[u8]; 12] = [
        b"--run",
        b"--server",
        b"--version",
        b"--info",
        b"--modules",
        b"--ini",
        b"--interactive",
        b"--rf",
        b"--rc",
        b"--re",
        b"--rz",
        b"--ri",
    ];
    match option {
        [
            b'-',
            b'r' | b'B' | b'R' | b'E' | b'S' | b'a' | b'i' | b'm' | b'v',
            ..,
        ] => true,
        [b'-', b'-', ..] => long.contains(&option) || option.starts_with(b"--process-"),
        _ => false,
    }
}

/// `command` without the environment variables that request a profile: on the
/// command line they override `xhprof.auto_enable`.
pub(crate) fn without_triggers(command: &mut Command) -> &mut Command {
    command
        .env_remove("XHPROF")
        .env_remove("XHPROF_OUTPUT")
        .env_remove("XHPROF_FLAGS")
}

/// `name=value` for `-d`.
pub(crate) fn definition(name: &str, value: impl AsRef<OsStr>) -> [OsString; 2] {
    let mut definition = format!("{name}=").into_bytes();
    definition.extend_from_slice(value.as_ref().as_bytes());
    ["-d".into(), OsString::from_vec(definition)]
}

/// The arguments that give one of our settings that value.
pub(crate) fn setting<T>(setting: &Setting<T>, value: &T) -> [OsString; 2] {
    definition(setting.name(), setting.parser.print(value))
}

/// Whether a word is the name of a PHP binary: `php`, `/usr/bin/php8.2`,
/// `php-cgi`, but not `phpunit` or `php-cs-fixer`.
fn is_php(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default();
    let Some(rest) = name.as_bytes().strip_prefix(b"php") else {
        return false;
    };
    rest.split(|&byte| byte == b'-').all(|part| {
        let digits = part
            .iter()
            .rposition(|byte| !byte.is_ascii_digit() && *byte != b'.');
        let word = part
            .get(..digits.map_or(0, |last| last + 1))
            .unwrap_or_default();
        matches!(word, b"" | b"cgi" | b"cli" | b"zts" | b"nts" | b"debug")
    })
}

/// The options among PHP's own that decide which settings it reads.
fn setting_options(arguments: &[OsString]) -> Vec<OsString> {
    let mut options = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_bytes() {
            b"-n" | b"--no-php-ini" => options.push("-n".into()),
            b"-c" | b"-d" | b"--php-ini" | b"--define" => {
                options.push(argument.clone());
                options.extend(arguments.next().cloned());
            }
            [b'-', b'c' | b'd', ..] => options.push(argument.clone()),
            // They take an argument, which is neither an option nor the script.
            b"-f" | b"-z" | b"-r" | b"-B" | b"-R" | b"-F" | b"-E" => {
                arguments.next();
            }
            b"--" => break,
            [b'-', _, ..] => {}
            _ => break,
        }
    }
    options
}

/// What PHP is to be given for a script: `--` for standard input, the path of `phpunit` as the shell would find it, if it is a PHP script. PHP
/// itself does not search the `PATH`.
fn find_script(script: &OsStr) -> OsString {
    // PHP itself would look for a file of that name.
    if script == "-" {
        return "--".into();
    }
    let is_name = !script.as_bytes().contains(&b'/') && !Path::new(script).exists();
    let paths = std::env::var_os("PATH")
        .filter(|_| is_name)
        .unwrap_or_default();
    let mut found = std::env::split_paths(&paths).map(|directory| directory.join(script));
    let found = found
        .find(|path| is_php_script(path))
        .map(PathBuf::into_os_string);
    found.unwrap_or_else(|| script.to_owned())
}

fn is_php_script(path: &Path) -> bool {
    let first_line = first_line(path).unwrap_or_default();
    let names_php = first_line.windows(3).any(|window| window == b"php");
    names_php && (first_line.starts_with(b"#!") || first_line.starts_with(b"<?php"))
}

/// The options of PHP's in the first line of a script that may be executed, as the kernel and
/// `env -S` would give them: `#!/usr/bin/php -d memory_limit=-1` has one.
fn options_of_script(path: &Path) -> Vec<OsString> {
    use std::os::unix::fs::PermissionsExt;
    let is_executable = path
        .metadata()
        .is_ok_and(|found| found.permissions().mode() & 0o111 != 0);
    let line = first_line(path).filter(|_| is_executable);
    line.and_then(|line| options_of_line(std::str::from_utf8(&line).ok()?))
        .unwrap_or_default()
}

fn options_of_line(line: &str) -> Option<Vec<OsString>> {
    let line = line.strip_prefix("#!")?.trim();
    let (interpreter, rest) = line.split_once([' ', '\t'])?;
    let rest = rest.trim();
    if is_php(OsStr::new(interpreter)) {
        // The kernel gives all of it as one argument.
        return Some(vec![rest.into()]);
    }
    let words = shlex::split(rest.strip_prefix("-S")?)?;
    let [php, options @ ..] = &words[..] else {
        return None;
    };
    let is_env = Path::new(interpreter).file_name() == Some(OsStr::new("env"));
    (is_env && is_php(OsStr::new(php))).then(|| options.iter().map(OsString::from).collect())
}

/// The first line of a file, or the beginning of a longer one.
fn first_line(path: &Path) -> Option<Vec<u8>> {
    // What is read of a pipe is missing for PHP.
    if !path.is_file() {
        return None;
    }
    let mut head = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, 256), &mut head).ok()?;
    head.split(|&byte| byte == b'\n').next().map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn php_binaries_are_known_by_name() {
        for name in [
            "php",
            "/usr/bin/php8.2",
            "./php",
            "php82",
            "php-cgi",
            "php-cgi8.2",
            "php8.3-zts",
        ] {
            assert!(is_php(OsStr::new(name)), "{name}");
        }
        for name in [
            "phpunit",
            "php-cs-fixer",
            "index.php",
            "phpstan.phar",
            "php/run",
            "phpdbg",
            "",
        ] {
            assert!(!is_php(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn a_binary_in_the_command_keeps_its_options() {
        let command = words(&[
            "php8.2", "-n", "-d", "a=b", "-f", "x.php", "-dc=d", "-v", "s.php", "-d", "e=f",
        ]);
        let php = Php::of_command(&command, OsStr::new("other"));
        assert_eq!(php.binary, "php8.2");
        assert_eq!(php.arguments, command[1..]);
        assert_eq!(php.settings, words(&["-n", "-d", "a=b", "-dc=d"]));
    }

    #[test]
    fn the_script_is_found_among_phps_options() {
        for (command, script) in [
            (&["s.php", "-x"][..], Some("s.php")),
            (&["php", "-n", "-d", "a=b", "s.php", "t.php"], Some("s.php")),
            (&["php", "-f", "s.php"], Some("s.php")),
            (&["php", "-r", "echo 1;", "x"], None),
            (&["php", "-S", "localhost:80", "s.php"], None),
            (&["php", "--", "x"], None),
            (&["php", "-v"], None),
            (&["php"], None),
        ] {
            let php = Php::of_command(&words(command), OsStr::new("php"));
            assert_eq!(php.script(), script.map(OsStr::new), "{command:?}");
        }
    }

    #[test]
    fn a_script_may_have_options_in_its_first_line() {
        for (line, options) in [
            (
                "#!/usr/bin/php -d memory_limit=-1",
                &["-d memory_limit=-1"][..],
            ),
            ("#! /usr/bin/php8.4 -q ", &["-q"]),
            (
                "#!/usr/bin/env -S php -n -d 'error_log=a b'",
                &["-n", "-d", "error_log=a b"],
            ),
            ("#!/usr/bin/env -S php", &[]),
            ("#!/usr/bin/env php", &[]),
            ("#!/usr/bin/php", &[]),
            ("#!/bin/sh -e", &[]),
            ("#!/usr/bin/env -S sh -e", &[]),
            ("<?php // -n", &[]),
        ] {
            let found = options_of_line(line).unwrap_or_default();
            assert_eq!(found, words(options), "{line}");
        }
    }

    #[test]
    fn the_kind_of_php_is_in_its_name() {
        for (name, sapi) in [
            ("/usr/sbin/php-fpm8.2", Sapi::Fpm),
            ("php8.2-fpm", Sapi::Fpm),
            ("php-cgi", Sapi::Cgi),
            ("/opt/php-fpm/bin/php", Sapi::CommandLine),
        ] {
            assert_eq!(Php::new(OsStr::new(name)).sapi(), sapi, "{name}");
        }
    }

    #[test]
    fn a_script_is_run_by_the_default() {
        let php = Php::of_command(&words(&["s.php", "-n"]), OsStr::new("php8.4"));
        assert_eq!(php.binary, "php8.4");
        assert_eq!(php.arguments, words(&["s.php", "-n"]));
        assert_eq!(php.settings, words(&[]));
    }
}
