//! Baselines: state values learned from returns.
//!
//! Advantages use the baseline fitted to the previous batch; then it is fitted to this one. A baseline that has already
//! seen the returns would bias the advantages.

mod linear;
mod mlp;

pub use linear::LinearBaseline;
pub use mlp::MlpBaseline;

use crate::batch::Batch;
use crate::comm::{Comm, CommError};
use crate::nn::{NamedArray, NamedArrayError};
use crate::rng::Seed;
use serde::{Deserialize, Serialize};

/// Which baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaselineName {
    /// Linear in the inputs, their squares and powers of time.
    Linear,
    /// A small network.
    Mlp,
}

/// Why a baseline could not be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// No finite solution, also with a large ridge.
    #[error("the baseline's normal equations have no finite solution")]
    Singular,
    /// A loss that is NaN or infinite.
    #[error("the loss of the baseline is {loss}")]
    NonFinite {
        /// Its value.
        loss: f64,
    },
    /// Another rank failed.
    #[error(transparent)]
    Comm(#[from] CommError),
}

/// A value estimate.
#[derive(Clone, Debug, PartialEq)]
pub enum Baseline {
    /// Linear features.
    Linear(LinearBaseline),
    /// A network.
    Mlp(Box<MlpBaseline>),
}

impl Baseline {
    /// An unfitted baseline: 0 everywhere.
    pub fn untrained(name: BaselineName, input_length: usize, seed: Seed) -> Self {
        match name {
            BaselineName::Linear => Self::Linear(LinearBaseline::new(input_length)),
            BaselineName::Mlp => Self::Mlp(Box::new(MlpBaseline::untrained(input_length, seed))),
        }
    }

    /// V of these rows; `times` are steps since the policy was given its goal.
    pub fn values(&self, inputs: &[f32], times: &[u32]) -> Vec<f64> {
        match self {
            Self::Linear(linear) => linear.values(inputs, times),
            Self::Mlp(mlp) => mlp.values(inputs),
        }
    }

    /// Fits it to the returns of a batch, shard by shard.
    pub fn fit(
        &mut self,
        batch: &Batch,
        returns: &[Vec<f32>],
        comm: &dyn Comm,
        threads: usize,
    ) -> Result<(), BaselineError> {
        match self {
            Self::Linear(linear) => linear.fit(batch, returns, comm, threads),
            Self::Mlp(mlp) => mlp.fit(batch, returns, comm, threads),
        }
    }

    /// All parameters, as named arrays.
    pub fn save(&self) -> Vec<NamedArray> {
        match self {
            Self::Linear(linear) => vec![linear.save()],
            Self::Mlp(mlp) => mlp.save(),
        }
    }

    /// Restores saved parameters.
    pub fn restore(&mut self, arrays: &[NamedArray]) -> Result<(), NamedArrayError> {
        match self {
            Self::Linear(linear) => linear.restore(arrays),
            Self::Mlp(mlp) => mlp.restore(arrays),
        }
    }
}
