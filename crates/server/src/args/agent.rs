//! `xhprof agent`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use profile::quantities::parse_size;

use super::serve::RunTags;

const EXAMPLES: &str = "\
Examples:
  xhprof agent --spool /run/xhprof --to https://example.com --token-file token
  xhprof agent --spool /run/xhprof --to http://10.0.0.7:8470 --app shop
  xhprof agent --spool /run/xhprof --to https://a.example.com \\
      --to https://b.example.com \\
      --token-file a.token --token-file b.token --bandwidth 1M
  xhprof agent --attach --to https://profiles.example.com --token-file token
  xhprof agent --spool /run/xhprof --forward pyroscope=http://127.0.0.1:4040 \\
      --forward otlp=http://127.0.0.1:4318 --forward-token-file grafana.headers
  xhprof agent --spool /run/xhprof --forward sentry=/etc/xhprof/dsn

The agent takes whole files, puts them on the disk as compressed batches, and removes each batch \
when the server has acknowledged it. An agent or server that is killed loses nothing. SIGTERM sends \
what is left, for --drain seconds. The log is standard error.

Beyond --queue-size the agent drops runs, the oldest first: first those that were neither slow nor \
failed nor asked for. It counts them, and the server's page Settings shows how many are missing.";

/// Sends the profiles that PHP writes on this machine to servers.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AgentArguments {
    /// The folder into which the extension writes, `xhprof.output_dir`
    #[arg(long, value_name = "DIR", required_unless_present = "attach")]
    pub(crate) spool: Vec<PathBuf>,
    /// Sample all PHP processes of this machine, so many times a second, without the extension: a run
    /// for each application and minute
    #[arg(long, value_name = "HERTZ", num_args = 0..=1, default_missing_value = "19")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=999))]
    pub(crate) attach: Option<u32>,
    /// The address of a server; with several, each gets all runs, whether the others work or not
    #[arg(long, value_name = "URL", required_unless_present = "forward")]
    pub(crate) to: Vec<String>,
    /// The file with the token: one for all servers, or one for each --to in their order
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Vec<PathBuf>,
    /// Forward all runs to `pyroscope=URL`, as pprof, to `otlp=URL`, an OpenTelemetry collector, or to
    /// the project whose DSN is in the file of `sentry=FILE`
    #[arg(long, value_name = "KIND=PLACE")]
    pub(crate) forward: Vec<String>,
    /// The file with a token, or with headers as `X-Scope-OrgID: team`: one for all receivers, or one
    /// for each --forward in their order
    #[arg(long, value_name = "FILE", requires = "forward")]
    pub(crate) forward_token_file: Vec<PathBuf>,
    /// The folder for what is not acknowledged; by default `STATE_DIRECTORY`, which systemd sets, or
    /// ~/.local/state/xhprof-agent
    #[arg(long, value_name = "DIR")]
    pub(crate) queue: Option<PathBuf>,
    /// The most that waits on the disk for each server, as 512M or 4G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    pub(crate) queue_size: u64,
    /// Keep files that a server refuses as no profiles, or as too large, in the queue's folder
    /// `refused`: so many bytes, and 1,000 files; 0 keeps none
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = parse_size)]
    pub(crate) refused_size: u64,
    /// How old a file may get before it is sent with those that are there
    #[arg(long, value_name = "SECONDS", default_value = "2")]
    pub(crate) batch_age: u16,
    /// Send at most so many bytes a second to each server, as 500K or 2M
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) bandwidth: Option<u64>,
    /// How many batches are sent to a server at once, from 1 to 16; with --bandwidth it is one
    #[arg(long, value_name = "NUMBER", default_value = "4")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) connections: u32,
    /// A run that took as long is slow, and dropped later than others
    #[arg(long, value_name = "MILLISECONDS", default_value = "1000")]
    pub(crate) slow: u32,
    /// How long to send what is left when the agent is told to end
    #[arg(long, value_name = "SECONDS", default_value = "20")]
    pub(crate) drain: u16,
    /// The priority, from 0 as other programs to 19, the lowest
    #[arg(long, value_name = "NUMBER", default_value = "10")]
    #[arg(value_parser = clap::value_parser!(i32).range(0..=19))]
    pub(crate) nice: i32,
    /// Serve counters for Prometheus at /metrics of this loopback address
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<SocketAddr>,
    /// Trust servers whose certificates these have signed, as PEM, and no others
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tags: RunTags,
}
