//! What a tracing recording measures.

use recorder::Shape;

use crate::clock::Clock;

/// What the hooks of one recording measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measure {
    /// The clocks.
    pub(crate) clock: Clock,
    /// CPU time too.
    pub(crate) cpu: bool,
    /// Memory and peak too.
    pub(crate) memory: bool,
    /// How calls are stored.
    pub(crate) shape: Shape,
    /// Trees and events also have the lines of calls.
    pub(crate) lines: bool,
    /// Internal functions too.
    pub(crate) builtins: bool,
}
