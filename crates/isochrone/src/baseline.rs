//! Baselines: what a state is worth, learned from returns.
//!
//! Advantages are taken with the baseline fitted to the batch before; then it is fitted to this one. A value may enter
//! an advantage only if it does not know the returns it is compared with.

mod linear;
mod mlp;

pub use linear::LinearBaseline;
pub use mlp::MlpBaseline;

use crate::batch::Batch;
use crate::comm::{Comm, CommError};
use crate::nn::{Named, NamedError};
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
    /// Not even with a heavy ridge.
    #[error("the baseline's normal equations have no finite solution")]
    Singular,
    /// A loss that is none.
    #[error("the loss of the baseline is {loss}")]
    NonFinite {
        /// What it is.
        loss: f64,
    },
    /// Another worker gave up.
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
    /// One that says 0, or next to nothing, everywhere.
    pub fn untrained(name: BaselineName, input_length: usize, seed: Seed) -> Self {
        match name {
            BaselineName::Linear => Self::Linear(LinearBaseline::new(input_length)),
            BaselineName::Mlp => Self::Mlp(Box::new(MlpBaseline::untrained(input_length, seed))),
        }
    }

    /// V of these rows; `times` are steps since the episode began.
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

    /// Everything about it, under names.
    pub fn save(&self) -> Vec<Named> {
        match self {
            Self::Linear(linear) => vec![linear.save()],
            Self::Mlp(mlp) => mlp.save(),
        }
    }

    /// The opposite.
    pub fn restore(&mut self, arrays: &[Named]) -> Result<(), NamedError> {
        match self {
            Self::Linear(linear) => linear.restore(arrays),
            Self::Mlp(mlp) => mlp.restore(arrays),
        }
    }
}
