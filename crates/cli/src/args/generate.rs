//! `xhprof completions`, `xhprof man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  xhprof completions bash > /etc/bash_completion.d/xhprof
  xhprof completions zsh > /usr/local/share/zsh/site-functions/_xhprof
  xhprof completions fish > ~/.config/fish/completions/xhprof.fish";

/// Prints a script that makes a shell complete this command line.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  xhprof man | man -l -
  xhprof man -o /usr/local/share/man/man1";

/// Prints the manual page, or writes one for each command.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArguments {
    /// The directory to write xhprof.1, xhprof-run.1 and so on to, readable by every user
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
