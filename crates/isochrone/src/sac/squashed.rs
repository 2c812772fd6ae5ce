//! The policy: a Gaussian squashed by tanh, whose mean and standard deviation are one network.

use super::network::Network;
use crate::kernel::Linear;
use crate::layers::Pass;
use crate::policy::{clamp_log_std, log_std_is_free};
use crate::rng::{Rng, Seed, Stream};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f32::consts::{LN_2, PI};

/// `a = tanh(u)`, `u = μ(s) + σ(s)·ξ`, `ξ ~ N(0, 1)`; log σ is limited to −20 … 2.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SquashedGaussian {
    network: Network,
    actions: usize,
}

/// Actions drawn for rows, and what their derivatives need.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// Its output is μ and log σ of every row.
    pub(super) pass: Pass,
    noise: Vec<f32>,
    /// tanh(u), row by row.
    pub(super) actions: Vec<f32>,
    /// log π(a | s) of each row.
    pub(super) log_probabilities: Vec<f32>,
}

impl SquashedGaussian {
    pub(super) fn untrained(inputs: usize, hidden: &[usize], actions: usize, seed: Seed) -> Self {
        let rng = &mut seed.of(Stream::PolicyWeights);
        Self {
            network: Network::untrained(inputs, hidden, 2 * actions, rng),
            actions,
        }
    }

    pub(super) const fn actions(&self) -> usize {
        self.actions
    }

    pub(super) const fn network(&self) -> &Network {
        &self.network
    }

    pub(super) const fn network_mut(&mut self) -> &mut Network {
        &mut self.network
    }

    pub(super) fn linear(&self) -> Vec<Linear> {
        self.network.layers.linear(&self.network.values)
    }

    /// Draws an action for every row:
    ///
    /// ```text
    /// log π(a) = Σ_j −½ξ_j² − log σ_j − ½ log 2π − log(1 − a_j²),   log(1 − tanh² u) = 2 (log 2 − u − log(1 + e^{−2u}))
    /// ```
    pub(super) fn sample(&self, inputs: &[f32], rng: &mut Rng) -> Sample {
        let pass = self.network.forward(inputs);
        let n_numbers = pass.output.len() / 2;
        let noise: Vec<f32> = (0..n_numbers).map(|_| rng.sample(StandardNormal)).collect();
        let mut actions = Vec::with_capacity(n_numbers);
        let mut log_probabilities = Vec::new();
        let rows = pass.output.chunks_exact(2 * self.actions.max(1));
        for (row, noise) in rows.zip(noise.chunks_exact(self.actions.max(1))) {
            let (means, log_stds) = row.split_at(self.actions);
            let mut log_probability = 0.0;
            for ((mean, log_std), xi) in means.iter().zip(log_stds).zip(noise) {
                let log_std = clamp_log_std(*log_std);
                let u = mean + log_std.exp() * xi;
                actions.push(u.tanh());
                log_probability += -0.5 * xi * xi - log_std - 0.5 * (2.0 * PI).ln() - log_slope(u);
            }
            log_probabilities.push(log_probability);
        }
        Sample {
            pass,
            noise,
            actions,
            log_probabilities,
        }
    }

    /// One step down a loss with these derivatives by μ and log σ.
    pub(super) fn descend(&mut self, inputs: &[f32], sample: &Sample, slopes: &[f32], rate: f64) {
        self.network.descend(inputs, &sample.pass, slopes, rate);
    }

    /// μ and log σ of every row, without noise.
    pub(super) fn outputs(&self, inputs: &[f32]) -> Vec<f32> {
        self.network.forward(inputs).output
    }

    /// The derivatives of `mean (α log π(a | s) − Q(s, a))` by μ and log σ, row by row, with ∂Q/∂a given:
    ///
    /// ```text
    /// ∂/∂u = α·2a − (∂Q/∂a)(1 − a²)        ∂/∂μ = ∂/∂u        ∂/∂log σ = σξ ∂/∂u − α
    /// ```
    pub(super) fn slopes(&self, sample: &Sample, value_slopes: &[f32], alpha: f32) -> Vec<f32> {
        let width = self.actions.max(1);
        let n = sample.log_probabilities.len().max(1) as f32;
        let mut slopes = Vec::with_capacity(sample.pass.output.len());
        for (row, output) in sample.pass.output.chunks_exact(2 * width).enumerate() {
            let places = row * width..(row + 1) * width;
            let by_u = |place: usize| {
                let action = sample.actions[place];
                alpha * 2.0 * action - value_slopes[place] * (1.0 - action * action)
            };
            slopes.extend(places.clone().map(|place| by_u(place) / n));
            slopes.extend(places.enumerate().map(|(at, place)| {
                let log_std = output[width + at];
                let used = clamp_log_std(log_std);
                if log_std_is_free(log_std) {
                    (used.exp() * sample.noise[place] * by_u(place) - alpha) / n
                } else {
                    0.0
                }
            }));
        }
        slopes
    }
}

