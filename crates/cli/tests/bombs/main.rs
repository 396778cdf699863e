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

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

/// What becomes of a bomb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// It is read: nothing in it has to be kept.
    Read,
    /// It is refused, by the limit.
    Limit,
    /// It is refused for what it says.
    Refused,
}

/// How it is packed.
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
                let mut out = GzEncoder::new(&mut file, Compression::default());
                (self.write)(&mut out).unwrap();
                out.finish().unwrap();
            }
            Packed::Zip => {
                // One file, deflated, whose sizes come behind it.
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

/// What a run came to.
struct Outcome {
    code: Option<i32>,
    said: String,
    took: Duration,
}

/// Runs `xhprof report` on a file, with that limit in that address space, in
/// MiB.
fn report(file: &Path, limit: u32, space: u32) -> Outcome {
    let script = "ulimit -v \"$1\"; exec \"$2\" report --memory-limit \"$3\" \"$4\"";
    let began = Instant::now();
    let output = Command::new("sh")
        .args(["-c", script, "sh", &(space << 10).to_string()])
        .args([env!("CARGO_BIN_EXE_xhprof"), &format!("{limit}M")])
        .arg(file)
        .output()
        .unwrap();
    Outcome {
        code: output.status.code(),
        said: String::from_utf8_lossy(&output.stderr).into_owned(),
        took: began.elapsed(),
    }
}

fn check(bombs: &[Bomb], limit: u32, space: u32) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb");
    let mut wrong = Vec::new();
    for bomb in bombs {
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
                "{}: {found:?} ({:?}) after {:?}: {}",
                bomb.name, outcome.code, outcome.took, outcome.said
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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

/// The four files that were found to take 3.1, 4.7, 1 and 0.5 GB: each by its
/// size, with the limit as it is, in 600 MB.
#[test]
fn files_that_took_gigabytes_take_less_than_600_megabytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bomb");
    for (bomb, most) in [
        (&binaries::EMPTY_SAMPLES, 400_000),
        (&binaries::EMPTY_SAMPLES_BEFORE_TYPES, 400_000),
        (&binaries::LONG_STACKS, 620_000),
        (&stacks::SPEEDSCOPE_PROFILES, 3_000_000),
        (&stacks::SPEEDSCOPE_DEEP, 3_000_000),
        (&arrays::XHPROF_JSON_AROUND, 3_100_000),
        (&arrays::XHPROF_JSON_ROWS, 3_100_000),
    ] {
        bomb.file(&path);
        let size = path.metadata().unwrap().len();
        assert!(size > most * 9 / 10 && size < most, "{}: {size}", bomb.name);
        let outcome = report(&path, 1024, 600_000_000 >> 20);
        let is_expected = outcome.code == Some(i32::from(bomb.expect != Expect::Read));
        assert!(is_expected, "{}: {}", bomb.name, outcome.said);
        // Ten seconds of the program as it is shipped; here it is not optimized.
        assert!(
            outcome.took < Duration::from_secs(100),
            "{}: {:?}",
            bomb.name,
            outcome.took
        );
    }
}
