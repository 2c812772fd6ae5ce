//! A suggestion for ε, the distance below which a goal counts as reached.
//!
//! Too small, and noise of a single step decides; too large, and states that have nothing to do with each other count
//! as reached. The first bound is `ε_floor = c · median d over one step`. The second is a share: of pairs of states
//! from **different** episodes, only a few may be within ε of each other, whatever the unit of d:
//!
//! ```text
//! ε = max( ε_floor , Q_α { d(s, s′) : s, s′ of different episodes } )          share { d < ε } ≤ 0.10
//! ```
//!
//! Being a rank, the share does not change when d is stretched, so it holds for window targets and commute times alike.

use super::Draw;
use super::error::AssessError;
use super::quantile::{ascending, median};
use crate::rng::Seed;
use rand::RngExt;
use serde::Serialize;

/// How ε is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EpsilonRule {
    /// c: how many median one-step distances ε must be at least.
    pub floor_factor: f64,
    /// α: the share of pairs from different episodes that ε may contain where the floor permits.
    pub wanted_share: f64,
    /// The share it must not exceed in any case.
    pub greatest_share: f64,
}

impl EpsilonRule {
    /// Three steps at least; one pair in twenty wanted, one in ten at most.
    pub const USUAL: Self = Self {
        floor_factor: 3.0,
        wanted_share: 0.05,
        greatest_share: 0.10,
    };
}

/// A suggested ε and the numbers that justify it, all in the distance's own unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Epsilon {
    /// The suggestion.
    pub epsilon: f64,
    /// What decided it.
    pub limit: EpsilonLimit,
    /// Median distance over one step.
    pub median_one_step: f64,
    /// c times that.
    pub floor: f64,
    /// The greatest ε that contains no more than the wanted share.
    pub at_wanted_share: f64,
    /// The greatest ε that contains no more than the greatest share: no larger one should be used.
    pub ceiling: f64,
    /// The share of pairs from different episodes with d < ε, at the suggestion.
    pub share_between: f64,
    /// The share of one-step distances with d < ε: near 1, or a goal is missed in passing.
    pub share_one_step: f64,
}

/// What decided ε.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EpsilonLimit {
    /// The wanted share.
    Share,
    /// The floor, which contains more than wanted, but not more than the greatest share.
    Floor,
    /// The floor, and it contains more than the greatest share: this distance tells a few steps from anywhere too poorly
    /// for any ε to be good.
    FloorTooWide,
}

/// Suggests ε from distances between states of different episodes and distances over one step (or from near a goal to it).
pub fn suggest_epsilon(
    between_episodes: &[f64],
    one_step: &[f64],
    rule: EpsilonRule,
) -> Result<Epsilon, AssessError> {
    rule.check()?;
    AssessError::at_least(1, between_episodes.len(), "distances between episodes")?;
    AssessError::at_least(1, one_step.len(), "one-step distances")?;
    AssessError::all_finite(between_episodes, "distance between episodes")?;
    AssessError::all_finite(one_step, "one-step distance")?;
    let between = ascending(between_episodes);
    let median_one_step = median(one_step).unwrap_or(f64::NAN);
    let floor = rule.floor_factor * median_one_step;
    let at_wanted_share = greatest_with_share(&between, rule.wanted_share);
    let ceiling = greatest_with_share(&between, rule.greatest_share);
    let (epsilon, limit) = if floor <= at_wanted_share {
        (at_wanted_share, EpsilonLimit::Share)
    } else if floor <= ceiling {
        (floor, EpsilonLimit::Floor)
    } else {
        (floor, EpsilonLimit::FloorTooWide)
    };
    Ok(Epsilon {
        epsilon,
        limit,
        median_one_step,
        floor,
        at_wanted_share,
        ceiling,
        share_between: share_within(between_episodes, epsilon),
        share_one_step: share_within(one_step, epsilon),
    })
}

/// ε for a set of goals, by what must not count as reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GoalEpsilon {
    /// The greatest ε that keeps the rate.
    pub epsilon: f64,
    /// The rate asked for: at most this share of negatives may be within ε.
    pub false_positive_rate: f64,
    /// The share of negatives within ε.
    pub false_positives: f64,
    /// How many negatives there are.
    pub negatives: u64,
}

/// The greatest ε for which at most `rate` of the negatives, states that must not count as reached, are within ε of the
/// goals:
///
/// ```text
/// ε = max { e : #{ n : d(n, G) < e } ≤ rate · #negatives }
/// ```
pub fn epsilon_for_goals(negatives: &[f64], rate: f64) -> Result<GoalEpsilon, AssessError> {
    if !(0.0..1.0).contains(&rate) {
        return Err(AssessError::Setting {
            what: "false-positive rate",
            value: rate,
            must: "from 0 to 1, without 1",
        });
    }
    AssessError::at_least(1, negatives.len(), "states that must not count as reached")?;
    AssessError::all_finite(negatives, "distance to the goals")?;
    let epsilon = greatest_with_share(&ascending(negatives), rate);
    Ok(GoalEpsilon {
        epsilon,
        false_positive_rate: rate,
        false_positives: share_within(negatives, epsilon),
        negatives: negatives.len() as u64,
    })
}

/// The share of distances below ε; 0 of none. For a table of candidates.
pub fn share_within(distances: &[f64], epsilon: f64) -> f64 {
    let within = distances.iter().filter(|d| **d < epsilon).count();
    within as f64 / distances.len().max(1) as f64
}

/// The greatest ε with `#{d < ε} ≤ share · n`: a value of the list, not one between two, so that it holds exactly.
fn greatest_with_share(ascending: &[f64], share: f64) -> f64 {
    let allowed = (share * ascending.len() as f64).floor() as usize;
    ascending[allowed.min(ascending.len() - 1)]
}

impl EpsilonRule {
    fn check(self) -> Result<(), AssessError> {
        let settings = [
            (
                "floor factor",
                self.floor_factor,
                f64::MAX,
                "finite and not negative",
            ),
            (
                "wanted share",
                self.wanted_share,
                self.greatest_share,
                "from 0 to the greatest share",
            ),
            ("greatest share", self.greatest_share, 1.0, "from 0 to 1"),
        ];
        for (what, value, most, must) in settings {
            if !(0.0..=most).contains(&value) {
                return Err(AssessError::Setting { what, value, must });
            }
        }
        Ok(())
    }
}

/// Pairs of places of states from different episodes: the first drawn evenly from all states, the second evenly from
/// those of other episodes. `episode_of[k]` names the episode of state k.
pub fn pairs_between_episodes(
    episode_of: &[usize],
    n_pairs: usize,
    seed: Seed,
) -> Result<Vec<(usize, usize)>, AssessError> {
    let mut order: Vec<usize> = (0..episode_of.len()).collect();
    order.sort_by_key(|&at| episode_of[at]);
    let episodes = order.chunk_by(|&a, &b| episode_of[a] == episode_of[b]);
    AssessError::at_least(2, episodes.count(), "episodes")?;
    let mut rng = Draw::Pairs.stream(seed);
    let draw = |_| {
        let first = order[rng.random_range(0..order.len())];
        let own = episode_of[first];
        let begin = order.partition_point(|&at| episode_of[at] < own);
        let end = order.partition_point(|&at| episode_of[at] <= own);
        // From all but the stretch of its own episode.
        let other = rng.random_range(0..order.len() - (end - begin));
        let second = if other < begin {
            other
        } else {
            other + (end - begin)
        };
        (first, order[second])
    };
    Ok((0..n_pairs).map(draw).collect())
}
