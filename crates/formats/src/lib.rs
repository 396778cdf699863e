//! Profiles in the formats people have: read, written, recognized.
//!
//! One file a format, its reader and its writer side by side. Programs call
//! [`read`], which looks through compression and recognizes the format by
//! content, never by a file's name; and [`write`](fn@write), which asks whether
//! the format can hold the profile before it writes a byte.
//!
//! **Invariant:** readers take any bytes. They ask for memory in proportion to
//! what is really there, and say where it went wrong.

#![forbid(unsafe_code)]

pub mod blackfire;
pub mod callgrind;
pub mod chrome_trace;
pub mod collapsed;
pub mod cpuprofile;
pub mod csv;
pub mod dot;
mod error;
pub mod firefox;
pub mod flamegraph;
mod graph;
pub mod gzip;
pub mod html_report;
mod json;
mod json_parts;
mod line_names;
mod lines;
pub mod markdown;
mod names;
pub mod native;
mod nesting;
pub mod nytprof;
mod options;
pub mod otlp;
mod page;
mod paths;
pub mod perf_script;
pub mod perfview;
pub mod pprof;
mod recursion;
mod registry;
mod rounding;
mod same_names;
mod sampled;
pub mod speedscope;
mod symbols;
mod text;
mod thread_label;
mod timeline;
mod unit;
mod unknown_json;
pub mod xdebug_trace;
pub mod xhgui;
pub mod xhprof;
pub mod xhprof_json;
mod zip;

use std::borrow::Cow;
use std::io::{BufRead, Write};

use profile::{Body, Budget, EstimateLimits, Profile};

pub use error::{ReadError, WriteError};
pub use flamegraph::moment;
pub use options::{FlameColour, FlameDirection, FlameOptions, FlamePer, WriteOptions};
pub use registry::{FORMATS, by_id, for_file_name};

/// Whether an input is in a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detection {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It may be: more bytes would tell.
    NeedMore,
}

/// What a format needs and what it can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holds {
    /// It is made of whole stacks: edges alone do not tell them.
    pub needs_stacks: bool,
    /// It keeps apart the paths to a function; false if it has edges only.
    pub stacks: bool,
    /// How often each was called.
    pub calls: bool,
    /// Several costs at once; else [`WriteOptions::metric`] says which.
    pub all_metrics: bool,
    /// When each call happened.
    pub times: bool,
}

/// A format that can be recognized, read or written.
pub trait Format: Sync {
    /// What `--to` takes: `callgrind`. Lower case and hyphens; never changes.
    fn id(&self) -> &'static str;

    /// What users call it: `Callgrind`.
    fn name(&self) -> &'static str;

    /// The endings of file names that mean this format when writing, without
    /// the first dot: `perfView.xml.zip`. The longest that fits wins.
    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    /// What to know before writing it, if there is something: a sentence
    /// without its stop, for people.
    fn warning(&self) -> Option<&'static str> {
        None
    }

    /// What it can hold; none if it cannot be written.
    fn holds(&self) -> Option<Holds> {
        None
    }

    /// Whether it leaves out by itself what costs less than
    /// [`WriteOptions::threshold_ppm`], and nothing where that is zero.
    fn has_threshold(&self) -> bool {
        false
    }

    /// Looks at the beginning of an input, unpacked.
    fn detect(&self, _head: &[u8]) -> Detection {
        Detection::No
    }

    /// Reads a whole input, unpacked. Call [`read_within`], which makes sure
    /// that nothing was left out for want of memory.
    ///
    /// A reader counts on `budget` what it is about to keep: with
    /// [`Budget::room`] before it pushes, with [`Budget::take`] before it
    /// copies. The tables that readers share (symbols, call trees, samples) do
    /// so by themselves and stop growing once the budget is overdrawn; a reader
    /// asks [`Budget::check`] once a record, to end soon after.
    ///
    /// # Errors
    ///
    /// [`ReadError`], for an input that is not in this format, or more than the
    /// budget has room for.
    fn read(&self, _input: &mut dyn BufRead, _budget: &Budget) -> Result<Profile, ReadError> {
        Err(ReadError::NotReadable {
            format: self.name(),
        })
    }

    /// Writes a whole profile. Call [`write`](fn@write), which asks first whether
    /// the format can hold it.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: those of `out`, and what the format cannot hold.
    fn write(
        &self,
        _profile: &Profile,
        _options: &WriteOptions,
        _out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        Err(WriteError::NotWritable {
            format: self.name(),
        })
    }
}

