//! The command line and the text of `--help`.

mod annotate;
mod attach;
mod check;
mod compare;
mod convert;
mod editor;
mod flags;
mod generate;
mod init;
mod list;
mod mcp;
pub mod memory;
mod regressions;
mod report;
mod viewer;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use profile::{Metric, Profile};

pub(crate) use annotate::AnnotateArguments;
pub(crate) use attach::{AttachArguments, ChoiceArguments, DumpArguments, TopArguments, TopSort};
pub(crate) use check::CheckArguments;
pub(crate) use compare::{DiffArguments, GrepArguments, MergeArguments, Side};
pub(crate) use convert::{ConvertArguments, FlamegraphArguments, Picture};
pub(crate) use editor::{Editor, EditorPath};
pub(crate) use flags::MeasuredFlags;
pub use generate::{CompletionsArguments, ManArguments};
pub(crate) use init::InitArguments;
pub(crate) use list::{ListArguments, ListSort};
pub use mcp::McpArguments;
pub use memory::MemoryArguments;
pub use regressions::{FindingsFormat, RegressionsArguments};
pub(crate) use report::{By, ReportArguments, ReportFormat, Sort, TableArguments, ViewArguments};
pub(crate) use viewer::{HtmlArguments, PageArguments, ViewerArguments};

const AFTER_HELP: &str = "\
Exit codes:
  0    done
  1    an error; one line on stderr says which
  2    the command line is invalid
  run passes on the program's own exit code, and 128 + N if signal N killed it
  grep ends with 1 if no stack matches, doctor if it finds a fault
  check ends with 3 if a budget is broken, 4 if one could not be decided

Files:
  - is standard input, or standard output. Profiles are recognized by their content, gzipped or \
  not. A file is written completely or not at all, and only its owner can read it.

Environment:
  XHPROF_PHP        the PHP to run, as with --php
  XHPROF_EXTENSION  the extension to load, as with --extension
  XHPROF_FLAGS      what `run` measures, as with --flags
  XHPROF_SERVER     the program xhprof-server; else beside xhprof, or on the PATH
  NO_COLOR          no colour, even on a terminal
  COLUMNS           the width of reports on a terminal, and there only
  PAGER             what --pager hands reports to; less if it is not set";

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
    Init(InitArguments),
    Run(RunArguments),
    Attach(AttachArguments),
    Top(TopArguments),
    Dump(DumpArguments),
    Check(CheckArguments),
    Report(ReportArguments),
    Annotate(AnnotateArguments),
    List(ListArguments),
    // The word of XHGui and others.
    #[command(alias = "compare")]
    Diff(DiffArguments),
    Merge(MergeArguments),
    Convert(ConvertArguments),
    Flamegraph(FlamegraphArguments),
    Html(HtmlArguments),
    View(ViewerArguments),
    Grep(GrepArguments),
    Mcp(McpArguments),
    Regressions(RegressionsArguments),
    Doctor(DoctorArguments),
    Completions(CompletionsArguments),
    Man(ManArguments),
}

/// The commands of this program, without those of `xhprof-server`.
#[must_use]
pub fn own_commands() -> clap::Command {
    Arguments::command()
}

impl Command {
    /// The memory limit for the profiles that the command reads.
    pub(crate) fn memory(&self) -> MemoryArguments {
        match self {
            Self::Run(arguments) => arguments.memory,
            Self::Check(arguments) => arguments.memory,
            Self::Report(arguments) => arguments.memory,
            Self::Annotate(arguments) => arguments.memory,
            Self::List(arguments) => arguments.memory,
            Self::Diff(arguments) => arguments.memory,
            Self::Merge(arguments) => arguments.memory,
            Self::Convert(arguments) => arguments.memory,
            Self::Flamegraph(arguments) => arguments.memory,
            Self::Html(arguments) => arguments.page.memory,
            Self::View(arguments) => arguments.page.memory,
            Self::Grep(arguments) => arguments.memory,
            Self::Mcp(arguments) => arguments.memory,
            Self::Regressions(arguments) => arguments.memory,
            Self::Attach(_) | Self::Top(_) | Self::Dump(_) => MemoryArguments::default(),
            Self::Init(_) | Self::Doctor(_) | Self::Completions(_) | Self::Man(_) => {
                MemoryArguments::default()
            }
        }
    }
}

/// One of the costs, by its name on the command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Cost {
    /// Wall time, or samples
    #[default]
    Wall,
    /// CPU time
    Cpu,
    /// Change of memory in use
    Memory,
    /// Change of peak memory
    Peak,
    /// Number of calls
    Calls,
}

impl Cost {
    /// This cost, or the memory of a profile that has sizes and no times.
    pub(crate) fn of(self, profile: &Profile) -> Self {
        match (self, profile.first_metric()) {
            (Self::Wall, Metric::Memory) => Self::Memory,
            _ => self,
        }
    }
}

