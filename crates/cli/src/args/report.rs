//! `xhprof report`, and the options that `xhprof run` shares with it.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use profile::Metric;

use super::{Cost, MemoryArguments};

const REPORT_EXAMPLES: &str = "\
Examples:
  xhprof report run.xhprof
  xhprof report run.xhprof --metric memory --limit 10
  xhprof report run.xhprof --match 'Doctrine\\\\'
  xhprof report run.xhprof --callers PDO::query
  xhprof report run.xhprof --callees '*Controller::index'
  xhprof report run.xhprof --columns calls,self,incl-memory
  xhprof report run.xhprof --limit 0 | grep Sniff
  xhprof report run.xhp --tree --min 5
  xhprof report run.xhp --by package
  xhprof report run.xhp --spans
  xhprof report run.xhp --lines
  xhprof report run.xhp --hints
  xhprof report run.xhp --format markdown
  zcat profiles.gz | xhprof report -

Reads every format that `xhprof convert --list` has as readable, gzipped or not. Self cost is the \
cost of a function without its callees; inclusive cost is with them, recursion counted once.

--tree and --inverted need whole stacks. A profile that has only caller and callee pairs, as \
XHProf's files have, is refused; --estimate estimates its stacks, and the report says so.

--callers and --callees take a whole name, or the end of one (`get` for `Cache::get`), a class, or a \
pattern with `*`, in any case. If several functions match, they are listed with their costs.

A pipe or a file gets no colour, and every name and column in full, whatever COLUMNS says. On a \
terminal (as wide as COLUMNS says, or as it is) the memory columns are left out first; then \
namespaces are shortened from the left, never so that two functions look the same; --wide shows all.

--columns takes, if the profile has them: calls, self, self%, incl, incl% (of --metric); \
wall, cpu, memory, peak (a function's own); incl-wall, incl-cpu, incl-memory, incl-peak (with \
callees); with --metric calls, calls%; with --spans: calls, time, time%, longest, rows.

--json is described by docs/report.schema.json.";

/// Prints the costs of a profile, function by function.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArguments {
    /// The profile; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) view: ViewArguments,
    #[command(flatten)]
    pub(crate) table: TableArguments,
    /// How to print the report
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
    /// The same as --format json
    #[arg(long, conflicts_with_all = ["pager", "columns", "format"])]
    pub(crate) json: bool,
    /// Print through $PAGER if standard output is a terminal
    #[arg(long)]
    pub(crate) pager: bool,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

/// How a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For a terminal
    Text,
    /// For programs: everything, unless --limit is given
    Json,
    /// One text of bounded length, for an issue or an assistant: paths, functions, spans, hints, and
    /// what was measured
    Markdown,
}

impl ReportArguments {
    /// The format; `--json` is another name of one.
    pub(crate) fn format(&self) -> ReportFormat {
        if self.json {
            ReportFormat::Json
        } else {
            self.format
        }
    }
}

/// The view that replaces the table of functions.
#[derive(Debug, Default, Args)]
pub(crate) struct ViewArguments {
    /// The callers of FUNCTION, and the cost of their calls
    #[arg(long, value_name = "FUNCTION", group = "view")]
    pub(crate) callers: Option<String>,
    /// The functions that FUNCTION calls, and the cost of those calls
    #[arg(long, value_name = "FUNCTION", group = "view")]
    pub(crate) callees: Option<String>,
    /// The call tree, the costliest calls first
    #[arg(long, groups = ["view", "trees"])]
    pub(crate) tree: bool,
    /// The functions, and below each its callers
    #[arg(long, groups = ["view", "trees"])]
    pub(crate) inverted: bool,
    /// Calls that waited: SQL statements, HTTP requests, commands of Redis and Memcached, and their
    /// callers
    #[arg(long, visible_alias = "queries", group = "view")]
    pub(crate) spans: bool,
    /// The source lines, the costliest first: samples have them. Self cost is here with PHP's own
    /// functions that a line calls
    #[arg(long, group = "view")]
    pub(crate) lines: bool,
    /// All hints on where time or memory is wasted, and what to do about each
    #[arg(long, group = "view", conflicts_with = "no_hints")]
    pub(crate) hints: bool,
    /// What the rows are
    #[arg(long, value_name = "WHAT", default_value = "function", conflicts_with_all = ["spans", "hints"])]
    pub(crate) by: By,
    /// Leave out of trees what costs less than PERCENT of the total [default: 1, with --match 0]
    #[arg(long, value_name = "PERCENT", requires = "trees", value_parser = percent)]
    pub(crate) min: Option<f64>,
    /// Count a recursive call as part of the outer call; needs whole stacks
    #[arg(long)]
    pub(crate) fold_recursion: bool,
    /// Estimate the stacks if the profile holds only caller and callee pairs
    #[arg(long)]
    pub(crate) estimate: bool,
}

