//! What the body of an upload contains: profiles with their metadata.
//!
//! This runs in a process of `readers`, so nothing here is counted: the process may take so
//! much memory and time, and no more.

use std::io::{self, BufReader, Read};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::multipart::MultipartError;
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use axum::http::{StatusCode, header};
use hyper::body::Frame;
use profile::{Budget, Profile};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::metadata::Metadata;
use crate::part_headers::metadata;
use crate::push;
use crate::reading::read;
use crate::refused::Refused;

/// The most files of one upload, and the most runs of a batch.
const MAX_FILES: usize = 100;

/// The largest batch, unpacked.
const MAX_BATCH: u64 = 64 << 20;

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A profile.
    File,
    /// A profile, or several as parts.
    Files,
    /// Parts with their own metadata, as agents send them.
    Batch,
    /// A profile, or a part that is called so.
    Ingest,
    /// Pyroscope's protobuf.
    Push,
    /// Buggregator's JSON: a profile with its metadata.
    Buggregator,
}

/// A body, without its bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) kind: Kind,
    pub(crate) content_type: Option<String>,
    pub(crate) encoding: Option<String>,
    /// How many profiles of it were read before.
    pub(crate) skip: usize,
}

/// What a process tells of a body.
#[derive(Debug)]
pub(crate) enum ContentEvent {
    /// It begins to read the next profile.
    Begun,
    /// A profile, or why it is none.
    Item(Box<Item>),
}

/// A profile of a body.
#[derive(Debug)]
pub(crate) struct Item {
    /// What is said beside the profile.
    pub(crate) metadata: Metadata,
    /// The size of the profile as it was sent.
    pub(crate) size: u64,
    pub(crate) outcome: Result<Profile, Refused>,
}

/// The receiver of what is read; false if it wants no more.
pub(crate) type Tell<'a> = dyn FnMut(ContentEvent) -> bool + 'a;

/// Reads a body. Profiles may take so much memory.
pub(crate) fn contents(
    job: &Job,
    body: &mut dyn Read,
    memory: u64,
    tell: &mut Tell<'_>,
) -> Result<(), Refused> {
    let mut items = Items {
        skip: job.skip,
        count: 0,
        memory,
        tell,
    };
    if job.kind == Kind::File {
        items.next(Ok(Metadata::default()), body)?;
        return Ok(());
    }
    let mut bytes = Vec::new();
    let broken = |error: io::Error| Refused::bad(error.to_string());
    match job.kind {
        Kind::Batch => return batch(job, body, &mut items),
        Kind::Files | Kind::Ingest if job.has_parts() => {
            return parts(job, Body::new(Chunks::of(body, &mut bytes)?), &mut items);
        }
        Kind::Push => {
            body.read_to_end(&mut bytes).map_err(broken)?;
            return push::profiles(bytes, job.encoding.as_deref(), &mut |metadata, file| {
                items.next(Ok(metadata), &mut &file[..])
            });
        }
        Kind::Buggregator => {
            body.read_to_end(&mut bytes).map_err(broken)?;
            let metadata = of_buggregator(&bytes)?;
            items.next(Ok(metadata), &mut &bytes[..])?;
        }
        _ => {
            items.next(Ok(Metadata::default()), body)?;
        }
    }
    Ok(())
}

impl Job {
    /// A body of that kind, as the headers of its request describe it.
    pub(crate) fn of(kind: Kind, headers: &axum::http::HeaderMap) -> Self {
        let text = |name| {
            let value = headers.get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Self {
            kind,
            content_type: text(header::CONTENT_TYPE),
            encoding: text(header::CONTENT_ENCODING),
            skip: 0,
        }
    }

    fn has_parts(&self) -> bool {
        let kind = self.content_type.as_deref().unwrap_or_default();
        kind.starts_with("multipart/form-data")
    }
}

/// The profiles of a body, one after the other.
struct Items<'a, 'b> {
    skip: usize,
    count: usize,
    memory: u64,
    tell: &'a mut Tell<'b>,
}

impl Items<'_, '_> {
    /// Reads the next profile and tells of it. An error if the receiver wants no more.
    fn next(
        &mut self,
        metadata: Result<Metadata, Refused>,
        file: &mut dyn Read,
    ) -> Result<(), Refused> {
        self.count += 1;
        if self.count <= self.skip {
            return Ok(());
        }
        let cancelled = || Refused::bad("the client has closed the connection");
        if !(self.tell)(ContentEvent::Begun) {
            return Err(cancelled());
        }
        let mut counted = Counted { file, count: 0 };
        let (metadata, outcome) = match metadata {
            Ok(metadata) => {
                let budget = Budget::new(self.memory);
                let read = read(&mut BufReader::new(&mut counted), &budget);
                (metadata, read.map_err(Refused::from))
            }
            Err(refused) => (Metadata::default(), Err(refused)),
        };
        // What comes after the profile counts as well, and makes way for the next one.
        let _ = io::copy(&mut counted, &mut io::sink());
        let item = Item {
            metadata,
            size: counted.count,
            outcome,
        };
        if (self.tell)(ContentEvent::Item(Box::new(item))) {
            Ok(())
        } else {
            Err(cancelled())
        }
    }
}

struct Counted<'a> {
    file: &'a mut dyn Read,
    count: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}

