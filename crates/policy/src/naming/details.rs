//! The internal functions that wait for a server, and where their text is: an
//! SQL statement, a URL or a command.
//!
//! A table by name. It is searched once per function and profile, when the
//! function is named, so other functions cost nothing more.

use profile::SpanKind;
use redact::Dialect;

/// How a function waits for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Its calls are spans.
    Waits {
        /// The kind of span.
        kind: SpanKind,
        /// Where the text is.
        text: Text,
        /// Where the number of rows is.
        rows: Rows,
    },
    /// It prepares a statement that a later call executes.
    Prepares {
        /// The statement.
        statement: Argument,
        /// How the later call refers to the statement.
        name: Name,
    },
}

/// Where the text of a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// An SQL statement.
    Statement(Argument),
    /// An SQL statement, in the object's `queryString`.
    QueryString,
    /// An SQL statement that was prepared under that name.
    Prepared(Name),
    /// A URL, in a curl handle.
    Handle,
    /// A URL; without one, the call does not wait for anything outside.
    Url(Argument),
    /// The function's name is the command.
    Command,
    /// The command is an argument.
    CommandIn(Argument),
    /// There is no text.
    Unknown,
}

/// One of a call's arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// Counted from the first, 0.
    At(u32),
    /// Counted from the last, 1.
    FromEnd(u32),
}

impl Argument {
    /// Its index in a call with `count` arguments.
    pub fn index(self, count: u32) -> Option<u32> {
        match self {
            Self::At(index) => Some(index),
            Self::FromEnd(index) => count.checked_sub(index),
        }
    }
}

/// How a call refers to a prepared statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// The object whose method is called.
    This,
    /// An object.
    Object(Argument),
    /// The object that the call returns.
    Result,
    /// A string, unique for each connection.
    Text {
        /// The connection; if the argument is missing, the default one.
        connection: Argument,
        /// The string.
        name: Argument,
    },
}

/// Where the number of affected rows is, if it can be read without a round trip
/// and without a user function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// It is not available.
    Unknown,
    /// The call's result.
    Returned,
    /// In the PDO statement that the call returns, or is a method of.
    Pdo,
    /// In the mysqli connection.
    Mysqli,
    /// In the mysqli statement.
    MysqliStatement,
    /// In the result object that the call returns.
    PgResult,
}

use Argument::{At, FromEnd};

/// The SQL dialect of a function's server; none if PDO's driver determines it.
pub fn dialect(function: &[u8]) -> Option<Dialect> {
    let known: [(&[u8], Dialect); 3] = [
        (b"mysqli", Dialect::MySql),
        (b"pg_", Dialect::Postgres),
        (b"SQLite3", Dialect::Sqlite),
    ];
    let of_name = known.iter().find(|(begin, _)| function.starts_with(begin));
    of_name.map(|(_, dialect)| *dialect)
}

/// The SQL dialect of a PDO driver.
pub fn dialect_of_driver(driver: &[u8]) -> Dialect {
    match driver {
        b"mysql" => Dialect::MySql,
        b"pgsql" => Dialect::Postgres,
        b"sqlite" => Dialect::Sqlite,
        _ => Dialect::Unknown,
    }
}

const fn sql(text: Text, rows: Rows) -> Detail {
    Detail::Waits {
        kind: SpanKind::Sql,
        text,
        rows,
    }
}

const fn prepares(statement: u32, name: Name) -> Detail {
    Detail::Prepares {
        statement: At(statement),
        name,
    }
}

/// How the `pg_` functions refer to a prepared statement.
const PG_NAME: Name = Name::Text {
    connection: FromEnd(3),
    name: FromEnd(2),
};

const PG_PREPARES: Detail = Detail::Prepares {
    statement: FromEnd(1),
    name: PG_NAME,
};

const fn url(argument: u32) -> Detail {
    Detail::Waits {
        kind: SpanKind::Http,
        text: Text::Url(At(argument)),
        rows: Rows::Unknown,
    }
}

const fn curl(text: Text) -> Detail {
    Detail::Waits {
        kind: SpanKind::Http,
        text,
        rows: Rows::Unknown,
    }
}

