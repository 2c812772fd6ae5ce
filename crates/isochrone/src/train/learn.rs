//! Rollouts, policy updates and evaluation.

use super::waypoints::waypoints_of;
use super::{
    AgentSpec, Counters, Observer, Planner, PredictorData, Training, TrainingError, Trial,
    UpdateReport, gather,
};
use crate::comm::Workers;
use crate::curriculum::GoalList;
use crate::distance::{Distance, PlaceDistance};
use crate::evaluate::{Coverage, CoveragePlan, coverage};
use crate::learner::{Experience, LearnerError, PolicyLearner, Wants};
use crate::pairs::EpisodesError;
use crate::policy::Actor;
use crate::rollout::{
    EpisodeSource, FirstTails, GoalTest, Phase, Plan, RolloutError, Streams, Tail, collect_batch,
};
use crate::task::Task;
use crate::trajectory::{End, Trajectories};

impl Training {
    /// Coverage: the mean success rate of the policy on the setup's goals, without its planner. It has its own random
    /// streams, so evaluating more often changes no training byte.
    pub fn evaluate(
        &self,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
    ) -> Result<Coverage, TrainingError> {
        self.evaluate_with(Planner::Off, world, workers)
    }

    /// The same with its planner; `None` if it has none.
    pub fn evaluate_planned(
        &self,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
    ) -> Result<Option<Coverage>, TrainingError> {
        let planned = self.map.is_some();
        let planned = planned.then(|| self.evaluate_with(Planner::On, world, workers));
        planned.transpose()
    }

    fn evaluate_with(
        &self,
        planner: Planner,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
    ) -> Result<Coverage, TrainingError> {
        let evaluation = &self.spec.evaluation;
        let trial = Trial {
            goals: &self.setup.coverage_goals,
            radius: Some(evaluation.radius_m),
            horizon_steps: evaluation.horizon_steps,
            long_horizon_steps: evaluation.long_horizon_steps,
            rollouts: evaluation.rollouts,
            planner,
        };
        self.attempt(&trial, world, workers)
    }

    /// Success rates on given goals.
    pub fn attempt(
        &self,
        trial: &Trial<'_>,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
    ) -> Result<Coverage, TrainingError> {
        let actor = self.learner.evaluation_actor()?;
        self.attempt_by(actor.as_ref(), trial, world, workers)
    }

    /// The same by another policy, such as a controller that learned nothing.
    pub fn attempt_by(
        &self,
        actor: &dyn Actor,
        trial: &Trial<'_>,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
    ) -> Result<Coverage, TrainingError> {
        let places = PlaceDistance::new(self.setup.place.clone());
        let by_place = |radius| Task {
            space: &self.setup.space,
            distance: &places,
            radius,
        };
        let plan = CoveragePlan {
            goals: trial.goals,
            task: trial.radius.map_or_else(|| self.task(), by_place),
            horizon_steps: trial.horizon_steps,
            long_horizon_steps: trial.long_horizon_steps,
            rollouts: trial.rollouts,
            waypoints: match trial.planner {
                Planner::Off => None,
                Planner::On => self.waypoints(GoalTest::Always),
            },
            seed: self.spec.seed,
            iteration: self.counters.iteration,
        };
        let Workers { comm, shards, .. } = *workers;
        Ok(coverage(world, actor, &plan, comm, shards)?)
    }

    /// The policy and its learner.
    pub fn learner(&self) -> &dyn PolicyLearner {
        self.learner.as_ref()
    }

    /// The current distance, in goal space.
    pub fn distance(&self) -> &dyn Distance {
        self.distance.distance()
    }

    /// All archived goals, as proposals.
    pub fn archived(&self) -> Vec<Vec<f32>> {
        let goals = self.archive.goals();
        let goals = goals.chunks_exact(self.setup.proposals.dims());
        goals.map(<[f32]>::to_vec).collect()
    }

    /// Totals so far.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Its settings.
    pub const fn spec(&self) -> &AgentSpec {
        &self.spec
    }

