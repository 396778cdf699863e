//! `xhprof list`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::MemoryArguments;
use crate::list::{Since, status};

const LIST_EXAMPLES: &str = "\
Examples:
  xhprof list /var/lib/xhprof
  xhprof list /var/lib/xhprof --route /checkout --status 5xx --since 2h
  xhprof list /var/lib/xhprof --sort wall --limit 20
  xhprof list /var/lib/xhprof --since 2026-11-22 --json | jq -r '.profiles[].file'

A route is what the program calls it, else the request or the script. The peak is the most memory
that PHP had; only native files know it. An exclamation mark stands behind the status of what failed.

What is in a directory and no profile, or damaged, is named at the end. Directories in it are not
looked into, and neither are files whose names begin with a dot.";

/// Lists the profiles in a directory: when, what, how long.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {
    /// Directories, or files
    #[arg(value_name = "DIR", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Only routes or scripts with this in them: text or a regular expression, in any case
    #[arg(long, value_name = "PATTERN")]
    pub(crate) route: Option<String>,
    /// Only of this status: 500, 5xx, `exit 1` or failed
    #[arg(long, value_name = "STATUS", value_parser = status)]
    pub(crate) status: Option<String>,
    /// Only what began then or later: 30m, 2h, 7d ago, 2026-11-22 or 2026-11-22T10:30, in UTC
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<Since>,
    /// What comes first: the latest, the most, and names from a to z
    #[arg(long, value_name = "COLUMN", default_value = "date")]
    pub(crate) sort: ListSort,
    /// How many lines to print; all unless said otherwise
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// As JSON, for programs
    #[arg(long, conflicts_with = "pager")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
    /// Through $PAGER, if this is a terminal
    #[arg(long)]
    pub(crate) pager: bool,
}

/// A column to sort profiles by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListSort {
    /// When it began
    Date,
    /// Wall time
    Wall,
    /// CPU time
    Cpu,
    /// Peak memory
    Peak,
    /// Number of calls
    Calls,
    /// Number of spans
    Spans,
    /// Route or script
    Route,
    /// Status
    Status,
    /// File name
    File,
}
