//! Processes that read uploads.
//!
//! A reader of a hostile file that panics, overflows its stack or needs too much
//! memory or time ends its process, not the server. The server starts another
//! one for the next upload. A process reads many uploads, one after the other.
//!
//! The processes get an upload on standard input, as its length and its bytes,
//! and answer with the profile as a native file, or a sentence. **Invariant:** a
//! process that did not answer completely is never used again.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use profile::native::{self, Limits};
use profile::{Budget, Profile};
use rustix::process::{Resource, Rlimit, setrlimit};

use crate::reading::{MEMORY, NotTaken, read};

/// The longest time of one upload.
const TIME: Duration = Duration::from_secs(50);

/// The address space of a process: a profile, its native file, and the program.
const ADDRESS_SPACE: u64 = 4 << 30;

/// A process ends after an upload whose file was larger: it would keep the
/// memory.
const LARGE: usize = 16 << 20;

/// The largest answer: the native file of a profile within [`MEMORY`].
const MAX_ANSWER: u64 = 1 << 30;

/// How an answer begins.
const PROFILE: u8 = 0;
const INVALID: u8 = 1;
const TOO_LARGE: u8 = 2;
/// Added if the process ends after its answer.
const LAST: u8 = 0x80;

/// What reads uploads.
pub struct Readers {
    /// None reads in this process.
    command: Option<Box<dyn Fn() -> Command + Send + Sync>>,
    idle: Mutex<Vec<Process>>,
    /// Processes that ended without an answer.
    pub(crate) crashed: AtomicU64,
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").finish_non_exhaustive()
    }
}

impl Readers {
    /// Reads in this process: a panic ends it.
    #[must_use]
    pub fn in_this_process() -> Self {
        Self {
            command: None,
            idle: Mutex::default(),
            crashed: AtomicU64::new(0),
        }
    }

    /// Reads in processes that `command` starts, which call [`read_uploads`].
    #[must_use]
    pub fn in_processes(command: impl Fn() -> Command + Send + Sync + 'static) -> Self {
        Self {
            command: Some(Box::new(command)),
            ..Self::in_this_process()
        }
    }

    /// Reads a profile of any format.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<Profile, NotTaken> {
        let Some(command) = &self.command else {
            return read(bytes);
        };
        let mut process = match self.idle_one() {
            Some(process) => process,
            None => Process::start(command()).map_err(|error| unavailable(&error))?,
        };
        match process.answer(bytes) {
            Ok((kind, answer)) => {
                if kind & LAST == 0 {
                    self.kept().push(process);
                }
                profile(kind & !LAST, answer)
            }
            Err(error) => {
                self.crashed.fetch_add(1, Ordering::Relaxed);
                Err(process.end(&error))
            }
        }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process that has nothing to do and has not ended.
    fn idle_one(&self) -> Option<Process> {
        loop {
            let mut process = self.kept().pop()?;
            if matches!(process.child.try_wait(), Ok(None)) {
                return Some(process);
            }
        }
    }
}

fn unavailable(error: &io::Error) -> NotTaken {
    NotTaken::Unavailable(format!("no process for reading the upload: {error}"))
}

fn profile(kind: u8, answer: Vec<u8>) -> Result<Profile, NotTaken> {
    let text = |answer: Vec<u8>| String::from_utf8_lossy(&answer).into_owned();
    match kind {
        PROFILE => {
            let budget = Budget::new(MEMORY);
            let profile = native::read_within(&answer[..], &Limits::default(), &budget);
            profile.map_err(|error| NotTaken::Invalid(error.to_string()))
        }
        TOO_LARGE => Err(NotTaken::TooLarge(text(answer))),
        _ => Err(NotTaken::Invalid(text(answer))),
    }
}

