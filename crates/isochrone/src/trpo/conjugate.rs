//! Conjugate gradients.

use super::{dot, norm};

/// The search stops below this squared residual.
const TOLERANCE: f64 = 1e-10;

/// An approximate solution.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Solved {
    /// x.
    pub(super) direction: Vec<f64>,
    /// Ax.
    pub(super) product: Vec<f64>,
    /// ‖b − Ax‖ ÷ ‖b‖.
    pub(super) residual: f64,
}

/// Solves `Ax = b` for a symmetric positive A given by its products, in at most `steps` of them.
///
/// ```text
/// α = rᵀr ÷ pᵀAp,  x ← x + αp,  r ← r − αAp,  p ← r + (rᵀr ÷ previous rᵀr) p
/// ```
///
/// A direction without positive curvature, which only rounding can cause, ends the search. NaN in a product gives NaN in
/// the solution: the caller checks.
pub(super) fn conjugate_gradient<E>(
    b: &[f64],
    steps: usize,
    mut times: impl FnMut(&[f64]) -> Result<Vec<f64>, E>,
) -> Result<Solved, E> {
    let (mut x, mut product) = (vec![0.0; b.len()], vec![0.0; b.len()]);
    let (mut r, mut p) = (b.to_vec(), b.to_vec());
    let mut rr = dot(&r, &r);
    for _ in 0..steps {
        if rr < TOLERANCE {
            break;
        }
        let ap = times(&p)?;
        let curvature = dot(&p, &ap);
        if curvature <= 0.0 {
            break;
        }
        let alpha = rr / curvature;
        for k in 0..b.len() {
            x[k] += alpha * p[k];
            product[k] += alpha * ap[k];
            r[k] -= alpha * ap[k];
        }
        let next = dot(&r, &r);
        p.iter_mut()
            .zip(&r)
            .for_each(|(p, r)| *p = r + next / rr * *p);
        rr = next;
    }
    let residual = rr.sqrt() / norm(b).max(f64::MIN_POSITIVE);
    Ok(Solved {
        direction: x,
        product,
        residual,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nan_products_give_a_nan_solution() {
        let times = |v: &[f64]| -> Result<Vec<f64>, ()> { Ok(vec![f64::NAN; v.len()]) };
        let solved = conjugate_gradient(&[1.0, 2.0], 3, times).unwrap();
        assert!(dot(&solved.direction, &solved.product).is_nan());
    }

    proptest! {
        /// n steps solve n equations.
        #[test]
        fn it_solves(entries in proptest::collection::vec(-1.0..1.0_f64, 36), b in proptest::collection::vec(-1.0..1.0_f64, 6)) {
            // MᵀM + 1 is symmetric and positive.
            let a = |i: usize, j: usize| -> f64 {
                let products = (0..6).map(|k| entries[6 * k + i] * entries[6 * k + j]);
                products.sum::<f64>() + if i == j { 1.0 } else { 0.0 }
            };
            let times = |v: &[f64]| -> Result<Vec<f64>, ()> {
                Ok((0..6).map(|i| (0..6).map(|j| a(i, j) * v[j]).sum()).collect())
            };
            let solved = conjugate_gradient(&b, 12, times).unwrap();
            for (i, product) in times(&solved.direction).unwrap().iter().enumerate() {
                prop_assert!((product - b[i]).abs() < 1e-4);
                prop_assert!((product - solved.product[i]).abs() < 1e-9);
            }
        }
    }
}
