//! Files of runs in a bucket of a service that speaks Amazon's S3.
//!
//! Each run is an object; its key is the prefix, two digits of the run's id, and
//! the id. An object never changes: its key is the hash of what it holds, so
//! storing twice, and from two servers at once, leaves the same object.

mod address;
mod credentials;

use std::io::Read;
use std::thread;
use std::time::Duration;

use rusty_s3::Credentials;
use rusty_s3::actions::{DeleteObject, GetObject, PutObject, S3Action};
use ureq::Agent;
use ureq::http::Response;

pub use address::Address;

use crate::{Error, Result, RunId};

/// How long a signed request is valid.
const VALID: Duration = Duration::from_secs(300);

/// The longest times for a connection, and for a request with its answer.
const CONNECT: Duration = Duration::from_secs(5);
const REQUEST: Duration = Duration::from_secs(60);

/// The waits before an attempt is repeated.
const WAITS: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_millis(1600),
];

/// The largest object, as for a run in the store.
const MAX_OBJECT: u64 = crate::prepare::MAX_FILE as u64;

/// The longest part of an answer in a message.
const MAX_REASON: u64 = 2000;

/// A bucket.
pub struct Bucket {
    address: Address,
    bucket: rusty_s3::Bucket,
    credentials: Credentials,
    agent: Agent,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Bucket").field(&self.address).finish()
    }
}

/// Why an attempt failed, and whether the next one may succeed.
struct Failure {
    reason: String,
    may_pass: bool,
}

impl Bucket {
    /// The bucket at an address. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`Error::Query`] if there are no credentials, or the address is not valid.
    pub fn new(address: Address) -> Result<Self> {
        let invalid = |error: &dyn std::fmt::Display| {
            Error::Query(format!(
                "the bucket {address} has no valid address: {error}"
            ))
        };
        let endpoint = address.endpoint.parse().map_err(|error| invalid(&error))?;
        let (name, region) = (address.name.clone(), address.region.clone());
        let bucket = rusty_s3::Bucket::new(endpoint, address.style(), name, region)
            .map_err(|error| invalid(&error))?;
        let credentials = credentials::read(&address)?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(REQUEST))
            .user_agent(concat!("xhprof/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            address,
            bucket,
            credentials,
            agent: Agent::from(config),
        })
    }

    /// Stores the file of a run. When this returns, the service has it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] with the service's reason.
    pub fn put(&self, id: &RunId, file: &[u8]) -> Result<()> {
        let key = self.key(id);
        self.repeated("store", &key, || {
            let url = PutObject::new(&self.bucket, Some(&self.credentials), &key).sign(VALID);
            let answer = self.agent.put(url.as_str()).send(file);
            accepted(answer, &[]).map(drop)
        })
    }

    /// The file of a run; none if the bucket does not have it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] with the service's reason.
    pub fn get(&self, id: &RunId) -> Result<Option<Vec<u8>>> {
        let key = self.key(id);
        self.repeated("read", &key, || {
            let url = GetObject::new(&self.bucket, Some(&self.credentials), &key).sign(VALID);
            let answer = accepted(self.agent.get(url.as_str()).call(), &[404])?;
            if answer.status().as_u16() == 404 {
                return Ok(None);
            }
            let mut body = answer.into_body();
            let read = body.with_config().limit(MAX_OBJECT).read_to_vec();
            read.map(Some).map_err(|error| Failure {
                reason: error.to_string(),
                may_pass: true,
            })
        })
    }

    /// Removes the file of a run, if it is there.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] with the service's reason.
    pub fn delete(&self, id: &RunId) -> Result<()> {
        let key = self.key(id);
        self.repeated("remove", &key, || {
            let url = DeleteObject::new(&self.bucket, Some(&self.credentials), &key).sign(VALID);
            accepted(self.agent.delete(url.as_str()).call(), &[404]).map(drop)
        })
    }

    /// The key of a run's object. Two digits of the id are a folder, so that
    /// services that keep folders have few files in each.
    fn key(&self, id: &RunId) -> String {
        let id = id.to_string();
        let folder = id.get(..2).unwrap_or_default();
        format!("{}{folder}/{id}", self.address.prefix)
    }

    /// Repeats an attempt that failed for a while.
    fn repeated<T>(
        &self,
        what: &str,
        key: &str,
        attempt: impl Fn() -> std::result::Result<T, Failure>,
    ) -> Result<T> {
        let mut waits = WAITS.iter();
        loop {
            let failure = match attempt() {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            match waits.next() {
                Some(wait) if failure.may_pass => thread::sleep(*wait),
                _ => {
                    return Err(Error::Io(format!(
                        "the bucket {} did not {what} {key}: {}",
                        self.address, failure.reason
                    )));
                }
            }
        }
    }
}

/// The answer, if its status is one of success or of those.
fn accepted(
    answer: std::result::Result<Response<ureq::Body>, ureq::Error>,
    also: &[u16],
) -> std::result::Result<Response<ureq::Body>, Failure> {
    let answer = answer.map_err(|error| Failure {
        reason: error.to_string(),
        may_pass: true,
    })?;
    let status = answer.status();
    // A missing bucket answers 404, too, which is not a missing object.
    if status.is_success() {
        return Ok(answer);
    }
    let mut text = String::new();
    let mut body = answer.into_body();
    let read = body.as_reader().take(MAX_REASON).read_to_string(&mut text);
    let code = element(&text, "Code");
    if also.contains(&status.as_u16()) && read.is_ok() && code != Some("NoSuchBucket") {
        let mut found = Response::new(ureq::Body::builder().data(""));
        *found.status_mut() = status;
        return Ok(found);
    }
    let message = element(&text, "Message").unwrap_or_default();
    let reason = match code {
        Some(code) => format!("{status}: {code}: {message}"),
        None => status.to_string(),
    };
    Err(Failure {
        reason: reason.chars().filter(|char| !char.is_control()).collect(),
        may_pass: status.is_server_error() || matches!(status.as_u16(), 408 | 429),
    })
}

/// The text of an element of an answer that is an error.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once('<').map(|(text, _)| text)
}
