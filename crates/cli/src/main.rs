//! The program `xhprof`: profiles PHP programs and shows where their time went.
//!
//! Each command is a module; this file parses the command line, hands over, and
//! turns what comes back into an exit code and, at most, one line of error.

#![forbid(unsafe_code)]

mod args;
mod doctor;
mod extension;
mod output;
mod php;
mod report;
mod run;
mod terminal;
mod units;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Report(arguments) => report::run(&arguments).map(|()| 0),
        Command::Doctor(arguments) => doctor::run(&arguments),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        // `xhprof report … | head`: who reads has read enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
