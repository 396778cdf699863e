//! Callgrind: KCachegrind, webgrind and `callgrind_annotate` open it; Xdebug
//! and Valgrind write it.
//!
//! It has functions and edges between them, no stacks and no recursion levels.
//! But Xdebug writes every call, callees before callers, so that its files do
//! tell whole stacks: see `forest`. Four ways to write: names once and then
//! by number (the default), names in full, positions as differences too, and
//! what Xdebug itself would write.
//!
//! **Invariant:** the cost that enters a function is its self cost plus the
//! cost that leaves it, in the integers of the file.

mod columns;
mod edges;
mod forest;
mod ids;
mod parts;
mod reader;
mod writer;
mod xdebug;

use crate::format::{Detection, Format, Holds, Reads, Writes, never};

/// The time unit of Xdebug's files, in nanoseconds.
const UNIT_NS: u64 = 10;

/// Compressed names: written once and then referred to by number.
pub const CALLGRIND: Format = Format {
    id: "callgrind",
    name: "Callgrind",
    endings: &["callgrind", "callgrind.out"],
    warning: None,
    reads: Some(Reads {
        detect,
        read: reader::read,
    }),
    writes: Some(
        Writes::new(Holds::Edges, |profile, options, out| {
            writer::write(profile, options, Style::Names, out)
        })
        .all_metrics(),
    ),
};

/// Every name in full.
pub const CALLGRIND_PLAIN: Format = Format {
    id: "callgrind-plain",
    name: "Callgrind, names in full",
    endings: &[],
    warning: None,
    reads: Some(Reads {
        detect: never,
        read: reader::read,
    }),
    writes: Some(
        Writes::new(Holds::Edges, |profile, options, out| {
            writer::write(profile, options, Style::Plain, out)
        })
        .all_metrics(),
    ),
};

/// Compressed names, and line numbers that are differences.
pub const CALLGRIND_SUBPOSITIONS: Format = Format {
    id: "callgrind-subpositions",
    name: "Callgrind, smallest",
    endings: &[],
    warning: None,
    reads: Some(Reads {
        detect: never,
        read: reader::read,
    }),
    writes: Some(
        Writes::new(Holds::Edges, |profile, options, out| {
            writer::write(profile, options, Style::Subpositions, out)
        })
        .all_metrics(),
    ),
};

/// As Xdebug 3 writes it.
pub const CALLGRIND_XDEBUG: Format = Format {
    id: "callgrind-xdebug",
    name: "Xdebug cachegrind",
    endings: &["cachegrind", "cachegrind.out"],
    warning: None,
    reads: Some(Reads {
        detect: never,
        read: reader::read,
    }),
    writes: Some(
        Writes::new(Holds::StacksOrEdges, xdebug::write)
            .all_metrics()
            .in_order(),
    ),
};

/// How the writer of Valgrind's dialects writes names and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// A name once, then its number.
    Names,
    /// Every name in full.
    Plain,
    /// As [`Names`](Self::Names), and line numbers are differences.
    Subpositions,
}

/// The keys that begin a header's lines.
const HEADER: [&str; 16] = [
    "version:",
    "creator:",
    "cmd:",
    "pid:",
    "ppid:",
    "thread:",
    "part:",
    "desc:",
    "positions:",
    "event:",
    "events:",
    "summary:",
    "target:",
    "arch:",
    "timeframe ",
    "====",
];

/// A file is recognized by its header's keys, up to the names of the events.
fn detect(head: &[u8]) -> Detection {
    if head.starts_with(b"# callgrind format") {
        return Detection::Yes;
    }
    let mut lines = head.split(|&byte| byte == b'\n').peekable();
    let mut has_words = false;
    while let Some(line) = lines.next() {
        let line = line.trim_ascii();
        let is_cut = lines.peek().is_none();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let fits = |word: &&str| {
            line.starts_with(word.as_bytes()) || is_cut && word.as_bytes().starts_with(line)
        };
        match HEADER.iter().find(|word| fits(word)) {
            // Not by this key alone: other formats have `events:` too.
            Some(&"events:") if has_words && !is_cut => return Detection::Yes,
            Some(_) => has_words = true,
            None if has_words && line.starts_with(b"fl=") => return Detection::Yes,
            None => return Detection::No,
        }
    }
    Detection::NeedMore
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_recognized_by_its_words() {
        for head in [
            "# callgrind format\n",
            "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\nevents: Time_(10ns)\n",
            "desc: I1 cache:\ncmd: ls\nevents: Ir\n",
            "\n==== NEW PROFILING FILE ====\nversion: 1\nevents: Time\n",
        ] {
            assert_eq!(detect(head.as_bytes()), Detection::Yes, "{head}");
        }
        for head in ["", "ver", "version: 1\ncrea", "version: 1\nevents: Ti", "#"] {
            assert_eq!(detect(head.as_bytes()), Detection::NeedMore, "{head}");
        }
        for head in [
            "file-format: BlackfireProbe\n",
            "a;b 7\n",
            "{",
            "events\n",
            "a:1:{",
        ] {
            assert_eq!(detect(head.as_bytes()), Detection::No, "{head}");
        }
    }
}
