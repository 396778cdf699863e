//! The list of all formats, found by name and by the ending of a file's name.

use crate::Format;
use crate::blackfire::Blackfire;
use crate::callgrind::Callgrind;
use crate::chrome_trace::ChromeTrace;
use crate::collapsed::Collapsed;
use crate::cpuprofile::CpuProfile;
use crate::csv::Csv;
use crate::dot::Dot;
use crate::firefox::Firefox;
use crate::flamegraph::FlamegraphSvg;
use crate::markdown::Markdown;
use crate::native::Native;
use crate::nytprof::{Nytprof, NytprofCalls};
use crate::otlp::Otlp;
use crate::perf_script::PerfScript;
use crate::perfview::PerfView;
use crate::pprof::Pprof;
use crate::speedscope::Speedscope;
use crate::xdebug_trace::XdebugTrace;
use crate::xhgui::Xhgui;
use crate::xhprof::Xhprof;
use crate::xhprof_json::XhprofJson;

/// All formats; those recognized by few bytes come first.
pub static FORMATS: &[&dyn Format] = &[
    &Native,
    &Xhprof,
    &Blackfire,
    &Callgrind::Names,
    &Callgrind::Plain,
    &Callgrind::Subpositions,
    &Callgrind::Xdebug,
    &XdebugTrace,
    &PerfScript,
    &Nytprof,
    &NytprofCalls,
    &Pprof,
    &Speedscope::Sampled,
    &Speedscope::Evented,
    &ChromeTrace,
    &Firefox,
    &CpuProfile,
    &PerfView::USUAL,
    &PerfView::IDS,
    &PerfView::TEXT,
    &PerfView::TEXT_ZIP,
    &PerfView::JSON,
    &PerfView::JSON_ZIP,
    &Otlp,
    // After the other JSON formats: any JSON that contains `main()` matches it.
    &XhprofJson,
    &Xhgui,
    // Tables and pictures: written only.
    &Csv,
    &Dot,
    &Markdown,
    &FlamegraphSvg,
    // Last: any text with a number at the end of each line matches it.
    &Collapsed,
];

/// The format with this ID.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.id() == id)
}

/// The format to write to a file of that name: the one with the longest
/// matching ending, in any case. Valgrind and KCachegrind name their files
/// `callgrind.out.123`, Xdebug `cachegrind.out.123`: there the beginning
/// counts.
#[must_use]
pub fn for_file_name(name: &str) -> Option<&'static dyn Format> {
    let name = name.to_ascii_lowercase();
    let fits = |ending: &str| {
        let ending = ending.to_ascii_lowercase();
        let before = name.strip_suffix(&ending);
        let behind = name.strip_prefix(&ending);
        let begins = behind.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        before.is_some_and(|rest| rest.ends_with('.')) || begins && ending.ends_with(".out")
    };
    let endings = FORMATS.iter().flat_map(|format| {
        let endings = format.endings().iter().filter(|ending| fits(ending));
        endings.map(|ending| (ending.len(), *format))
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
        let id = |name| for_file_name(name).map(Format::id);
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
            let id = format.id();
            let is_plain = |letter: u8| {
                letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-'
            };
            assert!(id.bytes().all(is_plain), "{id}");
            assert_eq!(
                FORMATS.iter().position(|format| format.id() == id),
                Some(number),
                "{id}"
            );
        }
    }
}
