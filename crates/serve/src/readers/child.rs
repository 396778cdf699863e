//! What a process of `readers` does: it reads uploads from standard input until its end.
//!
//! An upload is a block with a `Job` as JSON, and a block with the body. A block is a length
//! of eight bytes, the lowest first, and so many bytes. The answer has parts, each with one
//! byte that says what follows: nothing for [`BEGUN`] and [`END`]; a block of JSON for
//! [`ITEM`], and the native file in another one unless that says why there is none; a block
//! of JSON for [`REFUSED`]. The last part is `END` or `REFUSED`.

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use profile::native;
use rustix::process::{Resource, Rlimit, getppid, setrlimit};
use serde::{Deserialize, Serialize};

use crate::contents::{ContentEvent, Item, Job, contents};
use crate::metadata::Metadata;
use crate::reading::MEMORY;
use crate::refused::Refused;

pub(crate) const BEGUN: u8 = 0;
pub(crate) const ITEM: u8 = 1;
pub(crate) const REFUSED: u8 = 2;
pub(crate) const END: u8 = 3;

/// How the process learns how much memory it may take.
pub(crate) const MEMORY_VARIABLE: &str = "XHPROF_READER_MEMORY";

/// What the program itself maps, beside the memory of the process.
const PROGRAM: u64 = 1 << 30;

/// The longest time of one profile, and of unpacking a body.
const TIME: Duration = Duration::from_secs(50);

/// A profile, without its file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ItemAnswer {
    pub(crate) metadata: Metadata,
    pub(crate) size: u64,
    pub(crate) refused: Option<Refused>,
}

/// Reads uploads from standard input until its end: what a process of
/// [`Readers`](crate::Readers) does.
///
/// # Errors
///
/// A pipe that is closed in the middle of an upload.
pub fn read_uploads() -> io::Result<()> {
    let memory = std::env::var(MEMORY_VARIABLE).ok();
    let memory = memory.and_then(|bytes| bytes.parse().ok());
    let memory: u64 = memory.unwrap_or(4 * MEMORY);
    for (resource, limit) in [(Resource::Data, memory), (Resource::As, memory + PROGRAM)] {
        // A lower limit may be set already.
        let _ = setrlimit(
            resource,
            Rlimit {
                current: Some(limit),
                maximum: Some(limit),
            },
        );
    }
    let begun: Arc<Mutex<Option<Instant>>> = Arc::default();
    end_when_late(Arc::clone(&begun))?;
    let set = |time| *begun.lock() = time;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(job) = block::next(&mut input)? {
        let job: Job = serde_json::from_slice(&job).map_err(io::Error::other)?;
        let length = block::length(&mut input, u64::MAX)?;
        set(Some(Instant::now()));
        // The server writes all of it before it reads an answer.
        let mut body = (&mut input).take(length);
        answer(&job, &mut body, memory.min(MEMORY), &mut output, &|| {
            set(Some(Instant::now()));
        })?;
        set(None);
    }
    Ok(())
}

