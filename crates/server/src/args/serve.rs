//! `xhprof serve`, `xhprof push`, `xhprof import`, `xhprof store`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use cli::args::memory::MemoryArguments;
use ipnet::IpNet;
use profile::quantities::parse_size;

const SERVE_EXAMPLES: &str = "\
Examples:
  xhprof serve --demo
  xhprof serve --watch /var/lib/xhprof
  xhprof serve --token-file tokens --add-token ci:write:shop
  xhprof serve --listen 0.0.0.0:8470 --host profiles.example.com \\
      --token-file tokens \\
      --tls-cert cert.pem --tls-key key.pem

On this machine's own address there is no login, unless the store has tokens (`xhprof store token \
add`). On any other address there must be such tokens, --token-file, or --no-auth. The address prints on standard output, the log on standard error. Ctrl-C ends it.";

/// Keeps the runs of a team, and shows them in the browser.
#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) folder: StoreFolder,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8470")]
    pub(crate) listen: SocketAddr,
    /// Store the profiles that the extension writes into DIR, and remove their files
    #[arg(long, value_name = "DIR")]
    pub(crate) watch: Vec<PathBuf>,
    /// Leave the files that --watch stored
    #[arg(long, requires = "watch")]
    pub(crate) keep: bool,
    /// Fill a temporary store with a month of a shop that does not exist
    #[arg(long, conflicts_with_all = ["watch", "store", "bucket"])]
    pub(crate) demo: bool,
    /// Ask for a token of FILE, which has their hashes
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Add a token to --token-file, print it and end; scopes are read, write and admin
    #[arg(long, value_name = "NAME:SCOPES[:APP]", requires = "token_file")]
    pub(crate) add_token: Option<String>,
    /// Ask for no login, although other machines can reach the address
    #[arg(long, conflicts_with = "token_file")]
    pub(crate) no_auth: bool,
    /// A name under which browsers reach the server, beside its address
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The address of a proxy on another machine, or a network as 10.1.0.0/16: its X-Forwarded-For is
    /// believed, as that of a proxy on this machine is
    #[arg(long, value_name = "ADDRESS", value_parser = network)]
    pub(crate) proxy: Vec<IpNet>,
    /// The name of PHP's xhprof.trigger, for the page "Profile now"
    #[arg(long, value_name = "NAME", default_value = "XHPROF")]
    pub(crate) trigger: String,
    /// The file with the secret of that trigger; only tokens with the scope admin see it
    #[arg(long, value_name = "FILE")]
    pub(crate) trigger_secret_file: Option<PathBuf>,
    /// Link runs to their traces: an address with `{trace_id}`, and `{span_id}` if it needs that
    #[arg(long, value_name = "URL")]
    pub(crate) trace_url: Option<::serve::TraceUrl>,
    /// Send each new regression to URL, as JSON with a text in Markdown
    #[arg(
        long,
        value_name = "URL",
        env = "XHPROF_WEBHOOK",
        hide_env_values = true
    )]
    pub(crate) webhook: Option<String>,
    /// The form of what is sent; by default that of the receiver, as far as its address tells
    #[arg(long, value_name = "FORM", requires = "webhook", value_enum)]
    pub(crate) webhook_format: Option<WebhookFormat>,
    /// The address of this server, such as `https://profiles.example.com`, for links in what is sent
    #[arg(long, value_name = "URL", requires = "webhook")]
    pub(crate) public_url: Option<String>,
    /// Headers of these requests: lines such as `Authorization: Bearer SECRET`
    #[arg(long, value_name = "FILE", requires = "webhook")]
    pub(crate) webhook_headers: Option<PathBuf>,
    /// The time between two searches for regressions
    #[arg(
        long,
        value_name = "MINUTES",
        default_value = "60",
        requires = "webhook"
    )]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) webhook_every: u64,
    /// The memory of the server with the processes that read uploads, as 512M or 4G; by default a
    /// quarter of the machine or of its cgroup
    #[arg(long, value_name = "SIZE", value_parser = server_memory)]
    pub(crate) memory: Option<u64>,
    /// The certificate for HTTPS, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
}

/// As much as a server needs at least.
fn server_memory(text: &str) -> Result<u64, String> {
    let least = ::serve::MIN_MEMORY;
    match parse_size(text)? {
        memory if memory < least => Err(format!("a server needs at least {}M", least >> 20)),
        memory => Ok(memory),
    }
}

