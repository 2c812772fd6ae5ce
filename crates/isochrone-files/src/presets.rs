//! Presets: complete specs by name, compiled in from `presets/*.toml`.

use crate::settings::{self, Kinds, merge};
use anyhow::{Context, Result, anyhow, bail};
use std::sync::LazyLock;
use toml::{Table, Value};

static PRESETS: LazyLock<Result<Table, String>> = LazyLock::new(|| {
    let parse = |text: &str| text.parse::<Table>().map_err(|error| error.to_string());
    let mut presets = parse(include_str!("presets/presets.toml"))?;
    presets.extend(parse(include_str!("presets/paper.toml"))?);
    Ok(presets)
});

static KINDS: LazyLock<Result<Kinds, String>> = LazyLock::new(|| {
    let parsed = Kinds::parse(include_str!("presets/kinds.toml"));
    parsed.map_err(|error| format!("{error:#}"))
});

/// The preset, and the world, of an environment of the user's own.
pub const OWN: &str = "own";

/// The key of a preset, and of a spec file, that names the preset it begins with.
pub const EXTENDS: &str = "extends";

/// The default settings of every kind of distance, generator, label source and learner.
pub fn kinds() -> Result<&'static Kinds> {
    KINDS
        .as_ref()
        .map_err(|error| anyhow!("kinds.toml: {error}"))
}

fn presets() -> Result<&'static Table> {
    PRESETS
        .as_ref()
        .map_err(|error| anyhow!("presets: {error}"))
}

/// The names of all presets, in their order.
pub fn names() -> Result<Vec<&'static str>> {
    Ok(presets()?.keys().map(String::as_str).collect())
}

/// The complete settings of a preset.
pub fn preset(name: &str) -> Result<Table> {
    match presets()?.get(name) {
        Some(Value::Table(changes)) => extended(changes.clone()),
        _ => bail!(unknown(name, &names()?)),
    }
}

/// A table with everything that it takes from the preset it extends.
pub fn extended(mut changes: Table) -> Result<Table> {
    let mut table = match changes.remove(EXTENDS) {
        Some(Value::String(base)) => preset(&base)?,
        Some(other) => bail!("{EXTENDS} is {other}; it must be the name of a preset"),
        None => Table::new(),
    };
    merge(&mut table, changes, kinds()?).context("in a preset or spec")?;
    Ok(table)
}

fn unknown(name: &str, names: &[&str]) -> String {
    match settings::nearest(name, names) {
        Some(near) => format!("there is no preset {name:?}; did you mean {near:?}?"),
        None if is_of_gymnasium(name) => format!(
            "{name:?} looks like a Gymnasium environment, and this command trains in the paper's worlds. From Python, if its \
             actions are numbers (Box):\n  agent = isochrone.Isochrone(gymnasium.make({name:?})); agent.learn(100_000)"
        ),
        None => format!(
            "{name:?} is neither a .toml file nor a preset; presets begin with {}, `isochrone train --help` has the rest",
            beginnings(names).join(", ")
        ),
    }
}

/// Is this the name of an environment of Gymnasium: `CartPole-v1`, `ALE/Pong-v5`?
fn is_of_gymnasium(name: &str) -> bool {
    let version = name.rsplit_once("-v").map(|(_, version)| version);
    version.is_some_and(|v| !v.is_empty() && v.chars().all(|c| c.is_ascii_digit()))
}

/// The presets without those that another one begins.
fn beginnings<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let is_first = |name: &&&str| {
        let begins = |other: &&str| name.starts_with(&format!("{other}-"));
        !names.iter().any(begins)
    };
    // `own` is trained from Python or Rust.
    let shown = names.iter().filter(|name| **name != OWN);
    shown.filter(is_first).copied().collect()
}
