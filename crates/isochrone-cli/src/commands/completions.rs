//! `isochrone completions`: what a shell needs to complete this command; `isochrone man`: manual pages.

use crate::cli::{Arguments, CompletionsOptions, ManOptions};
use anyhow::Result;
use clap::{Command, CommandFactory};
use clap_complete::generate;
use clap_mangen::Man;
use isochrone_runs::output::{print, write};
use std::path::Path;

/// Prints the script of a shell.
pub fn run(options: &CompletionsOptions) -> Result<()> {
    let mut bytes = Vec::new();
    generate(
        options.shell,
        &mut Arguments::command(),
        "isochrone",
        &mut bytes,
    );
    print(&String::from_utf8_lossy(&bytes))
}

/// Writes a page for the command, and one for each of its commands.
pub fn man(options: &ManOptions) -> Result<()> {
    // Pages for `help` would say nothing.
    let mut root = Arguments::command().disable_help_subcommand(true);
    // Names pages as git's are: `man isochrone-fit`.
    root.build();
    let n_pages = write_pages(&root, &options.output)?;
    print(&format!(
        "{}: {n_pages} manual pages\n",
        options.output.display()
    ))
}

/// The page of a command and those of its own commands; how many.
fn write_pages(command: &Command, folder: &Path) -> Result<usize> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let mut bytes = Vec::new();
    Man::new(command.clone()).render(&mut bytes)?;
    write(&folder.join(format!("{name}.1")), &bytes)?;
    let mut n_pages = 1;
    for own in command
        .get_subcommands()
        .filter(|own| own.get_name() != "help")
    {
        n_pages += write_pages(own, folder)?;
    }
    Ok(n_pages)
}
