//! Asks the store, and changes it, on threads that may wait, with the permits of `admission`.

use std::sync::Arc;

use store::{Store, Wanted};

use crate::admission::work::{WhileWaiting, on_a_thread};
use crate::problem::Problem;
use crate::state::State;

/// Asks the store on a thread that may wait, as long as somebody waits for the answer. The
/// questions are taken [together](Store::query_session).
pub(crate) async fn ask<T: Send + 'static>(
    state: &Arc<State>,
    question: impl FnOnce(&dyn Store) -> store::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let waiting = WhileWaiting(Wanted::default());
    let wanted = waiting.0.clone();
    let store = Arc::clone(&state.config.store);
    let work = move || {
        wanted.during(|| {
            let of_moment = store.query_session();
            question(of_moment.as_deref().unwrap_or(&*store))
        })
    };
    Ok(on_a_thread(&state.admission.questions, work).await??)
}

/// Changes something in the store: that goes on if the client leaves.
pub(crate) async fn change<T: Send + 'static>(
    state: &State,
    change: impl FnOnce(&dyn Store) -> store::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let store = Arc::clone(&state.config.store);
    let work = move || change(&*store);
    Ok(on_a_thread(&state.admission.changes, work).await??)
}

/// Looks up a token, beside the questions of pages, which may wait for each other.
pub(crate) async fn look_up<T: Send + 'static>(
    state: &State,
    question: impl FnOnce(&dyn Store) -> store::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let waiting = WhileWaiting(Wanted::default());
    let wanted = waiting.0.clone();
    let store = Arc::clone(&state.config.store);
    let work = move || wanted.during(|| question(&*store));
    Ok(on_a_thread(&state.admission.lookups, work).await??)
}