/// How much of an input is looked at to recognize it.
pub const HEAD: usize = 64 * 1024;

/// The most an input may be unpacked to: 8 GiB. Readers take in proportion to
/// the profile, and not to this.
pub const MAX_UNPACKED: u64 = 8 << 30;

/// Reads a whole input of any known format, compressed or not, within the memory
/// that a [`Budget`] has unless told otherwise.
///
/// # Errors
///
/// Those of [`read_within`].
pub fn read(input: impl BufRead) -> Result<Profile, ReadError> {
    read_within(input, &Budget::default())
}

/// The same within a budget of the caller's, which is used up by what is read:
/// each input has one of its own, unless they are to share the memory.
///
/// # Errors
///
/// [`ReadError`], for an input in no known format, broken in its own, or of
/// which more would have to be kept than the budget has room for.
pub fn read_within(input: impl BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    gzip::looking_through(input, MAX_UNPACKED, |head, input| {
        if head.is_empty() {
            return Err(ReadError::Empty);
        }
        let outcome = recognized(head)?.read(input, budget);
        // Tables that stopped growing may have made it look broken, or whole.
        budget.check()?;
        outcome
    })
}

/// The format of an input that begins with `head`.
///
/// # Errors
///
/// [`ReadError::Unknown`] and [`ReadError::UnknownJson`].
pub fn recognized(head: &[u8]) -> Result<&'static dyn Format, ReadError> {
    let find = |wanted| {
        let mut formats = FORMATS.iter().copied();
        formats.find(|format| format.detect(head) == wanted)
    };
    if let Some(format) = find(Detection::Yes) {
        return Ok(format);
    }
    // Any JSON begins like those that are known: what it is says more.
    if let Some(keys) = unknown_json::keys(head) {
        return Err(ReadError::UnknownJson { keys });
    }
    // An input that ends before it says what it is gets the error of the
    // format it began like.
    find(Detection::NeedMore).ok_or(ReadError::Unknown)
}

/// All of an input of a format that cannot be read piece by piece.
pub(crate) fn whole(input: &mut dyn BufRead, budget: &Budget) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    loop {
        let part = input.fill_buf()?;
        let length = part.len();
        if length == 0 {
            return Ok(bytes);
        }
        budget.room_for(&mut bytes, length, "unpacked bytes")?;
        bytes.extend_from_slice(part);
        input.consume(length);
    }
}

/// Writes a profile in a format, if that can hold it.
///
/// Of a profile that knows edges only, a format made of stacks gets stacks that
/// are guessed, if [`WriteOptions::estimate`] says so. Their title says it too.
///
/// # Errors
///
/// [`WriteError::NeedsStacks`] if the format is made of stacks, the profile
/// knows edges only, and it may not be guessed; else those of the format.
pub fn write(
    format: &dyn Format,
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let name = format.name();
    let holds = format
        .holds()
        .ok_or(WriteError::NotWritable { format: name })?;
    if !holds.all_metrics && !options.metric.is_in(profile.metrics) {
        return Err(WriteError::NotMeasured {
            metric: options.metric,
        });
    }
    if !holds.needs_stacks {
        return format.write(profile, options, out);
    }
    let profile = with_stacks(profile, name, options)?;
    match &options.base {
        Some(base) if matches!(base.body, Body::Edges(_)) => {
            let base = with_stacks(base, name, options)?.into_owned();
            let options = WriteOptions {
                base: Some(base),
                ..options.clone()
            };
            format.write(&profile, &options, out)
        }
        _ => format.write(&profile, options, out),
    }
}

/// The profile, or a guess at its stacks.
fn with_stacks<'p>(
    profile: &'p Profile,
    format: &'static str,
    options: &WriteOptions,
) -> Result<Cow<'p, Profile>, WriteError> {
    match profile.body {
        Body::Edges(_) if options.estimate => {
            Ok(Cow::Owned(profile.estimated(EstimateLimits::default())))
        }
        Body::Edges(_) => Err(WriteError::NeedsStacks { format }),
        Body::Tree(_) | Body::Samples(_) | Body::Events(_) => Ok(Cow::Borrowed(profile)),
    }
}
