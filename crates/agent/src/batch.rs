//! A batch: a file with the body of a request, which has the runs, and a list of them.
//!
//! The body is `multipart/form-data`, compressed with zstd as a whole. A large
//! run is alone in its batch, and compressed itself: the server unpacks it where
//! it reads it. Behind the body are the list as JSON, its length, and a
//! mark. **Invariant:** the body is sent as it is in the file, byte for byte.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use spool::Version;

use crate::error::{Error, Result};
use crate::files;

/// How a batch ends.
const MARK: [u8; 8] = *b"XHPBATCH";

/// The most runs of a batch; servers take no more.
pub(crate) const MAX_RUNS: usize = 100;

/// A larger file is alone in its batch.
pub(crate) const LARGE: u64 = 8 << 20;

/// The longest contents: those of [`MAX_RUNS`] runs.
const MAX_CONTENTS: u64 = 4 << 20;

/// Compression of bodies.
const LEVEL: i32 = 3;

/// How much is copied at a time.
const BUFFER: usize = 64 << 10;

/// A run in a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The name of the file that it was.
    pub(crate) name: String,
    /// The application, as far as it is known.
    pub(crate) app: String,
    /// Its size in the body, before compression.
    pub(crate) bytes: u64,
    /// The file in the spool; none after a batch was split.
    pub(crate) file: Option<PathBuf>,
    /// What the file was: device, inode, size, time.
    pub(crate) version: Option<(u64, u64, u64, i64)>,
}

/// What is in a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Contents {
    /// What is between the parts.
    pub(crate) boundary: String,
    /// Whether the body is compressed as a whole.
    pub(crate) is_packed: bool,
    /// Tags that all runs get.
    pub(crate) tags: Vec<(String, String)>,
    /// The runs.
    pub(crate) parts: Vec<Part>,
}

/// A batch on the disk.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) path: PathBuf,
    pub(crate) contents: Contents,
    /// The length of the body.
    pub(crate) body: u64,
}

impl Contents {
    /// What is before a run in the body.
    fn head(&self, name: &str) -> String {
        let mut head = format!(
            "--{}\r\nContent-Disposition: form-data; name=\"run\"; filename=\"run\"\r\n",
            self.boundary
        );
        let is_header = |text: &str| {
            let is_shown = |letter: char| !letter.is_control();
            !text.is_empty() && text.chars().all(is_shown)
        };
        // XHProf's saved runs have their id in their name.
        if is_header(name) {
            head.push_str(&format!("X-Xhprof-File: {name}\r\n"));
        }
        for (tag, value) in &self.tags {
            if is_header(value) {
                head.push_str(&format!("X-Xhprof-{tag}: {value}\r\n"));
            }
        }
        head.push_str("Content-Type: application/octet-stream\r\n\r\n");
        head
    }

    fn end(&self) -> String {
        format!("--{}--\r\n", self.boundary)
    }
}

