//! Starts `xhprof-server`, the program with the commands of a server.
//!
//! `XHPROF_SERVER` names it, or it is beside this program, or on the PATH. It replaces
//! this process: signals, streams and the exit code are its own.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process;

use anyhow::{Context, Result, bail};
use clap::Command;

/// Its name.
pub const NAME: &str = "xhprof-server";

/// Its commands, with what the list of commands says of them. A test of
/// `crates/server` compares them.
pub const COMMANDS: [(&str, &str); 6] = [
    (
        "serve",
        "Keeps the runs of a team, and shows them in the browser",
    ),
    (
        "agent",
        "Sends the profiles that PHP writes on this machine to servers",
    ),
    ("push", "Sends profiles to a server"),
    (
        "import",
        "Stores profiles in a store that no server has open",
    ),
    ("store", "Inspects, repairs and copies a store"),
    (
        "simulate",
        "Makes runs of a simulated fleet, for measurements",
    ),
];

/// The environment variable that names its file.
const FILE: &str = "XHPROF_SERVER";

/// The environment variable in which it gets the version of the program that starts it.
pub const STARTED_BY: &str = "XHPROF_STARTED_BY";

/// Whether a command line is for it: `xhprof serve …`, or `xhprof help serve`.
pub(crate) fn is_for_it(line: &[OsString]) -> bool {
    let word = match line {
        [_, help, word, ..] if help == "help" => word,
        [_, word, ..] => word,
        _ => return false,
    };
    COMMANDS.iter().any(|(name, _)| word == name)
}

/// The groups of the list of commands: what a user wants to do, and the commands for it.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Record",
        &["init", "run", "attach", "top", "dump", "doctor"],
    ),
    (
        "Look",
        &[
            "report",
            "annotate",
            "view",
            "list",
            "diff",
            "grep",
            "html",
            "flamegraph",
            "merge",
            "convert",
            "mcp",
        ],
    ),
    (
        "Team, with the program xhprof-server",
        &["serve", "agent", "push", "import", "store", "simulate"],
    ),
    ("CI", &["check", "regressions"]),
];

/// What the list of commands names without a group.
const ALSO: [&str; 3] = ["completions", "man", "help"];

const EXAMPLES: &str = "\
Examples:
  xhprof run -o run.xhp -- script.php  profiles a script, keeps the profile
  xhprof view run.xhp                  shows the profile in the browser
  xhprof diff before.xhp after.xhp     compares two profiles
";

/// The commands of this program, and those of the other one as names that are
/// suggested, completed and documented. `--help` lists them in groups.
pub(crate) fn with_its_commands(own: Command) -> Command {
    let others = COMMANDS.map(|(name, about)| Command::new(name).about(about).hide(true));
    let all = own.subcommands(others);
    let about = |name: &str| {
        let about = all.find_subcommand(name).and_then(Command::get_about);
        about.map(ToString::to_string).unwrap_or_default()
    };
    let mut groups = String::new();
    for (title, names) in GROUPS {
        groups.push_str(&format!("{title}:\n"));
        for &name in names {
            groups.push_str(&format!("  {name:<11}  {}\n", about(name)));
        }
        groups.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{EXAMPLES}\n{groups}\
         Also: {}\n\nOptions:\n{{options}}{{after-help}}",
        ALSO.join(", ")
    );
    all.help_template(template)
}

/// Whether it is installed.
pub(crate) fn is_there() -> bool {
    path().is_some()
}

/// Replaces this process by it. Returns only if that fails.
pub(crate) fn start(line: &[OsString]) -> Result<u8> {
    let Some(program) = path() else {
        if let Some(named) = named() {
            bail!("{FILE} is {}: there is no such program", named.display());
        }
        bail!(
            "this command needs the program {NAME}, which is neither beside xhprof nor on the PATH; \
             `./x install` in the source folder of xhprof builds and installs both"
        );
    };
    let error = process::Command::new(&program)
        .args(line.iter().skip(1))
        .env(STARTED_BY, env!("CARGO_PKG_VERSION"))
        .exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}

/// Refuses to be started by another version, which has other options.
pub fn check_version(started_by: Option<&OsStr>) -> Result<()> {
    let own = env!("CARGO_PKG_VERSION");
    match started_by {
        Some(other) if other != own => bail!(
            "xhprof {} started {NAME} {own}; install both of one version",
            other.to_string_lossy()
        ),
        _ => Ok(()),
    }
}

/// The file that the environment names.
fn named() -> Option<PathBuf> {
    let named = env::var_os(FILE).filter(|value| !value.is_empty());
    named.map(PathBuf::from)
}

/// Where it is.
fn path() -> Option<PathBuf> {
    if let Some(named) = named() {
        return Some(named).filter(|named| named.is_file());
    }
    let beside = env::current_exe().ok()?.with_file_name(NAME);
    if beside.is_file() {
        return Some(beside);
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(NAME))
        .find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_in_one_group() {
        let all = with_its_commands(crate::args::own_commands());
        let mut names: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS
            .into_iter()
            .flat_map(|(_, names)| names)
            .copied()
            .collect();
        names.retain(|name| !ALSO.contains(name));
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, names);
    }

    #[test]
    fn the_list_of_commands_fits_into_80_columns() {
        let all = with_its_commands(crate::args::own_commands());
        let help = all.term_width(80).render_long_help().to_string();
        let mut long = help.lines().filter(|line| line.chars().count() > 80);
        assert_eq!(long.next(), None);
    }

    #[test]
    fn only_the_commands_of_a_server_are_for_the_server() {
        let is_for_it = |line: &[&str]| {
            let line: Vec<OsString> = line.iter().map(OsString::from).collect();
            super::is_for_it(&line)
        };
        assert!(is_for_it(&["xhprof", "serve"]));
        assert!(is_for_it(&["xhprof", "store", "--help"]));
        assert!(is_for_it(&["xhprof", "help", "push"]));
        assert!(!is_for_it(&["xhprof"]));
        assert!(!is_for_it(&["xhprof", "help"]));
        assert!(!is_for_it(&["xhprof", "report", "serve"]));
        assert!(!is_for_it(&["xhprof", "help", "report"]));
    }

    #[test]
    fn a_server_of_another_version_is_refused() {
        assert!(check_version(None).is_ok());
        assert!(check_version(Some(env!("CARGO_PKG_VERSION").as_ref())).is_ok());
        let refused = check_version(Some("0.0.7".as_ref()))
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("xhprof 0.0.7 started xhprof-server"),
            "{refused}"
        );
    }
}
