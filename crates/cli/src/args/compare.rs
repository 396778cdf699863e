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

A directory stands for the profiles in it. With one file or directory a side, the two are
enough. With several, `--` stands between the sides, and options come before it.

Costs are means of a side's runs. What changed by no more than runs of the same side differ (both
standard deviations together) is marked with ~. With one run a side nobody knows how much chance has
to do with a change: record several.

Functions are compared by their self cost, calls of one function by another by their inclusive cost.
The largest change comes first, up or down. What is marked with ~ comes behind all that is not, and
last comes what is less than a thousandth of the largest change, marked or not.";

/// Compares profiles: what got worse, and what better.
#[derive(Debug, Args)]
#[command(
    after_help = DIFF_EXAMPLES,
    override_usage = "xhprof diff [OPTIONS] <BASE> <NEW>\n       xhprof diff [OPTIONS] <BASE>... -- <NEW>..."
)]
pub(crate) struct DiffArguments {
    /// Earlier profiles, or directories of them; `-` reads standard input
    #[arg(value_name = "BASE", required = true)]
    pub(crate) base: Vec<PathBuf>,
    /// Later profiles, or directories of them
    #[arg(value_name = "NEW", last = true)]
    pub(crate) new: Vec<PathBuf>,
    /// The cost that is compared
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// Only what changed in one direction
    #[arg(long, value_name = "DIRECTION")]
    pub(crate) only: Option<Side>,
    /// How many lines of each table to print, 0 for all; 25 unless said otherwise
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Only functions with this in their name: text or a regular expression, in any case
    #[arg(long = "match", value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,
    #[command(flatten)]
    pub(crate) look: DiffLookArguments,
    /// As JSON, for programs: everything, unless --limit is given
    #[arg(long, conflicts_with_all = ["pager", "columns"])]
    pub(crate) json: bool,
    /// Through $PAGER, if this is a terminal
    #[arg(long)]
    pub(crate) pager: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

/// How the tables of a comparison look.
#[derive(Debug, Args)]
pub(crate) struct DiffLookArguments {
    /// Shorten no name and leave out no column, however narrow the terminal is
    #[arg(long)]
    pub(crate) wide: bool,
    /// The columns to show, in this order
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(DIFF_COLUMNS))]
    pub(crate) columns: Vec<String>,
}

/// What `--columns` takes. Which of them there are, the profiles decide.
const DIFF_COLUMNS: [&str; 6] = ["change", "change%", "base", "new", "spread", "calls"];

/// A direction of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// What costs more than before
    #[value(alias = "regressions")]
    Worse,
    /// What costs less than before
    #[value(alias = "improvements")]
    Better,
}

const MERGE_EXAMPLES: &str = "\
Examples:
  xhprof merge /tmp/*.index.xhprof -o all.xhp
  xhprof merge run-1.xhprof run-2.xhprof --to xhprof-json -o -
  xhprof merge /var/lib/xhprof -o all.xhp
  xhprof merge /var/lib/xhprof --by route -o routes/

A directory stands for the profiles in it; what is none is left out, and named. With --by route there
is one file for each route (what the program calls it, else the request or the script) in the
directory OUT, which is made if it is not there, and a table of them on standard output.

Costs of the same functions and paths are added up. The sum has what all of the profiles know: if
one of them knows only who called whom, so does the sum.";

/// Adds profiles up to one.
#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArguments {
    /// The profiles, or directories of them; `-` reads standard input
    #[arg(value_name = "FILES", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// One sum for each of these, in the directory OUT
    #[arg(long, value_name = "WHAT", conflicts_with = "title")]
    pub(crate) by: Option<By>,
    /// Where the sum goes; `-` writes to standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format; by default what the end of OUT says. `xhprof convert --list` has them all
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// What the sum is called
    #[arg(long, value_name = "TITLE")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

/// What there is one sum of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// Each route, request or script
    Route,
}

const GREP_EXAMPLES: &str = "\
Examples:
  xhprof grep PDO::query run.xhp
  xhprof grep 'Cache::get;.*Redis' run.xhp
  xhprof grep --metric memory '^main\\(\\);App' run.xhp --limit 10

A stack is a line, `main();caller;callee 1200`: functions from main() on, then what the last of them
cost by itself: nanoseconds, bytes, calls or samples. The costliest come first; tools for collapsed
stacks read the lines as they are.

Exit codes: 0 if a stack matches, 1 if none does.";

/// Prints the stacks that have something in them.
#[derive(Debug, Args)]
#[command(after_help = GREP_EXAMPLES)]
pub(crate) struct GrepArguments {
    /// Text or a regular expression for the whole stack, `main();caller;callee`, in any case
    #[arg(value_name = "PATTERN")]
    pub(crate) pattern: String,
    /// The profile; `-` reads standard input
    #[arg(value_name = "IN")]
    pub(crate) file: PathBuf,
    /// The cost at the end of each line
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// How many stacks to print; all unless said otherwise
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) limit: usize,
    /// Guess the stacks if the profile knows only who called whom
    #[arg(long)]
    pub(crate) estimate: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}
