//! XHProf's files: the classic array in PHP's `serialize()` format.
//!
//! The return value of `xhprof_disable()`, saved as `<run id>.<source>.xhprof`
//! by the extension, by XHProf's own library and by tools for it. Bytes in
//! names stay unchanged.

use std::io::{BufRead, Write};

use profile::classic;
use profile::php_serialize::{write_array_end, write_array_start, write_key, write_string};
use profile::{Budget, Profile};

use crate::format::{Detection, Format, Holds, Reads, Writes};
use crate::php_serialize::Limits;
use crate::rows;
use crate::shared::sampled::Sampled;
use crate::{ReadError, WriteError, WriteOptions};

/// The classic array, serialized by PHP.
pub const XHPROF: Format = Format {
    id: "xhprof",
    name: "XHProf",
    endings: &["xhprof"],
    warning: None,
    reads: Some(Reads { detect, read }),
    writes: Some(Writes::new(Holds::Edges, write).all_metrics()),
};

fn detect(head: &[u8]) -> Detection {
    let Some(rest) = head.strip_prefix(b"a:") else {
        return Detection::by_first_bytes(head, b"a:");
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = rest.get(digits..).unwrap_or_default();
    if digits == 0 && !rest.is_empty() || digits > 20 {
        return Detection::No;
    }
    match rest.strip_prefix(b":{") {
        None => Detection::by_first_bytes(rest, b":{"),
        Some([]) => Detection::NeedMore,
        Some([b's' | b'i' | b'}', ..]) => Detection::Yes,
        Some(_) => Detection::No,
    }
}

fn read(input: &mut dyn BufRead, budget: &Budget) -> Result<Profile, ReadError> {
    // The parser needs the whole array in memory.
    let bytes = crate::shared::whole::whole(input, budget)?;
    Ok(rows::read_serialized(&bytes, Limits::PROFILE, budget)?)
}

fn write(
    profile: &Profile,
    _options: &WriteOptions,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut bytes = Vec::new();
    if let Some(sampled) = Sampled::of(profile, XHPROF.name)? {
        write_array_start(&mut bytes, sampled.len());
        sampled.for_each(|time, stack| {
            write_key(&mut bytes, time);
            write_string(&mut bytes, stack);
            Ok(())
        })?;
        write_array_end(&mut bytes);
    } else {
        classic::write_serialized(profile, &mut bytes);
    }
    Ok(out.write_all(&bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_recognized_by_its_first_bytes() {
        let detect = |head: &str| XHPROF.detect(head.as_bytes());
        for head in ["a:11:{s:9:\"foo==>bar", "a:0:{}", "a:1:{i:5;"] {
            assert_eq!(detect(head), Detection::Yes, "{head}");
        }
        for head in ["", "a", "a:", "a:1", "a:12:", "a:12:{"] {
            assert_eq!(detect(head), Detection::NeedMore, "{head}");
        }
        for head in [
            "{",
            "a;b 7",
            "a:x",
            "a:1:[",
            "a:1:{O:",
            "O:1:",
            "a:123456789012345678901:{s",
        ] {
            assert_eq!(detect(head), Detection::No, "{head}");
        }
    }
}
