//! Profile formats: reading, writing and recognizing them.
//!
//! Each format is a module with its reader and its writer. Programs call
//! [`read`], which unpacks the input and recognizes the format by content,
//! never by a file's name; and [`write`](fn@write), which checks that the
//! format can hold the profile before it writes a byte.
//!
//! Its main types: [`Format`], of which [`FORMATS`] has all, [`WriteOptions`], and
//! [`ReadError`].
//!
//! ```
//! use formats::{WriteOptions, by_id, read, write};
//!
//! // A line of collapsed stacks: the functions, and the cost in nanoseconds.
//! let profile = read(&b"main();work 30\n"[..])?;
//! let mut page = Vec::new();
//! write(by_id("csv").unwrap(), &profile, &WriteOptions::default(), &mut page)?;
//! assert!(String::from_utf8_lossy(&page).contains("work"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Invariant:** readers accept any bytes. They allocate memory in proportion
//! to the data that is really there, and report the position of errors.

#![forbid(unsafe_code)]

pub mod blackfire;
pub mod callgrind;
pub mod chrome_trace;
mod code_class;
pub mod collapsed;
pub mod cpuprofile;
pub mod csv;
pub mod dot;
mod error;
pub mod firefox;
pub mod flamegraph;
mod format;
pub mod gzip;
pub mod markdown;
pub mod native;
pub mod nytprof;
mod options;
pub mod otlp;
mod packages;
pub mod perf_script;
pub mod perfview;
mod php_serialize;
pub mod pprof;
mod registry;
mod rows;
pub mod sentry;
mod shared;
pub mod speedscope;
mod unknown_json;
pub mod visible;
pub mod xdebug_trace;
pub mod xhgui;
pub mod xhprof;
pub mod xhprof_json;

use std::borrow::Cow;
use std::io::{BufRead, Write};

use profile::{Body, Budget, EstimateLimits, Metric, Profile};

pub use code_class::{CodeClass, Package, is_waiting};
pub use error::{ReadError, WriteError};
pub use flamegraph::moment;
pub use format::{Detection, Format, Holds, Reads, Writes};
pub use options::{FlameColour, FlameDirection, FlameOptions, FlamePer, WriteOptions};
pub use packages::by_package;
pub use php_serialize::SerializeError;
pub use registry::{FORMATS, by_id, for_file_name};
pub use rows::RowsError;

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
        // complete. The reader's own error names the part that does not fit.
        if !matches!(outcome, Err(ReadError::Memory(_))) {
            budget.check()?;
        }
        outcome
    })
}

/// The format of an input that begins with `head`.
///
/// # Errors
///
/// [`ReadError::Unknown`], [`ReadError::UnknownJson`] and [`ReadError::Refused`].
pub fn recognized(head: &[u8]) -> Result<&'static Format, ReadError> {
    let find = |wanted| FORMATS.iter().find(|format| format.detect(head) == wanted);
    if let Some(format) = find(Detection::Yes) {
        return Ok(format);
    }
    // Any JSON begins like the known formats: its keys give a better error.
    if let Some(error) = unknown_json::error(head) {
        return Err(error);
    }
    if let Some(error) = refused(head) {
        return Err(error);
    }
    // An input that ends too early gets the error of the format that it may be.
    find(Detection::NeedMore).ok_or(ReadError::Unknown)
}

/// The error for what users mistake for a profile: other compressions than gzip, and what
/// `xhprof` itself makes of profiles.
fn refused(head: &[u8]) -> Option<ReadError> {
    const COMPRESSIONS: [(&[u8], &str, &str); 3] = [
        (
            b"\x28\xb5\x2f\xfd",
            "zstd",
            "unpack it first with `zstd -d`",
        ),
        (b"BZh", "bzip2", "unpack it first with `bunzip2`"),
        (b"\xfd7zXZ", "xz", "unpack it first with `unxz`"),
    ];
    let mut compression = COMPRESSIONS.iter();
    let compression = compression.find(|(magic, ..)| head.starts_with(magic));
    if let Some(&(_, what, advice)) = compression {
        return Some(ReadError::Refused { what, advice });
    }
    let text = head.trim_ascii_start().to_ascii_lowercase();
    let what = if text.starts_with(b"<!doctype html") || text.starts_with(b"<html") {
        "an HTML page"
    } else if text.starts_with(b"<") && text.windows(5).any(|window| window == b"<svg ") {
        "an SVG picture"
    } else {
        return None;
    };
    let advice = "give the profile that it was made from";
    Some(ReadError::Refused { what, advice })
}

/// Writes a profile in a format, if the format can hold it.
///
/// In place of a wall time that is zero, sizes are written: [`Profile::first_metric`].
///
/// If the profile has only edges, and the format needs stacks, the stacks are
/// estimated if [`WriteOptions::estimate`] is set. The title then says so.
///
/// # Errors
///
/// [`WriteError::NeedsStacks`] if the format needs stacks, the profile has only
/// edges, and `estimate` is not set; else the errors of the format.
pub fn write(
    format: &Format,
    profile: &Profile,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    if options.metric == Metric::Wall && profile.first_metric() != Metric::Wall {
        let metric = profile.first_metric();
        let options = WriteOptions {
            metric,
            ..options.clone()
        };
        return write(format, profile, &options, out);
    }
    let name = format.name;
    let writes = format
        .writes
        .ok_or(WriteError::NotWritable { format: name })?;
    if !writes.all_metrics && !options.metric.is_in(profile.metrics) {
        return Err(WriteError::NotMeasured {
            metric: options.metric,
        });
    }
    if !format.needs_stacks() {
        return (writes.write)(profile, options, out);
    }
    let profile = with_stacks(profile, name, options)?;
    match &options.base {
        Some(base) if matches!(base.body, Body::Edges(_)) => {
            let base = with_stacks(base, name, options)?.into_owned();
            let options = WriteOptions {
                base: Some(base),
                ..options.clone()
            };
            (writes.write)(&profile, &options, out)
        }
        _ => (writes.write)(&profile, options, out),
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