/// What the rows of a report are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum By {
    /// Functions
    #[default]
    Function,
    /// Composer packages, plugins, modules, own code, PHP, waiting; needs whole stacks
    Package,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("not a number from 0 to 100".to_owned()),
    }
}

/// Rows and columns of a table.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct TableArguments {
    /// The cost that percentages refer to
    #[arg(long, value_name = "COST", default_value = "wall")]
    pub(crate) metric: Cost,
    /// The column to sort by [default: self]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) sort: Option<Sort>,
    /// How many lines to print, 0 for all [default: 25, of trees 100]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Show only functions whose names contain PATTERN: text or a regular expression, in any case
    #[arg(long = "match", value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,
    /// Never shorten names or leave out columns, however narrow the terminal is
    #[arg(long)]
    pub(crate) wide: bool,
    /// The columns to show, in this order; self, calls, ... are as in --sort
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(COLUMNS))]
    pub(crate) columns: Vec<String>,
    /// No hints below the table
    #[arg(long)]
    pub(crate) no_hints: bool,
}

/// The values of `--columns`. The profile and the view decide which of the columns exist.
const COLUMNS: [&str; 18] = [
    "calls",
    "calls%",
    "self",
    "self%",
    "incl",
    "incl%",
    "wall",
    "cpu",
    "memory",
    "peak",
    "incl-wall",
    "incl-cpu",
    "incl-memory",
    "incl-peak",
    "time",
    "time%",
    "longest",
    "rows",
];

impl TableArguments {
    /// How many lines to print.
    pub(crate) fn limit_or(&self, default: usize) -> usize {
        match self.limit.unwrap_or(default) {
            0 => usize::MAX,
            limit => limit,
        }
    }
}

/// A column to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Own,
    Inclusive,
    Calls,
    Cpu,
    Memory,
    Peak,
    Name,
}

impl Sort {
    /// The cost of the column, if it has one of its own.
    pub(crate) fn cost(self) -> Option<Metric> {
        match self {
            Self::Calls => Some(Metric::Calls),
            Self::Cpu => Some(Metric::Cpu),
            Self::Memory => Some(Metric::Memory),
            Self::Peak => Some(Metric::Peak),
            Self::Own | Self::Inclusive | Self::Name => None,
        }
    }
}

impl ValueEnum for Sort {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Own,
            Self::Inclusive,
            Self::Calls,
            Self::Cpu,
            Self::Memory,
            Self::Peak,
            Self::Name,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Own => PossibleValue::new("self").help("Self cost"),
            Self::Inclusive => PossibleValue::new("incl")
                .help("Inclusive cost")
                .alias("wall"),
            Self::Calls => PossibleValue::new("calls").help("Number of calls"),
            Self::Cpu => PossibleValue::new("cpu").help("Self CPU time"),
            Self::Memory => PossibleValue::new("memory").help("Self change of memory in use"),
            Self::Peak => PossibleValue::new("peak").help("Self change of peak memory"),
            Self::Name => PossibleValue::new("name").help("Function name"),
        })
    }
}
