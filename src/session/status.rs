//! The state of the profile that runs, for `xhprof_status()`.

use recorder::Shape;

use crate::engine::{Session, with_state};
use crate::naming::Symbols;

/// The data of `xhprof_status()`.
pub(crate) struct Status {
    /// The mode: `off`, `edges`, `tree`, `events` or `sample`.
    pub(crate) mode: &'static str,
    pub(crate) is_paused: bool,
    /// The number of functions that have been called.
    pub(crate) functions: usize,
    /// The number of recorded edges, call paths or sampled stacks.
    pub(crate) nodes: usize,
    /// The functions and files that were compared with patterns to leave out.
    pub(crate) compared: usize,
    pub(crate) is_truncated: bool,
}

/// The status of this thread's profile.
pub(crate) fn status() -> Status {
    with_state(|state| {
        let active = &state.active;
        let (recorder, sampling) = (&active.recorder, active.sampling());
        let is_sampling_paused = sampling
            .and_then(|sampling| sampling.session.as_ref())
            .is_some_and(Session::is_paused);
        let (mode, is_paused, nodes, is_truncated) = match (&active.running, sampling) {
            (None, _) => ("off", false, 0, false),
            (Some(_), Some(sampling)) => (
                "sample",
                is_sampling_paused,
                sampling.sampler.stacks(),
                sampling.sampler.is_truncated(),
            ),
            (Some(_), None) => {
                let mode = match recorder.shape() {
                    Shape::Edges => "edges",
                    Shape::Tree => "tree",
                    Shape::Events => "events",
                };
                let is_truncated = recorder.is_truncated();
                (mode, recorder.is_paused(), recorder.nodes(), is_truncated)
            }
        };
        let symbols = active.symbols();
        let names = symbols.map_or(0, |symbols| symbols.names().symbols().len());
        let is_cut = symbols.is_some_and(|symbols| symbols.names().is_cut());
        Status {
            mode,
            is_paused,
            // `main()` and `[truncated]` are no functions.
            functions: names.saturating_sub(2),
            nodes,
            compared: symbols.map_or(0, Symbols::compared),
            is_truncated: is_truncated || is_cut,
        }
    })
}
