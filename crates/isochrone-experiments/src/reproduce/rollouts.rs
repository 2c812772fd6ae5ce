//! Random rollouts of a MuJoCo world: training data and held-out data.

use super::predictor_config::{HORIZON_STEPS, PredictorConfig, Seen, Starts};
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

/// Episodes of random rollouts, projected to the predictor's input.
pub(super) struct Rollouts {
    states: Vec<f32>,
    width: usize,
    ranges: Vec<Range<usize>>,
}

/// A world with rollouts to learn from and held-out ones.
pub(super) struct Data {
    pub(super) world: World,
    pub(super) space: GoalSpace,
    pub(super) learn: Rollouts,
    pub(super) held_out: Rollouts,
}

impl Data {
    /// Uniform random actions; the same for every q and every rate.
    pub(super) fn gather(config: &PredictorConfig, seed: u64) -> Result<Self> {
        let world = config.world.build()?;
        let space = match config.seen {
            Seen::FullState => world.full_state_space()?,
            Seen::Place => world.xy_space()?,
        };
        let roll = |phase, steps| match config.starts {
            Starts::Fixed => Rollouts::of(&world, &space, seed, phase, steps),
            Starts::Anywhere => {
                let anywhere = Anywhere::new(world.clone())?;
                Rollouts::of(&anywhere, &space, seed, phase, steps)
            }
        };
        Ok(Self {
            learn: roll(Phase::Train, config.amount.steps)?,
            held_out: roll(Phase::Evaluate, config.amount.held_out_steps)?,
            space,
            world,
        })
    }

    /// The predictor's input for the body at rest at a place.
    pub(super) fn at_rest(&self, place_m: [f64; 2]) -> Vec<f32> {
        let state = self.world.state_at(place_m.map(|x| x as f32));
        self.space.project(&state).into_owned()
    }
}

impl Rollouts {
    /// At least `steps` steps in whole episodes of at most 500 steps.
    pub(super) fn of<E: Environment + Clone + Send>(
        world: &E,
        space: &GoalSpace,
        seed: u64,
        phase: Phase,
        steps: usize,
    ) -> Result<Self> {
        let streams = Streams {
            seed: Seed(seed),
            iteration: 0,
            phase,
        };
        Self::with_horizon(world, space, streams, steps, HORIZON_STEPS)
    }

    /// The same in episodes of at most `horizon_steps`.
    pub(super) fn with_horizon<E: Environment + Clone + Send>(
        world: &E,
        space: &GoalSpace,
        streams: Streams,
        steps: usize,
        horizon_steps: usize,
    ) -> Result<Self> {
        let plan = Plan {
            streams,
            actor: &Uniform(world.action_spec()),
            goals: &NoGoal,
            task: None,
            horizon_steps,
            tail: Tail::Off,
            waypoints: None,
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

    /// State by state.
    pub(super) fn states(&self) -> impl Iterator<Item = &[f32]> {
        self.states.chunks_exact(self.width)
    }

    /// The rows of each episode.
    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    pub(super) fn episodes(&self) -> Result<Episodes<'_>> {
        let ranges = self.ranges.clone();
        Ok(Episodes::new(&self.states, self.width, ranges)?)
    }
}
