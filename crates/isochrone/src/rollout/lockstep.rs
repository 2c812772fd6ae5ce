//! Environments that are stepped together.

use super::episode::{Progress, Running};
use super::queue::{Next, Queue};
use super::{EpisodeSource, Plan, RolloutError};
use crate::env::{ActionSpec, Environment, Observation, ObservationSpec, StepError, Successor};
use crate::rng::Rng;
use crate::trajectory::Trajectories;

/// When episodes can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resets {
    /// In any lane, independently of the others.
    Alone,
    /// In all lanes at once, after all episodes have ended.
    Together,
}

/// Several environments of one kind, stepped by one call.
pub trait VectorEnvironment {
    /// Shape of observations.
    fn observation_spec(&self) -> ObservationSpec;

    /// Bounds of actions.
    fn action_spec(&self) -> ActionSpec;

    /// Number of lanes.
    fn lanes(&self) -> usize;

    /// When episodes can begin.
    fn resets(&self) -> Resets {
        Resets::Alone
    }

    /// Begins an episode in one lane. If episodes begin together, it is called for all lanes in order.
    fn reset(&mut self, lane: usize, rng: &mut Rng) -> Observation;

    /// One action in each of these lanes, and the results in the same order. Lanes that are not listed have no episode,
    /// and their results are ignored.
    fn step(
        &mut self,
        actions: &[(usize, &[f32])],
    ) -> Vec<Result<Successor<Observation>, StepError>>;
}

/// Copies of a native world, stepped one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Copies<E>(Vec<E>);

impl<E: Environment> Copies<E> {
    /// `lanes` worlds (at least one), each made by `make`.
    pub fn new(lanes: usize, make: impl Fn() -> E) -> Self {
        Self((0..lanes.max(1)).map(|_| make()).collect())
    }
}

impl<E: Environment> VectorEnvironment for Copies<E> {
    fn observation_spec(&self) -> ObservationSpec {
        self.0[0].observation_spec()
    }

    fn action_spec(&self) -> ActionSpec {
        self.0[0].action_spec()
    }

    fn lanes(&self) -> usize {
        self.0.len()
    }

    fn reset(&mut self, lane: usize, rng: &mut Rng) -> Observation {
        self.0[lane].reset(rng)
    }

    fn step(
        &mut self,
        actions: &[(usize, &[f32])],
    ) -> Vec<Result<Successor<Observation>, StepError>> {
        let each = actions.iter();
        each.map(|&(lane, action)| self.0[lane].step(action))
            .collect()
    }
}

/// One caller steps all lanes; a lane whose episode is over takes the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Lockstep<V> {
    world: V,
}

impl<V: VectorEnvironment> Lockstep<V> {
    /// Episodes of these environments.
    pub const fn new(world: V) -> Self {
        Self { world }
    }
}

impl<V: VectorEnvironment> EpisodeSource for Lockstep<V> {
    fn observation_spec(&self) -> ObservationSpec {
        self.world.observation_spec()
    }

    fn action_spec(&self) -> ActionSpec {
        self.world.action_spec()
    }

    fn drain(&mut self, queue: &Queue, plan: &Plan<'_>) -> Result<Trajectories, RolloutError> {
        let (seen, action) = (self.observation_spec(), self.action_spec());
        plan.check(&seen, &action)?;
        let mut lanes: Vec<Option<Running<'_>>> = Vec::new();
        lanes.resize_with(self.world.lanes(), || None);
        if lanes.is_empty() {
            return Err(RolloutError::NoLanes);
        }
        let mut finished = Vec::new();
        loop {
            let may_begin = match self.world.resets() {
                Resets::Alone => true,
                Resets::Together => lanes.iter().all(Option::is_none),
            };
            let idle = lanes.iter_mut().enumerate();
            for (lane, episode) in idle.filter(|(_, e)| may_begin && e.is_none()) {
                let Next::Run(number) = queue.next() else {
                    break;
                };
                let first = self
                    .world
                    .reset(lane, &mut Running::reset_rng(plan, number));
                *episode = Some(Running::begin(plan, number, first, &seen, &action)?);
            }
            let busy = lanes.iter_mut().enumerate();
            let actions: Vec<(usize, &[f32])> = busy
                .filter_map(|(lane, episode)| Some((lane, episode.as_mut()?.act())))
                .collect();
            if actions.is_empty() {
                break;
            }
            let stepped: Vec<usize> = actions.iter().map(|&(lane, _)| lane).collect();
            let answers = self.world.step(&actions);
            if answers.len() != stepped.len() {
                return Err(RolloutError::Answers {
                    got: answers.len(),
                    expected: stepped.len(),
                });
            }
            for (lane, answer) in stepped.into_iter().zip(answers) {
                let Some(mut episode) = lanes[lane].take() else {
                    continue;
                };
                match episode.advance(answer)? {
                    Progress::Goes => lanes[lane] = Some(episode),
                    Progress::Over => {
                        let (number, episode) = (episode.number(), episode.finish());
                        queue.finished(number, episode.policy_steps());
                        finished.push((number, Ok(episode)));
                    }
                }
            }
        }
        super::join(finished, &seen, &action)
    }
}
