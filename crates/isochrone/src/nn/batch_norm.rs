//! Batch normalisation with ReLU behind it, channel by channel.
//!
//! ```text
//! x̂ = (x − μ) ÷ √(v + 10⁻⁵)        y = max(0, γ x̂ + β)
//! ```
//!
//! μ and v are the mean and the variance of a channel over all pixels of a batch. A trained network has running means of both.

use crate::kernel::{Activation, activate};

/// Keeps the square root away from zero.
pub(crate) const VARIANCE_FLOOR: f32 = 1e-5;

/// What a batch leaves behind for its gradient.
#[derive(Clone, Debug)]
pub(crate) struct Normalised {
    /// x̂.
    units: Vec<f32>,
    pub(crate) means: Vec<f32>,
    pub(crate) variances: Vec<f32>,
}

/// Gradients of the input, of γ and of β.
pub(crate) struct NormGradients {
    pub(crate) input: Vec<f32>,
    pub(crate) scale: Vec<f32>,
    pub(crate) shift: Vec<f32>,
}

/// Rows that are added in f32.
const PART_ROWS: usize = 64;

/// `Σ term(a, b)` over rows, channel by channel: f32 within a part, f64 over the parts in their order.
fn sums(channels: usize, a: &[f32], b: &[f32], term: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    let mut sums = vec![0.0_f64; channels];
    let part_len = PART_ROWS * channels;
    for (a, b) in a.chunks(part_len).zip(b.chunks(part_len)) {
        let mut part = vec![0.0_f32; channels];
        for (a, b) in a.chunks_exact(channels).zip(b.chunks_exact(channels)) {
            for ((sum, a), b) in part.iter_mut().zip(a).zip(b) {
                *sum += term(*a, *b);
            }
        }
        for (sum, part) in sums.iter_mut().zip(part) {
            *sum += f64::from(part);
        }
    }
    sums.into_iter().map(|sum| sum as f32).collect()
}

impl Normalised {
    /// Normalises rows of one number per channel by their own mean and variance; y replaces them.
    pub(crate) fn of(rows: &mut [f32], scale: &[f32], shift: &[f32]) -> Self {
        let channels = scale.len();
        let n = (rows.len() / channels.max(1)).max(1) as f32;
        let means = sums(channels, rows, rows, |x, _| x).into_iter();
        let means: Vec<f32> = means.map(|sum| sum / n).collect();
        let mut units = rows.to_vec();
        for row in units.chunks_exact_mut(channels) {
            for (x, mean) in row.iter_mut().zip(&means) {
                *x -= mean;
            }
        }
        let variances = sums(channels, &units, &units, |x, _| x * x).into_iter();
        let variances: Vec<f32> = variances.map(|sum| sum / n).collect();
        let inverse = inverse_std(&variances);
        for (row, out) in units
            .chunks_exact_mut(channels)
            .zip(rows.chunks_exact_mut(channels))
        {
            let parameters = inverse.iter().zip(scale).zip(shift);
            for ((x, y), ((inverse, scale), shift)) in row.iter_mut().zip(out).zip(parameters) {
                *x *= inverse;
                *y = scale * *x + shift;
            }
        }
        activate(Activation::Relu, rows);
        Self {
            units,
            means,
            variances,
        }
    }

