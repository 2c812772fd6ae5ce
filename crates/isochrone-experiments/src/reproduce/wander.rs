//! Random rollouts of a world.

use super::asked::{Asked, HORIZON_STEPS, Seen, Starts};
use anyhow::Result;
use isochrone::env::Environment;
use isochrone::goal::GoalSpace;
use isochrone::pairs::Episodes;
use isochrone::policy::Uniform;
use isochrone::rng::Seed;
use isochrone::rollout::{NoGoal, Phase, Plan, Streams, Tail, Threads, collect_alone};
use isochrone::trajectory::Episode;
use isochrone_mujoco::{Anywhere, World};
use std::ops::Range;

/// States of random rollouts, as the predictor sees them.
pub(super) struct Walks {
    states: Vec<f32>,
    width: usize,
    ranges: Vec<Range<usize>>,
}

/// Rollouts for training, and others for evaluation.
pub(super) struct Data {
    pub(super) world: World,
    pub(super) space: GoalSpace,
    pub(super) learn: Walks,
    pub(super) held_out: Walks,
}

impl Data {
    /// Uniform random actions; the same for every q and every rate.
    pub(super) fn gather(asked: &Asked, seed: u64) -> Result<Self> {
        let world = asked.world.build()?;
        let space = match asked.seen {
            Seen::FullState => world.full_state_space()?,
            Seen::Place => world.xy_space()?,
        };
        let roll = |phase, steps| match asked.starts {
            Starts::Fixed => Walks::of(&world, &space, seed, phase, steps),
            Starts::Anywhere => {
                let anywhere = Anywhere::new(world.clone())?;
                Walks::of(&anywhere, &space, seed, phase, steps)
            }
        };
        Ok(Self {
            learn: roll(Phase::Train, asked.amount.steps)?,
            held_out: roll(Phase::Evaluate, asked.amount.held_out_steps)?,
            space,
            world,
        })
    }

    /// The state at rest at a place, as the predictor sees it.
    pub(super) fn at_rest(&self, place_m: [f64; 2]) -> Vec<f32> {
        let state = self.world.state_at(place_m.map(|x| x as f32));
        self.space.project(&state).into_owned()
    }
}

impl Walks {
    /// At least `steps` steps in whole episodes.
    pub(super) fn of<E: Environment + Clone + Send>(
        world: &E,
        space: &GoalSpace,
        seed: u64,
        phase: Phase,
        steps: usize,
    ) -> Result<Self> {
        let plan = Plan {
            streams: Streams {
                seed: Seed(seed),
                iteration: 0,
                phase,
            },
            actor: &Uniform(world.action_spec()),
            goals: &NoGoal,
            task: None,
            horizon_steps: HORIZON_STEPS,
            tail: Tail::Off,
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let seen = collect_alone(&mut Threads::new(threads, || world.clone()), &plan, steps)?;
        let rows = seen.observations().as_f32().unwrap_or_default();
        let each = rows.chunks_exact(space.observation_length());
        Ok(Self {
            states: each.flat_map(|row| space.project(row).to_vec()).collect(),
            width: space.dims(),
            ranges: seen.episodes().iter().map(Episode::rows).collect(),
        })
    }

    pub(super) fn episodes(&self) -> Result<Episodes<'_>> {
        let ranges = self.ranges.clone();
        Ok(Episodes::new(&self.states, self.width, ranges)?)
    }
}
