//! Which functions are recorded, under which names, and what is kept of the texts of their
//! calls.

pub mod details;
pub mod exclusions;
pub mod functions;
pub mod names;
pub mod redaction;
pub mod templates;
