//! Do two lists of numbers go together? Correlation of values, of ranks, and the pairs ranked wrong.
//!
//! Shortest paths in a grid are full of ties, so the rule for ties decides the number. Here, as in SciPy, equal
//! values share the average of the ranks they cover.

use super::error::AssessError;
use serde::Serialize;

/// Ranks from 1; equal values share the average of the ranks they cover.
///
/// ```
/// use isochrone::evaluate::average_ranks;
/// assert_eq!(average_ranks(&[7.0, 3.0, 7.0, 9.0]), [2.5, 1.0, 2.5, 4.0]);
/// ```
pub fn average_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    // Equal as numbers: −0 and 0 are neighbours in the total order.
    for tied in order.chunk_by(|&a, &b| values[a] >= values[b]) {
        let rank = before as f64 + (tied.len() + 1) as f64 / 2.0;
        tied.iter().for_each(|&at| ranks[at] = rank);
        before += tied.len();
    }
    ranks
}

/// Spearman's ρ: Pearson's r of [`average_ranks`]. `None` where one list is constant: then it ranks nothing, and no
/// number says how well.
pub fn spearman(a: &[f64], b: &[f64]) -> Result<Option<f64>, AssessError> {
    check(a, b)?;
    Ok(correlation(&average_ranks(a), &average_ranks(b)))
}

/// Pearson's r,
///
/// ```text
/// r = Σ (a − ā)(b − b̄) / √( Σ (a − ā)² · Σ (b − b̄)² )
/// ```
///
/// `None` where one list is constant.
pub fn pearson(a: &[f64], b: &[f64]) -> Result<Option<f64>, AssessError> {
    check(a, b)?;
    Ok(correlation(a, b))
}

fn check(a: &[f64], b: &[f64]) -> Result<(), AssessError> {
    if a.len() != b.len() {
        return Err(AssessError::Lengths {
            what: "values to correlate",
            got: b.len(),
            expected: a.len(),
        });
    }
    AssessError::at_least(2, a.len(), "values to correlate")?;
    AssessError::all_finite(a, "value")?;
    AssessError::all_finite(b, "value")
}

fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (deviations(a)?, deviations(b)?);
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let r = dot(&a, &b) / (dot(&a, &a).sqrt() * dot(&b, &b).sqrt());
    r.is_finite().then(|| r.clamp(-1.0, 1.0))
}

/// Differences from the mean, in units of the largest magnitude, so that no square overflows; `None` of constants.
fn deviations(values: &[f64]) -> Option<Vec<f64>> {
    let first = *values.first()?;
    // Compared, not computed: the mean of equal numbers may differ from them in the last digit.
    if values.iter().all(|value| value.total_cmp(&first).is_eq()) {
        return None;
    }
    let scale = values.iter().fold(0.0, |top: f64, v| top.max(v.abs()));
    let mean = values.iter().map(|v| v / scale).sum::<f64>() / values.len() as f64;
    Some(values.iter().map(|v| v / scale - mean).collect())
}

/// Pairs that could be ranked, and how many were ranked wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Misranked {
    /// Pairs whose exact values differ.
    pub n_pairs: u64,
    /// Those put the wrong way round; predicted ties count one half.
    pub wrong: f64,
}

impl Misranked {
    /// Wrong ÷ all: 0 is perfect, ½ is guessing. `None` if no pair can be ranked.
    pub fn share(self) -> Option<f64> {
        (self.n_pairs > 0).then(|| self.wrong / self.n_pairs as f64)
    }
}

/// Counts the pairs {i, j} with `exact_i < exact_j` but `predicted_i > predicted_j`, by merge sort: O(n log n).
/// Both lists are finite.
pub(super) fn misranked(predicted: &[f64], exact: &[f64]) -> Misranked {
    // Adding zero makes one zero of two.
    let both = exact.iter().zip(predicted);
    let mut both: Vec<(f64, f64)> = both.map(|(e, p)| (e + 0.0, p + 0.0)).collect();
    both.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let same_exact = pairs_in_runs(&both, |a, b| a.0 >= b.0);
    let same_both = pairs_in_runs(&both, |a, b| a.0 >= b.0 && a.1 >= b.1);
    let mut by_prediction: Vec<f64> = both.iter().map(|pair| pair.1).collect();
    let inversions = sort_counting(&mut by_prediction);
    let same_prediction = pairs_in_runs(&by_prediction, |a, b| a >= b);
    let n = both.len() as u64;
    Misranked {
        n_pairs: n * n.saturating_sub(1) / 2 - same_exact,
        wrong: inversions as f64 + (same_prediction - same_both) as f64 / 2.0,
    }
}

/// How many pairs lie within runs of equals of a sorted list.
fn pairs_in_runs<T>(sorted: &[T], is_equal: impl FnMut(&T, &T) -> bool) -> u64 {
    let runs = sorted.chunk_by(is_equal).map(|run| run.len() as u64);
    runs.map(|n| n * (n - 1) / 2).sum()
}

/// Sorts, and counts the pairs that stood in descending order.
fn sort_counting(values: &mut [f64]) -> u64 {
    let half = values.len() / 2;
    if half == 0 {
        return 0;
    }
    let (left, right) = values.split_at_mut(half);
    let mut inversions = sort_counting(left) + sort_counting(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut l, mut r) = (0, 0);
    while l < left.len() && r < right.len() {
        if left[l] <= right[r] {
            merged.push(left[l]);
            l += 1;
        } else {
            inversions += (left.len() - l) as u64;
            merged.push(right[r]);
            r += 1;
        }
    }
    merged.extend_from_slice(&left[l..]);
    merged.extend_from_slice(&right[r..]);
    values.copy_from_slice(&merged);
    inversions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use rand::RngExt;

    /// The definition, pair by pair.
    #[test]
    fn merge_sort_counts_what_the_definition_says() {
        for case in 0..50 {
            let mut rng = Seed(1).stream(Purpose::Assess, 0, case);
            let n = rng.random_range(0..40);
            let mut draw =
                || -> Vec<f64> { (0..n).map(|_| f64::from(rng.random_range(0..9))).collect() };
            let (predicted, exact) = (draw(), draw());
            let (mut n_pairs, mut wrong) = (0, 0.0);
            for i in 0..n {
                for j in (0..n).filter(|&j| exact[i] < exact[j]) {
                    n_pairs += 1;
                    wrong += match predicted[i].total_cmp(&predicted[j]) {
                        std::cmp::Ordering::Less => 0.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Greater => 1.0,
                    };
                }
            }
            assert_eq!(misranked(&predicted, &exact), Misranked { n_pairs, wrong });
        }
    }
}
