//! Profile formats: reading, writing and recognizing them.
//!
//! Each format is a module with its reader and its writer. Programs call
//! [`read`], which unpacks the input and recognizes the format by content,
//! never by a file's name; and [`write`](fn@write), which checks that the
//! format can hold the profile before it writes a byte.
//!
//! **Invariant:** readers accept any bytes. They allocate memory in proportion
//! to the data that is really there, and report the position of errors.

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
    /// The input is in this format.
    Yes,
    /// The input is not in this format.
    No,
    /// More bytes are needed to decide.
    NeedMore,
}

/// What a format needs and what it can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holds {
    /// The format needs whole stacks: edges are not enough.
    pub needs_stacks: bool,
    /// The format distinguishes the paths to a function; false if it has edges
    /// only.
    pub stacks: bool,
    /// It holds the number of calls.
    pub calls: bool,
    /// It holds several costs at once; else [`WriteOptions::metric`] selects
    /// one.
    pub all_metrics: bool,
    /// It holds the time of each call.
    pub times: bool,
}

/// A format that this crate can recognize, read or write.
pub trait Format: Sync {
    /// The value of `--to`: `callgrind`. Lower case and hyphens; never changes.
    fn id(&self) -> &'static str;

    /// The name for people: `Callgrind`.
    fn name(&self) -> &'static str;

    /// The endings of file names that select this format for writing, without
    /// the first dot: `perfView.xml.zip`. The longest match wins.
    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    /// A note for users before writing, if any: a sentence without its full
    /// stop.
    fn warning(&self) -> Option<&'static str> {
        None
    }

    /// What it can hold; none if it cannot be written.
    fn holds(&self) -> Option<Holds> {
        None
    }

    /// Whether the format itself leaves out costs below
    /// [`WriteOptions::threshold_ppm`]; zero leaves out nothing.
    fn has_threshold(&self) -> bool {
        false
    }

    /// Examines the beginning of an unpacked input.
    fn detect(&self, _head: &[u8]) -> Detection {
        Detection::No
    }

    /// Reads a whole unpacked input. Callers use [`read_within`], which also
    /// checks that the budget was not exceeded.
    ///
    /// A reader must count what it keeps on `budget`: with [`Budget::room`]
    /// before it pushes, with [`Budget::take`] before it copies. The shared
    /// tables (symbols, call trees, samples) do so themselves and stop growing
    /// once the budget is exceeded. A reader calls [`Budget::check`] once a
    /// record, to stop soon after.
    ///
    /// # Errors
    ///
    /// [`ReadError`] for an input that is not in this format, or that exceeds
    /// the budget.
    fn read(&self, _input: &mut dyn BufRead, _budget: &Budget) -> Result<Profile, ReadError> {
        Err(ReadError::NotReadable {
            format: self.name(),
        })
    }

    /// Writes a whole profile. Callers use [`write`](fn@write), which first
    /// checks that the format can hold it.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: I/O errors of `out`, and profiles that the format cannot
    /// hold.
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

/// How many bytes of an input are examined to recognize it.
pub const HEAD: usize = 64 * 1024;

/// The maximum unpacked size of an input: 8 GiB. The memory of readers is
/// proportional to the profile, not to this.
pub const MAX_UNPACKED: u64 = 8 << 30;

/// Reads a whole input of any known format, compressed or not, within the
/// default memory of a [`Budget`].
///
/// # Errors
///
/// Those of [`read_within`].
pub fn read(input: impl BufRead) -> Result<Profile, ReadError> {
    read_within(input, &Budget::default())
}

/// The same within the caller's budget. Reading uses the budget up, so each
/// input needs its own, unless several inputs share the memory.
///
/// # Errors
///
/// [`ReadError`] for an input that is in no known format, broken, or too large
/// for the budget.
pub fn read_within(input: impl BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    gzip::looking_through(input, MAX_UNPACKED, |head, input| {
        if head.is_empty() {
            return Err(ReadError::Empty);
        }
        let outcome = recognized(head)?.read(input, budget);
        // Tables that stopped growing may have made it look broken, or
        // complete.
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
    // Any JSON begins like the known formats: its keys give a better error.
    if let Some(keys) = unknown_json::keys(head) {
        return Err(ReadError::UnknownJson { keys });
    }
    // An input that ends too early gets the error of the format that it may be.
    find(Detection::NeedMore).ok_or(ReadError::Unknown)
}

/// Reads all of an input, for a format that cannot be read as a stream.
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

/// Writes a profile in a format, if the format can hold it.
///
/// If the profile has only edges, and the format needs stacks, the stacks are
/// estimated if [`WriteOptions::estimate`] is set. The title then says so.
///
/// # Errors
///
/// [`WriteError::NeedsStacks`] if the format needs stacks, the profile has only
/// edges, and `estimate` is not set; else the errors of the format.
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

/// The profile, with estimated stacks if needed.
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
