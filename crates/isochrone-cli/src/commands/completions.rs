//! `isochrone completions`: what a shell needs to complete this command; `isochrone man`: manual pages.

use crate::cli::{Arguments, CompletionsOptions, ManOptions};
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::generate;
use clap_mangen::Man;
use isochrone_runs::output::{print, write};

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
    let mut root = Arguments::command();
    // Names pages as git's are: `man isochrone-fit`.
    root.build();
    let commands = root.get_subcommands().filter(|c| c.get_name() != "help");
    let pages: Vec<_> = std::iter::once(&root).chain(commands).collect();
    for command in &pages {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let mut bytes = Vec::new();
        Man::new((*command).clone()).render(&mut bytes)?;
        write(&options.output.join(format!("{name}.1")), &bytes)?;
    }
    let folder = options.output.display();
    print(&format!("{folder}: {} manual pages\n", pages.len()))
}
