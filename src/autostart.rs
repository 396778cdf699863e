//! Profiles that nobody asks for in code: `xhprof.auto_enable`.
//!
//! The profile runs from before the first line of the script to after the last
//! destructor, and is written at the end of the request. A script that profiles
//! itself finds its own functions working as ever, as if there were no automatic
//! profile: that yields. From the script's `xhprof_enable()` to its
//! `xhprof_disable()` only the script's own profile records. The automatic one
//! goes on afterwards, with one call of `[profiled by the program]` for that time.

mod announce;
mod choice;
mod decision;
mod keep;
mod trigger;

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use recorder::Shape;

use crate::log_throttled::{Problem, log_throttled};
use crate::output::{Fate, Written};
use crate::settings::{ClosureNames, Mode, OutputFormat};
use crate::symbols::{Details, Wishes};
use crate::{functions, output, program, session, settings, zend};

pub(crate) use decision::Decision;
use decision::{Reason, Rule};

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
    /// What was decided of this request.
    static DECISION: RefCell<Decision> = const { RefCell::new(Decision::NotProfiled(Rule::Off)) };
    /// `xhprof.debug` has had its line for this request.
    static IS_LOGGED: Cell<bool> = const { Cell::new(false) };
}

/// What became of a profile that was begun.
enum Outcome {
    Written(PathBuf),
    TooShort,
    DirectoryFull,
    Failed(String),
    /// It recorded nothing that could be written.
    Nothing,
}

/// RINIT: begins the profile if the settings say so.
pub(crate) fn request_starts() {
    PROGRESS.set(Progress::None);
    IS_LOGGED.set(false);
    zend::note_fatal_error(false);
    zend::response::set_header(None);
    let mut decision = choice::this_request();
    if let Decision::Profiled(reason) = decision
        && let Err(problem) = begin(reason)
    {
        decision = Decision::NotProfiled(Rule::Problem(problem));
    }
    DECISION.set(decision);
}

/// What was decided about this request.
pub(crate) fn decision() -> String {
    DECISION.with_borrow(Decision::to_string)
}

/// Begins the profile; says why if that is not possible.
fn begin(reason: Reason) -> Result<(), String> {
    let log = |kind, problem: &str| log_throttled(kind, &format!("nothing is recorded: {problem}"));
    // Said here, for the log: it does not belong on the page.
    if let Some(problem) = session::problem(settings::mode()) {
        log(Problem::Engine, problem);
        return Err(problem.to_owned());
    }
    let run_id = output::choose_place().and_then(|()| output::choose_run_id());
    let run_id = run_id.map_err(|problem| {
        let problem = format!("{problem:#}");
        log(Problem::Output, &problem);
        problem
    })?;
    // For what is said of the request at its end.
    zend::fill_server_variables();
    let mut wishes = Wishes {
        places: true,
        // What is written is read by our own programs, which want to know.
        closures: settings::closure_names() != ClosureNames::Plain,
        ..functions::wishes(settings::ignored_functions())
    };
    let flags = choice::flags(reason);
    if flags.sql && wishes.details == Details::None {
        wishes.details = Details::InNames;
    }
    // XHProf's arrays have no other place for them than names.
    if wishes.details == Details::InNames && output::has_automatic_place_for_spans() {
        wishes.details = Details::Spans;
    }
    let at = Instant::now();
    match settings::mode() {
        Mode::Edges => session::start_tracing(Shape::Edges, flags, wishes),
        Mode::Tree => session::start_tracing(Shape::Tree, flags, wishes),
        Mode::Events => session::start_events(flags, wishes, FATE.with(Rc::clone)),
        Mode::Sample => {
            let for_array = output::automatic_format() != OutputFormat::Native;
            session::start_sampling(wishes, for_array);
        }
    }
    if !session::is_running() {
        return Err("the profile could not be started".to_owned());
    }
    PROGRESS.set(Progress::Running(Begun { at, reason }));
    if zend::is_command_line() {
        announce::note_standard_error();
    } else if reason == Reason::Trigger {
        zend::response::set_header(Some(&format!("X-Xhprof-Run: {run_id}")));
    }
    if zend::sapi_name() == "cli" {
        zend::signals::catch(end_profile);
    }
    Ok(())
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
    end_profile();
    output::forget_tags();
    output::forget_place();
    zend::signals::stop_catching();
}

/// When nothing of the request is left: its answer has been sent.
pub(crate) fn request_is_over() {
    zend::response::set_header(None);
}

/// Ends the profile if there is one, and says what came of the request.
fn end_profile() {
    // What the script began and did not end is nobody's.
    program::forget();
    if matches!(PROGRESS.get(), Progress::Yields(_)) {
        session::stop();
        goes_on();
    }
    let begun = match PROGRESS.replace(Progress::None) {
        Progress::Running(begun) => Some(begun),
        _ => None,
    };
    let outcome = begun.map(write);
    if begun.is_none() {
        session::stop();
    }
    output::forget_run_id();
    if !matches!(outcome, None | Some(Outcome::Written(_))) {
        // Unless it has been sent already.
        zend::response::set_header(None);
    }
    if let (Some(begun), Some(Outcome::Written(path))) = (begun, &outcome)
        && begun.reason.is_asked()
        && zend::is_command_line()
    {
        announce::written(begun.reason, path);
    }
    if settings::debug() && !IS_LOGGED.replace(true) {
        log_decision(outcome);
    }
}

/// Ends the automatic profile, and writes it if that is wanted.
fn write(begun: Begun) -> Outcome {
    let is_wanted = begun.reason.is_asked() || keep::is_worth_it(begun.at.elapsed());
    let fate = FATE.with(Rc::clone);
    fate.is_unwanted.set(!is_wanted);
    let recorded = session::stop();
    let failure = fate.failure.take();
    let event_file = fate.written_to.take();
    if !is_wanted {
        return Outcome::TooShort;
    }
    let outcome = recorded.map_or(Ok(Written::Nothing), output::write_file);
    match (outcome, failure) {
        (Err(error), _) | (_, Some(error)) => {
            let problem = format!("{error:#}");
            log_throttled(Problem::Output, &problem);
            Outcome::Failed(problem)
        }
        (Ok(Written::To(path)), None) => Outcome::Written(path),
        (Ok(Written::Full), None) => Outcome::DirectoryFull,
        (Ok(Written::Nothing), None) => event_file.map_or(Outcome::Nothing, Outcome::Written),
    }
}

/// The one line of `xhprof.debug`.
fn log_decision(outcome: Option<Outcome>) {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let request = match (zend::request_method(), zend::request_path()) {
        (Some(method), Some(path)) => format!("{} {}", text(method), text(path)),
        _ => zend::script_path().map_or_else(|| "a request".to_owned(), text),
    };
    let outcome = match outcome {
        None => String::new(),
        Some(Outcome::Written(path)) => format!("; written to {}", path.display()),
        Some(Outcome::TooShort) => "; not written: xhprof.min_duration".to_owned(),
        Some(Outcome::DirectoryFull) => "; not written: xhprof.max_dir_size".to_owned(),
        Some(Outcome::Failed(problem)) => format!("; not written: {problem}"),
        Some(Outcome::Nothing) => "; not written: nothing was recorded".to_owned(),
    };
    zend::log(&format!("xhprof: {request}: {}{outcome}", decision()));
}
