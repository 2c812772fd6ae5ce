//! Powers of norms with gradients that stay finite.

use burn::tensor::Tensor;

/// Lower bound of a sum of powers: keeps the gradient of its root finite, and makes it zero for coinciding points.
const LEAST: f32 = 1e-12;

/// `‖x‖_p^q = (Σ|x_k|^p)^{q/p}` of every row, as one column.
///
/// The gradient of a root is infinite at zero, and `0·∞` would give NaN for a whole batch; so the sum is bounded away from
/// zero before the root, where its gradient is then zero.
pub(crate) fn power_norm(rows: Tensor<2>, p: f32, q: f32) -> Tensor<2> {
    let powers = if is(p, 1.0) {
        rows.abs()
    } else if is(p, 2.0) {
        rows.square()
    } else {
        return in_units_of_the_largest(rows, p, q);
    };
    let sums = powers.sum_dim(1);
    let exponent = q / p;
    if is(exponent, 1.0) {
        sums
    } else if is(exponent, 0.5) {
        sums.clamp_min(LEAST).sqrt()
    } else {
        sums.clamp_min(LEAST).powf_scalar(exponent)
    }
}

/// The same for other p, whose powers would overflow f32: with m the largest |x_k| of the row,
///
/// ```text
/// ‖x‖_p^q = m^q (Σ(|x_k|/m)^p)^{q/p}
/// ```
///
/// which holds for any m, so m is taken as a constant. A row of zeros has no gradient.
fn in_units_of_the_largest(rows: Tensor<2>, p: f32, q: f32) -> Tensor<2> {
    let sizes = rows.abs();
    let largest = sizes.clone().detach().max_dim(1).clamp_min(LEAST);
    let parts = (sizes / largest.clone()).clamp_min(LEAST);
    let sums = parts.powf_scalar(p).sum_dim(1).clamp_min(LEAST);
    sums.powf_scalar(q / p) * largest.powf_scalar(q)
}

/// Equal but for rounding: 0.1 + 0.2 asks for the same branch as 0.3.
fn is(value: f32, wanted: f32) -> bool {
    (value - wanted).abs() < 1e-6
}