/// An address, or a network.
fn network(text: &str) -> Result<IpNet, &'static str> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    let network = address.or_else(|_| text.parse());
    network.map_err(|_| "not an address such as 10.1.0.7, or a network such as 10.1.0.0/16")
}

/// Where the store is.
#[derive(Debug, Args)]
pub(crate) struct StoreFolder {
    /// The folder of the store, or the address of its database.
    // Not `env`: the variable XHPROF_STORE would conflict with --demo.
    #[arg(long, value_name = "DIR", global = true)]
    #[arg(
        help = "The folder of the store, by default ~/.local/share/xhprof, or clickhouse://HOST/DATABASE"
    )]
    pub(crate) store: Option<PathBuf>,
    /// The bucket that has the files of a store in ClickHouse
    // Not `env`, as above.
    #[arg(long, value_name = "ADDRESS", global = true)]
    #[arg(
        help = "The bucket for the files of runs of a store in ClickHouse, as s3://NAME?endpoint=URL; the key is in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )]
    pub(crate) bucket: Option<String>,
}

const PUSH_EXAMPLES: &str = "\
Examples:
  xhprof push run.xhp --to http://127.0.0.1:8470
  xhprof push *.xhp --to https://profiles.example.com --token-file token \\
      --app shop --release 2026.11

The token is in a file, or in the environment variable XHPROF_TOKEN, so that no list of processes \
shows it. A run that the server has is not stored again. Each file gets a line with the address of \
its run; more than 20 files get a summary.

Exit codes:
  0  the server has all files; those of a directory that are no profiles are left out
  1  a file was not stored. The others were sent, unless the server is not reachable, refuses the \
     token, or its disk is full";

/// Sends profiles to a server.
#[derive(Debug, Args)]
#[command(after_help = PUSH_EXAMPLES)]
pub(crate) struct PushArguments {
    /// The profiles, of any format; those of a directory
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The address of the server
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
    /// The file with the token
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Print errors only
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// Print what became of each file as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) tags: RunTags,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

/// What the runs get, whatever their files say.
#[derive(Debug, Args)]
pub(crate) struct RunTags {
    /// The application
    #[arg(long, value_name = "NAME")]
    pub(crate) app: Option<String>,
    /// The release
    #[arg(long, value_name = "NAME")]
    pub(crate) release: Option<String>,
    /// The fraction of requests that were profiled, such as 0.01
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub(crate) rate: Option<f64>,
}

/// A store takes any other number as 1, which is not what was meant.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok();
    rate.filter(|rate| *rate > 0.0 && *rate <= 1.0)
        .ok_or_else(|| "use a number above 0, at most 1, such as 0.01".to_owned())
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  xhprof import /var/lib/xhprof
  xhprof import old.xhprof --store /srv/runs --app shop --release 2026.10

The files stay. A run that the store has is not stored again.";

/// Stores profiles in a store that no server has open.
#[derive(Debug, Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub(crate) struct ImportArguments {
    /// The profiles, of any format; those of a directory, such as XHProf's folder of saved runs
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) folder: StoreFolder,
    #[command(flatten)]
    pub(crate) tags: RunTags,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
}

const STORE_EXAMPLES: &str = "\
Examples:
  xhprof store verify
  xhprof store backup /srv/backup/2026-11-22
  xhprof store export slow 'route:/cart* wall:>1s'
  xhprof store policy --days 30 --bytes 20G
  xhprof store policy --app shop --days none --runs 100000 --runs-a-day 50000
  xhprof store token add web1 --app shop --may write
  xhprof store --store /srv/runs compact

verify, backup, export, stats, `token list`, `policy` without limits and `retain --dry-run` work \
while a server has the store open; the others do not. A server applies the policies every hour. The environment \
variable XHPROF_STORE names the folder, too.";

