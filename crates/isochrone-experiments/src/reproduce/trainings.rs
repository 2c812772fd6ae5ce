//! Figures of whole trainings.
//!
//! Recorded runs are in `experiments/*/results.csv`, which is compiled into the program. Other runs are looked up among
//! the run folders, resumed if unfinished, and started if missing. `--quick` ignores recorded runs.

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
use crate::cli::Reproducible;
use anyhow::{Result, bail};
use arm::Arm;
use isochrone_mujoco::WorldName;
use isochrone_runs::progress::Waiting;
use isochrone_runs::train::table;
use work::Runs;

/// Which figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Experiment {
    CoverageXy,
    CoverageFull,
    GoalGeneration,
    GoalEvolution,
    ExpandingSphere,
    OnlineTargets,
}

/// The method under test, and its baseline.
struct Found {
    runs: Runs,
    /// Worlds with runs that the figure is about, each with the arms that have some.
    worlds: Vec<(WorldName, Vec<Arm>)>,
    /// What was asked for and has no run, or fewer seeds than asked for.
    missing: Vec<String>,
}

impl Found {
    /// What there is for a figure, and what there is not.
    fn of(experiment: Experiment, runs: Runs, effort: &Effort) -> Self {
        let (mut worlds, mut missing) = (Vec::new(), Vec::new());
        for world in WorldName::ALL {
            let arms = experiment.arms(world, effort).into_iter();
            let (there, absent): (Vec<Arm>, Vec<Arm>) = arms.partition(|arm| runs.has(arm));
            for arm in &there {
                let (done, asked) = (runs.seeds_of(arm).len() as u64, effort.seeds);
                if done < asked {
                    missing.push(format!("{} ({done} of {asked} seeds were run)", arm.preset));
                }
            }
            missing.extend(absent.into_iter().map(|arm| arm.preset));
            if there.iter().any(|arm| experiment.is_about(arm)) {
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
    let wanted = experiment.arms(effort.world.unwrap_or(WorldName::PointMass), effort);
    if wanted.is_empty() {
        bail!(
            "there are no presets for that; --world is one of point-mass, point-mass-spiral, maze-ant and free-ant"
        );
    }
    let from = runs.complete(&wanted, effort, waiting)?;
    let found = Found::of(experiment, runs, effort);
    let (figure, csv, report) = match experiment {
        Experiment::CoverageXy => coverage::places(&found, effort),
        Experiment::CoverageFull => coverage::whole_states(&found, effort),
        Experiment::GoalGeneration => coverage::generators(&found, effort),
        Experiment::GoalEvolution => evolution::goals(&found, effort)?,
        Experiment::ExpandingSphere => sphere::expanding(&found, effort),
        Experiment::OnlineTargets => coverage::targets(&found, effort),
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

impl Experiment {
    /// The one that a figure is made by, if its numbers are those of trainings.
    pub(super) const fn of(figure: Reproducible) -> Option<Self> {
        Some(match figure {
            Reproducible::CoverageXy => Self::CoverageXy,
            Reproducible::CoverageFull => Self::CoverageFull,
            Reproducible::GoalGeneration => Self::GoalGeneration,
            Reproducible::GoalEvolution => Self::GoalEvolution,
            Reproducible::ExpandingSphere => Self::ExpandingSphere,
            Reproducible::OnlineTargets => Self::OnlineTargets,
            _ => return None,
        })
    }

    /// Does the figure show this arm for its own sake? The others are from Figure 1, to compare with.
    fn is_about(self, arm: &Arm) -> bool {
        match self {
            Self::CoverageXy | Self::GoalEvolution => true,
            Self::CoverageFull => arm.suffix.starts_with("-full"),
            Self::GoalGeneration => arm.suffix.starts_with("-action-noise"),
            Self::ExpandingSphere => arm.suffix == "-on-policy",
            Self::OnlineTargets => arm.suffix.ends_with("-bootstrapped"),
        }
    }

    /// What is compared in a world.
    fn arms(self, world: WorldName, effort: &Effort) -> Vec<Arm> {
        let arms: &[&'static str] = match self {
            Self::CoverageXy => &["", "-on-policy", "-off-policy"],
            Self::CoverageFull => &["", "-off-policy", "-full-on-policy", "-full-off-policy"],
            Self::GoalGeneration => &[
                "",
                "-action-noise",
                "-off-policy",
                "-action-noise-off-policy",
            ],
            Self::GoalEvolution => &["-action-noise"],
            Self::ExpandingSphere => &["-on-policy", "-off-policy"],
            Self::OnlineTargets => &["-off-policy", "-off-policy-bootstrapped"],
        };
        let arms = arms.iter();
        let arms = arms.filter_map(|suffix| Arm::new(world, suffix, effort));
        match self {
            Self::CoverageFull => arms.map(Arm::named_by_goals).collect(),
            _ => arms.collect(),
        }
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
