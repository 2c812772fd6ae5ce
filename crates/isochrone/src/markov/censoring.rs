//! Censoring: a chain watched only while it is in some of its states.
//!
//! ```text
//! s_k = Σ_{l<k} P(l|k)      P(l|i) ← P(l|i) + P(k|i) P(l|k) / s_k      for i, l < k
//! ```
//!
//! Grassmann, Taksar and Heyman's elimination: only sums, products and quotients of non-negative numbers, so no digit is lost.

use super::chain::Chain;

/// The rows of a chain end to end, as the inner loops go.
pub(super) fn rows_of(chain: &Chain) -> Vec<f64> {
    let n = chain.n_states();
    let mut p = vec![0.0; n * n];
    for i in 0..n {
        chain.row(i).for_each(|(j, value)| p[i * n + j] = value);
    }
    p
}

/// Censors state k of the chain on states 0 to k, in an n×n matrix. Afterwards column k holds P(k|i) / s_k, infinite where s_k is
/// below the smallest f64. Returns s_k.
pub(super) fn censor(p: &mut [f64], n: usize, k: usize) -> f64 {
    let (above, own) = p.split_at_mut(k * n);
    let own = &own[..k];
    let leave: f64 = own.iter().sum();
    for row in above.chunks_exact_mut(n).filter(|row| row[k] > 0.0) {
        if leave < f64::MIN_POSITIVE {
            row[k] = f64::INFINITY;
            continue;
        }
        let share = row[k] / leave;
        row[k] = share;
        let pairs = row[..k].iter_mut().zip(own);
        pairs.for_each(|(to, from)| *to += share * from);
    }
    leave
}