    /// The task of the training rollouts.
    pub(super) fn task(&self) -> Task<'_> {
        self.distance.task(&self.setup.space, self.epsilon.radius)
    }

    /// A batch of trajectories towards goals of the list.
    pub(super) fn roll_out(
        &mut self,
        world: &mut dyn EpisodeSource,
        goals: &GoalList,
        workers: &Workers<'_>,
    ) -> Result<Trajectories, TrainingError> {
        let actor = self.learner.actor()?;
        let plan = Plan {
            streams: self.streams(Phase::Train, self.counters.updates),
            actor: actor.as_ref(),
            goals,
            task: Some(self.task()),
            horizon_steps: self.spec.horizon_steps,
            tail: self.tail(),
            waypoints: self.waypoints(GoalTest::WhenAimedAt),
        };
        let paths = collect_batch(
            world,
            &plan,
            self.spec.batch_steps,
            workers.comm,
            workers.shards,
        )?;
        self.counters.updates += 1;
        Ok(paths)
    }

    /// One update of the policy.
    pub(super) fn learn_from(
        &mut self,
        paths: &Trajectories,
        workers: &Workers<'_>,
        observer: &mut dyn Observer,
    ) -> Result<UpdateReport, TrainingError> {
        let task = self.distance.task(&self.setup.space, self.epsilon.radius);
        let experience = Experience {
            trajectories: paths,
            goals: &self.setup.space,
            task,
            waypoints: waypoints_of(
                self.map.as_ref(),
                &self.distance,
                task,
                GoalTest::WhenAimedAt,
            ),
        };
        let mut poll = || observer.poll();
        let learned = self
            .learner
            .learn_until_stopped(&experience, workers, &mut poll);
        let learner = learned.map_err(|error| match error {
            LearnerError::Stopped => TrainingError::Stopped,
            error => error.into(),
        })?;
        let [reached, falsely] = self.reached(paths)?;
        let episodes = paths.episodes().iter();
        let truncated = episodes.filter(|e| e.end == End::Truncated);
        let segments = || paths.episodes().iter().flat_map(|e| &e.segments);
        let waypoints = || segments().filter(|s| s.hop.is_some()).map(|s| s.end);
        let mine = [
            paths.episodes().len() as f64,
            reached,
            paths.tail_steps() as f64,
            paths.instabilities() as f64,
            falsely,
            truncated.count() as f64,
            paths.policy_steps() as f64,
            waypoints().count() as f64,
            waypoints().filter(|end| *end == End::Reached).count() as f64,
        ];
        let all = gather::sum_of_ranks(&mine, workers)?;
        self.counters.steps += all[6] as u64;
        self.counters.env_steps += all[6] as u64 + all[2] as u64;
        Ok(UpdateReport {
            episodes: all[0] as usize,
            steps: all[6] as usize,
            reached: all[1] as usize,
            falsely_reached: all[4] as usize,
            instabilities: all[3] as usize,
            truncated: all[5] as usize,
            waypoints: all[7] as usize,
            waypoints_reached: all[8] as usize,
            learner,
        })
    }

    /// Episodes that reached their goal, and the false positives among them: last state outside evaluation's Euclidean
    /// radius.
    fn reached(&self, paths: &Trajectories) -> Result<[f64; 2], TrainingError> {
        let places = PlaceDistance::new(self.setup.place.clone());
        let reached = paths.episodes().iter().filter(|e| e.end == End::Reached);
        let mut counts = [0.0; 2];
        for episode in reached {
            counts[0] += 1.0;
            let last = episode.policy_rows().end - 1;
            let last = paths.observations().row_f32(last);
            let last = last.ok_or(EpisodesError::Images)?;
            let apart = places.between(&self.setup.space.project(last), &episode.goal);
            let apart = apart.map_err(RolloutError::from)?;
            counts[1] += f64::from(u8::from(apart >= self.spec.evaluation.radius_m));
        }
        Ok(counts)
    }

    /// Random tails after the policy's part of an episode: for the predictor, the planner and the generator, the longest that
    /// applies to the episode.
    fn tail(&self) -> Tail {
        let predictor_steps = match self.distance.predictor().map(|of| of.spec().data) {
            Some(PredictorData::OffPolicy { tail_steps }) => tail_steps,
            Some(PredictorData::OnPolicy) | None => 0,
        };
        let planner_steps = self.map.as_ref().map_or(0, |map| map.spec().tail_steps);
        let (always, batch_steps) = ([predictor_steps, planner_steps], self.spec.batch_steps);
        // Beside tails after every episode no more than those: all together would be most of the work.
        let most_after_success = match always {
            [0, 0] => 2 * batch_steps,
            _ => batch_steps,
        };
        Tail::Longest {
            always: always.map(|steps| first_tails(steps, batch_steps)),
            after_success: first_tails(self.generator.tail_steps(), most_after_success),
        }
    }

    pub(super) fn streams(&self, phase: Phase, iteration: u64) -> Streams {
        Streams {
            seed: self.spec.seed,
            iteration,
            phase,
        }
    }
}

/// Tails of about `most_steps` random steps in all: with easy goals, episodes are short and many.
fn first_tails(tail_steps: usize, most_steps: usize) -> FirstTails {
    FirstTails {
        tail_steps,
        episodes: most_steps.div_ceil(tail_steps.max(1)) as u64,
    }
}