impl From<Cost> for Metric {
    fn from(cost: Cost) -> Self {
        match cost {
            Cost::Wall => Self::Wall,
            Cost::Cpu => Self::Cpu,
            Cost::Memory => Self::Memory,
            Cost::Peak => Self::Peak,
            Cost::Calls => Self::Calls,
        }
    }
}

const RUN_EXAMPLES: &str = "\
Examples:
  xhprof run -- script.php --its-own-option
  xhprof run -o run.xhp -- vendor/bin/phpunit tests
  xhprof run -o run.svg -- vendor/bin/phpunit tests
  xhprof run --sort memory -- php -d memory_limit=1G script.php
  xhprof run --flags +no_builtins,-memory -- php8.4 script.php
  xhprof run --mode sample -o run.xhp -- script.php

The program keeps the terminal: xhprof does not touch its input and output. Ctrl-C ends the program, \
which writes its profile first; then the report follows. A second Ctrl-C kills it.

Each forked child writes a profile of its own. The report is about the process that xhprof started; \
with -o run.xhp the children's profiles are kept as run.xhp.<pid>.

Exit codes: that of the program; 128 + N if signal N killed it; 1 if it was 0, but there is no \
profile.";

/// Profiles a PHP program, then prints a report to stderr.
#[derive(Debug, Args)]
// Clap takes options that the environment sets for required ones.
#[command(after_help = RUN_EXAMPLES, override_usage = "xhprof run [OPTIONS] <COMMAND>...")]
pub(crate) struct RunArguments {
    /// What to measure besides calls and wall time: any of cpu, lines, memory, sql, `no_builtins`, or none;
    /// with signs, what to change of the default: cpu,memory,sql
    #[arg(
        long,
        env = "XHPROF_FLAGS",
        hide_env = true,
        allow_hyphen_values = true,
        default_value = "cpu,memory,sql",
        hide_default_value = true,
        value_name = "FLAGS"
    )]
    pub(crate) flags: MeasuredFlags,
    /// Write the profile to FILE, which only its owner can read
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The format of FILE; by default the ending of its name decides, else native
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// What to record
    #[arg(long, value_name = "MODE", default_value = "tree")]
    pub(crate) mode: Mode,
    /// With --mode sample: microseconds between two samples [default: 1000]
    #[arg(long, value_name = "MICROSECONDS", value_parser = clap::value_parser!(u32).range(100..))]
    pub(crate) interval: Option<u32>,
    /// Print nothing after the program's own output: for `xhprof check`, which shows the end of it
    #[arg(long, hide = true, requires = "output")]
    pub(crate) no_report: bool,
    #[command(flatten)]
    pub(crate) php: PhpArguments,
    #[command(flatten)]
    pub(crate) table: TableArguments,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
    /// A script and its arguments, or a PHP binary with options and script
    #[arg(required = true, trailing_var_arg = true)]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct PhpArguments {
    /// The PHP binary to run, unless the command names one
    #[arg(
        long,
        value_name = "PHP",
        env = "XHPROF_PHP",
        hide_env = true,
        default_value = "php"
    )]
    pub(crate) php: OsString,
    /// The extension's file; by default beside this program, else in PHP's extension directory
    #[arg(long, value_name = "SO", env = "XHPROF_EXTENSION", hide_env = true)]
    pub(crate) extension: Option<PathBuf>,
}

/// `xhprof.mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Costs by caller and callee
    Edges,
    /// Costs by whole path
    Tree,
    /// Every entry and exit, a few bytes each
    Events,
    /// Stacks, taken at intervals: the lowest overhead
    Sample,
}

impl Mode {
    /// The value of `xhprof.mode`.
    pub(crate) fn setting(self) -> &'static str {
        match self {
            Self::Edges => "edges",
            Self::Tree => "tree",
            Self::Events => "events",
            Self::Sample => "sample",
        }
    }
}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  xhprof doctor
  xhprof doctor --verbose
  xhprof doctor --php /usr/bin/php8.4
  xhprof doctor --php-fpm
  xhprof doctor --php-fpm=/usr/sbin/php-fpm8.2
  xhprof doctor --extension ./modules/xhprof.so

A PHP for the web has settings of its own: --php takes any binary, php-cgi and php-fpm too. With \
php-fpm, doctor checks every pool: its own settings, and where its user can write.

Exit codes: 0 if it finds no fault, 1 if it finds one (marked with a cross).";

/// Checks the installation: PHP, extension, settings, directories.
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) php: PhpArguments,
    /// Check php-fpm and its pools: the newest php-fpm installed, or this binary
    #[arg(
        long,
        value_name = "PHP_FPM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    pub(crate) php_fpm: Option<OsString>,
    /// List every check, with what was found, not only faults and warnings
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// The main configuration file of php-fpm; by default `php-fpm -tt` names it
    #[arg(long, value_name = "FILE")]
    pub(crate) fpm_config: Option<PathBuf>,
}
