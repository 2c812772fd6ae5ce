//! What a learned distance has become: steps to the start, over the floor.

use super::groups::Group;
use crate::figure::{ColourBar, ColourScale, Panel};
use crate::floor::Floor;
use crate::isochrones::round_levels;
use crate::train::{Agent, DistanceName, GoalSpaceName};
use anyhow::Result;

/// Cells of the map.
const CELL_M: f64 = 0.4;

/// The distance of the group's first run from every place to the start, with isochrones; of whole states, of those at
/// rest. Nothing where the distance is the straight line, or the run has no checkpoint yet.
pub(super) fn map(group: &Group) -> Result<Option<Panel>> {
    let Some(run) = group.runs.first() else {
        return Ok(None);
    };
    let Some(name) = run.spec.world.mujoco() else {
        return Ok(None);
    };
    let is_straight = run.spec.distance == DistanceName::Euclidean;
    if is_straight || !run.path.join(crate::run_folder::CHECKPOINT).exists() {
        return Ok(None);
    }
    let (world, agent) = (name.build()?, Agent::of_run(&run.path, None, 1)?);
    let goal = |place: [f64; 2]| {
        let place = place.map(|x| x as f32);
        match run.spec.goal_space {
            GoalSpaceName::Xy => place.to_vec(),
            GoalSpaceName::Full => world.state_at(place),
        }
    };
    let (distance, start) = (agent.training.distance(), goal([0.0; 2]));
    let floor = Floor::of(&world, CELL_M).with_y_up();
    let steps = floor.map(|place| distance.between(&goal(place), &start));
    let farthest = steps.iter().flatten().copied().fold(0.0, f64::max);
    let title = format!("{}, seed {}: steps to the start", group.name, run.spec.seed);
    let colour = ColourScale {
        label: format!(
            "steps as learned, iteration {}; ε is {}",
            agent.training.counters().iteration,
            run.spec.epsilon_steps
        ),
        low: 0.0,
        high: farthest.max(1.0),
        bar: ColourBar::Below,
    };
    let levels = round_levels(farthest);
    Ok(Some(floor.panel(title, steps, colour, levels)))
}
