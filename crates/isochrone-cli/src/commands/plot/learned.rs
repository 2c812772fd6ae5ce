//! What a learned distance has become: steps to the start, over the floor.

use super::groups::Group;
use anyhow::Result;
use isochrone_figures::{ColourBar, ColourScale, Panel};
use isochrone_files::run_spec::GoalSpaceName;
use isochrone_runs::floor::Floor;
use isochrone_runs::isochrones::round_levels;
use isochrone_runs::train::{TrainingRun, world_of};

/// Cells of the map.
const CELL_M: f64 = 0.4;

/// The distance of the group's first run from every position to the start, with isochrones; for whole states, of those at
/// rest. `None` for the Euclidean distance, or if the run has no checkpoint yet.
pub(super) fn map(group: &Group) -> Result<Option<Panel>> {
    let Some(run) = group.runs.first() else {
        return Ok(None);
    };
    let Some(name) = world_of(&run.spec)?.mujoco() else {
        return Ok(None);
    };
    let is_straight = run.spec.agent.distance.predictor().is_none();
    if is_straight
        || !run
            .path
            .join(isochrone_files::run_folder::CHECKPOINT)
            .exists()
    {
        return Ok(None);
    }
    let (world, agent) = (name.build()?, TrainingRun::of_run(&run.path, None, 1)?);
    let goal = |place: [f64; 2]| {
        let place = place.map(|x| x as f32);
        match run.spec.goal_space {
            GoalSpaceName::Xy => place.to_vec(),
            GoalSpaceName::Full | GoalSpaceName::FullAtRest => world.state_at(place),
        }
    };
    let (distance, start) = (agent.training.distance(), goal([0.0; 2]));
    let floor = Floor::of(&world, CELL_M).with_y_up();
    let steps = floor.map(|place| {
        // Both are of the run's own space.
        distance.between(&goal(place), &start).unwrap_or(f64::NAN)
    });
    let farthest = steps.iter().flatten().copied().fold(0.0, f64::max);
    let title = format!(
        "{}, seed {}: steps to the start",
        group.name, run.spec.agent.seed.0
    );
    let colour = ColourScale {
        label: format!(
            "steps as learned, iteration {}; ε is {}",
            agent.training.counters().iteration,
            run.spec.agent.distance.radius()
        ),
        low: 0.0,
        high: farthest.max(1.0),
        bar: ColourBar::Below,
    };
    let levels = round_levels(farthest);
    Ok(Some(floor.panel(title, steps, colour, levels)))
}