/// The runs of a batch, which may be compressed.
fn batch(job: &Job, body: &mut dyn Read, items: &mut Items<'_, '_>) -> Result<(), Refused> {
    let is_too_large = Arc::new(AtomicBool::new(false));
    let mut packed = Vec::new();
    body.read_to_end(&mut packed)
        .map_err(|error| Refused::bad(error.to_string()))?;
    let chunks = match job.encoding.as_deref() {
        None | Some("identity") => Chunks(Box::new(io::Cursor::new(packed))),
        Some("zstd") => {
            let decoder = zstd::Decoder::with_buffer(io::Cursor::new(packed));
            let decoder = decoder.map_err(|error| Refused::bad(format!("not zstd: {error}")))?;
            let limited = Limited(decoder, MAX_BATCH, Arc::clone(&is_too_large));
            Chunks(Box::new(limited))
        }
        Some(_) => {
            let reason = "a batch is compressed with zstd, or not at all";
            return Err(Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, reason));
        }
    };
    let outcome = parts(job, Body::new(chunks), items);
    if is_too_large.load(Ordering::Relaxed) {
        let reason = format!("a batch has at most {} MiB, unpacked", MAX_BATCH >> 20);
        return Err(Refused::too_large(reason));
    }
    outcome?;
    if items.count == 0 {
        return Err(Refused::bad("the batch has no run"));
    }
    Ok(())
}

/// The parts of a multipart body.
fn parts(job: &Job, body: Body, items: &mut Items<'_, '_>) -> Result<(), Refused> {
    let mut request = Request::new(body);
    DefaultBodyLimit::disable().apply(&mut request);
    let kind = job.content_type.as_deref().unwrap_or_default();
    if let Ok(kind) = kind.parse() {
        request.headers_mut().insert(header::CONTENT_TYPE, kind);
    }
    let broken = |error: MultipartError| Refused::bad(error.body_text());
    let parts = at_once(Multipart::from_request(request, &()));
    let mut parts = parts.map_err(|error| Refused::new(error.status(), error.body_text()))?;
    while let Some(part) = at_once(parts.next_field()).map_err(broken)? {
        if job.kind == Kind::Ingest && part.name() != Some("profile") {
            continue;
        }
        if items.count >= MAX_FILES {
            return Err(match job.kind {
                Kind::Batch => Refused::too_large(format!("a batch has at most {MAX_FILES} runs")),
                _ => Refused::bad(format!("an upload has at most {MAX_FILES} files")),
            });
        }
        let metadata = match job.kind {
            Kind::Batch => metadata(part.headers()).map_err(Refused::from),
            _ => Ok(Metadata::default()),
        };
        let file = at_once(part.bytes()).map_err(broken)?;
        items.next(metadata, &mut &file[..])?;
        // Clients of Pyroscope send the names of the types beside the profile.
        if job.kind == Kind::Ingest {
            return Ok(());
        }
    }
    match job.kind {
        Kind::Ingest => Err(Refused::bad("the upload has no part `profile`")),
        _ => Ok(()),
    }
}

/// The outcome of something that never waits for anybody else.
fn at_once<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
            return done;
        }
    }
}

/// What is read as a body.
struct Chunks(Box<dyn Read + Send>);

impl Chunks {
    fn of(body: &mut dyn Read, bytes: &mut Vec<u8>) -> Result<Self, Refused> {
        let read = body.read_to_end(bytes);
        read.map_err(|error| Refused::bad(error.to_string()))?;
        let bytes = std::mem::take(bytes);
        Ok(Self(Box::new(io::Cursor::new(bytes))))
    }
}

impl HttpBody for Chunks {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let mut chunk = vec![0; 64 << 10];
        Poll::Ready(match self.0.read(&mut chunk) {
            Ok(0) => None,
            Ok(length) => {
                chunk.truncate(length);
                Some(Ok(Frame::data(chunk.into())))
            }
            Err(error) => Some(Err(error)),
        })
    }
}

/// Reads so many bytes; more are an error, which the flag notes.
struct Limited<R>(R, u64, Arc<AtomicBool>);

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        let Some(left) = self.1.checked_sub(read as u64) else {
            self.2.store(true, Ordering::Relaxed);
            return Err(io::Error::other("it is too large"));
        };
        self.1 = left;
        Ok(read)
    }
}

/// What Buggregator's clients say beside the profile.
fn of_buggregator(body: &[u8]) -> Result<Metadata, Refused> {
    #[derive(Deserialize)]
    struct Upload {
        app_name: Option<String>,
        hostname: Option<String>,
        #[serde(default)]
        tags: Value,
    }
    let upload: Result<Upload, _> = serde_json::from_slice(body);
    let upload = upload.map_err(|error| Refused::invalid(error.to_string()))?;
    let mut metadata = Metadata {
        host: upload.hostname,
        ..Metadata::default()
    };
    if let Some(app) = upload.app_name {
        metadata.tags.push(("app".to_owned(), app));
    }
    for (name, value) in upload.tags.as_object().into_iter().flatten() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        metadata.tags.push((name.clone(), value));
    }
    Ok(metadata)
}
