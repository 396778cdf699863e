//! `xhprof attach`, `xhprof dump`, `xhprof top`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};

use super::TableArguments;

const ATTACH_EXAMPLES: &str = "\
Examples:
  xhprof attach 4711
  xhprof attach --fpm --duration 30s -o pool.xhp
  xhprof attach --fpm www -o pool.html
  xhprof attach --name 'artisan queue' --duration 5m -o queue.xhp
  xhprof attach --all --collapsed | grep ';PDO::'
  xhprof attach 4711 --children --stop
  xhprof attach --fpm www --trace -o request.xhp

Samples PHP processes that run already, without the extension and without a restart. Their memory is \
read, nothing else: they keep running, unless --stop is given. The time in the report is wall time, \
of all processes together. Ctrl-C ends it early, with what was sampled so far.

--trace and --for need the extension, and take no samples: a server's processes that load it and do \
not profile record their next requests exactly, and write them where their settings say.

PHP 8.1 to 8.6 are known, thread-safe or not. Another user's processes need root or the capability \
CAP_SYS_PTRACE. docs/attach.md has more.

Exit codes: 0 if there is a sample or a profile, 1 if there is none.";

/// Options that have a meaning for samples alone.
const SAMPLING: [&str; 7] = [
    "rate",
    "collapsed",
    "idle",
    "run_init",
    "native",
    "stop",
    "layout",
];

/// Samples running PHP processes from outside, then prints a report.
#[derive(Debug, Args)]
#[command(after_help = ATTACH_EXAMPLES)]
pub(crate) struct AttachArguments {
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,
    /// How long to sample: 500ms, 10s, 5m; 0 until it is interrupted
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) duration: Duration,
    /// Samples a second of each process; 99 if not given, or fewer, so that all together have at most 1,000
    #[arg(long, value_name = "HERTZ")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rate: Option<u32>,
    /// In place of samples: each process's extension profiles its next N requests, every call. Waits for
    /// --duration at most
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with_all = SAMPLING)]
    pub(crate) trace: Option<u32>,
    /// The same for all requests that begin within TIME: 5s, 1m
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    #[arg(conflicts_with_all = SAMPLING, conflicts_with_all = ["trace", "duration"])]
    pub(crate) trace_for: Option<Duration>,
    /// Write the profile to FILE, which only its owner can read
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The format of FILE; by default the ending of its name decides, else native
    #[arg(long, value_name = "FORMAT", requires = "output")]
    pub(crate) to: Option<String>,
    /// Print the stacks of each second to standard output: `main();a;b 12`, in place of a report
    #[arg(long, conflicts_with = "output")]
    pub(crate) collapsed: bool,
    /// Also record the time in which workers wait for a request, as `[idle]`
    #[arg(long)]
    pub(crate) idle: bool,
    /// The top level of a file is a function, `run_init::folder/file.php`
    #[arg(long)]
    pub(crate) run_init: bool,
    /// What a call waits for is a frame: `[recvfrom tcp 10.0.0.5:3306]`, `[flock /srv/a.lock]`
    #[arg(long)]
    pub(crate) native: bool,
    #[command(flatten)]
    pub(crate) table: TableArguments,
}

/// Which processes, and how to read them.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("choice").required(true)))]
pub(crate) struct ChoiceArguments {
    /// The processes
    #[arg(value_name = "PID", group = "choice")]
    pub(crate) processes: Vec<u32>,
    /// The workers of php-fpm: of all pools, or of POOL
    #[arg(long, value_name = "POOL", num_args = 0..=1, default_missing_value = "", group = "choice")]
    pub(crate) fpm: Option<String>,
    /// PHP processes whose command line matches a regular expression
    #[arg(long, value_name = "REGEX", group = "choice")]
    pub(crate) name: Option<String>,
    /// The PHP processes of a container of Docker or containerd: its name, that of its pod, or its number
    #[arg(long, value_name = "NAME", group = "choice")]
    pub(crate) container: Option<String>,
    /// All PHP processes of this machine
    #[arg(long, group = "choice")]
    pub(crate) all: bool,
    /// Also the children of these processes, and theirs
    #[arg(long)]
    pub(crate) children: bool,
    /// Stop each process while it is read, tens of microseconds: no stack is torn
    #[arg(long)]
    pub(crate) stop: bool,
    /// The layout of a PHP that the program does not know: the output of crates/attach/layouts/offsets.c
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
}

