//! SAC with hindsight: a replay buffer of whole episodes, goals relabelled when they are drawn.

use super::path::{Path, paths_of_ranks};
use super::planned::PlannedWaypoints;
use super::replay::{Replay, Step};
use super::reward::{GoalReward, GoalStep, RewardScale, StepEnd};
use super::{Experience, LearnerError, LearnerReport, PolicyIo, PolicyLearner, Wants};
use crate::comm::Workers;
use crate::distance_spec::SpecError;
use crate::env::ActionSpec;
use crate::nn::{NamedArray, NamedArrayError, find_u64};
use crate::policy::{Actor, InputRow, PolicyInput};
use crate::rng::{Rng, Seed};
use crate::sac::{Imitation, Minibatch, Sac, SacIo, SacReport, SacSpec};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Updates between two polls for a stop: a fraction of a second. The states that a distance learns from first leave tens of
/// thousands due at once.
const POLL_UPDATES: u64 = 256;

/// One transition in so many is looked up on the roadmap for imitation: all of them would take as long as the update.
const IMITATED_EVERY: usize = 4;

/// Settings of [`SacLearner`]. Those of [`SacSpec`] are repeated: serde cannot flatten a spec and refuse unknown keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SacLearnerSpec {
    /// What policy and critics see.
    pub input: PolicyInput,
    /// Widths of the hidden layers of policy and critics.
    pub hidden: Vec<usize>,
    /// Adam's, of policy, critics and temperature.
    pub learning_rate: f64,
    /// Transitions of an update.
    pub batch: usize,
    /// τ: how far the target critics follow in an update.
    pub tau: f64,
    /// The entropy asked for, per entry of an action; at most ln 2.
    pub target_entropy: f64,
    /// α at the beginning.
    pub first_temperature: f64,
    /// γ, the discount factor, below 1.
    pub discount: f64,
    /// What a step is worth.
    pub reward: GoalReward,
    /// The distance that counts as far, for the rewards `linear` and `potential`.
    pub max_distance: f64,
    /// Updates per environment step.
    pub updates_per_step: f64,
    /// Environment steps before the first update.
    pub warm_up_steps: usize,
    /// Steps that the replay buffer keeps.
    pub replay_steps: usize,
    /// The share of transitions whose goal is a later state of the same episode, …
    pub future_share: f64,
    /// … the last one, …
    pub final_share: f64,
    /// … a state of any episode. The others keep the goal that the policy pursued.
    pub random_share: f64,
    /// λ of [`Imitation`](crate::sac::Imitation): towards goals of two hops and more, the policy imitates what it does for the planner's next
    /// waypoint. Without a planner it has no effect.
    pub imitation_weight: f64,
}

impl SacLearnerSpec {
    /// Checks the ranges of all settings.
    pub fn check(&self) -> Result<(), SpecError> {
        self.sac().check()?;
        let refuse = |field, value, rule| Err(SpecError { field, value, rule });
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let shares = self.future_share + self.final_share + self.random_share;
        let per_step = self.updates_per_step;
        let from_0_to_1 = "from 0 to 1";
        let rules = [
            (
                "discount",
                self.discount,
                (0.0..1.0).contains(&self.discount),
                "at least 0 and below 1, or goals that are never reached have infinite values",
            ),
            (
                "future_share",
                self.future_share,
                share(self.future_share),
                from_0_to_1,
            ),
            (
                "final_share",
                self.final_share,
                share(self.final_share),
                from_0_to_1,
            ),
            (
                "random_share",
                self.random_share,
                share(self.random_share),
                from_0_to_1,
            ),
            (
                "future_share + final_share + random_share",
                shares,
                // 0.7 + 0.2 + 0.1 is not exactly 1.
                shares <= 1.0 + 1e-9,
                "at most 1",
            ),
            (
                "max_distance",
                self.max_distance,
                self.max_distance > 0.0 && self.max_distance.is_finite(),
                "finite and above 0",
            ),
            (
                "updates_per_step",
                per_step,
                (0.0..=100.0).contains(&per_step),
                "from 0 to 100",
            ),
            (
                "imitation_weight",
                self.imitation_weight,
                (0.0..=1_000.0).contains(&self.imitation_weight),
                "from 0 to 1,000",
            ),
            (
                "replay_steps",
                self.replay_steps as f64,
                (1_000..=1_000_000_000).contains(&self.replay_steps),
                "from a thousand to a billion",
            ),
        ];
        match rules.into_iter().find(|(.., is_kept, _)| !is_kept) {
            Some((field, value, _, rule)) => refuse(field, value, rule),
            None => Ok(()),
        }
    }

    fn sac(&self) -> SacSpec {
        SacSpec {
            hidden: self.hidden.clone(),
            learning_rate: self.learning_rate,
            batch: self.batch,
            tau: self.tau,
            target_entropy: self.target_entropy,
            first_temperature: self.first_temperature,
        }
    }
}

