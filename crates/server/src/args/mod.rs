//! The command line and the text of `--help`.

mod agent;
mod serve;
mod simulate;

use clap::{CommandFactory, Parser, Subcommand};
use cli::args::{
    CompletionsArguments, ManArguments, McpArguments, MemoryArguments, RegressionsArguments,
    own_commands,
};

pub(crate) use agent::AgentArguments;
pub(crate) use serve::{
    ImportArguments, Limit, PolicyArguments, PushArguments, RunTags, ServeArguments,
    StoreArguments, StoreCommand, StoreFolder, TokenCommand,
};
pub(crate) use simulate::{ResultFormat, SimulateArguments};

/// Keeps, compares, serves and ships the profiles of a team.
// `xhprof serve` starts `xhprof-server serve`: users may type either, and read of the first.
#[derive(Debug, Parser)]
#[command(name = cli::server::NAME, bin_name = "xhprof", version, max_term_width = 100)]
#[command(
    override_usage = "xhprof-server <COMMAND>",
    arg_required_else_help = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(ServeArguments),
    Agent(AgentArguments),
    Push(PushArguments),
    Import(ImportArguments),
    Store(StoreArguments),
    Simulate(SimulateArguments),
    Mcp(McpArguments),
    Regressions(RegressionsArguments),
    #[command(hide = true)]
    Completions(CompletionsArguments),
    #[command(hide = true)]
    Man(ManArguments),
}

impl Command {
    /// The memory limit for the profiles that the command reads.
    pub(crate) fn memory(&self) -> MemoryArguments {
        match self {
            Self::Regressions(arguments) => arguments.memory,
            Self::Mcp(arguments) => arguments.memory,
            Self::Push(arguments) => arguments.memory,
            Self::Import(arguments) => arguments.memory,
            Self::Serve(_)
            | Self::Agent(_)
            | Self::Store(_)
            | Self::Simulate(_)
            | Self::Completions(_)
            | Self::Man(_) => MemoryArguments::default(),
        }
    }
}

/// The commands of both programs, as users of `xhprof` know them.
pub(crate) fn all_commands() -> clap::Command {
    let own = Arguments::command();
    let names = cli::server::COMMANDS.map(|(name, _)| name);
    let is_own = |command: &&clap::Command| names.contains(&command.get_name());
    own_commands().subcommands(own.get_subcommands().filter(is_own).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xhprof_lists_these_commands_with_these_words() {
        let own = Arguments::command();
        let of_others = own_commands();
        let is_of_other = |name: &str| of_others.find_subcommand(name).is_some();
        let listed: Vec<(String, String)> = own
            .get_subcommands()
            .filter(|command| !is_of_other(command.get_name()))
            .map(|command| {
                let about = command.get_about().unwrap().to_string();
                (command.get_name().to_owned(), about)
            })
            .collect();
        let known = cli::server::COMMANDS.map(|(name, about)| (name.to_owned(), about.to_owned()));
        assert_eq!(listed, known);
    }

    #[test]
    fn help_is_wrapped_by_the_width_of_the_terminal_alone() {
        let all = Arguments::command();
        let of_others = own_commands();
        for command in all.get_subcommands().chain(of_others.get_subcommands()) {
            let name = command.get_name();
            let help = command.clone().term_width(80).render_long_help();
            let help = help.to_string();
            let lines: Vec<&str> = help.lines().collect();
            for (line, next) in lines.iter().zip(&lines[1..]) {
                let width = line.chars().count();
                // clap does not wrap the usage.
                assert!(width <= 80 || line.contains(" <"), "{name}: {line}");
                let is_text = |line: &str| line.starts_with(char::is_alphanumeric);
                let word = next.split(' ').next().unwrap_or_default().chars().count();
                let is_cut = is_text(line) && is_text(next) && width + 1 + word <= 80;
                assert!(!is_cut || line.ends_with(':'), "{name}: {line}\n{next}");
            }
        }
    }
}
