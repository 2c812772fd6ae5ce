//! The goals of a world: their space, their range, and the coverage goals.

use super::{DistanceConfig, TrainingError};
use crate::distance::Feasibility;
use crate::env::{ActionSpec, Environment, ObservationSpec};
use crate::goal::{GoalError, GoalRange, GoalSpace, Proposals};
use crate::learner::PolicyIo;

/// What training needs to know about a world besides its dynamics.
#[derive(Clone)]
pub struct GoalSetup {
    /// Shape of observations.
    pub observation: ObservationSpec,
    /// Shape and bounds of actions.
    pub action: ActionSpec,
    /// The entries of an observation that form a goal.
    pub space: GoalSpace,
    /// The entries of a goal that generators propose.
    pub proposals: Proposals,
    /// The box that proposals come from.
    pub range: GoalRange,
    /// Entries of proposals with unknown range: it is estimated from the predictor's first samples.
    pub measured: Vec<usize>,
    /// Entries of a goal that are positions, in metres: evaluation compares only these.
    pub place: Vec<usize>,
    /// The goals that coverage is measured on.
    pub coverage_goals: Vec<Vec<f32>>,
    /// The space of whole states, and how a goal becomes one; `None` if it cannot.
    pub whole_state: Option<(GoalSpace, Proposals)>,
    /// Returns whether a goal is feasible; `None` if that is unknown.
    pub is_feasible: Option<Feasibility>,
}

impl std::fmt::Debug for GoalSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GoalSetup")
            .field("space", &self.space)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

impl GoalSetup {
    /// Goals are entries of the observation, drawn from `range`; nothing else is known about the environment.
    pub fn of_entries(
        observation: ObservationSpec,
        action: ActionSpec,
        entries: &[usize],
        range: GoalRange,
    ) -> Result<Self, GoalError> {
        let space = GoalSpace::entries(entries, &observation)?;
        let dims = space.dims();
        Ok(Self {
            observation,
            action,
            space,
            proposals: Proposals::whole(dims),
            range,
            measured: Vec::new(),
            place: (0..dims).collect(),
            coverage_goals: Vec::new(),
            whole_state: None,
            is_feasible: None,
        })
    }

    /// The same for an environment.
    pub fn of(
        environment: &impl Environment,
        entries: &[usize],
        range: GoalRange,
    ) -> Result<Self, GoalError> {
        let (observation, action) = (environment.observation_spec(), environment.action_spec());
        Self::of_entries(observation, action, entries, range)
    }

    /// Checks that all lengths agree, also with those of the distance.
    pub(super) fn check(&self, distance: &DistanceConfig) -> Result<(), TrainingError> {
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
            DistanceConfig::Learned(spec) => {
                length(spec.goals.dims(), dims)?;
                length(spec.goals.goal_dims(), spec.predictor_input.dims())?;
                Ok(length(
                    spec.distance.encoder.inputs,
                    spec.predictor_input.dims(),
                )?)
            }
            DistanceConfig::Given(_) if self.measured.is_empty() => Ok(()),
            DistanceConfig::Given(_) => Err(TrainingError::NothingToMeasure),
        }
    }

    /// Half widths of the range in goal space; 0 for entries that are not proposed.
    fn goal_half_width(&self) -> Vec<f32> {
        let constant = self.proposals.goal(&vec![0.0; self.proposals.dims()]);
        let wide = self.proposals.goal(self.range.half_width());
        let widths = wide.iter().zip(constant);
        widths.map(|(wide, constant)| wide - constant).collect()
    }

    pub(super) fn policy_io(&self) -> PolicyIo {
        PolicyIo {
            observation: self.observation.clone(),
            goals: self.space.clone(),
            goal_half_width: self.goal_half_width(),
            action: self.action.clone(),
        }
    }
}
