//! The floor under coverage: what a controller reaches that pushes straight at the goal.

use super::world::{BuiltWorld, world_of};
use anyhow::Result;
use isochrone::comm::{DEFAULT_SHARDS, Shards, Single};
use isochrone::distance::PlaceDistance;
use isochrone::evaluate::{Coverage, CoveragePlan, coverage};
use isochrone::policy::StraightLine;
use isochrone::task::Task;
use isochrone_files::run_spec::{GoalSpaceName, RunSpec};
use isochrone_mujoco::World;

/// Coverage of [`StraightLine`] in the world of a spec, by its evaluation; `None` where actions are not forces along the
/// axes of the floor. Nothing is random in it: one attempt per goal is enough.
pub fn straight_line_coverage(spec: &RunSpec, threads: usize) -> Result<Option<Coverage>> {
    let Some(name) = world_of(spec)?.mujoco() else {
        return Ok(None);
    };
    if !matches!(name.build()?, World::PointMass(_)) {
        return Ok(None);
    }
    let BuiltWorld {
        setup, mut source, ..
    } = BuiltWorld::of_world(name, GoalSpaceName::Xy, threads)?;
    let (distance, evaluation) = (
        PlaceDistance::new(setup.place.clone()),
        spec.agent.evaluation,
    );
    let plan = CoveragePlan {
        goals: &setup.coverage_goals,
        task: Task {
            space: &setup.space,
            distance: &distance,
            radius: evaluation.radius_m,
        },
        horizon_steps: evaluation.horizon_steps,
        long_horizon_steps: evaluation.long_horizon_steps,
        rollouts: 1,
        seed: spec.agent.seed,
        iteration: 0,
        waypoints: None,
    };
    let actor = StraightLine::new(setup.space.clone());
    let shards = Shards::new(DEFAULT_SHARDS, 1)?;
    let covered = coverage(source.as_mut(), &actor, &plan, &Single, shards)?;
    Ok(Some(covered))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The floor that learned policies are compared with: a change here changes every figure of coverage.
    #[test]
    fn floors_of_the_point_mass_worlds() {
        let floor = |preset: &str| {
            let spec = RunSpec::preset(preset).unwrap();
            straight_line_coverage(&spec, 2).unwrap().map(|c| c.mean)
        };
        assert!(floor("maze-ant").is_none() && floor("point-2d").is_none());
        let [eight, spiral] = ["point-mass", "point-mass-spiral"].map(|p| floor(p).unwrap());
        assert!((eight - 0.447).abs() < 0.02, "{eight}");
        assert!((spiral - 0.228).abs() < 0.02, "{spiral}");
    }
}
