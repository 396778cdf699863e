//! `xhprof diff`, `xhprof merge`, `xhprof grep`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::{Cost, MemoryArguments};

const DIFF_EXAMPLES: &str = "\
Examples:
  xhprof diff before.xhprof after.xhprof
  xhprof diff before-*.xhprof -- after-*.xhprof
  xhprof diff --metric memory --only worse before.xhprof after.xhprof
  xhprof diff before/ after/
  git show main:run.xhprof | xhprof diff - run.xhprof

A directory stands for the profiles in it. With one file or directory a side, the two are \
enough. With several, `--` stands between the sides, and options come before it.

Costs are the mean of each side's runs. A change no larger than the difference between runs of one \
side (both standard deviations together) is marked with ~. One run a side does not show how much \
runs differ: record several.

Functions are compared by their self cost, calls of one function by another by their inclusive cost. \
The largest change comes first, up or down. Changes marked with ~ follow the unmarked ones. Changes \
of less than a thousandth of the largest come last, marked or not.";

/// Compares profiles: what costs more than before, what costs less.
#[derive(Debug, Default, Args)]
#[command(
    after_help = DIFF_EXAMPLES,
    override_usage = "xhprof diff [OPTIONS] <BASE> <NEW>\n       xhprof diff [OPTIONS] <BASE>... -- <NEW>..."
)]
pub(crate) struct DiffArguments {
    /// Earlier profiles or directories of profiles; `-` reads standard input
    #[arg(value_name = "BASE", required = true)]
    pub(crate) base: Vec<PathBuf>,
    /// Later profiles or directories of profiles
    #[arg(value_name = "NEW", last = true)]
    pub(crate) new: Vec<PathBuf>,
    /// The cost to compare
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// Show only changes in this direction
    #[arg(long, value_name = "DIRECTION")]
    pub(crate) only: Option<Side>,
    /// How many lines of each table to print, 0 for all [default: 25]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Show only functions whose names contain PATTERN: text or a regular expression, in any case
    #[arg(long = "match", value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,
    #[command(flatten)]
    pub(crate) look: DiffLookArguments,
    /// Print JSON, for programs: everything, unless --limit is given
    #[arg(long, conflicts_with_all = ["pager", "columns"])]
    pub(crate) json: bool,
    /// Print through $PAGER if standard output is a terminal
    #[arg(long)]
    pub(crate) pager: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

/// Options for the tables of a comparison.
#[derive(Debug, Default, Args)]
pub(crate) struct DiffLookArguments {
    /// Never shorten names or leave out columns, however narrow the terminal is
    #[arg(long)]
    pub(crate) wide: bool,
    /// The columns to show, in this order
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(DIFF_COLUMNS))]
    pub(crate) columns: Vec<String>,
}

/// The values of `--columns`. The profiles decide which of the columns exist.
const DIFF_COLUMNS: [&str; 6] = ["change", "change%", "base", "new", "spread", "calls"];

/// A direction of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// Functions that cost more than before
    #[value(alias = "regressions")]
    Worse,
    /// Functions that cost less than before
    #[value(alias = "improvements")]
    Better,
}

const MERGE_EXAMPLES: &str = "\
Examples:
  xhprof merge /tmp/*.index.xhprof -o all.xhp
  xhprof merge run-1.xhprof run-2.xhprof --to xhprof-json -o -
  xhprof merge /var/lib/xhprof -o all.xhp
  xhprof merge /var/lib/xhprof --by route

A directory stands for the profiles in it; other files in it are left out, and named. --by route \
writes one file for each route (what the program calls it, else the request or the script) to the \
directory OUT, which it creates if needed, and prints a table of them to standard output.

Costs of the same functions and paths are added up. The sum holds only what every profile holds: if \
one of them has only caller and callee pairs, so has the sum.";

/// Adds several profiles up to one.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArguments {
    /// Profiles or directories of profiles; `-` reads standard input
    #[arg(value_name = "FILES", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write one sum for each of these, to the directory OUT
    #[arg(long, value_name = "WHAT", conflicts_with = "title")]
    pub(crate) by: Option<By>,
    /// The output file; `-` writes to standard output. By default merged.xhp, or the directory routes
    /// with --by route, in the working directory
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// The output format; by default the file name of OUT decides. `xhprof convert --list` has all
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// The title of the sum
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

/// What each sum is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// Routes, requests or scripts
    Route,
}

const GREP_EXAMPLES: &str = "\
Examples:
  xhprof grep PDO::query run.xhp
  xhprof grep 'Cache::get;.*Redis' run.xhp
  xhprof grep --metric memory '^main\\(\\);App' run.xhp --limit 10

A stack is a line, `main();caller;callee 1200`: functions from main() on, then the self cost \
of the last: nanoseconds, bytes, calls or samples. The costliest come first. Tools for collapsed \
stacks read the lines as they are.

Exit codes: 0 if a stack matches, 1 if none does.";

/// Prints the stacks that match a pattern.
#[derive(Debug, Args)]
#[command(after_help = GREP_EXAMPLES)]
pub(crate) struct GrepArguments {
    /// Text or a regular expression for the whole stack, `main();caller;callee`, in any case
    #[arg(value_name = "PATTERN")]
    pub(crate) pattern: String,
    /// The profile; `-` reads standard input
    #[arg(value_name = "IN")]
    pub(crate) file: PathBuf,
    /// The cost to print at the end of each line
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// How many stacks to print [default: all]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) limit: usize,
    /// Estimate the stacks if the profile holds only caller and callee pairs
    #[arg(long)]
    pub(crate) estimate: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}
