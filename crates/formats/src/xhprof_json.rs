//! The classic array as JSON, alone or as XHGui's upload.
//!
//! Read and written as a stream, which keeps the file's order. JSON has text
//! where PHP has bytes: writing replaces an invalid byte of a name by U+FFFD,
//! and merges two names that differ only in such bytes.

use std::cell::Cell;
use std::fmt;
use std::io::{BufRead, BufWriter, Write};

use profile::classic;
use profile::{Budget, Meta, Profile};
use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::format::{Detection, Format, Holds, Reads, Writes};
use crate::rows::{Builder, RowsError};
use crate::shared::json_parts::{Entry, Kept};
use crate::shared::sampled::Sampled;
use crate::shared::text::lossy;
use crate::{ReadError, WriteError, WriteOptions};

/// The classic array as JSON, or one line of XHGui's.
pub const XHPROF_JSON: Format = Format {
    id: "xhprof-json",
    name: "XHProf JSON",
    endings: &["json", "xhprof.json"],
    warning: None,
    reads: Some(Reads { detect, read }),
    writes: Some(Writes::new(Holds::Edges, write).all_metrics()),
};

/// How many bytes are searched for a key that only a profile has.
const LOOKAHEAD: usize = 64 * 1024;

fn detect(head: &[u8]) -> Detection {
    let head = head.trim_ascii_start();
    match head {
        [] | [b'['] => Detection::NeedMore,
        [b'[', rest @ ..] => match rest.trim_ascii_start() {
            [b']', ..] => Detection::Yes,
            [] => Detection::NeedMore,
            _ => Detection::No,
        },
        [b'{', rest @ ..] if matches!(rest.trim_ascii_start(), [] | [b'"' | b'}', ..]) => {
            let seen = head.get(..LOOKAHEAD).unwrap_or(head);
            let has = |text: &[u8]| seen.windows(text.len()).any(|window| window == text);
            if has(b"==>") || has_main(seen) || has(b"==\\u003E") || has(b"==\\u003e") {
                Detection::Yes
            } else if head.len() < LOOKAHEAD {
                Detection::NeedMore
            } else {
                Detection::No
            }
        }
        _ => Detection::No,
    }
}

pub(crate) fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    let input = crate::shared::whole::whole_json(input, XHPROF_JSON.name, budget)?;
    let mut document = Document::within(budget);
    let mut json = serde_json::Deserializer::from_slice(&input);
    let rows = Rows {
        document: &mut document,
        may_be_wrapped: true,
    };
    let outcome = rows.deserialize(&mut json);
    // The error in the rows is more precise than the parser's position.
    if let Some(error) = document.error {
        return Err(error.into());
    }
    outcome?;
    if let Err(error) = json.end() {
        return Err(if is_another_line(&input) {
            ReadError::Several
        } else {
            ReadError::Json(error)
        });
    }
    let mut profile = document.rows.finish()?;
    // Samples contain the start time themselves.
    let started_unix_us = profile.meta.started_unix_us;
    profile.meta = Meta {
        mode: profile.meta.mode,
        ..document.meta
    };
    if started_unix_us.is_some() {
        profile.meta.started_unix_us = started_unix_us;
    }
    Ok(profile)
}

/// One line.
fn write(
    profile: &Profile,
    _options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut out = BufWriter::new(out);
    if let Some(sampled) = Sampled::of(profile, XHPROF_JSON.name)? {
        out.write_all(b"{")?;
        let mut separator = "";
        sampled.for_each(|time, stack| {
            write!(out, "{separator}\"{}\":", String::from_utf8_lossy(time))?;
            separator = ",";
            serde_json::to_writer(&mut out, &lossy(stack))?;
            Ok(())
        })?;
        out.write_all(b"}")?;
    } else {
        classic::write_json(profile, &mut out)?;
    }
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Whether `main()` is a key: in other positions any format may contain it.
fn has_main(head: &[u8]) -> bool {
    let main = b"\"main()\"";
    head.windows(main.len()).enumerate().any(|(at, window)| {
        let after = head.get(at + main.len()..).unwrap_or_default();
        window == main && matches!(after.trim_ascii_start(), [b':', ..])
    })
}

/// Whether the input has one JSON object in each line.
fn is_another_line(input: &[u8]) -> bool {
    let mut lines = input
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty());
    lines.clone().count() > 1 && lines.all(|line| line.trim_ascii_start().starts_with(b"{"))
}

#[derive(Debug)]
struct Document {
    rows: Builder,
    meta: Meta,
    error: Option<RowsError>,
}