const DUMP_EXAMPLES: &str = "\
Examples:
  xhprof dump 4711
  xhprof dump --fpm
  xhprof dump --all
  xhprof dump --core core.4711 /usr/sbin/php-fpm8.2

Prints what each process executes at this moment, the innermost function first, with files and \
lines. If it waits, the first line is the system call, with its file or address. No arguments and \
no variables of the program are read.";

/// Prints the stacks of running PHP processes once, with lines.
#[derive(Debug, Args)]
#[command(after_help = DUMP_EXAMPLES)]
pub(crate) struct DumpArguments {
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,
    /// The stacks of a process that has ended: its core file, and the binary that it ran
    #[arg(long, num_args = 2, value_names = ["FILE", "PHP-BINARY"], group = "choice")]
    pub(crate) core: Vec<PathBuf>,
}

const TOP_EXAMPLES: &str = "\
Examples:
  xhprof top --fpm
  xhprof top --all --rate 49
  xhprof top 4711 --sort incl
  xhprof top --fpm --duration 5s | head -20

Shares of the sampled time: `self` without callees, `incl` with them; `now` is the last second, \
`all` the time since the start. Below the table are the requests that are served now.

Keys: s, i sort by self or incl of now; S, I of all; space pauses; / filters by a text, Esc ends \
that; w shows one worker after another; q quits.

If standard output is no terminal, one table is printed after --duration, and the program ends.";

/// Shows what running PHP processes do, as a table that is updated.
#[derive(Debug, Args)]
#[command(after_help = TOP_EXAMPLES)]
pub(crate) struct TopArguments {
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,
    /// How long to sample: 500ms, 10s, 5m; until `q` on a terminal, 2s elsewhere
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Samples a second of each process; 99 if not given, or fewer, so that all together have at most 1,000
    #[arg(long, value_name = "HERTZ")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) rate: Option<u32>,
    /// The column to sort by
    #[arg(long, value_name = "COLUMN", default_value = "self")]
    pub(crate) sort: TopSort,
    /// Show only functions whose names contain TEXT, in any case
    #[arg(
        long = "match",
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) filter: String,
    /// What a call waits for is a row: `[recvfrom tcp 10.0.0.5:3306]`, `[flock /srv/a.lock]`
    #[arg(long)]
    pub(crate) native: bool,
}

/// A column of `xhprof top`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TopSort {
    /// Self cost of the last second
    #[value(name = "self")]
    Own,
    /// Inclusive cost of the last second
    #[value(name = "incl")]
    Inclusive,
    /// Self cost since the start
    #[value(name = "self-all")]
    OwnOfAll,
    /// Inclusive cost since the start
    #[value(name = "incl-all")]
    InclusiveOfAll,
}

/// `500ms`, `10s`, `5m`, `1h`; a number alone is seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or("");
    let milliseconds = match unit {
        "ms" => 1.0,
        "" | "s" => 1e3,
        "m" | "min" => 60e3,
        "h" => 3_600e3,
        _ => return Err("the units are ms, s, m and h".to_owned()),
    };
    let number: f64 = digits
        .parse()
        .map_err(|_| "not a time, such as 10s".to_owned())?;
    Duration::try_from_secs_f64(number * milliseconds / 1e3)
        .map_err(|_| "not a time, such as 10s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        let times = [
            ("500ms", 500),
            ("10s", 10_000),
            ("10", 10_000),
            ("1.5m", 90_000),
            ("1h", 3_600_000),
        ];
        for (text, milliseconds) in times {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)));
        }
        for text in ["", "s", "-1s", "10d", "1e400", "nan"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
