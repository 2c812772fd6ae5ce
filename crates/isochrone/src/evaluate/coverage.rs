//! Coverage: the success rate of a policy on a set of goals.

use crate::comm::{Comm, Shards};
use crate::curriculum::{CurriculumError, EachGoal};
use crate::policy::Actor;
use crate::rng::Seed;
use crate::rollout::{EpisodeSource, Phase, Plan, RolloutError, Streams, Tail, Waypoints};
use crate::task::Task;
use crate::trajectory::{End, Trajectories};
use std::ops::Range;

/// The goals of an evaluation, and its settings.
#[derive(Clone, Copy, Debug)]
pub struct CoveragePlan<'a> {
    /// The goals.
    pub goals: &'a [Vec<f32>],
    /// The "reached" test.
    pub task: Task<'a>,
    /// The largest number of steps of an attempt.
    pub horizon_steps: usize,
    /// Success within so many steps, at least `horizon_steps`, is counted, too, by the same attempts; 0 for the same.
    pub long_horizon_steps: usize,
    /// Attempts per goal.
    pub rollouts: usize,
    /// Seed of the run.
    pub seed: Seed,
    /// Number of the evaluation in the run: other numbers give other episodes.
    pub iteration: u64,
    /// Waypoints on the way to the goals; `None` for the policy alone.
    pub waypoints: Option<Waypoints<'a>>,
}

/// The result of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// The mean success rate over goals.
    pub mean: f64,
    /// The success rate of each goal, in their order.
    pub of_goal: Vec<f64>,
    /// The mean within the long horizon; the same as `mean` if there is none.
    pub long_mean: f64,
    /// Environment steps, over all ranks.
    pub steps: u64,
}

/// Why an evaluation failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// No goals.
    #[error(transparent)]
    Goals(#[from] CurriculumError),
    /// A rollout failed.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
}

/// Coverage: the mean over goals of the share of rollouts that reach them.
///
/// ```text
/// (1/|G|) Σ_g (1/n) Σ_{k<n} [rollout k towards g ends in its ε-sphere]
/// ```
///
/// Attempt k at goal j is episode j·n + k of [`Phase::Evaluate`]: each rank runs those of its shards, and the successes are
/// summed in shard order. All ranks get the same result, and no training stream changes. An error on one rank aborts all
/// ranks.
pub fn coverage(
    source: &mut dyn EpisodeSource,
    actor: &dyn Actor,
    plan: &CoveragePlan<'_>,
    comm: &dyn Comm,
    shards: Shards,
) -> Result<Coverage, EvaluateError> {
    let covered = attempt_all(source, actor, plan, comm, shards);
    covered.inspect_err(|error| comm.abort(&error.to_string()))
}

fn attempt_all(
    source: &mut dyn EpisodeSource,
    actor: &dyn Actor,
    plan: &CoveragePlan<'_>,
    comm: &dyn Comm,
    shards: Shards,
) -> Result<Coverage, EvaluateError> {
    let goals = EachGoal::new(plan.goals.to_vec(), plan.rollouts)?;
    let owned = shards.share_of(comm).map_err(RolloutError::from)?;
    let is_mine = |episode: &usize| owned.contains(&shards.of_episode(*episode));
    let mine = (0..goals.episodes()).filter(is_mine);
    let mine: Vec<u64> = mine.map(|episode| episode as u64).collect();
    let streams = Streams {
        seed: plan.seed,
        iteration: plan.iteration,
        phase: Phase::Evaluate,
    };
    let attempts = Plan {
        streams,
        actor,
        goals: &goals,
        task: Some(plan.task),
        horizon_steps: plan.horizon_steps.max(plan.long_horizon_steps),
        tail: Tail::Off,
        waypoints: plan.waypoints,
    };
    let seen = source.run(&mine, &attempts)?;
    let partials = partial_sums(&seen, &goals, plan.horizon_steps, &owned, shards);
    let sums = comm.sum_shards_f64(&partials).map_err(RolloutError::from)?;
    let (successes, [late, steps]) = sums.split_at(plan.goals.len()) else {
        return Err(CurriculumError::NoGoals.into());
    };
    let share = |successes: &f64| successes / plan.rollouts as f64;
    let of_goal: Vec<f64> = successes.iter().map(share).collect();
    let mean = of_goal.iter().sum::<f64>() / of_goal.len() as f64;
    Ok(Coverage {
        mean,
        long_mean: mean + late / goals.episodes() as f64,
        of_goal,
        steps: *steps as u64,
    })
}

/// Successes per goal, followed by those after the horizon and by all steps, of each owned shard.
fn partial_sums(
    seen: &Trajectories,
    goals: &EachGoal,
    horizon_steps: usize,
    owned: &Range<usize>,
    shards: Shards,
) -> Vec<Vec<f64>> {
    let n_goals = goals.goals().len();
    let mut partials = vec![vec![0.0; n_goals + 2]; owned.len()];
    for episode in seen.episodes() {
        let shard = shards.of_episode(episode.number as usize);
        let sums = &mut partials[shard - owned.start];
        sums[n_goals + 1] += episode.policy_steps as f64;
        if episode.end == End::Reached {
            let is_late = episode.policy_steps > horizon_steps;
            let place = goals.goal_of(episode.number);
            sums[if is_late { n_goals } else { place }] += 1.0;
        }
    }
    partials
}
