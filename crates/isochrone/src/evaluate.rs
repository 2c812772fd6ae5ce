//! Evaluation of a distance `d(state, goal)`, exact or learned, and of a policy.
//!
//! | question | item | needs |
//! |---|---|---|
//! | does it order and scale pairs as the truth does? | [`against_truth()`] | exact distances |
//! | does stepping to the nearest neighbour arrive? | [`descent()`] | the graph |
//! | do predicted steps come true? | [`calibrate`] | held-out trajectories |
//! | does the triangle inequality hold? | [`triangle()`] | states |
//! | do the data have one-way structure? | [`asymmetry()`] | trajectories |
//! | does it decrease along an episode towards its end? | [`episode_progress`] | held-out trajectories |
//! | how many steps does a distance take, and how sure is that? | [`StepsToGoCurve`] | held-out trajectories |
//! | which ε makes "reached" mean something? | [`suggest_epsilon`] | distances within and between episodes |
//! | and for a set of goals? | [`epsilon_for_goals`] | distances of frames that must not count as reached |
//!
//! For a policy: which goals does it reach? [`coverage()`].
//!
//! The other functions do not depend on the kind of distance: they take numbers, or a function of numbered states, so that
//! exact times, the Euclidean distance and a network are evaluated by the same code. A closure over a list of states turns
//! a [`Distance`](crate::distance::Distance) on coordinates into one on indices.
//!
//! **What is compared with what.** A window target (mean lag given that it happens in the window), a one-way passage time and
//! a commute time are three quantities that differ by factors of up to a hundred. Nothing here converts one into another:
//! each report names its ground truth, and a distance of another kind correctly scores badly.
//!
//! All random draws come from streams of [`Purpose::Assess`](crate::rng::Purpose) (of `Purpose::Evaluate` for coverage), so
//! evaluation changes no training byte.

mod against_truth;
mod asymmetry;
mod calibration;
mod coverage;
mod descent;
mod epsilon;
mod error;
mod isotonic;
mod landmarks;
mod passages;
mod progress;
mod quantile;
mod rank;
mod steps_to_go;
mod survival;
mod triangle;

pub use against_truth::{AgainstTruth, Band, JudgedPair, PerGoal, against_truth};
pub use asymmetry::{
    Asymmetry, AsymmetryFound, AsymmetryTest, asymmetry, asymmetry_unless_stopped,
};
pub use calibration::{Calibration, CalibrationBin, HitLags, Line, Observation, calibrate};
pub use coverage::{Coverage, CoveragePlan, EvaluateError, coverage};
pub use descent::{Descent, Goals, Stretch, descent};
pub use epsilon::{
    Epsilon, EpsilonLimit, EpsilonRule, GoalEpsilon, epsilon_for_goals, pairs_between_episodes,
    share_within, suggest_epsilon,
};
pub use error::AssessError;
pub use landmarks::landmark_path;
pub use passages::Lag;
pub use progress::{Progress, arrival, episode_completion, episode_progress, summarise_progress};
pub use quantile::{median, quantile};
pub use rank::{Misranked, average_ranks, pearson, spearman};
pub use steps_to_go::{FrameToGo, StepsKnot, StepsToGo, StepsToGoCurve};
pub use survival::{Outcome, RestrictedMean, first_hit, restricted_mean};
pub use triangle::{Triangle, Triples, Violation, triangle};

use crate::rng::{Purpose, Rng, Seed};

/// What is drawn, so that two evaluations with one seed do not share a stream.
#[derive(Clone, Copy, Debug)]
enum Draw {
    Goals = 0,
    Triples = 1,
    Swaps = 2,
    Pairs = 3,
}

impl Draw {
    fn stream(self, seed: Seed) -> Rng {
        seed.stream(Purpose::Assess, self as u64, 0)
    }
}
