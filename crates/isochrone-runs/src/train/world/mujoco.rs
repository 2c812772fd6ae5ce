//! The MuJoCo worlds behind [`BuiltWorld`].

use super::BuiltWorld;
use crate::train::meter::{Meter, Timed};
use anyhow::{Context, Result};
use isochrone::distance::Feasibility;
use isochrone::env::Environment;
use isochrone::goal::{GoalRange, Proposals};
use isochrone::rollout::Threads;
use isochrone::train::GoalSetup;
use isochrone_files::run_spec::GoalSpaceName;
use isochrone_mujoco::{World, WorldName};
use std::sync::Arc;

pub(super) fn build(name: WorldName, goals: GoalSpaceName, threads: usize) -> Result<BuiltWorld> {
    let (world, meter) = (name.build()?, Meter::default());
    let setup = match goals {
        GoalSpaceName::Xy => positions(&world)?,
        GoalSpaceName::Full => whole_states(&world, world.state_proposals()?)?,
        GoalSpaceName::FullAtRest => whole_states(&world, world.standing_proposals()?)?,
    };
    let make = || Timed::new(world.clone(), meter.clone());
    Ok(BuiltWorld {
        setup,
        source: Box::new(Threads::new(threads, make)),
        meter,
    })
}

fn feasibility(world: &World) -> Feasibility {
    let arena = world.arena().cloned();
    Arc::new(move |goal| {
        let place = [0, 1].map(|k| goal.get(k).map_or(f64::NAN, |x| f64::from(*x)));
        arena.as_ref().is_none_or(|arena| arena.is_feasible(place))
    })
}

/// Goals are positions in the plane.
fn positions(world: &World) -> Result<GoalSetup> {
    let goals = world.coverage_goals_m().into_iter();
    Ok(GoalSetup {
        observation: world.observation_spec(),
        action: world.action_spec(),
        space: world.xy_space().context("this world has no places")?,
        proposals: Proposals::whole(2),
        range: world.goal_range()?,
        measured: Vec::new(),
        place: vec![0, 1],
        coverage_goals: goals.map(|goal| goal.map(|x| x as f32).to_vec()).collect(),
        whole_state: Some((world.full_state_space()?, world.standing_proposals()?)),
        is_feasible: Some(feasibility(world)),
    })
}

/// Goals are whole states, made from these proposals.
fn whole_states(world: &World, proposals: Proposals) -> Result<GoalSetup> {
    let goals = world.coverage_goals_m().into_iter();
    let goals = goals.map(|goal| world.state_at(goal.map(|x| x as f32)));
    let (space, range) = (world.full_state_space()?, world.goal_range()?);
    // The range of velocities is unknown: it is measured.
    let measured: Vec<usize> = (range.centre().len()..proposals.dims()).collect();
    let widened = |side: &[f32]| [side, &vec![0.0; measured.len()]].concat();
    Ok(GoalSetup {
        observation: world.observation_spec(),
        action: world.action_spec(),
        range: GoalRange::new(widened(range.centre()), widened(range.half_width()))?,
        proposals,
        measured,
        place: world.place_entries().to_vec(),
        coverage_goals: goals.collect(),
        whole_state: Some((space.clone(), Proposals::whole(space.dims()))),
        is_feasible: Some(feasibility(world)),
        space,
    })
}
