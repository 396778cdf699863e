//! What an agent does, and within which limits.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Error, Result};

/// The smallest queue, in bytes: it has place for a few batches.
const MIN_QUEUE: u64 = 32 << 10;

/// The most connections to a target: each is a thread.
const MAX_CONNECTIONS: u32 = 16;

/// What a target understands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Batches for `xhprof serve`.
    #[default]
    Xhprof,
    /// pprof for Pyroscope's push API.
    Pyroscope,
    /// OpenTelemetry's profiles over HTTP.
    Otlp,
    /// Envelopes with a transaction and its profile.
    Sentry,
}

impl Protocol {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Xhprof => "xhprof",
            Self::Pyroscope => "pyroscope",
            Self::Otlp => "otlp",
            Self::Sentry => "sentry",
        }
    }
}

/// A server that gets the runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// What it understands.
    pub protocol: Protocol,
    /// Its address, without a path at the end: `https://profiles.example.com`.
    pub url: String,
    /// The file with its token, or, to forward, with headers such as
    /// `X-Scope-OrgID: team`. It is read each time, so a new token needs no restart.
    pub token_file: Option<PathBuf>,
    /// The token, if there is no file; of Sentry, the public key.
    pub token: Option<String>,
}

/// What an agent does.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folders into which the extension writes.
    pub spools: Vec<PathBuf>,
    /// The servers.
    pub targets: Vec<Target>,
    /// The folder for what is not acknowledged.
    pub queue: PathBuf,
    /// The most bytes on the disk for each target, at least 32 KiB.
    pub queue_bytes: u64,
    /// The most bytes of files that targets refused; with 0 none is kept.
    pub refused_bytes: u64,
    /// A batch is sent when its files have so many bytes.
    pub batch_bytes: u64,
    /// A batch is sent when its oldest file is as old.
    pub batch_age: Duration,
    /// A run that took as long is dropped later than others.
    pub slow: Duration,
    /// The most bytes a second to each target; none has no limit.
    pub bandwidth: Option<u64>,
    /// How many connections send to a server of ours at once, from 1 to 16. With a
    /// bandwidth it is one.
    pub connections: u32,
    /// The longest time of one request.
    pub timeout: Duration,
    /// The first wait after a failure. It doubles, up to five minutes.
    pub first_wait: Duration,
    /// How long SIGTERM lets the agent send what is left.
    pub drain: Duration,
    /// Added to the priority of the process, from 0 to 19; 19 is the lowest.
    pub nice: i32,
    /// Where `/metrics` is served; a loopback address.
    pub metrics: Option<SocketAddr>,
    /// Certificates that targets are checked with, as PEM; none for those of the
    /// public authorities.
    pub ca_file: Option<PathBuf>,
    /// How many samples a second are taken of each PHP process of the machine; none takes
    /// no samples.
    pub attach: Option<u32>,
    /// Tags that all runs get: `app`, `release`, `rate`.
    pub tags: Vec<(String, String)>,
}

impl Target {
    /// What it is called in the log and in metrics: `otlp=http://127.0.0.1:4318`.
    #[must_use]
    pub fn name(&self) -> String {
        match self.protocol {
            Protocol::Xhprof => self.url.clone(),
            protocol => format!("{}={}", protocol.name(), self.url),
        }
    }
}

impl Options {
    /// The options that only name what is sent, where to, and by which queue.
    #[must_use]
    pub fn new(spools: Vec<PathBuf>, targets: Vec<Target>, queue: PathBuf) -> Self {
        Self {
            spools,
            targets,
            queue,
            queue_bytes: 1 << 30,
            refused_bytes: 64 << 20,
            batch_bytes: 4 << 20,
            batch_age: Duration::from_secs(2),
            slow: Duration::from_secs(1),
            bandwidth: None,
            connections: 4,
            timeout: Duration::from_secs(90),
            first_wait: Duration::from_secs(1),
            drain: Duration::from_secs(20),
            nice: 10,
            metrics: None,
            ca_file: None,
            attach: None,
            tags: Vec::new(),
        }
    }