    /// Gradients, from the gradient of y. With n rows, `g` that of γ x̂ + β and `a` = γ ÷ √(v + 10⁻⁵):
    ///
    /// ```text
    /// ∇β = Σ g      ∇γ = Σ g x̂      ∇x = a (g − ∇β ÷ n − x̂ ∇γ ÷ n)
    /// ```
    pub(crate) fn gradients(
        &self,
        scale: &[f32],
        shift: &[f32],
        mut output_gradients: Vec<f32>,
    ) -> NormGradients {
        let channels = scale.len();
        let n = (self.units.len() / channels.max(1)).max(1) as f32;
        self.cut(scale, shift, &mut output_gradients);
        let (outputs, units) = (&output_gradients, &self.units);
        let of_shift = sums(channels, outputs, units, |g, _| g);
        let of_scale = sums(channels, outputs, units, |g, x| g * x);
        // One factor per channel, so that the loop over pixels has no division.
        let means_of = |sums: &[f32]| sums.iter().map(|sum| sum / n).collect::<Vec<f32>>();
        let (of_shift_mean, of_scale_mean) = (means_of(&of_shift), means_of(&of_scale));
        let factors = scale.iter().zip(inverse_std(&self.variances));
        let factors: Vec<f32> = factors.map(|(scale, inverse)| scale * inverse).collect();
        for (output_gradients, units) in output_gradients
            .chunks_exact_mut(channels)
            .zip(self.units.chunks_exact(channels))
        {
            let parameters = of_shift_mean.iter().zip(&of_scale_mean).zip(&factors);
            let rows = output_gradients.iter_mut().zip(units);
            for ((gradient, x), ((shift, scale), factor)) in rows.zip(parameters) {
                *gradient = factor * (*gradient - shift - x * scale);
            }
        }
        NormGradients {
            input: output_gradients,
            scale: of_scale,
            shift: of_shift,
        }
    }

    /// No gradient passes where ReLU gave 0.
    fn cut(&self, scale: &[f32], shift: &[f32], output_gradients: &mut [f32]) {
        let channels = scale.len();
        for (gradients, units) in output_gradients
            .chunks_exact_mut(channels)
            .zip(self.units.chunks_exact(channels))
        {
            let parameters = scale.iter().zip(shift);
            for ((gradient, x), (scale, shift)) in gradients.iter_mut().zip(units).zip(parameters) {
                let is_cut = scale * x + shift <= 0.0;
                *gradient = if is_cut { 0.0 } else { *gradient };
            }
        }
    }
}

/// 1 ÷ √(v + 10⁻⁵), channel by channel.
pub(crate) fn inverse_std(variances: &[f32]) -> Vec<f32> {
    let inverse = |v: &f32| 1.0 / (v + VARIANCE_FLOOR).sqrt();
    variances.iter().map(inverse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradients are those of finite differences.
    #[test]
    fn gradients_are_those_of_finite_differences() {
        let (channels, rows) = (3, 7);
        let number = |at: usize| ((at * 53) % 17) as f32 / 5.0 - 1.3;
        let input: Vec<f32> = (0..channels * rows).map(number).collect();
        let (scale, shift) = (vec![1.5, 0.5, 2.0], vec![0.1, -0.2, 0.3]);
        let weights: Vec<f32> = (0..channels * rows).map(|at| number(at + 5)).collect();
        let value = |input: &[f32], scale: &[f32], shift: &[f32]| -> f64 {
            let mut rows = input.to_vec();
            Normalised::of(&mut rows, scale, shift);
            let products = rows.iter().zip(&weights);
            products.map(|(y, w)| f64::from(*y) * f64::from(*w)).sum()
        };
        let mut rows = input.clone();
        let normalised = Normalised::of(&mut rows, &scale, &shift);
        let found = normalised.gradients(&scale, &shift, weights.clone());
        let by = |at: usize, of: &[f32], value: &dyn Fn(&[f32]) -> f64| {
            let moved = |by: f32| {
                let mut moved = of.to_vec();
                moved[at] += by;
                value(&moved)
            };
            (moved(1e-2) - moved(-1e-2)) / 2e-2
        };
        for at in 0..input.len() {
            let expected = by(at, &input, &|x| value(x, &scale, &shift));
            let found = f64::from(found.input[at]);
            assert!((found - expected).abs() < 0.02, "{at}: {found}, {expected}");
        }
        for at in 0..channels {
            let expected = by(at, &scale, &|x| value(&input, x, &shift));
            let gradient = f64::from(found.scale[at]);
            assert!(
                (gradient - expected).abs() < 0.02,
                "γ {at}: {gradient}, {expected}"
            );
            let expected = by(at, &shift, &|x| value(&input, &scale, x));
            let gradient = f64::from(found.shift[at]);
            assert!(
                (gradient - expected).abs() < 0.02,
                "β {at}: {gradient}, {expected}"
            );
        }
    }
}
