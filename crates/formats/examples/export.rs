//! Writes known profiles in every format, for other programs to read:
//! `cargo run --example export -- DIRECTORY`.
//!
//! Beside each profile's files is a table of what they have to come to,
//! `NAME.tsv`: function, calls, own and inclusive wall time in nanoseconds, own
//! CPU time, own memory. In names, `\\`, `\t` and `\xHH` stand for a backslash,
//! a tab, and a byte that is no UTF-8 or breaks a line.

#![expect(clippy::unwrap_used, reason = "a tool of the tests")]

#[path = "../tests/programs/mod.rs"]
mod programs;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use profile::{FlatTable, Profile};

fn main() {
    let directory = std::env::args_os().nth(1).unwrap();
    let directory = Path::new(&directory);
    fs::create_dir_all(directory).unwrap();
    for (name, profile) in [
        ("tiny", programs::tiny_tree()),
        ("events", programs::tiny_events()),
        ("nasty", programs::nasty()),
    ] {
        fs::write(directory.join(format!("{name}.tsv")), table(&profile)).unwrap();
        for format in formats::FORMATS {
            if format.holds().is_none() {
                continue;
            }
            let id = format.id();
            let ending = format.endings().first().copied().unwrap_or("");
            let path = match (id, ending) {
                ("perfview-xml", _) => "perfView.xml",
                ("perfview-xml-zip", _) => "perfView.xml.zip",
                (_, ending) => ending,
            };
            let path = directory.join(format!("{name}.{id}.{path}"));
            fs::write(path, programs::written(*format, &profile)).unwrap();
        }
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
