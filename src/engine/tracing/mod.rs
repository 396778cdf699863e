//! What the hooks of both engines share while they trace: which symbol a call has, how its
//! frame is marked, what is read, and whose call ends.

pub(super) mod call_line;
pub(super) mod ends;
pub(super) mod lookup;
pub(super) mod marks;
pub(super) mod plan;
