//! What Pyroscope, OpenTelemetry's collectors and Sentry get of a run.

use std::io::{BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use formats::{Format, ReadError, WriteOptions};
use profile::{Budget, Profile};
use prost::Message;

use crate::batch::Batch;
use crate::dropped::{Reason, host};
use crate::error::{Error, Result};
use crate::options::Protocol;
use crate::send::Refusal;
use crate::sentry;

/// Memory for one run while it is read.
const MEMORY: u64 = 48 << 20;

/// The largest body: receivers take no larger ones by default.
const MAX_BODY: usize = 16 << 20;

/// The largest unpacked file.
const MAX_FILE: u64 = 32 << 20;

/// A request.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) encoding: Option<&'static str>,
    pub(crate) bytes: Vec<u8>,
}

/// Reads a run, and makes the body of its request; or says why the receiver cannot
/// get it.
///
/// # Errors
///
/// [`Error::Damaged`], [`Error::Queue`]: the batch cannot be read.
pub(crate) fn body(
    protocol: Protocol,
    run: &mut dyn Read,
    batch: &Batch,
) -> Result<std::result::Result<Body, Refusal>> {
    let refused = |why, text: String| Ok(Err(Refusal { why, text }));
    let mut file = Vec::new();
    run.take(MAX_FILE + 1)
        .read_to_end(&mut file)
        .map_err(|error| Error::Damaged(batch.path.clone(), error.to_string()))?;
    if file.len() as u64 > MAX_FILE {
        let text = format!("its file has more than {} MiB", MAX_FILE >> 20);
        return refused(Reason::TooLarge, text);
    }
    // A reader that panics must not end the thread of the target.
    let made = catch_unwind(AssertUnwindSafe(|| made(protocol, &file, batch)));
    match made {
        Ok(Ok(body)) if body.bytes.len() > MAX_BODY => {
            let text = format!("it takes more than {} MiB", MAX_BODY >> 20);
            refused(Reason::TooLarge, text)
        }
        Ok(made) => Ok(made),
        Err(_) => refused(Reason::Refused, "reading it failed".to_owned()),
    }
}

fn made(protocol: Protocol, file: &[u8], batch: &Batch) -> std::result::Result<Body, Refusal> {
    let mut profile = read(file)?;
    for (name, value) in &batch.contents.tags {
        profile.meta.set_tag(name, value.clone());
    }
    let run = About::of(&profile);
    match protocol {
        Protocol::Otlp => otlp(&profile, &run),
        Protocol::Sentry => envelope(&mut profile, &run),
        _ => pyroscope(&profile, &run),
    }
}

fn read(file: &[u8]) -> std::result::Result<Profile, Refusal> {
    let budget = Budget::new(MEMORY);
    formats::read_within(BufReader::new(file), &budget).map_err(|error| Refusal {
        why: match error {
            ReadError::Memory(_) => Reason::TooLarge,
            _ => Reason::Refused,
        },
        text: error.to_string(),
    })
}

fn written(format: &Format, profile: &Profile) -> std::result::Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let options = WriteOptions {
        // Pages of these receivers have only stacks; the title says that they are
        // estimated.
        estimate: true,
        ..WriteOptions::default()
    };
    match formats::write(format, profile, &options, &mut bytes) {
        Ok(()) => Ok(bytes),
        Err(error) => Err(Refusal {
            why: Reason::Refused,
            text: error.to_string(),
        }),
    }
}

/// What the receivers select by.
struct About {
    app: String,
    release: Option<String>,
    host: String,
}

impl About {
    fn of(profile: &Profile) -> Self {
        let tag = |name: &str| {
            let value = profile.meta.tag(name).filter(|value| !value.is_empty());
            value.map(str::to_owned)
        };
        Self {
            app: tag("app").unwrap_or_else(|| "php".to_owned()),
            release: tag("release"),
            host: profile.meta.host.clone().unwrap_or_else(host),
        }
    }
}

