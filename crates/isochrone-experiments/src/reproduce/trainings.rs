//! Figures of trained policies.
//!
//! Recorded runs are in `experiments/*/results.csv` and part of the program; a run that is not recorded is read from its
//! run folder, resumed if it is half done, and started if there is none. `--quick` ignores the records.

mod arm;
mod coverage;
mod curves;
mod evolution;
mod sphere;
#[cfg(test)]
mod tests;
mod version_1;
mod work;

use super::{Effort, Reproduction, Size};
pub(super) use crate::cli::Reproducible as Experiment;
use anyhow::{Result, bail};
use arm::Arm;
use isochrone_mujoco::WorldName;
use isochrone_runs::progress::Waiting;
use isochrone_runs::train::table;
use work::Runs;

/// The runs of a figure.
struct Found {
    runs: Runs,
    /// Worlds with runs that the figure is about, each with the arms that have some.
    worlds: Vec<(WorldName, Vec<Arm>)>,
    /// What was asked for and has no run, or fewer seeds than asked for.
    missing: Vec<String>,
}

impl Found {
    /// Sorts runs into those of the figure and missing ones.
    fn of(experiment: Experiment, runs: Runs, effort: &Effort) -> Self {
        let (mut worlds, mut missing) = (Vec::new(), Vec::new());
        for world in WorldName::ALL {
            let arms = arms(experiment, world, effort).into_iter();
            let (there, absent): (Vec<Arm>, Vec<Arm>) = arms.partition(|arm| runs.has(arm));
            for arm in &there {
                let (done, asked) = (runs.seeds_of(arm).len() as u64, effort.seeds);
                if done < asked {
                    missing.push(format!("{} ({done} of {asked} seeds were run)", arm.preset));
                }
            }
            missing.extend(absent.into_iter().map(|arm| arm.preset));
            if there.iter().any(|arm| is_about(experiment, arm)) {
                worlds.push((world, there));
            }
        }
        Self {
            runs,
            worlds,
            missing,
        }
    }

    /// An arm by its suffix, if it has runs.
    fn arm(&self, world: WorldName, suffix: &str) -> Option<&Arm> {
        let (_, arms) = self.worlds.iter().find(|(known, _)| *known == world)?;
        arms.iter().find(|arm| arm.suffix == suffix)
    }

    /// Two of them, if both have runs.
    fn pair(&self, world: WorldName, suffixes: [&str; 2]) -> Option<[&Arm; 2]> {
        Some([self.arm(world, suffixes[0])?, self.arm(world, suffixes[1])?])
    }
}

/// Makes a figure.
pub(super) fn reproduce(
    experiment: Experiment,
    effort: &Effort,
    waiting: &Waiting,
) -> Result<Reproduction> {
    let mut runs = Runs::known(experiment, effort)?;
    let world = effort.world.unwrap_or(WorldName::PointMass);
    let wanted = arms(experiment, world, effort);
    if wanted.is_empty() {
        bail!(
            "there are no presets for that; --world is one of point-mass, point-mass-spiral, maze-ant and free-ant"
        );
    }
    let from = runs.complete(&wanted, effort, waiting)?;
    let found = Found::of(experiment, runs, effort);
    let (figure, csv, report) = match experiment {
        Experiment::GoalEvolution => evolution::goals(&found, effort)?,
        Experiment::ExpandingSphere => sphere::expanding(&found, effort),
        _ => coverage::compare(experiment, &found, effort),
    };
    let arms = found.worlds.iter().flat_map(|(_, arms)| arms);
    let rows = found.runs.rows_of(&arms.collect::<Vec<_>>());
    Ok(Reproduction {
        figure,
        csv,
        report,
        results: Some(super::Numbers::Table(table::to_csv(&rows)?, from)),
    })
}

/// The suffixes of the presets that a figure compares; none if it trains nothing.
const fn suffixes(figure: Experiment) -> &'static [&'static str] {
    match figure {
        Experiment::CoverageXy => &["", "-on-policy", "-off-policy"],
        Experiment::CoverageFull => &["", "-off-policy", "-full-on-policy", "-full-off-policy"],
        Experiment::GoalGeneration => &[
            "",
            "-action-noise",
            "-off-policy",
            "-action-noise-off-policy",
        ],
        Experiment::GoalEvolution => &["-action-noise"],
        Experiment::ExpandingSphere => &["-on-policy", "-off-policy"],
        Experiment::OnlineTargets => &["-off-policy", "-off-policy-bootstrapped"],
        _ => &[],
    }
}

/// Do the numbers of a figure come from trainings?
pub(super) const fn is_trained(figure: Experiment) -> bool {
    !suffixes(figure).is_empty()
}

/// Does the figure show this arm for its own sake? The others are from Figure 1, to compare with.
fn is_about(figure: Experiment, arm: &Arm) -> bool {
    match figure {
        Experiment::CoverageFull => arm.suffix.starts_with("-full"),
        Experiment::GoalGeneration => arm.suffix.starts_with("-action-noise"),
        Experiment::ExpandingSphere => arm.suffix == "-on-policy",
        Experiment::OnlineTargets => arm.suffix.ends_with("-bootstrapped"),
        _ => true,
    }
}

/// What a figure compares in a world; nothing in worlds that neither the paper nor its code has.
fn arms(figure: Experiment, world: WorldName, effort: &Effort) -> Vec<Arm> {
    let suffixes = match world {
        WorldName::PointMassThinSpiral | WorldName::PointMassOneWay => [].iter(),
        _ => suffixes(figure).iter(),
    };
    let arms = suffixes.filter_map(|suffix| Arm::new(world, suffix, effort));
    match figure {
        Experiment::CoverageFull => arms.map(Arm::named_by_goals).collect(),
        _ => arms.collect(),
    }
}

/// What a quick version gives up, for reports.
fn given_up(effort: &Effort) -> Option<String> {
    (effort.size == Size::Quick).then(|| {
        format!(
            "This is the quick version: {} iterations instead of {}, and {} seeds. Differences between methods of this \
             size say nothing about them, and no verdict here is one about the paper.",
            arm::QUICK_ITERATIONS,
            arm::ITERATIONS,
            effort.seeds
        )
    })
}
