//! What a distance is trained to do.

use crate::pairs::{Sampler, Target};
use serde::{Deserialize, Serialize};

/// The value that the repulsive term of graph drawing pushes `E[φ_k²]` to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Diagonal {
    /// 1, as in the textbook.
    One,
    /// 1 ÷ dimensions, as in the public code.
    OverDims,
}

/// The training objective.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Objective {
    /// The paper's regression on lags.
    Regression {
        /// The target: which lags.
        target: Target,
        /// How pairs are sampled.
        sampler: Sampler,
    },
    /// The same on all pairs of a clip: some states of one trajectory, each of which is embedded once.
    Clips {
        /// The target: which lags.
        target: Target,
        /// States of a clip; `frames · (frames − 1) / 2` pairs.
        frames: usize,
    },
    /// Graph drawing (Wu, Tucker and Nachum 2018): attracts neighbours, repels all other states.
    GraphDrawing {
        /// Weight of the repulsion.
        beta: f32,
        /// Ratio of the geometric distribution of gaps between neighbours: 0 is the next step, 1 is any later one.
        lambda: f32,
        /// The scale of the repulsion.
        diagonal: Diagonal,
    },
}

impl Objective {
    /// The target of a regression; `None` for graph drawing.
    pub const fn target(self) -> Option<Target> {
        match self {
            Self::Regression { target, .. } | Self::Clips { target, .. } => Some(target),
            Self::GraphDrawing { .. } => None,
        }
    }

    /// How its pairs are sampled; `None` for graph drawing. All pairs of a clip weigh the same, which is
    /// [`Sampler::UniformPairs`] where trajectories are equally long.
    pub const fn sampler(self) -> Option<Sampler> {
        match self {
            Self::Regression { sampler, .. } => Some(sampler),
            Self::Clips { .. } => Some(Sampler::UniformPairs),
            Self::GraphDrawing { .. } => None,
        }
    }
}
