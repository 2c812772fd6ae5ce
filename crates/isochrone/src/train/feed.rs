//! The goals of an iteration: proposed, labelled, learned from.

use super::gather::{self, Row};
use super::spec::{Generator, LabelSource, TrainError};
use super::{Go, Team, Training, Watch};
use crate::curriculum::{
    CurriculumError, Difficulty, EachGoal, GoalGan, GoalQueue, Labelled, Tallies,
};
use crate::goal::GoalRange;
use crate::nn::{Named, NamedError};
use crate::rng::{Purpose, Rng, Seed};
use crate::rollout::{EpisodeSource, Phase, Plan, Tail, collect_batch};
use crate::trajectory::{End, Trajectories};

/// Where the streams of the goals begin, behind those of any episode's own goal.
const GOAL_STREAMS: u64 = 1 << 40;

/// States kept of a tail, evenly spaced: far more than a queue takes, far fewer than were seen.
const TAIL_STATES: usize = 10;
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

/// Where random actions led after a goal was reached.
pub(super) struct Beyond {
    goal: Vec<f32>,
    state: Vec<f32>,
}

impl Training {
    /// The stream of this iteration's goals.
    pub(super) fn goal_stream(&self) -> Rng {
        let iteration = self.counters.iteration;
        self.spec
            .seed
            .stream(Purpose::Goals, iteration, GOAL_STREAMS)
    }

    /// The working set: goals from the generator, then goals from the archive; and how many of each.
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
        (goals, proposed)
    }

    /// Which goals are easy, of intermediate difficulty, hard.
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
        Ok(tallies.labelled(self.spec.bounds, least))
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
        for block in mine.chunks(LABEL_BLOCK) {
            let paths = world.run(block, &plan);
            let paths = paths.inspect_err(|error| team.comm.abort(&error.to_string()))?;
            tallies.count(&paths);
            steps += paths.policy_steps();
            if watch.goes_on() == Go::Stop {
                team.comm.abort("stopped");
                return Err(TrainError::Stopped);
            }
        }
        Ok(steps)
    }

    /// States that random actions led to after a goal was reached, in the order of the episodes of all ranks.
    pub(super) fn beyond_goals(
        &self,
        paths: &Trajectories,
        team: &Team<'_>,
    ) -> Result<Vec<Beyond>, TrainError> {
        let Generator::ActionNoise { tail_steps, .. } = self.spec.generator else {
            return Ok(Vec::new());
        };
        let apart = tail_steps.div_ceil(TAIL_STATES).max(1);
        let reached = paths.episodes().iter().filter(|e| e.end == End::Reached);
        let rows = reached.flat_map(|episode| {
            // The first state of the tail is the one that reached the goal.
            let rows = episode.tail_rows().skip(1);
            rows.step_by(apart).map(|row| Row {
                episode: episode.number,
                values: [episode.goal.as_slice(), &self.projected(paths, row)].concat(),
            })
        });
        let dims = self.field.space.dims();
        let rows = gather::rows_of_ranks(rows.collect(), 2 * dims, team)?;
        let split = |row: Row| Beyond {
            goal: row.values[..dims].to_vec(),
            state: row.values[dims..].to_vec(),
        };
        Ok(rows.into_iter().map(split).collect())
    }

    /// Goal-space states of the policy as it is, asked for goals anywhere in the range.
    pub(super) fn visited(
        &mut self,
        world: &mut dyn EpisodeSource,
        states: usize,
        team: &Team<'_>,
    ) -> Result<Vec<Vec<f32>>, TrainError> {
        if states == 0 || matches!(self.feed, Feed::Uniform(_)) {
            return Ok(Vec::new());
        }
        let policy = self.policy.freeze()?;
        let plan = Plan {
            streams: self.streams(Phase::Gather, self.counters.iteration),
            actor: &policy,
            goals: &self.field.range,
            task: None,
            horizon_steps: self.spec.horizon_steps,
            tail: Tail::Off,
        };
        let paths = collect_batch(world, &plan, states, team.comm, team.shards)?;
        let steps = gather::sum_of_ranks(&[paths.policy_steps() as f64], team)?;
        self.counters.env_steps += steps[0] as u64;
        let rows = paths.episodes().iter().flat_map(|episode| {
            episode.policy_rows().map(|row| Row {
                episode: episode.number,
                values: self.projected(&paths, row),
            })
        });
        let rows = gather::rows_of_ranks(rows.collect(), self.field.space.dims(), team)?;
        Ok(rows
            .into_iter()
            .take(states)
            .map(|row| row.values)
            .collect())
    }

    fn projected(&self, paths: &Trajectories, row: usize) -> Vec<f32> {
        let observation = paths.observations().row_f32(row).unwrap_or_default();
        self.field.space.project(observation).into_owned()
    }
}

/// The goals worth trying.
pub(super) fn intermediate(labelled: &[Labelled]) -> Vec<Vec<f32>> {
    let is_wanted = |goal: &&Labelled| goal.difficulty == Difficulty::Intermediate;
    let goals = labelled.iter().filter(is_wanted);
    goals.map(|labelled| labelled.goal.clone()).collect()
}