fn answer(
    job: &Job,
    body: &mut dyn Read,
    memory: u64,
    output: &mut dyn Write,
    begins: &dyn Fn(),
) -> io::Result<()> {
    let mut failed = None;
    let outcome = contents(job, &mut BufReader::new(&mut *body), memory, &mut |event| {
        if matches!(event, ContentEvent::Begun) {
            begins();
        }
        match tell(event, output) {
            Ok(()) => true,
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    io::copy(body, &mut io::sink())?;
    match outcome {
        Ok(()) => output.write_all(&[END])?,
        Err(refused) => {
            output.write_all(&[REFUSED])?;
            json(&refused, output)?;
        }
    }
    output.flush()
}

fn tell(event: ContentEvent, output: &mut dyn Write) -> io::Result<()> {
    match event {
        ContentEvent::Begun => {
            output.write_all(&[BEGUN])?;
            output.flush()
        }
        ContentEvent::Item(item) => {
            let Item {
                metadata,
                size,
                outcome,
            } = *item;
            let file = outcome.and_then(|profile| {
                let mut file = Vec::new();
                match native::write(&profile, &mut file) {
                    Ok(()) => Ok(file),
                    Err(error) => Err(Refused::invalid(error.to_string())),
                }
            });
            let mut answer = ItemAnswer {
                metadata,
                size,
                refused: file.as_ref().err().cloned(),
            };
            let mut text = serde_json::to_vec(&answer).map_err(io::Error::other)?;
            if text.len() as u64 > block::MAX_JSON {
                answer.metadata = Metadata::default();
                answer.refused = Some(Refused::too_large("its tags need more than a MiB"));
                text = serde_json::to_vec(&answer).map_err(io::Error::other)?;
            }
            output.write_all(&[ITEM])?;
            block::write(output, &text)?;
            match file {
                Ok(file) if answer.refused.is_none() => block::write(output, &file),
                _ => output.flush(),
            }
        }
    }
}

fn json(value: &impl Serialize, output: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_vec(value).map_err(io::Error::other)?;
    block::write(output, &text)
}

/// Ends this process if an upload takes longer than [`TIME`], or the server is gone.
fn end_when_late(begun: Arc<Mutex<Option<Instant>>>) -> io::Result<()> {
    let server = getppid();
    let watch = move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let begun = *begun.lock();
            if begun.is_some_and(|begun| begun.elapsed() > TIME) {
                let _ = writeln!(io::stderr(), "xhprof: an upload took longer than {TIME:?}");
                std::process::exit(1);
            }
            if getppid() != server {
                std::process::exit(1);
            }
        }
    };
    let thread = std::thread::Builder::new().name("time".to_owned());
    thread.stack_size(64 << 10).spawn(watch).map(|_| ())
}

/// Bytes with their length before them.
pub(crate) mod block {
    use std::io::{self, Read, Write};

    /// The longest block of JSON: metadata with many tags.
    pub(crate) const MAX_JSON: u64 = 1 << 20;

    /// A block that is larger is not all there before it is read.
    const EXPECTED: u64 = 128 << 20;

    pub(crate) fn write(out: &mut (impl Write + ?Sized), bytes: &[u8]) -> io::Result<()> {
        out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        out.write_all(bytes)?;
        out.flush()
    }

    /// The length of the next block.
    pub(crate) fn length(input: &mut impl Read, limit: u64) -> io::Result<u64> {
        let mut length = [0; 8];
        input.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        if length > limit {
            return Err(io::Error::other(format!("a block of {length} bytes")));
        }
        Ok(length)
    }

    /// So many bytes.
    pub(crate) fn bytes(input: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
        let expected = usize::try_from(length.min(EXPECTED)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(expected);
        input.take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }

    /// A block; none at the end of the input.
    pub(crate) fn next(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
        let mut first = [0];
        if input.read(&mut first)? == 0 {
            return Ok(None);
        }
        let mut input = (&first[..]).chain(input);
        let length = length(&mut input, MAX_JSON)?;
        bytes(&mut input, length).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::Kind;

    #[test]
    fn blocks_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        block::write(&mut bytes, b"abc").unwrap();
        block::write(&mut bytes, b"").unwrap();
        let mut input = &bytes[..];
        assert_eq!(block::next(&mut input).unwrap().unwrap(), b"abc");
        assert_eq!(block::next(&mut input).unwrap().unwrap(), b"");
        assert_eq!(block::next(&mut input).unwrap(), None);
        assert!(block::next(&mut &bytes[..5]).is_err());
        assert!(block::next(&mut &bytes[..9]).is_err());
        assert!(block::length(&mut &bytes[..], 2).is_err());
    }

    #[test]
    fn what_is_left_of_a_refused_body_makes_way_for_the_next_one() {
        let job = Job {
            kind: Kind::File,
            content_type: None,
            encoding: None,
            skip: 0,
        };
        let mut input = io::Cursor::new(vec![b'x'; 100_000]);
        let mut output = Vec::new();
        let mut body = (&mut input).take(90_000);
        answer(&job, &mut body, MEMORY, &mut output, &|| ()).unwrap();
        assert_eq!(input.position(), 90_000);
        assert_eq!(output[..2], [BEGUN, ITEM]);
        assert!(String::from_utf8_lossy(&output).contains("\"status\":422"));
        assert_eq!(output.last(), Some(&END));
    }
}