impl Batch {
    /// Reads what is in a batch.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`]; [`Error::Queue`].
    pub(crate) fn open(path: PathBuf) -> Result<Self> {
        let read = || -> io::Result<(Vec<u8>, u64)> {
            let mut file = spool::open(&path)?;
            let length = file.metadata()?.len();
            let behind = 4 + MARK.len() as u64;
            let damaged = || io::Error::from(io::ErrorKind::InvalidData);
            let at = length.checked_sub(behind).ok_or_else(damaged)?;
            file.seek(SeekFrom::Start(at))?;
            let (mut size, mut mark) = ([0; 4], [0; 8]);
            file.read_exact(&mut size)?;
            file.read_exact(&mut mark)?;
            let size = u64::from(u32::from_le_bytes(size));
            if mark != MARK || size > MAX_CONTENTS {
                return Err(damaged());
            }
            let body = at.checked_sub(size).ok_or_else(damaged)?;
            file.seek(SeekFrom::Start(body))?;
            let mut json = Vec::new();
            file.take(size).read_to_end(&mut json)?;
            Ok((json, body))
        };
        let (json, body) = match read() {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let reason = "its end is missing".to_owned();
                return Err(Error::Damaged(path, reason));
            }
            Err(error) => return Err(Error::Queue(path, error)),
        };
        match serde_json::from_slice(&json) {
            Ok(contents) => Ok(Self {
                path,
                contents,
                body,
            }),
            Err(error) => Err(Error::Damaged(path, error.to_string())),
        }
    }

    /// The body, as it is sent.
    pub(crate) fn body(&self) -> io::Result<impl Read + use<>> {
        Ok(spool::open(&self.path)?.take(self.body))
    }

    /// Calls `visit` with the number of each run and its file, until it says false.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`]; [`Error::Queue`]; those of `visit`.
    pub(crate) fn each_run(
        &self,
        visit: &mut dyn FnMut(usize, &mut dyn Read) -> Result<bool>,
    ) -> Result<()> {
        let damaged = |error: io::Error| Error::Damaged(self.path.clone(), error.to_string());
        let short = || damaged(io::ErrorKind::UnexpectedEof.into());
        let mut body = self.body().map_err(Error::queue(&self.path))?;
        let head = |part: &Part| self.contents.head(&part.name).len() as u64;
        let skip = |body: &mut dyn Read, bytes: u64| {
            let skipped = io::copy(&mut body.take(bytes), &mut io::sink());
            match skipped.map_err(damaged)? {
                skipped if skipped == bytes => Ok(()),
                _ => Err(short()),
            }
        };
        if !self.contents.is_packed {
            // A large run is alone, and compressed itself.
            let Some(part) = self.contents.parts.first() else {
                return Ok(());
            };
            skip(&mut body, head(part))?;
            let mut run = zstd::Decoder::new(body.take(part.bytes)).map_err(damaged)?;
            return visit(0, &mut run).map(|_| ());
        }
        let mut body = zstd::Decoder::new(body).map_err(damaged)?;
        for (number, part) in self.contents.parts.iter().enumerate() {
            skip(&mut body, head(part))?;
            let mut run = (&mut body).take(part.bytes);
            if !visit(number, &mut run)? {
                return Ok(());
            }
            let rest = run.limit() + 2;
            skip(&mut body, rest)?;
        }
        Ok(())
    }

    /// Writes the runs into two batches.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`]; [`Error::Queue`].
    pub(crate) fn split(&self, paths: [&Path; 2]) -> Result<[usize; 2]> {
        let count = self.contents.parts.len();
        let middle = count / 2;
        let damaged =
            |error: &dyn std::fmt::Display| Error::Damaged(self.path.clone(), error.to_string());
        let body = self.body().map_err(Error::queue(&self.path))?;
        let mut body = zstd::Decoder::new(body).map_err(|error| damaged(&error))?;
        let parts = self.contents.parts.split_at(middle);
        for (path, parts) in paths.into_iter().zip([parts.0, parts.1]) {
            let mut writer = Writer::new(path, &self.contents.tags, true)?;
            for part in parts {
                let head = self.contents.head(&part.name).len() as u64;
                let skipped = io::copy(&mut (&mut body).take(head), &mut io::sink());
                let file = None;
                let part = Part {
                    file,
                    version: None,
                    ..part.clone()
                };
                let bytes = part.bytes;
                let copied = match writer.add(part, (&mut body).take(bytes)) {
                    Err(Error::Spool(_, error)) => return Err(damaged(&error)),
                    copied => copied?,
                };
                let end = io::copy(&mut (&mut body).take(2), &mut io::sink());
                let whole = skipped.and_then(|skipped| Ok((skipped, end?)));
                if whole.map_err(|error| damaged(&error))? != (head, 2) || copied != bytes {
                    return Err(damaged(&"it is too short"));
                }
            }
            writer.finish()?;
        }
        Ok([middle, count - middle])
    }
}

/// What compresses a body, or leaves it.
enum Body {
    Packed(Box<zstd::Encoder<'static, BufWriter<File>>>),
    Plain(BufWriter<File>),
}

impl Write for Body {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Packed(out) => out.write(bytes),
            Self::Plain(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Packed(out) => out.flush(),
            Self::Plain(out) => out.flush(),
        }
    }
}

/// Writes a batch.
pub(crate) struct Writer {
    path: PathBuf,
    body: Body,
    contents: Contents,
}

