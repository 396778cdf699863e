//! Profiles that a program begins and ends itself: `xhprof_enable()`, then
//! `xhprof_disable()` for the array or `xhprof_write()` for a file.
//!
//! **Invariant:** what is said of such a profile, and its file of call events,
//! end with it, whoever ends it.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Error, Result, bail};
use recorder::Shape;

use crate::options::Options;
use crate::output::{self, Fate, Target};
use crate::session::Recorded;
use crate::settings::Flags;
use crate::symbols::{Details, Wishes};
use crate::{autostart, session};

thread_local! {
    /// Of the running profile's file, if its calls are written one by one.
    static FATE: RefCell<Option<Rc<Fate>>> = const { RefCell::new(None) };
}

/// Begins a profile; does nothing if one runs.
pub(crate) fn begin(flags: Flags, wishes: Wishes, options: Options) -> Result<()> {
    if session::is_running() {
        return Ok(());
    }
    if options.shape == Shape::Events {
        // A file is begun before the profile ends.
        output::choose_place_if_none()?;
    }
    output::begin_saying(options.said);
    match options.shape {
        Shape::Events => {
            let fate = Rc::new(Fate::of_program());
            let wishes = beside_names(wishes);
            session::start_events(flags, wishes, Rc::clone(&fate));
            FATE.set(session::is_running().then_some(fate));
        }
        Shape::Tree => session::start_tracing(Shape::Tree, flags, wishes),
        Shape::Edges => session::start_tracing(Shape::Edges, flags, wishes),
    }
    if !session::is_running() {
        output::end_saying();
    }
    Ok(())
}

/// A native file has another place than names for what calls wait for.
fn beside_names(wishes: Wishes) -> Wishes {
    let details = match wishes.details {
        Details::InNames => Details::Spans,
        other => other,
    };
    Wishes {
        details,
        places: true,
        ..wishes
    }
}

/// Ends the running profile for an array; none if there is none.
pub(crate) fn end() -> Option<Result<Recorded>> {
    let recorded = match FATE.take() {
        None => session::stop().map(Ok),
        Some(fate) => end_events(&fate).transpose(),
    };
    over();
    recorded
}

fn end_events(fate: &Fate) -> Result<Option<Recorded>> {
    fate.stays_partial.set(true);
    let ended = session::stop();
    let path = fate.written_to.take();
    if let Some(error) = fate.failure.take() {
        // Best effort: the first error is the one to tell.
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

/// Ends the running profile and writes it; says where it is.
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
    let outcome = match FATE.take() {
        None => {
            let recorded = session::stop();
            target.and_then(|target| {
                target.write(recorded.ok_or_else(|| Error::msg("nothing was recorded"))?)
            })
        }
        Some(fate) => target.and_then(|target| target.tell(&fate)).map_or_else(
            |error| {
                fate.is_unwanted.set(true);
                session::stop();
                Err(error)
            },
            |()| write_events(&fate),
        ),
    };
    over();
    outcome
}

fn write_events(fate: &Fate) -> Result<PathBuf> {
    session::stop();
    if let Some(error) = fate.failure.take() {
        return Err(error);
    }
    let written = fate.written_to.take();
    written.ok_or_else(|| Error::msg("the call events are lost"))
}

/// The request ends: what the program has not ended is dropped.
pub(crate) fn forget() {
    if let Some(fate) = FATE.take() {
        fate.is_unwanted.set(true);
    }
    output::end_saying();
}

fn over() {
    output::end_saying();
    autostart::goes_on();
}
