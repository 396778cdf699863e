//! `xhprof list`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use super::MemoryArguments;
use profile::quantities::Since;

const LIST_EXAMPLES: &str = "\
Examples:
  xhprof list /var/lib/xhprof
  xhprof list /var/lib/xhprof --route /checkout --status 5xx --since 2h
  xhprof list /var/lib/xhprof --sort wall --limit 20
  xhprof list /var/lib/xhprof --since 7d --json | jq -r '.profiles[].file'

A route is what the program calls it, else the request or the script. The peak is PHP's peak memory; \
only native files hold it. An exclamation mark follows the status of a request that failed.

Files that are no profiles, or are damaged, are named at the end. Subdirectories are skipped, and so \
are files whose names begin with a dot.";

/// Lists the profiles in a directory: date, route, cost.
#[derive(Debug, Default, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {
    /// Directories, or files
    #[arg(value_name = "DIR", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Only routes or scripts that contain PATTERN: text or a regular expression, in any case
    #[arg(long, value_name = "PATTERN")]
    pub(crate) route: Option<String>,
    /// Only profiles with this status: 500, 5xx, `exit 1` or failed
    #[arg(long, value_name = "STATUS", value_parser = status)]
    pub(crate) status: Option<String>,
    /// Only profiles that began then or later: 30m, 2h, 7d ago, 2026-11-22 or 2026-11-22T10:30, in
    /// UTC
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<Since>,
    /// The column to sort by: the latest and the largest first, names from a to z
    #[arg(long, value_name = "COLUMN", default_value = "date")]
    pub(crate) sort: ListSort,
    /// How many lines to print [default: all]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print JSON, for programs
    #[arg(long, conflicts_with = "pager")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
    /// Print through $PAGER if standard output is a terminal
    #[arg(long)]
    pub(crate) pager: bool,
}

/// A column to sort profiles by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListSort {
    /// Date and time of the start
    #[default]
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

/// Parses the argument of `--status`.
fn status(text: &str) -> Result<String> {
    let is_code = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let word = text.to_ascii_lowercase();
    let code = word.strip_prefix("exit ").unwrap_or(&word);
    let is_class = word.len() == 3 && word.strip_suffix("xx").is_some_and(is_code);
    if word == "failed" || is_class || is_code(code) {
        return Ok(word);
    }
    bail!("not a status: 500, 5xx, `exit 1` or failed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_status_is_refused() {
        for text in ["500", "5xx", "5XX", "exit 1", "failed", "1"] {
            assert!(status(text).is_ok(), "{text}");
        }
        for text in ["", "xx", "ok", "50x", "exit", "5000xx"] {
            assert!(status(text).is_err(), "{text}");
        }
    }
}
