//! The program `xhprof`: profiles PHP programs and shows where their time went.
//!
//! Each command is a module. This file parses the command line, calls the
//! command, and turns its result into an exit code and at most one line of
//! error. The commands of a server are in `crates/server`, the program
//! `xhprof-server`, which uses the public modules: [`server`] starts it.
//!
//! [`args`] has the types of the command line; a command takes its arguments, and returns an
//! exit code or an error.
//!
//! ```
//! assert_eq!(cli::units::count(1_234_567), "1,234,567");
//! assert_eq!(cli::units::counted(2, "run"), "2 runs");
//! ```
//!
//! **Invariant:** no database, no TLS and no async runtime is behind this crate.

#![forbid(unsafe_code)]

mod annotate;
pub mod args;
mod attach;
mod check;
mod convert;
mod diff;
pub mod directory;
mod doctor;
mod export;
mod extension;
pub mod generate;
mod grep;
mod init;
pub mod input;
mod list;
pub mod mcp;
mod merge;
pub mod operand;
mod output;
pub mod pager;
mod php;
mod picture;
pub mod progress;
pub mod regressions;
mod report;
mod run;
pub mod server;
mod stacks;
mod suggest;
pub mod terminal;
mod typed;
mod users;
mod viewer;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::FromArgMatches;

use args::{Arguments, Command};
pub use view::units;

/// The program: does what the command line says.
#[must_use]
pub fn run() -> ExitCode {
    let line: Vec<OsString> = std::env::args_os().collect();
    if server::is_for_it(&line) {
        return ended(server::start(&line));
    }
    let matches = server::with_its_commands(args::own_commands()).try_get_matches_from(&line);
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => {
            let Some(suggestion) = typed::suggested_command(&error, &line) else {
                error.exit()
            };
            terminal::say(&format!("error: {suggestion}"));
            return ExitCode::from(2);
        }
    };
    let command = arguments.command;
    input::set_memory(command.memory());
    let outcome = match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Attach(arguments) => attach::run(&arguments).map(|()| 0),
        Command::Top(arguments) => attach::top(&arguments).map(|()| 0),
        Command::Dump(arguments) => attach::dump(&arguments).map(|()| 0),
        Command::Report(arguments) => report::run(&arguments).map(|()| 0),
        Command::Annotate(arguments) => annotate::run(&arguments).map(|()| 0),
        Command::Check(arguments) => check::run(&arguments),
        Command::List(arguments) => list::run(&arguments).map(|()| 0),
        Command::Diff(arguments) => diff::run(&arguments).map(|()| 0),
        Command::Merge(arguments) => merge::run(&arguments).map(|()| 0),
        Command::Convert(arguments) => convert::run(&arguments).map(|()| 0),
        Command::Flamegraph(arguments) => picture::flamegraph(&arguments).map(|()| 0),
        Command::Html(arguments) => viewer::html(&arguments).map(|()| 0),
        Command::View(arguments) => viewer::view(&arguments).map(|()| 0),
        // The same code as grep.
        Command::Grep(arguments) => grep::run(&arguments).map(|found| u8::from(!found)),
        Command::Mcp(arguments) if arguments.store.is_some() => server::start(&line),
        Command::Mcp(arguments) => mcp::run(&arguments, None).map(|()| 0),
        Command::Regressions(arguments) if arguments.store.is_some() => server::start(&line),
        Command::Regressions(arguments) => regressions::run(&arguments).map(|()| 0),
        Command::Init(arguments) => init::run(&arguments).map(|()| 0),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Completions(_) | Command::Man(_) if server::is_there() => server::start(&line),
        Command::Completions(arguments) => {
            generate::completions(&arguments, args::own_commands()).map(|()| 0)
        }
        Command::Man(arguments) => generate::man(&arguments, args::own_commands(), &[]).map(|()| 0),
    };
    ended(outcome)
}

/// The exit code of a command; an error is printed.
pub fn ended(outcome: anyhow::Result<u8>) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        // `xhprof report … | head`: the reader has closed the pipe, which is no
        // error.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
