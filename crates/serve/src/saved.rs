//! The names of XHProf's saved runs: `ID.NAME.xhprof`.

use std::time::{Duration, SystemTime};

/// The tag with the id of a run that XHProf's `XHProfRuns_Default` saved.
pub(crate) const RUN: &str = "xhprof_run";

/// The tag with its name, which XHProf calls source.
pub(crate) const SOURCE: &str = "xhprof_source";

/// XHProf was published in 2009: an earlier time is none.
const FIRST_SECOND: u64 = 1_230_768_000;

/// What the name of a file says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SavedRun<'a> {
    pub(crate) run: &'a str,
    pub(crate) source: &'a str,
    /// In microseconds since 1970, if the id is one of `uniqid()`.
    pub(crate) saved_us: Option<u64>,
}

/// The parts of a name; none if it is not that of a saved run.
pub(crate) fn saved_run(name: &str) -> Option<SavedRun<'_>> {
    let (run, source) = name.strip_suffix(".xhprof")?.split_once('.')?;
    if run.is_empty() || source.is_empty() {
        return None;
    }
    Some(SavedRun {
        run,
        source,
        saved_us: time_of(run),
    })
}

/// The time in an id of `uniqid()`: eight digits of seconds, five of
/// microseconds.
fn time_of(id: &str) -> Option<u64> {
    if id.len() != 13 {
        return None;
    }
    let (seconds, rest) = id.split_at_checked(8)?;
    let seconds = u64::from_str_radix(seconds, 16).ok()?;
    let rest = u64::from_str_radix(rest, 16).ok()?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let tomorrow = now.unwrap_or_default() + Duration::from_secs(86_400);
    let is_likely = (FIRST_SECOND..tomorrow.as_secs()).contains(&seconds) && rest < 1_000_000;
    is_likely.then_some(seconds * 1_000_000 + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_saved_run_has_its_id_source_and_time() {
        let saved = saved_run("4b35d4ff1a2b3.my.app.xhprof").unwrap();
        assert_eq!((saved.run, saved.source), ("4b35d4ff1a2b3", "my.app"));
        assert_eq!(saved.saved_us, Some(0x4b35_d4ff * 1_000_000 + 0x1_a2b3));
        for other in ["a.xhp", "x.xhprof", ".x.xhprof", "a..xhprof", "xhprof", ""] {
            assert_eq!(saved_run(other), None, "{other}");
        }
    }

    #[test]
    fn an_id_that_is_no_time_has_none() {
        for id in [
            "order-1234567",
            "00000000abcde",
            "ffffffffabcde",
            "4b35d4ffzzzzz",
            "4b35d4ff",
        ] {
            assert_eq!(time_of(id), None, "{id}");
        }
    }
}
