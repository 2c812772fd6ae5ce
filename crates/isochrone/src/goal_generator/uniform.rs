//! Goals drawn uniformly from the range.

use super::{Feedback, GanReport, GoalGenerator, ProposalDistance};
use crate::curriculum::CurriculumError;
use crate::distance::DistanceError;
use crate::goal::GoalRange;
use crate::nn::{NamedArray, NamedArrayError};
use crate::rng::Rng;

/// Draws goals uniformly from a box and learns nothing: the baseline for every curriculum.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform {
    range: GoalRange,
}

impl Uniform {
    /// Goals in `range`.
    pub fn new(range: &GoalRange) -> Self {
        Self {
            range: range.clone(),
        }
    }
}

impl GoalGenerator for Uniform {
    fn propose(
        &self,
        count: usize,
        _distance: &dyn ProposalDistance,
        rng: &mut Rng,
    ) -> Result<Vec<Vec<f32>>, DistanceError> {
        Ok((0..count).map(|_| self.range.sample(rng)).collect())
    }

    fn begin(&mut self, _states: &[Vec<f32>], _rng: &mut Rng) -> Result<(), CurriculumError> {
        Ok(())
    }

    fn learn(
        &mut self,
        _feedback: &Feedback<'_>,
        _rng: &mut Rng,
    ) -> Result<Option<GanReport>, CurriculumError> {
        Ok(None)
    }

    fn uses_archive(&self) -> bool {
        false
    }

    fn save(&self) -> Vec<NamedArray> {
        Vec::new()
    }

    fn restore(&mut self, _arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        Ok(())
    }
}
