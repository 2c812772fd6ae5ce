//! The goals of an iteration: proposed, labelled, learned from.

use super::gather;
use super::spec::{Generator, LabelSource, TrainError};
use super::visits::Beyond;
use super::{Team, Training, Watch, unless_stopped};
use crate::curriculum::{
    CurriculumError, Difficulty, EachGoal, GoalGan, GoalQueue, Labelled, Tallies,
};
use crate::goal::GoalRange;
use crate::nn::{Named, NamedError};
use crate::rng::{Purpose, Rng, Seed};
use crate::rollout::{EpisodeSource, Phase, Plan, Tail};

/// Where the streams of the goals begin, behind those of any episode's own goal.
const GOAL_STREAMS: u64 = 1 << 40;

/// Episodes that are rolled out for labels before anybody is asked whether to go on.
const LABEL_BLOCK: usize = 128;

/// A generator with what it has learned.
pub(super) enum Feed {
    Uniform(GoalRange),
    GoalGan(Box<GoalGan>, [u64; 2]),
    ActionNoise(GoalQueue, GoalRange),
}

impl Feed {
    pub(super) fn new(
        generator: &Generator,
        range: &GoalRange,
        seed: Seed,
    ) -> Result<Self, CurriculumError> {
        Ok(match generator {
            Generator::Uniform => Self::Uniform(range.clone()),
            Generator::GoalGan(spec) => {
                let iterations = [spec.initial_iterations, spec.iterations];
                Self::GoalGan(Box::new(GoalGan::new(spec, range, seed)?), iterations)
            }
            Generator::ActionNoise { queue, .. } => {
                queue.check()?;
                let dims = range.centre().len();
                Self::ActionNoise(GoalQueue::new(*queue, dims), range.clone())
            }
        })
    }

    /// New goals.
    fn propose(&self, count: usize, rng: &mut Rng) -> Vec<Vec<f32>> {
        let anywhere =
            |range: &GoalRange, rng: &mut Rng| (0..count).map(|_| range.sample(rng)).collect();
        match self {
            Self::Uniform(range) => anywhere(range, rng),
            Self::GoalGan(gan, _) => gan.sample(count, rng),
            // Nothing was ever reached: anything may be a goal.
            Self::ActionNoise(queue, range) if queue.is_empty() => anywhere(range, rng),
            Self::ActionNoise(queue, _) => queue.sample(count, rng),
        }
    }

    /// From states of the untrained policy, all of them wanted.
    pub(super) fn begin_with(
        &mut self,
        states: &[Vec<f32>],
        rng: &mut Rng,
    ) -> Result<(), CurriculumError> {
        match self {
            Self::Uniform(_) => {}
            Self::GoalGan(gan, [initial, _]) => {
                let labels = vec![1.0; states.len()];
                gan.train(states, &labels, *initial, rng)?;
            }
            Self::ActionNoise(queue, _) => {
                queue.offer(states, rng);
            }
        }
        Ok(())
    }

    /// From labelled goals, and from the states beyond those that were reached.
    pub(super) fn learn(
        &mut self,
        labelled: &[Labelled],
        beyond: &[Beyond],
        rng: &mut Rng,
    ) -> Result<Option<[f64; 2]>, CurriculumError> {
        match self {
            Self::Uniform(_) => Ok(None),
            Self::GoalGan(gan, [_, iterations]) => {
                let goals: Vec<Vec<f32>> = labelled.iter().map(|l| l.goal.clone()).collect();
                let label =
                    |l: &Labelled| f32::from(u8::from(l.difficulty == Difficulty::Intermediate));
                let labels: Vec<f32> = labelled.iter().map(label).collect();
                let report = gan.train(&goals, &labels, *iterations, rng)?;
                Ok(Some([report.generator_loss, report.discriminator_loss]))
            }
            Self::ActionNoise(queue, _) => {
                let wanted = intermediate(labelled);
                let is_wanted = |found: &&Beyond| wanted.contains(&found.goal);
                let states = beyond.iter().filter(is_wanted);
                let states: Vec<Vec<f32>> = states.map(|found| found.state.clone()).collect();
                queue.offer(&states, rng);
                Ok(None)
            }
        }
    }

    pub(super) fn save(&self) -> Vec<Named> {
        match self {
            Self::Uniform(_) => Vec::new(),
            Self::GoalGan(gan, _) => gan.save(),
            Self::ActionNoise(queue, _) => vec![queue.save()],
        }
    }

