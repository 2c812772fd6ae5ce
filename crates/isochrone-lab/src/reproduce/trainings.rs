//! Figures whose numbers come from whole trainings.
//!
//! What was run before is in `experiments/*/results.csv` and part of the program; a run that is not there is looked for
//! among the run folders, gone on with if it is half done, and begun if there is none. `--quick` forgets what is known.

mod arm;
mod coverage;
mod curves;
mod evolution;
mod sphere;
mod work;

use super::{Effort, Reproduction, Size};
use crate::progress::Waiting;
use crate::train::table;
use anyhow::Result;
use arm::Arm;
use isochrone_mujoco::WorldName;
use work::Runs;

/// Which figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Experiment {
    CoverageXy,
    CoverageFull,
    GoalGeneration,
    GoalEvolution,
    ExpandingSphere,
}

/// What is judged, and what it is compared with.
struct Found {
    runs: Runs,
    /// Worlds with runs, each with its arms.
    worlds: Vec<(WorldName, Vec<Arm>)>,
}

/// Makes a figure.
pub(super) fn reproduce(
    experiment: Experiment,
    effort: &Effort,
    waiting: &Waiting,
) -> Result<Reproduction> {
    let asked = asked(experiment, effort);
    let mut runs = Runs::known(effort)?;
    let wanted: Vec<Arm> = asked
        .iter()
        .flat_map(|world| experiment.arms(*world, effort))
        .collect();
    runs.complete(&wanted, effort, waiting)?;
    let shown = WorldName::ALL.into_iter().filter_map(|world| {
        let arms = experiment.arms(world, effort);
        let arms: Vec<Arm> = arms.into_iter().filter(|arm| runs.has(arm)).collect();
        (!arms.is_empty()).then_some((world, arms))
    });
    let found = Found {
        worlds: shown.collect(),
        runs,
    };
    let (figure, csv, report) = match experiment {
        Experiment::CoverageXy => coverage::places(&found, effort),
        Experiment::CoverageFull => coverage::whole_states(&found, effort),
        Experiment::GoalGeneration => coverage::generators(&found, effort),
        Experiment::GoalEvolution => evolution::goals(&found, effort)?,
        Experiment::ExpandingSphere => sphere::expanding(&found, effort),
    };
    let arms = found.worlds.iter().flat_map(|(_, arms)| arms);
    let rows = found.runs.rows_of(&arms.collect::<Vec<_>>());
    Ok(Reproduction {
        figure,
        csv,
        report,
        results: Some(super::Numbers::Table(table::to_csv(&rows)?)),
    })
}

/// The worlds that are to be completed: those that were asked for, or the smallest.
fn asked(experiment: Experiment, effort: &Effort) -> Vec<WorldName> {
    match (effort.world, experiment) {
        (Some(world), _) => vec![world],
        (None, _) => vec![WorldName::PointMass],
    }
}

impl Experiment {
    /// What is compared in a world; the first is what the others are compared with.
    fn arms(self, world: WorldName, effort: &Effort) -> Vec<Arm> {
        let arms: &[&str] = match self {
            Self::CoverageXy => &["", "-on-policy", "-off-policy"],
            Self::CoverageFull => &["-off-policy", "-full-on-policy", "-full-off-policy"],
            Self::GoalGeneration => &[
                "",
                "-action-noise",
                "-off-policy",
                "-action-noise-off-policy",
            ],
            Self::GoalEvolution => &["-action-noise"],
            Self::ExpandingSphere => &["-on-policy", "-off-policy"],
        };
        arms.iter()
            .filter_map(|suffix| Arm::new(world, suffix, effort.size))
            .collect()
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
