//! Damage to a file is always detected.

use std::ops::Range;

use profile::native::Error;

use super::examples::examples;
use super::{read, written};

#[test]
fn a_file_cut_anywhere_is_refused() {
    for (name, profile) in examples() {
        if name == "events" {
            continue;
        }
        let whole = written(&profile);
        for end in 0..whole.len() {
            let error = read(&whole[..end]).unwrap_err();
            assert!(
                matches!(error, Error::Truncated { .. }),
                "{name} {end}: {error}"
            );
        }
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    for (name, profile) in examples() {
        let whole = written(&profile);
        for place in 0..whole.len() {
            for change in [0x01, 0x80, 0xFF] {
                let mut changed = whole.clone();
                changed[place] ^= change;
                match read(&changed) {
                    Err(_) => {}
                    // A length that became larger is a file that was cut.
                    Ok(read) => assert!(read.meta.is_truncated, "{name} {place}"),
                }
            }
        }
    }
}

#[test]
fn sections_that_moved_or_came_twice_are_noticed() {
    let whole = written(&examples().remove(1).1);
    let sections = sections(&whole);
    let file = |order: &[usize]| {
        let mut file = whole[..10].to_vec();
        for &section in order {
            file.extend_from_slice(&whole[sections[section].clone()]);
        }
        file
    };
    let all: Vec<usize> = (0..sections.len()).collect();
    read(&file(&all)).unwrap();
    for first in 1..sections.len() {
        let without: Vec<_> = all
            .iter()
            .copied()
            .filter(|&section| section != first)
            .collect();
        assert!(read(&file(&without)).is_err(), "{first}");
        let mut twice = all.clone();
        twice.insert(first, first);
        assert!(read(&file(&twice)).is_err(), "{first}");
    }
    let mut swapped = all;
    swapped.swap(1, 2);
    assert!(matches!(read(&file(&swapped)), Err(Error::Checksum { .. })));
}

/// Where each section is.
fn sections(file: &[u8]) -> Vec<Range<usize>> {
    let mut sections = Vec::new();
    let mut at = 10;
    while at < file.len() {
        let length = file[at + 1..at + 5]
            .try_into()
            .map(u32::from_le_bytes)
            .unwrap();
        let end = at + 5 + length as usize + 4;
        sections.push(at..end);
        at = end;
    }
    sections
}
