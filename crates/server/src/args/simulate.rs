//! `xhprof simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use profile::quantities::Since;

const EXAMPLES: &str = "\
Examples:
  xhprof simulate --runs 100000 --store /srv/test
  xhprof simulate --runs 1000000 --to http://127.0.0.1:8470 --paths 200..2000
  xhprof simulate --runs 5000 --spool /run/xhprof --per-second 100

Runs of a fleet that does not exist, to measure a store, a server or an agent. Routes have the \
traffic of Zipf's law, some hours have bursts; the routes of an application share the calls of its \
framework. With the same options, --end included, the runs are the same, byte for byte, so a \
simulation that was ended can be started again: what is stored is not stored twice.

Do not simulate into a store of real runs: its sums would have both.";

/// Makes runs of a simulated fleet, for measurements.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SimulateArguments {
    /// The number of runs
    #[arg(long, value_name = "NUMBER")]
    pub(crate) runs: u64,
    #[command(flatten)]
    pub(crate) target: TargetArguments,
    /// The file with the token for --to
    #[arg(long, value_name = "FILE", conflicts_with_all = ["spool", "store"])]
    pub(crate) token_file: Option<PathBuf>,
    /// Make at most so many runs a second; by default as many as are taken
    #[arg(long, value_name = "NUMBER")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) per_second: Option<u32>,
    /// Another seed makes other routes, call trees and times
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    pub(crate) seed: u64,
    /// The days over which the runs are spread
    #[arg(long, value_name = "NUMBER", default_value = "7")]
    pub(crate) days: u32,
    /// The end of the last day, as 2026-11-22; by default the last full hour
    #[arg(long, value_name = "TIME")]
    pub(crate) end: Option<Since>,
    /// The applications
    #[arg(long, value_name = "NUMBER", default_value = "5")]
    pub(crate) apps: u32,
    /// The routes of all applications
    #[arg(long, value_name = "NUMBER", default_value = "500")]
    pub(crate) routes: u32,
    /// The exponent of Zipf's law: how much more traffic the first routes have
    #[arg(long, value_name = "NUMBER", default_value = "1.1")]
    pub(crate) zipf: f64,
    /// The hosts
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    pub(crate) hosts: u32,
    /// The releases of each application
    #[arg(long, value_name = "NUMBER", default_value = "4")]
    pub(crate) releases: u32,
    /// The least and the most call paths of a route
    #[arg(long, value_name = "LEAST..MOST", default_value = "200..20000", value_parser = paths)]
    pub(crate) paths: (u32, u32),
    /// How many runs are made and stored at a time
    #[arg(long, value_name = "NUMBER", default_value = "16")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: u16,
    /// How the result is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ResultFormat,
}

/// Where the runs go.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct TargetArguments {
    /// Send them to this server, in batches as an agent does
    #[arg(long, value_name = "URL")]
    pub(crate) to: Option<String>,
    /// Write them into this folder as the extension does; waits while 5,000 files are in it
    #[arg(long, value_name = "DIR")]
    pub(crate) spool: Option<PathBuf>,
    /// Store them in this store, which no server has open
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
}

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

fn paths(text: &str) -> Result<(u32, u32), &'static str> {
    let error = "not a range, such as 200..20000, or a number";
    let number = |text: &str| text.parse().map_err(|_| error);
    match text.split_once("..") {
        Some((least, most)) => Ok((number(least)?, number(most)?)),
        None => number(text).map(|both| (both, both)),
    }
}
