//! The name of a profile's file: `xhprof.output_name`.
//!
//! A pattern with the letters of Xdebug's `output_name`, and two more. The default
//! gives `<run id>.<source>`, which XHProf's own tools expect.
//!
//! **Invariant:** a name contains no slash and begins with neither a dot nor a
//! dash, for any request: a dot would hide the file, and programs would take a
//! dash for an option (`rm *`). Placeholders expand to letters, digits, `_`, `-`
//! and, in a host's name, `.`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{place, request_meta};
use crate::clock;
use crate::settings;
use crate::zend;

/// How long a name may get before its ending, in bytes: file systems take 255.
const MAX_NAME: usize = 200;
/// How much of it a script, a host or a route may be.
const MAX_PART: usize = 64;

/// A file's name, decided once.
#[derive(Debug)]
pub(super) struct Name {
    facts: Facts,
    name: String,
    /// Whether it was made from the pattern.
    is_by_pattern: bool,
}

/// The unique identity of a profile.
#[derive(Debug, Clone)]
struct RunId {
    id: String,
    /// The random part of the id.
    random: String,
    process: u32,
}

thread_local! {
    /// The run id of the running automatic profile, until its file is named.
    static AUTOMATIC: RefCell<Option<RunId>> = const { RefCell::new(None) };
}

/// Chooses the run id of the automatic profile that begins.
pub(crate) fn choose_run_id() -> Result<String> {
    let run = RunId::new(clock::unix_time_us())?;
    let id = run.id.clone();
    AUTOMATIC.set(Some(run));
    Ok(id)
}

/// The automatic profile has ended, with or without a file.
pub(crate) fn forget_run_id() {
    AUTOMATIC.set(None);
}

impl RunId {
    /// The run id is 32 hexadecimal digits: the time in microseconds (14), the
    /// process (8), and a random number (10). So a directory sorts by time, and a
    /// parent process finds its child's profile.
    fn new(time_us: u64) -> Result<Self> {
        let random = zend::random().context("the system has no random numbers")?;
        let random = format!("{:010x}", random >> 24);
        let time = time_us & 0xff_ffff_ffff_ffff;
        let process = std::process::id();
        Ok(Self {
            id: format!("{time:014x}{process:08x}{random}"),
            random,
            process,
        })
    }
}

impl Name {
    /// The name of the automatic profile, with the run id that was chosen when it
    /// began. A forked child gets another run id.
    pub(super) fn automatic() -> Result<Self> {
        let chosen = AUTOMATIC.take();
        let facts = match chosen.filter(|run| run.process == std::process::id()) {
            Some(run) => Facts {
                run,
                time_us: clock::unix_time_us(),
            },
            None => Facts::now()?,
        };
        let name = match place::named() {
            _ if place::collected().is_some() => expand("%i.%s", |letter| facts.say(letter)),
            Some(named) if named.process == facts.run.process => named.stem,
            Some(named) => format!("{}.{}", named.stem, facts.run.process),
            None => return Ok(Self::by_pattern(facts)),
        };
        Ok(Self {
            facts,
            name,
            is_by_pattern: false,
        })
    }

    /// The name of a profile that the program began. There may be several, so if
    /// `XHPROF_OUTPUT` names a file, the run id is added.
    pub(super) fn of_program() -> Result<Self> {
        let facts = Facts::now()?;
        let Some(named) = place::named() else {
            return Ok(Self::by_pattern(facts));
        };
        Ok(Self {
            name: format!("{}.{}", named.stem, facts.run.id),
            facts,
            is_by_pattern: false,
        })
    }

    fn by_pattern(facts: Facts) -> Self {
        Self {
            name: expand(&settings::output_name(), |letter| facts.say(letter)),
            facts,
            is_by_pattern: true,
        }
    }

    /// The same name with the program's current route and title.
    pub(super) fn renewed(&self) -> Self {
        if self.is_by_pattern {
            return Self::by_pattern(self.facts.clone());
        }
        Self {
            facts: self.facts.clone(),
            name: self.name.clone(),
            is_by_pattern: false,
        }
    }

    /// The name with the format's extension.
    pub(super) fn with_ending(&self, ending: &str) -> String {
        format!("{}.{ending}", self.name)
    }

    /// The same with the run id, which makes it unique.
    pub(super) fn with_run_id(&self, ending: &str) -> String {
        format!("{}.{}.{ending}", self.name, self.facts.run.id)
    }

    /// A temporary path in the directory of `path`.
    pub(super) fn temporary_beside(path: &Path) -> Result<PathBuf> {
        let run = RunId::new(clock::unix_time_us())?;
        Ok(super::file::parent(path).join(format!(".{}.tmp", run.id)))
    }

    /// The temporary path of an incomplete file: hidden and unique.
    pub(super) fn temporary(&self, directory: &Path) -> PathBuf {
        directory.join(format!(".{}.tmp", self.facts.run.id))
    }
}

/// Whether `pattern` is valid for a file's name.
pub(crate) fn is_pattern(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        let is_fine = match letter {
            '%' => letters
                .next()
                .is_some_and(|letter| "aHiprRstu%".contains(letter)),
            letter => letter != '/' && !letter.is_control(),
        };
        if !is_fine {
            return false;
        }
    }
    !pattern.is_empty() && pattern.len() <= MAX_NAME
}

/// Replaces each `%` and letter by the result of `say`.
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

/// The values of the placeholders.
#[derive(Debug, Clone)]
struct Facts {
    run: RunId,
    time_us: u64,
}

impl Facts {
    fn now() -> Result<Self> {
        let time_us = clock::unix_time_us();
        let run = RunId::new(time_us)?;
        Ok(Self { run, time_us })
    }

    fn say(&self, letter: char) -> String {
        match letter {
            'a' => plain(zend::sapi_name().as_bytes(), false, "php"),
            'H' => plain(&zend::http_host().unwrap_or_default(), true, "nohost"),
            'i' => self.run.id.clone(),
            'p' => self.run.process.to_string(),
            'r' => self.run.random.clone(),
            'R' => plain(
                request_meta::route().unwrap_or_default().as_bytes(),
                false,
                "noroute",
            ),
            's' => plain(script_stem().as_bytes(), false, "php"),
            't' => (self.time_us / 1_000_000).to_string(),
            'u' => self.time_us.to_string(),
            letter => letter.to_string(),
        }
    }
}

/// The script's name without its last extension.
fn script_stem() -> String {
    let path = zend::script_path().unwrap_or_default();
    let path = String::from_utf8_lossy(&path).into_owned();
    let stem = Path::new(&path).file_stem();
    stem.map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// `text` with everything but letters, digits, `_` and `-` replaced by `_`.
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
