//! The goals of an iteration: proposing and labelling them.

use super::gather;
use super::learn::observe;
use super::online_distance::BetweenProposals;
use super::spec::{LabelSpec, TrainingError};
use super::{Observer, Proposed, Training, check_stop};
use crate::comm::Workers;
use crate::curriculum::{EachGoal, Labelled, Tallies};
use crate::goal_generator::{Feedback, GanReport, TailState};
use crate::learner::{Experience, Wants};
use crate::rng::{Purpose, Rng};
use crate::rollout::{EpisodeSource, GoalTest, Phase, Plan, RolloutError, Tail};
use crate::trajectory::Trajectories;

/// First random stream of the generator and the archive, after those of the episodes' goals.
const GOAL_STREAMS: u64 = 1 << 40;

/// Rounds of proposals: the second and later ones replace goals that the filter dropped.
const PROPOSAL_ROUNDS: usize = 5;

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
    pub(super) fn propose(&self) -> Result<(Vec<Vec<f32>>, Proposed), TrainingError> {
        let (mut goals, dropped) = self.propose_new()?;
        let old_goals = if self.generator.uses_archive() {
            self.spec.old_goals
        } else {
            0
        };
        let old = self
            .archive
            .sample(old_goals, &mut self.numbered_goal_stream(2));
        let (new, old_count) = (goals.len(), old.len());
        goals.extend(old);
        let proposals = &self.setup.proposals;
        let goals: Vec<Vec<f32>> = goals.iter().map(|goal| proposals.goal(goal)).collect();
        let infeasible = self.setup.is_feasible.as_ref().map(|is_feasible| {
            let infeasible = goals.iter().filter(|goal| !is_feasible(goal));
            infeasible.count()
        });
        let proposed = Proposed {
            new,
            old: old_count,
            dropped,
            infeasible,
        };
        Ok((goals, proposed))
    }

    /// Goals of the generator that the filter keeps, and the number that it dropped. Dropped goals are replaced a few times.
    fn propose_new(&self) -> Result<(Vec<Vec<f32>>, usize), TrainingError> {
        let distance = BetweenProposals::new(&self.distance, &self.setup.proposals);
        let mut rng = self.numbered_goal_stream(1);
        let (mut goals, mut dropped) = (Vec::new(), 0);
        for _ in 0..PROPOSAL_ROUNDS {
            let missing = self.spec.new_goals - goals.len();
            let mut new = self.generator.propose(missing, &distance, &mut rng)?;
            let proposed = new.len();
            new.retain(|goal| self.spec.goal_filter.keeps(goal, &self.archive));
            dropped += proposed - new.len();
            let is_complete = new.len() == proposed;
            goals.extend(new);
            if is_complete {
                break;
            }
        }
        if goals.is_empty() {
            // Better goals too far away than none.
            let count = self.spec.new_goals;
            goals = self.generator.propose(count, &distance, &mut rng)?;
        }
        Ok((goals, dropped))
    }

    /// Labels goals easy, intermediate or hard; returns them as proposals.
    pub(super) fn label(
        &mut self,
        mut tallies: Tallies,
        world: &mut dyn EpisodeSource,
        workers: &Workers<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Labelled>, TrainingError> {
        if let LabelSpec::Fresh(labels) = self.spec.labels {
            let goals: Vec<Vec<f32>> = tallies.goals().map(<[f32]>::to_vec).collect();
            tallies = Tallies::of_goals(&goals);
            let goals = EachGoal::new(goals, labels.rollouts as usize)?;
            let steps = self.try_each(&goals, &mut tallies, world, workers, observer)?;
            let steps = gather::sum_of_ranks(&[steps as f64], workers)?;
            self.counters.env_steps += steps[0] as u64;
        }
        let all = gather::sum_of_ranks(&tallies.numbers(), workers)?;
        tallies.set_numbers(&all);
        let bounds = self.spec.labels.bounds();
        let mut labelled = match (&self.spec.labels, &mut self.pooled_labels) {
            (_, Some(pooled)) => pooled.label(&tallies, self.counters.iteration),
            (LabelSpec::TrainingPaths(labels), _) => tallies.labelled(bounds, labels.rollouts),
            (LabelSpec::Fresh(_) | LabelSpec::Pooled(_), None) => tallies.labelled(bounds, 1),
        };
        for labelled in &mut labelled {
            labelled.goal = self.setup.proposals.proposal(&labelled.goal);
        }
        Ok(labelled)
    }

    /// The generator learns from the iteration.
    pub(super) fn teach_generator(
        &mut self,
        labelled: &[Labelled],
        tails: &[TailState],
        visited: &[Vec<f32>],
    ) -> Result<Option<GanReport>, TrainingError> {
        let feedback = Feedback {
            labelled,
            tails,
            visited,
        };
        let mut rng = self.goal_stream();
        Ok(self.generator.learn(&feedback, &mut rng)?)
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
        let task = self.distance.task(&self.setup.space, self.epsilon.radius);
        let plan = Plan {
            streams: self.streams(Phase::Label, self.counters.iteration),
            actor: actor.as_ref(),
            goals,
            task: Some(task),
            horizon_steps: self.spec.horizon_steps,
            tail: Tail::Off,
            // Labels say how hard goals are for the agent as it is trained.
            waypoints: self.waypoints(GoalTest::WhenAimedAt),
        };
        let owned = workers.shards.share_of(workers.comm)?;
        let mine: Vec<u64> = (0..goals.episodes())
            .filter(|&episode| owned.contains(&workers.shards.of_episode(episode)))
            .map(|episode| episode as u64)
            .collect();
        let mut steps = 0;
        let mut kept = Trajectories::new(&self.setup.observation, self.setup.action.len());
        let mut blocks = mine.chunks(LABEL_BLOCK);
        // All ranks must poll equally often: as often as the rank with most episodes needs.
        let most = owned.len() * workers.shards.most_episodes(goals.episodes());
        for _ in 0..most.div_ceil(LABEL_BLOCK) {
            if let Some(block) = blocks.next() {
                let paths = world.run(block, &plan);
                let paths = paths.inspect_err(|error| workers.comm.abort(&error.to_string()))?;
                tallies.count(&paths);
                steps += paths.policy_steps();
                if self.learner.wants() == Wants::Replay {
                    let appended = kept.append(&paths);
                    appended.map_err(|source| RolloutError::Observation {
                        episode: block[0],
                        source,
                    })?;
                }
            }
            check_stop(observer)?;
        }
        let experience = Experience {
            trajectories: &kept,
            goals: &self.setup.space,
            task,
            waypoints: None,
        };
        observe(self.learner.as_mut(), &experience, workers)?;
        Ok(steps)
    }
}
