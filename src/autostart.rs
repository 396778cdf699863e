//! Profiles that nobody asks for in code: `xhprof.auto_enable`.
//!
//! The profile runs from before the first line of the script to after the last
//! destructor, and is written at the end of the request. A script that profiles
//! itself finds its own functions working as ever, as if there were no automatic
//! profile: that yields. From the script's `xhprof_enable()` to its
//! `xhprof_disable()` only the script's own profile records, and the automatic
//! one goes on afterwards, as if that time had not been.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use recorder::Shape;

use crate::output::Failure;
use crate::settings::Mode;
use crate::symbols::Wishes;
use crate::{functions, output, session, settings, zend};

/// How far this request's automatic profile is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// There is none, or it has been written.
    None,
    /// It runs.
    Running,
    /// The script's own profile runs.
    Yields,
}

thread_local! {
    static PROGRESS: Cell<Progress> = const { Cell::new(Progress::None) };
    /// What went wrong with a file that is written as the profile goes.
    static FAILURE: Failure = Failure::default();
}

/// RINIT: begins the profile if the settings say so.
pub(crate) fn request_starts() {
    PROGRESS.set(Progress::None);
    if !settings::auto_enable() {
        return;
    }
    let wishes = Wishes {
        places: true,
        ..functions::wishes(HashSet::new())
    };
    let flags = settings::flags();
    match settings::mode() {
        Mode::Edges => session::start_tracing(Shape::Edges, flags, wishes),
        Mode::Tree => session::start_tracing(Shape::Tree, flags, wishes),
        Mode::Events => session::start_events(flags, wishes, FAILURE.with(Rc::clone)),
        Mode::Sample => session::start_sampling(wishes),
    }
    if session::is_running() {
        PROGRESS.set(Progress::Running);
        if zend::sapi_name() == "cli" {
            zend::signals::catch(write);
        }
    }
}

/// Whether what runs is the automatic profile.
pub(crate) fn is_running() -> bool {
    PROGRESS.get() == Progress::Running
}

/// The script begins a profile of its own: makes room for it.
pub(crate) fn yields() {
    if is_running() && session::set_aside() {
        PROGRESS.set(Progress::Yields);
    }
}

/// The script has ended its own profile, or could not begin it.
pub(crate) fn goes_on() {
    if PROGRESS.get() == Progress::Yields {
        session::take_up();
        PROGRESS.set(Progress::Running);
    }
}

/// RSHUTDOWN: ends whatever still runs; writes what we began.
pub(crate) fn request_ends() {
    write();
    zend::signals::stop_catching();
}

fn write() {
    // What the script began and did not end is nobody's.
    if PROGRESS.get() == Progress::Yields {
        session::stop();
        goes_on();
    }
    let recorded = session::stop();
    let recorded = match PROGRESS.replace(Progress::None) {
        Progress::Running => recorded,
        _ => None,
    };
    let outcome = recorded.map_or(Ok(()), output::write_file);
    let failure = FAILURE.with(|failure| failure.take());
    if let Some(error) = outcome.err().or(failure) {
        zend::warning(&format!("{error:#}"));
    }
}
