//! The program `xhprof`: profiles PHP programs and shows where their time went.
//!
//! Each command is a module. This file parses the command line, calls the
//! command, and turns its result into an exit code and at most one line of
//! error.

#![forbid(unsafe_code)]

mod agent;
mod args;
mod check;
mod convert;
mod diff;
mod directory;
mod doctor;
mod export;
mod extension;
mod generate;
mod grep;
mod input;
mod list;
mod merge;
mod operand;
mod output;
mod pager;
mod php;
mod picture;
mod progress;
mod regressions;
mod report;
mod run;
mod secret;
mod serve;
mod simulate;
mod since;
mod stacks;
mod store_place;
mod suggest;
mod terminal;
mod typed;
mod units;
mod users;
mod viewer;
mod words;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};

fn main() -> ExitCode {
    // A process of `xhprof serve`: no command for users, so no argument of clap.
    let first = std::env::args_os().nth(1);
    if first.is_some_and(|first| first == serve::READ_UPLOADS) {
        return ended(serve::read_uploads().map(|()| 0));
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let line: Vec<_> = std::env::args_os().collect();
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
        Command::Report(arguments) => report::run(&arguments).map(|()| 0),
        Command::Check(arguments) => check::run(&arguments),
        Command::List(arguments) => list::run(&arguments).map(|()| 0),
        Command::Diff(arguments) => diff::run(&arguments).map(|()| 0),
        Command::Merge(arguments) => merge::run(&arguments).map(|()| 0),
        Command::Convert(arguments) => convert::run(&arguments).map(|()| 0),
        Command::Flamegraph(arguments) => picture::flamegraph(&arguments).map(|()| 0),
        Command::Html(arguments) => viewer::html(&arguments).map(|()| 0),
        Command::View(arguments) => viewer::view(&arguments).map(|()| 0),
        Command::Serve(arguments) => serve::serve(&arguments).map(|()| 0),
        Command::Agent(arguments) => agent::run(&arguments).map(|()| 0),
        Command::Push(arguments) => serve::push(&arguments),
        Command::Import(arguments) => serve::import(&arguments).map(|()| 0),
        Command::Store(arguments) => serve::store(&arguments).map(|is_whole| u8::from(!is_whole)),
        Command::Simulate(arguments) => simulate::run(&arguments).map(|()| 0),
        // The same code as grep.
        Command::Grep(arguments) => grep::run(&arguments).map(|found| u8::from(!found)),
        Command::Regressions(arguments) => regressions::run(&arguments).map(|()| 0),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Completions(arguments) => generate::completions(&arguments).map(|()| 0),
        Command::Man(arguments) => generate::man(&arguments).map(|()| 0),
    };
    ended(outcome)
}

fn ended(outcome: anyhow::Result<u8>) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(code),
        // `xhprof report … | head`: the reader has closed the pipe, which is no
        // error.
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
