//! Embeds many states at once, by the tensor library: on a GPU if one is in use.

use super::{Architecture, DistanceSpec, Normaliser};
use crate::distance::{DistanceError, check_length, is_row};
use crate::nn::{NamedArray, NamedArrayError, Network};
use crate::rng::{Purpose, Seed};

/// The encoder of a trained distance. [`Learned::embed`](crate::distance::Learned::embed) embeds one state, on the CPU, and is equal to
/// the byte everywhere; this one may differ from it in the last digits.
#[derive(Debug)]
pub struct BatchEncoder {
    network: Network,
    normaliser: Option<Normaliser>,
    inputs: usize,
    /// Rows of a table.
    table_states: Option<usize>,
}

impl BatchEncoder {
    /// From the arrays of a distance, as [`DistanceTrainer::weights`](super::DistanceTrainer::weights) gives them.
    pub fn of_arrays(spec: &DistanceSpec, arrays: &[NamedArray]) -> Result<Self, NamedArrayError> {
        let inputs = spec.encoder.inputs;
        // Its random weights are replaced.
        let mut rng = Seed(0).stream(Purpose::Weights, 0, 0);
        let mut network = Network::untrained(&spec.encoder, &mut rng);
        network.restore(arrays)?;
        Ok(Self {
            network,
            normaliser: Normaliser::of_arrays(inputs, arrays)?,
            inputs,
            table_states: match spec.encoder.architecture {
                Architecture::Table { states } => Some(states),
                _ => None,
            },
        })
    }

    /// The points of states, both row by row.
    pub fn embed(&self, states: &[f32]) -> Result<Vec<f32>, DistanceError> {
        check_length(
            "state",
            states.len() % self.inputs + self.inputs,
            self.inputs,
        )?;
        if let Some(rows) = self.table_states
            && let Some(index) = states.iter().find(|index| !is_row(**index, rows))
        {
            return Err(DistanceError::NoSuchState {
                index: *index,
                states: rows,
            });
        }
        let Some(normaliser) = &self.normaliser else {
            return Ok(self.network.points(states));
        };
        let mut rows = Vec::with_capacity(states.len());
        for state in states.chunks_exact(self.inputs) {
            normaliser.push(state, &mut rows);
        }
        Ok(self.network.points(&rows))
    }
}