/// The functions that have a detail, except those of [`COMMANDS`].
const DETAILED: &[(&[u8], Detail)] = &[
    (b"PDO::exec", sql(Text::Statement(At(0)), Rows::Returned)),
    (b"PDO::query", sql(Text::Statement(At(0)), Rows::Pdo)),
    (b"PDO::prepare", prepares(0, Name::Result)),
    (b"PDOStatement::execute", sql(Text::QueryString, Rows::Pdo)),
    (b"mysqli_query", sql(Text::Statement(At(1)), Rows::Mysqli)),
    (b"mysqli::query", sql(Text::Statement(At(0)), Rows::Mysqli)),
    (
        b"mysqli_real_query",
        sql(Text::Statement(At(1)), Rows::Mysqli),
    ),
    (
        b"mysqli::real_query",
        sql(Text::Statement(At(0)), Rows::Mysqli),
    ),
    (
        b"mysqli_multi_query",
        sql(Text::Statement(At(1)), Rows::Mysqli),
    ),
    (
        b"mysqli::multi_query",
        sql(Text::Statement(At(0)), Rows::Mysqli),
    ),
    (
        b"mysqli_execute_query",
        sql(Text::Statement(At(1)), Rows::Mysqli),
    ),
    (
        b"mysqli::execute_query",
        sql(Text::Statement(At(0)), Rows::Mysqli),
    ),
    (b"mysqli_prepare", prepares(1, Name::Result)),
    (b"mysqli::prepare", prepares(0, Name::Result)),
    (b"mysqli_stmt_prepare", prepares(1, Name::Object(At(0)))),
    (b"mysqli_stmt::prepare", prepares(0, Name::This)),
    (b"mysqli_stmt::__construct", prepares(1, Name::This)),
    (
        b"mysqli_stmt_execute",
        sql(Text::Prepared(Name::Object(At(0))), Rows::MysqliStatement),
    ),
    (
        b"mysqli_execute",
        sql(Text::Prepared(Name::Object(At(0))), Rows::MysqliStatement),
    ),
    (
        b"mysqli_stmt::execute",
        sql(Text::Prepared(Name::This), Rows::MysqliStatement),
    ),
    (
        b"pg_query",
        sql(Text::Statement(FromEnd(1)), Rows::PgResult),
    ),
    (
        b"pg_query_params",
        sql(Text::Statement(FromEnd(2)), Rows::PgResult),
    ),
    (b"pg_prepare", PG_PREPARES),
    (b"pg_execute", sql(Text::Prepared(PG_NAME), Rows::PgResult)),
    (
        b"pg_send_query",
        sql(Text::Statement(FromEnd(1)), Rows::Unknown),
    ),
    (
        b"pg_send_query_params",
        sql(Text::Statement(FromEnd(2)), Rows::Unknown),
    ),
    (b"pg_send_prepare", PG_PREPARES),
    (
        b"pg_send_execute",
        sql(Text::Prepared(PG_NAME), Rows::Unknown),
    ),
    // Waits for the result of the `pg_send_` functions.
    (b"pg_get_result", sql(Text::Unknown, Rows::PgResult)),
    (b"SQLite3::exec", sql(Text::Statement(At(0)), Rows::Unknown)),
    (
        b"SQLite3::query",
        sql(Text::Statement(At(0)), Rows::Unknown),
    ),
    (
        b"SQLite3::querySingle",
        sql(Text::Statement(At(0)), Rows::Unknown),
    ),
    (b"SQLite3::prepare", prepares(0, Name::Result)),
    (
        b"SQLite3Stmt::execute",
        sql(Text::Prepared(Name::This), Rows::Unknown),
    ),
    (b"curl_exec", curl(Text::Handle)),
    (b"curl_multi_select", curl(Text::Unknown)),
    (b"file_get_contents", url(0)),
    (b"file_put_contents", url(0)),
    (b"fopen", url(0)),
    (b"file", url(0)),
    (b"readfile", url(0)),
    (b"copy", url(0)),
    (b"get_headers", url(0)),
    (b"getimagesize", url(0)),
    (b"simplexml_load_file", url(0)),
    (b"DOMDocument::load", url(0)),
];

/// A class whose methods are commands to a server.
struct Commands {
    class: &'static [u8],
    kind: SpanKind,
    /// The methods that send no command.
    local: &'static [&'static [u8]],
}

const fn redis(class: &'static [u8]) -> Commands {
    Commands {
        class,
        kind: SpanKind::Redis,
        local: REDIS_IS_LOCAL,
    }
}

const fn memcached(class: &'static [u8]) -> Commands {
    Commands {
        class,
        kind: SpanKind::Memcached,
        local: MEMCACHED_IS_LOCAL,
    }
}

const COMMANDS: [Commands; 5] = [
    redis(b"Redis"),
    redis(b"RedisCluster"),
    redis(b"RedisSentinel"),
    memcached(b"Memcached"),
    memcached(b"Memcache"),
];

