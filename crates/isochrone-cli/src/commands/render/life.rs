//! What happens in a film: random actions, or a policy on its way from goal to goal.

use anyhow::{Context, Result};
use isochrone::distance::PlaceDistance;
use isochrone::env::{Environment, Observation, StepError, Successor};
use isochrone::policy::{Actor, Uniform};
use isochrone::rng::{Purpose, Rng, Seed};
use isochrone::task::Task;
use isochrone_mujoco::World;
use isochrone_mujoco::render::Goal;
use isochrone_runs::train::{TrainingRun, world_of};
use rand::RngExt;

/// A world in which somebody acts, a new episode after each end.
pub(super) struct Life {
    pub(super) world: World,
    actor: Box<dyn Actor>,
    errand: Errand,
    seed: Seed,
    episode: u64,
    steps: usize,
    seen: Observation,
    rng: Rng,
    scratch: Vec<f32>,
    action: Vec<f32>,
}

/// What is wanted.
enum Errand {
    /// Nothing; a goal may be drawn all the same.
    None(Option<Goal>),
    /// One goal after the other.
    Goals {
        agent: Box<TrainingRun>,
        now: Vec<f32>,
    },
}

impl Life {
    /// Random actions.
    pub(super) fn at_random(world: World, seed: Seed, goal: Option<Goal>) -> Self {
        let actor = Uniform(world.action_spec());
        Self::begin(world, Box::new(actor), Errand::None(goal), seed)
    }

    /// A trained policy, asked for goals of its coverage measure, drawn evenly.
    pub(super) fn of_policy(agent: TrainingRun, seed: Seed) -> Result<Self> {
        let name = world_of(&agent.spec)?;
        let name = name.mujoco().with_context(|| {
            format!("there are no pictures of {name}; there are of the worlds of MuJoCo")
        })?;
        let actor = agent.training.learner().actor()?;
        let errand = Errand::Goals {
            agent: Box::new(agent),
            now: Vec::new(),
        };
        Ok(Self::begin(name.build()?, actor, errand, seed))
    }

    fn begin(world: World, actor: Box<dyn Actor>, errand: Errand, seed: Seed) -> Self {
        let action = vec![0.0; world.action_spec().len()];
        let mut life = Self {
            world,
            actor,
            errand,
            seed,
            episode: 0,
            steps: 0,
            seen: Observation::F32(Vec::new()),
            rng: seed.stream(Purpose::Act, 0, 0),
            scratch: Vec::new(),
            action,
        };
        life.begin_episode();
        life
    }

    fn begin_episode(&mut self) {
        let mut rng = self.seed.stream(Purpose::Reset, 0, self.episode);
        self.seen = self.world.reset(&mut rng);
        self.steps = 0;
        if let Errand::Goals { agent, now } = &mut self.errand {
            let goals = &agent.built.setup.coverage_goals;
            let mut rng = self.seed.stream(Purpose::Goals, 0, self.episode);
            let any = rng.random_range(0..goals.len().max(1));
            now.clone_from(goals.get(any).unwrap_or(&Vec::new()));
        }
        self.episode += 1;
    }

    /// The goal on the floor.
    pub(super) fn goal(&self) -> Option<Goal> {
        match &self.errand {
            Errand::None(goal) => *goal,
            Errand::Goals { agent, now } => Some(Goal {
                place_m: place_of(agent, now),
                radius_m: agent.spec.agent.evaluation.radius_m,
            }),
        }
    }

    /// Has the policy arrived, or run out of time?
    fn is_over(&self) -> bool {
        let Errand::Goals { agent, now } = &self.errand else {
            return false;
        };
        let field = &agent.built.setup;
        let task = Task {
            space: &field.space,
            distance: &PlaceDistance::new(field.place.clone()),
            radius: agent.spec.agent.evaluation.radius_m,
        };
        let is_there = |seen: &[f32]| task.distance_to(seen, now).is_ok_and(|d| task.is_within(d));
        self.steps >= agent.spec.agent.evaluation.horizon_steps
            || self.seen.as_f32().is_some_and(is_there)
    }

    /// One action; the first step of an episode is taken after its state was shown.
    pub(super) fn step(&mut self) -> Result<(), StepError> {
        if self.is_over() {
            self.begin_episode();
        }
        let goal: &[f32] = match &self.errand {
            Errand::None(_) => &[],
            Errand::Goals { now, .. } => now,
        };
        let (seen, action) = (&self.seen, &mut self.action);
        (self.actor).act(seen, goal, &mut self.rng, &mut self.scratch, action);
        self.steps += 1;
        match self.world.step(&self.action) {
            Ok(Successor::Continue(seen)) => self.seen = seen,
            Ok(Successor::Terminal(_) | Successor::Truncated(_))
            | Err(StepError::Unstable { .. }) => self.begin_episode(),
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Where a goal is.
fn place_of(agent: &TrainingRun, goal: &[f32]) -> [f64; 2] {
    let entries = &agent.built.setup.place;
    let number = |k: usize| entries.get(k).and_then(|entry| goal.get(*entry));
    [0, 1].map(|k| number(k).map_or(0.0, |x| f64::from(*x)))
}
