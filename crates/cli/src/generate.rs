//! `xhprof completions` and `xhprof man`, generated from the definition of the
//! command line.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Arguments, CompletionsArguments, ManArguments};
use crate::output;

/// Prints a shell's completion script.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        "xhprof",
        &mut script,
    );
    output::write("-".as_ref(), |out| Ok(out.write_all(&script)?))
}

/// Prints the manual page of the program, or writes one page for each command.
pub(crate) fn man(arguments: &ManArguments) -> Result<()> {
    // These pages hold the text of `help`.
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let Some(directory) = &arguments.output else {
        let page = page(command)?;
        return output::write("-".as_ref(), |out| Ok(out.write_all(&page)?));
    };
    let context = || format!("cannot write {}", directory.display());
    fs::create_dir_all(directory).with_context(context)?;
    for command in command.get_subcommands() {
        let name = format!("xhprof-{}", command.get_name());
        let command = command.clone().display_name(name.clone());
        write_page(directory, &name, command)?;
    }
    write_page(directory, "xhprof", command)
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