impl Writer {
    /// A batch without runs. Without `is_packed` each run is compressed itself.
    pub(crate) fn new(path: &Path, tags: &[(String, String)], is_packed: bool) -> Result<Self> {
        let create = || -> io::Result<(Body, String)> {
            let mut random = [0; 16];
            getrandom::fill(&mut random).map_err(io::Error::other)?;
            let hex = random.iter().map(|byte| format!("{byte:02x}"));
            let boundary = hex.collect::<String>();
            let file = BufWriter::with_capacity(BUFFER, files::create(path)?);
            let body = if is_packed {
                let mut encoder = zstd::Encoder::new(file, LEVEL)?;
                encoder.include_checksum(true)?;
                Body::Packed(Box::new(encoder))
            } else {
                Body::Plain(file)
            };
            Ok((body, boundary))
        };
        let (body, boundary) = create().map_err(Error::queue(path))?;
        Ok(Self {
            path: path.to_owned(),
            body,
            contents: Contents {
                boundary,
                is_packed,
                tags: tags.to_vec(),
                parts: Vec::new(),
            },
        })
    }

    /// Adds a run; returns the size of its file. A batch with a run that could
    /// not be read is of no use.
    ///
    /// # Errors
    ///
    /// [`Error::Spool`] if the run cannot be read, [`Error::Queue`].
    pub(crate) fn add(&mut self, mut part: Part, input: impl Read) -> Result<u64> {
        let head = self.contents.head(&part.name);
        let name = part.file.clone().unwrap_or_else(|| self.path.clone());
        let spool = |error| Error::Spool(name, error);
        let queue = |error| Error::Queue(self.path.clone(), error);
        self.body.write_all(head.as_bytes()).map_err(queue)?;
        let size = if self.contents.is_packed {
            let size = copy(input, &mut self.body, spool, queue)?;
            part.bytes = size;
            size
        } else {
            let counted = Counted::new(&mut self.body);
            let mut packed = zstd::Encoder::new(counted, LEVEL).map_err(queue)?;
            let size = copy(input, &mut packed, spool, queue)?;
            part.bytes = packed.finish().map_err(queue)?.count;
            size
        };
        self.body.write_all(b"\r\n").map_err(queue)?;
        self.contents.parts.push(part);
        Ok(size)
    }

    /// Waits until the batch is on the disk.
    pub(crate) fn finish(mut self) -> Result<()> {
        let end = self.contents.end();
        let path = self.path;
        let contents = self.contents;
        let finish = || -> io::Result<()> {
            self.body.write_all(end.as_bytes())?;
            let mut out = match self.body {
                Body::Packed(out) => out.finish()?,
                Body::Plain(out) => out,
            };
            let json = serde_json::to_vec(&contents)?;
            let size = u32::try_from(json.len()).map_err(io::Error::other)?;
            out.write_all(&json)?;
            out.write_all(&size.to_le_bytes())?;
            out.write_all(&MARK)?;
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_data()
        };
        finish().map_err(Error::queue(&path))
    }
}

/// Copies, and says which side failed.
fn copy(
    mut input: impl Read,
    out: &mut impl Write,
    unread: impl FnOnce(io::Error) -> Error,
    unwritten: impl FnOnce(io::Error) -> Error,
) -> Result<u64> {
    let mut buffer = vec![0; BUFFER];
    let mut size = 0;
    loop {
        let count = match input.read(&mut buffer) {
            Ok(0) => return Ok(size),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unread(error)),
        };
        let written = out.write_all(buffer.get(..count).unwrap_or_default());
        if let Err(error) = written {
            return Err(unwritten(error));
        }
        size += count as u64;
    }
}

/// Counts what passes.
struct Counted<W> {
    inner: W,
    count: u64,
}

