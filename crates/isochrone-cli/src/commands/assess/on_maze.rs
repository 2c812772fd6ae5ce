//! A distance against exact truth, in a maze whose states are (column, row).

use crate::world::World;
use anyhow::{Context, Result, bail};
use isochrone::distance::Distance;
use isochrone::evaluate::{
    AgainstTruth, Descent, Goals, JudgedPair, Triangle, Triples, against_truth, descent, triangle,
};
use isochrone::markov::{passage_times, steps_to};
use isochrone::maze::Maze;
use isochrone::rng::Seed;
use isochrone_files::model::DistanceModel;
use serde::Serialize;

/// Larger mazes need too much memory for the dense inverse.
const MOST_STATES: usize = 3_000;
/// The largest number of goals, evenly spaced over the states.
const MOST_GOALS: usize = 250;
const TRIPLES: usize = 100_000;

/// What was found in a maze.
#[derive(Serialize)]
pub(super) struct OnMaze {
    pub(super) states: usize,
    pub(super) goals: usize,
    /// The symmetric part against half the commute time.
    pub(super) half_commute: AgainstTruth,
    /// The time there against the mean first-passage time.
    pub(super) passage: AgainstTruth,
    /// The time there against the fewest steps.
    pub(super) shortest: AgainstTruth,
    pub(super) descent: Descent,
    pub(super) triangle: Option<Triangle>,
}

impl OnMaze {
    pub(super) fn find(model: &DistanceModel, world: &World) -> Result<Self> {
        let maze = world.maze.as_ref();
        let maze = maze.context("an edge list's states lie nowhere; give a maze of # and .")?;
        let states = states(model, maze)?;
        let n = states.len();
        if n > MOST_STATES {
            bail!(
                "the maze has {n} states; exact truth for all of them is limited to {MOST_STATES}"
            );
        }
        let points = states.iter().map(|s| model.distance.embed(s));
        let points: Vec<Vec<f32>> = points.collect::<Result<_, _>>()?;
        let metric = model.distance.metric();
        let stride = n.div_ceil(MOST_GOALS);
        let passage = passage_times(&world.chain);
        let (mut half, mut there, mut short) = (Vec::new(), Vec::new(), Vec::new());
        for goal in (0..n).step_by(stride) {
            let shortest = steps_to(&world.chain, goal);
            for state in 0..n {
                let pair = |predicted: f64, exact: f64| JudgedPair {
                    goal,
                    predicted,
                    exact,
                };
                let (x, g) = (&points[state], &points[goal]);
                let way = metric.one_way(x, g);
                let (to, from) = (passage[(state, goal)], passage[(goal, state)]);
                half.push(pair(metric.symmetric(x, g), f64::midpoint(to, from)));
                there.push(pair(way, to));
                short.push(pair(way, f64::from(shortest[state])));
            }
        }
        let goals = Goals::All;
        Ok(Self {
            states: n,
            goals: n.div_ceil(stride),
            half_commute: against_truth(&half)?,
            passage: against_truth(&there)?,
            shortest: against_truth(&short)?,
            descent: descent(&world.chain, goals, |goal| {
                let to = |x: &Vec<f32>| metric.one_way(x, &points[goal]);
                points.iter().map(to).collect()
            })?,
            triangle: detours(n, &points, model)?,
        })
    }
}

fn detours(n: usize, points: &[Vec<f32>], model: &DistanceModel) -> Result<Option<Triangle>> {
    if n < 3 {
        return Ok(None);
    }
    let triples = Triples::Sample {
        n_triples: TRIPLES,
        seed: Seed(0),
    };
    let metric = model.distance.metric();
    Ok(Some(triangle(n, triples, |i, j| {
        metric.one_way(&points[i], &points[j])
    })?))
}

/// The states as `isochrone collect` writes them.
pub(super) fn states(model: &DistanceModel, maze: &Maze) -> Result<Vec<Vec<f32>>> {
    let width = model.distance.inputs();
    if width != 2 {
        bail!("the distance is for states of {width} entries; a maze's states are column and row");
    }
    let state = |number: usize| {
        let cell = maze.cell(number);
        vec![cell.column as f32, cell.row as f32]
    };
    Ok((0..maze.n_states()).map(state).collect())
}

/// Distances from all states to one, for a picture.
pub(super) fn distances_to(model: &DistanceModel, maze: &Maze, goal: usize) -> Result<Vec<f64>> {
    let states = states(model, maze)?;
    let to = |state: &Vec<f32>| model.distance.between(state, &states[goal]);
    Ok(states.iter().map(to).collect::<Result<_, _>>()?)
}
