//! Objects in a bucket of a service that speaks Amazon's S3: files of runs.
//!
//! An object's key is the prefix, a folder of the first two digits of its name, and
//! the name. What names mean is the store's matter. The object `xhprof-store` says
//! which store the objects are of.

mod address;
mod credentials;

use std::io::Read;
use std::thread;
use std::time::Duration;

use rusty_s3::Credentials;
use rusty_s3::actions::{DeleteObject, GetObject, HeadObject, ListObjectsV2, PutObject, S3Action};
use ureq::Agent;
use ureq::http::Response;

pub use address::Address;

use crate::{Error, Result, tls};

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

/// The longest list of keys, and how many keys it has: the service's own limit.
const MAX_LIST: u64 = 8 << 20;
const LISTED: usize = 1000;

/// The object that says which store the others are of.
const OWNER: &str = "xhprof-store";

/// How many connections are kept: as many as threads of the store use at once.
const MAX_IDLE_CONNECTIONS: usize = 16;

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
    is_full: bool,
}

impl Failure {
    /// One that the next attempt may not have.
    fn passing(reason: String) -> Self {
        Self {
            reason,
            may_pass: true,
            is_full: false,
        }
    }
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
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_idle_connections_per_host(MAX_IDLE_CONNECTIONS)
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(REQUEST))
            .user_agent(concat!("xhprof/", env!("CARGO_PKG_VERSION")));
        if let Some(file) = &address.ca_file {
            config = config.tls_config(tls::of_authorities(file)?);
        }
        Ok(Self {
            agent: Agent::from(config.build()),
            address,
            bucket,
            credentials,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Stores an object. When this returns, the service has it.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] with the service's reason; [`Error::Full`].
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.put_at(&self.key(name), bytes)
    }

    fn put_at(&self, key: &str, bytes: &[u8]) -> Result<()> {
        self.repeated("store", key, || {
            let url = PutObject::new(&self.bucket, Some(&self.credentials), key).sign(VALID);
            let answer = self.agent.put(url.as_str()).send(bytes);
            accepted(answer, &[]).map(drop)
        })
    }

    /// An object; none if the bucket does not have it.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] with the service's reason.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.get_at(&self.key(name), MAX_OBJECT)
    }

    fn get_at(&self, key: &str, most: u64) -> Result<Option<Vec<u8>>> {
        self.repeated("read", key, || {
            let url = GetObject::new(&self.bucket, Some(&self.credentials), key).sign(VALID);
            let answer = accepted(self.agent.get(url.as_str()).call(), &[404])?;
            if answer.status().as_u16() == 404 {
                return Ok(None);
            }
            let mut body = answer.into_body();
            let read = body.with_config().limit(most).read_to_vec();
            read.map(Some)
                .map_err(|error| Failure::passing(error.to_string()))
        })
    }

    /// Whether the bucket has an object.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] with the service's reason.
    pub fn has(&self, name: &str) -> Result<bool> {
        let key = self.key(name);
        self.repeated("find", &key, || {
            let url = HeadObject::new(&self.bucket, Some(&self.credentials), &key).sign(VALID);
            let answer = accepted(self.agent.head(url.as_str()).call(), &[404])?;
            Ok(answer.status().as_u16() != 404)
        })
    }

    /// Removes an object, if it is there.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] with the service's reason.
    pub fn delete(&self, name: &str) -> Result<()> {
        let key = self.key(name);
        self.repeated("remove", &key, || {
            let url = DeleteObject::new(&self.bucket, Some(&self.credentials), &key).sign(VALID);
            accepted(self.agent.delete(url.as_str()).call(), &[404]).map(drop)
        })
    }

    /// The names that begin with two digits, in their order: those after `after`, at
    /// most 1,000; and whether there are more.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] with the service's reason.
    pub fn list(&self, digits: &str, after: Option<&str>) -> Result<(Vec<String>, bool)> {
        let folder = format!("{}{digits}/", self.address.prefix);
        self.repeated("list", &folder, || {
            let mut action = ListObjectsV2::new(&self.bucket, Some(&self.credentials));
            action.with_prefix(folder.as_str());
            action.with_max_keys(LISTED);
            if let Some(after) = after {
                action.with_start_after(self.key(after));
            }
            let url = action.sign(VALID);
            let answer = accepted(self.agent.get(url.as_str()).call(), &[])?;
            let mut body = answer.into_body();
            let read = body.with_config().limit(MAX_LIST).read_to_string();
            let text = read.map_err(|error| Failure::passing(error.to_string()))?;
            names_in(&text)
        })
    }

    /// The id of the store that the objects are of; none if no store has claimed the
    /// bucket.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] with the service's reason.
    pub fn owner(&self) -> Result<Option<String>> {
        let key = format!("{}{OWNER}", self.address.prefix);
        let bytes = self.get_at(&key, MAX_REASON)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()))
    }

    /// Claims the bucket for a store.
    ///
    /// # Errors
    ///
    /// Those of [`put`](Self::put).
    pub fn claim(&self, owner: &str) -> Result<()> {
        self.put_at(&format!("{}{OWNER}", self.address.prefix), owner.as_bytes())
    }

    /// The key of an object. Services that keep folders have few files in each.
    #[must_use]
    pub fn key(&self, name: &str) -> String {
        let folder = name.get(..2).unwrap_or_default();
        format!("{}{folder}/{name}", self.address.prefix)
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
                _ if failure.is_full => return Err(Error::Full),
                _ => {
                    return Err(Error::Unavailable(format!(
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
    let answer = answer.map_err(|error| Failure::passing(error.to_string()))?;
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
    // The first is of WebDAV, the others are of MinIO and Ceph.
    let is_full = status.as_u16() == 507
        || matches!(
            code,
            Some("XMinioStorageFull" | "XMinioAdminBucketQuotaExceeded" | "QuotaExceeded")
        );
    let is_busy = status.is_server_error() || matches!(status.as_u16(), 408 | 429);
    Err(Failure {
        reason: reason.chars().filter(|char| !char.is_control()).collect(),
        may_pass: is_busy && !is_full,
        is_full,
    })
}

/// The names in a list of objects, and whether there are more. The crate for requests
/// reads lists of one namespace only, and services have two.
fn names_in(text: &str) -> std::result::Result<(Vec<String>, bool), Failure> {
    let (_, list) = text
        .split_once("<ListBucketResult")
        .ok_or_else(|| Failure::passing("its answer is no list of objects".to_owned()))?;
    // Names have letters, digits and - only. Some services encode the / before them.
    let keys = list.split("<Key>").skip(1);
    let keys = keys.filter_map(|rest| rest.split_once("</Key>").map(|(key, _)| key));
    let names = keys.map(|key| {
        let name = key.rsplit_once('/').map_or(key, |(_, name)| name);
        name.rsplit_once("%2F")
            .map_or(name, |(_, name)| name)
            .to_owned()
    });
    Ok((
        names.collect(),
        element(list, "IsTruncated") == Some("true"),
    ))
}

/// The text of an element of an answer that is an error.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once('<').map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_names_whatever_its_namespace_is() {
        let list = "<?xml?><ListBucketResult xmlns=\"a\"><Prefix>p/ab/</Prefix><IsTruncated>true\
                    </IsTruncated><Contents><Key>p/ab/abc-1</Key><Size>1</Size></Contents>\
                    <Contents><Key>p%2Fab%2Fabd-2</Key></Contents></ListBucketResult>";
        let (names, has_more) = names_in(list).map_err(|error| error.reason).unwrap();
        assert_eq!(
            (names.as_slice(), has_more),
            (["abc-1", "abd-2"].map(str::to_owned).as_slice(), true)
        );
        let empty =
            names_in("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
        assert_eq!(
            empty.map_err(|error| error.reason).unwrap(),
            (Vec::new(), false)
        );
        assert!(names_in("<html>a proxy's page</html>").is_err());
    }
}