impl Document {
    fn within(budget: &Budget) -> Self {
        Self {
            rows: Builder::within(budget),
            meta: Meta::default(),
            error: None,
        }
    }

    fn add(&mut self, key: &str, entry: &Entry) -> Result<(), RowsError> {
        let key = key.as_bytes();
        match entry {
            Entry::Stack(stack) => self.rows.add_sample(key, stack.as_bytes()),
            Entry::Row(cost) => self.rows.add_row(key, *cost),
            Entry::Other => Err(RowsError::entry(key)),
        }
    }

    /// Stores the error of the rows, and stops the parser.
    fn stop<E: de::Error>(&mut self, error: RowsError) -> E {
        let message = E::custom(&error);
        self.error = Some(error);
        message
    }
}

/// The used part of XHGui's `meta`.
const META: [&str; 8] = [
    "url",
    "request_ts_micro",
    "request_ts",
    "sec",
    "usec",
    "SERVER",
    "SERVER_NAME",
    "REQUEST_METHOD",
];

/// XHGui's metadata of a run that a profile can hold.
fn xhgui_meta(json: &Value, meta: &mut Meta) {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let started = |time: &Value| {
        let seconds = time.get("sec")?.as_u64()?.checked_mul(1_000_000)?;
        let rest = time.get("usec").and_then(Value::as_u64);
        seconds.checked_add(rest.unwrap_or(0))
    };
    meta.title = text(json.get("url")).or(meta.title.take());
    let times = ["request_ts_micro", "request_ts"].iter();
    let mut times = times.filter_map(|name| json.get(*name).and_then(started));
    meta.started_unix_us = times.next().or(meta.started_unix_us);
    let server = |name| json.get("SERVER").and_then(|server| server.get(name));
    meta.host = text(server("SERVER_NAME")).or(meta.host.take());
    if let Some(method) = text(server("REQUEST_METHOD")) {
        meta.set_tag("method", method);
    }
}

/// Buggregator's fields beside the profile.
fn buggregator_meta(key: &str, value: &Value, meta: &mut Meta) {
    match (key, value) {
        ("app_name", Value::String(name)) if meta.title.is_none() => {
            meta.title = Some(name.clone());
        }
        ("hostname", Value::String(name)) if meta.host.is_none() => {
            meta.host = Some(name.clone());
        }
        ("date", value) if meta.started_unix_us.is_none() => {
            let seconds = value.as_u64();
            meta.started_unix_us = seconds.and_then(|seconds| seconds.checked_mul(1_000_000));
        }
        ("tags", Value::Object(tags)) => {
            for (name, value) in tags.iter().take(MAX_TAGS) {
                match value {
                    Value::String(value) => meta.set_tag(name, value.clone()),
                    Value::Null => {}
                    value => meta.set_tag(name, value.to_string()),
                }
            }
        }
        _ => {}
    }
}

/// The maximum number of tags.
const MAX_TAGS: usize = 64;

/// The maximum number of values from Buggregator's fields.
const MAX_VALUES: usize = 1024;

/// The classic array, or XHGui's object around it. Read entry by entry: a whole
/// document as values would take many times its size.
struct Rows<'d> {
    document: &'d mut Document,
    may_be_wrapped: bool,
}

impl<'de> DeserializeSeed<'de> for Rows<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an XHProf array")
    }

    /// PHP writes an empty array as `[]`, also for an associative one.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        match list.next_element::<IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(de::Error::custom("a list is not an XHProf array")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let document = self.document;
        let mut is_wrapped = false;
        let mut stray = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "profile" if self.may_be_wrapped => {
                    is_wrapped = true;
                    map.next_value_seed(Rows {
                        document: &mut *document,
                        may_be_wrapped: false,
                    })?;
                }
                "meta" if self.may_be_wrapped => {
                    let left = Cell::new(0);
                    let keys = Some(&META[..]);
                    let meta = map.next_value_seed(Kept { keys, left: &left })?;
                    xhgui_meta(&meta, &mut document.meta);
                }
                key if !self.may_be_wrapped || is_row(key) => {
                    let entry: Entry = map.next_value()?;
                    if let Err(error) = document.add(key, &entry) {
                        return Err(document.stop(error));
                    }
                }
                key @ ("app_name" | "hostname" | "date" | "tags") => {
                    stray = Some(key.as_bytes().into());
                    let left = Cell::new(MAX_VALUES);
                    let keys = None;
                    let value = map.next_value_seed(Kept { keys, left: &left })?;
                    buggregator_meta(key, &value, &mut document.meta);
                }
                // XHGui and Buggregator have more fields around the array.
                key => {
                    let entry: Entry = map.next_value()?;
                    if matches!(entry, Entry::Row(cost) if cost.has_wall()) {
                        // Rows without a caller, as in Tideways' files.
                        if let Err(error) = document.add(key, &entry) {
                            return Err(document.stop(error));
                        }
                    } else {
                        stray = Some(key.as_bytes().into());
                    }
                }
            }
        }
        match stray {
            Some(key) if !is_wrapped => Err(document.stop(RowsError::Key { key })),
            _ => Ok(()),
        }
    }
}