/// Gives rollouts that are not for an update to a learner with a replay buffer.
pub(super) fn observe(
    learner: &mut dyn PolicyLearner,
    experience: &Experience<'_>,
    workers: &Workers<'_>,
) -> Result<(), TrainingError> {
    match learner.wants() {
        Wants::OnPolicyBatch => Ok(()),
        Wants::Replay => Ok(learner.observe(experience, workers)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{DEFAULT_SHARDS, Shards, Single};
    use crate::curriculum::GoalFilter;
    use crate::distance::Euclidean;
    use crate::env::Environment;
    use crate::env::point::Point;
    use crate::goal::{GoalRange, GoalSpace, Proposals};
    use crate::goal_generator::{ActionNoiseSpec, GeneratorSpec};
    use crate::learner::{LearnerReport, LearnerSpec, TrpoLearner, TrpoLearnerSpec};
    use crate::nn::{NamedArray, NamedArrayError};
    use crate::rollout::Threads;
    use crate::train::{
        DistanceConfig, EvaluationSpec, GoalSetup, LabelSpec, NoObserver, PlannerSpec,
        RolloutLabelSpec,
    };
    use crate::train::{FeasibleGoals, GoalDistance};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Counts the transitions it receives, tails included, and otherwise learns as TRPO.
    struct Replay(TrpoLearner, Arc<AtomicUsize>);

    impl Replay {
        fn keep(&self, experience: &Experience<'_>) {
            let new = experience.trajectories;
            let steps = new.policy_steps() + new.tail_steps();
            self.1.fetch_add(steps, Ordering::Relaxed);
        }
    }

    impl PolicyLearner for Replay {
        fn actor(&self) -> Result<Box<dyn Actor>, LearnerError> {
            self.0.actor()
        }
        fn greedy_actor(&self) -> Result<Box<dyn Actor>, LearnerError> {
            self.0.greedy_actor()
        }
        fn wants(&self) -> Wants {
            Wants::Replay
        }
        fn learn(
            &mut self,
            experience: &Experience<'_>,
            workers: &Workers<'_>,
        ) -> Result<LearnerReport, LearnerError> {
            self.keep(experience);
            self.0.learn(experience, workers)
        }
        fn observe(
            &mut self,
            experience: &Experience<'_>,
            _workers: &Workers<'_>,
        ) -> Result<(), LearnerError> {
            self.keep(experience);
            Ok(())
        }
        fn save(&self) -> Vec<NamedArray> {
            self.0.save()
        }
        fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
            self.0.restore(arrays)
        }
    }

    fn spec(learner: TrpoLearnerSpec) -> AgentSpec {
        AgentSpec {
            seed: crate::rng::Seed(3),
            learner: LearnerSpec::Trpo(learner),
            horizon_steps: 30,
            batch_steps: 300,
            updates_per_iteration: 2,
            distance: GoalDistance::Euclidean {
                radius_m: 0.5,
                feasible_goals: FeasibleGoals::Any,
            },
            generator: GeneratorSpec::ActionNoise(ActionNoiseSpec::paper(5)),
            new_goals: 10,
            old_goals: 5,
            archive_spacing_m: 0.1,
            goal_filter: GoalFilter::Off {},
            planner: PlannerSpec::Off {},
            labels: LabelSpec::Fresh(RolloutLabelSpec {
                rollouts: 2,
                min: 0.1,
                max: 0.9,
            }),
            initial_states: 100,
            on_policy_states: 50,
            evaluation: EvaluationSpec {
                radius_m: 0.5,
                horizon_steps: 30,
                long_horizon_steps: 0,
                rollouts: 1,
            },
            shards: DEFAULT_SHARDS,
        }
    }

    /// A learner with a replay buffer gets every environment step of the training: updates, tails, labels and visited states.
    #[test]
    fn a_replay_learner_gets_every_step() {
        let world = || Point::new(vec![1.0, 1.0]);
        let observation = world().observation_spec();
        let setup = GoalSetup {
            space: GoalSpace::entries(&[0, 1], &observation).unwrap(),
            action: world().action_spec(),
            proposals: Proposals::whole(2),
            range: GoalRange::new(vec![0.0; 2], vec![1.0; 2]).unwrap(),
            measured: Vec::new(),
            place: vec![0, 1],
            coverage_goals: Vec::new(),
            whole_state: None,
            is_feasible: None,
            observation,
        };
        let trpo = TrpoLearnerSpec {
            input: crate::policy::PolicyInput::StateGoal,
            hidden: vec![8],
            std: crate::policy::Std::Fixed,
            first_std: 1.0,
            baseline: crate::baseline::BaselineName::Linear,
            discount: 0.99,
            lambda: 1.0,
            timeout_value: crate::advantage::TimeoutValue::Zero,
            kl_limit: 0.01,
            conjugate_steps: 5,
            damping: 1e-5,
        };
        let spec = spec(trpo.clone());
        let steps = Arc::new(AtomicUsize::new(0));
        let learner = TrpoLearner::new(&trpo, &setup.policy_io(), spec.seed).unwrap();
        let learner = Box::new(Replay(learner, Arc::clone(&steps)));
        let distance = DistanceConfig::Given(Arc::new(Euclidean));
        let mut training = Training::with_learner(spec, setup, distance, learner).unwrap();
        let workers = Workers {
            comm: &Single,
            shards: Shards::new(DEFAULT_SHARDS, 1).unwrap(),
            threads: 1,
        };
        let mut source = Threads::new(1, world);
        let observer = &mut NoObserver;
        training.prepare(&mut source, &workers, observer).unwrap();
        let report = training.iterate(&mut source, &workers, observer).unwrap();
        let counters = report.counters;
        assert!(counters.env_steps > counters.steps);
        assert_eq!(steps.load(Ordering::Relaxed) as u64, counters.env_steps);
    }
}
