//! Exact quantities of a finite Markov chain: the ground truth for every learned distance.
//!
//! With `P(j|i)` the probability of a step from i to j and ρ the stationary distribution:
//!
//! | quantity | definition | item |
//! |---|---|---|
//! | mean first-passage time | `m(j\|i) = 1 + Σ_k P(k\|i) m(j\|k)`, `m(i\|i) = 0` | [`passage_times`] |
//! | commute time | `n(i,j) = m(j\|i) + m(i\|j)` | [`commute_times`] |
//! | action distance | `½ n(i,j)` | [`action_distances`] |
//! | ρ-weighted target | `(ρ_i m(j\|i) + ρ_j m(i\|j)) / (ρ_i + ρ_j)` | [`rho_weighted_target`] |
//! | finite-window target | mean passage time given that it happens in the episode | [`window_target`] |
//! | Laplacian | `L = diag(ρ) − ½(diag(ρ)P + (diag(ρ)P)ᵀ)` | [`laplacian`], [`GraphLaplacian`] |
//! | commute embedding | rows of `QΛ^{−½}`, `L = QΛQᵀ` | [`Spectrum::scaled_embedding`] |
//!
//! Two families of functions compute them. The **dense** ones return all pairs at once from n×n matrices, for up to a few
//! thousand states and any chain. The **sparse** side ([`Grounded`]) factors the Laplacian of a reversible chain once and
//! solves for one goal at a time, for 10⁶ states and more.

mod block;
mod censoring;
mod chain;
mod chain_error;
mod completion;
mod eigen;
mod eigenpairs;
mod empirical;
mod grounded;
mod lanczos;
mod laplacian;
mod mds;
mod metric_mds;
mod passage;
mod potential;
mod selected_inverse;
mod shortest;
mod sparse_cholesky;
mod spectral;
mod stationary;
mod target;
mod window;

pub use chain::{Chain, ROW_SUM_TOLERANCE, Transition, Values};
pub use chain_error::ChainError;
pub use completion::CompletedEmbedding;
pub use eigen::{EigenError, symmetric_eigen};
pub use eigenpairs::{Eigenpairs, EigenpairsError, Progress};
pub use empirical::{Empirical, EmpiricalError};
pub use faer::Mat;
pub use grounded::{GoalQueries, GoalTimes, Grounded, GroundedError, LostDigits, Resistances};
pub use laplacian::{
    GraphLaplacian, commute_from_pseudo_inverse, directed_laplacian, laplacian, pseudo_inverse,
    symmetric_part,
};
pub use mds::{MdsError, classical_mds, double_centred, strain};
pub use metric_mds::{Configuration, MetricMds, NormPower, Weights, strain_embedding};
pub use passage::{
    action_distances, commute_times, fundamental_matrix, kemeny_constant, passage_times,
};
pub use potential::{one_way_times, potential};
pub use shortest::{steps_from, steps_to};
pub use sparse_cholesky::NotFactored;
pub use spectral::{CentreDistances, Spectrum, rmse, rmse_curves};
pub use stationary::{Direction, Stationary, StationaryError, stationary};
pub use target::rho_weighted_target;
pub use window::{Sampler, window_target};
