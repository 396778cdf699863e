//! Statements over HTTP, and why they fail.
//!
//! **Invariant:** every statement may be sent twice. Inserted rows replace rows
//! of the same content. So what failed on one node is tried on the next.

use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ureq::Agent;

use super::ClickhouseAddress;
use crate::cancel::{self, CancelToken, OnCancel};
use crate::{Error, Result, tls};

/// The longest answer: a page never needs as much.
const MAX_ANSWER: u64 = 2 << 30;

/// The longest statement, in bytes; ClickHouse's default is less.
const MAX_STATEMENT: usize = 8 << 20;

/// What ClickHouse reads at once of a column of a part. With its default, a question
/// about five small parts of `run` takes 147 MiB in 18.16; with this one, 14.
const READ_BUFFER: usize = 64 << 10;

/// How old rows may be that a replica does not have yet, in seconds. With 1, replicas of
/// a busy machine are late all the time; with 30, one that had just come back answered
/// with a part of the runs.
const MAX_DELAY: &str = "5";

/// How long a statement waits for a replica with all rows, and between its attempts.
const WAIT_FOR_ROWS: Duration = Duration::from_secs(10);
const ATTEMPTS_EVERY: Duration = Duration::from_millis(500);

/// How long a statement on all nodes waits for them, in seconds.
const UNFINISHED_AFTER: &str = "5";

const CONNECT: Duration = Duration::from_secs(5);

/// The longest time of a statement. The server ends it, too, so that none that
/// was given up is carried out later.
pub(super) const MAX_SECONDS: u64 = 120;

/// ClickHouse closes connections that are idle for 3 seconds.
const IDLE: Duration = Duration::from_secs(2);

/// Errors of ClickHouse by their numbers.
mod code {
    pub(super) const UNKNOWN_TABLE: u32 = 60;
    pub(super) const UNKNOWN_DATABASE: u32 = 81;
    pub(super) const NO_SPACE: u32 = 243;
    /// Unknown user, wrong password, and both in later versions.
    pub(super) const LOGIN: [u32; 3] = [192, 193, 516];
    /// A node of another shard does not answer.
    pub(super) const NODE_DOWN: [u32; 4] = [209, 210, 279, 1002];
    /// Too few replicas are there for `quorum`.
    pub(super) const TOO_FEW_REPLICAS: u32 = 285;
    /// The insert before has no quorum yet; an insert may have one or not.
    pub(super) const NO_QUORUM_YET: [u32; 2] = [286, 319];
    pub(super) const DISTRIBUTED_FAILED: u32 = 370;
    /// Of a statement, or of the nodes that are to carry out one.
    pub(super) const TIMEOUT: u32 = 159;
    /// The replicas of a shard that answer lack rows.
    pub(super) const STALE: u32 = 369;
}

/// The nodes of a store.
pub(super) struct Client {
    agent: Agent,
    address: ClickhouseAddress,
    /// The node that answered last.
    current: AtomicUsize,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.address.fmt(f)
    }
}

