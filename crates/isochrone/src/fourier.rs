//! Random Fourier features: with them a small network tells places apart that are near each other, as both sides of a thin wall.
//!
//! ```text
//! f_k(x) = sin(⟨w_k, x⟩ + φ_k),   w_k ~ N(0, σ² I),   φ_k uniform in ±π
//! ```
//!
//! A network of a few ReLU layers learns what changes slowly with its input first, and what changes over a tenth of a metre
//! late or never (*spectral bias*, Rahaman et al. 2019). On features of many frequencies (*positional encoding*; Rahimi and Recht 2007) it
//! learns both (Tancik et al. 2020). They are drawn once and not trained. σ is in radians per unit of the input: with σ = 1.5 most waves are longer than 2 m, if the input is in metres.

use crate::named_array::{NamedArray, NamedArrayError, find};
use crate::rng::Rng;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f32::consts::{FRAC_PI_2, PI};

const WEIGHT: &str = "fourier.weight";
const PHASE: &str = "fourier.phase";

/// The features of a state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FourierFeatures {
    inputs: usize,
    /// Row by row, one row per input.
    weights: Vec<f32>,
    phases: Vec<f32>,
}

impl FourierFeatures {
    /// So many features with frequencies of this standard deviation.
    pub(crate) fn random(inputs: usize, features: usize, frequency: f32, rng: &mut Rng) -> Self {
        let mut weight = || frequency * rng.sample::<f32, _>(StandardNormal);
        let weights = (0..inputs * features).map(|_| weight()).collect();
        let mut phase = || PI * (2.0 * rng.random::<f32>() - 1.0);
        Self {
            inputs,
            weights,
            phases: (0..features).map(|_| phase()).collect(),
        }
    }

    /// What [`FourierFeatures::save`] returned.
    pub(crate) fn of_arrays(
        inputs: usize,
        features: usize,
        arrays: &[NamedArray],
    ) -> Result<Self, NamedArrayError> {
        Ok(Self {
            inputs,
            weights: find(arrays, WEIGHT, [inputs, features])?.to_vec(),
            phases: find(arrays, PHASE, [1, features])?.to_vec(),
        })
    }

    pub(crate) fn save(&self) -> [NamedArray; 2] {
        let features = self.phases.len();
        [
            NamedArray::f32(WEIGHT, [self.inputs, features], &*self.weights),
            NamedArray::f32(PHASE, [1, features], &*self.phases),
        ]
    }

    /// Entries of a state.
    pub(crate) const fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many features there are.
    pub(crate) const fn len(&self) -> usize {
        self.phases.len()
    }

    /// The features of these states, rows end to end. A row does not depend on the others.
    pub(crate) fn of(&self, states: &[f32]) -> Vec<f32> {
        let mut features = Vec::with_capacity(states.len() / self.inputs.max(1) * self.len());
        for state in states.chunks_exact(self.inputs) {
            let first = features.len();
            features.extend_from_slice(&self.phases);
            let row = &mut features[first..];
            for (x, weights) in state
                .iter()
                .zip(self.weights.chunks_exact(self.phases.len()))
            {
                for (sum, weight) in row.iter_mut().zip(weights) {
                    *sum += x * weight;
                }
            }
            row.iter_mut().for_each(|angle| *angle = sine(*angle));
        }
        features
    }
}

/// 2π in two parts, so that a multiple of it can be subtracted without losing digits.
const TURN_HIGH: f32 = 6.281_25;
const TURN_LOW: f32 = 0.001_935_307_2;
const ROUNDING: f32 = 12_582_912.0;

/// The sine, right to 1e-6 up to 1e4: the same on every machine, and without a call, so that the compiler vectorises it.
///
/// ```text
/// x = 2πn + r, |r| ≤ π;   sin x = sin(±π − r) if |r| > π/2;   then the series up to r¹¹
/// ```
fn sine(x: f32) -> f32 {
    // Rounds to the nearest: what is lost below 1.5 × 2²³ are the digits behind the point.
    let turns = (x * (0.5 / PI) + ROUNDING) - ROUNDING;
    let r = (x - turns * TURN_HIGH) - turns * TURN_LOW;
    // Angles too large to have a sine in f32 stay bounded. NaN stays NaN.
    let r = r.clamp(-PI, PI);
    let half = PI.copysign(r);
    let r = if r.abs() > FRAC_PI_2 { half - r } else { r };
    let s = r * r;
    let series = -1.0 / 39_916_800.0;
    let series = series * s + 1.0 / 362_880.0;
    let series = series * s - 1.0 / 5_040.0;
    let series = series * s + 1.0 / 120.0;
    let series = series * s - 1.0 / 6.0;
    r + r * s * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sines_are_those_of_the_library(x in -1e4_f32..1e4) {
            let expected = f64::from(x).sin();
            prop_assert!((f64::from(sine(x)) - expected).abs() < 1e-6, "{x}: {} {expected}", sine(x));
        }
    }

    #[test]
    fn sines_are_bounded_and_what_is_no_number_has_none() {
        for x in [1e6, -1e8, 1e12, f32::MAX] {
            assert!(sine(x).abs() <= 1.0, "{x}: {}", sine(x));
        }
        assert!(sine(f32::NAN).is_nan() && sine(f32::INFINITY).is_nan());
    }

    /// The mean product of two states' features is half their similarity exp(−σ²‖x − y‖²/2): what Fourier features are drawn for.
    #[test]
    fn features_resemble_each_other_as_a_gaussian_kernel() {
        let mut rng = Seed(8).stream(Purpose::Weights, 0, 0);
        let features = FourierFeatures::random(2, 100_000, 1.5, &mut rng);
        let at = |x: f32| features.of(&[x, 0.3]);
        for apart in [0.0_f32, 0.4, 1.0, 3.0] {
            let products = at(1.0).into_iter().zip(at(1.0 + apart)).map(|(a, b)| a * b);
            let mean = products.sum::<f32>() / 100_000.0;
            let expected = 0.5 * (-0.5 * (1.5 * apart).powi(2)).exp();
            assert!(
                (mean - expected).abs() < 0.01,
                "{apart}: {mean}, {expected}"
            );
        }
    }

    #[test]
    fn saved_features_are_the_same() {
        let mut rng = Seed(8).stream(Purpose::Weights, 0, 1);
        let features = FourierFeatures::random(3, 5, 2.0, &mut rng);
        let restored = FourierFeatures::of_arrays(3, 5, &features.save()).unwrap();
        assert_eq!(features, restored);
        assert!(FourierFeatures::of_arrays(3, 6, &features.save()).is_err());
    }
}
