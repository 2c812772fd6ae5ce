//! e_θ: an embedding in which a norm counts steps, and its regression (metric MDS by stochastic gradient descent).
//!
//! ```text
//! d(s, g) = ‖e(s) − e(g)‖_p^q          loss = (d(s_t, s_t₂) − lag)²
//! ```
//!
//! [`DistanceSpec`] has the settings, [`DistanceTrainer`] trains an epoch at a time on
//! [`Episodes`](crate::pairs::Episodes), and [`Learned`](crate::distance::Learned) is the result. A run is reproducible to
//! the byte: every random draw of epoch n comes from the stream of n. [`DistanceTrainer::save`] returns what training
//! changes. After a restore, set normaliser, goals and geodesic again.

mod batch_encoder;
mod clips;
mod draw;
mod epoch;
mod samples;
mod trainer;

pub use crate::distance_spec::{
    Architecture, Diagonal, DistanceSpec, EncoderSpec, Head, ImageSpec, LearningRate, Objective,
    Scaling, SpecError,
};
pub use crate::normaliser::{Moments, Normaliser};
pub use batch_encoder::BatchEncoder;
pub use epoch::{Part, SLICE_PAIRS};
pub use trainer::{DistanceTrainer, EpochReport, TrainError};
