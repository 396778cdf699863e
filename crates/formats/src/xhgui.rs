//! XHGui's upload: the classic array and its metadata, as one line of JSON.
//!
//! XHGui imports it, and php-profiler's file saver writes it. The reader is
//! that of JSON arrays. XHGui requires every metric: a missing one is written
//! as zero.
//!
//! **Invariant:** no environment variable or cookie is written, and no
//! parameter that is not in the title.

use std::io::{BufWriter, Write};

use profile::{Date, Metrics, Profile, classic};
use serde_json::{Map, Value, json};

use crate::format::{Format, Holds, Reads, Writes, never};
use crate::shared::text::lossy;
use crate::shared::unit::needs_time;
use crate::{WriteError, WriteOptions, xhprof_json};

/// One line of XHGui's import.
pub const XHGUI: Format = Format {
    id: "xhgui",
    name: "XHGui",
    endings: &["jsonl", "xhgui.json"],
    warning: None,
    reads: Some(Reads {
        detect: never,
        read: xhprof_json::read,
    }),
    writes: Some(Writes::new(Holds::Edges, write).all_metrics()),
};

fn write(profile: &Profile, options: &WriteOptions, out: &mut dyn Write) -> Result<(), WriteError> {
    needs_time(profile, XHGUI.name)?;
    let mut out = BufWriter::new(out);
    out.write_all(b"{\"profile\":")?;
    if profile.metrics.cpu && profile.metrics.memory {
        classic::write_json(profile, &mut out)?;
    } else {
        let complete = Profile {
            metrics: Metrics {
                cpu: true,
                memory: true,
                ..profile.metrics
            },
            ..profile.clone()
        };
        classic::write_json(&complete, &mut out)?;
    }
    writeln!(out, ",\"meta\":{}}}", meta(profile, options))?;
    Ok(out.flush()?)
}

/// The metadata for XHGui, built as text to keep the order.
fn meta(profile: &Profile, options: &WriteOptions) -> String {
    let meta = &profile.meta;
    let title = options.title.as_deref().or(meta.title.as_deref());
    let url = lossy(title.unwrap_or("xhprof").as_bytes()).into_owned();
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    let started = meta.started_unix_us.unwrap_or(0);
    let (seconds, micros) = (started / 1_000_000, started % 1_000_000);
    let mut server = format!("{{\"REQUEST_TIME\":{seconds}");
    for (name, value) in [
        ("REQUEST_METHOD", meta.tag("method")),
        ("SERVER_NAME", meta.host.as_deref()),
    ] {
        if let Some(value) = value {
            server.push_str(&format!(",\"{name}\":{}", json!(value)));
        }
    }
    server.push('}');
    format!(
        "{{\"url\":{},\"simple_url\":{},\"get\":{},\"env\":{{}},\"SERVER\":{server},\
         \"request_ts\":{{\"sec\":{seconds},\"usec\":0}},\
         \"request_ts_micro\":{{\"sec\":{seconds},\"usec\":{micros}}},\
         \"request_date\":\"{}\"}}",
        json!(url),
        json!(path),
        get(query),
        Date::of_seconds(seconds)
    )
}

/// The parameters of a query.
fn get(query: &str) -> Value {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), Value::String(decoded(value)))
    };
    Value::Object(pairs.map(pair).collect::<Map<_, _>>())
}

/// `a+b%20c` as `a b c`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, byte) {
            (b'+', _) => bytes.push(b' '),
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => bytes.push(*first),
        }
    }
    lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        assert_eq!(
            get("a=1&b=x+y%20z&c&d=%zz%4"),
            json!({
                "a": "1", "b": "x y z", "c": "", "d": "%zz%4"
            })
        );
        assert_eq!(get(""), json!({}));
    }
}
