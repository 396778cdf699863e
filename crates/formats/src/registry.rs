//! The list of all formats, found by name and by the ending of a file's name.

use crate::blackfire::BLACKFIRE;
use crate::callgrind::{CALLGRIND, CALLGRIND_PLAIN, CALLGRIND_SUBPOSITIONS, CALLGRIND_XDEBUG};
use crate::chrome_trace::CHROME_TRACE;
use crate::collapsed::COLLAPSED;
use crate::cpuprofile::CPUPROFILE;
use crate::csv::CSV;
use crate::dot::DOT;
use crate::firefox::FIREFOX;
use crate::flamegraph::FLAMEGRAPH_SVG;
use crate::format::Format;
use crate::markdown::MARKDOWN;
use crate::native::NATIVE;
use crate::nytprof::{NYTPROF, NYTPROF_CALLS};
use crate::otlp::OTLP;
use crate::perf_script::PERF_SCRIPT;
use crate::perfview::{PERFVIEW, PERFVIEW_IDS, PERFVIEW_JSON, PERFVIEW_TEXT};
use crate::pprof::PPROF;
use crate::sentry::SENTRY;
use crate::speedscope::{SPEEDSCOPE, SPEEDSCOPE_EVENTED};
use crate::xdebug_trace::XDEBUG_TRACE;
use crate::xhgui::XHGUI;
use crate::xhprof::XHPROF;
use crate::xhprof_json::XHPROF_JSON;

/// All formats; those recognized by few bytes come first.
pub static FORMATS: &[Format] = &[
    NATIVE,
    XHPROF,
    BLACKFIRE,
    CALLGRIND,
    CALLGRIND_PLAIN,
    CALLGRIND_SUBPOSITIONS,
    CALLGRIND_XDEBUG,
    XDEBUG_TRACE,
    PERF_SCRIPT,
    NYTPROF,
    NYTPROF_CALLS,
    PPROF,
    SPEEDSCOPE,
    SPEEDSCOPE_EVENTED,
    CHROME_TRACE,
    FIREFOX,
    CPUPROFILE,
    PERFVIEW,
    PERFVIEW_IDS,
    PERFVIEW_TEXT,
    PERFVIEW_JSON,
    OTLP,
    // After the other JSON formats: any JSON that contains `main()` matches it.
    XHPROF_JSON,
    XHGUI,
    // Written only: another tool's, tables and pictures.
    SENTRY,
    CSV,
    DOT,
    MARKDOWN,
    FLAMEGRAPH_SVG,
    // Last: any text with a number at the end of each line matches it.
    COLLAPSED,
];

/// The format with this ID.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.id == id)
}

/// The format to write to a file of that name: the one with the longest
/// matching ending, in any case. Valgrind and KCachegrind name their files
/// `callgrind.out.123`, Xdebug `cachegrind.out.123`: there the beginning
/// counts.
#[must_use]
pub fn for_file_name(name: &str) -> Option<&'static Format> {
    let name = name.to_ascii_lowercase();
    let fits = |ending: &str| {
        let ending = ending.to_ascii_lowercase();
        let before = name.strip_suffix(&ending);
        let behind = name.strip_prefix(&ending);
        let begins = behind.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        before.is_some_and(|rest| rest.ends_with('.')) || begins && ending.ends_with(".out")
    };
    let endings = FORMATS.iter().flat_map(|format| {
        let endings = format.endings.iter().filter(|ending| fits(ending));
        endings.map(move |ending| (ending.len(), format))
    });
    // The first of equal ones, so that a format's usual form has priority.
    endings
        .rev()
        .max_by_key(|(length, _)| *length)
        .map(|(_, format)| format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_ending_wins() {
        let id = |name| for_file_name(name).map(|format| format.id);
        assert_eq!(id("a/b.c.XHPROF"), Some("xhprof"));
        assert_eq!(id("run.xhprof.json"), Some("xhprof-json"));
        assert_eq!(id("xhprof"), None);
        assert_eq!(id("run.txt"), None);
        assert_eq!(id("run.perfview.XML.zip"), Some("perfview"));
        assert_eq!(id("run.perfView.xml"), Some("perfview-xml-ids"));
        assert_eq!(id("run.perfView.json"), Some("perfview-json"));
        assert_eq!(id("run.collapsedstack.txt"), Some("collapsed"));
        assert_eq!(id("run.folded"), Some("collapsed"));
        assert_eq!(id("run.pb.gz"), Some("pprof"));
        assert_eq!(id("run.nytprof.out"), Some("nytprof"));
        assert_eq!(id("nytprof.out"), Some("nytprof"));
        assert_eq!(id("callgrind.out.123"), Some("callgrind"));
        assert_eq!(id("cachegrind.out.%p"), Some("callgrind-xdebug"));
        assert_eq!(id("callgrind.output"), None);
        assert_eq!(id("run.firefox.json"), Some("firefox"));
    }

    #[test]
    fn names_of_formats_are_unique_and_plain() {
        for (number, format) in FORMATS.iter().enumerate() {
            let id = format.id;
            let is_plain = |letter: u8| {
                letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-'
            };
            assert!(id.bytes().all(is_plain), "{id}");
            assert_eq!(
                FORMATS.iter().position(|format| format.id == id),
                Some(number),
                "{id}"
            );
        }
    }
}
