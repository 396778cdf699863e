//! Profiles that nobody asks for in code: `xhprof.auto_enable`.
//!
//! The profile runs from before the first line of the script to after the last
//! destructor, and is written at the end of the request. A script that profiles
//! itself finds its own functions working as ever: its `xhprof_enable()` does
//! nothing while the automatic profile runs, its `xhprof_disable()` ends that
//! and returns it; what was returned is what is written. Profiles that the
//! script begins after that are the script's alone.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use recorder::Shape;

use crate::output::Failure;
use crate::session::Recorded;
use crate::settings::Mode;
use crate::symbols::Wishes;
use crate::{functions, output, session, settings, zend};

/// How far this request's automatic profile is.
enum Progress {
    /// There is none, or it has been written.
    None,
    /// It runs.
    Running,
    /// The script ended it.
    Ended(Recorded),
}

thread_local! {
    static PROGRESS: RefCell<Progress> = const { RefCell::new(Progress::None) };
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

/// The script ended a session; keeps what it recorded if we began it.
pub(crate) fn session_ended(recorded: &Recorded) {
    PROGRESS.with_borrow_mut(|progress| {
        if matches!(progress, Progress::Running) {
            *progress = Progress::Ended(recorded.clone());
        }
    });
}

/// RSHUTDOWN: ends whatever still runs; writes what we began.
pub(crate) fn request_ends() {
    write();
    zend::signals::stop_catching();
}

fn write() {
    let unfinished = session::stop();
    let recorded = match PROGRESS.replace(Progress::None) {
        Progress::None => None,
        Progress::Running => unfinished,
        Progress::Ended(recorded) => Some(recorded),
    };
    let outcome = recorded.map_or(Ok(()), output::write_file);
    let failure = FAILURE.with(|failure| failure.take());
    if let Some(error) = outcome.err().or(failure) {
        zend::warning(&format!("{error:#}"));
    }
}
