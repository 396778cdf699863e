//! Broken files for every reader, on stable Rust: `fuzz SECONDS FOLDER
//! CORPUS,… [READER…]`, or `./x fuzz`.
//!
//! Changes the files of the corpus, and known profiles in every format, at
//! random, the same way each time. A panic is caught, and its input kept in
//! FOLDER. So is each input while it is read, in case the process ends.
//! cargo-fuzz, which measures coverage, has its targets in `fuzz/`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a tool of the tests"
)]

#[path = "../tests/it/common/mod.rs"]
mod common;
#[path = "../tests/it/programs/mod.rs"]
mod programs;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use formats::WriteOptions;
use profile::{Budget, FlatTable, Profile};

/// The position of the last panic.
static PLACE: Mutex<String> = Mutex::new(String::new());

/// The maximum size of an input.
const MAX_BYTES: usize = 64 * 1024;

/// One in this many profiles is written in every format, too.
const WRITTEN_EVERY: u64 = 257;

/// Special strings of the formats, and numbers at the limits of types.
const TOKENS: [&[u8]; 30] = [
    b"0",
    b"-1",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"99999999999999999999999999",
    b"1e308",
    b"1e-400",
    b"NaN",
    b"\n",
    b"\r\n",
    b";",
    b"==>",
    b"@1",
    b"main()",
    b"fn=(1)",
    b"cfn=(1)",
    b"calls=1 0",
    b"{",
    b"[",
    b"\"",
    b"</Samples>",
    b"<![CDATA[",
    b"&#0;",
    b"a:9999999999:{",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\0",
    b"\xef\xbb\xbf",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, folder, corpus, wanted @ ..] = &arguments[..] else {
        panic!("usage: fuzz SECONDS FOLDER CORPUS,… [READER…]");
    };
    let time = Duration::from_secs(seconds.parse().unwrap());
    fs::create_dir_all(folder).unwrap();
    // Said once, with the input, and not for each.
    std::panic::set_hook(Box::new(|panic| {
        if let (Some(place), Ok(mut last)) = (panic.location(), PLACE.lock()) {
            *last = place.to_string();
        }
    }));
    let seeds = seeds(corpus);
    for name in wanted {
        assert!(
            seeds.contains_key(name.as_str()),
            "there is no reader {name}; there are {}",
            seeds.keys().copied().collect::<Vec<_>>().join(", ")
        );
    }
    let mut panics = 0;
    for (reader, seeds) in seeds {
        if wanted.is_empty() || wanted.iter().any(|name| *name == reader) {
            panics += fuzz(reader, &seeds, time, Path::new(folder));
        }
    }
    std::process::exit(i32::from(panics > 0));
}

/// The initial files, by the format that reads them.
fn seeds(corpus: &str) -> BTreeMap<&'static str, Vec<Vec<u8>>> {
    let mut seeds: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut add = |bytes: Vec<u8>| {
        let reader = match formats::recognized(&bytes) {
            _ if bytes.starts_with(b"\x1f\x8b") => "gzip",
            Ok(format) => format.id,
            Err(_) => return,
        };
        if bytes.len() <= MAX_BYTES {
            seeds.entry(reader).or_default().push(bytes);
        }
    };
    // The unpacked content of gzip files, too.
    let mut add = |bytes: Vec<u8>| {
        let mut inside = Vec::new();
        if flate2::read::GzDecoder::new(&bytes[..])
            .read_to_end(&mut inside)
            .is_ok()
        {
            add(inside);
        }
        add(bytes);
    };
    for folder in corpus.split(',') {
        let entries = fs::read_dir(folder).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            add(fs::read(path).unwrap());
        }
    }
    for profile in [
        programs::tiny_tree(),
        programs::tiny_events(),
        common::nasty(),
        common::events(),
    ] {
        for format in formats::FORMATS {
            let mut file = Vec::new();
            if formats::write(format, &profile, &WriteOptions::default(), &mut file).is_ok() {
                add(file);
            }
        }
    }
    // Formats without a reader are skipped.
    seeds.retain(|_, files| files.iter().any(|file| formats::read(&file[..]).is_ok()));
    seeds
}