impl<W> Counted<W> {
    fn new(inner: W) -> Self {
        Self { inner, count: 0 }
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The fields of a version, as they are in a batch.
pub(crate) fn fields(version: Version) -> (u64, u64, u64, i64) {
    let Version {
        device,
        inode,
        bytes,
        changed_ns,
    } = version;
    (device, inode, bytes, changed_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str) -> Part {
        Part {
            name: name.to_owned(),
            app: "shop".to_owned(),
            bytes: 0,
            file: Some(PathBuf::from("/spool").join(name)),
            version: Some((1, 2, 3, 4)),
        }
    }

    fn unpacked(batch: &Batch) -> String {
        let mut body = Vec::new();
        batch.body().unwrap().read_to_end(&mut body).unwrap();
        let plain = zstd::decode_all(&body[..]).unwrap();
        String::from_utf8(plain).unwrap()
    }

    #[test]
    fn a_batch_has_its_runs_as_parts_with_their_tags() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b");
        let tags = [("app".to_owned(), "größe".to_owned())];
        let mut writer = Writer::new(&path, &tags, true).unwrap();
        writer.add(part("a.xhp"), &b"first"[..]).unwrap();
        writer.add(part("b\r\nX: y"), &b"second"[..]).unwrap();
        writer.finish().unwrap();
        let batch = Batch::open(path).unwrap();
        assert_eq!(batch.contents.parts[1].bytes, 6);
        let boundary = &batch.contents.boundary;
        let head = "Content-Disposition: form-data; name=\"run\"; filename=\"run\"\r\n";
        let kind = "X-Xhprof-app: größe\r\nContent-Type: application/octet-stream\r\n\r\n";
        assert_eq!(
            unpacked(&batch),
            format!(
                "--{boundary}\r\n{head}X-Xhprof-File: a.xhp\r\n{kind}first\r\n\
                 --{boundary}\r\n{head}{kind}second\r\n--{boundary}--\r\n"
            )
        );
    }

    #[test]
    fn a_large_run_is_compressed_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b");
        let content = vec![7; 100_000];
        let mut writer = Writer::new(&path, &[], false).unwrap();
        assert_eq!(writer.add(part("a"), &content[..]).unwrap(), 100_000);
        writer.finish().unwrap();
        let batch = Batch::open(path).unwrap();
        let mut body = Vec::new();
        batch.body().unwrap().read_to_end(&mut body).unwrap();
        let begin = batch.contents.head("a").len();
        let size = usize::try_from(batch.contents.parts[0].bytes).unwrap();
        let run = &body[begin..begin + size];
        assert_eq!(zstd::decode_all(run).unwrap(), content);
        assert!(body[begin + size..].starts_with(b"\r\n--"));
    }

    #[test]
    fn the_halves_of_a_batch_have_its_runs_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let [path, left, right] = ["b", "l", "r"].map(|name| folder.path().join(name));
        let mut writer = Writer::new(&path, &[], true).unwrap();
        for name in ["1", "2", "3", "4", "5"] {
            let content = name.repeat(3000);
            writer.add(part(name), content.as_bytes()).unwrap();
        }
        writer.finish().unwrap();
        let batch = Batch::open(path).unwrap();
        assert_eq!(batch.split([&left, &right]).unwrap(), [2, 3]);
        let names = |path: &Path| {
            let half = Batch::open(path.to_owned()).unwrap();
            let text = unpacked(&half);
            for part in &half.contents.parts {
                assert!(text.contains(&part.name.repeat(3000)));
                assert_eq!(part.file, None);
            }
            let parts = half.contents.parts.into_iter();
            parts.map(|part| part.name).collect::<String>()
        };
        assert_eq!(names(&left) + &names(&right), "12345");
    }

    #[test]
    fn each_run_of_a_batch_is_read_until_the_reader_has_enough() {
        let folder = tempfile::tempdir().unwrap();
        for is_packed in [true, false] {
            let path = folder.path().join(is_packed.to_string());
            let mut writer = Writer::new(&path, &[], is_packed).unwrap();
            let count = if is_packed { 5 } else { 1 };
            for number in 0..count {
                let content = format!("run {number}").repeat(2000);
                writer
                    .add(part(&format!("{number}")), content.as_bytes())
                    .unwrap();
            }
            writer.finish().unwrap();
            let batch = Batch::open(path.clone()).unwrap();
            let mut read = Vec::new();
            let visit = &mut |number: usize, run: &mut dyn Read| {
                let mut text = String::new();
                // The second one only in part.
                let most = if number == 1 { 3 } else { u64::MAX };
                run.take(most).read_to_string(&mut text).unwrap();
                read.push((number, text.len()));
                Ok(number < 3)
            };
            batch.each_run(visit).unwrap();
            let all = [(0, 10_000), (1, 3), (2, 10_000), (3, 10_000)];
            assert_eq!(read, all[..count.min(4)]);
        }
    }

    #[test]
    fn a_batch_that_ends_early_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b");
        let mut writer = Writer::new(&path, &[], true).unwrap();
        writer.add(part("a"), &b"first"[..]).unwrap();
        writer.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for length in [0, 5, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let outcome = Batch::open(path.clone());
            assert!(matches!(outcome, Err(Error::Damaged(..))), "{length}");
        }
        // The contents are there, but the body is not.
        let contents = &bytes[bytes.len() - 60..];
        assert!(Batch::open(path.clone()).is_err());
        std::fs::write(&path, contents).unwrap();
        assert!(Batch::open(path).is_err());
    }
}
