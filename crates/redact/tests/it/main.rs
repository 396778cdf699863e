//! What is removed from a text, from outside.

mod amount;
mod redact;
