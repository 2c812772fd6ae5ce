//! Runs that differ in their seed only. How long a run went on and how often it was looked at may differ, too: both can
//! change in the middle of one.

use anyhow::{Result, bail};
use isochrone::rng::Seed;
use isochrone_files::run_spec::RunSpec;
use isochrone_runs::interval::Interval;
use isochrone_runs::train::{Evaluation, History, LAST_EVALUATIONS, last_coverage};
use toml::{Table, Value};

/// The seeds of one method.
pub(super) struct Group {
    pub(super) name: String,
    pub(super) runs: Vec<History>,
}

/// A coverage of an evaluation.
pub(super) type Of = fn(&Evaluation) -> Option<f64>;

/// Coverage with the planner.
pub(super) fn planned(evaluation: &Evaluation) -> Option<f64> {
    evaluation.planned.as_ref().map(|planned| planned.coverage)
}

/// Groups in the order of their first runs.
pub(super) fn of(runs: Vec<History>) -> Result<Vec<Group>> {
    let mut groups: Vec<(RunSpec, Vec<History>)> = Vec::new();
    for run in runs {
        let mut method = run.spec.clone();
        (method.iterations, method.evaluate_every, method.agent.seed) = (0, 0, Seed(0));
        match groups.iter_mut().find(|(known, _)| *known == method) {
            Some((_, runs))
                if runs
                    .iter()
                    .any(|other| other.spec.agent.seed == run.spec.agent.seed) =>
            {
                let (seed, name) = (run.spec.agent.seed.0, &run.manifest.made_from);
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
        .map(|(spec, _)| flat("", &Table::try_from(spec).unwrap_or_default()))
        .collect();
    let differ = |name: &String, key: &String| {
        let alike = plain.iter().zip(&tables);
        let mut values = alike
            .filter(|(other, _)| *other == name)
            .map(|(_, table)| table.get(key));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let settings = |name: &String, table: &Table| -> String {
        // The settings of another kind go without saying.
        let is_own = |key: &str| {
            let kind = key.rsplit_once('.').map(|(table, _)| table.to_owned());
            kind.is_none_or(|kind| !differ(name, &kind))
        };
        let settings = table
            .iter()
            .filter(|(key, _)| is_own(key) && differ(name, key));
        let settings = settings.map(|(key, value)| format!(" {key}={}", word(value)));
        settings.collect::<Vec<_>>().concat()
    };
    let each = plain.iter().zip(&tables);
    each.map(|(name, table)| format!("{name}{}", settings(name, table)))
        .collect()
}

/// Settings by their dotted keys; the key of a table with a kind has that kind.
fn flat(path: &str, table: &Table) -> Table {
    let mut all = Table::new();
    for (key, value) in table {
        let name = match (path, key.as_str()) {
            (path, "kind") => path.to_owned(),
            ("", key) => key.to_owned(),
            (path, key) => format!("{path}.{key}"),
        };
        match value {
            Value::Table(inner) => all.extend(flat(&name, inner)),
            value => {
                all.insert(name, value.clone());
            }
        }
    }
    all
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

    /// Coverage of the policy alone at every iteration at which all its runs were evaluated.
    pub(super) fn coverage(&self) -> Vec<(u64, Interval)> {
        self.curve(|e| Some(e.coverage))
    }

    /// The same with the planner; empty if there is none.
    pub(super) fn planned_coverage(&self) -> Vec<(u64, Interval)> {
        self.curve(planned)
    }

    /// How many evaluations [`Self::last`] averages.
    pub(super) fn averaged(&self) -> usize {
        self.of_trained().len().min(LAST_EVALUATIONS)
    }

    /// The iterations at which all its runs were evaluated, without the untrained policy if there are others.
    fn of_trained(&self) -> Vec<u64> {
        let all: Vec<u64> = self.coverage().iter().map(|(at, _)| *at).collect();
        let trained = all.iter().position(|at| *at > 0).unwrap_or(0);
        all[trained..].to_vec()
    }

    /// The mean of the last three evaluations of the trained policy over the seeds, alone or with the planner.
    pub(super) fn last(&self, of: Of) -> Option<Interval> {
        let iterations = self.of_trained();
        let of_run = |run: &History| {
            let common = run.evaluations.iter();
            let common = common.filter(|e| iterations.contains(&e.iteration));
            last_coverage(&common.filter_map(of).collect::<Vec<_>>())
        };
        let values: Option<Vec<f64>> = self.runs.iter().map(of_run).collect();
        Interval::of(&values?).map(|interval| interval.within(0.0, 1.0))
    }

    fn curve(&self, of: Of) -> Vec<(u64, Interval)> {
        let Some(first) = self.runs.first() else {
            return Vec::new();
        };
        let iterations = first.evaluations.iter().map(|e| e.iteration);
        let of_all = |iteration: u64| {
            let found = self.runs.iter().map(|run| {
                let mut evaluations = run.evaluations.iter();
                evaluations.find(|e| e.iteration == iteration)
            });
            let values: Option<Vec<f64>> = found.map(|e| of(e?)).collect();
            Interval::of(&values?).map(|interval| (iteration, interval.within(0.0, 1.0)))
        };
        iterations.filter_map(of_all).collect()
    }

    /// Whether all its runs have a planner.
    pub(super) fn is_planned(&self) -> bool {
        !self.planned_coverage().is_empty()
    }

    /// How often each goal was reached when all seeds were evaluated last, over the seeds; with the planner, if there is one.
    pub(super) fn success(&self) -> Option<(u64, Vec<f64>)> {
        let (iteration, _) = self.coverage().pop()?;
        let is_planned = self.is_planned();
        let mut means: Vec<f64> = Vec::new();
        for run in &self.runs {
            let found = run.evaluations.iter().find(|e| e.iteration == iteration)?;
            let planned = found.planned.as_ref().filter(|_| is_planned);
            let success = planned.map_or(&found.success, |planned| &planned.success);
            means.resize(success.len(), 0.0);
            let each = means.iter_mut().zip(success);
            each.for_each(|(mean, success)| *mean += success / self.runs.len() as f64);
        }
        Some((iteration, means))
    }
}
