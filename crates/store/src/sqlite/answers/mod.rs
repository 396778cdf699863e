//! Answers about many runs, one question a file.

mod calls;
mod days;
mod differences;
mod function;
mod functions;
mod hours;
mod requests;
mod spans;

pub(super) use calls::tree;
pub(super) use days::{function_days, route_days};
pub(super) use differences::diff;
pub(super) use function::{function, function_trend};
pub(super) use functions::top;
pub(super) use hours::hours;
pub(super) use requests::{releases, request_trend, requests, routes};
pub(super) use spans::spans;