    /// How many connections send to a target. Other receivers get one: what they have
    /// acknowledged of a batch is known to one connection only.
    pub(crate) fn connections_to(&self, target: &Target) -> u32 {
        match (target.protocol, self.bandwidth) {
            (Protocol::Xhprof, None) => self.connections,
            _ => 1,
        }
    }

    /// Refuses options that cannot work.
    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |reason: String| Err(Error::Option(reason));
        for Target { url, .. } in &self.targets {
            let name = url
                .strip_prefix("http://")
                .or_else(|| url.strip_prefix("https://"));
            let is_address = name.is_some_and(|name| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic())
            }) && url.parse::<ureq::http::Uri>().is_ok();
            if !is_address {
                return wrong(format!(
                    "{url}: not an address; use one such as https://profiles.example.com"
                ));
            }
            if url.contains(['@', '?', '#']) {
                return wrong(format!(
                    "{url}: an address has no user, query or fragment; --token-file names the token"
                ));
            }
        }
        for (number, target) in self.targets.iter().enumerate() {
            let earlier = self.targets.iter().take(number);
            if earlier
                .into_iter()
                .any(|other| other.name() == target.name())
            {
                return wrong(format!("{}: the target is named twice", target.name()));
            }
        }
        if let Some(folder) = self.spools.iter().find(|spool| **spool == self.queue) {
            let folder = folder.display();
            return wrong(format!(
                "{folder} is a spool and the queue; use two folders"
            ));
        }
        if let Some(address) = self.metrics
            && !address.ip().is_loopback()
        {
            return wrong(format!(
                "other machines can reach {address}: metrics are served on a loopback address only"
            ));
        }
        if self.queue_bytes < MIN_QUEUE {
            return wrong(format!(
                "a queue of {} bytes has no place for runs; --queue-size is at least 32K",
                self.queue_bytes
            ));
        }
        if !(1..=MAX_CONNECTIONS).contains(&self.connections) {
            return wrong(format!(
                "{} connections: use 1 to {MAX_CONNECTIONS}",
                self.connections
            ));
        }
        if self.bandwidth == Some(0) {
            return wrong("a bandwidth of 0 sends nothing".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(urls: &[&str]) -> Options {
        let target = |url: &&str| Target {
            url: (*url).to_owned(),
            ..Target::default()
        };
        let targets = urls.iter().map(target).collect();
        Options::new(vec!["/spool".into()], targets, "/queue".into())
    }

    #[test]
    fn options_that_cannot_work_are_refused() {
        for url in ["http://a", "https://b:1/c", "http://[::1]:8470"] {
            assert!(options(&[url]).check().is_ok(), "{url}");
        }
        for urls in [
            &["a"][..],
            &["http://"],
            &["ftp://a"],
            &["http://user:secret@a"],
            &["http://a/?token=x"],
            &["http://a", "http://a"],
            &["http://a b"],
            &["http://[::1"],
            &["http://a:b:1"],
        ] {
            assert!(options(urls).check().is_err(), "{urls:?}");
        }
        // One address may be of two kinds.
        let mut two = options(&["http://a", "http://a"]);
        if let Some(target) = two.targets.first_mut() {
            target.protocol = Protocol::Otlp;
        }
        assert!(two.check().is_ok());
        let mut same = options(&["http://a"]);
        same.queue = "/spool".into();
        assert!(same.check().is_err());
        let mut open = options(&["http://a"]);
        open.metrics = Some(([0, 0, 0, 0], 1).into());
        assert!(open.check().is_err());
        let mut still = options(&["http://a"]);
        still.bandwidth = Some(0);
        assert!(still.check().is_err());
        for (connections, is_right) in [(0, false), (1, true), (16, true), (17, false)] {
            let mut options = options(&["http://a"]);
            options.connections = connections;
            assert_eq!(options.check().is_ok(), is_right, "{connections}");
        }
        let mut small = options(&["http://a"]);
        small.queue_bytes = MIN_QUEUE;
        assert!(small.check().is_ok());
        small.queue_bytes -= 1;
        assert!(small.check().is_err());
    }
}
