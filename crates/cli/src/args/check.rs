//! `xhprof check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::{MemoryArguments, PhpArguments};

const CHECK_EXAMPLES: &str = "\
Examples:
  xhprof check --init -- php shop.php
  xhprof check
  xhprof check --junit build/junit.xml --artifacts build/profiles
  xhprof check --budget 'calls(\"PDO::*\") <= 12' -- php shop.php
  xhprof check --budget 'wall <= base + noise' --base old -- php shop.php
  xhprof check --update

Budgets compare what is measured with a limit: calls(\"PDO::*\") <= 12, \
calls(\"Acme\\Repo::find\", under=\"route\") == 1, spans.sql.count <= 20, spans.sql.repeated <= 1, \
memory.peak <= 32MB, no_call(\"var_dump\", \"sleep\"), self.wall_share(\"json_encode\") <= 5%, \
calls(*) <= base, wall <= base + noise. docs/ci.md lists them all.

Exit codes:
  0  every budget is kept
  1  an error: the file is wrong, or a scenario could not run
  2  the command line is invalid
  3  a budget is broken
  4  no budget is broken, but one could not be decided: not measured, or too noisy";

/// Checks budgets: calls, statements, memory and times of scenarios.
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArguments {
    /// Profiles to check, in place of the scenarios of the file
    #[arg(value_name = "PROFILES")]
    pub(crate) profiles: Vec<PathBuf>,
    /// A command to profile and check, in place of the scenarios of the file
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "profiles")]
    pub(crate) command: Vec<OsString>,
    /// The file with scenarios and budgets
    #[arg(long, value_name = "FILE", default_value = "xhprof.yaml")]
    pub(crate) config: PathBuf,
    /// A budget for PROFILES or COMMAND; may be given several times
    #[arg(long, value_name = "BUDGET")]
    pub(crate) budget: Vec<String>,
    /// Earlier profiles to compare with: files, or a directory that --save wrote
    #[arg(long, value_name = "BASE", num_args = 1..)]
    pub(crate) base: Vec<PathBuf>,
    /// How often COMMAND, or each scenario of the file, runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeat: Option<u32>,
    /// Only scenarios whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Keep the profiles of all runs in DIR, as the --base of a later check
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// Keep a profile, a flame graph and a page of each scenario that fails in DIR
    #[arg(long, value_name = "DIR")]
    pub(crate) artifacts: Option<PathBuf>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the results as SARIF
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write the results as GitLab's code quality report
    #[arg(long, value_name = "FILE")]
    pub(crate) gitlab: Option<PathBuf>,
    /// Write the results as Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Print GitHub's annotations too, and add a summary to its job
    #[arg(long)]
    pub(crate) github: bool,
    /// Write a first file from PROFILES or COMMAND: what is measured now is allowed
    #[arg(long, conflicts_with_all = ["update", "base", "budget"])]
    pub(crate) init: bool,
    /// Raise the limits of broken budgets in the file to what was measured
    #[arg(long, conflicts_with_all = ["profiles", "command"])]
    pub(crate) update: bool,
    #[command(flatten)]
    pub(crate) php: PhpArguments,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}
