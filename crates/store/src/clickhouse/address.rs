//! Where a store in ClickHouse is, and how it is reached.

use std::path::PathBuf;

use crate::{Error, Result, bucket};

/// The port of ClickHouse's HTTP interface.
const PORT: u16 = 8123;

/// Where a store in ClickHouse is:
/// `clickhouse://[USER@]HOST[:PORT][,HOST…]/DATABASE[?cluster=NAME&…]`.
#[derive(Clone, PartialEq, Eq)]
pub struct ClickhouseAddress {
    /// The nodes, each with its port.
    pub(super) hosts: Vec<String>,
    pub(super) database: String,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    /// The file of the password, as the address names it.
    password_file: Option<PathBuf>,
    /// The cluster of the nodes' configuration.
    pub(super) cluster: Option<String>,
    pub(super) is_tls: bool,
    /// The certificates of an authority of your own.
    pub(super) ca_file: Option<PathBuf>,
    /// How many replicas must have a run before it is acknowledged.
    pub(super) quorum: u8,
    /// Where the files of runs are, if not in ClickHouse.
    pub(super) bucket: Option<bucket::Address>,
}

impl ClickhouseAddress {
    /// Whether a text is meant as such an address.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        text.starts_with("clickhouse://")
    }

    /// Reads an address.
    ///
    /// # Errors
    ///
    /// [`Error::Query`], which names the part and what to do.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |reason: &str| Error::Query(format!("the address of the store: {reason}"));
        let rest = text.strip_prefix("clickhouse://");
        let rest = rest.ok_or_else(|| wrong("it begins with clickhouse://"))?;
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let Some((nodes, database)) = place.split_once('/') else {
            return Err(wrong(
                "the database is missing; use clickhouse://HOST/DATABASE",
            ));
        };
        let (user, nodes) = match nodes.rsplit_once('@') {
            Some((user, _)) if user.contains(':') => {
                return Err(wrong(
                    "a password in it would be shown by every list of processes; use \
                     ?password_file=FILE or the environment variable XHPROF_CLICKHOUSE_PASSWORD",
                ));
            }
            Some((user, nodes)) => (Some(user.to_owned()), nodes),
            None => (None, nodes),
        };
        if !is_name(database) {
            return Err(wrong("a database has letters, digits and _ in its name"));
        }
        let hosts = nodes.split(',').map(|host| {
            with_port(host).ok_or_else(|| {
                wrong(&format!(
                    "{host:?} is no node; use HOST or HOST:PORT, with commas between nodes"
                ))
            })
        });
        let mut address = Self {
            hosts: hosts.collect::<Result<_>>()?,
            database: database.to_owned(),
            user,
            password: None,
            password_file: None,
            cluster: None,
            is_tls: false,
            ca_file: None,
            quorum: 0,
            bucket: None,
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            match name {
                "cluster" if is_name(value) => address.cluster = Some(value.to_owned()),
                "password_file" if !value.is_empty() => {
                    address.password_file = Some(PathBuf::from(value));
                }
                "ca_file" if !value.is_empty() => address.ca_file = Some(PathBuf::from(value)),
                "secure" if matches!(value, "0" | "1") => address.is_tls = value == "1",
                "quorum" => match value.parse() {
                    Ok(quorum) if quorum <= 16 => address.quorum = quorum,
                    _ => return Err(wrong("quorum is a number of replicas")),
                },
                "ca_file" | "cluster" | "password_file" | "secure" => {
                    return Err(wrong(&format!("{name}={value} has no valid value")));
                }
                _ => {
                    return Err(wrong(&format!(
                        "unknown option {name}; there are ca_file, cluster, password_file, quorum, \
                         secure"
                    )));
                }
            }
        }
        if address.ca_file.is_some() && !address.is_tls {
            return Err(wrong("ca_file is for HTTPS: add secure=1"));
        }
        Ok(address)
    }

    /// The file that has the password, if the address names one.
    #[must_use]
    pub fn password_file(&self) -> Option<&std::path::Path> {
        self.password_file.as_deref()
    }

    /// With this password.
    #[must_use]
    pub fn with_password(self, password: String) -> Self {
        Self {
            password: Some(password),
            ..self
        }
    }

    /// Whether the files of runs are in a bucket.
    #[must_use]
    pub fn has_bucket(&self) -> bool {
        self.bucket.is_some()
    }

    /// With the files of runs in a bucket.
    #[must_use]
    pub fn with_bucket(self, bucket: bucket::Address) -> Self {
        Self {
            bucket: Some(bucket),
            ..self
        }
    }
}

impl std::fmt::Debug for ClickhouseAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the password.
        write!(f, "clickhouse://{}/{}", self.hosts.join(","), self.database)
    }
}

fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !text.is_empty() && text.len() <= 64 && text.chars().all(is_letter)
}

/// `HOST:PORT`; none if it is neither that nor `HOST`.
fn with_port(host: &str) -> Option<String> {
    let is_host = |host: &str| {
        let letters = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
        let address = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        match address {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => !host.is_empty() && host.chars().all(letters),
        }
    };
    if is_host(host) {
        return Some(format!("{host}:{PORT}"));
    }
    let (name, port) = host.rsplit_once(':')?;
    port.parse::<u16>().ok().filter(|port| *port > 0)?;
    is_host(name).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_nodes_a_database_and_options() {
        let parsed = ClickhouseAddress::parse(
            "clickhouse://ann@one,two:8124,[::1]:9/xhprof?cluster=c&quorum=2",
        )
        .unwrap();
        assert_eq!(parsed.hosts, ["one:8123", "two:8124", "[::1]:9"]);
        assert_eq!(
            (
                parsed.database.as_str(),
                parsed.user.as_deref(),
                parsed.cluster.as_deref()
            ),
            ("xhprof", Some("ann"), Some("c"))
        );
        assert_eq!(parsed.quorum, 2);
        let secret = parsed.with_password("secret".to_owned());
        assert!(!format!("{secret:?}").contains("secret"));
    }

    #[test]
    fn a_wrong_address_is_refused_with_what_to_do() {
        for (text, part) in [
            ("clickhouse://one", "the database is missing"),
            ("clickhouse://one/", "letters"),
            ("clickhouse://one/a;b", "letters"),
            ("clickhouse:///db", "no node"),
            ("clickhouse://a b/db", "no node"),
            ("clickhouse://one:0/db", "no node"),
            ("clickhouse://ann:secret@one/db", "password_file"),
            ("clickhouse://one/db?cluster=a'b", "cluster"),
            ("clickhouse://one/db?clutser=a", "unknown option"),
            ("clickhouse://one/db?ca_file=/ca.pem", "add secure=1"),
            ("http://one/db", "begins with clickhouse://"),
        ] {
            let error = ClickhouseAddress::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains("secret"));
        }
    }
}
