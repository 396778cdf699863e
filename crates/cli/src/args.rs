//! The command line, and everything `--help` says.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};

const AFTER_HELP: &str = "\
Exit codes:
  0    done
  1    something went wrong; one line on stderr says what
  2    the command line was not understood
  run passes on the program's own exit code, and 128 + N if signal N killed it

Environment:
  XHPROF_PHP        the PHP to run, as with --php
  XHPROF_EXTENSION  the extension to load, as with --extension
  NO_COLOR          no colour, even on a terminal
  COLUMNS           the width of reports";

/// Profiles PHP programs and shows where their time went.
#[derive(Debug, Parser)]
#[command(name = "xhprof", version, after_help = AFTER_HELP, max_term_width = 100)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArguments),
    Report(ReportArguments),
    Doctor(DoctorArguments),
}

const RUN_EXAMPLES: &str = "\
Examples:
  xhprof run -- script.php --its-own-option
  xhprof run -o run.xhprof -- vendor/bin/phpunit tests
  xhprof run --sort memory -- php -d memory_limit=1G script.php
  xhprof run --flags cpu,memory,no_builtins -- php8.4 script.php

The program has the terminal to itself: its input and output are not touched. Ctrl-C reaches it as
ever; it writes its profile and ends, and the report follows. A second Ctrl-C kills it.

A process that forks writes a profile for each child. The report is about the process that was
started; with -o run.xhprof the children's profiles are kept as run.xhprof.<pid>.

Exit codes: that of the program; 128 + N if signal N killed it; 1 if it was 0, but no profile could
be had.";

/// Runs a PHP program under the profiler, then prints a report to stderr.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArguments {
    /// What to measure besides calls and wall time, or `none`
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "cpu,memory",
        value_name = "FLAGS"
    )]
    pub(crate) flags: Vec<Flag>,
    /// Keep the profile in FILE, readable by nobody else
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How to write FILE; by default `json` if it ends in .json
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<Format>,
    #[command(flatten)]
    pub(crate) php: PhpArguments,
    #[command(flatten)]
    pub(crate) table: TableArguments,
    /// A script and its arguments, or a PHP binary with options and script
    #[arg(required = true, trailing_var_arg = true)]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct PhpArguments {
    /// The PHP to run, unless the command names one
    #[arg(
        long,
        value_name = "PHP",
        env = "XHPROF_PHP",
        hide_env = true,
        default_value = "php"
    )]
    pub(crate) php: OsString,
    /// The extension; by default beside this program, else where PHP keeps its own
    #[arg(long, value_name = "SO", env = "XHPROF_EXTENSION", hide_env = true)]
    pub(crate) extension: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Flag {
    /// CPU time
    Cpu,
    /// Memory in use and its peak
    Memory,
    /// Leave out PHP's own functions
    NoBuiltins,
    /// None of these
    None,
}

impl Flag {
    /// The word that `xhprof.flags` knows.
    pub(crate) fn setting(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::NoBuiltins => "no_builtins",
            Self::None => "",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// XHProf's own, as PHP serializes the array
    Serialize,
    /// The same array as JSON
    Json,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  xhprof report run.xhprof
  xhprof report run.xhprof --sort memory --limit 10
  xhprof report run.xhprof --match 'Doctrine\\\\'
  zcat profiles.gz | xhprof report -

Reads XHProf's files (PHP's serialize() of the array), the same array as JSON, XHGui's upload, and
each of them gzipped. Self cost is what a function spent without its callees; inclusive is with
them, recursion counted once.";

/// Prints where the time of a profile went, function by function.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArguments {
    /// The profile; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) table: TableArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TableArguments {
    /// What comes first
    #[arg(long, value_name = "COLUMN", default_value = "self")]
    pub(crate) sort: Sort,
    /// How many functions to print; 0 prints all
    #[arg(long, value_name = "N", default_value_t = 25)]
    pub(crate) limit: usize,
    /// Only functions with this in their name: text or a regular expression, in any case
    #[arg(long = "match", value_name = "PATTERN")]
    pub(crate) pattern: Option<String>,
}

/// A column to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Own,
    Wall,
    Calls,
    Cpu,
    Memory,
    Peak,
    Name,
}

impl ValueEnum for Sort {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Own,
            Self::Wall,
            Self::Calls,
            Self::Cpu,
            Self::Memory,
            Self::Peak,
            Self::Name,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Own => PossibleValue::new("self").help("Self wall time"),
            Self::Wall => PossibleValue::new("wall")
                .help("Inclusive wall time")
                .alias("incl"),
            Self::Calls => PossibleValue::new("calls").help("Number of calls"),
            Self::Cpu => PossibleValue::new("cpu").help("Self CPU time"),
            Self::Memory => PossibleValue::new("memory").help("Self change of memory in use"),
            Self::Peak => PossibleValue::new("peak").help("Self change of peak memory"),
            Self::Name => PossibleValue::new("name").help("Function name"),
        })
    }
}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  xhprof doctor
  xhprof doctor --php /usr/bin/php8.4
  xhprof doctor --extension ./modules/xhprof.so

Exit codes: 0 if nothing is wrong, 1 if something is (marked with a cross).";

/// Says what is installed, and what is wrong with it.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) php: PhpArguments,
}
