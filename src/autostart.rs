//! Profiles that nobody asks for in code: `xhprof.auto_enable`.
//!
//! The profile runs from before the first line of the script to after the last
//! destructor, and is written at the end of the request. A script that profiles
//! itself has the same functions as ever; the automatic profile then ends where
//! the script takes over with `xhprof_disable()`.

use std::cell::Cell;
use std::collections::HashSet;

use crate::{functions, output, session, settings, zend};

thread_local! {
    static STARTED: Cell<bool> = const { Cell::new(false) };
}

/// RINIT: begins the profile if the settings say so.
pub(crate) fn request_starts() {
    STARTED.set(false);
    if !settings::auto_enable() {
        return;
    }
    session::start_tracing(settings::flags(), functions::wishes(HashSet::new()));
    if session::is_running() {
        STARTED.set(true);
        if zend::sapi_name() == "cli" {
            zend::signals::catch(write);
        }
    }
}

/// RSHUTDOWN: ends whatever still runs; writes it if we began it.
pub(crate) fn request_ends() {
    write();
    zend::signals::stop_catching();
}

fn write() {
    let is_ours = STARTED.take();
    let Some(recorded) = session::stop() else {
        return;
    };
    if is_ours && let Err(error) = output::write_file(&recorded) {
        zend::warning(&format!("{error:#}"));
    }
}
