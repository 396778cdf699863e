//! Writes known profiles in every format, for other programs to read, and those
//! in files: `cargo run --example export -- DIRECTORY [NAME=FILE…]`.
//!
//! A format's file is `NAME.FORMAT.ENDING`; what it refuses is not written.
//! Beside each profile's files is a table of what they have to come to,
//! `NAME.tsv`: function, calls, own and inclusive wall time in nanoseconds, own
//! CPU time, own memory. In names, `\\`, `\t` and `\xHH` stand for a backslash,
//! a tab, and a byte that is no UTF-8 or breaks a line.

#![expect(clippy::unwrap_used, reason = "a tool of the tests")]

#[path = "../tests/it/common/mod.rs"]
mod common;
#[path = "../tests/it/programs/mod.rs"]
mod programs;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use formats::WriteOptions;
use profile::{FlatTable, Profile};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap();
    let directory = Path::new(&directory);
    fs::create_dir_all(directory).unwrap();
    let mut profiles = vec![
        ("tiny".to_owned(), programs::tiny_tree()),
        ("events".to_owned(), programs::tiny_events()),
        ("nasty".to_owned(), programs::nasty()),
        ("hostile".to_owned(), common::nasty()),
    ];
    for argument in arguments {
        let (name, file) = argument.split_once('=').unwrap();
        let input = BufReader::new(File::open(file).unwrap());
        profiles.push((name.to_owned(), formats::read(input).unwrap()));
    }
    for (name, profile) in &profiles {
        export(directory, name, profile);
    }
}

fn export(directory: &Path, name: &str, profile: &Profile) {
    fs::write(directory.join(format!("{name}.tsv")), table(profile)).unwrap();
    for format in formats::FORMATS {
        if format.writes.is_none() {
            continue;
        }
        let id = format.id;
        let ending = format.endings.first().copied().unwrap_or("");
        let ending = match id {
            "perfview-xml" => "perfView.xml",
            _ => ending,
        };
        let mut file = Vec::new();
        if let Err(error) = formats::write(format, profile, &WriteOptions::default(), &mut file) {
            eprintln!("{name} as {id}: {error}");
            continue;
        }
        fs::write(directory.join(format!("{name}.{id}.{ending}")), file).unwrap();
    }
}

fn table(profile: &Profile) -> String {
    let mut text = String::new();
    for row in FlatTable::new(profile).rows {
        let name = escaped(profile.name(row.symbol));
        let (all, own) = (row.inclusive, row.own);
        writeln!(
            text,
            "{name}\t{}\t{}\t{}\t{}\t{}",
            all.calls, own.wall, all.wall, own.cpu, own.memory
        )
        .unwrap();
    }
    text
}

fn escaped(name: &[u8]) -> String {
    let mut escaped = String::new();
    for chunk in name.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' => escaped.push_str("\\\\"),
                '\t' => escaped.push_str("\\t"),
                '\r' | '\n' | '\0' => write!(escaped, "\\x{:02x}", u32::from(letter)).unwrap(),
                letter => escaped.push(letter),
            }
        }
        for byte in chunk.invalid() {
            write!(escaped, "\\x{byte:02x}").unwrap();
        }
    }
    escaped
}
