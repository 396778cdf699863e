//! Sentry's sample format, version 1: the item `profile` of an envelope.
//!
//! Sentry reads a profile together with the transaction of the same id, which is not in the
//! file: `xhprof agent` sends both.
//!
//! **Invariants:** there are two samples or more, in the order of time, the last one at the end;
//! a stack begins with its innermost frame; nothing but the profile decides the ids.

use std::io::{self, Write};

use profile::{Date, Metric, NodeId, Profile, SymbolId, Table, WallUnit};
use serde::Serialize;

use crate::code_class::CodeClass;
use crate::format::{Format, Holds, Writes};
use crate::shared::fingerprint::fingerprint;
use crate::shared::indexed::Functions;
use crate::shared::timeline::{Timeline, sample_length};
use crate::shared::unit::needs_time_or_samples;
use crate::shared::{text, trace};
use crate::{WriteError, WriteOptions};

/// Sentry's profile of a transaction.
pub const SENTRY: Format = Format {
    id: "sentry",
    name: NAME,
    endings: &["sentry.json"],
    warning: None,
    reads: None,
    writes: Some(Writes::new(Holds::Stacks, write).in_order()),
};

const NAME: &str = "Sentry profile";

/// The longest profile that Sentry takes, in seconds.
const LONGEST_S: u64 = 30;

/// The one thread of PHP.
const THREAD: &str = "0";

/// Everything but the samples.
#[derive(Serialize)]
struct Head<'a> {
    version: &'static str,
    event_id: String,
    platform: &'static str,
    timestamp: String,
    release: &'a str,
    environment: &'a str,
    device: Device,
    os: NameAndVersion<'a>,
    runtime: NameAndVersion<'a>,
    transaction: Transaction<'a>,
}

/// Sentry requires the architecture, and a profile does not have it.
#[derive(Serialize)]
struct Device {
    architecture: &'static str,
}

#[derive(Serialize)]
struct NameAndVersion<'a> {
    name: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Transaction<'a> {
    id: String,
    name: &'a str,
    trace_id: String,
    active_thread_id: &'static str,
}

#[derive(Serialize)]
struct Frame<'a> {
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    filename: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    abs_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    lineno: Option<u32>,
    in_app: bool,
}

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    if options.metric != Metric::Wall {
        let metric = options.metric;
        return Err(WriteError::NotHeld {
            format: NAME,
            metric,
        });
    }
    needs_time_or_samples(profile, NAME)?;
    let format = NAME;
    let timeline =
        Timeline::new(profile, Metric::Wall).ok_or(WriteError::NeedsStacks { format })?;
    let samples = samples(profile, &timeline)?;
    let tag = |name: &str| profile.meta.tag(name).filter(|value| !value.is_empty());
    let title = text::title(profile, options);
    let hash = fingerprint(&samples) ^ fingerprint(identity(profile).as_bytes());
    let trace = match trace::of(&profile.meta) {
        Some((trace, _)) => u128::from_be_bytes(trace),
        None => derived(hash, b"trace"),
    };
    let head = Head {
        version: "1",
        event_id: format!("{:032x}", derived(hash, b"profile")),
        platform: "php",
        timestamp: instant(profile.meta.started_unix_us.unwrap_or(0)),
        release: tag("release").unwrap_or_default(),
        environment: tag("environment").unwrap_or("production"),
        device: Device {
            architecture: "unknown",
        },
        os: NameAndVersion {
            name: "unknown",
            version: "unknown",
        },
        runtime: NameAndVersion {
            name: "php",
            version: profile.meta.php_version.as_deref().unwrap_or("unknown"),
        },
        transaction: Transaction {
            id: format!("{:032x}", derived(hash, b"transaction")),
            name: tag("route").or(title.as_deref()).unwrap_or("php"),
            trace_id: format!("{trace:032x}"),
            active_thread_id: THREAD,
        },
    };
    let head = serde_json::to_vec(&head).map_err(io::Error::from)?;
    // The object goes on: its last byte is the bracket.
    out.write_all(head.strip_suffix(b"}").unwrap_or(&head))?;
    out.write_all(b",\"profile\":")?;
    out.write_all(&samples)?;
    Ok(out.write_all(b"}\n")?)
}