fn fuzz(reader: &str, seeds: &[Vec<u8>], time: Duration, folder: &Path) -> u64 {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut runs, mut read, mut panics) = (0_u64, 0_u64, 0_u64);
    let mut slowest = (Duration::ZERO, 0);
    let current = folder.join(format!("{reader}.current"));
    let mut current_file = File::create(&current).unwrap();
    let began = Instant::now();
    while began.elapsed() < time {
        let input = mutated(seeds, &mut random);
        current_file.seek(SeekFrom::Start(0)).unwrap();
        current_file.write_all(&input).unwrap();
        current_file.set_len(input.len() as u64).unwrap();
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| one(reader, &input, runs)));
        let took = started.elapsed();
        if took > slowest.0 {
            slowest = (took, input.len());
            fs::write(folder.join(format!("{reader}.slowest")), &input).unwrap();
        }
        match outcome {
            Ok(was_read) => read += u64::from(was_read),
            Err(payload) => {
                panics += 1;
                let path = folder.join(format!("{reader}.panic.{panics}"));
                fs::write(&path, &input).unwrap();
                let said = payload
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| payload.downcast_ref::<&str>().copied());
                let place = PLACE.lock().unwrap();
                println!("  {}: {place}: {}", path.display(), said.unwrap_or("?"));
                if panics == 10 {
                    break;
                }
            }
        }
        runs += 1;
    }
    fs::remove_file(current).unwrap();
    println!(
        "{reader:<18} {runs:>9} inputs of {} files in {:>3} s, {read:>8} of them profiles; \
         slowest {} ms ({} bytes); {panics} panics",
        seeds.len(),
        began.elapsed().as_secs(),
        slowest.0.as_millis(),
        slowest.1,
    );
    panics
}

/// Reads an input as its original format and as the recognized one; checks the
/// profile. Returns whether it was a profile.
fn one(reader: &str, input: &[u8], run: u64) -> bool {
    let recognized = formats::read(input);
    let as_before = formats::by_id(reader)
        .map(|format| format.read(&mut Cursor::new(input), &Budget::default()));
    let mut was_read = false;
    for profile in recognized
        .into_iter()
        .chain(as_before.into_iter().flatten())
    {
        was_read = true;
        let _ = FlatTable::new(&profile);
        if run.is_multiple_of(WRITTEN_EVERY) {
            write_everywhere(&profile);
        }
    }
    was_read
}

fn write_everywhere(profile: &Profile) {
    let options = WriteOptions {
        estimate: true,
        ..WriteOptions::default()
    };
    for format in formats::FORMATS {
        // A few bytes may claim a million repetitions.
        if profile.calls() < 1_000_000 {
            let _ = formats::write(format, profile, &options, &mut std::io::sink());
        }
    }
}

/// One of the files with one to eight changes.
fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len() + 1);
        let longest = 1 << random.below(12);
        let end = (at + 1 + random.below(longest)).min(bytes.len());
        match random.below(10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            2 => drop(bytes.splice(at..at, random.bytes())),
            3 => drop(bytes.drain(at.min(end)..end)),
            4 => {
                let piece = bytes[at.min(end)..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            5 if random.below(4) == 0 => bytes.truncate(at),
            6 => {
                let token = TOKENS[random.below(TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
            7 => replace_number(&mut bytes, at, random),
            8 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let to = (from + random.below(256)).min(other.len());
                bytes.splice(at..end.max(at), other[from..to].iter().copied());
            }
            _ => {
                let token = TOKENS[random.below(TOKENS.len())];
                let end = (at + token.len()).min(bytes.len());
                bytes.splice(at.min(end)..end, token.iter().copied());
            }
        }
    }
    bytes.truncate(MAX_BYTES);
    bytes
}

/// Puts another number where the next one begins.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = at + start;
    let length = bytes[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let end = start + length.count();
    let number = TOKENS[random.below(11)].to_vec();
    bytes.splice(start..end, number);
}

/// The same numbers each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from((self.next() >> 11) % limit.max(1) as u64).unwrap()
    }

    fn bytes(&mut self) -> Vec<u8> {
        let count = 1 + self.below(16);
        (0..count)
            .map(|_| u8::try_from(self.below(256)).unwrap())
            .collect()
    }
}
