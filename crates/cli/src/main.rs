//! The everyday program `xhprof`. Its code is in the library, which `xhprof-server` uses, too.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