const REDIS_IS_LOCAL: &[&[u8]] = &[
    b"clearLastError",
    b"clearTransferredBytes",
    b"close",
    b"getAuth",
    b"getDbNum",
    b"getDBNum",
    b"getHost",
    b"getLastError",
    b"getMode",
    b"getOption",
    b"getPersistentID",
    b"getPort",
    b"getReadTimeout",
    b"getTimeout",
    b"getTransferredBytes",
    b"isConnected",
    b"pipeline",
    b"serverName",
    b"serverVersion",
    b"setOption",
];

const MEMCACHED_IS_LOCAL: &[&[u8]] = &[
    b"addServer",
    b"addServers",
    b"checkKey",
    b"getLastDisconnectedServer",
    b"getLastErrorCode",
    b"getLastErrorErrno",
    b"getLastErrorMessage",
    b"getOption",
    b"getResultCode",
    b"getResultMessage",
    b"getServerByKey",
    b"getServerList",
    b"getServerStatus",
    b"isPersistent",
    b"isPristine",
    b"resetServerList",
    b"setBucket",
    b"setCompressThreshold",
    b"setEncodingKey",
    b"setFailureCallback",
    b"setOption",
    b"setOptions",
    b"setSaslAuthData",
    b"setServerParams",
];

/// The detail of the internal function of that name; none if it has none.
pub fn detail_of(function: &[u8]) -> Option<Detail> {
    if let Some((_, detail)) = DETAILED.iter().find(|(name, _)| *name == function) {
        return Some(*detail);
    }
    let (class, method) = class_and_method(function)?;
    let commands = COMMANDS.iter().find(|commands| commands.class == class)?;
    if method.starts_with(b"_") || commands.local.contains(&method) {
        return None;
    }
    let text = match method {
        b"rawCommand" | b"rawcommand" if class == b"RedisCluster" => Text::CommandIn(At(1)),
        b"rawCommand" | b"rawcommand" => Text::CommandIn(At(0)),
        _ => Text::Command,
    };
    Some(Detail::Waits {
        kind: commands.kind,
        text,
        rows: Rows::Unknown,
    })
}

/// The two halves of `Class::method`.
fn class_and_method(function: &[u8]) -> Option<(&[u8], &[u8])> {
    let colons = function.windows(2).position(|pair| pair == b"::")?;
    Some((function.get(..colons)?, function.get(colons + 2..)?))
}

/// The command of a method, from its name: `HGETALL`.
pub fn command_of(function: &[u8]) -> Vec<u8> {
    let method = class_and_method(function).map_or(function, |(_, method)| method);
    method.to_ascii_uppercase()
}

/// The command in `rawCommand()`'s argument. None if it is not a plain word: then
/// it may contain private data.
pub fn command(text: &[u8]) -> Option<Vec<u8>> {
    /// The longest command of Redis has 17 letters.
    const LONGEST: usize = 32;
    let is_command =
        !text.is_empty() && text.len() <= LONGEST && text.iter().all(u8::is_ascii_alphabetic);
    is_command.then(|| text.to_ascii_uppercase())
}

/// The kind of span for a URL; none if its scheme is not one of the network's.
pub fn kind_of_url(url: &[u8]) -> Option<SpanKind> {
    let colon = url.windows(3).position(|part| part == b"://")?;
    match url.get(..colon)?.to_ascii_lowercase().as_slice() {
        b"http" | b"https" => Some(SpanKind::Http),
        b"ftp" | b"ftps" | b"sftp" | b"ssh2.sftp" | b"ssh2.scp" => Some(SpanKind::Stream),
        _ => None,
    }
}

/// Whether a URL of curl is a local file.
pub fn is_local(url: &[u8]) -> bool {
    let scheme = url.get(..5).unwrap_or_default();
    scheme.eq_ignore_ascii_case(b"file:")
}

/// The kind of span for a URL of curl, which assumes HTTP without a scheme.
pub fn kind_of_curl(url: &[u8]) -> SpanKind {
    match kind_of_url(url) {
        Some(kind) => kind,
        None if url.windows(3).any(|part| part == b"://") => SpanKind::Stream,
        None => SpanKind::Http,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_function_has_two_details() {
        let mut names = HashSet::new();
        for (name, _) in DETAILED {
            assert!(names.insert(name), "{}", name.escape_ascii());
            let class = class_and_method(name).map(|(class, _)| class);
            let is_command = COMMANDS
                .iter()
                .any(|commands| Some(commands.class) == class);
            assert!(!is_command, "{}", name.escape_ascii());
        }
    }
}
