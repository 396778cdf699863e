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

use super::place::{self, Named};
use super::request_meta;
use crate::clock;
use crate::settings;
use crate::zend;

/// How long a name may get before its ending, in bytes: file systems take 255.
const MAX_NAME: usize = 200;
/// How much of it a script, a host or a route may be.
const MAX_PART: usize = 64;

/// A file's name, decided once.
#[derive(Debug, Clone)]
pub(super) struct Name {
    run: RunId,
    time_us: u64,
    template: Template,
    name: String,
}

/// What a name is made from.
#[derive(Debug, Clone)]
enum Template {
    /// A pattern, and the values of those of its letters that PHP was asked for.
    Pattern(String, Vec<(char, String)>),
    /// The file that `XHPROF_OUTPUT` names. Another process adds its number.
    Named(Named),
    /// The same, for the several profiles of a program: the run id is added.
    NamedWithRunId(Named),
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

    fn is_of_this_process(&self) -> bool {
        self.process == std::process::id()
    }
}

impl Name {
    /// The name of the automatic profile, with the run id that was chosen when it
    /// began. A forked child gets another run id. Asks PHP.
    pub(super) fn automatic() -> Result<Self> {
        let time_us = clock::unix_time_us();
        let chosen = AUTOMATIC.take();
        let run = match chosen.filter(RunId::is_of_this_process) {
            Some(run) => run,
            None => RunId::new(time_us)?,
        };
        let template = match place::named() {
            _ if place::collected().is_some() => Template::ask("%i.%s".to_owned()),
            Some(named) => Template::Named(named),
            None => Template::ask(settings::output_name()),
        };
        Ok(Self::new(run, time_us, template))
    }

    /// The name of a profile that the program began. There may be several, so if
    /// `XHPROF_OUTPUT` names a file, the run id is added. Asks PHP.
    pub(super) fn of_program() -> Result<Self> {
        let time_us = clock::unix_time_us();
        let template = match place::named() {
            Some(named) => Template::NamedWithRunId(named),
            None => Template::ask(settings::output_name()),
        };
        Ok(Self::new(RunId::new(time_us)?, time_us, template))
    }

    fn new(run: RunId, time_us: u64, template: Template) -> Self {
        let mut name = Self {
            run,
            time_us,
            template,
            name: String::new(),
        };
        name.name = name.expanded();
        name
    }

    fn expanded(&self) -> String {
        match &self.template {
            Template::Pattern(pattern, asked) => expand(pattern, |letter| match letter {
                'i' => self.run.id.clone(),
                'p' => self.run.process.to_string(),
                'r' => self.run.random.clone(),
                't' => (self.time_us / 1_000_000).to_string(),
                'u' => self.time_us.to_string(),
                letter => match asked.iter().find(|(known, _)| *known == letter) {
                    Some((_, value)) => value.clone(),
                    None => letter.to_string(),
                },
            }),
            Template::Named(named) if named.process == self.run.process => named.stem.clone(),
            Template::Named(named) => format!("{}.{}", named.stem, self.run.process),
            Template::NamedWithRunId(named) => format!("{}.{}", named.stem, self.run.id),
        }
    }

    /// Makes the name again, with the program's current route and title. Asks PHP.
    pub(super) fn renew(&mut self) {
        if let Template::Pattern(pattern, _) = &mut self.template {
            self.template = Template::ask(std::mem::take(pattern));
            self.name = self.expanded();
        }
    }

    /// In a forked child: the name of a file of its own.
    pub(super) fn leave_parent(&mut self) -> Result<()> {
        if !self.run.is_of_this_process() {
            self.time_us = clock::unix_time_us();
            self.run = RunId::new(self.time_us)?;
            self.name = self.expanded();
        }
        Ok(())
    }

    /// The name with the format's extension.
    pub(super) fn with_ending(&self, ending: &str) -> String {
        format!("{}.{ending}", self.name)
    }

    /// The same with the run id, which makes it unique.
    pub(super) fn with_run_id(&self, ending: &str) -> String {
        format!("{}.{}.{ending}", self.name, self.run.id)
    }

    /// A temporary path in the directory of `path`.
    pub(super) fn temporary_beside(path: &Path) -> Result<PathBuf> {
        let run = RunId::new(clock::unix_time_us())?;
        Ok(place::parent(path).join(format!(".{}.tmp", run.id)))
    }

    /// The temporary path of an incomplete file: hidden and unique.
    pub(super) fn temporary(&self, directory: &Path) -> PathBuf {
        directory.join(format!(".{}.tmp", self.run.id))
    }
}

impl Template {
    /// A pattern with the values that PHP has for its letters now.
    fn ask(pattern: String) -> Self {
        let asked = ['a', 'H', 'R', 's'].into_iter();
        let asked = asked.filter(|letter| pattern.contains(&format!("%{letter}")));
        let asked = asked.map(|letter| (letter, ask(letter))).collect();
        Self::Pattern(pattern, asked)
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

/// What PHP says for a placeholder.
fn ask(letter: char) -> String {
    match letter {
        'a' => plain(zend::sapi_name().as_bytes(), false, "php"),
        'H' => plain(&zend::http_host().unwrap_or_default(), true, "nohost"),
        'R' => plain(
            request_meta::route().unwrap_or_default().as_bytes(),
            false,
            "noroute",
        ),
        _ => plain(script_stem().as_bytes(), false, "php"),
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
