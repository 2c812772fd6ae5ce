//! The reference pages of the book are those of this program: `docs/cli.md` from the arguments, `docs/settings.md` from the presets.
//!
//! `ISOCHRONE_WRITE_REFERENCE=1 cargo nextest run --workspace reference` writes them anew.

use clap::{Command, CommandFactory};
use isochrone_cli::cli::Arguments;
use std::fmt::Write as _;
use std::path::Path;

/// Columns of the help texts.
const WIDTH: usize = 96;
const KINDS: &str = include_str!("../../../isochrone-files/src/presets/kinds.toml");
const PAPER: &str = include_str!("../../../isochrone-files/src/presets/paper.toml");

fn is_current(page: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(page);
    if std::env::var_os("ISOCHRONE_WRITE_REFERENCE").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        there == text,
        "docs/{page} is out of date; ISOCHRONE_WRITE_REFERENCE=1 cargo nextest run --workspace reference writes it"
    );
}

#[test]
fn the_reference_of_the_command_is_current() {
    let mut text = "# The command\n\nEvery command with its options, as `isochrone COMMAND --help` prints them. This page is written by \
                    a test.\n"
        .to_owned();
    let mut root = Arguments::command().term_width(WIDTH);
    root.build();
    for command in root
        .get_subcommands_mut()
        .filter(|c| c.get_name() != "help")
    {
        describe(&mut text, command, "isochrone");
    }
    is_current("cli.md", &text);
}

/// The help of a command, then that of its own commands.
fn describe(text: &mut String, command: &mut Command, parents: &str) {
    let name = format!("{parents} {}", command.get_name());
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    write!(
        text,
        "\n## {name}\n\n```text\n{}\n```\n",
        lines.join("\n").trim_end()
    )
    .unwrap();
    for own in command
        .get_subcommands_mut()
        .filter(|c| c.get_name() != "help")
    {
        describe(text, own, &name);
    }
}

#[test]
fn the_reference_of_settings_is_current() {
    let mut text = "# Settings\n\nEvery key of `spec.toml` and of `key=value`, with its default and its meaning. Keys of a kind are written \
                    with a dot: `learner.discount=0.99`. How to use them: [Training agents](training.md#settings). This page is \
                    written by a test.\n\n## The run\n\nDefaults are those of `point-mass-paper`; presets have their own \
                    (`isochrone train PRESET` writes the complete spec into the run folder).\n"
        .to_owned();
    let of_run = section(PAPER, "point-mass-paper");
    rows(&mut text, &of_run, "");
    let mut group = String::new();
    for name in sections(KINDS) {
        let (key, kind) = name.split_once('.').unwrap();
        if key != group {
            write!(text, "\n## {}\n", heading(key)).unwrap();
            group = key.to_owned();
        }
        write!(text, "\n### `{key}={kind}`\n\n").unwrap();
        let (about, of_kind) = (about(KINDS, name), section(KINDS, name));
        if !about.is_empty() {
            writeln!(text, "{}.", capital(about)).unwrap();
        }
        if of_kind.is_empty() {
            text.push_str("\nIt has no settings.\n");
        }
        let prefix = match key {
            "epsilon" | "target" => format!("distance.{key}."),
            _ => format!("{key}."),
        };
        rows(&mut text, &of_kind, &prefix);
    }
    is_current("settings.md", &text);
}

fn heading(key: &str) -> &str {
    match key {
        "distance" => "`distance`: what is near",
        "epsilon" => "`distance.epsilon`: how ε follows a learned distance",
        "target" => "`distance.target`: what the distance learns",
        "generator" => "`generator`: where goals come from",
        "labels" => "`labels`: which rollouts say how difficult a goal is",
        "goal_filter" => "`goal_filter`: which proposals are tried",
        "planner" => "`planner`: waypoints",
        "learner" => "`learner`: how the policy learns",
        other => panic!("kinds.toml has the table {other}, which needs a heading here"),
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// `[NAME]` lines, in their order.
fn sections(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        line.strip_prefix('[')?
            .split_once(']')
            .map(|(name, _)| name)
    })
}

/// The comment behind `[NAME]`.
fn about<'t>(text: &'t str, name: &str) -> &'t str {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(&format!("[{name}]")));
    comment(line.unwrap_or_default()).1
}

/// The lines below `[NAME]`: key, value, comment.
fn section<'t>(text: &'t str, name: &str) -> Vec<(&'t str, &'t str, &'t str)> {
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with(&format!("[{name}]")))
        .skip(1);
    let lines = lines
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| {
        let (key, rest) = line.split_once(" = ")?;
        let (value, comment) = comment(rest);
        Some((key, value, comment))
    });
    pairs.collect()
}

fn comment(line: &str) -> (&str, &str) {
    match line.split_once('#') {
        Some((value, comment)) => (value.trim(), comment.trim()),
        None => (line.trim(), ""),
    }
}

fn rows(text: &mut String, settings: &[(&str, &str, &str)], prefix: &str) {
    if settings.is_empty() {
        return;
    }
    text.push_str("\n| key | default | meaning |\n|---|---|---|\n");
    for (key, value, meaning) in settings {
        assert!(
            !meaning.is_empty(),
            "{prefix}{key} has no comment that says what it means"
        );
        let value = value.replace('|', "\\|");
        writeln!(text, "| `{prefix}{key}` | `{value}` | {meaning} |").unwrap();
    }
}
