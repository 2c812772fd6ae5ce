//! The norm between two points, for comparing many of them.

/// `‖a − b‖_p` over the first entries of points, in f32: it orders points as the distance does, at a fraction of the cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Norm {
    dims: usize,
    power: Power,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Power {
    One,
    Two,
    Other(f32),
}

/// Sums that run side by side, so that additions do not wait for each other. Part of every result.
const LANES: usize = 8;

impl Norm {
    /// Over the first `dims` entries.
    pub fn new(dims: usize, p: f64) -> Self {
        let is = |wanted: f64| (p - wanted).abs() < 1e-9;
        let power = if is(1.0) {
            Power::One
        } else if is(2.0) {
            Power::Two
        } else {
            Power::Other(p as f32)
        };
        Self { dims, power }
    }

    /// `‖a − b‖_p`. Points shorter than the norm's dimensions are NaN apart.
    pub fn apart(&self, a: &[f32], b: &[f32]) -> f32 {
        let (Some(a), Some(b)) = (a.get(..self.dims), b.get(..self.dims)) else {
            return f32::NAN;
        };
        match self.power {
            Power::One => sum(a, b, f32::abs),
            Power::Two => sum(a, b, |x| x * x).sqrt(),
            Power::Other(p) => {
                // In units of the largest entry, or high powers would leave the numbers.
                let entries = a.iter().zip(b).map(|(a, b)| (a - b).abs());
                let largest = entries.clone().fold(f32::MIN_POSITIVE, f32::max);
                let sum: f32 = entries.map(|x| (x / largest).powf(p)).sum();
                largest * sum.powf(1.0 / p)
            }
        }
    }
}

fn sum(a: &[f32], b: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += term(a - b);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| term(a - b)).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn norms_are_those_of_the_textbook(
            a in prop::collection::vec(-9.0_f32..9.0, 21),
            b in prop::collection::vec(-9.0_f32..9.0, 21),
            p in 1.0_f64..6.0,
        ) {
            for p in [1.0, 2.0, p] {
                let terms = a.iter().zip(&b).take(20);
                let sum: f64 = terms.map(|(a, b)| f64::from((a - b).abs()).powf(p)).sum();
                let (found, wanted) = (Norm::new(20, p).apart(&a, &b), sum.powf(1.0 / p));
                prop_assert!((f64::from(found) / wanted - 1.0).abs() < 1e-5, "{found} {wanted}");
            }
            prop_assert!(Norm::new(22, 2.0).apart(&a, &b).is_nan());
        }
    }
}
