//! What is known of a world.

use super::{DistanceSource, TrainError, TrainSpec};
use crate::env::{ActionSpec, ObservationSpec};
use crate::goal::{GoalError, GoalRange, GoalSpace, Proposals};
use crate::policy::PolicyShape;

/// What the loop must know of a world beside its dynamics.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What is seen.
    pub observation: ObservationSpec,
    /// What can be done.
    pub action: ActionSpec,
    /// What goals are about.
    pub space: GoalSpace,
    /// What of them is proposed.
    pub proposals: Proposals,
    /// Where proposals come from.
    pub range: GoalRange,
    /// Entries of proposals whose range nobody knows: it is measured on the first samples of a predictor.
    pub measured: Vec<usize>,
    /// Entries of a goal that say where something is, in metres: what evaluation looks at.
    pub place: Vec<usize>,
    /// The ones that coverage is measured on.
    pub coverage_goals: Vec<Vec<f32>>,
}

impl Field {
    /// Does everything fit together, and with the distance?
    pub(super) fn check(&self, distance: &DistanceSource) -> Result<(), TrainError> {
        let dims = self.space.dims();
        let length = |got: usize, expected: usize| {
            let same = (got == expected).then_some(());
            same.ok_or(GoalError::Length { got, expected })
        };
        length(self.proposals.goal_dims(), dims)?;
        length(self.range.centre().len(), self.proposals.dims())?;
        for goal in &self.coverage_goals {
            length(goal.len(), dims)?;
        }
        if self.place.is_empty() {
            return Err(GoalError::Empty.into());
        }
        let entries = [(&self.place, dims), (&self.measured, self.proposals.dims())];
        for (entries, length) in entries {
            if let Some(&entry) = entries.iter().find(|entry| **entry >= length) {
                return Err(GoalError::NoSuchEntry { entry, length }.into());
            }
        }
        match distance {
            DistanceSource::Learned(spec) => {
                length(spec.goals.dims(), dims)?;
                length(spec.goals.goal_dims(), spec.sees.dims())?;
                Ok(length(spec.distance.encoder.inputs, spec.sees.dims())?)
            }
            DistanceSource::Given(_) if self.measured.is_empty() => Ok(()),
            DistanceSource::Given(_) => Err(TrainError::NothingToMeasure),
        }
    }

    pub(super) fn policy_shape(&self, spec: &TrainSpec) -> PolicyShape {
        PolicyShape {
            inputs: self.observation.len() + self.space.dims(),
            hidden: spec.hidden.clone(),
            actions: self.action.len(),
        }
    }
}
