//! `xhprof completions` and `xhprof man`, generated from the definition of the
//! command line. `xhprof-server`, where it is installed, adds the options of its
//! own commands.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use clap::Command;
use clap_mangen::Man;

use crate::args::{CompletionsArguments, ManArguments};
use crate::output;
use crate::terminal::say;
use crate::units::counted;

/// Prints a shell's completion script.
pub fn completions(arguments: &CompletionsArguments, mut all: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut all, "xhprof", &mut script);
    output::write("-".as_ref(), |out| Ok(out.write_all(&script)?))
}

/// Prints the manual page of the program, or writes one page for each command, and
/// for other programs.
pub fn man(arguments: &ManArguments, all: Command, others: &[Command]) -> Result<()> {
    // These pages hold the text of `help`.
    let mut command = all.disable_help_subcommand(true);
    command.build();
    let Some(directory) = &arguments.output else {
        let page = page(command)?;
        return output::write("-".as_ref(), |out| Ok(out.write_all(&page)?));
    };
    let context = || format!("cannot write {}", directory.display());
    fs::create_dir_all(directory).with_context(context)?;
    let subcommands: Vec<Command> = command.get_subcommands().cloned().collect();
    let pages = 1 + subcommands.len() + others.len();
    for command in subcommands {
        let name = format!("xhprof-{}", command.get_name());
        let command = command.display_name(name.clone());
        write_page(directory, &name, command)?;
    }
    for other in others {
        let other = other.clone().disable_help_subcommand(true);
        write_page(directory, other.get_name(), other.clone())?;
    }
    write_page(directory, "xhprof", command)?;
    let pages = counted(pages as u64, "page");
    say(&format!("wrote {pages} to {}", directory.display()));
    Ok(())
}

fn write_page(directory: &Path, name: &str, command: Command) -> Result<()> {
    let path = directory.join(format!("{name}.1"));
    output::save_public(&path, &page(command)?)
}

fn page(command: Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    let version = concat!("xhprof ", env!("CARGO_PKG_VERSION"));
    Man::new(command).source(version).render(&mut page)?;
    page.flush()?;
    Ok(page)
}
