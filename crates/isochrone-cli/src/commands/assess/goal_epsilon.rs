//! An ε for a set of goals: when is a task done?

use anyhow::{Result, bail};
use isochrone::distance::GoalSet;
use isochrone::evaluate::{GoalEpsilon, epsilon_for_goals, median, share_within};
use isochrone_files::model::DistanceModel;
use isochrone_runs::calibration::ObservedEpisodes;
use isochrone_runs::progress::Observer;
use serde::Serialize;

/// Frames this share of an episode before its end must not count as reached, unless it is said otherwise.
const BEFORE_END: f64 = 0.1;

/// What ε is to do.
#[derive(Clone, Copy, Debug)]
pub struct GoalRule {
    /// The share of negatives that may count as reached.
    pub false_positive_rate: f64,
    /// Frames more than so many steps before the end of their episode are negatives; a tenth of the median episode if
    /// absent.
    pub before_end_steps: Option<usize>,
}

/// An ε for a set of goals, and what it does on these episodes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GoalEpsilonFound {
    /// The goals.
    pub goals: usize,
    /// ε itself, by the negatives.
    #[serde(flatten)]
    pub epsilon: GoalEpsilon,
    /// Frames more than so many steps before the end of their episode are the negatives.
    pub before_end_steps: usize,
    /// Episodes whose last state is compared with the goals.
    pub ends: usize,
    /// The share of those last states within ε. A goal that is that very state is left out.
    pub ends_reached: f64,
}

/// Chooses ε by the frames of these episodes. The observer may stop it.
pub(crate) fn goal_epsilon(
    model: &DistanceModel,
    episodes: &ObservedEpisodes,
    goals: &[f32],
    rule: GoalRule,
    observer: &dyn Observer,
) -> Result<GoalEpsilonFound> {
    let usual = (BEFORE_END * median(&episodes.lengths()).unwrap_or(0.0)).round() as usize;
    let before_end_steps = rule.before_end_steps.unwrap_or(usual.max(1));
    let set = GoalSet::new(&model.distance, goals)?;
    let steps = |row: usize| -> Result<Option<f64>> {
        observer.check()?;
        Ok(set.nearest(episodes.state(row))?.map(|goal| goal.steps))
    };
    let rows = episodes.ranges().iter().enumerate();
    let negatives = rows.flat_map(|(place, range)| {
        let end = episodes.episode_end(place).map_or(0, |end| end.step);
        let last = end.saturating_sub(before_end_steps as u64);
        range
            .clone()
            .filter(move |row| episodes.step(place, *row) < last)
    });
    let negatives = negatives.filter_map(|row| steps(row).transpose());
    let negatives: Vec<f64> = negatives.collect::<Result<_>>()?;
    if negatives.is_empty() {
        bail!(
            "no episode is longer than {before_end_steps} steps, so there is no frame that must not count as reached; name fewer \
             steps before the end, or other episodes"
        );
    }
    let epsilon = epsilon_for_goals(&negatives, rule.false_positive_rate)?;
    let is_itself = |goal: usize, state: &[f32]| {
        let width = state.len();
        goals[goal * width..(goal + 1) * width] == *state
    };
    let ends = episodes.whole_episodes();
    let ends = ends.filter_map(|places| episodes.episode_end(places.start));
    let steps = |state: &[f32]| -> Result<Option<f64>> {
        observer.check()?;
        let nearest = set.nearest_but(state, |goal| is_itself(goal, state))?;
        Ok(nearest.map(|goal| goal.steps))
    };
    let ends = ends.filter_map(|end| steps(end.state).transpose());
    let ends: Vec<f64> = ends.collect::<Result<_>>()?;
    Ok(GoalEpsilonFound {
        goals: set.len(),
        ends: ends.len(),
        ends_reached: share_within(&ends, epsilon.epsilon),
        epsilon,
        before_end_steps,
    })
}
