//! Automatic profiles, which the settings start: `xhprof.auto_enable`.
//!
//! The profile runs from before the first line of the script to after the last
//! destructor, and is written at the end of the request. A script that profiles
//! itself works as without an automatic profile: `xhprof_enable()` suspends the
//! automatic one, and `xhprof_disable()` resumes it. One call of
//! `[profiled by the program]` stands for the time in between.

mod announce;
mod choice;
mod decision;
mod keep;
mod remote;
mod timing;
mod trigger;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use recorder::Shape;

use crate::engine;
use crate::log_throttled::{Problem, log_throttled};
use crate::naming::{Details, NamingOptions};
use crate::output::{Chosen, EventFile, FileOutcome, Written};
use crate::settings::{Flags, Mode, OutputFormat};
use crate::{output, session, settings, zend};

pub(crate) use decision::Decision;
use decision::{Reason, Rule};

/// When a profile began, and why.
#[derive(Clone, Copy)]
struct Begun {
    at: Instant,
    reason: Reason,
}

thread_local! {
    /// The automatic profile, until it is written. It is suspended while the script's
    /// own profile records.
    static BEGUN: Cell<Option<Begun>> = const { Cell::new(None) };
    /// The outcome of the file that `xhprof.mode = events` writes.
    static FILE_OUTCOME: RefCell<Rc<FileOutcome>> = RefCell::default();
    /// Whether this request is profiled, and why.
    static DECISION: RefCell<Decision> = const { RefCell::new(Decision::NotProfiled(Rule::Off)) };
    /// The line of `xhprof.debug` was logged for this request.
    static IS_LOGGED: Cell<bool> = const { Cell::new(false) };
}

/// The result of an automatic profile.
enum Outcome {
    Written(PathBuf),
    TooShort,
    /// `xhprof attach --trace` has ended, or asks for other requests.
    NotAwaited,
    DirectoryFull,
    Failed(String),
    /// The profile recorded nothing that could be written.
    Nothing,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(path) => write!(f, "written to {}", path.display()),
            Self::TooShort => f.write_str("not written: xhprof.min_duration"),
            Self::NotAwaited => f.write_str("not written: xhprof attach has ended"),
            Self::DirectoryFull => f.write_str("not written: xhprof.max_dir_size"),
            Self::Failed(problem) => write!(f, "not written: {problem}"),
            Self::Nothing => f.write_str("not written: nothing was recorded"),
        }
    }
}

/// RINIT: begins the profile if the settings say so.
pub(crate) fn request_starts() {
    BEGUN.set(None);
    IS_LOGGED.set(false);
    zend::note_fatal_error(false);
    zend::response::set_header(None);
    let mut decision = choice::this_request();
    if let Decision::Profiled(reason) = decision
        && let Err(problem) = begin(reason)
    {
        if let Reason::Remote(asked) = reason {
            remote::answer(asked, Err(&problem));
        }
        decision = Decision::NotProfiled(Rule::Problem(problem));
    }
    DECISION.set(decision);
}

/// The decision about this request, in words.
pub(crate) fn decision() -> String {
    DECISION.with_borrow(Decision::to_string)
}

/// Begins the profile; returns the reason if that is not possible.
fn begin(reason: Reason) -> Result<(), String> {
    let log = |kind, problem: &str| log_throttled(kind, &format!("nothing is recorded: {problem}"));
    // Goes to the log: a warning would appear in the response.
    if let Some(problem) = session::problem(choice::mode(reason)) {
        log(Problem::Engine, problem);
        return Err(problem.to_owned());
    }
    let run_id = output::choose_place().and_then(|()| output::choose_run_id());
    let run_id = run_id.map_err(|problem| {
        let problem = format!("{problem:#}");
        log(Problem::Output, &problem);
        problem
    })?;
    output::note_chosen(match reason {
        Reason::Environment => Chosen::Surely,
        Reason::Trigger | Reason::Remote(_) => Chosen::ByTrigger,
        Reason::Rules => Chosen::ByChance(settings::value(&settings::RATE)),
    });
    // Needed when the request's metadata is collected at its end.
    zend::fill_server_variables();
    let mut naming = NamingOptions::of_settings(HashSet::new()).for_a_file();
    let flags = choice::flags(reason);
    // XHProf's arrays have no place for them but names, and names change only where
    // `xhprof.collect_additional_info` asks for it.
    let is_asked = flags.sql || naming.details == Details::InNames;
    if is_asked && output::has_automatic_place_for_spans() {
        naming.details = Details::Spans;
    }
    match choice::mode(reason) {
        Mode::Edges => session::start_tracing(Shape::Edges, flags, naming),
        Mode::Tree => session::start_tracing(Shape::Tree, flags, naming),
        Mode::Events => begin_events(flags, naming)?,
        Mode::Sample => {
            let for_array = output::automatic_format() != OutputFormat::Native;
            session::start_sampling(naming, for_array).inspect_err(|problem| {
                log(Problem::Engine, problem);
            })?;
        }
    }
    if !session::is_running() {
        return Err("the profile could not be started".to_owned());
    }
    // Not before: the first profile of a process calibrates its clock, which is not the request's time.
    let at = Instant::now();
    BEGUN.set(Some(Begun { at, reason }));
    if zend::is_command_line() {
        announce::note_standard_error();
    } else if reason == Reason::Trigger {
        zend::response::set_header(Some(&format!("X-Xhprof-Run: {run_id}")));
        zend::response::set_late_header(|line| match BEGUN.get() {
            Some(begun) => timing::write(line, begun.at.elapsed()),
            None => Err(std::fmt::Error),
        });
    }
    if zend::sapi_name() == "cli" {
        zend::signals::catch(end_profile, can_end_at_once);
    }
    Ok(())
}