/// Inspects, repairs and copies a store.
#[derive(Debug, Args)]
#[command(after_help = STORE_EXAMPLES)]
pub(crate) struct StoreArguments {
    #[command(flatten)]
    pub(crate) folder: StoreFolder,
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Reads everything, and compares the sums with the runs; ends with 1 if something is damaged
    Verify,
    /// Computes the sums again, of all hours whose runs are all there
    Rebuild,
    /// Makes the files as small as they can be; in ClickHouse, removes from its bucket what no run has
    Compact,
    /// Writes a copy of the store into a new folder, while it is in use
    Backup {
        /// The folder
        #[arg(value_name = "DIR")]
        to: PathBuf,
    },
    /// Writes the runs as files into a folder, while it is in use
    Export {
        /// The folder
        #[arg(value_name = "DIR")]
        to: PathBuf,
        /// Which runs, such as `route:/cart* since:7d`; by default all
        #[arg(value_name = "FILTER", default_value = "", hide_default_value = true)]
        filter: String,
    },
    /// Prints how much there is
    Stats,
    /// Prints or sets how long runs are kept, and how many are taken
    Policy(PolicyArguments),
    /// Makes, lists and removes tokens: who may send runs, and see them
    #[command(subcommand)]
    Token(TokenCommand),
    /// Removes the runs that the policies do not keep, now
    Retain {
        /// Only those of this application
        #[arg(long, value_name = "NAME")]
        app: Option<String>,
        /// Print what would be removed, and remove nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// Tokens. All servers of the store take them; the pages and the API make and remove
/// them while a server has the store open.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Makes a token and prints it; the store has its hash only
    Add {
        /// Its name, for lists and the log
        #[arg(value_name = "NAME")]
        name: String,
        /// What it may do: read, write, admin, or several separated by commas
        #[arg(long, value_name = "SCOPES")]
        may: String,
        /// The only application that it may see and send; by default all
        #[arg(long, value_name = "NAME")]
        app: Option<String>,
        /// How long it works; by default until it is removed
        #[arg(long, value_name = "DAYS")]
        #[arg(value_parser = clap::value_parser!(u32).range(1..))]
        days: Option<u32>,
    },
    /// Prints the tokens: id, scopes, application, name
    List,
    /// Removes a token; its sessions end
    Remove {
        /// Its id
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// How long runs are kept, and how many are taken. Limits that are not given stay as
/// they are.
#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    /// The application; without it, all that have no policy of their own
    #[arg(long, value_name = "NAME")]
    pub(crate) app: Option<String>,
    /// Back to the default
    #[arg(long, conflicts_with_all = ["days", "runs", "bytes", "notable", "notable_days", "sums_days", "runs_a_day", "bytes_a_day"])]
    pub(crate) reset: bool,
    /// The age of the oldest run, or none
    #[arg(long, value_name = "DAYS")]
    pub(crate) days: Option<Limit>,
    /// The number of runs, or none
    #[arg(long, value_name = "NUMBER")]
    pub(crate) runs: Option<Limit>,
    /// The size of all runs, as 512M or 20G, or none
    #[arg(long, value_name = "SIZE")]
    pub(crate) bytes: Option<Limit>,
    /// How many of the slowest and of the failed runs of each route are kept longer
    #[arg(long, value_name = "NUMBER")]
    pub(crate) notable: Option<u32>,
    /// The age of the oldest of those
    #[arg(long, value_name = "DAYS")]
    pub(crate) notable_days: Option<u32>,
    /// The age of the oldest sums, or none
    #[arg(long, value_name = "DAYS")]
    pub(crate) sums_days: Option<Limit>,
    /// The quota: how many runs a server takes on a day of UTC, or none
    #[arg(long, value_name = "NUMBER")]
    pub(crate) runs_a_day: Option<Limit>,
    /// The quota: the size of the runs that a server takes on a day of UTC, or none
    #[arg(long, value_name = "SIZE")]
    pub(crate) bytes_a_day: Option<Limit>,
}

/// A limit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit(pub(crate) Option<u64>);

impl FromStr for Limit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "none" => Ok(Self(None)),
            text => match parse_size(text) {
                Ok(0) => Err("0 would leave nothing; use `none` for no limit"),
                limit => limit.map(|limit| Self(Some(limit))),
            },
        }
    }
}

/// The form of what a webhook sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum WebhookFormat {
    /// JSON with all that is known
    Plain,
    /// Slack's blocks
    Slack,
    /// An Adaptive Card for a Workflows webhook of Microsoft Teams
    Teams,
    /// Markdown, as Mattermost and Rocket.Chat read it
    Mattermost,
}

impl From<WebhookFormat> for ::serve::Format {
    fn from(format: WebhookFormat) -> Self {
        match format {
            WebhookFormat::Plain => Self::Plain,
            WebhookFormat::Slack => Self::Slack,
            WebhookFormat::Teams => Self::Teams,
            WebhookFormat::Mattermost => Self::Mattermost,
        }
    }
}
