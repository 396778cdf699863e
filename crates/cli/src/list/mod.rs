//! `xhprof list`: the profiles in a directory, one a line.
//!
//! Of native files only the sums are read, not the names and calls: there may
//! be thousands of files. Files that cannot be read are named at the end.

mod entry;
mod json;
mod table;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::SystemTime;

use anyhow::Result;

use crate::args::{ListArguments, ListSort};
use crate::directory::{self, Found};
use crate::pager;
use crate::progress::{Progress, Work};
use crate::report::Pattern;
use crate::terminal::say;
pub(crate) use entry::{Entry, route};
pub(crate) use json::profile;

/// Prints the list.
pub(crate) fn run(arguments: &ListArguments) -> Result<()> {
    let files = directory::files(&arguments.paths, None)?;
    let Selected {
        mut entries,
        all,
        left_out,
    } = selected(&files, arguments)?;
    let matching = entries.len();
    if let Some(limit) = arguments.limit.filter(|&limit| limit > 0) {
        entries.truncate(limit);
    }
    if arguments.json {
        pager::print_json(&json::list(&entries, &left_out))?;
    } else {
        let counts = table::Counts {
            all,
            matching,
            shown: entries.len(),
        };
        pager::print(arguments.pager, |look| {
            Ok(table::rendered(&entries, counts, look))
        })?;
    }
    for line in directory::lines(&left_out) {
        say(&line);
    }
    Ok(())
}

/// The profiles that were asked for.
pub(crate) struct Selected {
    /// Sorted.
    pub(crate) entries: Vec<Entry>,
    /// How many profiles there are.
    pub(crate) all: usize,
    /// The files that are no profiles, and why.
    pub(crate) left_out: Vec<(PathBuf, String)>,
}

/// Reads files, and selects and sorts them as the arguments say.
pub(crate) fn selected(files: &[Found], arguments: &ListArguments) -> Result<Selected> {
    let progress = Progress::new("reading", Work::Files(files.len() as u64));
    let outcomes = read(files, &progress);
    drop(progress);
    let mut entries = Vec::new();
    let mut left_out: Vec<(PathBuf, String)> = Vec::new();
    for (file, outcome) in files.iter().zip(outcomes) {
        match outcome {
            Ok(entry) => entries.push(entry),
            Err(error) if file.is_found => {
                left_out.push((file.path.clone(), directory::reason(&file.path, &error)));
            }
            Err(error) => return Err(error),
        }
    }
    let all = entries.len();
    entries.retain(wanted(arguments));
    sort(&mut entries, arguments.sort);
    Ok(Selected {
        entries,
        all,
        left_out,
    })
}

/// Reads the entry of each file, with as many threads as there are processors.
fn read(files: &[Found], progress: &Progress) -> Vec<Result<Entry>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut outcomes = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(number) else {
                return outcomes;
            };
            outcomes.push((number, Entry::read(&file.path)));
            progress.add(1);
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let mut outcomes = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(files.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut outcomes = work();
        // A thread that panicked has no entries; every thread would have
        // panicked.
        outcomes.extend(
            others
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_default()),
        );
        outcomes
    });
    outcomes.sort_by_key(|(number, _)| *number);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Whether the arguments ask for an entry.
fn wanted(arguments: &ListArguments) -> impl Fn(&Entry) -> bool {
    let route = arguments.route.as_deref().map(Pattern::new);
    let status = arguments.status.clone();
    let since = arguments
        .since
        .map(|since| since.microseconds(SystemTime::now()));
    move |entry: &Entry| {
        route
            .as_ref()
            .is_none_or(|route| route.matches(entry.route.as_bytes()))
            && status
                .as_deref()
                .is_none_or(|status| entry.has_status(status))
            && since.is_none_or(|since| entry.date.is_some_and(|date| date >= since))
    }
}

/// The latest and the largest first, names from a to z.
fn sort(entries: &mut [Entry], by: ListSort) {
    use std::cmp::Reverse;
    match by {
        ListSort::Date => entries.sort_by_key(|entry| Reverse(entry.date)),
        ListSort::Wall => entries.sort_by_key(|entry| Reverse(entry.summary.total.wall)),
        ListSort::Cpu => entries.sort_by_key(|entry| Reverse(entry.summary.total.cpu)),
        ListSort::Peak => entries.sort_by_key(|entry| Reverse(entry.peak)),
        ListSort::Calls => entries.sort_by_key(|entry| Reverse(entry.summary.total.calls)),
        ListSort::Spans => entries.sort_by_key(|entry| Reverse(entry.summary.spans)),
        ListSort::Route => entries.sort_by(|one, other| one.route.cmp(&other.route)),
        ListSort::Status => entries.sort_by_key(|entry| Reverse(entry.status.clone())),
        ListSort::File => entries.sort_by(|one, other| one.path.cmp(&other.path)),
    }
}
