//! Goals: the entries of an observation that they fix, and the box they come from.
//!
//! A goal is a point of a [`GoalSpace`]: the position of a body (two entries), its whole state (all of them), or any other
//! choice. States are compared with goals after [`GoalSpace::project`], so one distance serves every space.

mod proposal;

pub use proposal::Proposals;

use crate::env::{Dtype, ObservationSpec};
use crate::rng::Rng;
use rand::RngExt;
use std::borrow::Cow;
use std::ops::Range;

/// Why a goal space or a goal range is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GoalError {
    /// No entries.
    #[error("a goal space needs at least one entry of the observation")]
    Empty,
    /// An entry out of range.
    #[error("entry {entry} is not in an observation of {length} entries")]
    NoSuchEntry {
        /// Index given.
        entry: usize,
        /// Number of entries.
        length: usize,
    },
    /// A duplicate entry.
    #[error("entry {entry} is named twice")]
    Twice {
        /// The entry.
        entry: usize,
    },
    /// Image observations, which have no goal entries.
    #[error("goals are about entries of vector observations; this world shows images")]
    Image,
    /// Bounds that are not finite, or a negative width.
    #[error(
        "range {dim} of the goals is {centre} ± {half_width}: it must be finite and not negative"
    )]
    Range {
        /// Index of the dimension.
        dim: usize,
        /// Its centre.
        centre: f32,
        /// Its half width.
        half_width: f32,
    },
    /// A goal of the wrong length.
    #[error("a goal of {got} numbers was given where the space has {expected}")]
    Length {
        /// Numbers given.
        got: usize,
        /// Numbers expected.
        expected: usize,
    },
}

/// The entries of an observation that goals fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalSpace {
    entries: Entries,
    observation_length: usize,
}

/// Contiguous entries are borrowed; others are copied.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entries {
    Run(Range<usize>),
    Some(Vec<usize>),
}

impl GoalSpace {
    /// Goals with these entries, in this order.
    pub fn entries(entries: &[usize], observation: &ObservationSpec) -> Result<Self, GoalError> {
        let length = vector_length(observation)?;
        let first = *entries.first().ok_or(GoalError::Empty)?;
        for (at, &entry) in entries.iter().enumerate() {
            if entry >= length {
                return Err(GoalError::NoSuchEntry { entry, length });
            }
            if entries[..at].contains(&entry) {
                return Err(GoalError::Twice { entry });
            }
        }
        let run = first..first + entries.len();
        let entries = if entries.iter().copied().eq(run.clone()) {
            Entries::Run(run)
        } else {
            Entries::Some(entries.to_vec())
        };
        Ok(Self {
            entries,
            observation_length: length,
        })
    }

    /// Goals are whole states.
    pub fn full_state(observation: &ObservationSpec) -> Result<Self, GoalError> {
        let all: Vec<usize> = (0..vector_length(observation)?).collect();
        Self::entries(&all, observation)
    }

    /// Entries of a goal.
    pub fn dims(&self) -> usize {
        match &self.entries {
            Entries::Run(run) => run.len(),
            Entries::Some(entries) => entries.len(),
        }
    }

    /// The entries of an observation, in the order of a goal's.
    pub fn indices(&self) -> Vec<usize> {
        match &self.entries {
            Entries::Run(run) => run.clone().collect(),
            Entries::Some(entries) => entries.clone(),
        }
    }

    /// Entries of the observations it projects.
    pub const fn observation_length(&self) -> usize {
        self.observation_length
    }

    /// The entries of an observation that are compared with goals.
    pub fn project<'o>(&self, observation: &'o [f32]) -> Cow<'o, [f32]> {
        match &self.entries {
            Entries::Run(run) => Cow::Borrowed(&observation[run.clone()]),
            Entries::Some(entries) => entries.iter().map(|&entry| observation[entry]).collect(),
        }
    }
}

fn vector_length(observation: &ObservationSpec) -> Result<usize, GoalError> {
    match observation.dtype {
        Dtype::F32 => Ok(observation.len()),
        Dtype::U8 => Err(GoalError::Image),
    }
}

/// A box of goals: `centre ± half_width` in every dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalRange {
    centre: Vec<f32>,
    half_width: Vec<f32>,
}

impl GoalRange {
    /// The box `centre ± half_width`.
    pub fn new(centre: Vec<f32>, half_width: Vec<f32>) -> Result<Self, GoalError> {
        if centre.len() != half_width.len() {
            return Err(GoalError::Length {
                got: half_width.len(),
                expected: centre.len(),
            });
        }
        let bounds = centre.iter().zip(&half_width).enumerate();
        for (dim, (&centre, &half_width)) in bounds {
            if !(centre.is_finite() && half_width.is_finite() && half_width >= 0.0) {
                return Err(GoalError::Range {
                    dim,
                    centre,
                    half_width,
                });
            }
        }
        Ok(Self { centre, half_width })
    }

    /// Its centre.
    pub fn centre(&self) -> &[f32] {
        &self.centre
    }

    /// Its half width.
    pub fn half_width(&self) -> &[f32] {
        &self.half_width
    }

    /// Whether a goal is inside, or on the border.
    pub fn contains(&self, goal: &[f32]) -> bool {
        let inside = |((g, c), h): ((&f32, &f32), &f32)| (g - c).abs() <= *h;
        goal.len() == self.centre.len()
            && goal
                .iter()
                .zip(&self.centre)
                .zip(&self.half_width)
                .all(inside)
    }

    /// Moves a goal to the nearest point that [`GoalRange::contains`].
    pub fn clip(&self, goal: &mut [f32]) {
        let bounds = self.centre.iter().zip(&self.half_width);
        for (value, (centre, half_width)) in goal.iter_mut().zip(bounds) {
            *value = value.clamp(centre - half_width, centre + half_width);
            // Rounding may put the border itself outside.
            while (*value - centre).abs() > *half_width {
                *value = if *value > *centre {
                    value.next_down()
                } else {
                    value.next_up()
                };
            }
        }
    }

    /// A goal drawn uniformly from the box.
    pub fn sample(&self, rng: &mut Rng) -> Vec<f32> {
        let bounds = self.centre.iter().zip(&self.half_width);
        bounds
            .map(|(centre, half_width)| centre + half_width * (2.0 * rng.random::<f32>() - 1.0))
            .collect()
    }
}
