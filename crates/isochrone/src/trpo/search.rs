//! Backtracking line search: the longest step that improves L within the KL limit.

use super::surrogate::Compared;
use super::{TrpoError, TrpoSpec, finite};
use crate::policy::GaussianPolicy;

/// The step that was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) shrunk: Option<usize>,
    pub(super) kl: f64,
    pub(super) improvement: f64,
}

/// Tries `θ + αd` for α = 1, 0.8, 0.8², … and stays with the first that both raises L above `before` and keeps the
/// divergence within its limit. If there is none, the policy is as it was.
pub(super) fn backtrack(
    policy: &mut GaussianPolicy,
    step: &[f64],
    before: f64,
    spec: &TrpoSpec,
    mut compare: impl FnMut(&GaussianPolicy) -> Result<Compared, TrpoError>,
) -> Result<Found, TrpoError> {
    let old = policy.parameters();
    let mut share = 1.0;
    for shrunk in 0..spec.backtracks {
        let moved = old.iter().zip(step);
        let moved: Vec<f32> = moved
            .map(|(p, d)| (f64::from(*p) + share * d) as f32)
            .collect();
        policy.set_parameters(&moved);
        let Compared { value, kl } = compare(policy)?;
        if value > before && kl <= spec.kl_limit {
            let improvement = finite("surrogate improvement", value - before)?;
            let shrunk = Some(shrunk);
            return Ok(Found {
                shrunk,
                kl,
                improvement,
            });
        }
        share *= spec.shrink;
    }
    policy.set_parameters(&old);
    Ok(Found {
        shrunk: None,
        kl: 0.0,
        improvement: 0.0,
    })
}
