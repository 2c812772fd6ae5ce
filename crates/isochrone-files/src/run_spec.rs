//! The spec of a training run: `spec.toml`.

mod version_1;

use crate::presets;
use crate::settings::{self, Kinds};
use anyhow::{Context, Result, bail};
use isochrone::agent::AgentSpec;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::{Table, Value};

/// What goals are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalSpaceName {
    /// Positions in the plane.
    Xy,
    /// Whole states.
    Full,
    /// Whole states at rest: only their positions are proposed.
    FullAtRest,
}

impl GoalSpaceName {
    /// Its name in specs and result tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Xy => "xy",
            Self::Full => "full",
            Self::FullAtRest => "full_at_rest",
        }
    }
}

/// Everything that decides the numbers of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// A world of `isochrone worlds`, `point-2d` … `point-6d`, or `own`.
    pub world: String,
    /// What goals are about.
    pub goal_space: GoalSpaceName,
    /// Iterations of the loop.
    pub iterations: u64,
    /// Coverage is measured every so many iterations, and at the beginning and the end.
    pub evaluate_every: u64,
    /// The agent's settings.
    #[serde(flatten)]
    pub agent: AgentSpec,
}

impl RunSpec {
    /// The spec of a preset.
    pub fn preset(name: &str) -> Result<Self> {
        settings::parse(&presets::preset(name)?, presets::kinds()?)
    }

    /// Reads a spec file: complete, or with `extends = "PRESET"`; flat files of version 1 are translated.
    pub fn read(file: &Path) -> Result<Self> {
        Self::of_table(settings::table_of(file)?).with_context(|| format!("in {}", file.display()))
    }

    /// Parses the text of a spec file.
    pub fn parse(text: &str) -> Result<Self> {
        let table: Result<Table, toml::de::Error> = text.parse();
        Self::of_table(table.context("the spec is not TOML")?)
    }

    fn of_table(table: Table) -> Result<Self> {
        let kinds = presets::kinds()?;
        if !table.contains_key(presets::EXTENDS) && version_1::is_flat(&table) {
            let mut complete = Table::new();
            let nested = with_newer_settings(version_1::nested(&table)?);
            settings::merge(&mut complete, nested, kinds)?;
            return settings::parse(&complete, kinds);
        }
        let is_extended = table.contains_key(presets::EXTENDS);
        let table = if is_extended {
            table
        } else {
            with_newer_settings(table)
        };
        let spec = settings::parse(&presets::extended(table)?, kinds);
        if is_extended {
            return spec;
        }
        spec.with_context(|| {
            format!("a spec has all settings, or begins with {} = \"point-mass\" to take the rest from a preset", presets::EXTENDS)
        })
    }

    /// Checks the ranges of all settings, so that a run does not fail after an hour.
    pub fn check(&self) -> Result<()> {
        const MOST: u64 = 10_000_000;
        let counts = [
            ("iterations", self.iterations),
            ("evaluate_every", self.evaluate_every),
        ];
        for (name, value) in counts {
            if !(1..=MOST).contains(&value) {
                bail!("{name} is {value}; it must be at least 1 and at most {MOST}");
            }
        }
        if self.agent.seed.0 > i64::MAX as u64 {
            bail!("seed is {}; it must be below 2⁶³", self.agent.seed.0);
        }
        Ok(self.agent.check()?)
    }

    /// Changes settings by `key=value` with dotted keys.
    pub fn changed(&self, overrides: &[String]) -> Result<Self> {
        let kinds = presets::kinds()?;
        refuse_flat(overrides, self, kinds)?;
        settings::change(self, overrides, kinds)
    }
}

impl RunSpec {
    /// Changes settings by a table, of tables where settings are nested.
    pub fn merged(&self, changes: Table) -> Result<Self> {
        let kinds = presets::kinds()?;
        let mut table = Table::try_from(self)?;
        settings::merge(&mut table, changes, kinds)?;
        settings::parse(&table, kinds)
    }
}

/// A complete spec without settings that are newer than it means what was the only way then, not today's default.
fn with_newer_settings(mut table: Table) -> Table {
    if let Some(Value::Table(distance)) = table.get_mut("distance") {
        let kind = distance.get("kind").and_then(Value::as_str);
        if matches!(kind, Some("on_policy" | "off_policy")) {
            for setting in ["replay_states", "fourier_features"] {
                distance.entry(setting).or_insert(Value::from(0));
            }
            let frequency = distance.entry("fourier_frequency");
            frequency.or_insert(Value::from(0.7));
        }
    }
    if let Some(Value::Table(learner)) = table.get_mut("learner")
        && learner.get("kind").and_then(Value::as_str) == Some("sac")
    {
        let imitation = learner.entry("imitation_weight");
        imitation.or_insert(Value::from(0.0));
    }
    if let Some(Value::Table(planner)) = table.get_mut("planner")
        && planner.get("kind").and_then(Value::as_str) == Some("waypoints")
    {
        for (setting, before) in [("region", "nearest"), ("hops_from", "history")] {
            planner.entry(setting).or_insert(Value::from(before));
        }
    }
    table
}

/// Names of version 1 are refused with their new ones.
fn refuse_flat(overrides: &[String], spec: &RunSpec, kinds: &Kinds) -> Result<()> {
    let known = Table::try_from(spec)?;
    for pair in overrides {
        let key = pair.split('=').next().unwrap_or_default().trim();
        let Some(new) = version_1::new_name(key).filter(|_| !known.contains_key(key)) else {
            continue;
        };
        let (table, setting) = new.split_once('.').unwrap_or(("", new.as_str()));
        let kind = known
            .get(table)
            .and_then(|table| table.get("kind"))
            .and_then(Value::as_str);
        let having = kinds.having(table, setting);
        match kind {
            Some(kind) if !having.is_empty() && !having.contains(&kind) => bail!(
                "{key} does nothing with {table}.kind = {kind:?}: it is {new} of {}",
                having.join(" and ")
            ),
            _ => bail!("{key} is now {new}"),
        }
    }
    Ok(())
}

/// The sentence about a setting that does not exist.
fn unknown_setting(key: &str, known: &[&str]) -> String {
    match settings::nearest(key, known) {
        Some(near) => format!("there is no setting {key:?}; did you mean {near:?}?"),
        None => format!("there is no setting {key:?}"),
    }
}
