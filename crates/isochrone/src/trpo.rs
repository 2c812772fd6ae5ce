//! One trust-region update of a Gaussian policy.
//!
//! ```text
//! maximise  L(θ) = mean r(θ) Â,   r = π_θ(a|s,g) ÷ π_old(a|s,g)
//! while     mean KL(π_old ‖ π_θ) ≤ limit
//!
//! g = ∇L        F = ∇² mean KL        (F + damping) d = g        θ = θ_old + α √(2·limit ÷ dᵀ(F + damping)d) d
//! ```
//!
//! d by conjugate gradients (`conjugate`), products with F by the network's Jacobian from both sides (`surrogate`), α
//! by trying 1, 0.8, 0.8², … until both lines above hold (`search`). All sums go through [`Comm`] in shard order. Old
//! log-probabilities are computed here and not taken from the rollout: ratios are 1 to the bit before the first step.

mod conjugate;
mod search;
mod surrogate;

use crate::batch::Batch;
use crate::comm::{Comm, CommError};
use crate::policy::GaussianPolicy;
use conjugate::conjugate_gradient;
use search::{Found, backtrack};
use serde::{Deserialize, Serialize};
use surrogate::Surrogate;

/// Constants of an update.
#[derive(Clone, Debug, PartialEq)]
pub struct TrpoSpec {
    /// The largest mean KL divergence of a step.
    pub kl_limit: f64,
    /// Products with F.
    pub conjugate_steps: usize,
    /// Added to F.
    pub damping: f64,
    /// Step sizes tried.
    pub backtracks: usize,
    /// How much smaller each is.
    pub shrink: f64,
}

impl TrpoSpec {
    /// The reference code's constants.
    pub const fn reference() -> Self {
        Self {
            kl_limit: 0.01,
            conjugate_steps: 10,
            damping: 1e-5,
            backtracks: 15,
            shrink: 0.8,
        }
    }
}

/// Why an update failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrpoError {
    /// A quantity that is NaN or infinite.
    #[error("{what} is {value}")]
    NonFinite {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A policy whose inputs or outputs do not fit the batch.
    #[error(
        "the policy takes rows of {takes} and gives {gives} numbers; the batch has {rows} and {actions}"
    )]
    OtherBatch {
        /// Inputs of the policy.
        takes: usize,
        /// Outputs of the policy.
        gives: usize,
        /// Numbers in an input row.
        rows: usize,
        /// Numbers in an action.
        actions: usize,
    },
    /// An empty batch.
    #[error("the batch has no rows")]
    NoRows,
    /// Another rank failed.
    #[error(transparent)]
    Comm(#[from] CommError),
}

/// Report of an update.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrpoReport {
    /// Step sizes tried before one was taken; `None` if none was and the policy is as before.
    pub shrunk: Option<usize>,
    /// Mean KL divergence from the policy before.
    pub kl: f64,
    /// How much L rose.
    pub improvement: f64,
    /// ‖∇L‖₂.
    pub gradient_norm: f64,
    /// ‖g − (F + damping)d‖ ÷ ‖g‖ where conjugate gradients stopped.
    pub residual: f64,
    /// Mean entropy of an action, in nats.
    pub entropy: f64,
}

/// Moves the policy one step. `advantages` has one number per row, shard by shard.
pub fn update(
    policy: &mut GaussianPolicy,
    batch: &Batch,
    advantages: &[Vec<f32>],
    spec: &TrpoSpec,
    comm: &dyn Comm,
    threads: usize,
) -> Result<TrpoReport, TrpoError> {
    check(policy, batch)?;
    let mut surrogate = Surrogate::new(policy, batch, advantages, threads);
    let (before, gradient) = surrogate.gradient(comm)?;
    let gradient_norm = finite("policy gradient norm", norm(&gradient))?;
    let solved = conjugate_gradient(&gradient, spec.conjugate_steps, |v| {
        let product = surrogate.fisher_product(v, comm);
        product.map(|product| damped(product, v, spec.damping))
    })?;
    let curvature = finite(
        "policy step curvature",
        dot(&solved.direction, &solved.product),
    )?;
    let longest = (2.0 * spec.kl_limit / (curvature + 1e-8)).sqrt();
    let step: Vec<f64> = solved.direction.iter().map(|d| longest * d).collect();
    let found = backtrack(policy, &step, before, spec, |moved| {
        surrogate.compare(moved, comm)
    })?;
    Ok(report(policy, &found, gradient_norm, solved.residual))
}

fn report(policy: &GaussianPolicy, found: &Found, gradient_norm: f64, residual: f64) -> TrpoReport {
    TrpoReport {
        shrunk: found.shrunk,
        kl: found.kl,
        improvement: found.improvement,
        gradient_norm,
        residual,
        entropy: entropy(policy),
    }
}

/// Σ (log σ + ½ log 2πe).
fn entropy(policy: &GaussianPolicy) -> f64 {
    let constant = 0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E).ln();
    let each = policy
        .log_std()
        .into_iter()
        .map(|x| f64::from(x) + constant);
    each.sum()
}

fn check(policy: &GaussianPolicy, batch: &Batch) -> Result<(), TrpoError> {
    let (takes, gives) = (policy.layers().inputs(), policy.layers().outputs());
    let (rows, actions) = (batch.input_length, batch.action_length);
    if batch.total_rows == 0 {
        return Err(TrpoError::NoRows);
    }
    if (takes, gives) != (rows, actions) {
        return Err(TrpoError::OtherBatch {
            takes,
            gives,
            rows,
            actions,
        });
    }
    Ok(())
}

/// Fv + damping·v.
fn damped(mut product: Vec<f64>, v: &[f64], damping: f64) -> Vec<f64> {
    let each = product.iter_mut().zip(v);
    each.for_each(|(p, v)| *p += damping * v);
    product
}

fn finite(what: &'static str, value: f64) -> Result<f64, TrpoError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(TrpoError::NonFinite { what, value })
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// For tests and measurements: the surrogate's own numbers.
#[doc(hidden)]
pub mod inside {
    use super::{Batch, Comm, GaussianPolicy, Surrogate, TrpoError};

    /// L, ∇L and F·direction at the policy's parameters.
    pub fn derivatives(
        policy: &GaussianPolicy,
        batch: &Batch,
        advantages: &[Vec<f32>],
        direction: &[f64],
        comm: &dyn Comm,
    ) -> Result<(f64, Vec<f64>, Vec<f64>), TrpoError> {
        let mut surrogate = Surrogate::new(policy, batch, advantages, 1);
        let (value, gradient) = surrogate.gradient(comm)?;
        let product = surrogate.fisher_product(direction, comm)?;
        Ok((value, gradient, product))
    }

    /// L and mean KL(old ‖ moved) of `moved`, for advantages under `old`.
    pub fn compare(
        old: &GaussianPolicy,
        moved: &GaussianPolicy,
        batch: &Batch,
        advantages: &[Vec<f32>],
        comm: &dyn Comm,
    ) -> Result<(f64, f64), TrpoError> {
        let mut surrogate = Surrogate::new(old, batch, advantages, 1);
        surrogate.gradient(comm)?;
        let compared = surrogate.compare(moved, comm)?;
        Ok((compared.value, compared.kl))
    }
}
