//! ε of a learned distance: fixed, or the distance that holds a given share of the archived goals.
//!
//! A learned distance changes while it learns, so a fixed number of steps is a ball that grows or shrinks. A share is not:
//!
//! ```text
//! ε = Quantile_α { d(a, b) : a ≠ b archived goals }
//! ```
//!
//! It depends only on the order of distances, so neither the unit of the predictor nor a monotone change of it matters.

use super::{Training, TrainingError};
use crate::curriculum::{Difficulty, Labelled};
use crate::nn::{NamedArray, NamedArrayError, find_u64};
use crate::rng::{Purpose, choose};
use serde::{Deserialize, Serialize};

/// How ε follows the distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EpsilonSpec {
    /// It does not: ε is `epsilon_steps`. (With braces, because serde ignores unknown keys of unit variants.)
    Steps {},
    /// The ball round a goal holds this share of the archived goals, re-estimated in every iteration.
    Share {
        /// α.
        share: f64,
    },
    /// The share shrinks while the policy reaches nearly all goals, and grows while it reaches hardly any:
    /// α = α_max (α_min ÷ α_max)^ℓ, with a level ℓ from 0 to 1.
    Adaptive {
        /// α_max, the share at level 0.
        max_share: f64,
        /// α_min, the share at level 1.
        min_share: f64,
        /// How much ℓ moves in an iteration.
        rate: f64,
    },
}

impl Default for EpsilonSpec {
    fn default() -> Self {
        Self::Steps {}
    }
}

impl EpsilonSpec {
    /// Checks the ranges of all settings.
    pub(super) fn check(&self) -> Result<(), TrainingError> {
        let share = |setting, value: f64| {
            let is_share = value > 0.0 && value < 1.0;
            let refused = TrainingError::Setting {
                setting,
                value,
                rule: "above 0 and below 1",
            };
            is_share.then_some(()).ok_or(refused)
        };
        match *self {
            Self::Steps {} => Ok(()),
            Self::Share { share: alpha } => share("distance.epsilon.share", alpha),
            Self::Adaptive {
                max_share,
                min_share,
                rate,
            } => {
                share("distance.epsilon.max_share", max_share)?;
                share("distance.epsilon.min_share", min_share)?;
                share("distance.epsilon.rate", rate)
            }
        }
    }

    /// α at a level; `None` if ε is fixed.
    fn share_at(&self, level: f64) -> Option<f64> {
        match *self {
            Self::Steps {} => None,
            Self::Share { share } => Some(share),
            Self::Adaptive {
                max_share,
                min_share,
                ..
            } => Some(max_share * (min_share / max_share).powf(level)),
        }
    }
}

/// ε now, and the level of the adaptive rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Epsilon {
    pub(super) radius: f64,
    level: f64,
}

/// Archived goals that the quantile is estimated from, at most.
const MOST_GOALS: usize = 400;
/// With fewer archived goals, ε stays as it is.
const LEAST_GOALS: usize = 20;
/// Standard deviations of the confidence bounds of the success rate.
const BOUNDS: f64 = 2.0;

const NAME: &str = "epsilon";

impl Epsilon {
    pub(super) const fn new(radius: f64) -> Self {
        Self { radius, level: 0.0 }
    }

    pub(super) fn save(&self) -> NamedArray {
        NamedArray::u64(NAME, [self.radius.to_bits(), self.level.to_bits()])
    }

    pub(super) fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        let [radius, level] = find_u64(arrays, NAME)?;
        (self.radius, self.level) = (f64::from_bits(radius), f64::from_bits(level));
        Ok(())
    }
}

impl Training {
    /// ε now, in the distance's unit.
    pub const fn epsilon(&self) -> f64 {
        self.epsilon.radius
    }

    /// Whether ε follows the distance.
    pub(super) fn has_moving_epsilon(&self) -> bool {
        self.spec.distance.epsilon().share_at(0.0).is_some()
    }

    /// Re-estimates ε after an iteration.
    pub(super) fn update_epsilon(&mut self, labelled: &[Labelled]) {
        let spec = self.spec.distance.epsilon();
        if let EpsilonSpec::Adaptive { rate, .. } = spec {
            self.epsilon.level = moved(self.epsilon.level, rate, labelled);
        }
        let Some(share) = spec.share_at(self.epsilon.level) else {
            return;
        };
        let Some(predictor) = self.distance.predictor() else {
            return;
        };
        let goals = self.archived();
        if goals.len() < LEAST_GOALS {
            return;
        }
        let (seed, iteration) = (self.spec.seed, self.counters.iteration);
        let mut rng = seed.stream(Purpose::Goals, iteration, EPSILON_STREAM);
        let chosen = choose(goals.len(), MOST_GOALS, &mut rng).into_iter();
        let proposals = &self.setup.proposals;
        let chosen: Vec<Vec<f32>> = chosen.map(|at| proposals.goal(&goals[at])).collect();
        let mut distances = predictor.distances_between(&chosen);
        let at = (share * distances.len() as f64) as usize;
        if at < distances.len() {
            let (_, quantile, _) = distances.select_nth_unstable_by(at, f64::total_cmp);
            if quantile.is_finite() && *quantile > 0.0 {
                self.epsilon.radius = *quantile;
            }
        }
    }
}

/// The stream that archived goals are drawn with, after those of the generator and the archive.
const EPSILON_STREAM: u64 = (1 << 40) + 3;

/// ℓ goes up where most goals are surely easy, down where most are surely hard.
fn moved(level: f64, rate: f64, labelled: &[Labelled]) -> f64 {
    if labelled.is_empty() {
        return level;
    }
    let n = labelled.len() as f64;
    let share = |difficulty| {
        let found = labelled.iter().filter(|l| l.difficulty == difficulty);
        let share = found.count() as f64 / n;
        share - BOUNDS * (share * (1.0 - share) / n).sqrt()
    };
    let moved = if share(Difficulty::Easy) > 0.5 {
        level + rate
    } else if share(Difficulty::Hard) > 0.5 {
        level - rate
    } else {
        level
    };
    moved.clamp(0.0, 1.0)
}