/// Soft actor-critic (Haarnoja et al. 2018) with hindsight experience replay (Andrychowicz et al. 2017).
#[derive(Clone, Debug, PartialEq)]
pub struct SacLearner {
    spec: SacLearnerSpec,
    inputs: InputRow,
    bounds: ActionSpec,
    goal_length: usize,
    sac: Sac,
    replay: Replay,
    /// Environment steps so far.
    steps: u64,
}

impl SacLearner {
    /// An untrained policy and critics, and an empty buffer.
    pub fn new(spec: &SacLearnerSpec, io: &PolicyIo, seed: Seed) -> Result<Self, LearnerError> {
        spec.check()?;
        let width = &io.goal_half_width;
        let inputs = InputRow::new(spec.input, io.observation.len(), &io.goals, width);
        let (goal_length, actions) = (io.goals.dims(), io.action.len());
        let of_sac = SacIo {
            inputs: inputs.len(),
            actions,
            value_range: spec.reward.value_range(spec.discount).map(|of| of as f32),
        };
        Ok(Self {
            sac: Sac::new(&spec.sac(), of_sac, seed),
            replay: Replay::new(
                io.observation.len(),
                actions,
                goal_length,
                spec.replay_steps,
            ),
            inputs,
            bounds: io.action.clone(),
            goal_length,
            steps: 0,
            spec: spec.clone(),
        })
    }

    /// min Q(s, g, a) of rows that policy and critics see, and of actions as shares of their bounds.
    pub fn values(&self, inputs: &[f32], actions: &[f32]) -> Vec<f32> {
        self.sac.values(inputs, actions)
    }

    /// Adds the episodes of all ranks to the buffer.
    fn keep(
        &mut self,
        experience: &Experience<'_>,
        workers: &Workers<'_>,
    ) -> Result<(), LearnerError> {
        let paths = experience.trajectories;
        let episodes = paths.episodes().iter();
        let mine = episodes.filter_map(|episode| Path::of(paths, episode));
        for path in paths_of_ranks(mine.collect(), self.goal_length, workers)? {
            self.steps += path.steps as u64;
            self.replay.add(&path);
        }
        Ok(())
    }

    /// Updates that are due: those of all steps so far, less those done.
    fn due(&self) -> u64 {
        let steps = self.steps.saturating_sub(self.spec.warm_up_steps as u64);
        let all = (steps as f64 * self.spec.updates_per_step) as u64;
        all.saturating_sub(self.sac.updates())
    }

    /// Draws the transitions of an update.
    fn draw(
        &self,
        experience: &Experience<'_>,
        planned: Option<&PlannedWaypoints<'_>>,
        rng: &mut Rng,
        batch: &mut Minibatch,
    ) -> Result<(), LearnerError> {
        batch.clear();
        let draw = |_| {
            let step = self.replay.draw(rng);
            (step, self.draw_goal(step, experience, rng))
        };
        let drawn: Vec<(Step, Vec<f32>)> = (0..self.spec.batch).map(draw).collect();
        let pairs = drawn
            .iter()
            .map(|(step, goal)| (self.replay.next_state(*step), goal.as_slice()));
        let pairs: Vec<(&[f32], &[f32])> = pairs.collect();
        let distances = experience.task.distances_to(&pairs)?;
        let before = if self.spec.reward.asks_before() {
            self.distances_before(&drawn, experience)?
        } else {
            vec![0.0; distances.len()]
        };
        if let Some(planned) = planned {
            self.imitate(&drawn, planned, &mut batch.imitation)?;
        }
        let scale = RewardScale {
            discount: self.spec.discount,
            max_distance: self.spec.max_distance,
        };
        for (((step, goal), after), before) in drawn.into_iter().zip(distances).zip(before) {
            let next = self.replay.next_state(step);
            let end = match experience.task.is_within(after) {
                true => StepEnd::Reached,
                false if self.replay.is_terminal(step) => StepEnd::Lost,
                false => StepEnd::GoesOn,
            };
            let goal_step = GoalStep { before, after, end };
            let reward = self.spec.reward.of(&goal_step, scale);
            batch.rewards.push(reward as f32);
            batch.discounts.push(match end {
                StepEnd::Reached | StepEnd::Lost => 0.0,
                StepEnd::GoesOn => scale.discount as f32,
            });
            let state = self.replay.state(step);
            self.inputs.extend(&mut batch.inputs, state, &goal);
            self.inputs.extend(&mut batch.next_inputs, next, &goal);
            batch
                .actions
                .extend(self.bounds.shares(self.replay.action(step)));
        }
        Ok(())
    }

