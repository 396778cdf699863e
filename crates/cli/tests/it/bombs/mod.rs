//! Small files that describe gigabytes, for every reader: each is read, or
//! refused by the limit, in an address space that has room for little more.
//!
//! The program itself runs, with `ulimit -v`: a reader that believes a number
//! dies of it, and says so.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod arrays;
mod binaries;
mod lines;
mod stacks;
mod traces;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

/// The outcome of reading a bomb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// It is read: the profile keeps nothing of it.
    Read,
    /// The limit refuses it.
    Limit,
    /// The reader refuses its content.
    Refused,
}

/// How the bomb is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packed {
    No,
    Gzip,
    Zip,
}

struct Bomb {
    name: &'static str,
    expect: Expect,
    packed: Packed,
    write: fn(&mut dyn Write) -> io::Result<()>,
}

const fn bomb(
    name: &'static str,
    expect: Expect,
    write: fn(&mut dyn Write) -> io::Result<()>,
) -> Bomb {
    Bomb {
        name,
        expect,
        packed: Packed::Gzip,
        write,
    }
}

impl Bomb {
    const fn packed(self, packed: Packed) -> Self {
        Self { packed, ..self }
    }

    fn file(&self, path: &Path) {
        let mut file = BufWriter::new(File::create(path).unwrap());
        match self.packed {
            Packed::No => (self.write)(&mut file).unwrap(),
            Packed::Gzip => {
                let mut out = Members::new(&mut file);
                (self.write)(&mut out).unwrap();
                out.finish().unwrap();
            }
            Packed::Zip => {
                // One deflated file; its sizes follow the data.
                file.write_all(b"PK\x03\x04\x14\0\x08\0\x08\0").unwrap();
                file.write_all(&[0; 16]).unwrap();
                file.write_all(&[1, 0, 0, 0, b'x']).unwrap();
                let mut out = DeflateEncoder::new(&mut file, Compression::default());
                (self.write)(&mut out).unwrap();
                out.finish().unwrap();
                file.write_all(&[0; 12]).unwrap();
            }
        }
        file.flush().unwrap();
    }
}

/// A gzip file in parts: a long piece that is written again and again is
/// compressed once.
struct Members<W> {
    out: W,
    short: Vec<u8>,
    long: Vec<u8>,
    packed: Vec<u8>,
}

impl<W: Write> Members<W> {
    const LONG: usize = 1 << 19;

    fn new(out: W) -> Self {
        Self {
            out,
            short: Vec::new(),
            long: Vec::new(),
            packed: Vec::new(),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        if !self.short.is_empty() {
            let packed = packed(&self.short)?;
            self.out.write_all(&packed)?;
            self.short.clear();
        }
        Ok(())
    }
}

fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut member = GzEncoder::new(Vec::new(), Compression::best());
    member.write_all(bytes)?;
    member.finish()
}

impl<W: Write> Write for Members<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if buffer.len() < Self::LONG {
            self.short.extend_from_slice(buffer);
            if self.short.len() >= Self::LONG {
                self.finish()?;
            }
            return Ok(buffer.len());
        }
        self.finish()?;
        if self.long != buffer {
            self.long = buffer.to_vec();
            self.packed = packed(buffer)?;
        }
        self.out.write_all(&self.packed)?;
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The result of a run.
struct Outcome {
    code: Option<i32>,
    said: String,
}

