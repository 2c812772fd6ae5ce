//! A cloned policy, frozen.

use super::CloningSpec;
use crate::distance::{DistanceError, check_length};
use crate::kernel::{Activation, FrozenMlp, Linear};
use crate::nn::{NamedArray, NamedArrayError, find};
use crate::normaliser::Normaliser;

pub(super) const ACTION_LOW: &str = "action.low";
pub(super) const ACTION_HIGH: &str = "action.high";

/// π(s, g): the mean logged action on the way from s to g.
#[derive(Clone, Debug, PartialEq)]
pub struct ClonedPolicy {
    inputs: usize,
    normaliser: Normaliser,
    layers: FrozenMlp,
    low: Vec<f32>,
    high: Vec<f32>,
}

/// What the network sees: the state, and the way to the goal.
pub(super) fn push_input(state: &[f32], goal: &[f32], row: &mut Vec<f32>) {
    row.extend_from_slice(state);
    row.extend(goal.iter().zip(state).map(|(g, s)| g - s));
}

impl ClonedPolicy {
    /// Made of [`CloningTrainer::weights`](super::CloningTrainer::weights).
    pub fn of_arrays(spec: &CloningSpec, arrays: &[NamedArray]) -> Result<Self, NamedArrayError> {
        let values = |name: &str, shape: [usize; 2]| find(arrays, name, shape).map(<[f32]>::to_vec);
        let wide = spec.inputs.saturating_mul(2);
        let (mean, std) = (
            values("normaliser.mean", [1, wide])?,
            values("normaliser.spread", [1, wide])?,
        );
        let refuse = |name: &str| NamedArrayError::NotAbove {
            name: name.to_owned(),
        };
        let normaliser = Normaliser::new(mean, std).ok_or_else(|| refuse("normaliser.spread"))?;
        let (mut rows, mut layers) = (wide, Vec::new());
        for (layer, &columns) in spec.hidden.iter().chain([&spec.actions]).enumerate() {
            layers.push(Linear {
                weights: values(&format!("layer.{layer}.weight"), [rows, columns])?,
                bias: values(&format!("layer.{layer}.bias"), [1, columns])?,
            });
            rows = columns;
        }
        let layers = FrozenMlp::new(wide, &layers, Activation::Relu);
        Ok(Self {
            inputs: spec.inputs,
            normaliser,
            layers: layers.map_err(|error| NamedArrayError::Layers {
                reason: error.to_string(),
            })?,
            low: values(ACTION_LOW, [1, spec.actions])?,
            high: values(ACTION_HIGH, [1, spec.actions])?,
        })
    }

    /// Entries of a state, which are those of a goal.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Entries of an action.
    pub const fn actions(&self) -> usize {
        self.layers.outputs()
    }

    /// The action, within the range of the logged ones.
    pub fn act(&self, state: &[f32], goal: &[f32]) -> Result<Vec<f32>, DistanceError> {
        check_length("state", state.len(), self.inputs)?;
        check_length("goal", goal.len(), self.inputs)?;
        let (mut row, mut input) = (Vec::new(), Vec::new());
        push_input(state, goal, &mut row);
        self.normaliser.push(&row, &mut input);
        let mut action = self.layers.apply([&input, &[]], &mut Vec::new()).to_vec();
        for ((action, low), high) in action.iter_mut().zip(&self.low).zip(&self.high) {
            // Comparisons, not `clamp`: a NaN stays one, and a range of a damaged file does not panic.
            if *action < *low {
                *action = *low;
            } else if *action > *high {
                *action = *high;
            }
        }
        Ok(action)
    }
}
