//! The agent, from outside.

mod answers;