fn begin_events(flags: Flags, naming: NamingOptions) -> Result<(), String> {
    let file_outcome = Rc::new(FileOutcome::default());
    file_outcome
        .ask()
        .map_err(|problem| format!("{problem:#}"))?;
    FILE_OUTCOME.set(Rc::clone(&file_outcome));
    session::start_events(flags, naming, |source| {
        Box::new(EventFile::new(source, file_outcome))
    });
    Ok(())
}

/// Whether the automatic profile is recording.
pub(crate) fn is_running() -> bool {
    BEGUN.get().is_some() && session::is_running() && !session::is_suspended()
}

/// Suspends the automatic profile: the script begins one of its own.
pub(crate) fn suspend() {
    if is_running() {
        session::suspend();
    }
}

/// Resumes the automatic profile: the script has ended its own profile, or
/// could not begin it.
pub(crate) fn resume() {
    session::resume_suspended();
}

/// RSHUTDOWN: ends every profile, and writes the automatic one.
pub(crate) fn request_ends() {
    engine::repair_after_bailout();
    zend::signals::note_writing();
    // Even if PHP bails out.
    zend::run_and_drop(RequestEnd, |_| end_profile());
}

/// Whether [`end_profile`] may be called while PHP waits in a system call: none of our
/// own code made the call.
fn can_end_at_once() -> bool {
    !engine::is_lent() && !output::is_writing_events() && zend::runs_others_code()
}

/// Forgets what belongs to the request when it is dropped.
struct RequestEnd;

impl Drop for RequestEnd {
    fn drop(&mut self) {
        output::forget_tags();
        output::forget_place();
        zend::signals::stop_catching();
    }
}

/// After RSHUTDOWN: the response has been sent.
pub(crate) fn request_is_over() {
    zend::response::set_header(None);
}

/// Ends the profile if there is one, and reports its outcome.
fn end_profile() {
    // PHP sends the headers of an empty answer after RSHUTDOWN.
    zend::response::make_late_header();
    // A profile that the script began and did not end is dropped.
    output::end_annotations();
    let begun = BEGUN.take();
    if begun.is_none() || session::is_suspended() {
        session::discard();
        resume();
    }
    let outcome = begun.map(write);
    if let (Some(Reason::Remote(asked)), Some(outcome)) =
        (begun.map(|begun| begun.reason), &outcome)
    {
        match outcome {
            Outcome::Written(path) => remote::answer(asked, Ok(path.as_os_str().as_bytes())),
            other => remote::answer(asked, Err(&other.to_string())),
        }
    }
    output::forget_run_id();
    if !matches!(outcome, None | Some(Outcome::Written(_))) {
        // Has no effect if the headers have been sent.
        zend::response::set_header(None);
    }
    if let (Some(begun), Some(Outcome::Written(path))) = (begun, &outcome)
        && begun.reason.is_explicit()
        && zend::is_command_line()
    {
        announce::written(begun.reason, path);
    }
    if settings::value(&settings::DEBUG) && !IS_LOGGED.replace(true) {
        log_decision(outcome);
    }
}

/// Ends the automatic profile, and writes it unless the settings discard it.
fn write(begun: Begun) -> Outcome {
    let is_wanted = match begun.reason {
        Reason::Remote(asked) => remote::is_awaited(asked),
        reason => reason.is_explicit() || keep::should_keep(begun.at.elapsed()),
    };
    let file_outcome = FILE_OUTCOME.take();
    file_outcome.is_discarded.set(!is_wanted);
    if is_wanted {
        file_outcome.ask_at_end();
    }
    let recorded = session::stop();
    let failure = file_outcome.failure.take();
    let event_file = file_outcome.written_to.take();
    if !is_wanted {
        return match begun.reason {
            Reason::Remote(_) => Outcome::NotAwaited,
            _ => Outcome::TooShort,
        };
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
    let outcome = outcome.map_or_else(String::new, |outcome| format!("; {outcome}"));
    zend::log(&format!("xhprof: {request}: {}{outcome}", decision()));
}
