//! A profile on its way out: as a PHP array, or as a file.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ext_php_rs::types::Zval;
use profile::{Body, NodeId, Profile, Symbol, SymbolId, classic};
use recorder::slots;

use crate::clock;
use crate::session::Recorded;
use crate::settings;
use crate::zend;
use crate::zend::array::Array;

/// Makes `result` the array that XHProf returns.
pub(crate) fn return_array(recorded: &Recorded, result: &mut Zval) {
    match recorded {
        Recorded::Trace(profile) => trace_array(profile).return_in(result),
        Recorded::Samples(profile) => samples_array(profile).return_in(result),
    }
}

fn trace_array(profile: &Profile) -> Array {
    let mut array = Array::with_capacity(profile.edges().edges.len() + 1);
    classic::for_each_row(profile, |key, row| {
        let mut cost = Array::with_capacity(5);
        for (name, value) in row.metrics() {
            cost.set_int(name.as_bytes(), value);
        }
        array.set_array(key, cost);
    });
    array
}

/// An entry for each slot of time, as XHProf has it: the more samples stand
/// for, the more slots they have.
fn samples_array(profile: &Profile) -> Array {
    let Body::Samples(samples) = &profile.body else {
        return Array::with_capacity(0);
    };
    let started = profile.meta.started_unix_us.unwrap_or(0);
    let interval_us = profile.meta.interval_ns.unwrap_or(0) / 1_000;
    let mut array = Array::with_capacity(samples.samples.len());
    let mut text = (NodeId::ROOT, Vec::new());
    write_stack(profile, &[], &mut text.1);
    for (slot_us, stack) in slots(&samples.samples, started, interval_us) {
        if stack != text.0 {
            let path = samples.path(stack);
            write_stack(profile, path.get(1..).unwrap_or(&[]), &mut text.1);
            text.0 = stack;
        }
        let key = format!("{}.{:06}", slot_us / 1_000_000, slot_us % 1_000_000);
        array.set_bytes(key.as_bytes(), &text.1);
    }
    array
}

/// Writes `main()==>a==>b==>a@1`.
fn write_stack(profile: &Profile, stack: &[SymbolId], text: &mut Vec<u8>) {
    text.clear();
    text.extend_from_slice(Symbol::MAIN);
    let mut open: HashMap<SymbolId, u32> = HashMap::new();
    for &symbol in stack {
        text.extend_from_slice(b"==>");
        text.extend_from_slice(profile.name(symbol));
        let level = open.entry(symbol).or_insert(0);
        if *level > 0 {
            text.extend_from_slice(format!("@{level}").as_bytes());
        }
        *level += 1;
    }
}

/// Writes a profile into the output directory as `<run id>.<source>.xhprof`,
/// the name and the content that XHProf's own tools expect.
pub(crate) fn write_file(recorded: &Recorded) -> Result<()> {
    let Recorded::Trace(profile) = recorded else {
        return Ok(());
    };
    let mut content = Vec::new();
    classic::write_serialized(profile, &mut content);
    let directory = directory();
    let name = file_name()?;
    let path = directory.join(&name);
    write_whole(&directory, &name, &content)
        .with_context(|| format!("cannot write the profile {}", path.display()))
}

fn directory() -> PathBuf {
    let setting = settings::output_dir();
    let bytes = if setting.is_empty() {
        zend::temporary_directory()
    } else {
        setting
    };
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// Writes under a temporary name and renames, so that nobody ever sees half a
/// profile; with `O_EXCL`, so that nobody can lead us through a link.
fn write_whole(directory: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let temporary = directory.join(format!(".{name}.tmp"));
    let outcome = create_private(&temporary).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_data()?;
        fs::rename(&temporary, directory.join(name))
    });
    if outcome.is_err() {
        // Best effort: the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    outcome
}

fn create_private(path: &Path) -> io::Result<File> {
    File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// `<run id>.<source>.xhprof`. The run id is 32 hexadecimal digits: the time
/// in microseconds (14), the process (8), and chance (10), so that a directory
/// sorts by time and a parent finds its child's profile.
fn file_name() -> Result<String> {
    let mut random = [0_u8; 5];
    File::open("/dev/urandom")
        .and_then(|mut file| io::Read::read_exact(&mut file, &mut random))
        .context("cannot read /dev/urandom")?;
    let random: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let time = clock::unix_time_us() & 0xff_ffff_ffff_ffff;
    let process = std::process::id();
    Ok(format!(
        "{time:014x}{process:08x}{random}.{}.xhprof",
        source()
    ))
}

/// The script's name, in the letters that XHProf's tools take: no dot.
fn source() -> String {
    let path = zend::script_path().unwrap_or_default();
    let path = PathBuf::from(std::ffi::OsString::from_vec(path));
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let name: String = stem
        .unwrap_or_default()
        .chars()
        .map(|letter| if is_plain(letter) { letter } else { '_' })
        .take(64)
        .collect();
    if name.is_empty() {
        "php".to_owned()
    } else {
        name
    }
}
