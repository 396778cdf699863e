//! speedscope's JSON: stacks with weights (*sampled*), or entries and exits in
//! the order of time (*evented*).
//! Every cost is a separate profile in the file, with shared frames. Times are
//! nanoseconds since the beginning, which a double represents exactly for a
//! hundred days. The numbers of calls are not in the file, but an evented
//! profile has each call.
//!
//! **Invariant:** entries and exits nest, times never decrease, and a frame is
//! one function.

mod evented;
mod frames;
mod json;
mod parts;
mod reader;
mod sampled;

use std::io::{self, BufWriter, Write};

use profile::Profile;

use crate::format::{Detection, Format, Holds, Reads, Writes, never};
use crate::shared::lined::{Frame, LinedStacks, plain_frames};
use crate::shared::names::INTERNAL_FILE;
use crate::shared::text::{ESTIMATED, lossy};
use crate::{WriteError, WriteOptions};

/// Each stack once, with its weight.
pub const SPEEDSCOPE: Format = Format {
    id: "speedscope",
    name: "speedscope",
    endings: &["speedscope.json", "speedscope"],
    warning: None,
    reads: Some(Reads {
        detect,
        read: reader::read,
    }),
    writes: Some(
        Writes::new(Holds::Stacks, |profile, options, out| {
            let lined = LinedStacks::of(profile, |symbol| symbol);
            let frames = match &lined {
                Some(lined) => lined.frames.clone(),
                None => plain_frames(profile),
            };
            let sampled = |out: &mut dyn Write| sampled::write(profile, lined.as_ref(), out);
            write(profile, options, &frames, sampled, out)
        })
        .all_metrics(),
    ),
};

/// Entries and exits. Without events, in the order of the tree.
pub const SPEEDSCOPE_EVENTED: Format = Format {
    id: "speedscope-evented",
    name: "speedscope, evented",
    endings: &["evented.speedscope.json"],
    warning: None,
    reads: Some(Reads {
        detect: never,
        read: reader::read,
    }),
    writes: Some(
        Writes::new(Holds::Stacks, |profile, options, out| {
            let evented = |out: &mut dyn Write| evented::write(profile, out);
            write(profile, options, &plain_frames(profile), evented, out)
        })
        .all_metrics()
        .in_order(),
    ),
};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

fn write(
    profile: &Profile,
    options: &WriteOptions,
    frames: &[Frame<'_>],
    write_profiles: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut out = BufWriter::new(out);
    let title = options.title.as_deref().or(profile.meta.title.as_deref());
    let mut title = lossy(title.unwrap_or("xhprof").as_bytes()).into_owned();
    if profile.meta.is_estimated {
        title = format!("{title} ({ESTIMATED})");
    }
    write!(
        out,
        "{{\"$schema\":\"{SCHEMA}\",\"exporter\":\"xhprof@{}\",\"name\":",
        env!("CARGO_PKG_VERSION")
    )?;
    string(&title, &mut out)?;
    out.write_all(b",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[")?;
    for (number, frame) in frames.iter().enumerate() {
        write_frame(profile, frame, number, &mut out)?;
    }
    out.write_all(b"\n]},\n\"profiles\":[")?;
    write_profiles(&mut out)?;
    out.write_all(b"\n]}\n")?;
    Ok(out.flush()?)
}

fn string(text: &str, out: &mut dyn Write) -> io::Result<()> {
    Ok(serde_json::to_writer(out, text)?)
}

fn write_frame(
    profile: &Profile,
    frame: &Frame<'_>,
    number: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let symbol = profile.symbol(frame.symbol);
    out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
    out.write_all(b"{\"name\":")?;
    string(&lossy(&symbol.name), out)?;
    let internal = symbol.internal.then_some(INTERNAL_FILE);
    if let Some(file) = internal.or(frame.file).or(symbol.file.as_deref()) {
        out.write_all(b",\"file\":")?;
        string(&lossy(file), out)?;
    }
    if frame.line > 0 {
        write!(out, ",\"line\":{}", frame.line)?;
    }
    out.write_all(b"}")
}

/// The beginning of one of the profiles in a file.
fn begin(
    is_first: bool,
    kind: &str,
    name: &str,
    unit: &str,
    end: i64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let separator = if is_first { "" } else { "," };
    write!(out, "{separator}\n{{\"type\":\"{kind}\",\"name\":")?;
    string(name, out)?;
    write!(
        out,
        ",\"unit\":\"{unit}\",\"startValue\":0,\"endValue\":{end}"
    )
}

/// How many bytes are searched for a key that only this format has.
const LOOKAHEAD: usize = 64 * 1024;

/// The schema's name is decisive. It is optional; without it, the file must
/// have shared frames.
fn detect(head: &[u8]) -> Detection {
    match head.trim_ascii_start() {
        [] => return Detection::NeedMore,
        [b'{', rest @ ..] if matches!(rest.trim_ascii_start(), [] | [b'"', ..]) => {}
        _ => return Detection::No,
    }
    let has = |text: &[u8]| head.windows(text.len()).any(|window| window == text);
    if has(b"speedscope.app/file-format-schema") || has(b"\"shared\"") && has(b"\"frames\"") {
        Detection::Yes
    } else if head.len() < LOOKAHEAD {
        Detection::NeedMore
    } else {
        Detection::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_recognized_by_its_schema_or_its_frames() {
        for head in [
            "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\"",
            "{ \"shared\": {\"frames\": [",
        ] {
            assert_eq!(detect(head.as_bytes()), Detection::Yes, "{head}");
        }
        for head in ["", " {", "{\"a"] {
            assert_eq!(detect(head.as_bytes()), Detection::NeedMore, "{head}");
        }
        for head in ["[", "{1", &format!("{{\"{}", "a".repeat(LOOKAHEAD))] {
            assert_eq!(detect(head.as_bytes()), Detection::No, "{head}");
        }
    }
}