/// Whether a key belongs to the classic array, and not to the object around it.
fn is_row(key: &str) -> bool {
    key == "main()" || key.contains("==>") || key.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &str) -> Result<Profile, ReadError> {
        XHPROF_JSON.read(&mut input.as_bytes(), &Budget::default())
    }

    fn profile(input: &str) -> Profile {
        read(input).unwrap()
    }

    #[test]
    fn json_is_recognized_by_what_only_a_profile_has() {
        let detect = |head: &str| XHPROF_JSON.detect(head.as_bytes());
        for head in [
            " {\n \"a==>b\": {",
            r#"{"main()":{"#,
            "[]",
            "[ ]",
            r#"{"meta":{},"profile":{"main()":"#,
            r#"{"main()" :"#,
        ] {
            assert_eq!(detect(head), Detection::Yes, "{head}");
        }
        for head in ["", " ", "{", "[", "{\"a", "{}"] {
            assert_eq!(detect(head), Detection::NeedMore, "{head}");
        }
        for head in ["x", "[1", "{1", &format!("{{\"{}", "a".repeat(LOOKAHEAD))] {
            assert_eq!(detect(head), Detection::No, "{head}");
        }
    }

    #[test]
    fn nothing_recorded_is_an_empty_profile() {
        for input in ["[]", "{}", " [ ] ", r#"{"profile":[],"meta":{}}"#] {
            assert_eq!(profile(input), Profile::empty(), "{input}");
        }
    }

    #[test]
    fn numbers_in_quotes_are_read() {
        let quoted = r#"{"main()":{"ct":"2","wt":"7"}}"#;
        let plain = r#"{"main()":{"ct":2,"wt":7}}"#;
        assert_eq!(profile(quoted), profile(plain));
    }

    #[test]
    fn an_order_no_map_would_keep_is_kept() {
        let input =
            r#"{"z==>a":{"ct":1,"wt":1},"main()==>z":{"ct":1,"wt":2},"main()":{"ct":1,"wt":3}}"#;
        let mut written = Vec::new();
        write(&profile(input), &WriteOptions::default(), &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap().trim_end(), input);
    }

    #[test]
    fn bytes_that_are_no_text_are_written_as_replacement_characters() {
        let mut profile = profile(r#"{"main()==>f":{"wt":1},"main()":{"wt":1}}"#);
        profile.symbols[1].name = (*b"caf\xe9\"").into();
        let mut written = Vec::new();
        write(&profile, &WriteOptions::default(), &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(
            written.starts_with("{\"main()==>caf\u{fffd}\\\"\":{\"ct\":0,\"wt\":1}"),
            "{written}"
        );
    }

    #[test]
    fn broken_input_is_refused_with_a_reason() {
        let reason = |input: &str| {
            let error = read(input).unwrap_err();
            let source = std::error::Error::source(&error).map(ToString::to_string);
            source.unwrap_or_else(|| error.to_string())
        };
        assert_eq!(
            reason(r#"{"main()":{"wt":1}"#),
            "EOF while parsing an object at line 1 column 18"
        );
        assert_eq!(
            reason("[1]"),
            "a list is not an XHProf array at line 1 column 3"
        );
        assert_eq!(
            reason(r#"{"main()":7}"#),
            "`main()` has neither costs nor a stack"
        );
        assert_eq!(
            reason(r#"{"a==>b":{"wt":1}}"#).get(..18),
            Some("no `main()` entry:")
        );
        assert_eq!(
            reason(r#"{"name":"x","version":1}"#),
            "`version` does not name a caller and a callee"
        );
        assert!(read(r#"{"main()":{"wt":-1}}"#).is_ok());
        let line = r#"{"main()":{"wt":1}}"#;
        assert_eq!(
            reason(&format!("{line}\n{line}\n")),
            "more than one profile: give one line at a time"
        );
    }
}
