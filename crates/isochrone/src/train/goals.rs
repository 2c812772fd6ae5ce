//! The goals of an iteration: proposing and labelling them.

use super::gather;
use super::learn::observe;
use super::online_distance::BetweenProposals;
use super::spec::{LabelSource, LabelSpec, TrainingError};
use super::{Observer, Training, check_stop};
use crate::comm::Workers;
use crate::curriculum::{EachGoal, Labelled, Tallies};
use crate::learner::Experience;
use crate::rng::{Purpose, Rng};
use crate::rollout::{EpisodeSource, Phase, Plan, Tail};

/// First random stream of the generator and the archive, after those of the episodes' goals.
const GOAL_STREAMS: u64 = 1 << 40;

/// Label episodes between two polls of the observer.
const LABEL_BLOCK: usize = 128;

impl Training {
    /// The random stream that the generator learns with in this iteration.
    pub(super) fn goal_stream(&self) -> Rng {
        self.numbered_goal_stream(0)
    }

    fn numbered_goal_stream(&self, number: u64) -> Rng {
        let (seed, iteration) = (self.spec.seed, self.counters.iteration);
        seed.stream(Purpose::Goals, iteration, GOAL_STREAMS + number)
    }

    /// The working set: goals of the generator, then goals of the archive; and the number of each.
    pub(super) fn propose(&self) -> Result<(Vec<Vec<f32>>, [usize; 2]), TrainingError> {
        let distance = BetweenProposals::new(&self.distance, &self.setup.proposals);
        let mut rng = self.numbered_goal_stream(1);
        let mut goals = self
            .generator
            .propose(self.spec.new_goals, &distance, &mut rng)?;
        let old_goals = if self.generator.uses_archive() {
            self.spec.old_goals
        } else {
            0
        };
        let old = self
            .archive
            .sample(old_goals, &mut self.numbered_goal_stream(2));
        let proposed = [goals.len(), old.len()];
        goals.extend(old);
        let proposals = &self.setup.proposals;
        let goals = goals.iter().map(|goal| proposals.goal(goal));
        Ok((goals.collect(), proposed))
    }

    /// Labels goals easy, intermediate or hard; returns them as proposals.
    pub(super) fn label(
        &mut self,
        mut tallies: Tallies,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Labelled>, TrainingError> {
        let LabelSpec { kind, rollouts, .. } = self.spec.labels;
        let least = match kind {
            LabelSource::TrainingPaths => rollouts,
            LabelSource::Fresh => {
                let goals: Vec<Vec<f32>> = tallies.goals().map(<[f32]>::to_vec).collect();
                tallies = Tallies::of_goals(&goals);
                let goals = EachGoal::new(goals, rollouts as usize)?;
                let steps = self.try_each(&goals, &mut tallies, world, workers, observer)?;
                let steps = gather::sum_of_ranks(&[steps as f64], workers)?;
                self.counters.env_steps += steps[0] as u64;
                1
            }
        };
        let all = gather::sum_of_ranks(&tallies.numbers(), workers)?;
        tallies.set_numbers(&all);
        let mut labelled = tallies.labelled(self.spec.labels.bounds(), least);
        for labelled in &mut labelled {
            labelled.goal = self.setup.proposals.proposal(&labelled.goal);
        }
        Ok(labelled)
    }

    /// Runs this rank's share of the label rollouts in blocks, and adds them to `tallies`. Returns its steps.
    fn try_each(
        &mut self,
        goals: &EachGoal,
        tallies: &mut Tallies,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
        observer: &mut dyn Observer,
    ) -> Result<usize, TrainingError> {
        let actor = self.learner.actor()?;
        let task = self
            .distance
            .task(&self.setup.space, self.spec.distance.radius());
        let plan = Plan {
            streams: self.streams(Phase::Label, self.counters.iteration),
            actor: actor.as_ref(),
            goals,
            task: Some(task),
            horizon_steps: self.spec.horizon_steps,
            tail: Tail::Off,
        };
        let owned = workers.shards.share_of(workers.comm)?;
        let mine: Vec<u64> = (0..goals.episodes())
            .filter(|&episode| owned.contains(&workers.shards.of_episode(episode)))
            .map(|episode| episode as u64)
            .collect();
        let mut steps = 0;
        let mut blocks = mine.chunks(LABEL_BLOCK);
        // All ranks must poll equally often: as often as the rank with most episodes needs.
        let most = owned.len() * workers.shards.most_episodes(goals.episodes());
        for _ in 0..most.div_ceil(LABEL_BLOCK) {
            if let Some(block) = blocks.next() {
                let paths = world.run(block, &plan);
                let paths = paths.inspect_err(|error| workers.comm.abort(&error.to_string()))?;
                tallies.count(&paths);
                steps += paths.policy_steps();
                let experience = Experience {
                    trajectories: &paths,
                    goals: &self.setup.space,
                    task,
                };
                observe(self.learner.as_mut(), &experience, workers)?;
            }
            check_stop(observer)?;
        }
        Ok(steps)
    }
}