/// log(1 − tanh² u), also where tanh u is 1.
fn log_slope(u: f32) -> f32 {
    let x = -2.0 * u;
    // log(1 + eˣ) without overflow.
    let softplus = x.max(0.0) + (-x.abs()).exp().ln_1p();
    2.0 * (LN_2 - u - softplus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    fn inputs() -> Vec<f32> {
        let mut rng = Seed(2).stream(Purpose::Act, 0, 0);
        (0..32 * 3)
            .map(|_| 2.0 * rng.random::<f32>() - 1.0)
            .collect()
    }

    /// log π of the formula, in f64, from the action alone.
    #[test]
    fn log_probabilities_are_those_of_the_density() {
        let policy = SquashedGaussian::untrained(3, &[16], 2, Seed(4));
        let mut rng = Seed(5).stream(Purpose::Act, 0, 0);
        let sample = policy.sample(&inputs(), &mut rng);
        let rows = sample.actions.chunks(2).zip(sample.pass.output.chunks(4));
        for ((actions, output), found) in rows.zip(&sample.log_probabilities) {
            let mut expected = 0.0;
            for j in 0..2 {
                let a = f64::from(actions[j]);
                let (mean, std) = (f64::from(output[j]), f64::from(output[2 + j]).exp());
                let xi = (a.atanh() - mean) / std;
                let tau = 2.0 * std::f64::consts::PI;
                expected += ((-0.5 * xi * xi).exp() / (std * tau.sqrt() * (1.0 - a * a))).ln();
            }
            assert!(
                (f64::from(*found) - expected).abs() < 1e-2,
                "{found} {expected}"
            );
        }
    }

    /// With Q(s, a) = −(a − ½)²: the derivative of the loss along a direction, by differences and by the formula.
    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let (alpha, inputs) = (0.3, inputs());
        let policy = SquashedGaussian::untrained(3, &[16], 2, Seed(4));
        let noise = || Seed(5).stream(Purpose::Act, 0, 0);
        let loss = |policy: &SquashedGaussian| {
            let sample = policy.sample(&inputs, &mut noise());
            let n = sample.log_probabilities.len() as f64;
            let values = sample
                .actions
                .iter()
                .map(|a| -f64::from((a - 0.5) * (a - 0.5)));
            let entropy: f64 = sample.log_probabilities.iter().map(|x| f64::from(*x)).sum();
            (f64::from(alpha) * entropy - values.sum::<f64>()) / n
        };
        let sample = policy.sample(&inputs, &mut noise());
        let slopes: Vec<f32> = sample.actions.iter().map(|a| -2.0 * (a - 0.5)).collect();
        let slopes = policy.slopes(&sample, &slopes, alpha);
        let gradient = policy.network.gradient(&inputs, &sample.pass, &slopes);
        let mut rng = Seed(6).stream(Purpose::Act, 0, 0);
        let direction: Vec<f32> = gradient.iter().map(|_| rng.random::<f32>() - 0.5).collect();
        let moved = |step: f32| {
            let mut policy = policy.clone();
            let values = policy.network.values.iter_mut().zip(&direction);
            values.for_each(|(value, d)| *value += step * d);
            loss(&policy)
        };
        let differences = (moved(1e-3) - moved(-1e-3)) / 2e-3;
        let found: f64 = gradient
            .iter()
            .zip(&direction)
            .map(|(g, d)| f64::from(g * d))
            .sum();
        assert!(
            (found - differences).abs() < 1e-2 * differences.abs(),
            "{found} {differences}"
        );
    }

    #[test]
    fn the_slope_of_tanh_has_a_logarithm_everywhere() {
        for u in [-60.0_f32, -3.0, -0.5, 0.0, 0.5, 3.0, 60.0] {
            let exact = (1.0 - f64::from(u).tanh().powi(2)).ln();
            let found = f64::from(log_slope(u));
            assert!(found.is_finite());
            assert!(
                u.abs() > 5.0 || (found - exact).abs() < 1e-5,
                "{u}: {found} {exact}"
            );
        }
    }
}
