//! The server as its clients see it, without a socket.

#![expect(
    clippy::unwrap_used,
    reason = "clippy takes the helpers of a test for no tests"
)]

mod access;
mod admission;
mod batches;
mod classic;
mod description;
mod leaks;
mod pages;
mod policies;
mod questions;
mod quotas;
mod server;
mod sites;
mod tokens;
mod traces;
mod uploads;
