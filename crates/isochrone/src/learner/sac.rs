//! SAC with hindsight: a replay buffer of whole episodes, goals relabelled when they are drawn.

use super::path::{Path, paths_of_ranks};
use super::planned::PlannedWaypoints;
use super::replay::{Replay, Step};
use super::reward::{GoalStep, RewardScale, StepEnd};
use super::sac_spec::SacLearnerSpec;
use super::{Experience, LearnerError, LearnerReport, PolicyIo, PolicyLearner, Wants};
use crate::comm::Workers;
use crate::env::ActionSpec;
use crate::nn::{NamedArray, NamedArrayError, find_u64};
use crate::policy::{Actor, InputRow};
use crate::rng::{Rng, Seed};
use crate::sac::{Imitation, Minibatch, Sac, SacIo, SacReport};
use rand::RngExt;
use std::ops::ControlFlow;

/// Updates between two polls for a stop: a fraction of a second. The states that a distance learns from first leave tens of
/// thousands due at once.
const POLL_UPDATES: u64 = 256;

/// One transition in so many is looked up on the roadmap for imitation: each costs two embeddings and two searches.
const IMITATED_EVERY: usize = 4;

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

    /// Fills in what some of the transitions imitate: for their goal, the policy's action for the next waypoint.
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
        let planned = waypoints.map(|of| PlannedWaypoints::new(of, self.goal_length));
        let planned = planned.transpose()?.flatten();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{Shards, Single};
    use crate::distance::{Euclidean, Learned};
    use crate::env::{Observation, ObservationSpec};
    use crate::goal::{GoalSpace, Proposals};
    use crate::learner::GoalReward;
    use crate::pairs::Episodes;
    use crate::policy::PolicyInput;
    use crate::roadmap::{HopRule, Roadmap};
    use crate::rollout::{GoalTest, Waypoints};
    use crate::task::Task;
    use crate::trajectory::Trajectories;

    const LANDMARKS: [f32; 4] = [0.0, 3.0, 6.0, 9.0];

    fn spec() -> SacLearnerSpec {
        SacLearnerSpec {
            input: PolicyInput::StateGoal,
            hidden: vec![4],
            learning_rate: 1e-3,
            batch: 400,
            tau: 0.01,
            target_entropy: -1.0,
            first_temperature: 0.1,
            discount: 0.9,
            reward: GoalReward::StepCost,
            max_distance: 1.0,
            updates_per_step: 0.0,
            warm_up_steps: 0,
            replay_steps: 1_000,
            future_share: 1.0,
            final_share: 0.0,
            random_share: 0.0,
            imitation_weight: 0.5,
        }
    }

    /// Of a walk from 0 to 9, one unit per step.
    fn map() -> Roadmap {
        let walk: Vec<f32> = (0_u8..10).map(f32::from).collect();
        let distance = Learned::euclidean(1, None, 1.0).unwrap();
        let rule = HopRule::Witnessed { steps: 3 };
        let mut map = Roadmap::new(distance, LANDMARKS.to_vec(), rule).unwrap();
        let episodes = Episodes::new(&walk, 1, std::iter::once(0..10).collect());
        map.witness(&episodes.unwrap(), 1).unwrap();
        map
    }

    /// Every fourth transition with a goal of two hops and more imitates the waypoint of its own state and goal, and imitation
    /// changes no transition.
    #[test]
    fn transitions_imitate_their_own_waypoints() {
        let state = |step: u8| Observation::F32(vec![f32::from(step)]);
        let mut paths = Trajectories::new(&ObservationSpec::vector(1), 1);
        paths.begin(0, vec![9.0], &state(0)).unwrap();
        (1..=9).for_each(|step| paths.push_step(&[1.0], &state(step)).unwrap());
        paths.last_mut().unwrap().policy_steps = 9;
        let map = map();
        let goals = GoalSpace::entries(&[0], &ObservationSpec::vector(1)).unwrap();
        let task = Task {
            space: &goals,
            distance: &Euclidean,
            radius: 0.5,
        };
        let (landmarks, whole) = (LANDMARKS.map(|goal| vec![goal]), Proposals::whole(1));
        let planned = PlannedWaypoints::new(
            Waypoints {
                map: &map,
                goals: &landmarks,
                goal_state: &whole,
                task,
                limit_steps: 5,
                goal_test: GoalTest::WhenAimedAt,
            },
            1,
        );
        let planned = planned.unwrap();
        let io = PolicyIo {
            observation: ObservationSpec::vector(1),
            goals: goals.clone(),
            goal_half_width: Vec::new(),
            action: ActionSpec::symmetric(1, 1.0),
        };
        let mut learner = SacLearner::new(&spec(), &io, Seed(1)).unwrap();
        let experience = Experience {
            trajectories: &paths,
            goals: &goals,
            task,
            waypoints: None,
        };
        let workers = Workers {
            comm: &Single,
            shards: Shards::new(1, 1).unwrap(),
            threads: 1,
        };
        learner.observe(&experience, &workers).unwrap();
        let draw = |planned: Option<&PlannedWaypoints<'_>>| {
            let (mut batch, mut rng) = (Minibatch::default(), learner.sac.next_stream());
            let drawn = learner.draw(&experience, planned, &mut rng, &mut batch);
            drawn.unwrap();
            batch
        };
        let (with, without) = (draw(planned.as_ref()), draw(None));
        let region = |x: f32| (x / 3.0).round();
        let (mut rows, mut inputs) = (Vec::new(), Vec::new());
        for (row, input) in with
            .inputs
            .chunks_exact(2)
            .enumerate()
            .step_by(IMITATED_EVERY)
        {
            let hops = region(input[1]) - region(input[0]);
            if hops >= 2.0 {
                rows.push(row);
                inputs.extend([input[0], 3.0 * (region(input[0]) + 1.0)]);
            }
        }
        assert!(rows.len() > 10, "{rows:?}");
        assert_eq!(with.imitation.rows, rows);
        assert_eq!(with.imitation.inputs, inputs);
        assert!(without.imitation.rows.is_empty());
        assert_eq!(
            (with.inputs, with.rewards),
            (without.inputs, without.rewards)
        );
    }
}