impl Client {
    pub(super) fn new(address: ClickhouseAddress) -> Result<Self> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(Duration::from_secs(MAX_SECONDS + 10)))
            .max_idle_age(IDLE)
            .proxy(None);
        if let Some(file) = &address.ca_file {
            config = config.tls_config(tls::of_authorities(file)?);
        }
        Ok(Self {
            agent: config.build().into(),
            address,
            current: AtomicUsize::new(0),
        })
    }

    pub(super) fn address(&self) -> &ClickhouseAddress {
        &self.address
    }

    /// The rows of a question, as `RowBinary`.
    pub(super) fn read(&self, select: &str) -> Result<Vec<u8>> {
        self.send("", format!("{select} FORMAT RowBinary").as_bytes(), true)
    }

    /// A statement without an answer.
    pub(super) fn execute(&self, statement: &str) -> Result<()> {
        self.send("", statement.as_bytes(), true).map(|_| ())
    }

    /// A statement on all nodes, which needs no database. False if some of them have
    /// not carried it out in some seconds; they do it later.
    pub(super) fn execute_everywhere(&self, statement: &str) -> Result<bool> {
        match self.send_to_any("", statement.as_bytes(), false) {
            Ok(_) => Ok(true),
            Err(Failed::Unfinished(_)) => Ok(false),
            Err(failed) => Err(failed.into()),
        }
    }

    /// Asks each node of the address, all at once. Those that do not answer are left
    /// out.
    pub(super) fn ask_each(&self, select: &str) -> Result<Vec<Vec<u8>>> {
        let body = format!("{select} FORMAT RowBinary");
        let answers: Vec<_> = std::thread::scope(|scope| {
            let hosts = self.address.hosts.iter();
            let ask = |host| self.send_to(host, "", body.as_bytes(), false, Some(CONNECT));
            let threads: Vec<_> = hosts.map(|host| scope.spawn(move || ask(host))).collect();
            let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined.flatten().collect()
        });
        let mut answered = Vec::new();
        for answer in answers {
            match answer {
                Ok(bytes) => answered.push(bytes),
                Err(Failed::Node(_)) => {}
                Err(failed) => return Err(failed.into()),
            }
        }
        Ok(answered)
    }

    /// A question that needs no database.
    pub(super) fn ask_outside(&self, select: &str) -> Result<Vec<u8>> {
        self.send("", format!("{select} FORMAT RowBinary").as_bytes(), false)
    }

    /// Inserts rows, which are `RowBinary`, into `table (columns)`.
    pub(super) fn insert(&self, into: &str, rows: &[u8]) -> Result<()> {
        let statement = format!("INSERT INTO {into} FORMAT RowBinary");
        self.send(&statement, rows, true).map(|_| ())
    }

    /// Sends a statement, again for a while if no replica of a shard has all rows.
    fn send(&self, statement: &str, body: &[u8], in_database: bool) -> Result<Vec<u8>> {
        if statement.is_empty() && body.len() > MAX_STATEMENT {
            return Err(Error::Query("the question is too long".to_owned()));
        }
        let until = Instant::now() + WAIT_FOR_ROWS;
        loop {
            cancel::check()?;
            match self.send_to_any(statement, body, in_database) {
                Err(Failed::Stale(_)) if Instant::now() < until => {
                    std::thread::sleep(ATTEMPTS_EVERY);
                }
                Err(failed) => return Err(failed.into()),
                Ok(answer) => return Ok(answer),
            }
        }
    }

    /// Tries all nodes, first the one that answered last.
    fn send_to_any(
        &self,
        statement: &str,
        body: &[u8],
        in_database: bool,
    ) -> std::result::Result<Vec<u8>, Failed> {
        let count = self.address.hosts.len();
        let first = self.current.load(Ordering::Relaxed);
        let mut failed = Vec::new();
        for place in (first..first + count).map(|place| place % count) {
            let Some(host) = self.address.hosts.get(place) else {
                continue;
            };
            match self.send_to(host, statement, body, in_database, None) {
                Ok(answer) => {
                    self.current.store(place, Ordering::Relaxed);
                    return Ok(answer);
                }
                Err(Failed::Node(reason)) => failed.push(format!("{host}: {reason}")),
                Err(failed) => return Err(failed),
            }
        }
        Err(Failed::Node(format!(
            "no node of ClickHouse answers ({}); is it running, and is this its HTTP{} port?",
            failed.join("; "),
            if self.address.is_tls { "S" } else { "" }
        )))
    }

    fn send_to(
        &self,
        host: &str,
        statement: &str,
        body: &[u8],
        in_database: bool,
        most: Option<Duration>,
    ) -> std::result::Result<Vec<u8>, Failed> {
        let scheme = if self.address.is_tls { "https" } else { "http" };
        let mut request = self
            .agent
            .post(format!("{scheme}://{host}/"))
            // Errors come before the answer, not in its middle.
            .query("wait_end_of_query", "1")
            .query("max_execution_time", MAX_SECONDS.to_string())
            .query("max_query_size", (MAX_STATEMENT + 1).to_string())
            .query("max_read_buffer_size", READ_BUFFER.to_string());
        let is_question = statement.is_empty() && body.starts_with(b"SELECT");
        let id = CancelToken::current()
            .filter(|_| is_question)
            .map(|cancel| {
                let id = format!("xhprof-{:016x}", getrandom::u64().unwrap_or_default());
                let stop = self.stop_at_end(&cancel, host, &id);
                (id, stop)
            });
        if let Some((id, _)) = &id {
            request = request.query("query_id", id);
        }
        if most.is_some() {
            request = request.config().timeout_global(most).build();
        }
        if in_database {
            request = request.query("database", &self.address.database);
        }
        if !statement.is_empty() {
            request = request.query("query", statement);
        }
        if self.address.cluster.is_some() {
            request = request
                // An acknowledged run is on a node of its shard.
                .query("insert_distributed_sync", "1")
                // The statements of a question see the same replica.
                .query("load_balancing", "in_order")
                // A replica that has just come back has not all rows yet: it counts as
                // missing when it lacks rows that are older.
                .query("max_replica_delay_for_distributed_queries", MAX_DELAY)
                .query("fallback_to_stale_replicas_for_distributed_queries", "0")
                // A node that is away does not hold up the others.
                .query("distributed_ddl_task_timeout", UNFINISHED_AFTER)
                // Half of the answer is an error.
                .query("skip_unavailable_shards", "0");
            if self.address.quorum > 1 {
                request = request
                    .query("insert_quorum", self.address.quorum.to_string())
                    .query("insert_quorum_timeout", "20000");
            }
        }
        if let Some(user) = &self.address.user {
            request = request.header("X-ClickHouse-User", user);
        }
        if let Some(password) = &self.address.password {
            request = request.header("X-ClickHouse-Key", password);
        }
        let answered = request.send(body).and_then(|mut answer| {
            let status = answer.status().as_u16();
            let body = answer.body_mut().with_config().limit(MAX_ANSWER);
            Ok((status, body.read_to_vec()?))
        });
        // Whatever a statement says that was told to stop.
        cancel::check().map_err(Failed::Statement)?;
        let (status, bytes) = answered.map_err(|error| node(&error))?;
        if status == 200 {
            return Ok(bytes);
        }
        Err(self.failed(status, &String::from_utf8_lossy(&bytes)))
    }

    /// Tells a node to stop a question when its client does not wait any more.
    fn stop_at_end(&self, cancel: &CancelToken, host: &str, id: &str) -> OnCancel {
        let (agent, address, host) = (self.agent.clone(), self.address.clone(), host.to_owned());
        let id = id.to_owned();
        cancel.on_cancel(move || {
            // Who ends it does not wait for ClickHouse.
            let thread = std::thread::Builder::new().name("stop-statement".to_owned());
            let stop = move || {
                let scheme = if address.is_tls { "https" } else { "http" };
                let mut request = agent.post(format!("{scheme}://{host}/"));
                request = request.config().timeout_global(Some(CONNECT)).build();
                if let Some(user) = &address.user {
                    request = request.header("X-ClickHouse-User", user);
                }
                if let Some(password) = &address.password {
                    request = request.header("X-ClickHouse-Key", password);
                }
                // One that is over by now is not there, and one that is not told so ends at
                // `max_execution_time`.
                let _ = request.send(format!("KILL QUERY WHERE query_id = '{id}' ASYNC"));
            };
            let _ = thread.spawn(stop);
        })
    }

    /// What an exception of ClickHouse means for users.
    fn failed(&self, status: u16, text: &str) -> Failed {
        let number = text
            .split_once("Code: ")
            .and_then(|(_, rest)| rest.split(|letter: char| !letter.is_ascii_digit()).next())
            .and_then(|digits| digits.parse().ok());
        let brief: String = text.trim().chars().take(500).collect();
        let database = |reason: String| Failed::Statement(Error::Database(reason));
        let unavailable = |reason: String| Failed::Statement(Error::Unavailable(reason));
        match number {
            Some(number) if code::LOGIN.contains(&number) => database(format!(
                "ClickHouse refuses the user {} or its password; the address names the user, \
                 ?password_file=FILE or XHPROF_CLICKHOUSE_PASSWORD has the password",
                self.address.user.as_deref().unwrap_or("default")
            )),
            Some(code::NO_SPACE) => Failed::Statement(Error::Full),
            Some(code::UNKNOWN_DATABASE | code::UNKNOWN_TABLE) => database(format!(
                "the store's tables are missing in ClickHouse: {brief}"
            )),
            Some(number)
                if code::NODE_DOWN.contains(&number) || number == code::DISTRIBUTED_FAILED =>
            {
                unavailable(format!(
                    "a part of the cluster is missing, so the answer would be only a part: {brief}"
                ))
            }
            Some(code::TOO_FEW_REPLICAS) => unavailable(format!(
                "fewer than {} replicas are there, and nothing was acknowledged: {brief}",
                self.address.quorum
            )),
            Some(code::STALE) => Failed::Stale(Error::Unavailable(format!(
                "a part of the cluster is missing: the replicas that answer do not have all runs \
                 yet: {brief}"
            ))),
            Some(code::TIMEOUT) if text.contains("distributed_ddl_task_timeout") => {
                Failed::Unfinished(Error::Unavailable(format!(
                    "not all nodes of the cluster have carried out a statement: {brief}"
                )))
            }
            Some(number) if code::NO_QUORUM_YET.contains(&number) => unavailable(format!(
                "an insert does not have {} replicas yet, and nothing was acknowledged: {brief}",
                self.address.quorum
            )),
            Some(_) => database(format!("ClickHouse: {brief}")),
            None => Failed::Node(format!(
                "it answers {status}, and not as ClickHouse: {brief}"
            )),
        }
    }
}

/// Why a statement failed on a node.
enum Failed {
    /// Another node may answer.
    Node(String),
    /// Another node would say the same.
    Statement(Error),
    /// The same a moment later may succeed.
    Stale(Error),
    /// Some nodes have not carried it out, and will.
    Unfinished(Error),
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Node(reason) => Self::Unavailable(reason),
            Failed::Statement(error) | Failed::Stale(error) | Failed::Unfinished(error) => error,
        }
    }
}

fn node(error: &ureq::Error) -> Failed {
    Failed::Node(match error {
        ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
            "connection refused".to_owned()
        }
        error => error.to_string(),
    })
}