/// The object `profile`.
fn samples(profile: &Profile, timeline: &Timeline<'_>) -> Result<Vec<u8>, WriteError> {
    let is_counted = profile.metrics.wall_unit == WallUnit::Samples;
    let length = if is_counted {
        sample_length(profile)
    } else {
        1
    };
    let mut functions = Functions::new(profile.symbols.len());
    let mut stack_of: Table<NodeId, u32> = Table::new(0, timeline.tree.nodes.len());
    let mut count = 0_u32;
    let (mut stacks, mut samples) = (Vec::new(), Vec::new());
    let mut passed = 0_u64;
    let mut last = 0;
    for slice in timeline.slices.iter().filter(|slice| slice.value > 0) {
        let number = &mut stack_of[slice.node];
        if *number == 0 {
            count += 1;
            *number = count;
            stacks.write_all(if count == 1 { b"[" } else { b",[" })?;
            for (depth, (_, node)) in timeline.tree.frames(slice.node).enumerate() {
                let separator = if depth == 0 { "" } else { "," };
                let frame = functions.number(node.symbol).saturating_sub(1);
                write!(stacks, "{separator}{frame}")?;
            }
            stacks.write_all(b"]")?;
        }
        last = *number - 1;
        sample(last, passed, &mut samples)?;
        passed = passed.saturating_add(slice.value.unsigned_abs().saturating_mul(length));
    }
    if count == 0 {
        // Nothing took time: `main()`, twice.
        write!(stacks, "[{}]", functions.number(SymbolId::ROOT) - 1)?;
        sample(0, 0, &mut samples)?;
    }
    // A sample lasts until the next one.
    sample(last, passed, &mut samples)?;
    if passed > LONGEST_S * 1_000_000_000 {
        return Err(WriteError::TooLong {
            format: NAME,
            limit_s: LONGEST_S,
        });
    }
    let mut object = Vec::new();
    object.write_all(b"{\"samples\":[")?;
    object.extend(samples);
    object.write_all(b"],\"stacks\":[")?;
    object.extend(stacks);
    object.write_all(b"],\"frames\":[")?;
    for (number, symbol) in functions.used.iter().enumerate() {
        if number > 0 {
            object.write_all(b",")?;
        }
        frame(profile, *symbol, &mut object)?;
    }
    write!(
        object,
        "],\"thread_metadata\":{{\"{THREAD}\":{{\"name\":\"main\"}}}}}}"
    )?;
    Ok(object)
}

fn sample(stack: u32, at: u64, out: &mut Vec<u8>) -> io::Result<()> {
    let separator = if out.is_empty() { "" } else { "," };
    write!(
        out,
        "{separator}{{\"elapsed_since_start_ns\":{at},\"stack_id\":{stack},\"thread_id\":\"{THREAD}\"}}"
    )
}

fn frame(profile: &Profile, symbol: SymbolId, out: &mut Vec<u8>) -> io::Result<()> {
    let symbol = profile.symbol(symbol);
    let function = text::function(&symbol.name);
    let file = symbol.file.as_deref().map(text::lossy);
    let path = file.as_deref().unwrap_or_default();
    let frame = Frame {
        module: function.rsplit_once("::").map(|(class, _)| class),
        function: &function,
        filename: path.rsplit_once('/').map_or(path, |(_, name)| name),
        abs_path: path,
        lineno: (symbol.line > 0).then_some(symbol.line),
        in_app: matches!(CodeClass::of(symbol), CodeClass::Own | CodeClass::Template),
    };
    Ok(serde_json::to_writer(out, &frame)?)
}

/// What distinguishes runs with the same costs.
fn identity(profile: &Profile) -> String {
    let meta = &profile.meta;
    format!(
        "{:?} {:?} {:?} {:?}",
        meta.started_unix_us, meta.host, meta.process, meta.title
    )
}

/// Another id of the same profile; never zero.
fn derived(hash: u128, of: &[u8]) -> u128 {
    fingerprint(&[&hash.to_be_bytes(), of].concat()).max(1)
}

/// `2026-11-28T14:00:00.000123Z`, of microseconds since 1970.
fn instant(microseconds: u64) -> String {
    let (seconds, fraction) = (microseconds / 1_000_000, microseconds % 1_000_000);
    let of_day = seconds % 86_400;
    format!(
        "{}T{:02}:{:02}:{:02}.{fraction:06}Z",
        Date::of_seconds(seconds),
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_those_of_rfc_3339() {
        assert_eq!(instant(0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(
            instant(1_795_305_600_000_123),
            "2026-11-22T00:00:00.000123Z"
        );
        assert_eq!(instant(951_868_799_999_999), "2000-02-29T23:59:59.999999Z");
    }
}
