//! The program `xhprof-server`: keeps the profiles of a team, compares them, serves
//! them, and ships them. `xhprof serve` and the other commands start it.
//!
//! Each command is a module. The everyday program's library (`crates/cli`) has what both
//! programs need: the terminal, input and output, units, the viewer's page.

#![forbid(unsafe_code)]

mod agent;
mod args;
mod mcp;
mod regressions;
mod secret;
mod serve;
mod simulate;
mod store_place;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use cli::{ended, generate, input};

use args::{Arguments, Command};

fn main() -> ExitCode {
    // A process of `xhprof serve`: no command for users, so no argument of clap.
    let first = std::env::args_os().nth(1);
    if first.is_some_and(|first| first == serve::READ_UPLOADS) {
        return ended(serve::read_uploads().map(|()| 0));
    }
    let started_by = std::env::var_os(cli::server::STARTED_BY);
    if let Err(error) = cli::server::check_version(started_by.as_deref()) {
        return ended(Err(error));
    }
    let command = Arguments::parse().command;
    input::set_memory(command.memory());
    let outcome = match command {
        Command::Serve(arguments) => serve::serve(&arguments).map(|()| 0),
        Command::Agent(arguments) => agent::run(&arguments).map(|()| 0),
        Command::Push(arguments) => serve::push(&arguments),
        Command::Import(arguments) => serve::import(&arguments).map(|()| 0),
        Command::Store(arguments) => serve::store(&arguments).map(|is_whole| u8::from(!is_whole)),
        Command::Simulate(arguments) => simulate::run(&arguments).map(|()| 0),
        Command::Mcp(arguments) => mcp::run(&arguments).map(|()| 0),
        Command::Regressions(arguments) => regressions::run(&arguments).map(|()| 0),
        Command::Completions(arguments) => {
            generate::completions(&arguments, args::all_commands()).map(|()| 0)
        }
        Command::Man(arguments) => {
            let own = [Arguments::command()];
            generate::man(&arguments, args::all_commands(), &own).map(|()| 0)
        }
    };
    ended(outcome)
}
