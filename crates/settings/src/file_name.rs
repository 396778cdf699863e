//! The name of a profile's file: `xhprof.output_name`.
//!
//! A pattern with the letters of Xdebug's `output_name`, and two more. The default
//! gives `<run id>.<source>`, which XHProf's own tools expect.
//!
//! **Invariant:** a name contains no slash and begins with neither a dot nor a
//! dash, for any request: a dot would hide the file, and programs would take a
//! dash for an option (`rm *`). Placeholders expand to letters, digits, `_`, `-`
//! and, in a host's name, `.`.

use std::path::Path;

/// The letters that stand for something after a `%`.
pub const PLACEHOLDERS: &str = "aHiprRstu";
/// How long a name may get before its ending, in bytes: file systems take 255.
pub const MAX_NAME: usize = 200;
/// How much of it a script, a host or a route may be, in characters.
pub const MAX_PART: usize = 64;

/// Whether `pattern` is valid for a file's name.
#[must_use]
pub fn is_pattern(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        let is_fine = match letter {
            '%' => letters
                .next()
                .is_some_and(|letter| letter == '%' || PLACEHOLDERS.contains(letter)),
            letter => letter != '/' && !letter.is_control(),
        };
        if !is_fine {
            return false;
        }
    }
    !pattern.is_empty() && pattern.len() <= MAX_NAME
}

/// The parts of the request and the process that a name can have.
///
/// Each is asked for only if the pattern has its letter.
pub trait Facts {
    /// `%a`: PHP's server interface.
    fn sapi(&self) -> Vec<u8>;
    /// `%H`: the host of the request.
    fn host(&self) -> Vec<u8>;
    /// `%R`: the route of the request.
    fn route(&self) -> Vec<u8>;
    /// `%s`: the path of the script.
    fn script(&self) -> Vec<u8>;
    /// `%i`, `%p` and `%r`: the run.
    fn run(&self) -> &RunId;
    /// `%t` and `%u`: when the name was made, in microseconds since 1970.
    fn time_us(&self) -> u64;
}

/// The unique identity of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunId {
    id: String,
    /// The process that chose the id.
    process: u32,
}

impl RunId {
    /// How many digits of the id are random.
    const RANDOM: usize = 10;

    /// The id is 32 hexadecimal digits: the time in microseconds (14), the process
    /// (8), and a random number (10). So a directory sorts by time, and a parent
    /// process finds its child's profile.
    #[must_use]
    pub fn new(time_us: u64, process: u32, random: u64) -> Self {
        let time = time_us & 0xff_ffff_ffff_ffff;
        let random = random >> 24;
        Self {
            id: format!(
                "{time:014x}{process:08x}{random:0width$x}",
                width = Self::RANDOM
            ),
            process,
        }
    }

    /// All 32 digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The process that chose the id. A forked child is another one.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.process
    }

    /// The random digits.
    #[must_use]
    pub fn random(&self) -> &str {
        let (_, random) = self.id.split_at(self.id.len() - Self::RANDOM);
        random
    }
}

/// The name by that pattern, without an ending.
#[must_use]
pub fn by_pattern(pattern: &str, facts: &impl Facts) -> String {
    let mut name = String::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '%' => match letters.next() {
                Some(placeholder) => name.push_str(&expansion(placeholder, facts)),
                None => name.push('%'),
            },
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

fn expansion(letter: char, facts: &impl Facts) -> String {
    match letter {
        'a' => plain(&facts.sapi(), false, "php"),
        'H' => plain(&facts.host(), true, "nohost"),
        'i' => facts.run().id().to_owned(),
        'p' => facts.run().process().to_string(),
        'r' => facts.run().random().to_owned(),
        'R' => plain(&facts.route(), false, "noroute"),
        's' => plain(stem_of(&facts.script()).as_bytes(), false, "php"),
        't' => (facts.time_us() / 1_000_000).to_string(),
        'u' => facts.time_us().to_string(),
        letter => letter.to_string(),
    }
}

/// The script's name without its last extension.
fn stem_of(script: &[u8]) -> String {
    let path = String::from_utf8_lossy(script).into_owned();
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
