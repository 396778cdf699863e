//! `xhprof mcp`.

use std::path::PathBuf;

use clap::Args;

use super::MemoryArguments;

const EXAMPLES: &str = "\
Examples:
  xhprof mcp /var/lib/xhprof
  xhprof mcp --allow-run profiles
  xhprof mcp --store /srv/runs
  claude mcp add xhprof -- xhprof mcp /path/to/profiles

An assistant starts this program and asks it over standard input and output. It reads files below \
the directories that are named, and nothing else; a symbolic link that leads out of them is refused. \
It writes nothing, and runs commands only with --allow-run.

docs/mcp.md says how to add it to Claude Code, Cursor, VS Code and PhpStorm.";

/// Lets an assistant ask for profiles by the Model Context Protocol.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct McpArguments {
    /// Directories of profiles, or files; by default the working directory
    #[arg(value_name = "DIR")]
    pub paths: Vec<PathBuf>,
    /// The store of `xhprof serve`, instead of files: a folder, or `clickhouse://HOST/DATABASE`
    #[arg(long, value_name = "STORE", conflicts_with = "paths")]
    pub store: Option<PathBuf>,
    /// Offer to run PHP programs under the profiler, with the rights of this user
    #[arg(long, conflicts_with = "store")]
    pub allow_run: bool,
    /// With --allow-run: how long a program may run
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        requires = "allow_run",
        value_parser = clap::value_parser!(u64).range(1..=3600)
    )]
    pub run_limit: u64,
    /// The memory limit of a profile.
    #[command(flatten)]
    pub memory: MemoryArguments,
}
