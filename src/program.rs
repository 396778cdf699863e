//! Profiles that a program begins and ends itself: `xhprof_enable()`, then
//! `xhprof_disable()` for the array or `xhprof_write()` for a file.
//!
//! **Invariant:** the annotations of such a profile and its file of call events
//! end with it, on every path.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Error, Result, bail};
use recorder::Shape;

use crate::naming::{Details, NamingOptions};
use crate::options::Options;
use crate::output::{self, EventFile, FileOutcome, Target};
use crate::session::Recorded;
use crate::settings::Flags;
use crate::{autostart, session};

thread_local! {
    /// The outcome of the running profile's file of call events.
    static FILE_OUTCOME: RefCell<Option<Rc<FileOutcome>>> = const { RefCell::new(None) };
}

/// Begins a profile; does nothing if one runs.
pub(crate) fn begin(flags: Flags, naming: NamingOptions, options: Options) -> Result<()> {
    if session::is_running() {
        return Ok(());
    }
    if options.shape == Shape::Events {
        // The file is created while the profile runs.
        output::choose_place_if_none()?;
    }
    output::begin_annotations(options.annotations);
    let outcome = begin_recording(options.shape, flags, naming);
    if !session::is_running() {
        output::end_annotations();
    }
    outcome
}

fn begin_recording(shape: Shape, flags: Flags, naming: NamingOptions) -> Result<()> {
    // An earlier profile's, that ended with its request.
    FILE_OUTCOME.set(None);
    match shape {
        Shape::Events => {
            let file_outcome = Rc::new(FileOutcome::of_program());
            file_outcome.ask()?;
            session::start_events(flags, for_a_file(naming, true), |source| {
                Box::new(EventFile::new(source, Rc::clone(&file_outcome)))
            });
            FILE_OUTCOME.set(session::is_running().then_some(file_outcome));
        }
        Shape::Tree => {
            let naming = for_a_file(naming, output::has_place_for_spans());
            session::start_tracing(Shape::Tree, flags, naming);
        }
        Shape::Edges => session::start_tracing(Shape::Edges, flags, naming),
    }
    Ok(())
}

/// The naming options of a profile for a file, which can hold more than an array.
fn for_a_file(naming: NamingOptions, has_place_for_spans: bool) -> NamingOptions {
    let details = match naming.details {
        Details::InNames if has_place_for_spans => Details::Spans,
        other => other,
    };
    NamingOptions {
        details,
        ..naming.for_a_file()
    }
}

/// Ends the running profile for an array; none if there is none.
pub(crate) fn end() -> Option<Result<Recorded>> {
    let recorded = match FILE_OUTCOME.take() {
        None => session::stop().map(Ok),
        Some(file_outcome) => end_events(&file_outcome).transpose(),
    };
    over();
    recorded
}

fn end_events(file_outcome: &FileOutcome) -> Result<Option<Recorded>> {
    file_outcome.stays_partial.set(true);
    file_outcome.ask_at_end();
    let ended = session::stop();
    let path = file_outcome.written_to.take();
    if let Some(error) = file_outcome.failure.take() {
        // Best effort: the first error is reported.
        let _ = path.map(std::fs::remove_file);
        return Err(error);
    }
    match (ended, path) {
        (Some(_), Some(path)) => {
            let profile = output::read_events(&path)?;
            Ok(Some(Recorded::Tree(Box::new(profile))))
        }
        _ => Ok(None),
    }
}

/// Ends the running profile and writes it; returns its path.
pub(crate) fn write(path: Option<&[u8]>) -> Result<PathBuf> {
    if autostart::is_running() {
        bail!(
            "only the automatic profile is running, which is written when the request ends; \
             call xhprof_enable() first"
        );
    }
    if !session::is_running() {
        bail!("nothing is being recorded; call xhprof_enable() first");
    }
    let target = output::choose_place_if_none().map(|()| Target::of(path));
    let outcome = match FILE_OUTCOME.take() {
        None => {
            let recorded = session::stop();
            target.and_then(|target| {
                target.write(recorded.ok_or_else(|| Error::msg("nothing was recorded"))?)
            })
        }
        Some(file_outcome) => target
            .and_then(|target| target.set_destination(&file_outcome))
            .map_or_else(
                |error| {
                    file_outcome.is_discarded.set(true);
                    session::stop();
                    Err(error)
                },
                |()| write_events(&file_outcome),
            ),
    };
    over();
    outcome
}

fn write_events(file_outcome: &FileOutcome) -> Result<PathBuf> {
    file_outcome.ask_at_end();
    session::stop();
    if let Some(error) = file_outcome.failure.take() {
        return Err(error);
    }
    let written = file_outcome.written_to.take();
    written.ok_or_else(|| Error::msg("the call events are lost"))
}

fn over() {
    output::end_annotations();
    autostart::resume();
}
