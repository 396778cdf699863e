//! Profiles that nobody asks for in code: `xhprof.auto_enable`.
//!
//! The profile runs from before the first line of the script to after the last
//! destructor, and is written at the end of the request. A script that profiles
//! itself finds its own functions working as ever: its `xhprof_enable()` does
//! nothing while the automatic profile runs, its `xhprof_disable()` ends that
//! and returns it; what was returned is what is written. Profiles that the
//! script begins after that are the script's alone.

mod choice;
mod keep;
mod patterns;
mod trigger;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use recorder::Shape;

use crate::output::Fate;
use crate::session::Recorded;
use crate::settings::Mode;
use crate::symbols::Wishes;
use crate::trouble::{self, Trouble};
use crate::{functions, output, session, settings, zend};

use choice::Reason;

/// How far this request's automatic profile is.
enum Progress {
    /// There is none, or it has been written.
    None,
    /// It runs.
    Running(Begun),
    /// The script ended it.
    Ended(Begun, Recorded),
}

/// When a profile began, and why.
#[derive(Clone, Copy)]
struct Begun {
    at: Instant,
    reason: Reason,
}

thread_local! {
    static PROGRESS: RefCell<Progress> = const { RefCell::new(Progress::None) };
    /// Of a file that is written as the profile goes.
    static FATE: Rc<Fate> = Rc::default();
}

/// RINIT: begins the profile if the settings say so.
pub(crate) fn request_starts() {
    PROGRESS.set(Progress::None);
    let Some(reason) = choice::this_request() else {
        return;
    };
    // Told here, for the log: nobody who asked for a page wants to read it.
    if let Err(problem) = session::engine_in_use() {
        trouble::tell(Trouble::Engine, &format!("nothing is recorded: {problem}"));
        return;
    }
    if let Err(problem) = output::choose_place() {
        trouble::tell(
            Trouble::Output,
            &format!("nothing is recorded: {problem:#}"),
        );
        return;
    }
    // For what is said of the request at its end.
    zend::fill_server_variables();
    let wishes = Wishes {
        places: true,
        ..functions::wishes(settings::ignored_functions())
    };
    let at = Instant::now();
    let flags = settings::flags();
    match settings::mode() {
        Mode::Edges => session::start_tracing(Shape::Edges, flags, wishes),
        Mode::Tree => session::start_tracing(Shape::Tree, flags, wishes),
        Mode::Events => session::start_events(flags, wishes, FATE.with(Rc::clone)),
    }
    if session::is_running() {
        PROGRESS.set(Progress::Running(Begun { at, reason }));
        if zend::sapi_name() == "cli" {
            zend::signals::catch(write);
        }
    }
}

/// The script ended a session; keeps what it recorded if we began it.
pub(crate) fn session_ended(recorded: &Recorded) {
    PROGRESS.with_borrow_mut(|progress| {
        if let Progress::Running(begun) = *progress {
            *progress = Progress::Ended(begun, recorded.clone());
        }
    });
}

/// RSHUTDOWN: ends whatever still runs; writes what we began.
pub(crate) fn request_ends() {
    write();
    output::forget_tags();
    zend::signals::stop_catching();
}

fn write() {
    let progress = PROGRESS.replace(Progress::None);
    let is_wanted = match &progress {
        Progress::None => false,
        Progress::Running(begun) | Progress::Ended(begun, _) => {
            begun.reason == Reason::Asked || keep::is_worth_it(begun.at.elapsed())
        }
    };
    let fate = FATE.with(Rc::clone);
    fate.is_unwanted.set(!is_wanted);
    let unfinished = session::stop();
    let recorded = match progress {
        Progress::None => None,
        Progress::Running(_) => unfinished,
        Progress::Ended(_, recorded) => Some(recorded),
    };
    let recorded = recorded.filter(|_| is_wanted);
    let outcome = recorded.map_or(Ok(()), output::write_file);
    let failure = fate.failure.take();
    if let Some(error) = outcome.err().or(failure) {
        trouble::tell(Trouble::Output, &format!("{error:#}"));
    }
}
