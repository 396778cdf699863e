//! The everyday program `xhprof`: the library has all of it, and the server's half shares it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