    pub(super) fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        match self {
            Self::Uniform(_) => Ok(()),
            Self::GoalGan(gan, _) => gan.restore(arrays),
            Self::ActionNoise(queue, _) => queue.restore(arrays),
        }
    }
}

impl Training {
    /// The stream of this iteration's goals.
    pub(super) fn goal_stream(&self) -> Rng {
        let iteration = self.counters.iteration;
        self.spec
            .seed
            .stream(Purpose::Goals, iteration, GOAL_STREAMS)
    }

    /// The working set: goals from the generator, then goals from the archive; and how many of each. Generator and
    /// archive speak of proposals, everybody else of the goals that come of them.
    pub(super) fn propose(&self) -> (Vec<Vec<f32>>, [usize; 2]) {
        let stream = |k| {
            let iteration = self.counters.iteration;
            self.spec
                .seed
                .stream(Purpose::Goals, iteration, GOAL_STREAMS + k)
        };
        let mut goals = self.feed.propose(self.spec.new_goals, &mut stream(1));
        let old = match self.feed {
            Feed::Uniform(_) => Vec::new(),
            Feed::GoalGan(..) | Feed::ActionNoise(..) => {
                self.archive.sample(self.spec.old_goals, &mut stream(2))
            }
        };
        let proposed = [goals.len(), old.len()];
        goals.extend(old);
        let proposals = &self.field.proposals;
        let goals = goals.iter().map(|goal| proposals.goal(goal));
        (goals.collect(), proposed)
    }

    /// Which goals are easy, of intermediate difficulty, hard; as proposals.
    pub(super) fn label(
        &mut self,
        mut tallies: Tallies,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Labelled>, TrainError> {
        let least = match self.spec.labels {
            LabelSource::TrainingPaths { least } => least,
            LabelSource::Fresh { rollouts } => {
                let goals: Vec<Vec<f32>> = tallies.goals().map(<[f32]>::to_vec).collect();
                tallies = Tallies::of_goals(&goals);
                let goals = EachGoal::new(goals, rollouts)?;
                let steps = self.try_each(&goals, &mut tallies, world, team, watch)?;
                let steps = gather::sum_of_ranks(&[steps as f64], team)?;
                self.counters.env_steps += steps[0] as u64;
                1
            }
        };
        let all = gather::sum_of_ranks(&tallies.numbers(), team)?;
        tallies.set_numbers(&all);
        let mut labelled = tallies.labelled(self.spec.bounds, least);
        for labelled in &mut labelled {
            labelled.goal = self.field.proposals.proposal(&labelled.goal);
        }
        Ok(labelled)
    }

    /// This rank's share of the rollouts that labels are made from, counted and forgotten block by block; its steps.
    fn try_each(
        &self,
        goals: &EachGoal,
        tallies: &mut Tallies,
        world: &mut dyn EpisodeSource,
        team: &Team<'_>,
        watch: &mut dyn Watch,
    ) -> Result<usize, TrainError> {
        let policy = self.policy.freeze()?;
        let plan = Plan {
            streams: self.streams(Phase::Label, self.counters.iteration),
            actor: &policy,
            goals,
            task: Some(self.task()),
            horizon_steps: self.spec.horizon_steps,
            tail: Tail::Off,
        };
        let owned = team.shards.share_of(team.comm)?;
        let mine: Vec<u64> = (0..goals.episodes())
            .filter(|&episode| owned.contains(&team.shards.of_episode(episode)))
            .map(|episode| episode as u64)
            .collect();
        let mut steps = 0;
        let mut blocks = mine.chunks(LABEL_BLOCK);
        // As often as the rank with most episodes: whether to go on is asked of all ranks together.
        let most = owned.len() * team.shards.most_episodes(goals.episodes());
        for _ in 0..most.div_ceil(LABEL_BLOCK) {
            if let Some(block) = blocks.next() {
                let paths = world.run(block, &plan);
                let paths = paths.inspect_err(|error| team.comm.abort(&error.to_string()))?;
                tallies.count(&paths);
                steps += paths.policy_steps();
            }
            unless_stopped(watch)?;
        }
        Ok(steps)
    }
}

/// The goals worth trying.
pub(super) fn intermediate(labelled: &[Labelled]) -> Vec<Vec<f32>> {
    let is_wanted = |goal: &&Labelled| goal.difficulty == Difficulty::Intermediate;
    let goals = labelled.iter().filter(is_wanted);
    goals.map(|labelled| labelled.goal.clone()).collect()
}