/// A running process.
#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Process {
    fn start(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C is for the server, which finishes what it has begun.
        let mut child = command.process_group(0).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("it has no pipes"))?;
        Ok(Self {
            child,
            input,
            output,
        })
    }

    fn answer(&mut self, bytes: &[u8]) -> io::Result<(u8, Vec<u8>)> {
        write_block(&mut self.input, bytes)?;
        let mut kind = [0];
        self.output.read_exact(&mut kind)?;
        let answer = read_block(&mut self.output, MAX_ANSWER)?;
        let answer = answer.ok_or(io::ErrorKind::UnexpectedEof)?;
        let [kind] = kind;
        Ok((kind, answer))
    }

    /// Says why it did not answer.
    fn end(mut self, error: &io::Error) -> NotTaken {
        // It may have ended already.
        let _ = self.child.kill();
        let status = self.child.wait();
        tracing::error!(?status, %error, "a process that read an upload ended");
        const SIGTERM: i32 = 15;
        if status.is_ok_and(|status| status.signal() == Some(SIGTERM)) {
            let reason = "the server is stopping; send it again";
            return NotTaken::Unavailable(reason.to_owned());
        }
        NotTaken::Invalid(
            "reading it failed: it is broken, or it needs too much memory or time; the server's \
             log says more"
                .to_owned(),
        )
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads uploads from standard input until its end: what a process of
/// [`Readers`] does.
///
/// # Errors
///
/// A pipe that is closed in the middle of an upload.
pub fn read_uploads() -> io::Result<()> {
    let limit = Rlimit {
        current: Some(ADDRESS_SPACE),
        maximum: Some(ADDRESS_SPACE),
    };
    // A lower limit may be set already.
    let _ = setrlimit(Resource::As, limit);
    let begun: Arc<Mutex<Option<Instant>>> = Arc::default();
    end_when_late(Arc::clone(&begun))?;
    let set = |time| *begun.lock().unwrap_or_else(PoisonError::into_inner) = time;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(upload) = read_block(&mut input, u64::MAX)? {
        set(Some(Instant::now()));
        let (kind, answer) = answer_to(&upload);
        let last = if upload.len().max(answer.len()) > LARGE {
            LAST
        } else {
            0
        };
        output.write_all(&[kind | last])?;
        write_block(&mut output, &answer)?;
        if last != 0 {
            break;
        }
        set(None);
    }
    Ok(())
}

fn answer_to(upload: &[u8]) -> (u8, Vec<u8>) {
    let mut file = Vec::new();
    match read(upload) {
        Ok(profile) => match native::write(&profile, &mut file) {
            Ok(()) => (PROFILE, file),
            Err(error) => (INVALID, error.to_string().into_bytes()),
        },
        Err(NotTaken::TooLarge(reason)) => (TOO_LARGE, reason.into_bytes()),
        Err(error) => (INVALID, error.to_string().into_bytes()),
    }
}

/// Ends this process if an upload takes longer than [`TIME`].
fn end_when_late(begun: Arc<Mutex<Option<Instant>>>) -> io::Result<()> {
    let watch = move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let begun = *begun.lock().unwrap_or_else(PoisonError::into_inner);
            if begun.is_some_and(|begun| begun.elapsed() > TIME) {
                let _ = writeln!(io::stderr(), "xhprof: an upload took longer than {TIME:?}");
                std::process::exit(1);
            }
        }
    };
    let thread = std::thread::Builder::new().name("time".to_owned());
    thread.spawn(watch).map(|_| ())
}

fn write_block(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)?;
    out.flush()
}

/// A block; none at the end of the input.
fn read_block(input: &mut impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    let (first, rest) = length.split_at_mut(1);
    if input.read(first)? == 0 {
        return Ok(None);
    }
    input.read_exact(rest)?;
    let length = u64::from_le_bytes(length);
    if length > limit {
        return Err(io::Error::other(format!("a block of {length} bytes")));
    }
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &'static str) -> Readers {
        Readers::in_processes(move || {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        })
    }

    #[test]
    fn a_process_that_ends_is_an_invalid_upload_and_the_next_one_has_another() {
        for script in [
            "kill -ABRT $$",
            "exit 3",
            "head -c 8 >/dev/null; exit 0",
            "printf 'x'",
        ] {
            let readers = shell(script);
            for round in 1..=2 {
                let outcome = readers.read(&[b'x'; 100_000]);
                assert!(matches!(outcome, Err(NotTaken::Invalid(_))), "{script}");
                assert_eq!(readers.crashed.load(Ordering::Relaxed), round);
            }
        }
    }

    #[test]
    fn a_process_that_is_told_to_end_is_no_reason_to_refuse_the_upload() {
        let outcome = shell("kill -TERM $$; sleep 5").read(b"x");
        assert!(
            matches!(outcome, Err(NotTaken::Unavailable(_))),
            "{outcome:?}"
        );
        let missing = Readers::in_processes(|| Command::new("/does/not/exist"));
        assert!(matches!(missing.read(b"x"), Err(NotTaken::Unavailable(_))));
    }

    #[test]
    fn an_answer_that_is_too_long_is_not_read() {
        // The length is 2^63 - 1.
        let script = r"printf '\0\377\377\377\377\377\377\377\177'; sleep 5";
        let outcome = shell(script).read(b"x");
        assert!(matches!(outcome, Err(NotTaken::Invalid(_))));
    }

    #[test]
    fn blocks_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        write_block(&mut bytes, b"abc").unwrap();
        write_block(&mut bytes, b"").unwrap();
        let mut input = &bytes[..];
        assert_eq!(read_block(&mut input, 10).unwrap().unwrap(), b"abc");
        assert_eq!(read_block(&mut input, 10).unwrap().unwrap(), b"");
        assert_eq!(read_block(&mut input, 10).unwrap(), None);
        assert!(read_block(&mut &bytes[..5], 10).is_err());
        assert!(read_block(&mut &bytes[..9], 10).is_err());
        assert!(read_block(&mut &bytes[..], 2).is_err());
    }
}