/// Runs `xhprof report` on a file, with that limit in that address space, in
/// MiB.
fn report(file: &Path, limit: u32, space: u32) -> Outcome {
    // Seconds of CPU time: a reader that takes longer is killed, however busy the machine is.
    let script = "ulimit -v \"$1\"; ulimit -t 60; exec \"$2\" report --memory-limit \"$3\" \"$4\"";
    // `./x test` names the program as it is shipped, which is many times faster.
    let program = std::env::var_os("XHPROF_BOMBED_PROGRAM");
    let output = Command::new("sh")
        .args(["-c", script, "sh", &(space << 10).to_string()])
        .arg(program.unwrap_or_else(|| env!("CARGO_BIN_EXE_xhprof").into()))
        .arg(format!("{limit}M"))
        .arg(file)
        .output()
        .unwrap();
    Outcome {
        code: output.status.code(),
        said: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn check(bombs: &[Bomb], limit: u32, space: u32) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb");
    let mut wrong = Vec::new();
    for bomb in bombs.iter().step_by(if is_whole() { 1 } else { 16 }) {
        bomb.file(&path);
        let outcome = report(&path, limit, space);
        let of_limit = format!("more memory than the limit of {limit} MiB; --memory-limit raises");
        let found = match outcome.code {
            Some(0) => Some(Expect::Read),
            Some(1) if outcome.said.contains(&of_limit) => Some(Expect::Limit),
            Some(1) => Some(Expect::Refused),
            _ => None,
        };
        if found != Some(bomb.expect) {
            wrong.push(format!(
                "{}: {found:?} ({:?}): {}",
                bomb.name, outcome.code, outcome.said
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All bombs, or some of them, because a program that is not optimized is slow:
/// CONTRIBUTING.md has the variable.
fn is_whole() -> bool {
    std::env::var_os("XHPROF_TEST_WHOLE").is_some()
}

/// The limit of the small bombs, and the address space: twice that, with what
/// the program itself, its threads and their stacks take of it.
const LIMIT: u32 = 64;
const SPACE: u32 = 256;

#[test]
fn stacks_are_bounded() {
    check(stacks::BOMBS, LIMIT, SPACE);
}

#[test]
fn traces_are_bounded() {
    check(traces::BOMBS, LIMIT, SPACE);
}

#[test]
fn arrays_are_bounded() {
    check(arrays::BOMBS, LIMIT, SPACE);
}

#[test]
fn lines_are_bounded() {
    check(lines::BOMBS, LIMIT, SPACE);
}

#[test]
fn binaries_are_bounded() {
    check(binaries::BOMBS, LIMIT, SPACE);
}

/// Of the packed files, how much: all of it in the program as it is shipped, a
/// part in one that is not optimized, and less memory then.
const PART: usize = if cfg!(debug_assertions) { 8 } else { 1 };

/// The four files that were found to take 3.1, 4.7, 1 and 0.5 GB: each by its
/// size, with the limit as it is, in 600 MB.
#[test]
fn files_that_took_gigabytes_take_less_than_600_megabytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb");
    let files = [
        (&binaries::EMPTY_SAMPLES, 389_000),
        (&binaries::SAMPLES_BEFORE_TYPES, 389_000),
        (&binaries::LONG_STACKS, 605_000),
        (&stacks::SPEEDSCOPE_PROFILES, 2_900_000),
        (&stacks::SPEEDSCOPE_DEEP, 2_900_000),
        (&arrays::XHPROF_JSON_AROUND, 3_000_000),
        (&arrays::XHPROF_JSON_ROWS, 3_000_000),
    ];
    for (bomb, size) in files.into_iter().step_by(if is_whole() { 1 } else { 7 }) {
        bomb.file(&path);
        let is_packed = bomb.packed == Packed::Gzip;
        let part = if is_packed { PART } else { 1 } as u64;
        let length = path.metadata().unwrap().len() * part;
        let most = size * 12 / 10;
        assert!(
            length > size * 8 / 10 && length < most,
            "{}: {length}",
            bomb.name
        );
        let space = if part > 1 { 256 } else { 600_000_000 >> 20 };
        let outcome = report(&path, 1024, space);
        let is_expected = outcome.code == Some(i32::from(bomb.expect != Expect::Read));
        assert!(is_expected, "{}: {}", bomb.name, outcome.said);
        println!("{}: {length} bytes", bomb.name);
    }
}
