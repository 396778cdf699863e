//! Asks the store, and changes it, on threads that may wait, with the permits of `admission`.

use std::sync::Arc;

use store::{CancelToken, Store};

use crate::admission::work::{CancelOnDrop, run_blocking};
use crate::problem::Problem;
use crate::state::State;

/// Asks the store on a thread that may wait, and cancels it when its client leaves. The
/// questions are taken [together](Store::query_session).
pub(crate) async fn ask<T: Send + 'static>(
    state: &Arc<State>,
    question: impl FnOnce(&dyn Store) -> store::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let waiting = CancelOnDrop(CancelToken::default());
    let cancel = waiting.0.clone();
    let store = Arc::clone(&state.config.store);
    let work = move || {
        cancel.run(|| {
            let of_moment = store.query_session();
            question(of_moment.as_deref().unwrap_or(&*store))
        })
    };
    Ok(run_blocking(&state.admission.query_slots, work).await??)
}

/// Changes something in the store: that goes on if the client leaves.
pub(crate) async fn change<T: Send + 'static>(
    state: &State,
    change: impl FnOnce(&dyn Store) -> store::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let store = Arc::clone(&state.config.store);
    let work = move || change(&*store);
    Ok(run_blocking(&state.admission.change_slots, work).await??)
}

/// Looks up a token, beside the questions of pages, which may wait for each other.
pub(crate) async fn look_up<T: Send + 'static>(
    state: &State,
    question: impl FnOnce(&dyn Store) -> store::Result<T> + Send + 'static,
) -> Result<T, Problem> {
    let waiting = CancelOnDrop(CancelToken::default());
    let cancel = waiting.0.clone();
    let store = Arc::clone(&state.config.store);
    let work = move || cancel.run(|| question(&*store));
    Ok(run_blocking(&state.admission.lookup_slots, work).await??)
}