/// `push.v1.PushRequest` of Pyroscope.
#[derive(Clone, PartialEq, Eq, Message)]
struct PushRequest {
    #[prost(message, repeated, tag = "1")]
    series: Vec<Series>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct Series {
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct Sample {
    #[prost(bytes = "vec", tag = "1")]
    raw_profile: Vec<u8>,
}

fn pyroscope(profile: &Profile, run: &About) -> std::result::Result<Body, Refusal> {
    let raw_profile = written(&formats::pprof::PPROF, profile)?;
    let labels = [
        // The first part of Pyroscope's profile type, `wall:wall:nanoseconds:…`.
        ("__name__", Some("wall")),
        ("service_name", Some(run.app.as_str())),
        ("release", run.release.as_deref()),
        ("hostname", Some(run.host.as_str())),
    ];
    let labels = labels.into_iter().filter_map(|(name, value)| {
        Some(Label {
            name: name.to_owned(),
            value: value.filter(|value| !value.is_empty())?.to_owned(),
        })
    });
    let request = PushRequest {
        series: vec![Series {
            labels: labels.collect(),
            samples: vec![Sample { raw_profile }],
        }],
    };
    Ok(Body {
        path: "/push.v1.PusherService/Push",
        kind: "application/proto",
        encoding: None,
        bytes: request.encode_to_vec(),
    })
}

/// `ExportProfilesServiceRequest`, which has the fields of a file of profiles. What
/// does not change stays as it is written.
#[derive(Clone, PartialEq, Eq, Message)]
struct ExportRequest {
    #[prost(message, repeated, tag = "1")]
    resource_profiles: Vec<ResourceProfiles>,
    #[prost(bytes = "vec", tag = "2")]
    dictionary: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct ResourceProfiles {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    scope_profiles: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct AnyValue {
    #[prost(string, tag = "1")]
    string_value: String,
}

fn envelope(profile: &mut Profile, run: &About) -> std::result::Result<Body, Refusal> {
    // Sentry takes no profile of an unknown time.
    profile.meta.started_unix_us.get_or_insert_with(now);
    let item = written(&formats::sentry::SENTRY, profile)?;
    let bytes = sentry::envelope(profile, &item, &run.app, &run.host);
    Ok(Body {
        path: sentry::PATH,
        kind: sentry::KIND,
        encoding: None,
        bytes: bytes.map_err(|error| Refusal {
            why: Reason::Refused,
            text: error.to_string(),
        })?,
    })
}

/// Microseconds since 1970.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

fn otlp(profile: &Profile, run: &About) -> std::result::Result<Body, Refusal> {
    let failed = |text: String| Refusal {
        why: Reason::Refused,
        text,
    };
    let file = written(&formats::otlp::OTLP, profile)?;
    let mut request =
        ExportRequest::decode(&file[..]).map_err(|error| failed(error.to_string()))?;
    drop(file);
    let attributes = [
        ("service.name", Some(run.app.as_str())),
        ("service.version", run.release.as_deref()),
        ("host.name", Some(run.host.as_str())),
        ("process.runtime.name", Some("php")),
    ];
    let attributes = attributes.into_iter().filter_map(|(key, value)| {
        let string_value = value.filter(|value| !value.is_empty())?.to_owned();
        Some(KeyValue {
            key: key.to_owned(),
            value: Some(AnyValue { string_value }),
        })
    });
    let attributes: Vec<_> = attributes.collect();
    for of_resource in &mut request.resource_profiles {
        of_resource.resource = Some(Resource {
            attributes: attributes.clone(),
        });
    }
    let plain = request.encode_to_vec();
    drop(request);
    let mut packed = flate2::read::GzEncoder::new(&plain[..], flate2::Compression::fast());
    let mut bytes = Vec::new();
    packed
        .read_to_end(&mut bytes)
        .map_err(|error| failed(error.to_string()))?;
    Ok(Body {
        path: "/v1development/profiles",
        kind: "application/x-protobuf",
        encoding: Some("gzip"),
        bytes,
    })
}
