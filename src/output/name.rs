//! What a profile's file is called: `xhprof.output_name`.
//!
//! A pattern with the letters that Xdebug's users know, and two more. By
//! default it makes `<run id>.<source>`, which XHProf's own tools expect.
//!
//! **Invariant:** a name has no slash and begins with neither a dot nor a dash,
//! whatever a request says of itself: a dot would hide the file, and programs
//! would take a dash for an option (`rm *`). What is put in for a letter is
//! letters, digits, `_`, `-` and, in a host's name, `.`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::place;
use crate::clock;
use crate::settings;
use crate::zend;

/// How long a name may get before its ending, in bytes: file systems take 255.
const MAX_NAME: usize = 200;
/// How much of it a script, a host or a route may be.
const MAX_PART: usize = 64;

/// A file's name, decided once.
pub(super) struct Name {
    run_id: String,
    name: String,
}

impl Name {
    /// The name of a profile that is written now.
    pub(super) fn now() -> Result<Self> {
        let facts = Facts::now()?;
        let name = match place::named() {
            Some(named) if named.process == facts.process => named.stem,
            Some(named) => format!("{}.{}", named.stem, facts.process),
            None => expand(&settings::output_name(), |letter| facts.say(letter)),
        };
        let run_id = facts.run_id;
        Ok(Self { run_id, name })
    }

    /// The name with what tells the format.
    pub(super) fn with_ending(&self, ending: &str) -> String {
        format!("{}.{ending}", self.name)
    }

    /// The same with the run id, which is nobody else's.
    pub(super) fn with_run_id(&self, ending: &str) -> String {
        format!("{}.{}.{ending}", self.name, self.run_id)
    }

    /// Where to write until it is whole: hidden, and nobody else's.
    pub(super) fn temporary(&self, directory: &Path) -> PathBuf {
        directory.join(format!(".{}.tmp", self.run_id))
    }
}

/// Whether `pattern` can be a file's name.
pub(crate) fn is_pattern(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        let is_fine = match letter {
            '%' => letters.next().is_some_and(|it| "aHiprRstu%".contains(it)),
            letter => letter != '/' && !letter.is_control(),
        };
        if !is_fine {
            return false;
        }
    }
    !pattern.is_empty() && pattern.len() <= MAX_NAME
}

/// Puts what `say` says in for each letter behind a `%`.
fn expand(pattern: &str, say: impl Fn(char) -> String) -> String {
    let mut name = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => name.push_str(&letters.next().map_or_else(String::new, &say)),
            letter => name.push(letter),
        }
    }
    while name.len() > MAX_NAME {
        name.pop();
    }
    if name.is_empty() || name.starts_with(['.', '-']) {
        name.insert(0, '_');
    }
    name
}

/// What a name can tell of a profile.
struct Facts {
    run_id: String,
    random: String,
    time_us: u64,
    process: u32,
}

impl Facts {
    /// The run id is 32 hexadecimal digits: the time in microseconds (14), the
    /// process (8), and chance (10), so that a directory sorts by time and a
    /// parent finds its child's profile.
    fn now() -> Result<Self> {
        let random = zend::random().context("the system has no random numbers")?;
        let random = format!("{:010x}", random >> 24);
        let time_us = clock::unix_time_us();
        let time = time_us & 0xff_ffff_ffff_ffff;
        let process = std::process::id();
        Ok(Self {
            run_id: format!("{time:014x}{process:08x}{random}"),
            random,
            time_us,
            process,
        })
    }

    fn say(&self, letter: char) -> String {
        match letter {
            'a' => plain(zend::sapi_name().as_bytes(), false, "php"),
            'H' => plain(&zend::http_host().unwrap_or_default(), true, "nohost"),
            'i' => self.run_id.clone(),
            'p' => self.process.to_string(),
            'r' => self.random.clone(),
            'R' => plain(&zend::request_path().unwrap_or_default(), false, "noroute"),
            's' => plain(script_stem().as_bytes(), false, "php"),
            't' => (self.time_us / 1_000_000).to_string(),
            'u' => self.time_us.to_string(),
            letter => letter.to_string(),
        }
    }
}

/// The script's name without its last ending.
fn script_stem() -> String {
    let path = zend::script_path().unwrap_or_default();
    let path = String::from_utf8_lossy(&path).into_owned();
    let stem = Path::new(&path).file_stem();
    stem.map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// `text` in the letters that every tool takes for part of a name.
fn plain(text: &[u8], may_have_dots: bool, otherwise: &str) -> String {
    let letters = String::from_utf8_lossy(text);
    let letters = letters.trim_start_matches('/').chars().take(MAX_PART);
    let letter = |letter: char| match letter {
        '_' | '-' => letter,
        '.' if may_have_dots => letter,
        letter if letter.is_ascii_alphanumeric() => letter,
        _ => '_',
    };
    let name: String = letters.map(letter).collect();
    if name.is_empty() {
        otherwise.to_owned()
    } else {
        name
    }
}
