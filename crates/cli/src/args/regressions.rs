//! `xhprof regressions`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::MemoryArguments;
use profile::quantities::Since;

const EXAMPLES: &str = "\
Examples:
  xhprof regressions /var/lib/xhprof
  xhprof regressions /var/lib/xhprof --since 7d --format markdown
  xhprof regressions profiles --format json | jq '.releases[].findings[].function'
  xhprof regressions --store /srv/runs --app shop

A profile belongs to the release that its tag `release` names: the setting xhprof.release, or \
xhprof_tag('release', '2026.11.3'). Each release is compared with the two weeks before it: its first \
day, then two days, then three. It takes at least 30 profiles a route and day, of 7 days before the \
release.

docs/regressions.md says how findings are made, how often they are wrong, and how to read them.";

/// Finds what releases made slower, in a directory of profiles.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RegressionsArguments {
    /// Directories, or files
    #[arg(value_name = "DIR", required_unless_present = "store")]
    pub paths: Vec<PathBuf>,
    /// The folder of the store of `xhprof serve`, instead of files
    #[arg(long, value_name = "DIR", conflicts_with = "paths")]
    pub store: Option<PathBuf>,
    /// The application, if the store has several
    #[arg(long, value_name = "NAME", requires = "store")]
    pub app: Option<String>,
    /// Only releases deployed then or later: 7d ago, 2026-11-22 or 2026-11-22T10:30, in UTC
    #[arg(long, value_name = "TIME")]
    pub since: Option<Since>,
    /// How to print the findings
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: FindingsFormat,
    /// The memory limit of a profile.
    #[command(flatten)]
    pub memory: MemoryArguments,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// For a terminal
    Text,
    /// For programs
    Json,
    /// For a chat or a merge request
    Markdown,
}
