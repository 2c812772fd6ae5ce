//! Isotonic regression: the non-decreasing line that is nearest to some points.

/// Pools adjacent violators: the means `y₁ ≤ y₂ ≤ …` with the least weighted squared error. Points are in the order of
/// their `x`; a pooled point stands at the mean of its members.
///
/// ```text
/// min Σ_i w_i (ŷ_i − y_i)²   with   ŷ_i ≤ ŷ_{i+1}
/// ```
pub(super) fn isotonic(points: impl IntoIterator<Item = Weighted>) -> Vec<Weighted> {
    let mut pooled: Vec<Weighted> = Vec::new();
    for point in points {
        let mut last = point;
        while let Some(before) = pooled.pop_if(|before| before.y >= last.y) {
            last = before.joined(last);
        }
        pooled.push(last);
    }
    pooled
}

/// A point that stands for so many observations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weighted {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) weight: f64,
}

impl Weighted {
    fn joined(self, other: Self) -> Self {
        let weight = self.weight + other.weight;
        let mean = |a: f64, b: f64| (a * self.weight + b * other.weight) / weight;
        Self {
            x: mean(self.x, other.x),
            y: mean(self.y, other.y),
            weight,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// It never falls, keeps the mean, and no non-decreasing line through the same places is nearer.
        #[test]
        fn nothing_non_decreasing_is_nearer(
            y in prop::collection::vec(-9.0_f64..9.0, 2..40),
            other in prop::collection::vec(-9.0_f64..9.0, 40),
        ) {
            let points = y.iter().enumerate().map(|(x, &y)| Weighted { x: x as f64, y, weight: 1.0 });
            let pooled = isotonic(points);
            prop_assert!(pooled.windows(2).all(|pair| pair[0].y < pair[1].y && pair[0].x < pair[1].x));
            let fitted: Vec<f64> = pooled.iter().flat_map(|p| vec![p.y; p.weight as usize]).collect();
            let error = |line: &[f64]| -> f64 { line.iter().zip(&y).map(|(a, b)| (a - b) * (a - b)).sum() };
            let mut rival = other[..y.len()].to_vec();
            rival.sort_by(f64::total_cmp);
            prop_assert!(error(&fitted) <= error(&rival) + 1e-9);
            let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
            prop_assert!((mean(&fitted) - mean(&y)).abs() < 1e-9);
        }
    }
}