    /// Fills in what some of the transitions imitate.
    fn imitate(
        &self,
        drawn: &[(Step, Vec<f32>)],
        planned: &PlannedWaypoints<'_>,
        imitation: &mut Imitation,
    ) -> Result<(), LearnerError> {
        imitation.weight = self.spec.imitation_weight as f32;
        let rows = (0..drawn.len()).step_by(IMITATED_EVERY);
        let pair = |row: usize| {
            let (step, goal) = &drawn[row];
            (self.replay.state(*step), goal.as_slice())
        };
        let pairs: Vec<(&[f32], &[f32])> = rows.clone().map(pair).collect();
        let waypoints = planned.between(&pairs)?;
        for ((row, (state, _)), waypoint) in rows.zip(pairs).zip(waypoints) {
            if let Some(waypoint) = waypoint {
                imitation.rows.push(row);
                self.inputs.extend(&mut imitation.inputs, state, waypoint);
            }
        }
        Ok(())
    }

    /// The distances to the goals before the steps.
    fn distances_before(
        &self,
        drawn: &[(Step, Vec<f32>)],
        experience: &Experience<'_>,
    ) -> Result<Vec<f64>, LearnerError> {
        let pairs = drawn
            .iter()
            .map(|(step, goal)| (self.replay.state(*step), goal.as_slice()));
        let pairs: Vec<(&[f32], &[f32])> = pairs.collect();
        Ok(experience.task.distances_to(&pairs)?)
    }

    /// The goal that a transition is learned for: the policy's own, or one in hindsight.
    fn draw_goal(&self, step: Step, experience: &Experience<'_>, rng: &mut Rng) -> Vec<f32> {
        let SacLearnerSpec {
            future_share,
            final_share,
            random_share,
            ..
        } = self.spec;
        let share: f64 = rng.random();
        let own = self.replay.goal(step);
        let state = match own {
            _ if share < future_share => self.replay.draw_future(step, rng),
            _ if share < future_share + final_share => self.replay.end(step),
            _ if share < future_share + final_share + random_share => {
                self.replay.next_state(self.replay.draw(rng))
            }
            Some(goal) => return goal.to_vec(),
            // Random actions after the policy's part have no goal of their own.
            None => self.replay.draw_future(step, rng),
        };
        experience.goals.project(state).into_owned()
    }
}

impl PolicyLearner for SacLearner {
    fn actor(&self) -> Result<Box<dyn Actor>, LearnerError> {
        let policy = self.sac.freeze(self.inputs.clone(), &self.bounds)?;
        Ok(Box::new(policy))
    }

    fn greedy_actor(&self) -> Result<Box<dyn Actor>, LearnerError> {
        let policy = self.sac.freeze(self.inputs.clone(), &self.bounds)?;
        Ok(Box::new(policy.without_noise()))
    }

    /// Without noise: the noise of SAC is for exploration.
    fn evaluation_actor(&self) -> Result<Box<dyn Actor>, LearnerError> {
        self.greedy_actor()
    }

    fn wants(&self) -> Wants {
        Wants::Replay
    }

    fn learn(
        &mut self,
        experience: &Experience<'_>,
        workers: &Workers<'_>,
    ) -> Result<LearnerReport, LearnerError> {
        self.learn_until_stopped(experience, workers, &mut || ControlFlow::Continue(()))
    }

    /// Adds the episodes of all ranks to the buffer, then makes the updates that are due, the same on every rank.
    fn learn_until_stopped(
        &mut self,
        experience: &Experience<'_>,
        workers: &Workers<'_>,
        poll: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<LearnerReport, LearnerError> {
        self.keep(experience, workers)?;
        let (mut report, mut batch) = (SacReport::default(), Minibatch::default());
        let due = if self.replay.steps() > 0 {
            self.due()
        } else {
            0
        };
        let is_imitated = self.spec.imitation_weight > 0.0 && due > 0;
        let waypoints = experience.waypoints.filter(|_| is_imitated);
        let planned = waypoints.map(PlannedWaypoints::new);
        for update in 1..=due {
            if update.is_multiple_of(POLL_UPDATES) && poll().is_break() {
                return Err(LearnerError::Stopped);
            }
            let mut rng = self.sac.next_stream();
            self.draw(experience, planned.as_ref(), &mut rng, &mut batch)?;
            report.add(&self.sac.update(&batch, &mut rng)?);
        }
        Ok(LearnerReport::Sac(report))
    }

    fn observe(
        &mut self,
        experience: &Experience<'_>,
        workers: &Workers<'_>,
    ) -> Result<(), LearnerError> {
        self.keep(experience, workers)
    }

    fn save(&self) -> Vec<NamedArray> {
        let mut arrays = self.sac.save();
        arrays.extend(self.replay.save());
        arrays.push(NamedArray::u64("replay.steps", [self.steps]));
        arrays
    }

    fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        self.sac.restore(arrays)?;
        self.replay.restore(arrays)?;
        [self.steps] = find_u64(arrays, "replay.steps")?;
        Ok(())
    }
}
