//! Runs that differ in their seed only. How long a run went on and how often it was looked at may differ, too: both can
//! change in the middle of one.

use crate::interval::Interval;
use crate::train::{History, RunSpec};
use anyhow::{Result, bail};
use toml::{Table, Value};

/// The seeds of one method.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) runs: Vec<History>,
}

/// Groups in the order of their first runs.
pub(super) fn of(runs: Vec<History>) -> Result<Vec<Group>> {
    let mut groups: Vec<(RunSpec, Vec<History>)> = Vec::new();
    for run in runs {
        let method = RunSpec {
            seed: 0,
            iterations: 0,
            evaluate_every: 0,
            ..run.spec.clone()
        };
        match groups.iter_mut().find(|(known, _)| *known == method) {
            Some((_, runs)) if runs.iter().any(|other| other.spec.seed == run.spec.seed) => {
                let (seed, name) = (run.spec.seed, &run.manifest.made_from);
                bail!(
                    "two of the runs of {name} have seed {seed}: they are one run, or the same run twice"
                );
            }
            Some((_, runs)) => runs.push(run),
            None => groups.push((method, vec![run])),
        }
    }
    let names = names(&groups);
    let groups = groups.into_iter().zip(names);
    Ok(groups
        .map(|((_, runs), name)| Group { name, runs })
        .collect())
}

/// What the spec was made from; where several are from the same, with the settings that tell those apart.
fn names(groups: &[(RunSpec, Vec<History>)]) -> Vec<String> {
    let made_from = |(_, runs): &(RunSpec, Vec<History>)| {
        let first = runs.first();
        first.map_or(String::new(), |run| run.manifest.made_from.clone())
    };
    let plain: Vec<String> = groups.iter().map(made_from).collect();
    let tables: Vec<Table> = groups
        .iter()
        .map(|(spec, _)| Table::try_from(spec).unwrap_or_default())
        .collect();
    let settings = |name: &String, table: &Table| -> String {
        let alike = plain
            .iter()
            .zip(&tables)
            .filter(|(other, _)| *other == name);
        let differs = |(key, value): &(&String, &Value)| {
            let mut others = alike.clone().map(|(_, other)| other.get(*key));
            others.any(|other| other != Some(*value))
        };
        let told = table.iter().filter(differs);
        let told = told.map(|(key, value)| format!(" {key}={}", word(value)));
        told.collect::<Vec<_>>().concat()
    };
    let each = plain.iter().zip(&tables);
    each.map(|(name, table)| format!("{name}{}", settings(name, table)))
        .collect()
}

/// A value as it would be typed.
fn word(value: &Value) -> String {
    value.as_str().map_or(value.to_string(), str::to_owned)
}

impl Group {
    /// Its name and how many seeds it has.
    pub(super) fn legend(&self) -> String {
        match self.runs.len() {
            1 => format!("{} (1 seed)", self.name),
            seeds => format!("{} ({seeds} seeds)", self.name),
        }
    }

    /// Coverage at every iteration at which all its runs were evaluated.
    pub(super) fn coverage(&self) -> Vec<(u64, Interval)> {
        let Some(first) = self.runs.first() else {
            return Vec::new();
        };
        let iterations = first.evaluations.iter().map(|e| e.iteration);
        let of_all = |iteration: u64| {
            let found = self.runs.iter().map(|run| {
                let mut evaluations = run.evaluations.iter();
                evaluations.find(|e| e.iteration == iteration)
            });
            let values: Option<Vec<f64>> = found.map(|e| Some(e?.coverage)).collect();
            Interval::of(&values?).map(|interval| (iteration, interval.within(0.0, 1.0)))
        };
        iterations.filter_map(of_all).collect()
    }

    /// How often each goal was reached when all seeds were evaluated last, over the seeds.
    pub(super) fn success(&self) -> Option<(u64, Vec<f64>)> {
        let (iteration, _) = self.coverage().pop()?;
        let mut means: Vec<f64> = Vec::new();
        for run in &self.runs {
            let found = run.evaluations.iter().find(|e| e.iteration == iteration)?;
            means.resize(found.success.len(), 0.0);
            let each = means.iter_mut().zip(&found.success);
            each.for_each(|(mean, success)| *mean += success / self.runs.len() as f64);
        }
        Some((iteration, means))
    }
}
