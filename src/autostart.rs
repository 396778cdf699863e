//! Profiles that nobody asks for in code: `xhprof.auto_enable`.
//!
//! The profile runs from before the first line of the script to after the last
//! destructor, and is written at the end of the request. A script that profiles
//! itself finds its own functions working as ever, as if there were no automatic
//! profile: that yields. From the script's `xhprof_enable()` to its
//! `xhprof_disable()` only the script's own profile records, and the automatic
//! one goes on afterwards, as if that time had not been.

mod choice;
mod keep;
mod patterns;
mod trigger;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use recorder::Shape;

use crate::output::Fate;
use crate::settings::{ClosureNames, Mode};
use crate::symbols::{Details, Wishes};
use crate::trouble::{self, Trouble};
use crate::{functions, output, session, settings, zend};

use choice::Reason;

/// How far this request's automatic profile is.
#[derive(Clone, Copy)]
enum Progress {
    /// There is none, or it has been written.
    None,
    /// It runs.
    Running(Begun),
    /// The script's own profile runs.
    Yields(Begun),
}

/// When a profile began, and why.
#[derive(Clone, Copy)]
struct Begun {
    at: Instant,
    reason: Reason,
}

thread_local! {
    static PROGRESS: Cell<Progress> = const { Cell::new(Progress::None) };
    /// Of a file that is written as the profile goes.
    static FATE: Rc<Fate> = Rc::default();
}

/// RINIT: begins the profile if the settings say so.
pub(crate) fn request_starts() {
    PROGRESS.set(Progress::None);
    zend::note_fatal_error(false);
    let Some(reason) = choice::this_request() else {
        return;
    };
    // Told here, for the log: nobody who asked for a page wants to read it.
    if let Some(problem) = session::problem(settings::mode()) {
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
    let mut wishes = Wishes {
        places: true,
        // What is written is read by our own programs, which want to know.
        closures: settings::closure_names() != ClosureNames::Plain,
        ..functions::wishes(settings::ignored_functions())
    };
    // XHProf's arrays have no other place for them than names.
    if wishes.details == Details::InNames && output::has_place_for_spans() {
        wishes.details = Details::Spans;
    }
    let at = Instant::now();
    let flags = settings::flags();
    match settings::mode() {
        Mode::Edges => session::start_tracing(Shape::Edges, flags, wishes),
        Mode::Tree => session::start_tracing(Shape::Tree, flags, wishes),
        Mode::Events => session::start_events(flags, wishes, FATE.with(Rc::clone)),
        Mode::Sample => session::start_sampling(wishes),
    }
    if session::is_running() {
        PROGRESS.set(Progress::Running(Begun { at, reason }));
        if zend::sapi_name() == "cli" {
            zend::signals::catch(write);
        }
    }
}

/// Whether what runs is the automatic profile.
pub(crate) fn is_running() -> bool {
    matches!(PROGRESS.get(), Progress::Running(_))
}

/// The script begins a profile of its own: makes room for it.
pub(crate) fn yields() {
    if let Progress::Running(begun) = PROGRESS.get()
        && session::set_aside()
    {
        PROGRESS.set(Progress::Yields(begun));
    }
}

/// The script has ended its own profile, or could not begin it.
pub(crate) fn goes_on() {
    if let Progress::Yields(begun) = PROGRESS.get() {
        session::take_up();
        PROGRESS.set(Progress::Running(begun));
    }
}

/// RSHUTDOWN: ends whatever still runs; writes what we began.
pub(crate) fn request_ends() {
    write();
    output::forget_tags();
    output::forget_place();
    zend::signals::stop_catching();
}

fn write() {
    // What the script began and did not end is nobody's.
    if matches!(PROGRESS.get(), Progress::Yields(_)) {
        session::stop();
        goes_on();
    }
    let is_wanted = match PROGRESS.replace(Progress::None) {
        Progress::Running(begun) => {
            begun.reason == Reason::Asked || keep::is_worth_it(begun.at.elapsed())
        }
        _ => false,
    };
    let fate = FATE.with(Rc::clone);
    fate.is_unwanted.set(!is_wanted);
    let recorded = session::stop().filter(|_| is_wanted);
    let outcome = recorded.map_or(Ok(()), output::write_file);
    let failure = fate.failure.take();
    if let Some(error) = outcome.err().or(failure) {
        trouble::tell(Trouble::Output, &format!("{error:#}"));
    }
}
